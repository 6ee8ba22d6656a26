//! JSON actions (dialect `json`): a value at a line start, or alone in a fenced block, whose first key is
//! `actions`, or which is [one action by itself](alone). They run at the end of the message, never earlier.
//!
//! ```text
//! {"actions":[{"type":"bash","payload":{"command":"df -h"}}]}   actions; an empty list is silence
//! {"type":"bash","payload":{"command":"df -h"}}                 one action
//! {"system_message":{…}}                                        text, and no value of this message acts
//! {"type":"object","properties":{…}}                            text, as every other value
//! {"type":"bash","payload":"df -h"}                             malformed, where the host has an action `bash`
//! ```
//!
//! - A value is held until its first keys tell what it is, and then to its end, at most [`MAX_VALUE`] bytes; nothing of
//!   one that acts is shown in any cut.
//! - What is known to be actions and cannot be read is dropped and reported, never shown. So is an object that
//!   [names an action](named) and has a payload, but is not written as an action by itself.
//! - Several values on lines of their own are read in order, and the text between them stays.
//! - The work is linear: a byte is probed once, and what a probe found to be text is not probed again.

mod alone;
mod named;
mod probe;
mod state;
mod value;

pub(crate) use value::{JsonPart, part_of_json};

use super::text::{Coding, FenceLine};
use super::{Next, Scanner, report};
use crate::rules::Rule as G;
use crate::{Code, Dialect, Fate, HoldReason, JsonAction, RangeReason, Sink, Span, Step};
use probe::{Found, Probe};

/// Most bytes of a value, from its `{`.
const MAX_VALUE: usize = 65_536;

/// What the dialect remembers over a message.
#[derive(Debug, Default)]
pub(super) struct Json {
    probe: Option<Probe>,
    actions: Vec<JsonAction>,
    /// A `system_message` was read: nothing in this text acts.
    inert: bool,
    /// A value that grew too large is dropped to its end.
    dropping: bool,
    /// Before this byte no value begins: it lies within one that is text.
    text_to: usize,
}

impl Scanner {
    /// Whether a value that is too large is being dropped.
    pub(super) fn drops_json(&self) -> bool {
        self.json.dropping
    }

    /// A `{` at a line start, or the run of marks that may open a fence; `None` when it is not for this dialect.
    pub(super) fn json_value(&mut self, sink: &mut dyn Sink) -> Option<Next> {
        if !self.reads(Dialect::Json) || self.json.inert || !self.rules.on(G::JsonActions) {
            return None;
        }
        let start = self.at;
        if start < self.json.text_to {
            return None;
        }
        let mut probe = match self.json.probe.take() {
            Some(probe) if probe.start == start => probe,
            _ => Probe::new(&self.source, start, self.rules.on(G::JsonAlone)),
        };
        match probe.read(&self.source, &self.settings.action_names) {
            Found::Text => {
                self.json.text_to = probe.text_to();
                return None;
            }
            Found::Inert => {
                self.json.inert = self.rules.on(G::JsonInert);
                return None;
            }
            Found::Ends { value, end } => {
                let read = if probe.is_unreadable() {
                    None
                } else if probe.is_alone() {
                    value::one(&self.source, value).map(|action| vec![action])
                } else {
                    value::actions(&self.source, value)
                };
                self.take_json(read, Span::new(start, end), sink);
            }
            Found::Cut { keyed: true } if self.source.ended => {
                self.take_json(None, Span::new(start, self.source.end()), sink);
            }
            Found::Cut { .. } if self.source.ended => {
                self.json.text_to = probe.text_to();
                return None;
            }
            Found::Cut { .. } => {
                let until = probe.bound();
                self.json.probe = Some(probe);
                return Some(self.wait(HoldReason::JsonOpen, G::JsonFirstKey, "actions", until));
            }
            Found::TooLarge => {
                let end = probe.at();
                self.take_json(None, Span::new(start, end), sink);
                self.json.probe = Some(probe);
                self.json.dropping = true;
            }
        }
        Some(Next::On)
    }

    /// Goes on dropping a value that was too large.
    pub(super) fn drop_json(&mut self, sink: &mut dyn Sink) -> Next {
        let Some(probe) = self.json.probe.as_mut() else {
            self.json.dropping = false;
            return Next::On;
        };
        let closed = probe.follow(&self.source);
        let span = Span::new(self.at, probe.at());
        if closed {
            // The fence it stood in is still open.
            if let Some((mark, len)) = probe.fence() {
                self.coding = Coding::Fence {
                    mark,
                    len,
                    line: FenceLine::Other,
                };
            }
            self.json.probe = None;
            self.json.dropping = false;
        }
        if !span.is_empty() {
            self.hide(span, Fate::Drop, RangeReason::JsonActions, sink);
        }
        Next::On
    }

    fn take_json(&mut self, read: Option<Vec<JsonAction>>, span: Span, sink: &mut dyn Sink) {
        let fate = if read.is_some() { Fate::Strip } else { Fate::Drop };
        self.hide(span, fate, RangeReason::JsonActions, sink);
        match read {
            Some(actions) => {
                if actions.is_empty() && self.rules.on(G::JsonSilence) {
                    self.out.be_quiet();
                }
                self.json.actions.extend(actions);
            }
            None if self.rules.on(G::JsonMalformed) => {
                report(
                    Code::MalformedDirective,
                    span,
                    "these JSON actions cannot be read; they are dropped",
                    sink,
                );
            }
            None => {}
        }
    }

    /// The message has ended: now the actions run, unless the text is inert.
    pub(super) fn finish_json(&mut self, sink: &mut dyn Sink) {
        if !self.json.inert {
            for action in &self.json.actions {
                sink.step(Step::Action(action));
            }
        }
    }
}
