//! Two witnesses, compared: the bot's journal and the platform's log.

use crate::simulated_platform::op_of;
use foldback_channels::read_log;
use foldback_pipeline::invariants::{self, Extent};
use foldback_store::{Journal as _, SqliteJournal};
use foldback_wire::{
    Actor, Body, ChannelState, Event, Kind, MessageId, OpId, OpKind, OutcomeCode, Seq, SessionId, Span,
    Stage, StopReason, Terminal, TurnId,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
};

/// What both say.
pub(crate) struct Figures {
    /// By the caller.
    pub(crate) kills: usize,
    intents: usize,
    acknowledged: u64,
    pub(crate) unknown: u64,
    /// Turns that waited at a kill and were taken up by the next life.
    pub(crate) taken_up: usize,
    /// Turns whose answer the next life finished.
    pub(crate) finished: usize,
    /// Kills between the end of a run and the end of its delivery.
    pub(crate) between: usize,
    /// Turns that a kill cut off, and whose person was told so.
    told: usize,
    /// How often the channel was switched off by a command.
    pub(crate) toggles: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kills,
            intents,
            acknowledged,
            unknown,
            taken_up,
            finished,
            between,
            told,
            ..
        } = self;
        // Where doubled or lost were not 0, this would not be reached.
        write!(
            f,
            "{kills} kills, {intents} intents: {acknowledged} acknowledged, {unknown} unknown, doubled = 0, lost = 0; \
             {taken_up} waiting turns taken up again, {finished} finished, {told} told that they were cut off; {between} \
             kills between a run and its last edit"
        )
    }
}

/// What the journal knows of an operation.
struct Known {
    kind: OpKind,
    session: Option<SessionId>,
    /// In which life the platform was called last, from 1; 0 when never.
    called: u64,
    outcome: Option<OutcomeCode>,
}

pub(crate) fn compare(journal: &Path, log: &Path, written: &BTreeSet<String>) -> Figures {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (events, left) = runtime.block_on(async {
        let journal = SqliteJournal::open(journal).await.unwrap();
        let events = journal.read(Seq(1), usize::MAX >> 1).await.unwrap();
        (events, journal.outbox().await.unwrap())
    });
    let violations = invariants::check(&events, Extent::Ended);
    assert!(violations.is_empty(), "{violations:#?}");
    assert!(left.is_empty(), "something is left in the outbox: {left:#?}");

    let taken_up = turns(&events, written);
    let known = operations(&events);
    let Words { finished, told } = words(&events);
    let applied = applications(log);
    for (op, times) in &applied {
        assert_eq!(*times, 1, "operation {op} happened {times} times");
        assert!(
            known.contains_key(op),
            "operation {op} happened and was never intended"
        );
    }
    let mut figures = Figures {
        kills: 0,
        intents: known.len(),
        acknowledged: 0,
        unknown: 0,
        taken_up,
        finished,
        between: kills_after_a_run(&events),
        told,
        toggles: events.iter().filter(|event| is_toggle(&event.kind)).count(),
    };
    let mut doubtful: BTreeMap<(Option<SessionId>, u64), u32> = BTreeMap::new();
    for (op, state) in &known {
        let happened = applied.contains_key(op);
        match state.outcome {
            // What was in flight at a kill and is asked for again may be there already: a reaction has no key.
            Some(OutcomeCode::Unchanged) => figures.acknowledged += 1,
            Some(OutcomeCode::Sent) => {
                figures.acknowledged += 1;
                assert!(
                    happened,
                    "operation {op} ({}) was acknowledged and is missing",
                    state.kind
                );
            }
            Some(OutcomeCode::Unknown) => {
                figures.unknown += 1;
                *doubtful.entry((state.session.clone(), state.called)).or_default() += 1;
            }
            // A live frame that a later one replaced.
            Some(OutcomeCode::Cancelled) => {
                assert!(
                    !happened,
                    "operation {op} ({}) happened, and is told otherwise",
                    state.kind
                );
            }
            other => panic!("operation {op} ({}) ended as {other:?}", state.kind),
        }
    }
    assert!(
        doubtful.values().all(|times| *times == 1),
        "more than one unknown in a conversation and kill: {doubtful:?}"
    );
    figures
}

/// Every message has a turn, and no turn ended by a kill before its agent was given the message: in a run of its own, or
/// in that of another turn, as the oldest of more than `queue.cap` messages are. Answers how many were taken up again.
fn turns(events: &[Event], written: &BTreeSet<String>) -> usize {
    let mut received = BTreeSet::new();
    let mut begun = BTreeSet::new();
    let mut joined = BTreeMap::new();
    let mut taken_up = BTreeSet::new();
    for event in events {
        match &event.kind {
            Kind::Received { message } => drop(received.insert(message.message.to_string())),
            Kind::RunStarted { .. } => drop(begun.insert(event.turn)),
            Kind::Joined { into, .. } => drop(joined.insert(event.turn, Some(*into))),
            Kind::Passed {
                stage: Stage::Queue, ..
            } => drop(taken_up.insert(event.turn)),
            Kind::TurnEnded {
                terminal: Terminal::Failed { detail },
            } => {
                let run = joined.get(&event.turn).unwrap_or(&event.turn);
                assert!(
                    begun.contains(run),
                    "turn {:?} was given up before it ran: {detail}",
                    event.turn
                );
            }
            _ => {}
        }
    }
    let lost: Vec<_> = written.difference(&received).collect();
    assert!(lost.is_empty(), "messages that have no turn: {lost:?}");
    taken_up.len()
}

/// Lives that ended while the answer of a run that had ended was still being delivered. The end of one that was told to end
/// counts, too, where it was in that moment.
fn kills_after_a_run(events: &[Event]) -> usize {
    let mut delivering = BTreeSet::new();
    let mut kills = 0;
    for event in events {
        match &event.kind {
            Kind::RunEnded { .. } => drop(delivering.insert(event.turn)),
            Kind::TurnEnded { .. } => drop(delivering.remove(&event.turn)),
            Kind::Started { .. } => {
                kills += usize::from(!delivering.is_empty());
                // What is left of them is not this life's.
                delivering.clear();
            }
            _ => {}
        }
    }
    kills
}

const fn is_toggle(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::ChannelState {
            to: ChannelState::Off,
            by: Actor::Cli,
            ..
        }
    )
}

/// Turns that a later life had the last word in.
#[derive(Default)]
struct Words {
    finished: usize,
    told: usize,
}

/// The assistant messages of every answer.
const ANSWER: [&str; 2] = ["One.Two more.", "Three."];

/// Every run that ended is delivered whole, or an operation of its turn is shown as unknown; and whoever has no whole
/// answer was told so.
fn words(events: &[Event]) -> Words {
    let mut turns: BTreeMap<TurnId, Vec<&Event>> = BTreeMap::new();
    for event in events {
        turns
            .entry(event.turn.unwrap_or(TurnId(0)))
            .or_default()
            .push(event);
    }
    let mut words = Words::default();
    for (turn, events) in turns {
        let has = |wanted: fn(&Kind) -> bool| events.iter().any(|event| wanted(&event.kind));
        if !has(|kind| matches!(kind, Kind::RunStarted { .. })) {
            continue;
        }
        let ended =
            has(|kind| matches!(kind, Kind::RunEnded { reason, .. } if *reason != StopReason::Cancelled));
        let resumed = has(
            |kind| matches!(kind, Kind::Passed { stage: Stage::Preview, detail } if detail.starts_with("taken up again")),
        );
        let arrived = arrived(&events);
        let doubt =
            has(|kind| matches!(kind, Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::Unknown));
        if ended {
            let whole = (0..).zip(ANSWER).all(|(message, text)| {
                let all = |body: &&Body| {
                    body.place().is_some_and(|place| {
                        place.message == message && place.span == Span::new(0, text.len())
                    })
                };
                arrived.iter().any(all)
            });
            assert!(
                whole || doubt,
                "turn {turn}: its run ended, and not all of its answer arrived: {events:#?}"
            );
            words.finished += usize::from(resumed);
        } else {
            let notice = |body: &&Body| matches!(body, Body::Literal { text, place: None } if text.starts_with(['⚠', '⏹']));
            assert!(
                arrived.iter().any(notice) || doubt,
                "turn {turn}: its person is left without a word: {events:#?}"
            );
            words.told += 1;
        }
    }
    words
}

/// Texts that the platform acknowledged, and that no other text of the turn has replaced since.
fn arrived<'a>(events: &[&'a Event]) -> Vec<&'a Body> {
    let mut intents = BTreeMap::new();
    let mut stands: BTreeMap<&MessageId, &Body> = BTreeMap::new();
    for event in events {
        match &event.kind {
            Kind::Intended { op, intent } => drop(intents.insert(op, intent)),
            Kind::Ended { op, outcome }
                if matches!(outcome.code, OutcomeCode::Sent | OutcomeCode::Unchanged) =>
            {
                let intent = intents[op];
                let message = outcome.message.as_ref().or(intent.message.as_ref());
                if let (Some(message), Some(body)) = (message, &intent.body) {
                    stands.insert(message, body);
                }
            }
            _ => {}
        }
    }
    stands.into_values().collect()
}

fn operations(events: &[Event]) -> BTreeMap<OpId, Known> {
    let mut life = 0;
    let mut known: BTreeMap<OpId, Known> = BTreeMap::new();
    for event in events {
        match &event.kind {
            Kind::Started { .. } => life += 1,
            Kind::Intended { op, intent } => {
                let state = Known {
                    kind: intent.kind,
                    session: event.session.clone(),
                    called: 0,
                    outcome: None,
                };
                known.insert(*op, state);
            }
            Kind::Attempted { op, .. } => {
                if let Some(state) = known.get_mut(op) {
                    state.called = life;
                }
            }
            Kind::Ended { op, outcome } => {
                if let Some(state) = known.get_mut(op) {
                    state.outcome = Some(outcome.code);
                }
            }
            _ => {}
        }
    }
    known
}

/// The times that each operation changed the platform.
fn applications(log: &Path) -> BTreeMap<OpId, u32> {
    let mut applied = BTreeMap::new();
    for record in read_log(log).unwrap() {
        if record.applied && !record.repeated {
            *applied.entry(op_of(&record)).or_insert(0) += 1;
        }
    }
    applied
}
