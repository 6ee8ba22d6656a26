//! Expected and actual as text, a line a thing: for reports and side-by-side views.

use crate::{
    ends::{End, Thing},
    fixture::{Effect, Expectation, FileEffect, ReactEffect, SendEffect, VoiceEffect},
};
use foldback_wire::{ChannelId, Platform, rpc::Comparison};
use std::fmt::Write;

/// Both sides as text, a line a thing, for a side-by-side view. An expected line names only what is compared.
pub(crate) fn side_by_side(expected: &[Expectation], platform: Platform, ends: &[End]) -> Comparison {
    let mut comparison = Comparison::default();
    for expectation in expected.iter().filter(|e| e.counts_on(platform)) {
        if !matches!(expectation.effect, Effect::Diagnostics(_)) {
            let line = expected_line(&expectation.effect);
            let channel = expectation.channel.filter(|channel| *channel != platform);
            let channel = elsewhere(channel.as_ref().map(Platform::code));
            let _ = writeln!(comparison.expected, "{line}{channel}");
        }
    }
    for end in ends {
        let line = actual_line(&end.thing);
        let channel = elsewhere(end.channel.as_ref().map(ChannelId::as_str));
        let _ = writeln!(comparison.actual, "{line}{channel}");
    }
    comparison
}

/// A channel other than the run's own, in words.
fn elsewhere(channel: Option<&str>) -> String {
    channel.map_or_else(String::new, |channel| format!(" on {channel}"))
}

/// `name key: value, …` of the fields that are given.
fn line(name: &str, fields: &[(&str, Option<String>)]) -> String {
    let given: Vec<String> = fields
        .iter()
        .filter_map(|(key, value)| value.as_ref().map(|value| format!("{key}: {value}")))
        .collect();
    if given.is_empty() {
        name.to_owned()
    } else {
        format!("{name} {}", given.join(", "))
    }
}

pub(crate) fn expected_line(effect: &Effect) -> String {
    let quoted = |text: &Option<String>| text.as_ref().map(|text| format!("{text:?}"));
    match effect {
        Effect::Send(SendEffect {
            text,
            contains,
            reply_to,
            ..
        }) => line(
            "send",
            &[
                ("text", quoted(text)),
                ("contains", quoted(contains)),
                (
                    "reply_to",
                    reply_to
                        .as_ref()
                        .and_then(|to| to.0.as_ref().map(ToString::to_string)),
                ),
            ],
        ),
        Effect::React(ReactEffect {
            emoji,
            emoji_sent,
            message,
            ..
        }) => line(
            "react",
            &[
                ("emoji", emoji.clone()),
                ("emoji_sent", emoji_sent.clone()),
                ("message", message.as_ref().map(ToString::to_string)),
            ],
        ),
        Effect::File(FileEffect {
            path,
            kind,
            caption,
            reply_to,
            ..
        }) => line(
            "file",
            &[
                ("path", quoted(path)),
                ("kind", kind.map(|kind| kind.to_string())),
                ("caption", caption.as_ref().and_then(|caption| quoted(&caption.0))),
                (
                    "reply_to",
                    reply_to
                        .as_ref()
                        .and_then(|to| to.0.as_ref().map(ToString::to_string)),
                ),
            ],
        ),
        Effect::Voice(VoiceEffect { text, .. }) => line("voice", &[("text", quoted(text))]),
        Effect::Diagnostics(codes) => line(
            "diagnostics",
            &[(
                "codes",
                Some(codes.iter().map(|c| c.code()).collect::<Vec<_>>().join(" ")),
            )],
        ),
    }
}

pub(crate) fn actual_line(thing: &Thing) -> String {
    let quoted = |text: &String| Some(format!("{text:?}"));
    match thing {
        Thing::Send { text, reply_to, .. } => line(
            "send",
            &[
                ("text", quoted(text)),
                ("reply_to", reply_to.as_ref().map(ToString::to_string)),
            ],
        ),
        Thing::React {
            emoji,
            emoji_sent: _,
            message,
        } => line(
            "react",
            &[
                ("emoji", Some(emoji.clone())),
                ("message", message.as_ref().map(ToString::to_string)),
            ],
        ),
        Thing::File {
            path,
            kind,
            caption,
            reply_to,
        } => line(
            "file",
            &[
                ("path", quoted(path)),
                ("kind", kind.map(|kind| kind.to_string())),
                ("caption", caption.as_ref().and_then(quoted)),
                ("reply_to", reply_to.as_ref().map(ToString::to_string)),
            ],
        ),
        Thing::Voice { text } => line("voice", &[("text", quoted(text))]),
    }
}
