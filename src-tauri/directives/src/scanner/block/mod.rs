//! Blocks: `<actions>` to the first `</actions>`.

mod item;
mod tags;

use std::collections::BTreeSet;

use super::{Next, Scanner, Wait, report};
use crate::lex::tag::Tag;
use crate::rules::Rule as G;
use crate::{Code, Diagnostic, Fate, HoldReason, RangeReason, Sink, Span, Step};

/// Most bytes of a block, from its `<` to the end of `</actions>`.
pub(crate) const MAX_BLOCK: usize = 65_536;

/// The inside of a block while it is read.
#[derive(Debug, Default)]
pub(in crate::scanner) struct Inside {
    /// Where the content ends, when the block is closed.
    end: Option<usize>,
    misplaced: bool,
    /// What an unclosed block is reported as, and its opening tag.
    unclosed: Option<(Code, Span)>,
    text_reported: bool,
    /// White space that belongs to the block only if what follows does.
    white: Option<Span>,
    /// Whether it stands behind text on its line, where only a `<` behind the tag tells that it is a block.
    in_line: bool,
    /// Whether a `</actions>` where it ends would close it and change nothing else.
    may_be_closed: bool,
    /// A beginning of `</actions>` with which the message ends.
    closing: Option<usize>,
    /// The unknown tags that were reported, where there are any.
    unknown: Option<BTreeSet<String>>,
}

/// What an item of a block turned out to be.
enum Item {
    /// Taken; the reader stands after it.
    Taken,
    /// Nothing a block holds: text.
    Foreign,
    /// The block ends where the reader now stands.
    Ends,
    Wait(Wait),
}

impl From<Next> for Item {
    fn from(next: Next) -> Self {
        match next {
            Next::On => Self::Taken,
            Next::Wait(wait) => Self::Wait(wait),
        }
    }
}

impl Scanner {
    /// A complete `<actions …>` outside a block.
    pub(in crate::scanner) fn open_actions(&mut self, tag: Tag, sink: &mut dyn Sink) -> Next {
        let (start, from, misplaced) = (self.at, tag.span.end, self.misplaced());
        if tag.self_closing && self.rules.on(G::EmptyBlock) {
            self.begin(misplaced, tag.span, tag.span, sink);
            return Next::On;
        }
        let until = Some(start + MAX_BLOCK);
        if !self.at_line_start() && self.rules.on(G::Prose) {
            let white = self.white_end(from, self.source.end());
            match self.source.byte(white) {
                None if !self.source.ended => {
                    return self.wait(HoldReason::OpenBlock, G::Prose, "actions", None);
                }
                None | Some(b'<') => {}
                Some(_) => {
                    self.memory.prose += 1;
                    self.left_as_text(white + 1);
                    return self.show_one(sink);
                }
            }
        }
        let in_line = !self.at_line_start();
        let close = self.search.actions.find(&self.source, from);
        let max = if self.rules.on(G::BlockTooLarge) {
            MAX_BLOCK
        } else {
            usize::MAX - start
        };
        if let Some(close) = close.filter(|close| close.end <= start + max) {
            self.begin(misplaced, tag.span, Span::new(start, close.end), sink);
            let inside = Inside {
                end: Some(close.start),
                misplaced,
                in_line,
                ..Inside::default()
            };
            self.closed_block(close, inside, sink);
            return Next::On;
        }
        let too_large = close.is_some() || self.source.end() >= start.saturating_add(max);
        if !too_large && !self.source.ended {
            return self.wait(HoldReason::OpenBlock, G::Block, "actions", until);
        }
        self.begin(misplaced, tag.span, tag.span, sink);
        let code = if too_large {
            Code::BlockTooLarge
        } else {
            Code::UnclosedBlock
        };
        self.block = Some(Inside {
            misplaced,
            in_line,
            may_be_closed: !std::mem::replace(&mut self.memory.unclosed, true),
            unclosed: Some((code, tag.span)),
            ..Inside::default()
        });
        Next::On
    }

    /// The message has ended in a block that holds nothing more.
    pub(in crate::scanner) fn finish_block(&mut self, sink: &mut dyn Sink) {
        if let Some(inside) = self.block.take() {
            self.end_unclosed(&inside, sink);
        }
    }

    /// An unclosed block ends where the reader stands: only now is it known what would mend it.
    fn end_unclosed(&mut self, inside: &Inside, sink: &mut dyn Sink) {
        let Some((code, span)) = inside.unclosed else {
            return;
        };
        let found = match code {
            Code::BlockTooLarge => {
                Diagnostic::new(code, span, "no </actions> within 65,536 bytes of this <actions>")
            }
            _ => Diagnostic::new(code, span, "this <actions> is never closed"),
        };
        let found = if code == Code::UnclosedBlock && inside.may_be_closed {
            let end = Span::new(inside.closing.unwrap_or(self.at), self.at);
            found.with_fix(end, "</actions>", "Close it after its last directive")
        } else {
            found
        };
        sink.step(Step::Diagnostic(&found));
    }

    /// The opening tag is taken out; `whole` is what a misplaced block is reported with.
    fn begin(&mut self, misplaced: bool, tag: Span, whole: Span, sink: &mut dyn Sink) {
        if misplaced {
            report(
                Code::MisplacedBlock,
                whole,
                "a block after text is not executed here",
                sink,
            );
        }
        let reason = if misplaced {
            RangeReason::Misplaced
        } else {
            RangeReason::ActionsBlock
        };
        self.hide(tag, Fate::Strip, reason, sink);
    }

    fn closed_block(&mut self, close: Span, mut inside: Inside, sink: &mut dyn Sink) {
        while self.at < close.start {
            let white = self.white_end(self.at, close.start);
            inside.white = (white > self.at).then_some(Span::new(self.at, white));
            if white == close.start {
                self.take_white(&mut inside, sink);
                break;
            }
            match self.item(&mut inside, white, sink) {
                Item::Foreign => self.block_text(&mut inside, white, close.start, sink),
                Item::Taken => {}
                Item::Ends | Item::Wait(_) => debug_assert!(false, "a closed block waits for nothing"),
            }
        }
        self.take(&mut inside, close, RangeReason::ActionsBlock, sink);
    }

    /// Text in a closed block, up to the next `<`, is dropped.
    fn block_text(&mut self, inside: &mut Inside, at: usize, end: usize, sink: &mut dyn Sink) {
        let rest = self.source.bytes(at + 1, end);
        let stop = memchr::memchr(b'<', rest).map_or(end, |skip| at + 1 + skip);
        self.source.spend(stop - at);
        self.drop_text(inside, Span::new(at, stop), sink);
    }

    fn drop_text(&mut self, inside: &mut Inside, span: Span, sink: &mut dyn Sink) {
        self.take_white(inside, sink);
        if !inside.text_reported && self.rules.on(G::TextInBlock) {
            let raw = self.source.str(span).trim_end();
            let span = Span::new(span.start, span.start + raw.len());
            report(Code::TextInBlock, span, "text inside a block is dropped", sink);
        }
        inside.text_reported = true;
        self.hide(span, Fate::Drop, RangeReason::TextInBlock, sink);
    }

    /// One step in an unclosed block.
    pub(in crate::scanner) fn unclosed_block(&mut self, sink: &mut dyn Sink) -> Next {
        let Some(mut inside) = self.block.take() else {
            return Next::On;
        };
        let end = self.source.end();
        let white = self.white_end(self.at, end);
        if white == end {
            if self.source.ended {
                self.end_unclosed(&inside, sink);
                return Next::On;
            }
            self.block = Some(inside);
            return self.wait(HoldReason::OpenBlock, G::UnclosedBlock, "actions", None);
        }
        inside.white = (white > self.at).then_some(Span::new(self.at, white));
        match self.item(&mut inside, white, sink) {
            Item::Taken => self.block = Some(inside),
            // The thing and the white space before it are ordinary text.
            Item::Foreign | Item::Ends => self.end_unclosed(&inside, sink),
            Item::Wait(wait) => {
                self.block = Some(inside);
                return Next::Wait(wait);
            }
        }
        Next::On
    }

    fn take_white(&mut self, inside: &mut Inside, sink: &mut dyn Sink) {
        if let Some(white) = inside.white.take() {
            let just_opened = self.memory.just_opened;
            let reason = if inside.misplaced {
                RangeReason::Misplaced
            } else {
                RangeReason::ActionsBlock
            };
            self.hide(white, Fate::Strip, reason, sink);
            self.memory.just_opened = just_opened;
        }
    }

    fn take(&mut self, inside: &mut Inside, span: Span, reason: RangeReason, sink: &mut dyn Sink) {
        let block = if inside.misplaced {
            RangeReason::Misplaced
        } else {
            RangeReason::ActionsBlock
        };
        if reason == RangeReason::ActionsBlock {
            // White space and the thing after it are one.
            let from = inside.white.take().map_or(span.start, |white| white.start);
            return self.hide(Span::new(from, span.end), Fate::Strip, block, sink);
        }
        self.take_white(inside, sink);
        self.hide(span, Fate::Strip, reason, sink);
    }
}
