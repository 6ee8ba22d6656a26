//! `foldback schema`: what editors and scripts check against.

use crate::{
    bot::{Home, arg},
    foldback::foldback,
};
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

/// The commands of a manifest, as Slack reads them.
fn slash_commands(yaml: &str) -> Vec<Value> {
    let read: Value = serde_saphyr::from_str(yaml).unwrap();
    read["features"]["slash_commands"].as_array().unwrap().clone()
}

/// The limits are those of <https://docs.slack.dev/reference/app-manifest>; that a name has small letters and no white space, of
/// <https://docs.slack.dev/interactivity/implementing-slash-commands>.
#[test]
fn every_slash_command_is_one_that_slack_takes() {
    let home = Home::with(
        "[commands]\nbash = true\nrestart = true\n[commands.custom.standup]\nabout = \"Asks: \\\"the\\\" standup.\"\n\
         prompt = \"Write {{args}}\"\n",
    );
    let file = home.path("foldback.toml");
    for url in [None, Some("https://bot.example.org/slack")] {
        let mut words = vec!["schema", "slack-manifest", "--config", arg(&file)];
        words.extend(url.into_iter().flat_map(|url| ["--url", url]));
        let ran = home.run(&words);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let commands = slash_commands(&ran.stdout);
        assert!(commands.len() <= 50, "{}", commands.len());
        let mut names = std::collections::BTreeSet::new();
        for command in &commands {
            let name = command["command"].as_str().unwrap();
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(name.starts_with('/') && name[1..].chars().all(is_plain), "{name}");
            assert!((2..=32).contains(&name.len()), "{name}");
            assert!(names.insert(name), "{name} stands there twice");
            assert!((1..=2_000).contains(&command["description"].as_str().unwrap().chars().count()));
            let hint = command
                .get("usage_hint")
                .map_or(1, |hint| hint.as_str().unwrap().chars().count());
            assert!((1..=1_000).contains(&hint), "{name}");
            assert_eq!(command.get("url").and_then(Value::as_str), url, "{name}");
            assert_eq!(command["should_escape"], false);
        }
        for name in ["/foldback", "/send", "/bash", "/think", "/standup"] {
            assert!(names.contains(name), "{name}");
        }
        // Slack's own, which would have it refuse the whole list.
        assert!(!names.contains("/status"));
        let standup = commands.iter().find(|one| one["command"] == "/standup").unwrap();
        assert_eq!(standup["description"], "Asks: \"the\" standup.");
    }
}

#[test]
fn a_manifest_needs_an_https_address_and_commands() {
    let home = Home::with("[commands]\nenabled = false\n");
    let none = home.run(&["schema", "slack-manifest"]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("commands.enabled"), "{}", none.stderr);
    let plain = foldback(&["schema", "slack-manifest", "--url", "http://example.org"], "");
    assert_eq!(plain.code, 2);
    assert!(plain.stderr.contains("https://"), "{}", plain.stderr);
    assert_eq!(
        foldback(&["schema", "events", "--url", "https://example.org"], "").code,
        2
    );
}

/// The page shows the manifest that the program prints without a configuration of its own.
#[test]
fn the_page_of_commands_has_the_manifest() {
    let page = include_str!("../../../../docs/commands.md");
    let (_, shown) = page.split_once("```yaml\nfeatures:\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let home = Home::with("");
    let ran = home.run(&["schema", "slack-manifest"]);
    assert_eq!(ran.stdout, format!("features:\n{shown}"));
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
