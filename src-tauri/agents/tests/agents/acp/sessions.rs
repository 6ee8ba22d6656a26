//! What a session is told before its first prompt, and what a prompt holds beside its text.

use super::{Bench, failed};
use crate::support::{answer, ms, request, resuming, said, start};
use foldback_agents::{AgentFile, Step};
use foldback_wire::{AgentFault, SessionStart};
use serde_json::Value;
use std::{fs, time::Duration};

fn file(name: &str, media_type: &str, bytes: &[u8]) -> AgentFile {
    AgentFile {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        bytes: bytes.into(),
    }
}

/// A line of what the agent was told: the method and its parameters, whatever their order.
fn sorted(line: &str) -> (&str, Value) {
    let (method, params) = line.split_once(' ').expect("a method");
    (method, serde_json::from_str(params).expect("JSON"))
}

async fn given(bench: &Bench) -> Vec<Value> {
    let files = vec![
        file("dot.png", "image/png", b"\x89PNG"),
        file("notes.txt", "text/plain", "Grüße".as_bytes()),
        file("../data.bin", "application/octet-stream", b"raw"),
    ];
    given_these(bench, files).await
}

async fn given_these(bench: &Bench, files: Vec<AgentFile>) -> Vec<Value> {
    let mut request = request(1, "given");
    request.files = files;
    let steps = answer(&bench.agent, request).await;
    serde_json::from_str(&said(&steps)).expect("JSON")
}

#[tokio::test]
async fn files_go_in_the_best_form_that_the_agent_takes() {
    let bench = Bench::new("opencode");
    let blocks = given(&bench).await;
    assert_eq!(
        (&blocks[0]["type"], &blocks[0]["data"]),
        (&"image".into(), &"iVBORw==".into())
    );
    assert_eq!(
        (&blocks[1]["type"], &blocks[1]["text"]),
        (&"resource".into(), &"Grüße".into())
    );
    assert_eq!(
        (&blocks[2]["type"], &blocks[2]["read"]),
        (&"resource_link".into(), &"raw".into())
    );
    bench.end().await;
    // One that takes no pictures gets them as files, too.
    let bench = Bench::new("other");
    let blocks = given(&bench).await;
    assert_eq!(
        (&blocks[0]["type"], &blocks[0]["mime"]),
        (&"resource_link".into(), &"image/png".into())
    );
    bench.end().await;
}

#[tokio::test]
async fn a_file_arrives_however_long_its_name_is() {
    let bench = Bench::new("opencode");
    let name = format!("{}.pdf", "報告書".repeat(30));
    let blocks = given_these(&bench, vec![file(&name, "application/pdf", b"%PDF")]).await;
    assert_eq!(
        (&blocks[0]["type"], &blocks[0]["lie"]),
        (&"resource_link".into(), &1.into())
    );
    bench.end().await;
}

#[tokio::test]
async fn the_files_of_earlier_messages_go_when_very_many_lie() {
    let bench = Bench::new("opencode");
    let some = |count: usize| vec![file("data.bin", "application/octet-stream", b"raw"); count];
    let blocks = given_these(&bench, some(102)).await;
    assert!(blocks.iter().all(|block| block["read"] == "raw"));
    assert_eq!(blocks[101]["lie"], 102, "all of one message");
    let blocks = given_these(&bench, some(1)).await;
    assert_eq!(
        (&blocks[0]["read"], &blocks[0]["lie"]),
        (&"raw".into(), &101.into())
    );
    bench.end().await;
}

#[tokio::test]
async fn a_session_gets_its_mode_and_its_options() {
    let bench = Bench::with("opencode", |config| {
        config.sign_in = Some("key".to_owned());
        config.mode = Some("plan".to_owned());
        config.options.insert("model".to_owned(), "small".to_owned());
    });
    let expected = [
        r#"authenticate {"methodId":"key","sessionId":null}"#,
        r#"session/set_mode {"modeId":"plan","sessionId":null}"#,
        r#"session/set_config_option {"configId":"model","sessionId":null,"value":"small"}"#,
    ];
    let told = said(&bench.ask(1, "told").await);
    let told: Vec<(&str, Value)> = told.lines().map(sorted).collect();
    assert_eq!(told, expected.map(sorted));
    bench.end().await;

    let bench = Bench::with("opencode", |config| config.sign_in = Some("browser".to_owned()));
    let expected = "the agent has no way to sign in `browser`, only key";
    let steps = bench.ask(1, "say a").await;
    assert_eq!(failed(&steps), (AgentFault::Unauthorized, expected));
    bench.end().await;
}

#[tokio::test]
async fn tokens_are_told() {
    let bench = Bench::new("codex");
    let steps = bench.ask(1, "say a").await;
    assert!(
        steps
            .iter()
            .any(|step| matches!(step, Step::Usage(usage) if usage.input == 11 && usage.output == 7)),
        "{steps:?}"
    );
    bench.end().await;
}

#[tokio::test]
async fn the_history_of_a_session_that_is_taken_up_is_not_said_again_whenever_it_is_told() {
    for (manner, replay) in [
        ("opencode", "first"),
        ("opencode", "late"),
        ("codex", "late"),
        ("opencode", "paused"),
        ("opencode", "interleaved"),
    ] {
        let bench = Bench::with(manner, |config| {
            config.env.insert("REPLAY".to_owned(), replay.to_owned());
        });
        let running = start(&bench.agent, resuming(1, "say fresh", "acp", "s-before"));
        if let Some(pause) = [("paused", 400), ("interleaved", 250)]
            .into_iter()
            .find_map(|(paused, pause)| (replay == paused).then_some(pause))
        {
            bench.until("replayed").await;
            bench.clock.jump(ms(pause));
            fs::write(bench.folder.path().join("answer"), "").expect("a file");
        }
        let steps = running.rest().await;
        let expected = Step::Session {
            id: "s-before".to_owned(),
            start: SessionStart::Resumed,
            detail: String::new(),
        };
        assert_eq!(steps[0], expected, "{manner} {replay}");
        let told = |step: &Step| matches!(step, Step::Text { .. } | Step::Reasoning(_) | Step::Tool(_));
        let told: Vec<_> = steps.iter().filter(|step| told(step)).collect();
        assert!(
            matches!(told[..], [Step::Text { text, .. }] if text == "fresh"),
            "{manner} {replay}: {told:#?}"
        );
        // Of the next prompt nothing is held back.
        assert_eq!(said(&bench.ask(2, "say at|once").await), "atonce");
        bench.end().await;
    }
}

#[tokio::test]
async fn a_history_without_an_end_costs_the_session_and_no_more() {
    let bench = Bench::with("opencode", |config| {
        config.env.insert("REPLAY".to_owned(), "endless".to_owned());
    });
    let running = start(&bench.agent, resuming(1, "say fresh", "acp", "s-before"));
    bench.until("replayed").await;
    bench.clock.jump(Duration::from_mins(1));
    let steps = running.rest().await;
    assert!(
        matches!(&steps[0], Step::Session { start: SessionStart::Lost, detail, .. }
            if detail.starts_with("session/load: the agent was not ready within 60000 ms")),
        "{steps:?}"
    );
    assert_eq!(said(&steps), "fresh");
    bench.end().await;
}

#[tokio::test]
async fn what_lies_in_the_pipe_when_the_next_run_asks_is_not_said() {
    let bench = Bench::with("opencode", |config| config.limits.cancel = Duration::from_mins(1));
    for run in [1, 3, 5] {
        // Far more than the pipe and our buffer hold: the agent still writes it when the next run begins.
        assert_eq!(said(&bench.ask(run, "trails 1000").await), "early");
        bench.until_anew("trails").await;
        let steps = bench.ask(run + 1, "say fresh").await;
        assert_eq!(said(&steps), "fresh");
        let began = |step: &Step| matches!(step, Step::Session { .. });
        assert!(!steps.iter().any(began), "it goes on in its process: {steps:?}");
    }
    bench.end().await;
}

#[tokio::test]
async fn an_agent_that_talks_on_without_an_end_keeps_the_next_run_no_longer_than_a_cancelled_one() {
    let bench = Bench::with("opencode", |config| config.limits.cancel = ms(500));
    assert_eq!(said(&bench.ask(1, "trails").await), "early");
    bench.until_anew("trails").await;
    let mut running = bench.start(2, "say fresh");
    let step = loop {
        tokio::select! {
            step = running.next() => break step,
            // It was heard since: its silence would be no end of it.
            () = bench.until_anew("trails") => bench.clock.jump(ms(100)),
            // Nobody hears it any more: the time until it is killed passes at once.
            () = tokio::time::sleep(Duration::from_secs(1)) => bench.clock.jump(Duration::from_secs(1)),
        }
    };
    assert!(
        matches!(
            step,
            Step::Session {
                start: SessionStart::New | SessionStart::Resumed,
                ..
            }
        ),
        "another process answers: {step:?}"
    );
    assert_eq!(said(&running.rest().await), "fresh");
    bench.end().await;
}
