//! Directives outside blocks: the commonest mistake of a model is to forget the wrapper.

use super::{Next, Scanner, report};
use crate::lex::is_blank_line;
use crate::lex::tag::{Lexed, Tag};
use crate::names::{Name, Named};
use crate::rules::Rule as G;
use crate::{Bare, Code, Diagnostic, Fate, HoldReason, RangeReason, Sink, Span, Step};

/// Most bytes from the end of a bare opening tag to the end of its closing one.
pub(crate) const MAX_PAIR: usize = 4_096;

/// How far the content of a bare paired directive has been read.
#[derive(Debug)]
pub(super) struct Paired {
    start: usize,
    at: usize,
    lf: Option<usize>,
}

/// What a bare paired directive has come to.
enum Pair {
    /// Its closing tag.
    Closed(Span),
    Never,
    Open,
}

impl Scanner {
    /// The opening tag of a child outside a block.
    pub(super) fn bare(&mut self, index: usize, tag: Tag, sink: &mut dyn Sink) -> Next {
        let row = &self.names.children()[index];
        if row.paired && !self.at_line_start() && self.rules.on(G::BarePairedLineStart) {
            return self.show_tag(tag.span, sink);
        }
        let (content, span) = if row.paired && !tag.self_closing {
            // Without what it requires it is nothing, whatever its content: decided at once.
            let any = Some(Span::new(tag.span.start, tag.span.start + 1));
            let asked = |slot: &Paired| slot.start == tag.span.start;
            if !self.search.paired.as_ref().is_some_and(asked) && !self.make(row, any, tag.span) {
                return self.show_tag(tag.span, sink);
            }
            match self.pair(index, tag) {
                Pair::Never => {
                    self.left_as_text(tag.span.end + MAX_PAIR);
                    return self.show_one(sink);
                }
                Pair::Open => {
                    let until = Some(tag.span.end + MAX_PAIR);
                    return self.wait(HoldReason::OpenDirective, G::BarePaired, row.name, until);
                }
                Pair::Closed(close) => (
                    Some(Span::new(tag.span.end, close.start)),
                    Span::new(tag.span.start, close.end),
                ),
            }
        } else {
            (None, tag.span)
        };
        if !self.make(row, content, span) {
            return self.show_tag(tag.span, sink);
        }
        let setting = self.bare_setting();
        let reason = if self.misplaced() {
            let message = format!("<{}> after text is not executed here", row.name);
            report(Code::MisplacedBlock, span, message, sink);
            RangeReason::Misplaced
        } else if setting == Bare::Execute && !self.execute(sink) {
            RangeReason::Echo
        } else {
            if self.rules.on(G::BareReported) {
                let message = format!("<{}> is outside <actions>", row.name);
                let mut found = Diagnostic::new(Code::BareDirective, span, message);
                if self.may_be_wrapped(row.paired || tag.self_closing, span) {
                    let wrapped = format!("<actions>{}</actions>", self.source.str(span));
                    found = found.with_fix(span, wrapped, "Wrap it in <actions>");
                }
                sink.step(Step::Diagnostic(&found));
            }
            RangeReason::BareDirective
        };
        let shown = reason == RangeReason::BareDirective && setting == Bare::Text;
        self.report_problems(shown, sink);
        if shown {
            return self.show_tag(tag.span, sink);
        }
        self.hide(span, Fate::Strip, reason, sink);
        if !row.paired && !tag.self_closing {
            self.memory.opened[index] += 1;
            self.memory.just_opened = Some(Name::Child(index));
        }
        Next::On
    }

    /// Whether a block of its own changes nothing but that the directive is no longer bare.
    fn may_be_wrapped(&self, whole: bool, span: Span) -> bool {
        let raw = self.source.bytes(span.start, span.end);
        // The `</actions>` would close the block that is open, one in a value would close the new one, and a
        // closing tag of this may follow.
        whole && !self.memory.unclosed && !raw.windows(9).any(|part| part.eq_ignore_ascii_case(b"</actions"))
    }

    /// Looks for the closing tag: within [`MAX_PAIR`] bytes, with no blank line, backtick, child tag or
    /// `actions` tag before it.
    fn pair(&mut self, index: usize, tag: Tag) -> Pair {
        let from = tag.span.end;
        let cap = from + MAX_PAIR;
        let close = self.search.children[index]
            .find(&self.source, from)
            .filter(|close| close.end <= cap);
        let end = close.map_or(self.source.end().min(cap), |close| close.start);
        let mut slot = self
            .search
            .paired
            .take()
            .filter(|slot| slot.start == tag.span.start)
            .unwrap_or(Paired {
                start: tag.span.start,
                at: from,
                lf: None,
            });
        let clear = self.pair_content(&mut slot, end, close.is_some());
        self.search.paired = Some(slot);
        match close {
            _ if !clear => Pair::Never,
            Some(close) => Pair::Closed(close),
            None if self.source.ended || self.source.end() >= cap => Pair::Never,
            None => Pair::Open,
        }
    }

    /// Reads the content up to `end`: whether it holds nothing that forbids the pair. `closed` says that the
    /// closing tag stands at `end`.
    fn pair_content(&mut self, slot: &mut Paired, end: usize, closed: bool) -> bool {
        while slot.at < end {
            let rest = self.source.bytes(slot.at, end);
            let skip = memchr::memchr3(b'<', b'`', b'\n', rest);
            self.source.spend(skip.unwrap_or(rest.len()) + 1);
            slot.at += skip.unwrap_or(rest.len());
            match skip.map(|skip| rest[skip]) {
                None => {}
                Some(b'`') if self.rules.on(G::BarePairedBacktick) => return false,
                Some(b'\n') => {
                    let blank = slot.lf.is_some_and(|lf| is_blank_line(&self.source, lf, slot.at));
                    if blank && self.rules.on(G::BarePairedBlankLine) {
                        return false;
                    }
                    slot.lf = Some(slot.at);
                    slot.at += 1;
                }
                Some(b'<') => match self.tag_inside(slot.at, end, closed) {
                    Some(true) if self.rules.on(G::BarePairedTag) => return false,
                    Some(_) => slot.at += 1,
                    None => return true,
                },
                Some(_) => slot.at += 1,
            }
        }
        true
    }

    /// Whether a complete child or `actions` tag stands at `at`; `None` when that is not known yet.
    fn tag_inside(&mut self, at: usize, end: usize, closed: bool) -> Option<bool> {
        let whole = closed || self.source.ended;
        match self.names.at(&self.source, at, end, whole) {
            Named::Known(Name::Child(_) | Name::Actions) => {}
            Named::Partial(_) => return None,
            _ => return Some(false),
        }
        let lexer = &mut self.search.inner;
        match lexer.read(at, &self.source, &mut self.search.quotes, end) {
            Lexed::Complete => Some(lexer.tag().span.end <= end),
            Lexed::More if !whole => None,
            _ => Some(false),
        }
    }
}
