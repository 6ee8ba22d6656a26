//! `foldback queue`: what waited over a stop for too long is told in every place, and decided about in a terminal.

use crate::bot::{Bot, Home, arg, is};
use serde_json::{Value, json};

const CONFIG: &str = "[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n\
    [channels.signal]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n\
    [queue]\nmode = \"followup\"\n[outbox]\nmax_age = \"1ms\"\n[agent.script]\nfile = \"script.yaml\"\n";
const STALLS: &str = "- agent:\n    - stall_ms: 3600000\n";

/// A bot killed while each channel has a message that is answered and one that waits behind it.
fn killed() -> Home {
    let home = Home::with(CONFIG);
    home.write("script.yaml", STALLS);
    let mut bot = home.serve(&["--events", "--commands"]);
    for channel in ["slack", "signal"] {
        for (text, came) in [("one", "run_started"), ("two", "queued")] {
            bot.order(&json!({"command": "compose_send", "args": {"channel": channel, "user_text": text}}));
            bot.until(is(came));
        }
    }
    bot.signal("KILL");
    drop(bot);
    home.write("script.yaml", "- agent: [\"Here.\"]\n");
    home
}

fn held(home: &Home) -> Vec<(String, u64)> {
    let held = home.run(&["queue", "held", "--format", "json"]).json();
    let of = |held: &Value| {
        assert!(held["oldest"].is_string() && held["deliveries"] == 0, "{held}");
        (
            held["channel"].as_str().unwrap().to_owned(),
            held["messages"].as_u64().unwrap(),
        )
    };
    held.as_array().unwrap().iter().map(of).collect()
}

fn doctor(home: &Home) -> Value {
    let ran = home.run(&["doctor", "--format", "json"]);
    let lines = ran.lines();
    lines
        .iter()
        .find(|line| line["about"] == "consent")
        .unwrap()
        .clone()
}

fn ends(bot: &mut Bot) -> Value {
    let end = bot.until(|line| is("turn_ended")(line) && line["channel"] != Value::Null);
    bot.seen[end]["kind"]["terminal"].clone()
}

#[test]
fn what_waited_too_long_is_told_in_the_log_and_by_doctor_and_decided_by_channel() {
    let home = killed();
    let both = [("signal".to_owned(), 1), ("slack".to_owned(), 1)];
    assert_eq!(
        held(&home),
        both,
        "the journal tells what the next start asks about"
    );
    let db = home.path("data/journal.sqlite");
    for args in [
        ["queue", "--db", arg(&db), "held"],
        ["queue", "held", "--db", arg(&db)],
    ] {
        assert!(
            home.run(&args).stdout.starts_with("signal  1 message"),
            "{args:?}"
        );
    }
    for order in ["release", "drop"] {
        let early = home.run(&["queue", order, "slack"]);
        assert_eq!(early.code, 2);
        for words in [
            "No bot runs on",
            "only a running one can release or drop what waits",
            "foldback queue held",
        ] {
            assert!(early.stderr.contains(words), "{}", early.stderr);
        }
    }

    let mut bot = home.serve(&["--events"]);
    for _ in 0..2 {
        // Those that were running are closed.
        assert_eq!(ends(&mut bot)["state"], "failed");
    }
    assert_eq!(held(&home), both);
    let found = doctor(&home);
    assert_eq!(found["state"], "note", "{found}");
    let words = found["found"].as_str().unwrap();
    assert!(
        words.starts_with("1 message on signal, the oldest since 2"),
        "{words}"
    );
    assert!(
        found["todo"].as_str().unwrap().contains("foldback queue release"),
        "{found}"
    );
    let log = home.log();
    let told = log.lines().filter(|line| {
        line.contains("1 message on signal, 1 message on slack waited too long")
            && line.contains(" release CHANNEL`")
    });
    assert_eq!(told.count(), 1, "{log}");

    let none = home.run(&["queue", "release", "teams"]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("no channel teams"), "{}", none.stderr);
    let left = home.run(&["queue", "release", "slack"]).stdout;
    assert!(
        left.starts_with("signal  1 message, the oldest since 2"),
        "{left}"
    );
    assert_eq!(ends(&mut bot), json!({"state": "replied"}));
    let left = home.run(&["queue", "drop", "signal"]).stdout;
    assert_eq!(left, "Nothing waits for a person's consent.\n");
    assert_eq!(ends(&mut bot)["state"], "dropped");
    let settled = bot.seen.iter().filter(|line| is("held_settled")(line));
    assert!(settled.clone().all(|line| line["kind"]["by"] == "cli") && settled.count() == 2);
    assert_eq!(doctor(&home)["state"], "fine");
    assert_eq!(bot.term(), 0);
    assert_eq!(held(&home), []);
}

#[test]
fn the_lab_draws_what_the_queue_makes_of_messages() {
    let home = Home::new();
    let lab = [
        "queue", "lab", "--mode", "followup", "--cap", "1", "--drop", "new",
    ];
    let messages = ["0s:one", "500ms:bob:two", "1s:three"];
    let ran = home.run(&[&lab[..], &messages].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert!(
        lines[0].contains('█') && lines[0].ends_with("replied  one"),
        "{}",
        ran.stdout
    );
    assert!(
        lines[1].contains("·") && lines[1].ends_with("replied  two"),
        "{}",
        ran.stdout
    );
    assert!(lines[2].ends_with("blocked(queue_full)  three"), "{}", ran.stdout);
    assert!(ran.stdout.contains("#2 bob: two"), "{}", ran.stdout);
    let json = home
        .run(&[&lab[..], &["--format", "json"], &messages].concat())
        .json();
    assert_eq!(json["turns"][2]["terminal"]["gate"], "queue_full");
    let ran = home.run(&["queue", "lab", "--mode", "fifo", "0s:one"]);
    assert_eq!(ran.code, 2);
}
