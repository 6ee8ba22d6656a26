//! Directives, commands and settings of a session, in words.

use super::words::said;
use foldback_wire::{DirectiveScope, InlineDirectives, Kind, SettingChange};

/// The words of an event about them; empty for any other.
pub(super) fn words(kind: &Kind) -> String {
    match kind {
        Kind::InlineDirectives(read) => directives(read),
        Kind::SettingsChanged { changes, by } => format!("{by}: {}", listed(changes, change)),
        Kind::Command { name, arguments } => format!("/{name} {arguments}").trim_end().to_owned(),
        Kind::SettingsResolved { settings } => listed(settings, |setting| {
            format!("{} = {} ({})", setting.setting, setting.value, setting.source)
        }),
        _ => String::new(),
    }
}

fn listed<T>(all: &[T], words: impl Fn(&T) -> String) -> String {
    all.iter().map(words).collect::<Vec<_>>().join(", ")
}

fn change(change: &SettingChange) -> String {
    let SettingChange { setting, from, to } = change;
    match (from, to) {
        (None, Some(to)) => format!("{setting} = {to}"),
        (Some(from), Some(to)) => format!("{setting} = {to} (was {from})"),
        (_, None) => format!("{setting} cleared"),
    }
}

/// The directives of a message, and their reach.
fn directives(read: &InlineDirectives) -> String {
    let written = listed(&read.directives, |directive| {
        let written = format!("/{} {}", directive.name, directive.value);
        written.trim_end().to_owned()
    });
    let reach = match read.scope {
        DirectiveScope::Turn => "for this turn",
        DirectiveScope::Session => "for the session",
        DirectiveScope::Refused => "not allowed",
        DirectiveScope::Invalid => "not carried out",
    };
    said(
        format_args!("{written} {reach}").to_string().trim_start(),
        &read.findings.join("; "),
    )
}
