//! `foldback import` on the shipped samples.

use crate::{
    bot::{Home, arg},
    foldback::Ran,
};
use serde_json::Value;
use std::{fs, path::PathBuf};

fn sample(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts");
    path.join(name).to_string_lossy().into_owned()
}

fn import(home: &Home, args: &[&str]) -> Ran {
    home.run(&[&["import"], args].concat())
}

#[test]
fn it_says_what_was_recognised_lost_unknown_and_damaged() {
    let home = Home::new();
    let names = [
        "lettabot-turns-truncated.jsonl",
        "openclaw-session-newer-version.jsonl",
        "telegram-result.json",
    ];
    let files = names.map(sample);
    let ran = import(&home, &[&files[0], &files[1], &files[2]]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for said in [
        "LettaBot turn log, raw output",
        "3 conversations, 4 turns",
        "damaged   line 6, byte 1740: The file ends in the middle of it.",
        "A bot without a scanner would have shown",
        "1 × entry presence",
        "The session has version 9",
        "Telegram export, delivered text only",
        "1 conversation, 8 messages",
        "lost      ",
    ] {
        assert!(ran.stdout.contains(said), "{said}:\n{}", ran.stdout);
    }
    // No content of the files is repeated.
    assert!(!ran.stdout.contains("book a table") && !ran.stderr.contains("book a table"));
}

#[test]
fn json_has_an_object_a_file_and_one_for_a_file_that_is_refused() {
    let home = Home::new();
    let other = home.write("other.log", "a secret line of another program\n");
    let turns = sample("lettabot-turns.jsonl");
    let ran = import(&home, &["--format", "json", &turns, arg(&other)]);
    assert_eq!(ran.code, 2);
    let lines = ran.lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["format"], "lettabot_turns");
    assert_eq!(lines[0]["turns"], 7);
    assert_eq!(lines[0]["lint"]["leaking_turns"], 4);
    let error = lines[1]["error"].as_str().unwrap();
    assert!(
        error.starts_with("this is no transcript of a known format"),
        "{error}"
    );
    assert!(!ran.stderr.contains("secret"));
}

#[test]
fn fixtures_of_raw_output_hold_when_they_are_replayed() {
    let home = Home::new();
    let out = home.path("fixtures");
    let names = [
        "lettabot-turns.jsonl",
        "openclaw-session.jsonl",
        "acp-stdio.jsonl",
    ];
    let files = names.map(sample);
    let ran = import(&home, &["--out", arg(&out), &files[0], &files[1], &files[2]]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let fixture = fs::read_to_string(out.join("lettabot-turns-1.yaml")).unwrap();
    assert!(
        fixture.contains("react: {emoji: \"👍\", message: \"901\"}"),
        "{fixture}"
    );
    let ran = home.run(&["replay", arg(&out)]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("pass ").count(), 5, "{}", ran.stdout);
    // What is there stays there.
    let again = import(&home, &["--out", arg(&out), &files[0]]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("is there already"), "{}", again.stderr);
}

/// Events of a journal as JSON.
fn query(home: &Home, db: &str, filter: &str) -> Vec<Value> {
    let ran = home.run(&[
        "journal", "query", "--db", db, "--where", filter, "--format", "json",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.lines()
}

#[test]
fn turns_are_played_into_a_journal_marked_as_replayed_at_their_own_times() {
    let home = Home::new();
    let db = home.path("imported.sqlite");
    let ran = import(
        &home,
        &[
            "--db",
            arg(&db),
            &sample("lettabot-turns.jsonl"),
            &sample("botframework.transcript"),
        ],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let db = arg(&db);
    let received = query(&home, db, "kind:received is:replayed");
    assert_eq!(received.len(), 9);
    assert!(query(&home, db, "-is:replayed").is_empty());
    let at: Vec<&str> = received.iter().filter_map(|event| event["at"].as_str()).collect();
    assert!(at.contains(&"2026-03-02T08:14:07.572Z"), "{at:?}");
    assert!(at.contains(&"2026-03-02T08:00:02.120Z"), "{at:?}");
    // Raw output was scanned, what was delivered was not.
    assert!(!query(&home, db, "kind:directive channel:telegram").is_empty());
    let chats = query(&home, db, "kind:received text:menu");
    assert_eq!(chats.len(), 1);
}

#[test]
fn bad_input_leaves_the_journal_as_it_was() {
    let home = Home::new();
    let db = home.path("imported.sqlite");
    let other = home.write("other.txt", "nothing of ours\n");
    let newer = home.write("newer.jsonl", "{\"foldback\":\"recording\",\"version\":9}\n");
    for file in [&other, &newer] {
        let ran = import(&home, &["--db", arg(&db), arg(file)]);
        assert_eq!(ran.code, 2);
        assert!(!db.exists());
    }
    let large = home.path("large.jsonl");
    fs::File::create(&large).unwrap().set_len(2_000_000_000).unwrap();
    let ran = import(&home, &["--db", arg(&db), arg(&large)]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("larger than 256 MB; split it"),
        "{}",
        ran.stderr
    );
    assert!(!db.exists());
}

#[test]
fn a_folder_of_slack_is_one_transcript() {
    let home = Home::new();
    let ran = import(&home, &["--format", "json", &sample("slack-export")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = ran.lines();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["conversations"][0]["id"], "C01GEN");
    assert_eq!(lines[0]["messages"], 9);
}

#[test]
fn the_log_of_jobs_names_the_chat_of_a_scheduled_turn() {
    let home = Home::new();
    let files = ["lettabot-turns.jsonl", "lettabot-cron-log.jsonl"].map(sample);
    let ran = import(&home, &["--format", "json", &files[0], &files[1]]);
    assert!(
        ran.stdout
            .contains("\"chat\":{\"platform\":\"telegram\",\"chat\":\"700100\"}")
    );
    let turns = &ran.lines()[0]["conversations"];
    let cron = turns
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["id"] == "cron")
        .unwrap();
    assert_eq!(cron["turns"][0]["inbound"]["chat"]["chat"], "700100");
}

#[test]
fn the_formats_are_listed() {
    let home = Home::new();
    let ran = import(&home, &["--formats"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.stdout.matches("raw output)").count(), 12, "{}", ran.stdout);
}
