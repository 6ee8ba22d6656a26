//! What the sender of a turn is asked in the chat about a request for permission.

use crate::{config::Interval, engine::person, permissions::QuestionDelivery};
use foldback_wire::{Actor, PermissionId, PermissionKind, PermissionOption, PermissionRequest};
use std::fmt::Write as _;

/// A question for the chat.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) id: PermissionId,
    pub(crate) text: String,
    pub(crate) delivery: QuestionDelivery,
}

impl PartialEq for Question {
    /// Whether both ask the same.
    fn eq(&self, other: &Self) -> bool {
        (&self.id, &self.text) == (&other.id, &other.text)
    }
}

impl Eq for Question {}

/// Most characters that are repeated of a title, and of arguments: their beginning and their end, where what matters may
/// stand. At four bytes each the question still fits into every message: the shortest holds 2,000 bytes, on Signal.
const HEAD: usize = 140;
const TAIL: usize = 60;

/// The question. The agent's words in it are lines of code, so that they can neither look like the bot's own nor be
/// markup, and nothing in them is invisible or left out without a word.
pub(super) fn question(request: &PermissionRequest, number: &str, timeout: Interval) -> String {
    let mut text = format!(
        "🔐 The agent asks for your permission: `{}`\n",
        line(&request.title)
    );
    if let Some(arguments) = request.arguments.as_deref().map(str::trim)
        && !arguments.is_empty()
    {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "With: `{}`", line(arguments));
    }
    let _ = write!(
        text,
        "Answer yes or no within {timeout}, or /approve {number} or /deny {number}."
    );
    text
}

/// What stands in the place of the question once it is decided, with the line that says what it was about.
pub(super) fn decided(title: &str, option: Option<&PermissionOption>, by: &Actor, why: &str) -> String {
    let what = match option.map(|option| option.kind) {
        Some(PermissionKind::AllowOnce | PermissionKind::AllowAlways) => "Allowed",
        Some(PermissionKind::RejectOnce | PermissionKind::RejectAlways) => "Rejected",
        None => "Cancelled",
    };
    let who = match by {
        Actor::Pipeline => why.to_owned(),
        by => format!("by {}", person(by)),
    };
    format!("🔐 {what}, {who}: `{title}`")
}

/// Words as one line that can stand in a code span.
pub(super) fn line(words: &str) -> String {
    let plain: Vec<char> = words.trim().chars().map(plain).collect();
    let text = |part: &[char]| part.iter().collect::<String>();
    match plain.len().saturating_sub(HEAD + TAIL) {
        0 => text(&plain),
        left_out => {
            let (head, tail) = (&plain[..HEAD], &plain[HEAD + left_out..]);
            format!("{}… ({left_out} characters left out) …{}", text(head), text(tail))
        }
    }
}

/// A character that shows, and means nothing in a code span. What turns the direction of what follows or has no width
/// could make a person read something else than what is done (<https://www.unicode.org/reports/tr36/>).
fn plain(c: char) -> char {
    match c {
        '`' => '\'',
        c if c.is_control() => ' ',
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::PermissionRequest;

    fn asked(title: &str, arguments: Option<&str>) -> String {
        let request: PermissionRequest = serde_json::from_value(serde_json::json!({
            "id": "p", "tool": null, "title": title, "does": "delete", "arguments": arguments, "options": []
        }))
        .unwrap();
        question(&request, "12-1", Interval::minutes(5))
    }

    #[test]
    fn the_agents_words_are_one_line_of_code_each() {
        assert_eq!(
            asked("rm\n`x` ", Some("{\"path\":\n\"`x`\"}")),
            "🔐 The agent asks for your permission: `rm 'x'`\nWith: `{\"path\": \"'x'\"}`\n\
             Answer yes or no within 5m, or /approve 12-1 or /deny 12-1."
        );
        for nothing in [None, Some(" ")] {
            assert_eq!(asked("rm x", nothing).lines().count(), 2);
        }
    }

    #[test]
    fn what_is_left_out_is_counted_and_the_end_shown() {
        let command = format!("echo {}; rm -rf ~", "y".repeat(900));
        let left_out = command.chars().count() - HEAD - TAIL;
        for text in [asked(&command, None), asked("x", Some(&command))] {
            assert!(
                text.contains("`echo yyy") && text.contains("yyy; rm -rf ~`"),
                "{text}"
            );
            assert!(
                text.contains(&format!("yyy… ({left_out} characters left out) …yyy")),
                "{text}"
            );
        }
        let whole = "é".repeat(HEAD + TAIL);
        assert!(asked(&whole, None).contains(&format!("`{whole}`")));
    }

    #[test]
    fn what_cannot_be_seen_is_marked() {
        let text = asked(
            "rm \u{202e}txt.a\u{200b}b\u{2066}c\u{feff}",
            Some("\u{e0041}\u{3164}"),
        );
        assert!(
            text.contains("`rm \u{fffd}txt.a\u{fffd}b\u{fffd}c\u{fffd}`"),
            "{text}"
        );
        assert!(text.contains("With: `\u{fffd}\u{fffd}`"), "{text}");
    }

    #[test]
    fn it_fits_into_the_shortest_message() {
        let long = "𝒳".repeat(70_000);
        assert!(asked(&long, Some(&long)).len() <= 2_000);
    }
}
