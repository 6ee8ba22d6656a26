//! Slash commands as an app's manifest has them: <https://docs.slack.dev/reference/app-manifest>. Slack has no call that sets
//! them alone; whoever runs the app pastes them.
//!
//! Slack takes at most 50, whose names have up to 32 characters with the slash, small letters and no white space, and refuses
//! the whole list where one is its own. What does not fit stands behind [`CATCH_ALL`]: `/foldback status`.

use crate::menu::MenuCommand;
use std::fmt::Write as _;

/// Most commands of an app.
const MOST: usize = 50;
/// Most characters of a name, with its slash; of a description; of a hint.
const NAME: usize = 32;
const ABOUT: usize = 2_000;
const HINT: usize = 1_000;

/// The command that has every other one as its text.
const CATCH_ALL: &str = "foldback";

/// Names that are Slack's own: <https://slack.com/help/articles/201259356-Slash-commands-in-Slack>, and those that it refused
/// in manifests.
const RESERVED: &[&str] = &[
    "active",
    "apps",
    "archive",
    "away",
    "call",
    "close",
    "collapse",
    "dm",
    "dnd",
    "expand",
    "feed",
    "feedback",
    "invite",
    "join",
    "kick",
    "leave",
    "me",
    "msg",
    "mute",
    "open",
    "part",
    "prefs",
    "pro",
    "remind",
    "remove",
    "rename",
    "search",
    "shortcuts",
    "shrug",
    "star",
    "status",
    "topic",
    "unarchive",
    "who",
];

/// True where a command can have its own name on Slack.
fn has_own_name(command: &MenuCommand) -> bool {
    let name = &command.name;
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    !name.is_empty()
        && name.len() < NAME
        && name.chars().all(is_plain)
        && name != CATCH_ALL
        && !RESERVED.contains(&name.as_str())
}

/// The part of a manifest with these commands, as YAML. `url` is the public address of the app's events where those come as
/// webhooks; in Socket Mode there is none.
pub fn slack_manifest(commands: &[MenuCommand], url: Option<&str>) -> String {
    let all = MenuCommand {
        name: CATCH_ALL.to_owned(),
        about: "Has the bot do the command that stands behind it.".to_owned(),
        words: "help | status | …".to_owned(),
    };
    let own = commands.iter().filter(|command| has_own_name(command));
    let mut text = "features:\n  slash_commands:\n".to_owned();
    for command in [&all].into_iter().chain(own).take(MOST) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    - command: /{}", command.name);
        if let Some(url) = url {
            let _ = writeln!(text, "      url: {}", quoted(url));
        }
        let _ = writeln!(
            text,
            "      description: {}",
            quoted(&command.about_within(ABOUT))
        );
        if command.takes_words() {
            let hint: String = command.words.chars().take(HINT).collect();
            let _ = writeln!(text, "      usage_hint: {}", quoted(&hint));
        }
        text.push_str("      should_escape: false\n");
    }
    text
}

/// A scalar of YAML, which takes strings as JSON has them.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn command(name: &str, words: &str) -> MenuCommand {
        MenuCommand {
            name: name.to_owned(),
            about: "Says \"hi\": #1.".to_owned(),
            words: words.to_owned(),
        }
    }

    fn listed(commands: &[MenuCommand], url: Option<&str>) -> Vec<Value> {
        let read: Value = serde_saphyr::from_str(&slack_manifest(commands, url)).unwrap();
        read["features"]["slash_commands"].as_array().unwrap().clone()
    }

    #[test]
    fn what_slack_refuses_stands_behind_the_bots_own_command() {
        let longest = "a".repeat(NAME - 1);
        let names = [
            "send",
            "status",
            &"a".repeat(NAME),
            &longest,
            "my_own",
            "foldback",
            "Ü",
        ];
        let commands = names.map(|name| command(name, ""));
        let listed = listed(&commands, None);
        let names: Vec<_> = listed
            .iter()
            .map(|one| one["command"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["/foldback", "/send", &format!("/{longest}"), "/my_own"]);
        assert!(names.iter().all(|name| name.chars().count() <= NAME));
    }

    #[test]
    fn there_are_at_most_50() {
        let many: Vec<_> = (0..80).map(|number| command(&format!("c{number}"), "")).collect();
        assert_eq!(listed(&many, None).len(), MOST);
    }

    #[test]
    fn each_has_its_words_and_with_webhooks_the_address() {
        let commands = [command("send", "on | off"), command("stop", "")];
        for url in [None, Some("https://bot.example.org/slack")] {
            let listed = listed(&commands, url);
            assert_eq!(listed[1]["description"], "Says \"hi\": #1.");
            assert_eq!(listed[1]["usage_hint"], "on | off");
            assert_eq!(listed[2].get("usage_hint"), None);
            assert_eq!(listed[2]["should_escape"], false);
            for one in listed {
                assert_eq!(one.get("url").and_then(Value::as_str), url);
            }
        }
    }
}
