//! Whoever asks for a line waits for what is folded anyway, and for nothing that never comes.

use super::*;
use foldback_wire::Timestamp;
use std::time::Duration;

fn event(seq: u64) -> Event {
    Event {
        seq: Seq(seq),
        at: Timestamp(0),
        turn: Some(TurnId(1)),
        session: None,
        channel: None,
        kind: Kind::Warned {
            detail: "straw".to_owned(),
        },
    }
}

/// True where the events up to a place are waited for no longer than a moment.
async fn is_grown(turns: &Turns, until: u64) -> bool {
    tokio::time::timeout(Duration::from_millis(1), turns.grow_to(Seq(until)))
        .await
        .is_ok()
}

#[tokio::test(start_paused = true)]
async fn a_line_waits_until_its_events_are_folded_or_no_more_are() {
    let turns = Turns::default();
    assert!(is_grown(&turns, 9).await, "nobody follows the journal yet");
    let following = turns.follow_from(Seq(3));
    assert!(is_grown(&turns, 3).await);
    assert!(!is_grown(&turns, 5).await);
    let (waited, ()) = tokio::join!(is_grown(&turns, 5), async { turns.grow(&[event(4), event(5)]) });
    assert!(waited);
    assert_eq!(turns.grown(), Seq(5));
    assert!(!is_grown(&turns, 6).await);
    drop(following);
    assert!(is_grown(&turns, 6).await, "nobody follows the journal any more");
}
