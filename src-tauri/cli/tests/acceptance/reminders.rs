//! `foldback reminders`: listed with and without a bot that runs, and cancelled.

use crate::bot::{Home, is};
use serde_json::{Value, json};

const CONFIG: &str = "[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n\
    [output]\ndialects = [\"actions\", \"json\"]\n[actions.event]\nenabled = true\nzone = \"Europe/Berlin\"\n";

fn home() -> Home {
    Home::with(CONFIG)
}

fn listed(home: &Home, args: &[&str]) -> Vec<Value> {
    let ran = home.run(&[&["reminders"], args, &["--json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.json().as_array().unwrap().clone()
}

/// The order of a console that has the agent set a reminder.
fn sets(id: u32) -> Value {
    let action = json!({"actions": [{"type": "event",
        "payload": {"description": "Call Bob", "date": "2097-01-31", "repeat": "monthly"}}]});
    let args = json!({"channel": "slack", "user_text": "remind me", "agent_output": action.to_string()});
    json!({"id": id, "command": "compose_send", "args": args})
}

#[test]
fn without_any_it_says_how_there_is_one() {
    let told = home().run(&["reminders"]).stdout;
    assert!(told.starts_with("There are no reminders."), "{told}");
}

#[cfg(unix)]
#[test]
fn what_an_agent_set_is_listed_over_an_end_and_cancelled_in_the_bot_that_runs() {
    let home = home();
    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    bot.order(&sets(1));
    bot.until(is("reminder_set"));
    assert_eq!(bot.term(), 0);

    let lines = listed(&home, &[]);
    assert_eq!(lines.len(), 1, "the journal tells of it without a bot");
    assert_eq!(
        (&lines[0]["text"], &lines[0]["rule"], &lines[0]["next"]),
        (
            &json!("Call Bob"),
            &json!("every month on the 31st or the last day at 09:00"),
            &json!("2097-01-31T08:00:00.000Z")
        )
    );
    let refused = home.run(&["reminders", "cancel", "1"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("No bot runs on"), "{}", refused.stderr);
    let told = home.run(&["events"]).stdout;
    assert!(told.contains("1  next 2097-01-31T08:00:00.000Z"), "{told}");

    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    let cancelled = home.run(&["reminders", "cancel", "1"]);
    assert_eq!(
        cancelled.stdout, "Cancelled reminder 1.\n",
        "{}",
        cancelled.stderr
    );
    assert_eq!(listed(&home, &[]), [Value::Null; 0]);
    let told = bot.until(is("reminder_cancelled"));
    assert_eq!(bot.seen[told]["kind"]["by"], json!("cli"));
    let again = home.run(&["reminders", "cancel", "1"]);
    assert!(
        again.stderr.contains("There is no reminder 1."),
        "{}",
        again.stderr
    );
    assert_eq!(bot.term(), 0);
}
