//! How long things lasted: told of the event that began them and of the one that ended them.

use crate::House;
use foldback_store::{EventDuration, HeldBytes, Journal};
use foldback_wire::{
    Draft, Hold, HoldReason, Kind, OpId, Outcome, OutcomeCode, Seq, Span, Timestamp, TurnId,
};

const TURN: TurnId = TurnId(7);

fn at(ms: i64, kind: Kind) -> Draft {
    Draft {
        at: Timestamp(ms),
        turn: Some(TURN),
        session: None,
        channel: None,
        kind,
    }
}

fn held(ms: i64, reason: HoldReason, first: usize, end: usize) -> Draft {
    let hold = Hold {
        span: Span::new(first, end),
        reason,
        rule: "G3".into(),
        because: String::new(),
        releases: String::new(),
    };
    at(ms, Kind::Held { message: 0, hold })
}

fn released(ms: i64) -> Draft {
    at(ms, Kind::Released { message: 0 })
}

fn waiting(ms: i64, op: Option<u64>, reason: HoldReason) -> Draft {
    let op = op.map(OpId);
    at(
        ms,
        Kind::Waiting {
            op,
            reason,
            until: None,
        },
    )
}

fn received(ms: i64) -> Draft {
    let message = r#"{"type":"received","message":{"channel":"c","account":null,"chat":"42","chat_type":"direct",
        "thread":null,"message":"m2","reply_to":null,"sender":{"id":"1","name":"a","display_name":"A",
        "is_bot":false},"text":"hi","mentioned":true,"files":[],"at":"2026-01-01T00:00:00Z"}}"#;
    at(ms, serde_json::from_str(message).unwrap())
}

/// Place, place of the end, milliseconds, and the reason and bytes of a hold.
type Told = (u64, u64, u64, Option<(HoldReason, u64)>);

async fn told(journal: &dyn Journal) -> Vec<Told> {
    let places: Vec<_> = (1..=journal.head().0).map(Seq).collect();
    let mut told = journal.durations(&places).await.unwrap();
    told.sort_by_key(|one| one.seq);
    let tuple = |one: EventDuration| {
        let held = one.held.map(|HeldBytes { reason, bytes }| (reason, bytes));
        (one.seq.0, one.until.0, one.ms, held)
    };
    told.into_iter().map(tuple).collect()
}

async fn ended(journal: &dyn Journal, after: u64, until: u64) -> Vec<u64> {
    let ended = journal.ended_between(Seq(after), Seq(until)).await.unwrap();
    ended.iter().map(|event| event.seq.0).collect()
}

/// A hold goes on while its reason and its first byte stay; the next one ends it.
pub(crate) async fn a_hold_is_as_long_at_its_beginning_as_at_its_end(mut house: impl House) {
    use HoldReason::{OpenBlock, PartialTag};
    let journal = house.enter().await;
    let story = vec![
        held(0, PartialTag, 10, 12),
        held(20, OpenBlock, 10, 30),
        held(700, OpenBlock, 10, 57),
        released(1_260),
        held(2_000, PartialTag, 60, 61),
    ];
    journal.append(story).unwrap();
    journal.flush().await.unwrap();
    let block = Some((OpenBlock, 47));
    assert_eq!(
        told(journal.as_ref()).await,
        [
            (1, 2, 20, Some((PartialTag, 2))),
            (2, 4, 1_240, block),
            (4, 4, 1_240, block)
        ]
    );
    // What was open at a place and ended behind it.
    assert_eq!(ended(journal.as_ref(), 1, 2).await, [1]);
    assert_eq!(ended(journal.as_ref(), 1, 5).await, [1]);
    assert_eq!(ended(journal.as_ref(), 2, 3).await, [0; 0]);
    assert_eq!(ended(journal.as_ref(), 3, 4).await, [2]);
    assert_eq!(ended(journal.as_ref(), 4, 5).await, [0; 0]);
    // An answer that ends takes its hold with it.
    let ends = Kind::MessageEnded {
        message: 0,
        bytes: 61,
        narration: false,
        decided_by: None,
    };
    journal.append(vec![at(2_500, ends)]).unwrap();
    journal.flush().await.unwrap();
    assert_eq!(
        told(journal.as_ref()).await.last(),
        Some(&(5, 6, 500, Some((PartialTag, 1))))
    );
}

/// A wait is over when the platform is called; that of a text, when it is intended or its turn ends.
pub(crate) async fn a_wait_is_over_when_what_waited_goes_on(mut house: impl House) {
    use HoldReason::{ChannelCannotEdit, ChannelOff, RateLimited};
    let journal = house.enter().await;
    let attempted = |ms| {
        at(
            ms,
            Kind::Attempted {
                op: OpId(3),
                attempt: 1,
            },
        )
    };
    let outcome = Outcome::new(OutcomeCode::Sent);
    let story = vec![
        waiting(0, Some(3), ChannelOff),
        waiting(10, Some(3), ChannelOff),
        waiting(100, Some(3), RateLimited),
        attempted(400),
        at(450, Kind::Ended { op: OpId(3), outcome }),
        waiting(500, None, ChannelCannotEdit),
        at(
            600,
            Kind::Queued {
                position: 1,
                runs: None,
                needs_consent: false,
            },
        ),
        at(900, Kind::Dequeued { waited_ms: 301 }),
        at(
            1_000,
            Kind::TurnEnded {
                terminal: foldback_wire::Terminal::Replied,
            },
        ),
    ];
    journal.append(story).unwrap();
    journal.flush().await.unwrap();
    assert_eq!(
        told(journal.as_ref()).await,
        [
            (1, 3, 100, None),
            (3, 4, 300, None),
            (6, 9, 500, None),
            (7, 8, 301, None),
            (8, 8, 301, None),
        ]
    );
}

/// What began before a start and ends after it has its duration, and what nobody saw the end of has none.
pub(crate) async fn what_was_open_at_a_start_ends_after_it(mut house: impl House) {
    let journal = house.enter().await;
    let story = vec![
        received(100),
        held(200, HoldReason::OpenBlock, 0, 4),
        waiting(300, None, HoldReason::ChannelCannotEdit),
    ];
    journal.append(story).unwrap();
    journal.flush().await.unwrap();
    let journal = house.enter().await;
    let ends = Kind::TurnEnded {
        terminal: foldback_wire::Terminal::Replied,
    };
    journal.append(vec![at(1_100, ends)]).unwrap();
    journal.flush().await.unwrap();
    assert_eq!(
        told(journal.as_ref()).await,
        [(3, 4, 800, None), (4, 4, 1_000, None)]
    );
}
