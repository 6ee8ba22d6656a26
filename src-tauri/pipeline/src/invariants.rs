//! What must hold in every journal, whatever happened. Tests, replays and `foldback doctor` ask for it.

use foldback_wire::{Event, Gate, Kind, OpId, OpKind, PermissionId, Receipt, Seq, Span, Terminal, TurnId};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Something that must not be in a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where it shows; the last event for what is missing.
    pub at: Seq,
    /// Which turn.
    pub turn: Option<TurnId>,
    /// What is wrong.
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

/// Whether the journal goes on after its last event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Turns and operations may still be open.
    Running,
    /// Everything has ended: an open turn or operation is a violation.
    Ended,
}

/// Checks a journal from its beginning. Empty when everything holds:
///
/// - every turn ends exactly once, and says nothing afterwards; a stop and a blocked end come together;
/// - every operation is intended once, attempted only in between, and ends exactly once; that it did not arrive after
///   all is said once at most, and only then, also after its turn;
/// - the chunks of a message follow each other, and its ranges cover each byte exactly once;
/// - no operation showed markup: the leak alarm was silent;
/// - a conversation is idle before its turn ends, with no operation of it open.
pub fn check(events: &[Event], extent: Extent) -> Vec<Violation> {
    let mut state = State::default();
    for event in events {
        state.take(event);
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
    messages: BTreeMap<u32, Bytes>,
}

/// What is known of an assistant message's bytes.
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
    /// How far it has come, as far as the platform told.
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

    fn take(&mut self, event: &Event) {
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
                wrong.extend(end_mismatch(terminal, state.stopped));
            }
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
mod tests {
    use super::*;
    use crate::testing::inbound;
    use foldback_wire::{Outcome, OutcomeCode, Timestamp};

    fn events(kinds: Vec<Kind>) -> Vec<Event> {
        let event = |(n, kind)| Event {
            seq: Seq(n as u64 + 1),
            at: Timestamp(0),
            turn: Some(TurnId(1)),
            session: None,
            channel: None,
            kind,
        };
        kinds.into_iter().enumerate().map(event).collect()
    }

    fn received() -> Kind {
        Kind::Received {
            message: Box::new(inbound("hi")),
        }
    }

    fn ended(terminal: Terminal) -> Kind {
        Kind::TurnEnded { terminal }
    }

    fn violations(kinds: Vec<Kind>) -> Vec<String> {
        check(&events(kinds), Extent::Ended)
            .into_iter()
            .map(|v| v.what)
            .collect()
    }

    #[test]
    fn a_turn_ends_exactly_once() {
        assert!(violations(vec![received(), ended(Terminal::Replied)]).is_empty());
        assert_eq!(violations(vec![received()]), ["the turn never ends"]);
        assert!(check(&events(vec![received()]), Extent::Running).is_empty());
        let twice = violations(vec![
            received(),
            ended(Terminal::Replied),
            ended(Terminal::Replied),
        ]);
        assert!(twice[0].starts_with("the turn has ended already"), "{twice:?}");
        let blocked = Terminal::Blocked {
            gate: Gate::QueueFull,
        };
        assert!(violations(vec![received(), ended(blocked)])[0].starts_with("it was stopped by None"));
    }

    #[test]
    fn no_operation_shows_markup() {
        let leaked = Kind::Leaked {
            op: OpId(4),
            message: 0,
            span: Span::new(3, 9),
        };
        assert_eq!(
            violations(vec![received(), leaked, ended(Terminal::Replied)]),
            ["operation 4 showed markup: bytes 3 to 9 of message 0"]
        );
    }

    #[test]
    fn every_byte_has_one_range() {
        let chunk = Kind::Chunk {
            message: 0,
            span: Span::new(0, 4),
            text: "abcd".into(),
            came: None,
        };
        let range = |start, end| {
            let span = Span::new(start, end);
            let range = foldback_wire::Range {
                span,
                fate: foldback_wire::Fate::Show,
                reason: None,
                shown_as: None,
            };
            Kind::Decided { message: 0, range }
        };
        let end = Kind::MessageEnded {
            message: 0,
            bytes: 4,
            narration: false,
        };
        let with = |ranges: Vec<Kind>| {
            let mut kinds = vec![received(), chunk.clone()];
            kinds.extend(ranges);
            kinds.extend([end.clone(), ended(Terminal::Replied)]);
            violations(kinds)
        };
        assert!(with(vec![range(2, 4), range(0, 2)]).is_empty());
        assert_eq!(with(vec![range(0, 2)]), ["message 0: ranges end at byte 2 of 4"]);
        assert_eq!(
            with(vec![range(0, 3), range(2, 4)]),
            ["message 0: a range begins at 2 where 3 is due"]
        );
    }

    #[test]
    fn a_request_is_decided_once_and_before_its_turn_ends() {
        let asked = Kind::PermissionAsked {
            request: serde_json::from_str(
                r#"{"id":"p","tool":null,"title":"","does":"","arguments":null,"options":[]}"#,
            )
            .unwrap(),
            until: None,
        };
        let decided = Kind::PermissionDecided {
            id: "p".into(),
            option: None,
            by: foldback_wire::Actor::Console,
            why: String::new(),
        };
        let end = ended(Terminal::Replied);
        assert!(violations(vec![received(), asked.clone(), decided.clone(), end.clone()]).is_empty());
        assert_eq!(
            violations(vec![received(), asked, end.clone()]),
            ["nobody decided about request p"]
        );
        assert_eq!(
            violations(vec![received(), decided, end]),
            ["request p is decided, and was not asked"]
        );
    }

    #[test]
    fn an_operation_ends_once_and_only_after_its_intent() {
        let outcome = Outcome::new(OutcomeCode::Sent);
        let done = Kind::Ended { op: OpId(1), outcome };
        let end = ended(Terminal::Replied);
        let never = violations(vec![received(), done, end]);
        assert_eq!(never, ["operation 1 was never intended"]);
    }

    #[test]
    fn what_did_not_arrive_is_said_once_and_after_the_end() {
        let intended = Kind::Intended {
            op: OpId(1),
            intent: serde_json::from_str(
                r#"{"kind":"send_text","target":{"chat":"c","thread":null},"live":false}"#,
            )
            .unwrap(),
        };
        let done = Kind::Ended {
            op: OpId(1),
            outcome: Outcome::new(OutcomeCode::Sent),
        };
        let lost = Kind::Undelivered {
            op: OpId(1),
            message: "m1".into(),
            refusal: foldback_wire::RefusalCode::Gone,
            detail: String::new(),
        };
        let end = ended(Terminal::Replied);
        let well = [&intended, &done, &end, &lost];
        let said = |kinds: &[&Kind]| {
            violations([vec![received()], kinds.iter().map(|k| (*k).clone()).collect()].concat())
        };
        assert!(said(&well).is_empty(), "{:?}", said(&well));
        assert_eq!(
            said(&[&intended, &done, &end, &lost, &lost]),
            ["operation 1 is lost twice"]
        );
        assert_eq!(
            said(&[&intended, &lost, &done, &end]),
            ["operation 1 is lost before it has ended"]
        );
        assert_eq!(said(&[&lost, &end]), ["operation 1 was never intended"]);
    }

    #[test]
    fn how_far_it_has_come_is_said_after_its_outcome_and_never_goes_back() {
        let intended = Kind::Intended {
            op: OpId(1),
            intent: serde_json::from_str(
                r#"{"kind":"send_text","target":{"chat":"c","thread":null},"live":false}"#,
            )
            .unwrap(),
        };
        let done = Kind::Ended {
            op: OpId(1),
            outcome: Outcome::new(OutcomeCode::Sent),
        };
        let reached = |receipt| Kind::Receipt {
            op: OpId(1),
            message: "m1".into(),
            receipt,
            when: Timestamp(0),
        };
        let (delivered, read) = (reached(Receipt::Delivered), reached(Receipt::Read));
        let end = ended(Terminal::Replied);
        let said = |kinds: &[&Kind]| {
            violations([vec![received()], kinds.iter().map(|k| (*k).clone()).collect()].concat())
        };
        let well = said(&[&intended, &done, &delivered, &end, &read]);
        assert!(well.is_empty(), "{well:?}");
        assert_eq!(
            said(&[&intended, &done, &end, &read, &delivered]),
            ["operation 1 is delivered after it was read"]
        );
        assert_eq!(
            said(&[&intended, &done, &end, &read, &read]),
            ["operation 1 is read after it was read"]
        );
        assert_eq!(
            said(&[&intended, &read, &done, &end]),
            ["operation 1 is read before it has ended"]
        );
        assert_eq!(said(&[&read, &end]), ["operation 1 was never intended"]);
    }
}
