//! Takes directives out of a text, and nothing else.

use super::read::is_blank;
use crate::Span;

/// `text` without `spans`, which are in order and do not touch.
///
/// With a span goes one blank beside it, or, where only directives stand on a line, the line. Blank lines that
/// a line leaves at the start or the end of the text go too: they set the directives off from the text.
pub(super) fn without(text: &str, spans: &[Span]) -> String {
    let cuts = cuts(text, spans);
    let start = start_edge(text, &cuts);
    let end = end_edge(text, &cuts).max(start);
    let mut out = String::with_capacity(text.len());
    let mut at = start;
    for cut in cuts.iter().filter(|cut| cut.start >= start && cut.end <= end) {
        out.push_str(&text[at..cut.start]);
        at = cut.end;
    }
    out.push_str(&text[at.min(end)..end]);
    out
}

/// What goes, apart from the blank lines at the edges.
fn cuts(text: &str, spans: &[Span]) -> Vec<Span> {
    let mut cuts: Vec<Span> = Vec::with_capacity(spans.len());
    let (mut index, mut line_start) = (0, 0);
    while let Some(first) = spans.get(index) {
        let start = text[line_start..first.start]
            .rfind('\n')
            .map_or(line_start, |at| line_start + at + 1);
        let mut end = line_end(text, first.end);
        let mut count = 1;
        while let Some(next) = spans.get(index + count).filter(|next| next.start < end) {
            if next.end > end {
                end = line_end(text, next.end);
            }
            count += 1;
        }
        let here = &spans[index..index + count];
        if stand_alone(text, here, Span::new(start, end)) {
            cuts.push(Span::new(start, end));
        } else {
            with_blanks(text, here, start, &mut cuts);
        }
        index += count;
        line_start = end;
    }
    cuts
}

/// One past the break of the line on which `at` stands.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |skip| at + skip + 1)
}

fn is_white(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Whether nothing but white space stands in `within` beside the spans.
fn stand_alone(text: &str, spans: &[Span], within: Span) -> bool {
    let mut at = within.start;
    for span in spans {
        if !is_white(&text[at..span.start]) {
            return false;
        }
        at = span.end;
    }
    is_white(&text[at..within.end])
}

/// Each span with one blank: the one before it where text stands before it on its line, so that what follows,
/// be it a break or a comma, stands where it should; else the one behind it, so that the line's text stands
/// where the directive stood.
fn with_blanks(text: &str, spans: &[Span], line_start: usize, cuts: &mut Vec<Span>) {
    let mut at = line_start;
    let mut texted = false;
    for span in spans {
        texted |= !is_white(&text[at..span.start]);
        let before = text[at..span.start].chars().next_back().filter(|c| is_blank(*c));
        let behind = text[span.end..].chars().next().filter(|c| is_blank(*c));
        let mut cut = *span;
        match (before, behind) {
            (Some(before), None) => cut.start -= before.len_utf8(),
            (Some(before), _) if texted => cut.start -= before.len_utf8(),
            (_, Some(behind)) => cut.end += behind.len_utf8(),
            (None, None) => {}
        }
        cuts.push(cut);
        at = cut.end;
    }
}

/// Where the text begins once the lines at its start are gone.
fn start_edge(text: &str, cuts: &[Span]) -> usize {
    let mut edge = 0;
    for cut in cuts {
        if cut.start != edge || !text[..cut.end].ends_with('\n') {
            break;
        }
        edge = cut.end;
        while let Some(len) = text[edge..]
            .find('\n')
            .filter(|len| is_white(&text[edge..edge + len]))
        {
            edge += len + 1;
        }
    }
    edge
}

/// Where the text ends once the lines at its end are gone. Whether it ends with a break stays as it was.
fn end_edge(text: &str, cuts: &[Span]) -> usize {
    let mut edge = text.len();
    for cut in cuts.iter().rev() {
        if cut.end != edge || !text[..cut.start].ends_with('\n') {
            break;
        }
        edge = cut.start;
        while let Some(above) = text[..edge].strip_suffix('\n') {
            let start = above.rfind('\n').map_or(0, |at| at + 1);
            if !is_white(&above[start..]) {
                break;
            }
            edge = start;
        }
    }
    if edge < text.len()
        && !text.ends_with('\n')
        && let Some(above) = text[..edge].strip_suffix('\n')
    {
        return above.strip_suffix('\r').unwrap_or(above).len();
    }
    edge
}
