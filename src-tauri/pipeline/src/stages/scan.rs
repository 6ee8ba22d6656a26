//! Decides for every byte of an answer, by the scanner of the output grammar: one for each assistant message.

use foldback_directives::{Scanner, Settings, Sink, Step};
use foldback_wire::{
    AgentFault, Directive, DirectiveRef, Fate, Header, Hold, Kind, Outcome, OutcomeCode, Range, RangeReason,
    Span, Suppression,
};

/// What the delivery of a turn is told, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cue {
    /// More text to show.
    Text { message: u32, text: String },
    /// The header of the message, before its first text. The span is where it may stand.
    Header {
        message: u32,
        header: Header,
        span: Span,
    },
    /// A directive, before the text that follows it.
    Directive { at: DirectiveRef, directive: Directive },
    /// A JSON action, which is not carried out.
    Action,
    /// The message is not delivered.
    Suppressed(Suppression),
    /// The message is complete.
    Ended { narration: bool },
    /// The run is over.
    RunEnded,
    /// A person, or the end of the process, stopped the run.
    RunCancelled,
    /// The run failed.
    RunFailed { fault: AgentFault, detail: String },
}

/// What came of a piece of text: for the journal, and for the delivery.
#[derive(Debug, Default)]
pub(crate) struct Decisions {
    pub(crate) events: Vec<Kind>,
    pub(crate) cues: Vec<Cue>,
}

/// The scanners of a turn.
pub(crate) struct Scan<'a> {
    settings: &'a Settings,
    inbound: &'a str,
    next_message: u32,
    open: Option<Open>,
}

struct Open {
    scanner: Scanner,
    message: u32,
    /// The agent's own id of the message.
    id: Option<String>,
    bytes: usize,
    directives: u32,
    held: bool,
}

impl<'a> Scan<'a> {
    /// For a turn that this inbound text triggered.
    pub(crate) const fn new(settings: &'a Settings, inbound: &'a str) -> Self {
        Self {
            settings,
            inbound,
            next_message: 0,
            open: None,
        }
    }

    /// More text of the message with this id; a new id ends the message before it.
    pub(crate) fn push(&mut self, id: Option<String>, text: &str) -> Decisions {
        let mut decisions = Decisions::default();
        if text.is_empty() {
            return decisions;
        }
        let other = |open: &Open| id.is_some() && open.id.is_some() && open.id != id;
        if self.open.as_ref().is_some_and(other) {
            self.end_into(false, &mut decisions);
        }
        let open = self.open.get_or_insert_with(|| {
            let message = self.next_message;
            self.next_message += 1;
            let scanner = Scanner::new(self.settings, Some(self.inbound));
            Open {
                scanner,
                message,
                id: None,
                bytes: 0,
                directives: 0,
                held: false,
            }
        });
        if open.id.is_none() {
            open.id = id;
        }
        let span = Span::new(open.bytes, open.bytes + text.len());
        open.bytes = span.end;
        decisions.events.push(Kind::Chunk {
            message: open.message,
            span,
            text: text.to_owned(),
        });
        let mut listener = Listener::new(open.message, &mut open.directives, &mut open.held, &mut decisions);
        open.scanner.push(text, &mut listener);
        listener.flush();
        decisions
    }

    /// Ends the message that is open, if one is.
    pub(crate) fn end(&mut self, narration: bool) -> Decisions {
        let mut decisions = Decisions::default();
        self.end_into(narration, &mut decisions);
        decisions
    }

    fn end_into(&mut self, narration: bool, decisions: &mut Decisions) {
        let Some(mut open) = self.open.take() else { return };
        let mut listener = Listener::new(open.message, &mut open.directives, &mut open.held, decisions);
        open.scanner.finish(&mut listener);
        listener.flush();
        if open.held {
            decisions.events.push(Kind::Released {
                message: open.message,
            });
        }
        decisions.events.push(Kind::MessageEnded {
            message: open.message,
            bytes: open.bytes,
            narration,
        });
        decisions.cues.push(Cue::Ended { narration });
    }
}

/// Turns the scanner's steps into events and cues.
struct Listener<'a> {
    message: u32,
    directives: &'a mut u32,
    held: &'a mut bool,
    into: &'a mut Decisions,
    /// Plain shown bytes that follow each other, not yet written down: one range instead of many.
    plain: Option<Span>,
    text: String,
}

impl<'a> Listener<'a> {
    const fn new(message: u32, directives: &'a mut u32, held: &'a mut bool, into: &'a mut Decisions) -> Self {
        Self {
            message,
            directives,
            held,
            into,
            plain: None,
            text: String::new(),
        }
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
            self.into.cues.push(Cue::Text {
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

    fn cue(&mut self, cue: Cue) {
        self.flush_text();
        self.into.cues.push(cue);
    }
}

impl Sink for Listener<'_> {
    fn step(&mut self, step: Step<'_>) {
        let message = self.message;
        match step {
            Step::Show { span, text, joined } => self.show(span, text, joined),
            Step::Hide { span, fate, reason } => self.decided(span, fate, Some(reason), None),
            Step::Directive(directive) => {
                let at = DirectiveRef {
                    message,
                    index: *self.directives,
                };
                *self.directives += 1;
                self.event(Kind::Directive {
                    at,
                    directive: directive.clone(),
                });
                self.cue(Cue::Directive {
                    at,
                    directive: directive.clone(),
                });
            }
            Step::Header(header) => {
                self.event(Kind::HeaderRead {
                    message,
                    header: header.clone(),
                });
                self.cue(Cue::Header {
                    message,
                    header: header.clone(),
                    span: Span::default(),
                });
            }
            Step::Action(action) => {
                let outcome =
                    Outcome::new(OutcomeCode::NotAllowed).because("JSON actions are not executed yet");
                self.event(Kind::Action {
                    message,
                    action: action.clone(),
                    outcome,
                });
                self.cue(Cue::Action);
            }
            Step::Diagnostic(diagnostic) => {
                self.event(Kind::Diagnosed {
                    message,
                    diagnostic: diagnostic.clone(),
                });
            }
            Step::Suppressed(reason) => {
                self.event(Kind::Suppressed { message, reason });
                self.cue(Cue::Suppressed(reason));
            }
            Step::Hold(Some(hold)) => {
                self.flush_plain();
                *self.held = true;
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
                if std::mem::take(self.held) {
                    self.flush_plain();
                    self.event(Kind::Released { message });
                }
            }
        }
    }
}
