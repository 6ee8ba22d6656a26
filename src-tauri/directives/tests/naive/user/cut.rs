//! Taking directives out of a text.

use foldback_directives::Span;

use super::is_blank;

/// `text` without the spans: "only the span (and one adjacent blank, or the whole line when it stands alone) is
/// removed".
pub(super) fn without(text: &str, spans: &[Span]) -> String {
    let mut gone = vec![false; text.len()];
    for span in spans {
        gone[span.start..span.end].fill(true);
    }
    let spans_only = gone.clone();
    let mut rest = spans;
    while let Some(first) = rest.first() {
        let lines = lines(text, first, rest);
        let (here, later) = rest.split_at(rest.iter().take_while(|span| span.start < lines.end).count());
        rest = later;
        let left = |from: usize, to: usize| {
            text[from..to]
                .char_indices()
                .map(move |(at, c)| (from + at, c))
                .filter(|(at, _)| !spans_only[*at])
        };
        if left(lines.start, lines.end).all(|(_, c)| c.is_whitespace()) {
            gone[lines.start..lines.end].fill(true);
            continue;
        }
        for span in here {
            let before = text[lines.start..span.start].chars().next_back();
            let behind = text[span.end..].chars().next();
            let before = before.filter(|c| is_blank(*c) && !gone[span.start - c.len_utf8()]);
            let behind = behind.filter(|c| is_blank(*c));
            // Open: which of two blanks goes. Here: the one before, behind text; the one behind, where the line
            // begins.
            let text_before = left(lines.start, span.start).any(|(_, c)| !c.is_whitespace());
            match (before, behind) {
                (Some(c), None) => gone[span.start - c.len_utf8()..span.start].fill(true),
                (Some(c), Some(_)) if text_before => gone[span.start - c.len_utf8()..span.start].fill(true),
                (_, Some(c)) => gone[span.end..span.end + c.len_utf8()].fill(true),
                (None, None) => {}
            }
        }
    }
    edges(text, gone)
}

/// The lines on which a span stands, and those on which spans stand that begin there.
fn lines(text: &str, first: &Span, spans: &[Span]) -> Span {
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |len| at + len + 1);
    let start = text[..first.start].rfind('\n').map_or(0, |at| at + 1);
    let mut end = line_end(first.end);
    for span in spans {
        if span.start < end && span.end > end {
            end = line_end(span.end);
        }
    }
    Span::new(start, end)
}

/// Open: what of the blank lines between directives and text at the edges of the message, as in
/// `/think high⏎⏎Do X`. Here: they go with the line of the directive, and the message ends with a break as it
/// did before.
fn edges(text: &str, mut gone: Vec<bool>) -> String {
    let mut at = 0;
    let lines: Vec<Span> = text
        .split_inclusive('\n')
        .map(|line| {
            at += line.len();
            Span::new(at - line.len(), at)
        })
        .collect();
    let ends = |line: &Span| line.of(text).ends_with('\n');
    go_along(text, &mut gone, lines.iter().take_while(|line| ends(line)));
    let cut = go_along(text, &mut gone, lines.iter().rev());
    let last = (0..text.len()).rfind(|at| !gone[*at]);
    if let Some(at) = last.filter(|at| cut && !text.ends_with('\n') && text.as_bytes()[*at] == b'\n') {
        gone[at] = true;
        // A CR that a directive stood behind is no part of the break.
        if text[..at].ends_with('\r') {
            gone[at - 1] = true;
        }
    }
    text.char_indices()
        .filter(|(at, _)| !gone[*at])
        .map(|(_, c)| c)
        .collect()
}

/// From one edge on, blank lines go that stand beside a line that went. Says whether a line went.
fn go_along<'a>(text: &str, gone: &mut [bool], lines: impl Iterator<Item = &'a Span>) -> bool {
    let mut went = false;
    for line in lines {
        if gone[line.start..line.end].iter().all(|gone| *gone) {
            went = true;
        } else if went && line.of(text).trim().is_empty() {
            gone[line.start..line.end].fill(true);
        } else {
            break;
        }
    }
    went
}
