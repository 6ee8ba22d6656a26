//! `foldback why`: the first gate that said no, in words.

use crate::bot::{Home, arg, is};
use serde_json::json;
use std::path::PathBuf;

#[test]
fn names_the_gate_and_the_setting_for_a_message_without_an_answer() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\narmed = true\n");
    home.run(&["send", "--channel", "slack", "--text", "hi"]);
    let message = home.journal("kind:received")[0]["kind"]["message"]["message"].clone();
    for about in ["1", "#1", message.as_str().unwrap()] {
        let ran = home.run(&["why", about]);
        assert_eq!(ran.code, 0, "{about}: {}", ran.stderr);
        let answer = ran.stdout.lines().next().unwrap();
        assert!(
            answer.starts_with("#1 ")
                && answer.ends_with(" may not write here: channels.slack.allow_from is empty."),
            "{about}: {}",
            ran.stdout
        );
        assert_eq!(
            ran.stdout.lines().filter(|line| line.contains('✗')).count(),
            1,
            "{}",
            ran.stdout
        );
    }
    let json = home.run(&["why", "1", "--format", "json"]).json();
    assert_eq!(json["turn"], 1);
    assert!(
        json["steps"]
            .as_array()
            .unwrap()
            .iter()
            .any(|step| step["no"] == true)
    );
}

#[test]
fn what_is_not_there_is_said() {
    let home = Home::new();
    let ran = home.run(&["why", "1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("there is no journal"), "{}", ran.stderr);
    home.run(&[
        "send",
        "--channel",
        "slack",
        "--text",
        "hi",
        "--agent-output",
        "-",
    ]);
    let ran = home.run(&["why", "4711"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`4711`"), "{}", ran.stderr);
}

/// The scanner holds the blank behind "Hi" as long as the agent goes on; once the bot is killed, that is no reason.
#[test]
fn a_turn_whose_bot_was_killed_does_not_run_any_more() {
    let home = Home::with(
        "[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n[queue]\nmode = \"followup\"\n[agent.script]\nfile = \"script.yaml\"\n",
    );
    home.write("script.yaml", "- agent: [\"Hi \", {stall_ms: 3600000}]\n");
    let mut bot = home.serve(&["--events", "--commands"]);
    bot.order(&json!({"command": "compose_send", "args": {"channel": "slack", "user_text": "one"}}));
    bot.until(is("held"));
    bot.order(&json!({"command": "compose_send", "args": {"channel": "slack", "user_text": "two"}}));
    bot.until(is("queued"));
    bot.ask_all();
    let why = |turn: &str| {
        let ran = home.run(&["why", turn]);
        ran.stdout.lines().next().unwrap().to_owned()
    };
    assert!(why("1").starts_with("#1 Still running: "), "{}", why("1"));
    bot.signal("KILL");
    drop(bot);
    assert_eq!(
        why("1"),
        "#1 Not done: Foldback was stopped or killed during this turn; the next start closes it."
    );
    assert_eq!(
        why("2"),
        "#2 Not done: Foldback was stopped or killed during this turn; the next start goes on with it."
    );
    assert!(!home.run(&["why", "1"]).stdout.contains("are held"));
}

/// The queue's cap is 1, by the configuration.
#[test]
fn a_gate_is_told_with_its_inputs_its_setting_and_what_changes_it() {
    let home = Home::new();
    let fixture = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/delivery/queue-cap.yaml");
    let db = home.path("played.sqlite");
    let ran = home.run(&["replay", "--channel", "telegram", "--db", arg(&db), arg(&fixture)]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = home.run(&["why", "3", "--db", arg(&db)]);
    let lines: Vec<_> = ran.stdout.lines().map(str::trim).collect();
    for line in [
        "inputs    waiting = 1",
        "setting   queue.cap (global)",
        "change    Write it again when fewer than 1 wait, set queue.cap to more than 1, or queue.drop to old or summarize.",
    ] {
        assert!(lines.contains(&line), "{line}: {}", ran.stdout);
    }
    assert!(
        lines[0].starts_with("#3 No answer: 1 message waits"),
        "{}",
        lines[0]
    );
}
