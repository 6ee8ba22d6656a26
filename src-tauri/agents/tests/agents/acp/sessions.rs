//! What a session is told before its first prompt, and what a prompt holds beside its text.

use super::{Bench, failed};
use crate::support::{answer, request, said};
use foldback_agents::{AgentFile, Step};
use foldback_wire::AgentFault;
use serde_json::Value;

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
