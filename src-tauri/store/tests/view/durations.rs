//! Views of what lasted: a hold passes once it is known how long it took.

use crate::large::{draft, filled, journals, opening, seqs, told, up_to_date, view};
use foldback_store::{Filter, Journal, MemoryJournal, Opening, View};
use foldback_wire::{Draft, Kind, Seq, Span, Timestamp, TurnId};
use std::sync::Arc;

fn hold(turn: u64, at: u64) -> Draft {
    let hold = foldback_wire::Hold {
        span: Span::new(0, 5),
        reason: foldback_wire::HoldReason::OpenBlock,
        rule: "G3".into(),
        because: String::new(),
        releases: String::new(),
    };
    Draft {
        at: Timestamp(at as i64),
        turn: Some(TurnId(turn)),
        kind: Kind::Held { message: 0, hold },
        ..draft(1)
    }
}

fn release(turn: u64, at: u64) -> Draft {
    Draft {
        kind: Kind::Released { message: 0 },
        ..hold(turn, at)
    }
}

#[tokio::test]
async fn a_hold_joins_the_view_at_its_own_place_when_it_is_over() {
    let folder = tempfile::tempdir().unwrap();
    for journal in journals(&folder).await {
        told(&journal, vec![hold(1, 0), hold(2, 10), release(2, 3_000)]).await;
        let (long, others) = (
            view(&journal, "is:held dur>1.5s"),
            view(&journal, "is:held -dur>1.5s"),
        );
        for view in [&long, &others] {
            up_to_date(view).await;
        }
        assert_eq!(
            (seqs(&long, 0, 9).await, seqs(&others, 0, 9).await),
            (vec![2], vec![1])
        );
        // Far more than a step lies between the beginning and the end.
        told(&journal, (1..=5_000).map(draft).collect()).await;
        for view in [&long, &others] {
            up_to_date(view).await;
        }
        assert_eq!(seqs(&long, 0, 9).await, [2]);
        told(&journal, vec![release(1, 9_000)]).await;
        for view in [&long, &others] {
            up_to_date(view).await;
        }
        assert_eq!(seqs(&long, 0, 9).await, [1, 2], "in the order of the journal");
        assert_eq!(seqs(&others, 0, 9).await, [0; 0], "it lasted too long after all");
        assert_eq!(long.position_of(Seq(2)), Some(1));
        let rows = long.rows(0, 9).await.unwrap();
        assert_eq!(
            rows.iter().map(|row| row.lasted_ms).collect::<Vec<_>>(),
            [Some(9_000), Some(2_990)]
        );
        // Opened afterwards, a view shows what that one came to.
        for (filter, expected) in [("is:held dur>1.5s", vec![1, 2]), ("is:held -dur>1.5s", vec![])] {
            let later = view(&journal, filter);
            up_to_date(&later).await;
            assert_eq!(seqs(&later, 0, 9).await, expected);
        }
    }
}

#[tokio::test]
async fn what_columns_tell_of_a_duration_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    for journal in journals(&folder).await {
        told(&journal, (1..=5_000).map(draft).collect()).await;
        told(
            &journal,
            vec![hold(1, 0), release(1, 2_000), hold(2, 0), release(2, 20)],
        )
        .await;
        let view = view(&journal, "kind:held dur>1.5s");
        up_to_date(&view).await;
        assert_eq!(seqs(&view, 0, 9).await, [5_001]);
        let work = view.work();
        assert_eq!((work.placed, work.examined), (1, 0));
    }
}

#[tokio::test]
async fn a_view_that_stands_still_keeps_its_rows_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for journal in journals(&folder).await {
        told(&journal, vec![hold(1, 0), hold(2, 10), release(2, 3_000)]).await;
        let view = view(&journal, "is:held dur>1.5s");
        up_to_date(&view).await;
        view.stand_still(true);
        told(&journal, vec![release(1, 9_000)]).await;
        up_to_date(&view).await;
        assert_eq!(seqs(&view, 0, 9).await, [2]);
        view.stand_still(false);
        assert_eq!(seqs(&view, 0, 9).await, [1, 2]);
    }
}

#[tokio::test]
async fn a_hold_that_ends_among_what_was_left_out_is_shown_all_the_same() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let filter = Filter::parse("dur>1.5s").unwrap();
    let opening = Opening {
        max_behind: Some(1_000),
        ..opening()
    };
    told(&journal, vec![hold(1, 0)]).await;
    let view = View::open(Arc::clone(&journal), &filter, opening);
    up_to_date(&view).await;
    assert!(view.is_empty());
    told(&journal, vec![release(1, 9_000)]).await;
    filled(journal.as_ref(), 1..=5_000);
    up_to_date(&view).await;
    assert_eq!(seqs(&view, 0, 9).await, [1, 2], "the hold, and the gap");
    assert!(view.dropped() > 0);
}
