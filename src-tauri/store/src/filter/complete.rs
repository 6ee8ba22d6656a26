//! What could stand at the cursor.

use super::{
    fields::{FIELDS, Field, Values},
    values,
};
use foldback_wire::{ChannelId, Span, rpc::Completion};

/// Proposals for the word at `cursor` (a byte offset, rounded down to a character): fields with what they
/// test, values with what they mean, and the channels there are.
pub fn complete(text: &str, cursor: usize, channels: &[ChannelId]) -> Vec<Completion> {
    let cursor = (0..=cursor.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    let before = &text[..cursor];
    let word = before
        .rfind(values::ends_word)
        .map_or(0, |at| at + ending(&before[at..]));
    // A negation is no part of what it negates.
    let word = word + before[word..].len() - before[word..].trim_start_matches('-').len();
    let typed = &before[word..];
    if let Some(length) = values::field_name(typed)
        && let Some(field) = Field::find(&typed[..length])
    {
        let values = word + length + typed[length..].len()
            - typed[length..].trim_start_matches([':', '=', '<', '>']).len();
        let start = before[values..]
            .rfind([',', '|'])
            .map_or(values, |at| values + at + 1);
        return proposals(field_values(field, channels), start, cursor, &before[start..]);
    }
    let words = [
        ("or", "Passes what one of the two sides passes."),
        ("not", "Leaves out what follows."),
    ];
    let words = words
        .into_iter()
        .map(|(word, about)| (word.to_owned(), about.to_owned()));
    proposals(
        FIELDS.iter().flat_map(beginnings).chain(words).collect(),
        word,
        cursor,
        typed,
    )
}

/// How a test of a field begins: its name and an operator.
fn beginnings(field: &Field) -> Vec<(String, String)> {
    let operators = field.proposed_operators();
    if operators.is_empty() {
        return vec![(format!("{}:", field.code), field.about.to_owned())];
    }
    let beginning = |(sign, meaning): &(&str, &str)| {
        let code = field.code;
        let example = field.examples().get(1).map_or("", |(value, _)| value);
        (
            format!("{code}{sign}"),
            format!("{meaning}, e.g. {code}{sign}{example}. {}", field.about),
        )
    };
    operators.iter().map(beginning).collect()
}

/// Bytes of the first character.
fn ending(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn field_values(field: &Field, channels: &[ChannelId]) -> Vec<(String, String)> {
    match field.values {
        Values::Closed(known) => known()
            .into_iter()
            .map(|value| (value.code.to_owned(), value.about.to_owned()))
            .collect(),
        Values::Id if field.code == "channel" => channels
            .iter()
            .map(|id| (id.to_string(), "Channel.".to_owned()))
            .collect(),
        _ if !field.examples().is_empty() => field
            .examples()
            .iter()
            .map(|(value, about)| ((*value).to_owned(), (*about).to_owned()))
            .collect(),
        _ => {
            // No set to choose from: the example shows the form.
            let value = field
                .example
                .trim_start_matches(field.code)
                .trim_start_matches(':');
            vec![(value.to_owned(), format!("For example. {}", field.about))]
        }
    }
}

/// What is typed already comes first, then those that begin with it, then those that contain it.
fn proposals(all: Vec<(String, String)>, start: usize, end: usize, typed: &str) -> Vec<Completion> {
    let typed = typed.to_ascii_lowercase();
    let (mut begins, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(text, _)| text.starts_with(&typed));
    begins.sort_by_key(|(text, _)| *text != typed);
    let contains = others.into_iter().filter(|(text, _)| text.contains(&typed));
    let proposal = |(text, about)| Completion {
        span: Span::new(start, end),
        text,
        about,
    };
    begins.into_iter().chain(contains).map(proposal).collect()
}
