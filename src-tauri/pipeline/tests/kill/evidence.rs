//! Two witnesses, compared: the bot's journal and the platform's log.

use foldback_channels::read_log;
use foldback_pipeline::invariants::{self, Extent};
use foldback_store::{Journal, SqliteJournal};
use foldback_wire::{Event, Kind, OpId, OpKind, OutcomeCode, Seq, SessionId};
use std::{collections::BTreeMap, path::Path};

/// What the journal knows of an operation.
struct Known {
    kind: OpKind,
    session: Option<SessionId>,
    /// Which process intended it, from 1.
    life: u64,
    outcome: Option<OutcomeCode>,
}

pub(crate) async fn compare(journal: &Path, log: &Path, lives: u64) -> String {
    let journal = SqliteJournal::open(journal).await.expect("the journal opens");
    let events = journal
        .read(Seq(1), usize::MAX >> 1)
        .await
        .expect("the journal is readable");
    if std::env::var_os("KILL_TRACE").is_some() {
        for event in &events {
            let kind = format!("{:?}", event.kind);
            println!(
                "{} {} {:?} {}",
                event.seq,
                event.at,
                event.turn.map(|t| t.0),
                kind.chars().take(150).collect::<String>()
            );
        }
    }
    let violations = invariants::check(&events, Extent::Ended);
    assert!(violations.is_empty(), "{violations:#?}");
    assert!(
        journal.outbox().await.expect("an outbox").is_empty(),
        "something is left in the outbox"
    );

    let known = operations(&events);
    let applied = applications(log);
    for (op, times) in &applied {
        assert_eq!(*times, 1, "operation {op} happened {times} times");
        assert!(
            known.contains_key(op),
            "operation {op} happened, and the journal does not know it"
        );
    }
    let mut unknown: BTreeMap<(Option<SessionId>, u64), u32> = BTreeMap::new();
    let mut sent = 0_u64;
    for (op, state) in &known {
        let outcome = state.outcome.expect("checked above: every operation ends");
        match outcome {
            OutcomeCode::Sent => {
                sent += 1;
                assert!(
                    applied.contains_key(op),
                    "operation {op} ({}) was acknowledged and is missing",
                    state.kind
                );
            }
            OutcomeCode::Unknown => *unknown.entry((state.session.clone(), state.life)).or_default() += 1,
            // Edits to the same text and reactions that are there already change nothing.
            OutcomeCode::Unchanged | OutcomeCode::Cancelled | OutcomeCode::Failed => {}
            other => panic!("operation {op} ended as {other}"),
        }
    }
    assert!(
        unknown.values().all(|n| *n <= 1),
        "more than one unknown in a conversation and life: {unknown:?}"
    );
    let doubtful: u32 = unknown.values().sum();
    format!("{sent} operations acknowledged once, {doubtful} unknown, in {lives} lives")
}

fn operations(events: &[Event]) -> BTreeMap<OpId, Known> {
    let mut life = 0;
    let mut known = BTreeMap::new();
    for event in events {
        match &event.kind {
            Kind::Started { .. } => life += 1,
            Kind::Intended { op, intent } => {
                let state = Known {
                    kind: intent.kind,
                    session: event.session.clone(),
                    life,
                    outcome: None,
                };
                known.insert(*op, state);
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

/// How often each operation changed the platform. The key of a call ends in the number of its operation.
fn applications(log: &Path) -> BTreeMap<OpId, u32> {
    let mut applied = BTreeMap::new();
    for record in read_log(log).expect("the platform's log") {
        if !record.applied || record.repeated {
            continue;
        }
        let number = record
            .call
            .key
            .rsplit('-')
            .next()
            .and_then(|n| u64::from_str_radix(n, 16).ok());
        *applied.entry(OpId(number.expect("a key of ours"))).or_insert(0) += 1;
    }
    applied
}
