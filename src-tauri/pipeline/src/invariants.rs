//! Invariants of every journal, whatever happened. Tests, replays and `foldback doctor` ask for it.

use foldback_wire::{
    Event, Gate, Kind, OpId, OpKind, PermissionId, Receipt, Seq, Span, Terminal, ToolId, TurnId,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Something that must not be in a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The event in which it shows; the last event for what is missing.
    pub at: Seq,
    /// The turn.
    pub turn: Option<TurnId>,
    /// The mistake.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.turn {
            Some(turn) => write!(f, "event {}, turn {turn}: {}", self.at, self.what),
            None => write!(f, "event {}: {}", self.at, self.what),
        }
    }
}

/// True where the journal goes on after its last event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Turns and operations may still be open.
    Running,
    /// Everything has ended: an open turn or operation is a violation.
    Ended,
}

/// Checks a journal from its beginning. Empty when everything holds:
///
/// - every turn ends exactly once, and says nothing afterwards; a stop and a blocked end come together; no tool call of
///   it is without an end then, and no request for permission undecided;
/// - every operation is intended once, attempted only in between, and ends exactly once; that it did not arrive after
///   all is said once at most, and only then, also after its turn;
/// - the chunks of a message follow each other, and its ranges cover each byte exactly once;
/// - no operation showed markup: the leak alarm was silent;
/// - a conversation is idle before its turn ends, with no operation of it open.
pub fn check(events: &[Event], extent: Extent) -> Vec<Violation> {
    let mut state = State::default();
    for event in events {
        state.fold_event(event);
    }
    if extent == Extent::Ended {
        state.end(events.last().map_or(Seq(0), |e| e.seq));
    }
    state.violations
}

#[derive(Debug, Default)]
struct State {
    last: Seq,
    turns: BTreeMap<TurnId, TurnState>,
    ops: BTreeMap<OpId, OpState>,
    /// Operations that a turn must not leave open.
    open: BTreeSet<(TurnId, OpId)>,
    violations: Vec<Violation>,
}

#[derive(Debug, Default)]
struct TurnState {
    ended: bool,
    stopped: Option<Gate>,
    /// Requests for permission that nobody has decided.
    asking: BTreeSet<PermissionId>,
    /// Tool calls without an end.
    calling: BTreeSet<ToolId>,
    messages: BTreeMap<u32, Bytes>,
}

/// The facts about an assistant message's bytes.
#[derive(Debug, Default)]
struct Bytes {
    chunked: usize,
    came: usize,
    ranges: Vec<Span>,
}

#[derive(Debug)]
struct OpState {
    turn: Option<TurnId>,
    ended: bool,
    /// It did not arrive after all.
    lost: bool,
    /// Its progress, as far as the platform told.
    reached: Option<Receipt>,
}

impl State {
    fn violation(&mut self, event: &Event, what: impl Into<String>) {
        self.violations.push(Violation {
            at: event.seq,
            turn: event.turn,
            what: what.into(),
        });
    }

    fn fold_event(&mut self, event: &Event) {
        if event.seq <= self.last {
            self.violation(event, format!("it comes after event {}", self.last));
        }
        self.last = event.seq;
        match &event.kind {
            Kind::Intended { op, intent } => {
                let state = OpState {
                    turn: event.turn,
                    ended: false,
                    lost: false,
                    reached: None,
                };
                if let Some(turn) = event.turn.filter(|_| intent.kind != OpKind::Typing) {
                    self.open.insert((turn, *op));
                }
                if self.ops.insert(*op, state).is_some() {
                    self.violation(event, format!("operation {op} is intended twice"));
                }
            }
            Kind::Attempted { op, .. } | Kind::Refused { op, .. } | Kind::Faulted { op: Some(op), .. } => {
                self.open_op(event, *op);
            }
            Kind::Ended { op, .. } => {
                self.open_op(event, *op);
                if let Some(state) = self.ops.get_mut(op) {
                    state.ended = true;
                    if let Some(turn) = state.turn {
                        self.open.remove(&(turn, *op));
                    }
                }
            }
            Kind::Leaked { op, message, span } => {
                let (start, end) = (span.start, span.end);
                let what =
                    format!("operation {op} showed markup: bytes {start} to {end} of message {message}");
                self.violation(event, what);
            }
            Kind::Undelivered { op, .. } => self.lose(event, *op),
            Kind::Receipt { op, receipt, .. } => self.reach(event, *op, *receipt),
            _ => {}
        }
        if let Some(turn) = event.turn {
            self.take_turn(event, turn);
        }
    }

    fn open_op(&mut self, event: &Event, op: OpId) {
        match self.ops.get(&op) {
            None => self.violation(event, format!("operation {op} was never intended")),
            Some(OpState { ended: true, .. }) => {
                self.violation(event, format!("operation {op} has ended already"));
            }
            Some(_) => {}
        }
    }

    /// An acknowledged operation did not arrive.
    fn lose(&mut self, event: &Event, op: OpId) {
        match self.ops.get_mut(&op) {
            None => self.violation(event, format!("operation {op} was never intended")),
            Some(OpState { ended: false, .. }) => {
                self.violation(event, format!("operation {op} is lost before it has ended"));
            }
            Some(OpState { lost: true, .. }) => {
                self.violation(event, format!("operation {op} is lost twice"));
            }
            Some(state) => state.lost = true,
        }
    }

    /// An acknowledged operation has come further.
    fn reach(&mut self, event: &Event, op: OpId, receipt: Receipt) {
        match self.ops.get_mut(&op) {
            None => self.violation(event, format!("operation {op} was never intended")),
            Some(OpState { ended: false, .. }) => {
                self.violation(event, format!("operation {op} is {receipt} before it has ended"));
            }
            Some(OpState {
                reached: Some(known), ..
            }) if *known >= receipt => {
                let what = format!("operation {op} is {receipt} after it was {known}");
                self.violation(event, what);
            }
            Some(state) => state.reached = Some(receipt),
        }
    }

    fn take_turn(&mut self, event: &Event, turn: TurnId) {
        if let Kind::Received { .. } = &event.kind {
            if self.turns.insert(turn, TurnState::default()).is_some() {
                self.violation(event, "the turn begins twice");
            }
            return;
        }
        let Some(state) = self.turns.get_mut(&turn) else {
            return self.violation(event, "the turn was never begun");
        };
        let mut wrong = Vec::new();
        if state.ended && !event.kind.is_late() {
            wrong.push(format!("the turn has ended already, and then: {:?}", event.kind));
        }
        match &event.kind {
            Kind::Stopping { gate, .. } => state.stopped = Some(*gate),
            Kind::TurnEnded { terminal } => {
                state.ended = true;
                let undecided = |id: &PermissionId| format!("nobody decided about request {id}");
                wrong.extend(state.asking.iter().map(undecided));
                let unended = |id: &ToolId| format!("tool call {id} has no end");
                wrong.extend(state.calling.iter().map(unended));
                wrong.extend(end_mismatch(terminal, state.stopped));
            }
            Kind::Tool { call } if call.status.is_over() => drop(state.calling.remove(&call.id)),
            Kind::Tool { call } => drop(state.calling.insert(call.id.clone())),
            Kind::PermissionAsked { request, .. } => {
                state.asking.insert(request.id.clone());
            }
            Kind::PermissionDecided { id, .. } if !state.asking.remove(id) => {
                wrong.push(format!("request {id} is decided, and was not asked"));
            }
            Kind::Chunk {
                message,
                span,
                text,
                came,
            } => {
                let bytes = state.messages.entry(*message).or_default();
                if span.start != bytes.chunked || span.len() != text.len() {
                    wrong.push(format!(
                        "a chunk at {} follows byte {}",
                        span.start, bytes.chunked
                    ));
                }
                if came.is_some_and(|came| came <= span.end || came < bytes.came) {
                    wrong.push(format!("{came:?} bytes came, where {} were told", span.end));
                }
                bytes.chunked = span.end;
                bytes.came = came.unwrap_or(span.end).max(bytes.came);
            }
            Kind::Decided { message, range } => {
                state
                    .messages
                    .entry(*message)
                    .or_default()
                    .ranges
                    .push(range.span);
            }
            Kind::MessageEnded {
                message,
                bytes: length,
                ..
            } => {
                let bytes = state.messages.entry(*message).or_default();
                if bytes.chunked != *length || bytes.came != *length {
                    wrong.push(format!(
                        "message {message} has {length} bytes, its chunks {}",
                        bytes.chunked
                    ));
                }
                wrong.extend(gap(*message, &mut bytes.ranges, *length));
            }
            _ => {}
        }
        if matches!(event.kind, Kind::Idle | Kind::TurnEnded { .. }) {
            let of_turn = (turn, OpId(u64::MIN))..=(turn, OpId(u64::MAX));
            if let Some((_, op)) = self.open.range(of_turn).next() {
                wrong.push(format!("operation {op} is still open"));
            }
        }
        for what in wrong {
            self.violation(event, what);
        }
    }

    fn end(&mut self, at: Seq) {
        let turns = self.turns.iter().filter(|(_, t)| !t.ended);
        let open_turns = turns.map(|(turn, _)| (Some(*turn), "the turn never ends".to_owned()));
        let ops = self.ops.iter().filter(|(_, o)| !o.ended);
        let open_ops = ops.map(|(op, o)| (o.turn, format!("operation {op} never ends")));
        let open = open_turns
            .chain(open_ops)
            .map(|(turn, what)| Violation { at, turn, what });
        self.violations.extend(open.collect::<Vec<_>>());
    }
}

/// A blocked end has a stop, and a stop a blocked end.
fn end_mismatch(terminal: &Terminal, stopped: Option<Gate>) -> Option<String> {
    let gate = match terminal {
        Terminal::Blocked { gate } => Some(*gate),
        Terminal::Duplicate => Some(Gate::Duplicate),
        Terminal::Dropped if stopped == Some(Gate::Displaced) => stopped,
        Terminal::Dropped => Some(Gate::Dropped),
        _ => None,
    };
    (gate != stopped).then(|| format!("it was stopped by {stopped:?} and ends as {terminal:?}"))
}

/// A byte that no range covers, or two.
fn gap(message: u32, ranges: &mut [Span], length: usize) -> Option<String> {
    ranges.sort_by_key(|span| (span.start, span.end));
    let mut at = 0;
    for span in ranges.iter() {
        if span.start != at {
            return Some(format!(
                "message {message}: a range begins at {} where {at} is due",
                span.start
            ));
        }
        at = span.end;
    }
    (at != length).then(|| format!("message {message}: ranges end at byte {at} of {length}"))
}

#[cfg(test)]
mod tests;
