//! The lines in which two texts differ, for people who decide about a change.

use std::{fmt::Write as _, ops::Range};

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;
/// Most pairs of lines that are compared to find those that both texts have. Of longer stretches all lines go, and all
/// come anew: true, if not the shortest.
const PAIRS: usize = 1 << 20;

/// The change of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Diff {
    pub(super) added: u32,
    pub(super) removed: u32,
    /// The lines that change and three around them, each with `+`, `-` or a space before it, and an `@@` line before
    /// each stretch.
    pub(super) text: String,
}

/// A line of both texts, or of one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// The change from `before` to `after`; a file that is made has nothing before.
pub(super) fn diff(before: &str, after: &str) -> Diff {
    let lines = compare(&split(before), &split(after));
    let count = |wanted: fn(&Line<'_>) -> bool| {
        u32::try_from(lines.iter().filter(|line| wanted(line)).count()).unwrap_or(u32::MAX)
    };
    Diff {
        added: count(|line| matches!(line, Line::Added(_))),
        removed: count(|line| matches!(line, Line::Removed(_))),
        text: written(&lines),
    }
}

/// The lines with their ends, so that a missing end of the last line is a difference.
fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn compare<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<Line<'a>> {
    let head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (old, new) = (&before[head..], &after[head..]);
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let mut lines: Vec<Line<'a>> = before[..head].iter().map(|line| Line::Same(line)).collect();
    if old.len().saturating_mul(new.len()) <= PAIRS {
        lines.extend(aligned(old, new));
    } else {
        lines.extend(old.iter().map(|line| Line::Removed(line)));
        lines.extend(new.iter().map(|line| Line::Added(line)));
    }
    lines.extend(after[after.len() - tail..].iter().map(|line| Line::Same(line)));
    lines
}

/// Keeps as many lines as both have in the same order.
fn aligned<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let width = new.len() + 1;
    // At each place, how many lines both have from there on.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for at in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            common[at * width + to] = if old[at] == new[to] {
                common[(at + 1) * width + to + 1] + 1
            } else {
                common[(at + 1) * width + to].max(common[at * width + to + 1])
            };
        }
    }
    let (mut at, mut to) = (0, 0);
    let mut lines = Vec::with_capacity(old.len() + new.len());
    while at < old.len() || to < new.len() {
        if at < old.len() && to < new.len() && old[at] == new[to] {
            lines.push(Line::Same(old[at]));
            (at, to) = (at + 1, to + 1);
        } else if at < old.len()
            && (to == new.len() || common[(at + 1) * width + to] >= common[at * width + to + 1])
        {
            lines.push(Line::Removed(old[at]));
            at += 1;
        } else {
            lines.push(Line::Added(new[to]));
            to += 1;
        }
    }
    lines
}

/// The stretches of lines to show: changes with what stands around them, joined where they meet.
fn stretches(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    let changed = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !matches!(line, Line::Same(_)));
    for (at, _) in changed {
        let around = at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(lines.len());
        match stretches.last_mut() {
            Some(last) if around.start <= last.end => last.end = around.end,
            _ => stretches.push(around),
        }
    }
    stretches
}

fn written(lines: &[Line<'_>]) -> String {
    let mut text = String::new();
    let (mut old, mut new, mut at) = (1, 1, 0);
    for stretch in stretches(lines) {
        let passed = stretch.start - at;
        (old, new) = (old + passed, new + passed);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "@@ -{old} +{new} @@");
        for line in &lines[stretch.clone()] {
            let (sign, line) = match *line {
                Line::Same(line) => {
                    (old, new) = (old + 1, new + 1);
                    (' ', line)
                }
                Line::Removed(line) => {
                    old += 1;
                    ('-', line)
                }
                Line::Added(line) => {
                    new += 1;
                    ('+', line)
                }
            };
            text.push(sign);
            text.push_str(line.strip_suffix('\n').unwrap_or(line));
            text.push('\n');
        }
        at = stretch.end;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many lines, each with this before its number.
    fn numbered(before: &str, count: usize) -> String {
        let lines: Vec<String> = (1..=count).map(|line| format!("{before}{line}\n")).collect();
        lines.concat()
    }

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let before = numbered("", 20);
        let after = before.replace("\n10\n", "\nten\nand more\n");
        let Diff { added, removed, text } = diff(&before, &after);
        assert_eq!((added, removed), (2, 1));
        assert_eq!(
            text,
            "@@ -7 +7 @@\n 7\n 8\n 9\n-10\n+ten\n+and more\n 11\n 12\n 13\n"
        );
    }

    #[test]
    fn stretches_apart_have_a_line_each_that_says_where() {
        let before = numbered("", 30);
        let after = before.replace("\n5\n", "\n").replace("\n25\n", "\n25\nnew\n");
        let text = diff(&before, &after).text;
        let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("@@")).collect();
        assert_eq!(heads, ["@@ -2 +2 @@", "@@ -23 +22 @@"]);
        assert_eq!(
            diff(&before, &before),
            Diff {
                added: 0,
                removed: 0,
                text: String::new()
            }
        );
    }

    #[test]
    fn a_new_file_is_all_new_and_a_missing_end_of_line_is_a_difference() {
        assert_eq!(diff("", "a\nb").text, "@@ -1 +1 @@\n+a\n+b\n");
        let last = diff("a\nb", "a\nb\n");
        assert_eq!((last.added, last.removed), (1, 1));
    }

    #[test]
    fn long_stretches_go_and_come_as_a_whole() {
        let Diff { added, removed, text } = diff(&numbered("a", 2_000), &numbered("b", 2_000));
        assert_eq!((added, removed, text.lines().count()), (2_000, 2_000, 4_001));
    }
}
