//! Taking what came as the expectation: rewrites the `expect:` part of a fixture's text and nothing else.

use crate::{
    ends::{End, Thing},
    fixture::{Effect, Fixture},
};
use foldback_wire::{Code, Platform};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::fmt::Write;

/// What came on one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Came {
    /// The channel.
    pub platform: Platform,
    /// What is there in the end.
    pub ends: Vec<End>,
    /// Codes of all findings, in order.
    pub codes: Vec<Code>,
}

/// The text of a fixture with its expectations replaced by what came on its channels.
pub fn updated(text: &str, fixture: &Fixture, came: &[Came]) -> String {
    let block = block(fixture, came);
    let (start, end) = place(text);
    let mut updated = text[..start].to_owned();
    if !updated.is_empty() && !updated.ends_with('\n') {
        updated.push('\n');
    }
    updated.push_str(&block);
    updated.push_str(&text[end..]);
    updated
}

/// Bytes of the `expect:` part; the end of the text when there is none. Comments and blank lines before the
/// next key belong to that key.
fn place(text: &str) -> (usize, usize) {
    let mut start = None;
    let mut end = text.len();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let outside = !line.starts_with([' ', '\t', '-', '\n', '\r']);
        match start {
            None if line.starts_with("expect:") => {
                start = Some(at);
                end = at + line.len();
            }
            Some(_) if outside => break,
            Some(_) if !line.trim().is_empty() => end = at + line.len(),
            _ => {}
        }
        at += line.len();
    }
    start.map_or((text.len(), text.len()), |start| (start, end))
}

/// The `expect:` part: what came on every channel once, with the channels it did not come on.
fn block(fixture: &Fixture, came: &[Came]) -> String {
    let mut merged: Vec<(String, Vec<Platform>)> = Vec::new();
    for Came {
        platform,
        ends,
        codes,
    } in came
    {
        let mut lines: Vec<String> = ends.iter().map(expectation).collect();
        let named = fixture
            .expect
            .iter()
            .any(|e| matches!(e.effect, Effect::Diagnostics(_)));
        if named || !codes.is_empty() {
            let codes: Vec<&str> = codes.iter().map(|code| code.code()).collect();
            lines.push(format!("diagnostics: [{}]", codes.join(", ")));
        }
        merge(&mut merged, &lines, *platform);
    }
    if merged.is_empty() {
        return "expect: []\n".to_owned();
    }
    let mut block = "expect:\n".to_owned();
    for (line, platforms) in merged {
        let absent: Vec<Platform> = came
            .iter()
            .map(|c| c.platform)
            .filter(|p| !platforms.contains(p))
            .collect();
        let list = |platforms: &[Platform]| {
            platforms
                .iter()
                .map(Platform::code)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let _ = if absent.is_empty() {
            writeln!(block, "  - {line}")
        } else if absent.len() <= platforms.len() {
            writeln!(block, "  - {line}\n    unless: [{}]", list(&absent))
        } else {
            writeln!(block, "  - {line}\n    only: [{}]", list(&platforms))
        };
    }
    block
}

/// Merges the lines of one channel into those of the channels before it, keeping both orders.
fn merge(merged: &mut Vec<(String, Vec<Platform>)>, lines: &[String], platform: Platform) {
    let before: Vec<String> = merged.iter().map(|(line, _)| line.clone()).collect();
    let mut old = std::mem::take(merged).into_iter();
    for op in capture_diff_slices(Algorithm::Myers, &before, lines) {
        let (_, old_range, new_range) = op.as_tag_tuple();
        match op {
            DiffOp::Equal { .. } => {
                merged.extend(old.by_ref().take(old_range.len()).map(|(line, mut platforms)| {
                    platforms.push(platform);
                    (line, platforms)
                }));
            }
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                merged.extend(old.by_ref().take(old_range.len()));
                merged.extend(lines[new_range].iter().map(|line| (line.clone(), vec![platform])));
            }
        }
    }
}

/// One expectation, with its channel where that is another one than the run's own.
fn expectation(end: &End) -> String {
    let effect = effect(&end.thing);
    match &end.channel {
        Some(channel) => format!("{effect}\n    channel: {channel}"),
        None => effect,
    }
}

/// One effect in YAML's flow style. A JSON string is a YAML string.
fn effect(thing: &Thing) -> String {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let (name, fields) = match thing {
        Thing::Send {
            text: said, reply_to, ..
        } => (
            "send",
            vec![
                ("text", Some(text(said))),
                ("reply_to", reply_to.as_ref().map(|id| text(id.as_str()))),
            ],
        ),
        Thing::React { emoji, message, .. } => (
            "react",
            vec![
                ("emoji", Some(text(emoji))),
                ("message", message.as_ref().map(|id| text(id.as_str()))),
            ],
        ),
        Thing::File {
            path,
            kind,
            caption,
            reply_to,
        } => (
            "file",
            vec![
                ("path", Some(text(path))),
                ("kind", kind.map(|kind| kind.to_string())),
                ("caption", caption.as_deref().map(text)),
                ("reply_to", reply_to.as_ref().map(|id| text(id.as_str()))),
            ],
        ),
        Thing::Voice { text: said } => ("voice", vec![("text", Some(text(said)))]),
    };
    let given: Vec<String> = fields
        .into_iter()
        .filter_map(|(key, value)| value.map(|value| format!("{key}: {value}")))
        .collect();
    format!("{name}: {{{}}}", given.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare;
    use foldback_channels::platform;
    use std::path::Path;

    const TEXT: &str = "name: x\nchannel: [telegram, signal]\nexpect:\n- send: {text: old}\n\n- send: {text: older}\n\n# why\nsteps:\n  - user: {text: hi}\n";

    fn came(platform: Platform, things: &[&str]) -> Came {
        let thing = |text: &&str| match text.strip_prefix('!') {
            Some(emoji) => Thing::React {
                emoji: emoji.to_owned(),
                emoji_sent: None,
                message: Some("m1".into()),
            },
            None => Thing::Send {
                message: None,
                text: (*text).to_owned(),
                reply_to: None,
            },
        };
        let ends = things
            .iter()
            .enumerate()
            .map(|(shown, text)| End {
                thing: thing(text),
                channel: None,
                shown,
            })
            .collect();
        Came {
            platform,
            ends,
            codes: Vec::new(),
        }
    }

    #[test]
    fn only_the_expectations_change_and_they_hold_afterwards() {
        let fixture = crate::fixture::parse(Path::new("x.yaml"), TEXT).unwrap();
        let all = [
            came(platform::TELEGRAM, &["!👍", "a \"b\"\n: c", "tail"]),
            came(platform::SIGNAL, &["a \"b\"\n: c", "tail", "more"]),
        ];
        let text = updated(TEXT, &fixture, &all);
        assert!(
            text.starts_with("name: x\nchannel: [telegram, signal]\nexpect:\n  - react:"),
            "{text}"
        );
        assert!(
            text.ends_with("\n\n# why\nsteps:\n  - user: {text: hi}\n"),
            "{text}"
        );
        let fixture = crate::fixture::parse(Path::new("x.yaml"), &text).unwrap();
        for Came {
            platform,
            ends,
            codes,
        } in &all
        {
            assert_eq!(compare(&fixture.expect, *platform, ends, codes), [], "{text}");
        }
    }

    #[test]
    fn expectations_are_added_where_there_were_none() {
        let text = "name: x\nchannel: slack\nsteps: [{wait_ms: 1}]";
        let fixture = crate::fixture::parse(Path::new("x.yaml"), text).unwrap();
        let updated = updated(text, &fixture, &[came(platform::SLACK, &["a"])]);
        assert_eq!(
            updated,
            "name: x\nchannel: slack\nsteps: [{wait_ms: 1}]\nexpect:\n  - send: {text: \"a\"}\n"
        );
    }
}
