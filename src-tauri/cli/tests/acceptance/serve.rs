//! `foldback serve`: the bot without a window.

use crate::bot::{Home, PROGRAM, arg, is, place};
use serde_json::{Value, json};
use std::{fs, time::Duration};

const LOOPBACK: &str = "[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n";

#[test]
fn the_embedded_default_plays_its_demonstration_and_sigterm_ends_it_in_order() {
    let home = Home::new();
    let mut bot = home.serve(&["--events"]);
    let first = bot.until(|_| true);
    assert!(is("started")(&bot.seen[first]), "{:?}", bot.seen);
    bot.until(is("turn_ended"));
    for kind in ["received", "held", "directive", "decided", "intended", "ended"] {
        place(&bot.seen, is(kind));
    }
    assert_eq!(bot.term(), 0);
    assert!(is("stopped")(bot.seen.last().unwrap()), "{:?}", bot.seen.last());

    let seqs: Vec<u64> = bot
        .seen
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(
        seqs,
        (1..=seqs.len() as u64).collect::<Vec<_>>(),
        "every event once, in order"
    );
    assert_eq!(
        home.journal(""),
        bot.seen,
        "what was printed is what is in the journal"
    );
}

#[test]
fn after_an_end_in_order_the_file_alone_is_the_whole_journal() {
    for signal in ["TERM", "INT"] {
        let home = Home::new();
        let mut bot = home.serve(&["--events"]);
        bot.until(is("turn_ended"));
        bot.signal(signal);
        assert_eq!(bot.end(), 0);
        let log = std::fs::metadata(home.path("data/journal.sqlite-wal")).map_or(0, |file| file.len());
        assert_eq!(log, 0, "SIG{signal}");
        let copy = home.path("copy.sqlite");
        std::fs::copy(home.path("data/journal.sqlite"), &copy).unwrap();
        let ran = home.run(&["journal", "query", "--db", arg(&copy)]);
        assert_eq!(ran.lines(), bot.seen, "SIG{signal}: {}", ran.stderr);
    }
}

#[test]
fn a_later_start_prints_its_own_events_and_does_not_play_the_demonstration_again() {
    let home = Home::new();
    let mut first = home.serve(&["--events"]);
    first.until(is("received"));
    assert_eq!(first.term(), 0);
    let mut second = home.serve(&["--events"]);
    second.until(is("channel_state"));
    second.signal("INT");
    assert_eq!(second.end(), 0, "SIGINT ends it in order, too");
    assert!(is("started")(&second.seen[0]));
    assert!(!second.seen.iter().any(is("received")), "{:#?}", second.seen);
}

#[test]
fn a_reader_that_goes_away_ends_it_in_order() {
    let home = Home::with(LOOPBACK);
    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    // The reader notices with the next line that is printed after it went.
    bot.order(&json!({"command": "status"}));
    let code = {
        let mut bot = bot;
        for _ in 0..200 {
            bot.order(&json!({"command": "channel_switch", "args": {"channel": "slack", "on": false}}));
            bot.order(&json!({"command": "channel_switch", "args": {"channel": "slack", "on": true}}));
        }
        bot.deaf()
    };
    assert_eq!(code, 0);
    assert_eq!(home.journal("kind:stopped").len(), 1);
}

#[test]
fn who_starts_while_another_ends_waits_for_it() {
    let home = Home::with(LOOPBACK);
    let mut ending = home.serve(&["--events"]);
    ending.until(is("started"));
    let lock = std::fs::File::open(home.path("data/journal.sqlite.lock")).unwrap();
    assert_eq!(ending.term(), 0);
    lock.lock().unwrap();
    let mut next = home.serve(&["--events"]);
    // It has looked at least once, and found what a process that ends still holds.
    std::thread::sleep(Duration::from_millis(200));
    lock.unlock().unwrap();
    next.until(is("started"));
    assert_eq!(next.term(), 0);
}

#[test]
fn one_journal_has_one_bot() {
    let home = Home::with(LOOPBACK);
    let mut bot = home.serve(&["--events"]);
    bot.until(is("started"));
    assert!(home.path("data/outbound").is_dir(), "files can be put there");
    for args in [vec!["serve"], vec!["send", "--channel", "slack", "--text", "hi"]] {
        let ran = home.run(&args);
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(
            ran.stderr.contains("journal.sqlite is in use by another process"),
            "{}",
            ran.stderr
        );
    }
    // Whoever only reads may.
    assert_eq!(home.journal("kind:started").len(), 1);
    assert_eq!(bot.term(), 0);
}

#[test]
fn commands_of_the_window_are_obeyed_and_answered() {
    let home = Home::with(LOOPBACK);
    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    let off = json!({"id": 1, "command": "channel_switch", "args": {"channel": "slack", "on": false}});
    bot.order(&off);
    let answer = bot.until(|line| line["id"] == 1);
    assert_eq!(bot.seen[answer]["answer"]["state"], "off", "{}", bot.seen[answer]);
    bot.order(&json!({"id": "x", "command": "no_such"}));
    let answer = bot.until(|line| line["id"] == "x");
    let failure = &bot.seen[answer]["failure"];
    assert_eq!(failure["code"], "unknown_command");
    let hint = failure["hint"].as_str().unwrap();
    assert!(hint.contains("foldback schema commands"), "{hint}");
    bot.order(&json!({"commnad": "status"}));
    let answer = bot.until(|line| line.get("failure").is_some());
    assert_eq!(bot.seen[answer]["failure"]["code"], "bad_command");
    bot.order_bytes(b"{\"command\": \"stat\xffus\"}\n");
    let answer = bot.until(|line| line.get("failure").is_some());
    let failure = &bot.seen[answer]["failure"];
    assert_eq!(failure["code"], "bad_command");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("not UTF-8 at byte 17"), "{message}");
    bot.order(&json!({"id": "after", "command": "status"}));
    bot.until(|line| line["id"] == "after" && line.get("answer").is_some());
    assert_eq!(bot.term(), 0);
    let by: Vec<Value> = home.journal("kind:channel_state");
    assert!(
        by.iter()
            .any(|event| event["kind"]["to"] == "off" && event["kind"]["by"] == "cli")
    );
}

#[test]
fn an_owner_may_have_it_start_again() {
    let home = Home::with(&format!(
        "[commands]\nrestart = true\nowner_allow_from = [\"*\"]\n{LOOPBACK}"
    ));
    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    bot.order(&json!({"command": "compose_send", "args":
        {"channel": "slack", "user_text": "/restart", "agent_output": null, "dry_run": false}}));
    bot.until(is("command"));
    bot.until(is("stopped"));
    bot.until(is("started"));
    assert_eq!(bot.term(), 0);
    let ended = home.journal("kind:turn_ended");
    assert_eq!(ended.len(), 1, "it is answered once: {ended:#?}");
}

/// As a package does: it takes the file away and puts another one there.
#[test]
fn it_starts_again_as_the_program_that_took_its_place() {
    let home = Home::with(&format!(
        "[commands]\nrestart = true\nowner_allow_from = [\"*\"]\n{LOOPBACK}"
    ));
    let program = home.path("foldback");
    fs::copy(PROGRAM, &program).unwrap();
    let mut bot = home.serve_as(&program, &["--events", "--commands"]);
    bot.until(is("started"));
    fs::remove_file(&program).unwrap();
    fs::copy(PROGRAM, &program).unwrap();
    bot.order(&json!({"command": "compose_send", "args":
        {"channel": "slack", "user_text": "/restart", "agent_output": null, "dry_run": false}}));
    bot.until(is("stopped"));
    bot.until(is("started"));
    assert_eq!(bot.term(), 0);
}

#[test]
fn the_figures_begin_with_the_start() {
    let home = Home::with(LOOPBACK);
    let mut bot = home.serve(&["--commands"]);
    bot.order(&json!({"command": "status"}));
    let answer = bot.until(|line| line.get("answer").is_some());
    let since = bot.seen[answer]["answer"]["since"].as_str().unwrap().to_owned();
    assert_eq!(bot.term(), 0);
    let started = home.journal("kind:started")[0]["at"].as_str().unwrap().to_owned();
    assert!(since >= started, "{since} is before {started}");
}

#[test]
fn the_log_is_json_lines_without_message_texts() {
    let home = Home::new();
    let mut bot = home.serve(&["--events"]);
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    let log = home.log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        lines
            .iter()
            .any(|line| line["message"].as_str().unwrap().starts_with("ended"))
    );
    let received = home.journal("kind:received");
    for event in &received {
        let text = event["kind"]["message"]["text"].as_str().unwrap();
        assert!(!log.contains(text), "{log}");
    }
}

/// A port that nothing listens at is refused at once, and tried again.
#[test]
fn the_log_says_once_that_a_channel_connects_and_that_another_fails_and_why() {
    let home = Home::with(&format!(
        "{LOOPBACK}[channels.telegram]\ntoken = {{ env = \"TELEGRAM_TOKEN\" }}\n\
         api_root = \"http://127.0.0.1:1\"\nallow_from = [\"*\"]\n"
    ));
    let mut bot = home.serve_with(&["--events"], &[("TELEGRAM_TOKEN", "4711:abcdefgh")]);
    let down = |line: &Value| is("channel_state")(line) && line["kind"]["to"] == "down";
    bot.until(down);
    bot.until(down);
    assert_eq!(bot.term(), 0);
    let log = home.log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let said = |words: &str| {
        let of = |line: &&Value| line["message"].as_str().unwrap().starts_with(words);
        lines.iter().filter(of).count()
    };
    assert_eq!(said("channel slack is connected"), 1, "{log}");
    assert_eq!(
        said("channel telegram is connecting: enabled in the configuration"),
        1,
        "{log}"
    );
    assert_eq!(
        said("channel telegram is not connected: cannot reach http://127.0.0.1:1"),
        1,
        "{log}"
    );
}

#[test]
fn levels_come_from_the_configuration_and_from_the_environment() {
    let home = Home::with(&format!("{LOOPBACK}[log]\nlevel = \"off\"\n"));
    let mut bot = home.serve(&["--events"]);
    bot.until(is("started"));
    assert_eq!(bot.term(), 0);
    assert_eq!(home.log(), "");
    let mut command = home.command(&["serve"]);
    let ran = crate::foldback::run(
        {
            command.env("RUST_LOG", "foldback=loud");
            command
        },
        "",
    );
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("RUST_LOG"), "{}", ran.stderr);
}

#[test]
fn a_wrong_configuration_is_named_with_its_line_and_field() {
    let home = Home::with("[agent]\nbackend = \"opnai\"\n");
    let ran = home.run(&["serve"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("foldback.toml:2:11: agent.backend")
            && ran.stderr.contains("did you mean `openai`?"),
        "{}",
        ran.stderr
    );
    let ran = Home::with("[channels.telegram]\n").run(&["serve"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("channels.telegram"), "{}", ran.stderr);
}

#[test]
fn a_full_journal_ends_it_with_what_to_do_and_keeps_what_was_confirmed() {
    let home = Home::with(&format!("{LOOPBACK}[store]\nmax_size = \"300KB\"\n"));
    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    let order = json!({"command": "compose_send", "args":
        {"channel": "slack", "user_text": "x".repeat(60_000), "agent_output": "y".repeat(60_000)}});
    for _ in 0..8 {
        bot.order(&order);
    }
    assert_eq!(bot.end(), 2);
    let log = home.log();
    assert!(log.contains("there is no room left for the journal"), "{log}");
    let kept = home.journal("");
    bot.seen.retain(|line| line["seq"].is_u64());
    assert!(bot.seen.len() > 3, "{:#?}", bot.seen.len());
    assert!(kept.starts_with(&bot.seen), "what was printed is in the journal");

    let ran = home.send("slack", "hi", &"z".repeat(200_000));
    assert_eq!(ran.code, 2, "it does not wait for an end that cannot come");
    assert!(
        ran.stderr.contains("there is no room left for the journal"),
        "{}",
        ran.stderr
    );
}
