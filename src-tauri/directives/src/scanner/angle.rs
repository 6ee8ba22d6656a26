//! What begins with `<` outside blocks.

use super::{Next, Scanner, report};
use crate::lex::tag::{Lexed, MAX_TAG, Tag};
use crate::names::{Name, Named};
use crate::rules::Rule as G;
use crate::{Code, Dialect, Fate, GuardKind, HoldReason, RangeReason, Sink, Span};

/// Most characters of a control token's name.
const MAX_TOKEN: usize = 64;

/// What a `<|` turned out to be.
pub(super) enum Control {
    /// A control token that ends here.
    Ends(usize),
    Text,
    Wait,
}

impl Scanner {
    /// A `<` that may begin something, of which `named` is known.
    pub(super) fn angle(&mut self, named: Named, sink: &mut dyn Sink) -> Next {
        let (at, end, ended) = (self.at, self.source.end(), self.source.ended);
        if self.source.byte(at + 1) == Some(b'|') && self.reads(Dialect::Guard) {
            return match self.control_token(at, end, ended) {
                Control::Ends(end) => {
                    let span = Span::new(at, end);
                    let may_go = self.may_go(span);
                    self.hide(span, Fate::Strip, RangeReason::ControlToken, sink);
                    leak("a control token", span, may_go, sink);
                    Next::On
                }
                Control::Text => self.show_one(sink),
                Control::Wait => self.wait(
                    HoldReason::PartialToken,
                    G::ControlToken,
                    "",
                    Some(at + MAX_TOKEN + 4),
                ),
            };
        }
        match named {
            Named::Unknown => self.show_one(sink),
            Named::Partial(name) => self.wait_for_tag(name),
            Named::Known(name) => self.known(name, sink),
        }
    }

    fn wait_for_tag(&self, name: Name) -> Next {
        let (reason, rule) = match name {
            Name::NoReply => (HoldReason::MaybeMarker, G::Marker),
            _ => (HoldReason::PartialTag, G::Tag),
        };
        self.wait(reason, rule, self.names.fixed(name), Some(self.at + MAX_TAG))
    }

    /// `<|name|>` at `at`; cut off by the end of the message it is one too.
    pub(super) fn control_token(&self, at: usize, end: usize, whole: bool) -> Control {
        let rest = self.source.bytes(at + 2, end.min(at + 2 + MAX_TOKEN + 2));
        let len = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
            .count();
        self.source.spend(len + 2);
        if len > MAX_TOKEN || !self.rules.on(G::ControlToken) {
            return Control::Text;
        }
        match &rest[len..] {
            [] if !whole => Control::Wait,
            [b'|'] if !whole && len > 0 => Control::Wait,
            [] | [b'|'] if len > 0 && self.source.ended && end == self.source.end() => Control::Ends(end),
            [b'|', b'>', ..] if len > 0 => Control::Ends(at + 2 + len + 2),
            _ => Control::Text,
        }
    }

    /// A tag of a known name, whatever its state.
    fn known(&mut self, name: Name, sink: &mut dyn Sink) -> Next {
        match self.lex_named(self.at, self.names.known_len(name), self.source.end()) {
            Lexed::More if !self.source.ended => self.wait_for_tag(name),
            Lexed::More | Lexed::Malformed => self.incomplete(name, sink),
            Lexed::NoTag => {
                self.left_as_text(self.at + MAX_TAG);
                self.show_one(sink)
            }
            Lexed::Complete => self.tag(name, self.search.lexer.tag(), sink),
        }
    }

    /// Whether the tag at `at`, which has not been completed, was cut off by the end of the message.
    pub(super) fn is_cut_off(&self, at: usize, lexed: Lexed) -> bool {
        lexed == Lexed::More
            && self.source.ended
            && self.search.lexer.could_be_cut_off()
            && self.source.last_angle().is_none_or(|last| last <= at)
            && self.rules.on(G::CutOff)
    }

    fn incomplete(&mut self, name: Name, sink: &mut dyn Sink) -> Next {
        let (at, end) = (self.at, self.source.end());
        let lexed = self.lex(at, end);
        let text = self.names.text(name).to_owned();
        let closing = self.source.byte(at + 1) == Some(b'/');
        if !self.is_cut_off(at, lexed) {
            if let Name::Guard(index) = name {
                if !closing {
                    self.memory.guards[index].left_as_text();
                }
            } else if self.rules.on(G::Malformed) {
                let span = Span::new(at, end.min(at + 1 + text.len()));
                report(
                    Code::MalformedDirective,
                    span,
                    format!("<{text} cannot be read as a tag; it is text"),
                    sink,
                );
            }
            self.left_as_text(at + MAX_TAG);
            return self.show_one(sink);
        }
        let span = Span::new(at, end);
        match name {
            Name::NoReply if !closing => {
                self.out.mark(&self.source, span, self.may_go(span));
                self.hide(span, Fate::Strip, RangeReason::Marker, sink);
            }
            Name::Guard(_) => {
                let may_go = self.may_go(span);
                self.hide(span, Fate::Strip, RangeReason::CutOff, sink);
                leak(&format!("<{text}>, cut off"), span, may_go, sink);
            }
            _ => {
                self.hide(span, Fate::Strip, RangeReason::CutOff, sink);
                let message = format!("<{text} is cut off by the end of the message");
                report(Code::UnclosedDirective, span, message, sink);
            }
        }
        Next::On
    }

    fn tag(&mut self, name: Name, tag: Tag, sink: &mut dyn Sink) -> Next {
        match (name, tag.closing) {
            (Name::Actions, false) => self.open_actions(tag, sink),
            (Name::Actions, true) => self.close_actions(tag.span, sink),
            (Name::NoReply, false) => {
                self.out.mark(&self.source, tag.span, self.may_go(tag.span));
                self.hide(tag.span, Fate::Strip, RangeReason::Marker, sink);
                self.memory.just_opened = (!tag.self_closing).then_some(Name::NoReply);
                Next::On
            }
            (Name::NoReply, true) => {
                let at_once = self.memory.just_opened == Some(Name::NoReply);
                if at_once {
                    self.out.mark(&self.source, tag.span, true);
                }
                self.close(at_once, "no-reply", RangeReason::Marker, tag.span, sink)
            }
            (Name::Child(index), false) => self.bare(index, tag, sink),
            (Name::Child(index), true) => {
                if self.memory.opened[index] == 0 || !self.rules.on(G::ChildClose) {
                    return self.show_tag(tag.span, sink);
                }
                self.memory.opened[index] -= 1;
                self.report_unclosed(index, false, sink);
                let at_once = self.memory.just_opened == Some(name);
                self.close(
                    at_once,
                    self.names.children()[index].name,
                    RangeReason::BareDirective,
                    tag.span,
                    sink,
                )
            }
            (Name::Guard(index), false) => self.open_guard(index, tag, sink),
            (Name::Guard(index), true) => self.close_guard(index, tag.span, sink),
        }
    }

    /// A closing tag: part of what it closes at once, else a stray one, which is taken out and reported.
    fn close(
        &mut self,
        at_once: bool,
        name: &str,
        part: RangeReason,
        span: Span,
        sink: &mut dyn Sink,
    ) -> Next {
        // Without a child's closing tag a later one would be taken for it.
        let may_go = self.may_go(span) && part != RangeReason::BareDirective;
        self.hide(
            span,
            Fate::Strip,
            if at_once { part } else { RangeReason::StrayClose },
            sink,
        );
        if !at_once && self.rules.on(G::StrayClose) {
            stray(name, span, may_go, sink);
        }
        Next::On
    }

    fn close_actions(&mut self, span: Span, sink: &mut dyn Sink) -> Next {
        if self.memory.prose > 0 {
            self.memory.prose -= 1;
            return self.show_tag(span, sink);
        }
        self.close(false, "actions", RangeReason::StrayClose, span, sink)
    }

    fn close_guard(&mut self, index: usize, span: Span, sink: &mut dyn Sink) -> Next {
        if self.memory.guards[index].close() && self.rules.on(G::GuardLeftAsText) {
            return self.show_tag(span, sink);
        }
        let may_go = self.may_go_alone(index, span);
        self.hide(span, Fate::Strip, RangeReason::Guard, sink);
        let name = self.names.text(Name::Guard(index));
        leak(&format!("</{name}>"), span, may_go, sink);
        Next::On
    }

    fn open_guard(&mut self, index: usize, tag: Tag, sink: &mut dyn Sink) -> Next {
        let anywhere = self.names.guard_kind(index) == GuardKind::Strip;
        if !anywhere && !self.at_line_start() && self.rules.on(G::GuardLineStart) {
            self.memory.guards[index].left_as_text();
            return self.show_tag(tag.span, sink);
        }
        let (end, ended) = (self.source.end(), self.source.ended);
        let Some((content, close)) = self.element(index, tag, end, ended) else {
            return self.wait(
                HoldReason::GuardOpen,
                G::GuardElement,
                self.names.fixed(Name::Guard(index)),
                None,
            );
        };
        let (reason, span) = self.guard_ranges(index, tag, close);
        let may_go = if self.names.guard_kind(index) == GuardKind::Unwrap && !tag.self_closing {
            let may_go = self.may_go_alone(index, span);
            self.memory.guards[index].taken_out();
            may_go
        } else {
            self.may_go(span)
        };
        self.hide(
            Span::new(span.start, tag.span.end),
            Fate::Strip,
            RangeReason::Guard,
            sink,
        );
        self.hide(content, Fate::Strip, reason, sink);
        self.hide(
            Span::new(content.end, close),
            Fate::Strip,
            RangeReason::Guard,
            sink,
        );
        let name = self.names.text(Name::Guard(index));
        leak(&format!("<{name}>"), span, may_go, sink);
        Next::On
    }
}

/// Reports a closing tag that closes nothing, and whether it may be taken out.
pub(super) fn stray(name: &str, span: Span, may_go: bool, sink: &mut dyn Sink) {
    let message = format!("</{name}> closes nothing");
    let mut found = crate::Diagnostic::new(Code::StrayClose, span, message);
    if may_go {
        found = found.with_fix(span, "", "Remove it");
    }
    sink.step(crate::Step::Diagnostic(&found));
}

/// Reports scaffolding that was taken out, and whether it may be taken out of the text.
pub(super) fn leak(what: &str, span: Span, may_go: bool, sink: &mut dyn Sink) {
    let mut found = crate::Diagnostic::new(Code::LeakGuard, span, format!("{what} was taken out"));
    if may_go {
        found = found.with_fix(span, "", "Remove it");
    }
    sink.step(crate::Step::Diagnostic(&found));
}
