//! `foldback schema`: what editors and scripts check against.

use crate::foldback::foldback;
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
