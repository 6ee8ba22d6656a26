//! The process that is killed: four conversations at once, each telling on its standard output what was
//! confirmed to it, one line each, ended by a full stop.

use foldback_store::{Journal, OutboxEntry, SqliteJournal, Then};
use foldback_wire::{
    Draft, Kind, MessageFlags, OpId, Operation, Outcome, OutcomeCode, Seq, Target, Timestamp, TurnId,
};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// `SplitMix64`: the next of a row of numbers without a pattern.
pub(crate) fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

pub(crate) async fn write(path: &Path, seed: u64) {
    let journal: Arc<dyn Journal> = Arc::new(SqliteJournal::open(path).await.unwrap());
    let numbers = journal.reserve().await.unwrap();
    let resumed = journal.resume().await.unwrap();
    // Half of what the last process left is ended now, the other half stays for the next one.
    for entry in resumed.in_flight.into_iter().chain(resumed.unsent).step_by(2) {
        settle(&journal, entry.op).await;
    }
    let next = Arc::new(AtomicU64::new(numbers.op));
    let conversations = (0..4).map(|conversation| {
        let (journal, next) = (Arc::clone(&journal), Arc::clone(&next));
        tokio::spawn(async move {
            for step in 0.. {
                let op = OpId(next.fetch_add(1, Ordering::Relaxed));
                converse(&journal, op, mix(mix(seed) ^ (conversation << 32) ^ step)).await;
            }
        })
    });
    futures::future::join_all(conversations).await;
}

/// One operation's life, or the part of it that chance leaves.
async fn converse(journal: &Arc<dyn Journal>, op: OpId, chance: u64) {
    let said: Vec<_> = (0..chance % 5)
        .map(|n| said(&format!("said {chance} {n}")))
        .collect();
    let texts: Vec<_> = said.iter().map(detail).collect();
    let places = journal.append(said).unwrap();
    if chance.is_multiple_of(7) {
        journal.flush().await.unwrap();
        for (Seq(seq), text) in places.iter().zip(&texts) {
            println!("durable {seq} {text}.");
        }
    }
    journal
        .intend(entry(op), vec![said_of("intend", op)])
        .await
        .unwrap();
    println!("intended {op}.");
    if chance.is_multiple_of(11) {
        return;
    }
    journal.attempt(op, vec![said_of("attempt", op)]).await.unwrap();
    println!("attempted {op}.");
    if chance.is_multiple_of(5) {
        journal.retry(op, vec![said_of("retry", op)]).await.unwrap();
        println!("retried {op}.");
        return;
    }
    settle(journal, op).await;
}

async fn settle(journal: &Arc<dyn Journal>, op: OpId) {
    let outcome = Outcome::new(OutcomeCode::Sent);
    journal
        .settle(op, outcome, vec![said_of("settle", op)])
        .await
        .unwrap();
    println!("settled {op}.");
}

fn said(detail: &str) -> Draft {
    Draft {
        at: Timestamp(0),
        turn: Some(TurnId(1)),
        session: None,
        channel: None,
        kind: Kind::Warned {
            detail: detail.into(),
        },
    }
}

fn said_of(what: &str, op: OpId) -> Draft {
    said(&format!("{what} {op}"))
}

fn detail(draft: &Draft) -> String {
    match &draft.kind {
        Kind::Warned { detail } => detail.clone(),
        _ => String::new(),
    }
}

fn entry(op: OpId) -> OutboxEntry {
    OutboxEntry {
        op,
        turn: TurnId(1),
        session: "loopback:1".into(),
        channel: "loopback".into(),
        target: Target {
            chat: "1".into(),
            thread: None,
        },
        operation: Operation::SendText {
            text: format!("text {op}"),
            reply_to: None,
            flags: MessageFlags::default(),
        },
        key: format!("key {op}"),
        at: Timestamp(0),
        in_flight: false,
        dry_run: false,
        live: false,
        not_before: None,
        part_of: None,
        since: None,
        then: Then::default(),
    }
}
