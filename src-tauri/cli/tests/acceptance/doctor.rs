//! `foldback doctor`: what is wrong, and what to do.

use crate::{
    bot::{Home, arg},
    foldback::{Ran, run},
};
use serde_json::Value;
use std::net::TcpListener;

fn finding(ran: &Ran, about: &str) -> Value {
    let lines = ran.lines();
    let found = lines.iter().find(|line| line["about"] == about);
    found.unwrap_or_else(|| panic!("{about}: {lines:#?}")).clone()
}

#[test]
fn the_embedded_default_is_fine() {
    let ran = Home::new().run(&["doctor"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("fine  the bot: can start"), "{}", ran.stdout);
}

#[test]
fn a_broken_configuration_is_a_finding_with_its_place() {
    let home = Home::with("[output]\nplacemnt = \"start\"\n");
    let ran = home.run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 1);
    let finding = finding(&ran, "configuration");
    assert_eq!(finding["state"], "wrong");
    assert!(
        finding["found"]
            .as_str()
            .unwrap()
            .contains("foldback.toml:2:1: output.placemnt")
    );
    assert!(
        finding["todo"]
            .as_str()
            .unwrap()
            .contains("foldback schema config")
    );
}

#[test]
fn secrets_are_looked_up_and_never_shown() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    let home = Home::with(&format!(
        "[agent]\nbackend = \"openai\"\n[agent.openai]\nbase_url = \"http://{address}/v1\"\nmodel = \"m\"\n\
         api_key = {{ env = \"DOCTOR_KEY\" }}\n\
         [channels.slack]\nkind = \"loopback\"\ntoken = {{ file = \"token\" }}\nallow_from = [\"*\"]\n"
    ));
    home.write("token", "xoxb-secret\n");
    let mut command = home.command(&["doctor", "--format", "json"]);
    command.env("DOCTOR_KEY", "sk-secret");
    let ran = run(command, "");
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(finding(&ran, "agent.openai.api_key")["state"], "fine");
    assert_eq!(finding(&ran, "agent.openai.base_url")["state"], "fine");
    assert!(
        !format!("{}{}", ran.stdout, ran.stderr).contains("secret"),
        "{}",
        ran.stdout
    );

    std::fs::remove_file(home.path("token")).unwrap();
    drop(free);
    let mut command = home.command(&["doctor", "--format", "json"]);
    command.env_remove("DOCTOR_KEY");
    let ran = run(command, "");
    assert_eq!(ran.code, 1);
    for about in [
        "agent.openai.api_key",
        "channels.slack.token",
        "agent.openai.base_url",
        "the bot",
    ] {
        let finding = finding(&ran, about);
        assert_eq!(finding["state"], "wrong", "{finding}");
        assert!(finding["todo"].is_string(), "{finding}");
    }
}

#[test]
fn a_backend_that_only_steps_in_is_checked_too() {
    let home = Home::with("[agent]\nfallback = [\"openai\", \"letta/agent-1\"]\n");
    let ran = home.run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 1);
    for about in [
        "agent.openai.base_url",
        "agent.openai.model",
        "agent.letta.base_url",
        "the bot",
    ] {
        let finding = finding(&ran, about);
        assert_eq!(
            (&finding["state"], finding["todo"].is_string()),
            (&"wrong".into(), true),
            "{finding}"
        );
    }
    let shared = finding(&ran, "agent.letta");
    assert_eq!(shared["state"], "note", "{shared}");
    assert_eq!(shared["found"], "all chats share the memory of its agent");
    assert!(
        !ran.stdout.contains("agent.letta.model"),
        "the chain names its own: {}",
        ran.stdout
    );
}

#[test]
fn folders_must_be_writable_and_nobody_let_in_is_worth_a_note() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\n[files]\nsend_dir = \"taken/out\"\n");
    home.write("taken", "a file is in the way");
    let ran = home.run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(finding(&ran, "files.send_dir")["state"], "wrong");
    let slack = finding(&ran, "channels.slack");
    assert_eq!(slack["state"], "note");
    assert!(
        slack["todo"]
            .as_str()
            .unwrap()
            .contains("channels.slack.allow_from")
    );
}

#[test]
fn a_journal_that_cannot_be_written_is_found() {
    let home = Home::new();
    let taken = home.write("taken", "a file is in the way");
    let below = taken.join("journal.sqlite");
    // In the first nobody can make a file; the second is no folder; the third is one.
    for db in [std::path::Path::new("/proc/x"), &below, &home.path("")] {
        let ran = home.run(&["doctor", "--format", "json", "--db", arg(db)]);
        assert_eq!(ran.code, 1, "{}: {}", db.display(), ran.stdout);
        let finding = finding(&ran, "journal");
        assert_eq!(finding["state"], "wrong", "{finding}");
        let found = finding["found"].as_str().unwrap();
        assert!(
            found.contains(arg(db)) && found.contains("cannot be written"),
            "{finding}"
        );
        assert!(finding["todo"].as_str().unwrap().contains("--db"), "{finding}");
    }
    let fresh = home.run(&[
        "doctor",
        "--format",
        "json",
        "--db",
        arg(&home.path("new/journal.sqlite")),
    ]);
    assert_eq!(fresh.code, 0, "{}", fresh.stdout);
    assert_eq!(finding(&fresh, "journal")["state"], "fine");
}

#[test]
fn a_channel_without_an_adapter_and_a_journal_that_is_none_are_found() {
    let home = Home::with("[channels.telegram]\nallow_from = [\"1\"]\n");
    let none = home.write(
        "other.sqlite",
        "this is no database, but it is long enough to look like a file of one",
    );
    let ran = home.run(&["doctor", "--format", "json", "--db", arg(&none)]);
    assert_eq!(ran.code, 1);
    assert_eq!(finding(&ran, "journal")["state"], "wrong");
    assert!(
        finding(&ran, "the bot")["found"]
            .as_str()
            .unwrap()
            .contains("channels.telegram")
    );
}

#[test]
fn speech_is_looked_at_without_a_word_being_spoken() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    let home = Home::with(&format!(
        "[speech]\nbackend = \"command\"\ncommand = [\"/nowhere/say\"]\n[transcription]\nbackend = \"openai\"\n\
         base_url = \"http://{address}/v1\"\nmodel = \"m\"\napi_key = {{ file = \"key\" }}\n"
    ));
    home.write("key", "sk-secret\n");
    let ran = home.run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 1);
    let program = finding(&ran, "speech.command");
    assert_eq!(
        (&program["state"], &program["found"]),
        (&"wrong".into(), &"/nowhere/say is not there".into())
    );
    assert_eq!(finding(&ran, "transcription.base_url")["state"], "fine");
    assert_eq!(finding(&ran, "transcription.api_key")["state"], "fine");
    assert!(!ran.stdout.contains("sk-secret"));

    let home = Home::with("[speech]\nbackend = \"openai\"\nvoice = \"alto\"\n");
    let ran = home.run(&["doctor", "--format", "json"]);
    let bot = finding(&ran, "the bot");
    assert_eq!(
        (&bot["state"], &bot["found"]),
        (&"wrong".into(), &"speech.base_url is not set".into())
    );
}
