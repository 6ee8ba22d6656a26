//! Cuts before a message is full: at a place of a wanted kind, and only where nothing has to be repaired.

use super::{Break, Limit, Piece, Repairs, Splitter, blocks::open_block_at, places::boundary_from};
use foldback_wire::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place at which a block may end, the coarsest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BlockBreak {
    /// After a paragraph.
    #[default]
    Paragraph,
    /// After a line.
    Newline,
    /// After a sentence.
    Sentence,
    /// After a word.
    Space,
}

impl Splitter {
    /// The next message where what is left fits into one: up to the last place of this kind or a coarser one, with at least
    /// `least` units, outside of code and tables. What was answered stays right however the text goes on.
    pub fn next_block(
        &mut self,
        text: &str,
        (least, kind): (usize, BlockBreak),
        limit: Limit,
        repairs: Repairs,
    ) -> Option<Piece> {
        self.pass_break(text);
        let rest = &text[self.at..];
        let mut until = rest.len();
        // Only at first: what is looked at next lies before it.
        let mut with_end = true;
        loop {
            let (end, next) = last_break(rest, until, kind, std::mem::take(&mut with_end))?;
            if end == 0 || limit.unit.measure(&rest[..end]) < least {
                return None;
            }
            let whole = boundary_from(rest, end) == end && boundary_from(rest, next) == next;
            let line = rest[..end].rsplit('\n').next().unwrap_or_default();
            // A row could become the head of a table with the line below it.
            let is_row = line.contains('|') && !rest[end..next].contains("\n\n");
            let in_block = open_block_at(&rest[..end], self.open.as_ref(), repairs.tables).is_some();
            let prefix = self.prefix(rest);
            let fits = limit.length(&[&prefix, &rest[..end]].concat()) <= limit.max;
            if whole && fits && !is_row && !in_block && !rest[..end].trim().is_empty() {
                let span = Span::new(self.at, self.at + end);
                self.at += next;
                self.behind = Break::InLine.after(&rest[end..next], &rest[next..]);
                self.open = None;
                self.lead.clear();
                return Some(Piece {
                    span,
                    prefix,
                    suffix: String::new(),
                });
            }
            until = end;
        }
    }
}

/// The last break of this kind or a coarser one that begins before `until`: where the text before it ends, and where what
/// follows begins. The end of the text is one `with_end`, where it is the end of a sentence.
fn last_break(rest: &str, until: usize, kind: BlockBreak, with_end: bool) -> Option<(usize, usize)> {
    let text = &rest[..until];
    let after = |end: usize| end + Break::InLine.length(&rest[end..]);
    let line = |mark: &str| {
        let at = text.rfind(mark)?;
        let end = rest[..at].trim_end().len();
        Some((end, after(end)))
    };
    let sentence = || {
        let marks = ['.', '!', '?', '…'];
        let ends = text.rmatch_indices(marks).map(|(at, mark)| at + mark.len());
        let end = ends
            .filter(|end| *end < until || with_end)
            .find(|end| rest[*end..].is_empty() || rest[*end..].starts_with([' ', '\n']))?;
        Some((end, after(end)))
    };
    let space = || {
        let at = text.rfind([' ', '\t'])?;
        let end = rest[..at].trim_end().len();
        Some((end, after(end)))
    };
    let mut best = line("\n\n");
    if kind >= BlockBreak::Newline {
        best = best.max(line("\n"));
    }
    if kind >= BlockBreak::Sentence {
        best = best.max(sentence());
    }
    if kind >= BlockBreak::Space {
        best = best.max(space());
    }
    best
}
