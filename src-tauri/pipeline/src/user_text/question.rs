//! The sentences of a request for permission in the chat of its turn.

use super::{Undecided, person};
use crate::config::Interval;
use foldback_wire::{
    Actor, CallPreview, FileChange, PermissionKind, PermissionOption, PermissionRequest, visible,
};
use std::fmt::Write as _;

/// Most characters that are repeated of a title, and of arguments: their beginning and their end, where what matters may
/// stand. At four bytes each the question still fits into every message: the shortest holds 2,000 bytes, on Signal.
const HEAD: usize = 140;
const TAIL: usize = 60;
/// Most bytes of a question.
const LONGEST: usize = 2_000;
/// Bytes that say how much of the files is left out.
const REST: usize = 60;

/// The question. The agent's words in it are lines of code, so that they can neither look like the bot's own nor be
/// markup, and nothing in them is invisible or left out without a word. Of files that would change it shows as many
/// lines as there is room for; the console shows all.
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
    let end = format!("Answer yes or no within {timeout}, or /approve {number} or /deny {number}.");
    let room = LONGEST.saturating_sub(text.len() + end.len());
    text + &preview(&request.preview, room) + &end
}

/// The files that the call would touch, as lines of at most so many bytes in all. How much is left out is always told, for which
/// [`REST`] is kept free.
fn preview(preview: &CallPreview, room: usize) -> String {
    let CallPreview {
        changes,
        more_changes,
        locations,
        text,
    } = preview;
    let mut lines = Vec::new();
    for FileChange {
        path,
        added,
        removed,
        diff,
    } in changes
    {
        lines.push(format!("Changes `{}`: +{added} −{removed}", line(path)));
        let changed = diff.lines().filter(|line| line.starts_with(['+', '-']));
        lines.extend(changed.map(|changed| format!("`{}`", line(changed))));
    }
    if changes.is_empty() {
        lines.extend(locations.iter().map(|at| format!("In `{}`", line(at))));
    }
    lines.extend(text.as_deref().map(|said| format!("It says: `{}`", line(said))));
    let all = lines.len();
    let (mut shown, mut count) = (String::new(), 0);
    for line in lines {
        if shown.len() + line.len() + 1 + REST > room {
            break;
        }
        shown = shown + &line + "\n";
        count += 1;
    }
    let files = *more_changes;
    // Writing to a String cannot fail.
    let _ = match (all - count, files) {
        (0, 0) => Ok(()),
        (lines, 0) => writeln!(shown, "… and {lines} lines more"),
        (lines, files) => writeln!(shown, "… and {lines} lines and {files} files more"),
    };
    shown
}

/// The sentence in the place of a question that is decided, with the line that says which call it was about.
pub(super) fn decided(title: &str, option: Option<&PermissionOption>, by: Decider<'_>) -> String {
    let what = match option.map(|option| option.kind) {
        Some(PermissionKind::AllowOnce | PermissionKind::AllowAlways) => "Allowed",
        Some(PermissionKind::RejectOnce | PermissionKind::RejectAlways) => "Rejected",
        None => "Cancelled",
    };
    let who = match by {
        Decider::Actor(by) => format!("by {}", person(by)),
        Decider::Pipeline(Undecided::TimedOut(within)) => format!("no answer came within {within}"),
        Decider::Pipeline(Undecided::TooMany { waiting }) => {
            format!("{waiting} other requests wait for an answer already")
        }
        Decider::Pipeline(Undecided::RunEnded) => "the run ended".to_owned(),
        Decider::Pipeline(Undecided::RunCancelled) => "the run was cancelled".to_owned(),
    };
    format!("🔐 {what}, {who}: `{title}`")
}

/// The author of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decider<'a> {
    /// A person, or the configuration.
    Actor(&'a Actor),
    /// The pipeline, in the place of a person.
    Pipeline(Undecided),
}

/// Words as one line that can stand in a code span.
pub(crate) fn line(words: &str) -> String {
    let words = words.trim().replace(char::is_control, " ");
    let plain: Vec<char> = visible(&words).chars().map(plain).collect();
    let text = |part: &[char]| part.iter().collect::<String>();
    match plain.len().saturating_sub(HEAD + TAIL) {
        0 => text(&plain),
        left_out => {
            let (head, tail) = (&plain[..HEAD], &plain[HEAD + left_out..]);
            format!("{}… ({left_out} characters left out) …{}", text(head), text(tail))
        }
    }
}

/// A character that means nothing in a code span.
const fn plain(c: char) -> char {
    if c == '`' { '\'' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::PermissionRequest;

    fn asked(title: &str, arguments: Option<&str>) -> String {
        previewed(title, arguments, CallPreview::default())
    }

    fn previewed(title: &str, arguments: Option<&str>, preview: CallPreview) -> String {
        let mut request: PermissionRequest = serde_json::from_value(serde_json::json!({
            "id": "p", "tool": null, "title": title, "does": "delete", "arguments": arguments, "options": []
        }))
        .unwrap();
        request.preview = preview;
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
            text.contains("`rm ⟨U+202E⟩txt.a⟨U+200B⟩b⟨U+2066⟩c⟨U+FEFF⟩`"),
            "{text}"
        );
        assert!(text.contains("With: `⟨U+E0041⟩⟨U+3164⟩`"), "{text}");
    }

    #[test]
    fn it_fits_into_the_shortest_message() {
        let long = "𝒳".repeat(70_000);
        assert!(asked(&long, Some(&long)).len() <= 2_000);
        let change = || FileChange {
            path: long.clone(),
            added: 70_000,
            removed: 70_000,
            diff: format!("@@ -1 +1 @@\n-{long}\n+{long}\n").repeat(9),
        };
        let preview = CallPreview {
            changes: vec![change(), change()],
            more_changes: 4_000_000_000,
            locations: vec![long.clone()],
            text: Some(long.clone()),
        };
        for (title, arguments) in [("x", None), (long.as_str(), Some(long.as_str()))] {
            let text = previewed(title, arguments, preview.clone());
            assert!(text.len() <= 2_000, "{}", text.len());
            assert!(text.contains("files more\nAnswer yes or no"), "{text}");
        }
    }

    #[test]
    fn a_file_that_would_change_is_shown_with_its_lines() {
        let preview = CallPreview {
            changes: vec![FileChange {
                path: "notes/`a`\u{202e}.md".to_owned(),
                added: 1,
                removed: 1,
                diff: "@@ -1 +1 @@\n one\n-two\n+2\n".to_owned(),
            }],
            ..CallPreview::default()
        };
        assert_eq!(
            previewed("Writing to a.md", None, preview),
            "🔐 The agent asks for your permission: `Writing to a.md`\nChanges `notes/'a'⟨U+202E⟩.md`: +1 −1\n`-two`\n\
             `+2`\nAnswer yes or no within 5m, or /approve 12-1 or /deny 12-1."
        );
        let preview = CallPreview {
            locations: vec!["/srv/site/a.md:7".to_owned()],
            text: Some("It reads.".to_owned()),
            ..CallPreview::default()
        };
        let text = previewed("Reading", None, preview);
        assert!(
            text.contains("In `/srv/site/a.md:7`\nIt says: `It reads.`\n"),
            "{text}"
        );
    }
}
