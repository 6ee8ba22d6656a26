//! The sentences of a request for permission in the chat of its turn.

use super::NoDecision;
use crate::config::Interval;
use foldback_wire::{
    Actor, CallPreview, FileChange, PermissionKind, PermissionOption, PermissionRequest, duration_in_words,
    visible_line,
};
use std::fmt::Write as _;

/// Most characters that are repeated of a title, and of arguments, where not all of a call fits into the question: their
/// beginning and their end, where what matters may stand. At four bytes each the question still fits into every message:
/// the shortest of a channel where one is asked holds 2,000 bytes, on Signal.
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
    let end = if request.preview.unshown.is_empty() {
        end(shows_all(request), number, timeout)
    } else {
        end_unshown(number, timeout)
    };
    call(request).text + &end
}

/// True where the question leaves out nothing of what would be done.
pub(crate) fn shows_all(request: &PermissionRequest) -> bool {
    !call(request).is_cut
}

/// The answers that count.
fn end(shows_all: bool, number: &str, timeout: Interval) -> String {
    let timeout = duration_in_words(timeout.0);
    if shows_all {
        format!("Answer yes or no within {timeout}, or /approve {number} or /deny {number}.")
    } else {
        format!(
            "Not all of it fits here, so that it can be allowed only at the console, which shows all of it. \
             Answer no or /deny {number} within {timeout} to reject it."
        )
    }
}

/// The answers that count where the call has parts that cannot be shown.
fn end_unshown(number: &str, timeout: Interval) -> String {
    let timeout = duration_in_words(timeout.0);
    format!(
        "Not all of it can be shown here, so that it can be allowed only at the console. \
         Answer no or /deny {number} within {timeout} to reject it."
    )
}

/// Words of a call, and whether something is left out of them.
#[derive(Default)]
struct Excerpt {
    text: String,
    is_cut: bool,
}

/// Extent to which each text is shown.
#[derive(Clone, Copy)]
enum Extent {
    Whole,
    /// Of what is long, the beginning and the end.
    Ends,
}

/// The call, in what the end of the question leaves of its bytes: all of it, or the ends of what is long.
fn call(request: &PermissionRequest) -> Excerpt {
    if length(request) + END <= LONGEST {
        let whole = written(request, Extent::Whole);
        if !whole.is_cut && whole.text.len() + END <= LONGEST {
            return whole;
        }
    }
    written(request, Extent::Ends)
}

/// Bytes of what is shown of a call, at the least: a call of megabytes is not written out to learn that it does not fit.
fn length(request: &PermissionRequest) -> usize {
    let CallPreview {
        changes,
        text,
        unshown,
        ..
    } = &request.preview;
    let changed = changes.iter().flat_map(|change| changed_lines(&change.diff));
    let texts = changed
        .chain(changes.iter().map(|change| change.path.as_str()))
        .chain(text.as_deref())
        .chain(unshown.iter().map(String::as_str))
        .chain(request.arguments.as_deref());
    request.title.len() + texts.map(str::len).sum::<usize>()
}

/// The lines of a diff that are not in both texts.
fn changed_lines(diff: &str) -> impl Iterator<Item = &str> {
    diff.lines().filter(|line| line.starts_with(['+', '-']))
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
        unshown,
    } = preview;
    let (mut room, mut is_cut) = (room.saturating_sub(REST), !unshown.is_empty());
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
    let unshown: Vec<String> = (!unshown.is_empty())
        .then(|| format!("Parts that cannot be shown: `{}`\n", line(&unshown.join(", "))))
        .into_iter()
        .collect();
    let told = fitting(&unshown, &mut room);
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
    shown.extend(unshown.into_iter().take(told));
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
    let mut is_cut = false;
    let lines: Vec<String> = changed_lines(diff)
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
        Decider::Actor(by) => format!("by {by:#}"),
        Decider::Pipeline(NoDecision::TimedOut(within)) => {
            format!("no answer came within {}", duration_in_words(within.0))
        }
        Decider::Pipeline(NoDecision::TooMany { waiting }) => {
            format!("{waiting} other requests wait for an answer already")
        }
        Decider::Pipeline(NoDecision::RunEnded) => "the run ended".to_owned(),
        Decider::Pipeline(NoDecision::RunCancelled) => "the run was cancelled".to_owned(),
        Decider::Pipeline(NoDecision::CallGivenUp) => "the agent does not wait for it any more".to_owned(),
    };
    format!("🔐 {what}, {who}: `{title}`")
}

/// The author of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decider<'a> {
    /// A person, or the configuration.
    Actor(&'a Actor),
    /// The pipeline, in the place of a person.
    Pipeline(NoDecision),
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
mod tests;
