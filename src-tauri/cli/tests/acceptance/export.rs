//! `foldback export` and `foldback report`: files that leave the journal.

use crate::bot::{Home, arg};
use std::fs;

const KEY: &str = "sk-abcdefghijkl1234567890";

/// A home with two answered turns on two channels, kept without redaction.
fn home() -> Home {
    let home = Home::with(
        "[redact]\nenabled = false\n[channels.telegram]\nkind = \"loopback\"\nallow_from = [\"*\"]\n\
         [channels.slack]\nkind = \"loopback\"\nallow_from = [\"*\"]\n",
    );
    home.send(
        "telegram",
        "How was my talk?",
        &format!("<react emoji=\"eyes\"/>Great, {KEY}!"),
    );
    home.send("slack", "And now?", "Well done.");
    home
}

#[test]
fn every_form_goes_to_stdout_or_a_file_without_the_secret() {
    let home = home();
    for (format, begin) in [
        ("recording", "{\"foldback\":\"recording\""),
        ("fixture", "name: "),
        ("markdown", "# Turn 1\n"),
        ("html", "<!doctype html>"),
    ] {
        let ran = home.run(&["export", "--turn", "1", "--format", format]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.starts_with(begin), "{format}: {}", ran.stdout);
        assert!(!ran.stdout.contains("abcdefghijkl"), "{format}: {}", ran.stdout);
        assert!(
            ran.stderr.contains("--preview says which"),
            "{format}: {}",
            ran.stderr
        );
        let file = home.path("out");
        let to_file = home.run(&["export", "--turn", "#1", "--format", format, "-o", arg(&file)]);
        assert_eq!(
            (to_file.code, to_file.stdout.as_str()),
            (0, ""),
            "{}",
            to_file.stderr
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), ran.stdout);
    }
    let plain = home.run(&["export", "--turn", "1", "--unredacted"]);
    assert!(plain.stdout.contains(KEY), "{}", plain.stdout);
}

#[test]
fn turns_sessions_and_filters_are_scopes_and_one_is_needed() {
    let home = home();
    let heads = |args: &[&str]| {
        let ran = home.run(&[&["export"], args].concat());
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        let heads = ran.stdout.lines().filter(|line| line.starts_with("# Turn "));
        heads.map(str::to_owned).collect::<Vec<_>>()
    };
    let session = home.journal("turn:2 kind:prepared")[0]["session"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(heads(&["--turns", "2,1"]), ["# Turn 1", "# Turn 2"]);
    assert_eq!(heads(&["--session", &session]), ["# Turn 2"]);
    assert_eq!(heads(&["--filter", "channel:telegram -kind:edit"]), ["# Turn 1"]);
    assert_eq!(home.run(&["export"]).code, 2);
    assert_eq!(home.run(&["export", "--turn", "1", "--filter", ""]).code, 2);
    let nothing = home.run(&["export", "--turn", "9"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (2, ""));
    let mixed = home.run(&["export", "--turns", "1,2", "--format", "fixture"]);
    assert_eq!(mixed.code, 2);
    assert!(
        mixed.stderr.contains("A fixture plays one channel"),
        "{}",
        mixed.stderr
    );
}

#[test]
fn a_preview_names_what_is_masked_and_never_the_secret() {
    let home = home();
    let ran = home.run(&["export", "--filter", "", "--preview"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("2 turns: 1, 2\n"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("masks 1 × sk in the agent's output (turn 1): "),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("abcdefghijkl"), "{}", ran.stdout);
    let clean = home.run(&["export", "--turn", "2", "--preview"]);
    assert!(clean.stdout.contains("nothing to mask"), "{}", clean.stdout);
}

#[test]
fn an_exported_recording_and_fixture_pass_in_another_home() {
    let home = home();
    let other = Home::new();
    for (format, name) in [("recording", "turn.jsonl"), ("fixture", "turn.yaml")] {
        let text = home.run(&["export", "--turn", "2", "--format", format]).stdout;
        let file = other.write(name, &text);
        let ran = other.run(&["replay", arg(&file), "--format", "json"]);
        let cases = ran.lines();
        assert_eq!(ran.code, 0, "{format}: {}{}", ran.stdout, ran.stderr);
        assert!(cases.iter().all(|case| case["verdict"] == "pass") && !cases.is_empty());
    }
}

#[test]
fn no_export_takes_the_place_of_a_journal_or_of_the_configuration() {
    let home = home();
    for name in ["data/journal.sqlite", "foldback.toml"] {
        let file = home.path(name);
        let before = fs::read(&file).unwrap();
        let ran = home.run(&["export", "--turn", "1", "-o", arg(&file)]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("choose another file"), "{}", ran.stderr);
        assert_eq!(fs::read(&file).unwrap(), before);
    }
}

#[test]
fn a_report_tells_a_time_range_in_both_forms() {
    let home = home();
    let text = home.run(&["report", "--since", "1h"]);
    assert_eq!(text.code, 0, "{}", text.stderr);
    assert!(text.stdout.starts_with("# Shift report, "), "{}", text.stdout);
    assert!(
        text.stdout.contains("| telegram | 1 | 1 | 1 |"),
        "{}",
        text.stdout
    );
    let page = home.run(&["report", "--since", "1h", "--format", "html"]);
    assert!(page.stdout.starts_with("<!doctype html>"), "{}", page.stdout);
    let then = [
        "report",
        "--since",
        "2020-01-01T00:00:00Z",
        "--until",
        "2020-01-02T00:00:00Z",
    ];
    assert!(home.run(&then).stdout.contains("No message came in."));
    for wrong in [["report", "--since", "soon"], ["report", "--until", "9d"]] {
        let ran = home.run(&wrong);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    }
}
