//! `foldback schema`: what editors and scripts check against.

use crate::{bot::Home, foldback::foldback};
use serde_json::Value;

fn schema(of: &str) -> Value {
    let ran = foldback(&["schema", of], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let schema = ran.json();
    assert!(schema["$schema"].as_str().unwrap().contains("json-schema.org"));
    schema
}

#[test]
fn a_fixture_has_steps_and_nothing_unknown() {
    let schema = schema("fixture");
    assert!(schema["properties"]["steps"].is_object());
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn a_script_is_a_list_of_rules_and_the_documented_one_is_taken() {
    let schema = schema("script");
    assert_eq!(schema["type"], "array");
    let rule = schema.pointer("/$defs/Rule").expect("a rule");
    assert!(rule["properties"]["when"].is_object() && rule["properties"]["agent"].is_object());

    let page = include_str!("../../../../docs/agents.md");
    let (_, script) = page.split_once("# answers.yaml\n").unwrap();
    let (script, _) = script.split_once("```").unwrap();
    let home = Home::with(
        "[agent.script]\nfile = \"answers.yaml\"\n[channels.slack]\nallow_from = [\"*\"]\nkind = \"loopback\"\narmed = true\n",
    );
    home.write("answers.yaml", script);
    for (text, answer) in [
        ("hello", "you wrote “hello”."),
        ("what?", "I did not understand."),
    ] {
        let ran = home.run(&["send", "--channel", "slack", "--text", text]);
        assert!(ran.stdout.contains(answer), "{} {}", ran.stdout, ran.stderr);
    }
}

#[test]
fn the_configuration_has_every_table() {
    let schema = schema("config");
    for table in [
        "agent", "channels", "output", "files", "session", "queue", "outbox", "typing", "store", "log",
    ] {
        assert!(schema["properties"][table].is_object(), "{table}");
    }
}

#[test]
fn events_have_their_types() {
    let text = schema("events").to_string();
    for kind in ["received", "held", "decided", "intended", "ended", "turn_ended"] {
        assert!(text.contains(&format!("\"const\":\"{kind}\"")), "{kind}");
    }
}

#[test]
fn another_word_is_wrong_use() {
    assert_eq!(foldback(&["schema", "event"], "").code, 2);
}

#[test]
fn commands_are_listed_with_what_they_take_and_give() {
    let ran = foldback(&["schema", "commands"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let commands = ran.json();
    let commands = commands.as_array().unwrap();
    let command = |name: &str| commands.iter().find(|c| c["command"] == name).unwrap();
    let switch = command("channel_switch");
    assert!(!switch["about"].as_str().unwrap().is_empty());
    assert_eq!(switch["args"], "{ channel: ChannelId, on: boolean, }");
    assert!(command("status")["answer"].as_str().unwrap().contains("since:"));
}
