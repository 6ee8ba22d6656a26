//! Fenced and inline code.

use foldback_directives::Dialect;

use super::{Page, What, value::is_blank};

const LONGEST_SPAN: usize = 16_384;

fn run(text: &str, of: char) -> usize {
    text.len() - text.trim_start_matches(of).len()
}

/// Blanks and `>` marks.
fn after_marks(line: &str) -> &str {
    line.trim_start_matches(|c| is_blank(c) || c == '>')
}

/// Whether a fence may begin after this part of a line.
fn opens(before: &str) -> bool {
    let rest = after_marks(before);
    let marker = ["-", "*", "+"]
        .iter()
        .find_map(|marker| rest.strip_prefix(*marker))
        .or_else(|| {
            // Open: the page writes `1.` and `1)`. Here: any number of up to nine digits.
            let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = rest.len() - after.len();
            (1..=9)
                .contains(&digits)
                .then(|| after.strip_prefix(['.', ')']))?
        });
    rest.is_empty() || marker.is_some_and(|rest| rest.starts_with(is_blank) && rest.chars().all(is_blank))
}

impl Page<'_> {
    /// Open: whether white space that is trimmed or joined still stands before a fence. Here: yes, also behind
    /// an acknowledgement; only what was stripped does not.
    fn raw_line_so_far(&self) -> String {
        let text = self
            .pieces
            .iter()
            .filter(|piece| !matches!(piece.what, What::Gone(..)));
        let text: String = text.map(|piece| piece.span.of(self.raw)).collect();
        // White space before the text keeps an acknowledgement from being first as little as it does in the clean text.
        let begun = text.trim_start();
        let left = self.without_acknowledgement(begun.to_owned());
        let gone = begun.chars().count() - left.chars().count();
        let gone: String = begun.chars().take(gone).collect();
        let text = if gone.is_empty() {
            text
        } else {
            gone[gone.trim_end().len()..].to_owned() + &left
        };
        text.rsplit('\n').next().unwrap_or_default().to_owned()
    }

    /// A run of backticks or tildes.
    pub(super) fn code(&mut self) -> bool {
        let rest = &self.raw[self.at..];
        let Some(mark) = rest.chars().next() else {
            return false;
        };
        let ticks = run(rest, mark);
        let line = rest.split('\n').next().unwrap_or_default();
        let further = mark == '`' && line[ticks..].contains('`');
        if ticks >= 3 && !further && opens(&self.raw_line_so_far()) {
            let end = fence_end(rest, mark, ticks);
            if !(self.has(Dialect::Json) && self.json_fence(mark, ticks, end)) {
                self.take(end, What::Fence);
            }
        } else if mark == '`' {
            match span_end(line, ticks) {
                Some(end) => self.take(end, What::Ticks(ticks)),
                None => self.text(ticks),
            }
        } else {
            self.text(ticks);
        }
        true
    }
}

/// The end of the line that closes a fence, or of the text.
fn fence_end(text: &str, mark: char, ticks: usize) -> usize {
    let mut at = 0;
    for (number, line) in text.split('\n').enumerate() {
        let content = after_marks(line.strip_suffix('\r').unwrap_or(line));
        let count = run(content, mark);
        if number > 0 && count >= ticks && content[count..].chars().all(is_blank) {
            return at + line.len();
        }
        at += line.len() + 1;
    }
    text.len()
}

/// The end of the equal run that closes a span at the start of `line`.
fn span_end(line: &str, ticks: usize) -> Option<usize> {
    let mut at = ticks;
    while let Some(next) = line[at..].find('`') {
        at += next;
        let count = run(&line[at..], '`');
        at += count;
        if count == ticks {
            return (at <= LONGEST_SPAN).then_some(at);
        }
    }
    None
}
