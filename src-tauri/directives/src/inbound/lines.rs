//! Lines of a message that hold something in double brackets and nothing else: `[[status]]`.

use super::{code::plain, cut};
use crate::{Span, lex::Source};

/// Longest text in brackets, in bytes.
const LONGEST: usize = 256;

/// A line with double brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BracketedLine<'t> {
    /// The bytes of the brackets and what they hold.
    pub span: Span,
    /// What they hold, without white space around it: at least one character.
    pub body: &'t str,
}

/// The lines of a text, outside code, that are `[[…]]` and nothing else, in order.
pub fn bracketed_lines(text: &str) -> Vec<BracketedLine<'_>> {
    if !text.contains("[[") {
        return Vec::new();
    }
    let mut source = Source::default();
    source.push(text);
    source.ended = true;
    let parts = plain(text, &source);
    let is_plain = |span: Span| {
        parts
            .iter()
            .any(|part| part.start <= span.start && span.end <= part.end)
    };
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let written = line.trim();
        let inner = written
            .strip_prefix("[[")
            .and_then(|rest| rest.strip_suffix("]]"));
        let Some(body) = inner.map(str::trim) else {
            continue;
        };
        let span = Span::new(start, start + written.len());
        let fits = !body.is_empty() && body.len() <= LONGEST && !body.contains(['[', ']']);
        if fits && is_plain(span) {
            lines.push(BracketedLine { span, body });
        }
    }
    lines
}

/// A text without these parts of it, which are in any order and do not overlap. Where only such parts stand on a line, the
/// line goes too; no other character changes.
pub fn without_spans(text: &str, spans: &[Span]) -> String {
    let mut spans = spans.to_vec();
    spans.sort_by_key(|span| span.start);
    cut::without(text, &spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(text: &str) -> Vec<&str> {
        bracketed_lines(text).into_iter().map(|line| line.body).collect()
    }

    #[test]
    fn only_a_line_that_is_nothing_else_counts_and_none_in_code() {
        assert_eq!(
            bodies("Hi\n  [[ status ]]\t\nthere\r\n[[send: off]]"),
            ["status", "send: off"]
        );
        for text in [
            "see [[status]]",
            "[[status]] please",
            "[[]]",
            "[[ ]]",
            "[[a]] [[b]]",
            "[[a]]]",
            "> [[status]]",
            "```\n[[status]]\n```",
        ] {
            assert!(bodies(text).is_empty(), "{text}");
        }
        assert!(bodies(&format!("[[{}]]", "x".repeat(257))).is_empty());
    }

    #[test]
    fn a_line_goes_whole_and_nothing_else_changes() {
        let text = "Do X:\n  - a\n [[status]] \n  - b\n[[whoami]]\n";
        let spans: Vec<_> = bracketed_lines(text).into_iter().map(|line| line.span).collect();
        assert_eq!(without_spans(text, &spans), "Do X:\n  - a\n  - b\n");
    }
}
