//! Blocks: `<actions>` to the first `</actions>`.

use std::collections::HashSet;

use super::{Next, Scanner, Wait, report};
use crate::lex::Source;
use crate::lex::tag::{Lexed, Tag};
use crate::names::{Name, Named};
use crate::rules::Rule as G;
use crate::scanner::angle::{Control, leak, stray};
use crate::{CHILDREN, Code, Diagnostic, Fate, HoldReason, RangeReason, Sink, Span, Step, children};

/// Most bytes of a block, from its `<` to the end of `</actions>`.
const MAX_BLOCK: usize = 65_536;

/// The inside of a block while it is read.
#[derive(Debug, Default)]
pub(super) struct Inside {
    /// Where the content ends, when the block is closed.
    end: Option<usize>,
    misplaced: bool,
    text_reported: bool,
    /// White space that belongs to the block only if what follows does.
    white: Option<Span>,
    unknown: HashSet<String>,
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
    pub(super) fn open_actions(&mut self, tag: &Tag, sink: &mut dyn Sink) -> Next {
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
                    return self.show_one(sink);
                }
            }
        }
        let close = self.search.actions.find(&self.source, from);
        let max = if self.rules.on(G::BlockTooLarge) {
            MAX_BLOCK
        } else {
            usize::MAX - start
        };
        if let Some(close) = close.filter(|close| close.end <= start + max) {
            self.begin(misplaced, tag.span, Span::new(start, close.end), sink);
            self.closed_block(close, misplaced, sink);
            return Next::On;
        }
        let too_large = close.is_some() || self.source.end() >= start.saturating_add(max);
        if !too_large && !self.source.ended {
            return self.wait(HoldReason::OpenBlock, G::Block, "actions", until);
        }
        let found = if too_large {
            Diagnostic::new(
                Code::BlockTooLarge,
                tag.span,
                "no </actions> within 65,536 bytes of this <actions>",
            )
        } else {
            let end = self.source.end();
            Diagnostic::new(Code::UnclosedBlock, tag.span, "this <actions> is never closed").with_fix(
                Span::new(end, end),
                "</actions>",
                "Close it at the end",
            )
        };
        sink.step(Step::Diagnostic(&found));
        self.begin(misplaced, tag.span, tag.span, sink);
        self.block = Some(Inside {
            misplaced,
            ..Inside::default()
        });
        Next::On
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

    fn closed_block(&mut self, close: Span, misplaced: bool, sink: &mut dyn Sink) {
        let mut inside = Inside {
            end: Some(close.start),
            misplaced,
            ..Inside::default()
        };
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
    pub(super) fn unclosed_block(&mut self, sink: &mut dyn Sink) -> Next {
        let Some(mut inside) = self.block.take() else {
            return Next::On;
        };
        let end = self.source.end();
        let white = self.white_end(self.at, end);
        if white == end {
            if self.source.ended {
                return Next::On;
            }
            self.block = Some(inside);
            return self.wait(HoldReason::OpenBlock, G::UnclosedBlock, "actions", None);
        }
        inside.white = (white > self.at).then_some(Span::new(self.at, white));
        match self.item(&mut inside, white, sink) {
            Item::Taken => self.block = Some(inside),
            // The thing and the white space before it are ordinary text.
            Item::Foreign | Item::Ends => {}
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
        self.take_white(inside, sink);
        let reason = if inside.misplaced && reason == RangeReason::ActionsBlock {
            RangeReason::Misplaced
        } else {
            reason
        };
        self.hide(span, Fate::Strip, reason, sink);
    }

    /// What stands at `at`, which is no white space, in a block. Takes what belongs to it.
    fn item(&mut self, inside: &mut Inside, at: usize, sink: &mut dyn Sink) -> Item {
        let closed = inside.end.is_some();
        let end = inside.end.unwrap_or(self.source.end());
        let whole = closed || self.source.ended;
        if self.source.byte(at) != Some(b'<') {
            return Item::Foreign;
        }
        if let Some(item) = self.comment(inside, at, end, whole, sink) {
            return item;
        }
        if self.source.byte(at + 1) == Some(b'|') && at + 1 < end && self.reads(crate::Dialect::Guard) {
            return match self.control_token(at, end, whole) {
                Control::Ends(end) => {
                    self.take(inside, Span::new(at, end), RangeReason::ControlToken, sink);
                    leak("a control token", Span::new(at, end), sink);
                    Item::Taken
                }
                Control::Text => Item::Foreign,
                Control::Wait => self.wait_in_block("actions"),
            };
        }
        match self.names.at(&self.source, at, end, whole) {
            Named::Partial(name) => self.wait_in_block(self.names.fixed(name)),
            Named::Unknown if closed => self.unknown(inside, at, end, sink),
            Named::Unknown if whole && self.is_closing_prefix(at) => {
                self.take(inside, Span::new(at, end), RangeReason::CutOff, sink);
                Item::Taken
            }
            Named::Unknown => Item::Foreign,
            Named::Known(name) => self.known_inside(inside, name, at, end, whole, sink),
        }
    }

    fn wait_in_block(&self, subject: &'static str) -> Item {
        self.wait(HoldReason::OpenBlock, G::UnclosedBlock, subject, None)
            .into()
    }

    /// Whether the message ends in a beginning of `</actions>`.
    fn is_closing_prefix(&self, at: usize) -> bool {
        const CLOSE: &[u8] = b"</actions>";
        let rest = self.source.bytes(at, self.source.end().min(at + CLOSE.len() + 1));
        self.rules.on(G::ClosingPrefix)
            && CLOSE
                .get(..rest.len())
                .is_some_and(|c| c.eq_ignore_ascii_case(rest))
    }

    /// Comments and CDATA; `None` when it is neither.
    fn comment(
        &mut self,
        inside: &mut Inside,
        at: usize,
        end: usize,
        whole: bool,
        sink: &mut dyn Sink,
    ) -> Option<Item> {
        let opens = |source: &Source, word: &str| match source.stands(at, end, word) {
            Some(true) => Some(true),
            None if !whole => None,
            _ => Some(false),
        };
        if self.source.byte(at + 1) != Some(b'!') || at + 1 >= end {
            return None;
        }
        let (comment, cdata) = (opens(&self.source, "<!--"), opens(&self.source, "<![CDATA["));
        if comment == Some(true) {
            let found = self.search.comment.find(&self.source, at + 4, end);
            let far = end >= at + MAX_BLOCK;
            return Some(match found.or(inside.end) {
                _ if !self.rules.on(G::Comment) => Item::Foreign,
                Some(stop) => {
                    self.take(inside, Span::new(at, stop), RangeReason::ActionsBlock, sink);
                    Item::Taken
                }
                None if whole || far => Item::Foreign,
                None => self.wait_in_block("actions"),
            });
        }
        if cdata == Some(true) && inside.end.is_some() {
            let stop = self.search.cdata.find(&self.source, at + 9, end).unwrap_or(end);
            self.drop_text(inside, Span::new(at, stop), sink);
            return Some(Item::Taken);
        }
        let waits = comment.is_none() || cdata.is_none();
        Some(if waits {
            self.wait_in_block("actions")
        } else {
            Item::Foreign
        })
    }

    /// A `<` with no known name in a closed block.
    fn unknown(&mut self, inside: &mut Inside, at: usize, end: usize, sink: &mut dyn Sink) -> Item {
        if self.lex(at, end) != Lexed::Complete || !self.rules.on(G::UnknownTag) {
            return Item::Foreign;
        }
        let Some(lexer) = self.search.lexer.take() else {
            return Item::Foreign;
        };
        let tag = lexer.tag();
        let name = self.source.str(tag.name).to_ascii_lowercase();
        self.take(inside, tag.span, RangeReason::ActionsBlock, sink);
        // The closing tag of what was reported already is not reported again.
        if !(tag.closing && inside.unknown.contains(&name)) {
            let mut found = Diagnostic::new(
                Code::UnknownDirective,
                tag.span,
                format!("<{name}> is no directive"),
            );
            if let Some(nearest) = self.names.nearest(&name) {
                found.message = format!("<{name}> is no directive; did you mean <{nearest}>?");
                found = found.with_fix(tag.name, nearest, format!("Write {nearest}"));
            }
            sink.step(Step::Diagnostic(&found));
        }
        if !tag.closing {
            inside.unknown.insert(name);
        }
        Item::Taken
    }

    fn known_inside(
        &mut self,
        inside: &mut Inside,
        name: Name,
        at: usize,
        end: usize,
        whole: bool,
        sink: &mut dyn Sink,
    ) -> Item {
        match self.lex(at, end) {
            Lexed::More if !whole => self.wait_in_block(self.names.fixed(name)),
            lexed @ (Lexed::More | Lexed::Malformed) => {
                self.incomplete_inside(inside, name, at, end, lexed, sink);
                Item::Taken
            }
            Lexed::NoTag => Item::Foreign,
            Lexed::Complete => {
                let Some(lexer) = self.search.lexer.take() else {
                    return Item::Foreign;
                };
                let item = self.tag_inside_block(inside, name, lexer.tag(), end, whole, sink);
                if matches!(item, Item::Wait(_)) {
                    self.search.lexer = Some(lexer);
                }
                item
            }
        }
    }

    /// A tag of a known name that cannot be completed: taken up to its first `>`, line break, or the end.
    fn incomplete_inside(
        &mut self,
        inside: &mut Inside,
        name: Name,
        at: usize,
        end: usize,
        lexed: Lexed,
        sink: &mut dyn Sink,
    ) {
        let cut_off = inside.end.is_none() && self.is_cut_off(at, lexed);
        let rest = self.source.bytes(at, end);
        let stop = match memchr::memchr2(b'>', b'\n', rest) {
            None => end,
            Some(skip) if rest[skip] == b'>' => at + skip + 1,
            Some(skip) => at + skip - usize::from(rest[skip - 1] == b'\r'),
        };
        self.source.spend(stop - at);
        let span = Span::new(at, stop);
        self.take(
            inside,
            span,
            if cut_off {
                RangeReason::CutOff
            } else {
                RangeReason::ActionsBlock
            },
            sink,
        );
        let text = self.names.text(name);
        let closing = self.source.byte(at + 1) == Some(b'/');
        match name {
            Name::Actions if cut_off && closing => {}
            Name::Guard(_) if cut_off => leak(&format!("<{text}>, cut off"), span, sink),
            _ if cut_off => {
                let message = format!("<{text} is cut off by the end of the message");
                report(Code::UnclosedDirective, span, message, sink);
            }
            _ if self.rules.on(G::MalformedInBlock) => {
                report(
                    Code::MalformedDirective,
                    span,
                    format!("<{text} cannot be read as a tag"),
                    sink,
                );
            }
            _ => {}
        }
    }

    fn tag_inside_block(
        &mut self,
        inside: &mut Inside,
        name: Name,
        tag: &Tag,
        end: usize,
        whole: bool,
        sink: &mut dyn Sink,
    ) -> Item {
        match (name, tag.closing) {
            (Name::Actions, true) => {
                self.take(inside, tag.span, RangeReason::ActionsBlock, sink);
                return Item::Ends;
            }
            (Name::Actions, false) => self.take(inside, tag.span, RangeReason::ActionsBlock, sink),
            (Name::NoReply, false) => {
                if !inside.misplaced && self.rules.on(G::MarkerInBlock) {
                    self.out.mark(tag.span);
                }
                self.take(inside, tag.span, RangeReason::Marker, sink);
                self.memory.just_opened = (!tag.self_closing).then_some(Name::NoReply);
            }
            (Name::Guard(index), true) => {
                self.take(inside, tag.span, RangeReason::Guard, sink);
                leak(
                    &format!("</{}>", self.names.text(Name::Guard(index))),
                    tag.span,
                    sink,
                );
            }
            (Name::Guard(index), false) => {
                let Some((content, close)) = self.element(index, tag, end, whole) else {
                    let subject = self.names.fixed(name);
                    return self
                        .wait(HoldReason::GuardOpen, G::GuardElement, subject, None)
                        .into();
                };
                let (reason, span) = self.guard_ranges(index, tag, close);
                self.take(inside, tag.span, RangeReason::Guard, sink);
                self.take(inside, content, reason, sink);
                self.take(inside, Span::new(content.end, close), RangeReason::Guard, sink);
                leak(&format!("<{}>", self.names.text(Name::Guard(index))), span, sink);
            }
            (Name::NoReply | Name::Child(_), true) => {
                let at_once = self.memory.just_opened == Some(name);
                if let Name::Child(index) = name {
                    self.memory.opened[index] = self.memory.opened[index].saturating_sub(1);
                }
                let text = self.names.fixed(name);
                let reason = if at_once {
                    RangeReason::ActionsBlock
                } else {
                    RangeReason::StrayClose
                };
                self.take(inside, tag.span, reason, sink);
                if !at_once && self.rules.on(G::StrayCloseInBlock) {
                    stray(text, tag.span, sink);
                }
            }
            (Name::Child(index), false) => return self.child(inside, index, tag, end, whole, sink),
        }
        Item::Taken
    }

    /// The opening tag of a child in a block.
    fn child(
        &mut self,
        inside: &mut Inside,
        index: usize,
        tag: &Tag,
        end: usize,
        whole: bool,
        sink: &mut dyn Sink,
    ) -> Item {
        let (row, from) = (&CHILDREN[index], tag.span.end);
        let (mut content, mut span) = (None, tag.span);
        if row.paired && !tag.self_closing {
            let close = self.search.children[index].find(&self.source, from);
            let ends = match inside.end {
                Some(end) => end,
                // A late `</actions>` ends the block too: nothing hides it.
                None => self
                    .search
                    .actions
                    .find(&self.source, from)
                    .map_or(usize::MAX, |ends| ends.start),
            };
            let limit = if inside.end.is_some() {
                ends
            } else {
                ends.min(tag.span.start + MAX_BLOCK)
            };
            let close = close.filter(|close| close.end <= limit);
            if close.is_none() && !whole && self.source.end() < limit {
                return self
                    .wait(HoldReason::OpenBlock, G::UnclosedBlock, row.name, Some(limit))
                    .into();
            }
            match (close, inside.end) {
                (Some(close), _) => {
                    content = Some(Span::new(from, close.start));
                    span.end = close.end;
                }
                (None, Some(_)) => {
                    content = Some(Span::new(from, end));
                    span.end = end;
                    self.never_closed(row.name, tag.span, sink);
                }
                (None, None) => {
                    self.never_closed(row.name, tag.span, sink);
                    self.take(inside, tag.span, RangeReason::ActionsBlock, sink);
                    self.memory.opened[index] += 1;
                    return Item::Ends;
                }
            }
        }
        let (directive, problems) =
            children::build(row, &self.source, &tag.attributes, content, span, self.rules);
        for problem in problems {
            report(problem.code, problem.span, problem.message, sink);
        }
        let echo = match directive {
            Some(directive) if !inside.misplaced => !self.execute(&directive, sink),
            _ => false,
        };
        self.take(
            inside,
            span,
            if echo {
                RangeReason::Echo
            } else {
                RangeReason::ActionsBlock
            },
            sink,
        );
        if !row.paired && !tag.self_closing {
            self.memory.opened[index] += 1;
            self.memory.just_opened = Some(Name::Child(index));
        }
        Item::Taken
    }

    fn never_closed(&self, name: &str, span: Span, sink: &mut dyn Sink) {
        if self.rules.on(G::UnclosedPaired) {
            let found = Diagnostic::new(Code::UnclosedDirective, span, format!("<{name}> is never closed"));
            sink.step(Step::Diagnostic(&found));
        }
    }
}
