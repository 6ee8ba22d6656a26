//! One thing in a block: a comment, a tag, or nothing a block holds.

use std::collections::BTreeSet;

use super::{Inside, Item, MAX_BLOCK};
use crate::lex::Source;
use crate::lex::tag::{Lexed, MAX_TAG, Tag};
use crate::names::{Name, Named};
use crate::rules::Rule as G;
use crate::scanner::angle::{Control, leak};
use crate::scanner::{Scanner, report};
use crate::{Code, Diagnostic, HoldReason, RangeReason, Sink, Span, Step};

impl Scanner {
    /// What stands at `at`, which is no white space, in a block. Takes what belongs to it.
    pub(super) fn item(&mut self, inside: &mut Inside, at: usize, sink: &mut dyn Sink) -> Item {
        let closed = inside.end.is_some();
        let end = inside.end.unwrap_or(self.source.end());
        let whole = closed || self.source.ended;
        if self.source.byte(at) != Some(b'<') {
            return Item::Foreign;
        }
        if self.source.byte(at + 1) == Some(b'!') && at + 1 < end {
            return self.comment(inside, at, end, whole, sink);
        }
        if self.source.byte(at + 1) == Some(b'|') && at + 1 < end && self.reads(crate::Dialect::Guard) {
            return match self.control_token(at, end, whole) {
                Control::Ends(end) => {
                    let span = Span::new(at, end);
                    let may_go = !inside.in_line && self.may_go(span);
                    self.take(inside, span, RangeReason::ControlToken, sink);
                    leak("a control token", span, may_go, sink);
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
                inside.closing = Some(at);
                self.take(inside, Span::new(at, end), RangeReason::CutOff, sink);
                Item::Taken
            }
            Named::Unknown => Item::Foreign,
            Named::Known(name) => self.known_inside(inside, name, at, end, whole, sink),
        }
    }

    pub(super) fn wait_in_block(&self, subject: &'static str) -> Item {
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

    /// What begins with `<!`: a comment, CDATA, or nothing.
    fn comment(
        &mut self,
        inside: &mut Inside,
        at: usize,
        end: usize,
        whole: bool,
        sink: &mut dyn Sink,
    ) -> Item {
        // XML knows no other case of these.
        let opens = |source: &Source, word: &str| {
            let there = source.bytes(at, end.min(at + word.len()));
            source.spend(there.len());
            match word.as_bytes().starts_with(there) {
                true if there.len() == word.len() => Some(true),
                true if !whole => None,
                _ => Some(false),
            }
        };
        let (comment, cdata) = (opens(&self.source, "<!--"), opens(&self.source, "<![CDATA["));
        if comment == Some(true) {
            let found = self.search.comment.find(&self.source, at + 4, end);
            let found = found.filter(|stop| inside.end.is_some() || *stop <= at + MAX_BLOCK);
            let far = end >= at + MAX_BLOCK;
            return match found.or(inside.end) {
                _ if !self.rules.on(G::Comment) => Item::Foreign,
                Some(stop) => {
                    self.take(inside, Span::new(at, stop), RangeReason::ActionsBlock, sink);
                    Item::Taken
                }
                None if whole || far => Item::Foreign,
                None => self.wait_in_block("actions"),
            };
        }
        if cdata == Some(true) && inside.end.is_some() {
            let stop = self.search.cdata.find(&self.source, at + 9, end).unwrap_or(end);
            self.drop_text(inside, Span::new(at, stop), sink);
            return Item::Taken;
        }
        let waits = comment.is_none() || cdata.is_none();
        if waits {
            self.wait_in_block("actions")
        } else {
            Item::Foreign
        }
    }

    /// A `<` with no known name in a closed block.
    fn unknown(&mut self, inside: &mut Inside, at: usize, end: usize, sink: &mut dyn Sink) -> Item {
        if self.lex(at, end) != Lexed::Complete || !self.rules.on(G::UnknownTag) {
            self.left_as_text(at + MAX_TAG);
            return Item::Foreign;
        }
        let tag = self.search.lexer.tag();
        let name = self.source.str(tag.name).to_ascii_lowercase();
        self.take(inside, tag.span, RangeReason::ActionsBlock, sink);
        // The closing tag of what was reported already is not reported again.
        let known = |seen: &BTreeSet<String>| seen.contains(&name);
        if !(tag.closing && inside.unknown.as_ref().is_some_and(known)) {
            let mut found = Diagnostic::new(
                Code::UnknownDirective,
                tag.span,
                format!("<{name}> is no directive"),
            );
            if let Some(nearest) = self.names.nearest(&self.source, &name) {
                found.message = format!("<{name}> is no directive; did you mean <{nearest}>?");
                if let Some((span, text)) = self.renamed(tag, end, nearest) {
                    found = found.with_fix(span, text, format!("Write {nearest}"));
                }
            }
            sink.step(Step::Diagnostic(&found));
        }
        if !tag.closing {
            inside.unknown.get_or_insert_default().insert(name);
        }
        Item::Taken
    }

    /// What to replace to give an unknown tag another name, and what by; its closing tag with it, which must
    /// follow at once, or where `name` takes content, after its text.
    fn renamed(&self, tag: Tag, end: usize, name: &str) -> Option<(Span, String)> {
        if tag.closing || tag.self_closing {
            return (!tag.closing).then(|| (tag.name, name.to_owned()));
        }
        let rest = self.source.bytes(tag.span.end, end);
        let text = memchr::memchr(b'<', rest)?;
        self.source.spend(text);
        let written = self.source.bytes(tag.name.start, tag.name.end);
        let closing = rest[text..].strip_prefix(b"</")?.get(..written.len() + 1)?;
        let (closes, angle) = closing.split_at(written.len());
        let paired = self
            .names
            .children()
            .iter()
            .any(|row| row.paired && row.name == name);
        let fits = name != "actions" && (paired || rest[..text].trim_ascii().is_empty());
        if !fits || angle != b">" || !closes.eq_ignore_ascii_case(written) {
            return None;
        }
        let stop = tag.span.end + text + 2;
        let between = self.source.str(Span::new(tag.name.end, stop));
        let span = Span::new(tag.name.start, stop + written.len());
        Some((span, format!("{name}{between}{name}")))
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
        match self.lex_named(at, self.names.known_len(name), end) {
            Lexed::More if !whole => self.wait_in_block(self.names.fixed(name)),
            lexed @ (Lexed::More | Lexed::Malformed) => {
                let Some(stop) = self.end_of_incomplete(at, end, whole) else {
                    return self.wait_in_block(self.names.fixed(name));
                };
                self.incomplete_inside(inside, name, Span::new(at, stop), lexed, sink);
                Item::Taken
            }
            Lexed::NoTag => Item::Foreign,
            Lexed::Complete => self.tag_inside_block(inside, name, self.search.lexer.tag(), end, whole, sink),
        }
    }

    /// Where a tag ends that cannot be completed: at its first `>`, line break, or the end; `None` while that
    /// has not arrived.
    fn end_of_incomplete(&mut self, at: usize, end: usize, whole: bool) -> Option<usize> {
        let (start, seen) = self.search.incomplete;
        let from = if start == at && seen <= end { seen } else { at };
        let rest = self.source.bytes(from, end);
        let found = memchr::memchr2(b'>', b'\n', rest);
        self.source.spend(found.unwrap_or(rest.len()) + 1);
        let stop = match found.map(|skip| (from + skip, rest[skip])) {
            Some((angle, b'>')) => angle + 1,
            Some((lf, _)) => lf - usize::from(self.source.byte(lf - 1) == Some(b'\r')),
            None if whole => end,
            None => {
                self.search.incomplete = (at, end);
                return None;
            }
        };
        Some(stop)
    }

    /// A tag of a known name that cannot be completed is taken as far as it goes.
    fn incomplete_inside(
        &mut self,
        inside: &mut Inside,
        name: Name,
        span: Span,
        lexed: Lexed,
        sink: &mut dyn Sink,
    ) {
        let cut_off = inside.end.is_none() && self.is_cut_off(span.start, lexed);
        let at = span.start;
        let may_go = !inside.in_line && self.may_go(span);
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
        if !cut_off {
            self.left_as_text(at + MAX_TAG);
        }
        let text = self.names.text(name);
        let closing = self.source.byte(at + 1) == Some(b'/');
        match name {
            Name::Actions if cut_off && closing => inside.closing = Some(at),
            Name::Guard(_) if cut_off => leak(&format!("<{text}>, cut off"), span, may_go, sink),
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
}
