//! `foldback deliver`: a result to the bot that runs, in each of its shapes, and chats that take nothing more.

#[cfg(unix)]
use crate::bot::is;
use crate::{bot::Home, foldback::Ran};
use serde_json::{Value, json};

const CONFIG: &str = "[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n\
    [agent.script]\nfile = \"script.yaml\"\n[deliveries]\nper_requester = 2\n";

fn home() -> Home {
    let home = Home::with(CONFIG);
    home.write("script.yaml", "- agent: [\"Half full.\"]\n");
    home
}

fn own(id: &str) -> Value {
    json!({
        "id": id,
        "origin": {"channel": "slack", "chat": "C1", "chat_type": "direct"},
        "requester": {"id": "alice", "name": "alice", "display_name": "Alice", "is_bot": false},
        "action": {"name": "bash", "command": "df -h"},
        "outcome": "output",
        "items": [{"label": "stdout", "text": "/dev/sda1 53%\n", "exit": 0}],
    })
}

fn deliver(home: &Home, request: &str, more: &[&str]) -> Ran {
    let file = home.write("request.json", request);
    home.run(&[&["deliver", file.to_str().unwrap()], more].concat())
}

/// The exit code, and what is printed, as JSON.
#[cfg(unix)]
fn delivered(home: &Home, request: &Value) -> (i32, Value) {
    let ran = deliver(home, &request.to_string(), &["--json"]);
    (ran.code, ran.json())
}

#[test]
fn without_a_bot_and_without_a_request_it_is_wrong_use() {
    let home = home();
    let ran = deliver(&home, &own("d1").to_string(), &[]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("only a running one takes deliveries"),
        "{}",
        ran.stderr
    );
    let ran = deliver(&home, "{\"output\":\n  ]", &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("request.json:2:3"), "{}", ran.stderr);
    let ran = home.run(&["deliver", "--revive", "slack"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("CHANNEL:CHAT"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn a_result_is_accepted_once_and_refused_beyond_its_budget() {
    let home = home();
    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    let (code, answer) = delivered(&home, &own("d1"));
    assert_eq!((code, &answer["state"]), (0, &json!("accepted")), "{answer}");
    assert_eq!((&answer["id"], &answer["before"]), (&json!("d1"), &json!(false)));
    let due = bot.until(is("delivery_due"));
    let event = bot.seen[due].clone();
    assert_eq!(
        (&event["turn"], &event["kind"]["id"]),
        (&answer["turn"], &json!("d1"))
    );
    let ended = bot.until(is("turn_ended"));
    assert_eq!(bot.seen[ended]["kind"]["terminal"]["state"], "replied");

    let (code, again) = delivered(&home, &own("d1"));
    assert_eq!(
        (code, &again["before"], &again["turn"]),
        (0, &json!(true), &answer["turn"])
    );

    // A script of the ancestor.
    let old = json!({
        "output": "/dev/sda1 54%", "action_type": "bash", "command": "df -h",
        "original_context": {"chat_id": "C1", "interface_name": "slack"}, "requester": {"id": "alice"},
    });
    let (code, old) = delivered(&home, &old);
    assert_eq!((code, &old["state"]), (0, &json!("accepted")), "{old}");

    let (code, refused) = delivered(&home, &own("d3"));
    assert_eq!((code, &refused["state"]), (1, &json!("refused")), "{refused}");
    assert_eq!(refused["reason"], "requester_budget");
    let ran = deliver(&home, &own("d4").to_string(), &[]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.starts_with("refused: ") && ran.stdout.contains("deliveries.per_requester"),
        "{}",
        ran.stdout
    );

    let ran = deliver(&home, "{\"output\": \"x\"}", &[]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("This is no delivery request: too little is given"),
        "{}",
        ran.stderr
    );

    let dead = home.run(&["deliver", "--dead"]);
    assert_eq!(
        (dead.code, dead.stdout.as_str()),
        (0, "Every chat takes deliveries.\n")
    );
    let ran = home.run(&["deliver", "--revive", "slack:C1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("are accepted already"), "{}", ran.stderr);
    assert_eq!(bot.term(), 0);
}
