//! Complete tags of known names in a block, and the children above all.

use super::{Inside, Item, MAX_BLOCK};
use crate::lex::tag::Tag;
use crate::names::Name;
use crate::rules::Rule as G;
use crate::scanner::Scanner;
use crate::scanner::angle::{leak, stray};
use crate::{Code, Diagnostic, HoldReason, RangeReason, Sink, Span, Step};

impl Scanner {
    pub(super) fn tag_inside_block(
        &mut self,
        inside: &mut Inside,
        name: Name,
        tag: Tag,
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
                    let may_go = !inside.in_line && self.may_go(tag.span);
                    self.out.mark(&self.source, tag.span, may_go);
                }
                self.take(inside, tag.span, RangeReason::Marker, sink);
                self.memory.just_opened = (!tag.self_closing).then_some(Name::NoReply);
            }
            (Name::Guard(index), true) => {
                let may_go = !inside.in_line && self.may_go(tag.span);
                self.take(inside, tag.span, RangeReason::Guard, sink);
                let name = self.names.text(Name::Guard(index));
                leak(&format!("</{name}>"), tag.span, may_go, sink);
            }
            (Name::Guard(index), false) => {
                let Some((content, close)) = self.element(index, tag, end, whole) else {
                    let subject = self.names.fixed(name);
                    return self
                        .wait(HoldReason::GuardOpen, G::GuardElement, subject, None)
                        .into();
                };
                let (reason, span) = self.guard_ranges(index, tag, close);
                let may_go = !inside.in_line && self.may_go(span);
                self.take(inside, tag.span, RangeReason::Guard, sink);
                self.take(inside, content, reason, sink);
                self.take(inside, Span::new(content.end, close), RangeReason::Guard, sink);
                let name = self.names.text(Name::Guard(index));
                leak(&format!("<{name}>"), span, may_go, sink);
            }
            (Name::NoReply | Name::Child(_), true) => {
                let at_once = self.memory.just_opened == Some(name);
                let mut may_go = !inside.in_line && self.may_go(tag.span);
                if at_once && name == Name::NoReply && !inside.misplaced && self.rules.on(G::MarkerInBlock) {
                    self.out.mark(&self.source, tag.span, true);
                }
                if let Name::Child(index) = name {
                    may_go &= self.memory.opened[index] == 0;
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
                    stray(text, tag.span, may_go, sink);
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
        tag: Tag,
        end: usize,
        whole: bool,
        sink: &mut dyn Sink,
    ) -> Item {
        let (row, from) = (&self.names.children()[index], tag.span.end);
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
                    self.never_closed(index, tag.span, Some(end), sink);
                    self.memory.opened[index] += 1;
                }
                (None, None) => {
                    self.never_closed(index, tag.span, None, sink);
                    self.take(inside, tag.span, RangeReason::ActionsBlock, sink);
                    self.memory.opened[index] += 1;
                    // A `</actions>` here would make it the last child, without its content.
                    inside.may_be_closed = false;
                    return Item::Ends;
                }
            }
        }
        let made = self.make(row, content, span);
        self.report_problems(false, sink);
        let echo = made && !inside.misplaced && !self.execute(sink);
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

    /// Reports a paired child without its closing tag. Where it took the text to the end of a block, at `mend`,
    /// the finding waits: a closing tag behind the block may be the one that was meant.
    fn never_closed(&mut self, index: usize, span: Span, mend: Option<usize>, sink: &mut dyn Sink) {
        if !self.rules.on(G::UnclosedPaired) {
            return;
        }
        let name = self.names.children()[index].name;
        let found = Diagnostic::new(Code::UnclosedDirective, span, format!("<{name}> is never closed"));
        let Some(end) = mend else {
            return sink.step(Step::Diagnostic(&found));
        };
        self.report_unclosed(index, false, sink);
        self.memory.unclosed_children[index] = Some((found, end));
    }

    /// Reports the child that waits to be reported as never closed, with its fix where that `may_close` it: with
    /// a closing tag of its own, another one behind the block would be text.
    pub(in crate::scanner) fn report_unclosed(&mut self, index: usize, may_close: bool, sink: &mut dyn Sink) {
        let Some((mut found, end)) = self.memory.unclosed_children[index].take() else {
            return;
        };
        if may_close {
            let name = self.names.children()[index].name;
            found = found.with_fix(
                Span::new(end, end),
                format!("</{name}>"),
                format!("Close it with </{name}>"),
            );
        }
        sink.step(Step::Diagnostic(&found));
    }
}
