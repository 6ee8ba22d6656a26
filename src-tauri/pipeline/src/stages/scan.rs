//! Decides for every byte of an answer, by the scanner of the output grammar: one for each assistant message.

use super::{
    act::AskedAction,
    redact::{RawChunk, RawText, Redact},
};
use crate::{
    output::OutputEvent,
    rules::{Rule, Rules},
};
use foldback_directives::{
    Dialect, Scanner, Settings, Sink, Step, Suppression, parse, redact::Reader, unread_actions,
};
use foldback_wire::{
    DecidingSetting, DirectiveRef, Fate, Header, Hold, Kind, Outcome, OutcomeCode, Range, RangeReason, Span,
    redact::Redaction,
};
use std::borrow::Cow;

/// The decisions about a piece of text: for the journal, and for the delivery.
#[derive(Debug, Default)]
pub(crate) struct Decisions {
    pub(crate) events: Vec<Kind>,
    pub(crate) output: Vec<OutputEvent>,
}

impl Decisions {
    fn of(event: Option<Kind>) -> Self {
        Self {
            events: event.into_iter().collect(),
            output: Vec::new(),
        }
    }

    /// Adds raw text of a message, and what was decided about it.
    fn add_message(&mut self, message: u32, raw: Option<RawChunk>, made: Self) {
        let chunk = raw.map(|RawChunk { span, text, came }| Kind::Chunk {
            message,
            span,
            text,
            came,
        });
        self.events.extend(chunk);
        self.events.extend(made.events);
        self.output.extend(made.output);
    }
}

/// The scanners of a turn.
pub(crate) struct Scan<'a> {
    settings: &'a Settings,
    inbound: Cow<'a, str>,
    next_message: u32,
    open: Option<OpenMessage>,
    redact: Redact<'a>,
    rules: Rules,
    all_clear: Option<DecidingSetting>,
    /// Actions are on: those of the answer are kept, to be carried out once its run has ended.
    acts: bool,
    asked: Vec<AskedAction>,
}

struct OpenMessage {
    reader: Reader,
    raw: RawText,
    message: u32,
    /// The agent's own id of the message.
    id: Option<String>,
    bytes: usize,
    directives: u32,
    held: bool,
    /// The beginning of the raw text, where headers stand.
    head: String,
    /// The raw text; kept only when markup is shown.
    markup: Option<String>,
    /// The raw text; kept only where JSON actions are text, to say so when it ends, and not beyond [`MOST_UNREAD`].
    unread: Option<String>,
}

/// Bytes of a message in which a header is looked at before it is settled.
const HEAD: usize = 4_096;
/// Bytes of a message in which JSON actions that are not read are looked for: an action has no more.
const MOST_UNREAD: usize = 65_536;

impl<'a> Scan<'a> {
    /// For a turn that this inbound text triggered.
    pub(crate) fn new(
        settings: &'a Settings,
        inbound: &'a str,
        redaction: Option<&'a Redaction>,
        rules: Rules,
    ) -> Self {
        Self {
            settings,
            inbound: Cow::Borrowed(inbound),
            next_message: 0,
            open: None,
            redact: Redact::new(redaction, rules),
            rules,
            all_clear: None,
            acts: false,
            asked: Vec::new(),
        }
    }

    /// With actions on.
    pub(crate) fn with_actions(self, acts: bool) -> Self {
        Self { acts, ..self }
    }

    /// Adds a text that the agent was given within its run: what it repeats of it in the messages that follow is not carried
    /// out.
    pub(crate) fn add_given(&mut self, text: &str) {
        let inbound = self.inbound.to_mut();
        inbound.push('\n');
        inbound.push_str(text);
    }

    /// Takes the actions that the answer asks for, in order; none where they are off.
    pub(crate) fn take_actions(&mut self) -> Vec<AskedAction> {
        std::mem::take(&mut self.asked)
    }

    /// With the setting whose pattern makes a text an acknowledgement.
    pub(crate) fn with_all_clear(self, all_clear: Option<DecidingSetting>) -> Self {
        Self { all_clear, ..self }
    }

    /// More text of the message with this id; a new id ends the message before it.
    pub(crate) fn push(&mut self, id: Option<String>, text: &str) -> Decisions {
        let mut decisions = Decisions::default();
        if text.is_empty() {
            return decisions;
        }
        let other = |open: &OpenMessage| id.is_some() && open.id.is_some() && open.id != id;
        if self.open.as_ref().is_some_and(other) {
            self.end_into(false, &mut decisions);
        }
        let open = self.open.get_or_insert_with(|| {
            let message = self.next_message;
            self.next_message += 1;
            OpenMessage {
                reader: self
                    .redact
                    .reader(Scanner::new(self.settings, Some(&self.inbound))),
                raw: self.redact.raw(),
                message,
                id: None,
                bytes: 0,
                directives: 0,
                held: false,
                head: String::new(),
                markup: (!self.rules.holds(Rule::ScanStrip)).then(String::new),
                unread: (!self.settings.dialects.contains(&Dialect::Json)).then(String::new),
            }
        });
        if open.id.is_none() {
            open.id = id;
        }
        open.bytes += text.len();
        let room = HEAD.saturating_sub(open.head.len());
        open.head.push_str(&text[..text.floor_char_boundary(room)]);
        if let Some(markup) = &mut open.markup {
            markup.push_str(text);
        }
        open.unread = open.unread.take().and_then(|mut unread| {
            unread.push_str(text);
            (unread.len() <= MOST_UNREAD).then_some(unread)
        });
        let mut made = Decisions::default();
        let OpenMessage {
            message,
            directives,
            held,
            head,
            markup,
            ..
        } = open;
        let mut listener = Listener::new(*message, self.settings, directives, held, &self.redact, &mut made);
        listener.markup = markup.as_deref();
        listener.head = head;
        listener.asked = self.acts.then_some(&mut self.asked);
        open.reader.push(text, &mut listener);
        if !self.rules.holds(Rule::ScanHold) {
            listener.show_held(text, open.bytes);
        }
        listener.flush();
        let raw = open.raw.push(text, open.reader.redaction_from(), &made.events);
        decisions.add_message(open.message, Some(raw), made);
        if !self.rules.holds(Rule::DeliverClean) {
            decisions.output.push(OutputEvent::Raw(text.to_owned()));
        }
        decisions
    }

    /// Reasoning, as far as it may be told.
    pub(crate) fn reason(&mut self, text: String) -> Decisions {
        Decisions::of(self.redact.reason(text))
    }

    /// The rest of the reasoning: something else follows.
    pub(crate) fn end_reasoning(&mut self) -> Decisions {
        Decisions::of(self.redact.end_reasoning())
    }

    /// Ends the message that is open, if one is.
    pub(crate) fn end(&mut self, narration: bool) -> Decisions {
        let mut decisions = Decisions::default();
        self.end_into(narration, &mut decisions);
        decisions
    }

    fn end_into(&mut self, narration: bool, decisions: &mut Decisions) {
        let Some(open) = self.open.take() else { return };
        let OpenMessage {
            reader,
            raw,
            message,
            bytes,
            mut directives,
            mut held,
            head,
            markup,
            unread,
            ..
        } = open;
        let mut made = Decisions::default();
        let mut listener = Listener::new(
            message,
            self.settings,
            &mut directives,
            &mut held,
            &self.redact,
            &mut made,
        );
        listener.markup = markup.as_deref();
        listener.head = &head;
        listener.all_clear = self.all_clear.as_ref();
        listener.asked = self.acts.then_some(&mut self.asked);
        reader.finish(&mut listener);
        listener.flush();
        decisions.add_message(message, raw.finish(&made.events), made);
        if held {
            decisions.events.push(Kind::Released { message });
        }
        let unread = unread.map(|text| unread_actions(&text, self.settings, Some(&self.inbound)));
        let unread = unread.into_iter().flatten();
        let diagnosed = unread.map(|diagnostic| Kind::Diagnosed { message, diagnostic });
        decisions.events.extend(diagnosed);
        decisions.events.push(Kind::MessageEnded {
            message,
            bytes,
            narration,
            decided_by: None,
        });
        decisions.output.push(OutputEvent::Ended { narration });
    }
}

/// Turns the scanner's steps into journal events and output events.
struct Listener<'a> {
    message: u32,
    settings: &'a Settings,
    directives: &'a mut u32,
    held: &'a mut bool,
    redact: &'a Redact<'a>,
    into: &'a mut Decisions,
    /// Plain shown bytes that follow each other, not yet written down: one range instead of many.
    plain: Option<Span>,
    /// The place where what is held begins.
    holds: Option<usize>,
    /// The raw text, to show what was read as markup: a leak that the alarm is there for. Only mutation tests
    /// ask for it.
    markup: Option<&'a str>,
    /// The beginning of the raw text.
    head: &'a str,
    /// The setting whose pattern makes a text an acknowledgement.
    all_clear: Option<&'a DecidingSetting>,
    /// The actions that the answer has asked for; `None` where they are off.
    asked: Option<&'a mut Vec<AskedAction>>,
    text: String,
}

impl<'a> Listener<'a> {
    const fn new(
        message: u32,
        settings: &'a Settings,
        directives: &'a mut u32,
        held: &'a mut bool,
        redact: &'a Redact<'a>,
        into: &'a mut Decisions,
    ) -> Self {
        Self {
            message,
            settings,
            directives,
            held,
            redact,
            into,
            plain: None,
            holds: None,
            markup: None,
            head: "",
            all_clear: None,
            asked: None,
            text: String::new(),
        }
    }

    /// The part of the header at these bytes, as far as it may be told.
    fn header_at(&self, span: Span) -> Header {
        let header = self.head.get(span.start..span.end).unwrap_or_default();
        self.redact.header(&parse(header, self.settings, None).header)
    }

    /// The setting whose pattern an acknowledgement matched; none where its token alone is one.
    fn acknowledged_by(&self, reason: Suppression) -> Option<Box<DecidingSetting>> {
        let setting = self.all_clear.filter(|_| reason == Suppression::HeartbeatAck)?;
        let settings = Settings {
            all_clear: None,
            ..self.settings.clone()
        };
        let is_token = parse(self.head, &settings, None).suppressed.is_some();
        (!is_token).then(|| Box::new(setting.clone()))
    }

    fn event(&mut self, kind: Kind) {
        self.into.events.push(kind);
    }

    fn decided(&mut self, span: Span, fate: Fate, reason: Option<RangeReason>, shown_as: Option<String>) {
        self.flush_plain();
        let range = Range {
            span,
            fate,
            reason,
            shown_as,
        };
        self.event(Kind::Decided {
            message: self.message,
            range,
        });
    }

    fn flush_plain(&mut self) {
        if let Some(span) = self.plain.take() {
            let range = Range {
                span,
                fate: Fate::Show,
                reason: None,
                shown_as: None,
            };
            self.event(Kind::Decided {
                message: self.message,
                range,
            });
        }
    }

    fn flush_text(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.into.output.push(OutputEvent::Text {
                message: self.message,
                text,
            });
        }
    }

    fn flush(&mut self) {
        self.flush_plain();
        self.flush_text();
    }

    fn show(&mut self, span: Span, text: &str, joined: bool) {
        self.text.push_str(text);
        if joined {
            self.decided(
                span,
                Fate::Show,
                Some(RangeReason::JoinedSpace),
                Some(text.to_owned()),
            );
            return;
        }
        match &mut self.plain {
            Some(plain) if plain.end == span.start => plain.end = span.end,
            _ => {
                self.flush_plain();
                self.plain = Some(span);
            }
        }
    }

    /// Shows what is held of a chunk that ends at byte `end`: the leak that the alarm is there for. Only
    /// mutation tests ask for it.
    fn show_held(&mut self, chunk: &str, end: usize) {
        let Some(held) = self.holds else { return };
        let start = end - chunk.len();
        let from = held.max(start);
        self.show(Span::new(from, end), &chunk[from - start..], false);
    }

    /// Bytes of a secret: one range with those before it, where no other lies between.
    fn mask(&mut self, span: Span, text: &str) {
        self.text.push_str(text);
        if let Some(Kind::Decided { range, .. }) = self.into.events.last_mut()
            && range.reason == Some(RangeReason::Redacted)
            && range.span.end == span.start
            && text.is_empty()
            && self.plain.is_none()
        {
            range.span.end = span.end;
            return;
        }
        let reason = Some(RangeReason::Redacted);
        self.decided(span, Fate::Show, reason, Some(text.to_owned()));
    }

    fn emit(&mut self, event: OutputEvent) {
        self.flush_text();
        self.into.output.push(event);
    }
}

impl Sink for Listener<'_> {
    fn step(&mut self, step: Step<'_>) {
        let message = self.message;
        match step {
            Step::Show { span, text, joined } => self.show(span, text, joined),
            Step::Mask { span, text } => self.mask(span, text),
            Step::Hide { span, fate, reason } => {
                if let Some(raw) = self.markup {
                    return self.show(span, span.of(raw), false);
                }
                self.decided(span, fate, Some(reason), None);
                if (fate, reason) == (Fate::Drop, RangeReason::JsonActions)
                    && let Some(asked) = &mut self.asked
                    // One value that is too large is dropped piece by piece.
                    && asked.last() != Some(&AskedAction::Unreadable)
                {
                    asked.push(AskedAction::Unreadable);
                    self.emit(OutputEvent::Action { is_kept: true });
                }
                if reason == RangeReason::Header {
                    let part = self.header_at(span);
                    if part != Header::default() {
                        self.emit(OutputEvent::PartOfHeader(part));
                    }
                }
            }
            Step::Directive(directive) => {
                let at = DirectiveRef {
                    message,
                    index: *self.directives,
                };
                *self.directives += 1;
                let directive = self.redact.directive(directive);
                self.event(Kind::Directive {
                    at,
                    directive: directive.clone(),
                });
                self.emit(OutputEvent::Directive { at, directive });
            }
            Step::Header { header, span } => {
                let header = self.redact.header(header);
                self.event(Kind::HeaderRead {
                    message,
                    header: header.clone(),
                    span,
                });
                self.emit(OutputEvent::Header {
                    message,
                    header,
                    span: Span::default(),
                });
            }
            Step::Action(action) => {
                let is_kept = self.asked.is_some();
                let off = || Outcome::new(OutcomeCode::NotAllowed).because("no action is on");
                self.event(Kind::Action {
                    message,
                    action: action.clone(),
                    outcome: (!is_kept).then(off),
                });
                if let Some(asked) = &mut self.asked {
                    asked.push(AskedAction::Read(action.clone()));
                }
                self.emit(OutputEvent::Action { is_kept });
            }
            Step::Diagnostic(diagnostic) => {
                self.event(Kind::Diagnosed {
                    message,
                    diagnostic: diagnostic.clone(),
                });
            }
            Step::Suppressed(reason) => {
                let decided_by = self.acknowledged_by(reason);
                self.event(Kind::Suppressed {
                    message,
                    reason,
                    decided_by,
                });
                self.emit(OutputEvent::Suppressed(reason));
            }
            Step::Hold(Some(hold)) => {
                self.flush_plain();
                *self.held = true;
                self.holds = Some(hold.span.start);
                let hold = Hold {
                    span: hold.span,
                    reason: hold.reason,
                    rule: hold.rule.to_owned(),
                    because: hold.why(),
                    releases: hold.release().to_owned(),
                };
                self.event(Kind::Held { message, hold });
            }
            Step::Hold(None) => {
                self.holds = None;
                if std::mem::take(self.held) {
                    self.flush_plain();
                    self.event(Kind::Released { message });
                }
            }
        }
    }
}
