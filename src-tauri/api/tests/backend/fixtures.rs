//! Fixtures: listed, read, written, run, accepted, made from turns.

use crate::host::{Host, pushed};
use foldback_wire::rpc::{
    ExportResult, FixtureCase, FixtureEntry, FixtureProgress, FixtureStarted, FixtureText, Push, Topic,
    Verdict,
};
use serde_json::{Value, json};
use std::{fs, time::Duration};

const GREAT: &str = r#"name: A reaction, then text
about: The documented example.
channel: [telegram, slack]
rules: [G3.block]
steps:
  - user: {text: "How was my talk?", id: m1}
  - agent:
      - "<actions>\n  <react em"
      - "oji=\"thumbsup\" />\n</actions>\nGreat idea!"
expect:
  - react: {emoji: "👍", message: m1}
  - send: {text: "Great idea!"}
"#;

async fn write(host: &Host, path: &str, text: &str) -> FixtureEntry {
    host.call("fixture_write", json!({"path": path, "text": text}))
        .await
}

/// Runs fixtures and answers the cases, and the last report.
async fn run(host: &Host, paths: &[&str]) -> (Vec<FixtureCase>, FixtureProgress) {
    let mut app = host.subscribe(&Topic::App);
    let started: FixtureStarted = host.call("fixture_run", json!({"paths": paths})).await;
    let mut cases = Vec::new();
    loop {
        let Some(Push::Fixtures { progress }) = app.next().await else {
            continue;
        };
        assert_eq!(progress.run, started.run);
        cases.extend(progress.ended.clone());
        if progress.done == progress.cases {
            assert_eq!(cases.len() as u32, started.cases);
            return (cases, progress);
        }
    }
}

#[tokio::test]
async fn a_fixture_is_written_listed_read_and_run() {
    let host = Host::start().await;
    let entry = write(&host, "actions/great.yaml", GREAT).await;
    assert_eq!(
        (entry.name.as_str(), entry.channels.len(), entry.error.clone()),
        ("A reaction, then text", 2, None)
    );
    let listed: Vec<FixtureEntry> = host.call("fixtures", json!({})).await;
    assert_eq!(listed, [entry]);
    let read: FixtureText = host
        .call("fixture_read", json!({"path": "actions/great.yaml"}))
        .await;
    assert_eq!(read.text, GREAT);
    let (cases, last) = run(&host, &[]).await;
    assert_eq!((last.done, last.cases), (2, 2));
    for case in &cases {
        assert_eq!(case.verdict, Verdict::Pass, "{case:#?}");
        assert_eq!(case.path, "actions/great.yaml");
    }
}

#[tokio::test]
async fn a_broken_expectation_is_red_and_can_be_accepted() {
    let host = Host::start().await;
    write(
        &host,
        "great.yaml",
        &GREAT.replace("send: {text: \"Great idea!\"}", "send: {text: \"Great!\"}"),
    )
    .await;
    let (cases, _) = run(&host, &["great.yaml"]).await;
    assert!(
        cases
            .iter()
            .all(|c| c.verdict == Verdict::Fail && !c.mismatches.is_empty())
    );
    assert!(
        cases[0].comparison.expected.contains("Great!") && cases[0].comparison.actual.contains("Great idea!")
    );
    let accepted: FixtureText = host.call("fixture_accept", json!({"path": "great.yaml"})).await;
    assert!(
        accepted.text.contains("Great idea!") && !accepted.text.contains("\"Great!\""),
        "{}",
        accepted.text
    );
    let (cases, _) = run(&host, &["great.yaml"]).await;
    assert!(cases.iter().all(|c| c.verdict == Verdict::Pass), "{cases:#?}");
}

#[tokio::test]
async fn a_run_is_written_as_junit_with_a_suite_a_fixture() {
    let host = Host::start().await;
    write(&host, "great.yaml", GREAT).await;
    let wrong = GREAT.replace("send: {text: \"Great idea!\"}", "send: {text: \"Great!\"}");
    write(&host, "wrong.yaml", &wrong).await;
    let (mut cases, _) = run(&host, &[]).await;
    cases.sort_by(|a, b| a.channel.cmp(&b.channel));
    let args = json!({"cases": cases, "path": "junit.xml"});
    let written: ExportResult = host.call("fixture_junit", args).await;
    let xml = fs::read_to_string(written.path).unwrap();
    assert!(
        xml.contains("tests=\"4\"") && xml.contains("failures=\"2\""),
        "{xml}"
    );
    assert_eq!(xml.matches("<testsuite ").count(), 2, "{xml}");
    assert!(xml.contains("Great!"), "{xml}");
}

#[tokio::test]
async fn a_fixture_that_cannot_be_rewritten_stays_as_it_is() {
    let host = Host::start().await;
    let flow = "{name: x, channel: slack, steps: [{user: {text: hi}}, {agent: [Hello.]}], expect: []}\n";
    write(&host, "flow.yaml", flow).await;
    let (_, message, _) = host.failure("fixture_accept", json!({"path": "flow.yaml"})).await;
    assert!(message.contains("flow.yaml"), "{message}");
    let read: FixtureText = host.call("fixture_read", json!({"path": "flow.yaml"})).await;
    assert_eq!(read.text, flow);
}

#[tokio::test]
async fn a_fixture_that_cannot_be_read_is_an_entry_and_a_case_with_its_error() {
    let host = Host::start().await;
    fs::create_dir_all(host.folder.path().join("fixtures")).unwrap();
    fs::write(
        host.folder.path().join("fixtures/broken.yaml"),
        "name: Broken\nsteps: 7\n",
    )
    .unwrap();
    let listed: Vec<FixtureEntry> = host.call("fixtures", json!({})).await;
    assert!(
        listed[0].error.as_ref().unwrap().contains("broken.yaml:2:"),
        "{listed:?}"
    );
    let (cases, _) = run(&host, &[]).await;
    assert_eq!((cases.len(), cases[0].verdict), (1, Verdict::Error));
}

#[tokio::test]
async fn what_is_no_fixture_is_refused_and_changes_nothing() {
    let host = Host::start().await;
    write(&host, "great.yaml", GREAT).await;
    let (code, message, _) = host
        .failure(
            "fixture_write",
            json!({"path": "great.yaml", "text": "nome: x\nsteps: []\n"}),
        )
        .await;
    assert_eq!(code, "bad_fixture");
    assert!(
        message.starts_with("This is no fixture: great.yaml:1:"),
        "{message}"
    );
    let read: FixtureText = host.call("fixture_read", json!({"path": "great.yaml"})).await;
    assert_eq!(read.text, GREAT);
}

#[tokio::test]
async fn no_path_leads_out_of_the_folder() {
    let host = Host::start().await;
    for path in [
        "../out.yaml",
        "/etc/passwd",
        "a/../../b.yaml",
        "notes.txt",
        "",
        "./a.yaml",
    ] {
        for (command, args) in [
            ("fixture_read", json!({"path": path})),
            ("fixture_write", json!({"path": path, "text": GREAT})),
            ("fixture_accept", json!({"path": path})),
            ("fixture_run", json!({"paths": [path]})),
        ] {
            assert_eq!(
                host.failure(command, args).await.0,
                "bad_path",
                "{command} {path}"
            );
        }
    }
}

#[tokio::test]
async fn a_run_can_be_stopped() {
    let host = Host::start().await;
    write(&host, "great.yaml", GREAT).await;
    let paths = vec!["great.yaml"; 400];
    let mut app = host.subscribe(&Topic::App);
    let started: FixtureStarted = host.call("fixture_run", json!({"paths": paths})).await;
    host.call::<Value>("fixture_cancel", json!({"run": started.run}))
        .await;
    let last = loop {
        match app.next().await {
            Some(Push::Fixtures { progress }) if progress.done == progress.cases => break progress,
            _ => {}
        }
    };
    assert!(last.done < started.cases, "{} of {}", last.done, started.cases);
    // The run is forgotten right after its last report.
    pushed(&mut app, Duration::from_millis(50)).await;
    assert_eq!(
        host.failure("fixture_cancel", json!({"run": started.run}))
            .await
            .1,
        "Run 1 is over, or was never begun."
    );
}

#[tokio::test(start_paused = true)]
async fn a_fixture_made_from_a_turn_plays_it_again() {
    let host = Host::after_demo().await;
    let turns: Vec<Value> = host.call("turns", json!({"before": null, "limit": 500})).await;
    for turn in turns {
        let made: FixtureText = host
            .call("fixture_from_turn", json!({"turn": turn["turn"]}))
            .await;
        let path = std::path::Path::new(&made.path);
        let fixture = foldback_replay::fixture::parse(path, &made.text)
            .unwrap_or_else(|e| panic!("{e}\n{}", made.text));
        let platform = fixture.channel.platforms()[0];
        let options = foldback_replay::Options::default();
        let played = std::thread::spawn(move || {
            foldback_replay::run(std::path::Path::new("t"), &fixture, platform, &options)
        })
        .join()
        .unwrap()
        .unwrap();
        assert_eq!(
            played.case.verdict,
            Verdict::Pass,
            "{}\n{:#?}",
            made.text,
            played.case.mismatches
        );
    }
}

#[tokio::test]
async fn what_came_with_the_program_is_changed_in_the_folder_of_the_person() {
    let shipped = tempfile::tempdir().unwrap();
    let wrong = GREAT.replace("Great idea!\"}", "Bad idea!\"}");
    fs::write(shipped.path().join("great.yaml"), &wrong).unwrap();
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.fixtures.shipped = Some(shipped.path().to_owned());
    })
    .await;
    let (cases, _) = run(&host, &[]).await;
    assert!(
        cases
            .iter()
            .all(|case| case.verdict == Verdict::Fail && case.path == "great.yaml")
    );
    let accepted: FixtureText = host.call("fixture_accept", json!({"path": "great.yaml"})).await;
    assert_ne!(accepted.text, wrong);
    assert_eq!(
        fs::read_to_string(shipped.path().join("great.yaml")).unwrap(),
        wrong
    );
    let (cases, _) = run(&host, &["great.yaml"]).await;
    assert!(
        cases.iter().all(|case| case.verdict == Verdict::Pass),
        "{cases:#?}"
    );
    let listed: Vec<FixtureEntry> = host.call("fixtures", json!({})).await;
    assert_eq!(listed.len(), 1);
}
