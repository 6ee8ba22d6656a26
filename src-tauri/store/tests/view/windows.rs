//! Rows of a view, and what is read for them.

use crate::large::{EVENTS, filled, memory, opening, seqs, sqlite, up_to_date, view};
use foldback_store::{Filter, Journal, MemoryJournal, Opening, View, Work};
use foldback_wire::{Seq, Timestamp, rpc::RowFlag};
use std::sync::Arc;

#[tokio::test]
async fn a_view_of_everything_reads_only_what_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        let view = view(&journal, "");
        assert_eq!(view.len(), EVENTS, "it is there at once");
        assert!(seqs(&view, 70_000, 50).await.into_iter().eq(70_001..=70_050));
        assert_eq!(seqs(&view, EVENTS - 2, 50).await, [EVENTS - 1, EVENTS]);
        assert!(seqs(&view, EVENTS, 50).await.is_empty());
        assert_eq!(up_to_date(&view).await, 1);
        assert_eq!(
            view.work(),
            Work {
                placed: 0,
                examined: 0,
                shown: 52
            }
        );
    }
}

#[tokio::test]
async fn what_columns_answer_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        for (filter, length) in [
            ("channel:telegram", 10_000),
            ("channel:telegram kind:warned", 1_000),
            ("-kind:chunk", 1_000),
            ("turn:#5", 40),
            ("after:-1s kind:warned", 11),
            ("kind:idle", 0),
        ] {
            let view = view(&journal, filter);
            up_to_date(&view).await;
            assert_eq!(view.len(), length, "{filter}");
            let work = view.work();
            assert_eq!(
                work,
                Work {
                    placed: length,
                    examined: 0,
                    shown: 0
                },
                "{filter}"
            );
        }
    }
}

#[tokio::test]
async fn what_only_events_tell_is_read_once_and_no_more_than_columns_admit() {
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        for (filter, length, examined) in [
            ("needle", 100, EVENTS),
            ("channel:telegram needle", 100, EVENTS / 10),
            ("kind:warned text:\"needle 15000\"", 1, EVENTS / 100),
            ("turn:#25 straw", 39, 40),
        ] {
            let view = view(&journal, filter);
            let steps = up_to_date(&view).await;
            assert_eq!(view.len(), length, "{filter}");
            assert_eq!(view.work().examined, examined, "{filter}");
            assert!(steps <= examined / 2_048 + 1, "{steps} steps for {filter}");
        }
    }
}

#[tokio::test]
async fn places_are_found_and_windows_read_where_rows_are_sparse() {
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        let view = view(&journal, "needle");
        up_to_date(&view).await;
        assert_eq!(seqs(&view, 3, 3).await, [4_000, 5_000, 6_000]);
        assert_eq!(view.position_of(Seq(5_000)), Some(4));
        assert_eq!(view.position_of(Seq(5_001)), Some(5), "the next one after it");
        assert_eq!(view.position_of(Seq(EVENTS + 1)), None);
        assert_eq!(seqs(&view, 98, 10).await, [99_000, 100_000]);
        assert_eq!(view.work().shown, 5);
    }
}

#[tokio::test]
async fn a_view_follows_what_is_appended() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let (all, needles) = (view(&journal, ""), view(&journal, "needle"));
    assert!(all.is_empty());
    assert!(!needles.catch_up().await.unwrap());
    for thousand in 1..=3 {
        let grown = needles.changed();
        filled(journal.as_ref(), (thousand - 1) * 1_000 + 1..=thousand * 1_000);
        grown.await.unwrap();
        up_to_date(&needles).await;
        assert_eq!((all.len(), needles.len()), (thousand * 1_000, thousand));
        assert_eq!(needles.examined(), journal.head());
    }
    assert_eq!(needles.work().examined, 3_000, "nothing is looked at twice");
}

#[tokio::test]
async fn a_view_that_cannot_keep_up_shows_the_gap() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let filter = Filter::parse("needle").unwrap();
    let view = View::open(
        Arc::clone(&journal),
        &filter,
        Opening {
            max_behind: Some(10_000),
            ..opening()
        },
    );
    filled(journal.as_ref(), 1..=50_000);
    up_to_date(&view).await;
    assert_eq!(
        (view.len(), view.dropped()),
        (50, 0),
        "history is read whole, however long"
    );

    filled(journal.as_ref(), 50_001..=100_000);
    up_to_date(&view).await;
    // 45,000 left out, shown as one row; of the last 5,000 every needle.
    assert_eq!(view.dropped(), 45_000);
    assert_eq!(view.len(), 50 + 1 + 5);
    let rows = view.rows(49, 3).await.unwrap();
    assert_eq!(
        rows.iter().map(|row| row.seq).collect::<Vec<_>>(),
        [50_000, 50_001, 96_000]
    );
    assert_eq!(
        rows.iter().map(|row| row.gap).collect::<Vec<_>>(),
        [None, Some(45_000), None]
    );
    assert_eq!(rows[1].at, Timestamp(50_001));
    assert_eq!(rows[1].flags, [RowFlag::Warning]);
    assert_eq!(view.position_of(Seq(60_000)), Some(51));
}

#[tokio::test]
async fn a_step_that_nobody_waits_for_counts_once() {
    let journal = memory();
    let view = view(&journal, "needle");
    for _ in 0..200 {
        // Given up at its first wait, wherever that is.
        let step = view.catch_up();
        tokio::select! { biased; _ = step => {}, () = tokio::task::yield_now() => {} }
    }
    up_to_date(&view).await;
    assert_eq!(view.len(), 100);
    assert_eq!(
        seqs(&view, 0, 200).await,
        (1..=100).map(|n| n * 1_000).collect::<Vec<_>>()
    );
}
