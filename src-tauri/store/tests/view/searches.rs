//! Searches in a large view, measured in events read.

use crate::large::{EVENTS, draft, journals, memory, sqlite, told, view};
use foldback_store::{Filter, Journal, SearchDirection, View};
use foldback_wire::{Draft, Kind, Seq, Terminal};
use std::sync::Arc;

/// A journal of 100,000 events whose errors stand at these places.
async fn with_errors(folder: &tempfile::TempDir, places: &[u64]) -> [Arc<dyn Journal>; 2] {
    let failed = |n: u64| Draft {
        kind: Kind::TurnEnded {
            terminal: Terminal::Failed {
                detail: "it broke".into(),
            },
        },
        ..draft(n)
    };
    let drafts = |n: u64| if places.contains(&n) { failed(n) } else { draft(n) };
    let journals = journals(folder).await;
    for journal in &journals {
        told(journal, (1..=EVENTS).map(drafts).collect()).await;
    }
    journals
}

async fn nearest(view: &View, condition: &str, from: u64, direction: SearchDirection) -> Option<u64> {
    let condition = Filter::parse(condition).unwrap();
    let found = view.find_nearest(&condition, Seq(from), direction).await.unwrap();
    found.map(|seq| seq.0)
}

#[tokio::test]
async fn the_nearest_error_is_found_without_reading_the_rest() {
    use SearchDirection::{Back, Forward};
    let folder = tempfile::tempdir().unwrap();
    let errors = [500, 501, 60_000, 99_000];
    for journal in with_errors(&folder, &errors).await {
        for (filter, from, direction, found, most) in [
            ("", 0, Forward, Some(500), 2),
            ("", 500, Forward, Some(501), 1),
            ("", 501, Forward, Some(60_000), 1),
            ("", 99_000, Forward, None, 0),
            ("", 99_000, Back, Some(60_000), 2),
            ("", EVENTS + 1, Back, Some(99_000), 1),
            ("", 501, Back, Some(500), 1),
            ("", 500, Back, None, 0),
            (
                "-kind:idle,passed -reason:trailing_space",
                501,
                Forward,
                Some(60_000),
                1,
            ),
            ("channel:telegram", 0, Forward, Some(500), 1),
            ("channel:discord", 0, Forward, Some(501), 1),
            ("nowhere", 0, Forward, None, errors.len() as u64),
        ] {
            let view = view(&journal, filter);
            assert_eq!(
                nearest(&view, "is:error", from, direction).await,
                found,
                "{filter} {from}"
            );
            assert!(view.work().examined <= most, "{filter} {from}: {:?}", view.work());
        }
    }
}

#[tokio::test]
async fn a_search_among_many_ends_where_it_finds_one() {
    use SearchDirection::{Back, Forward};
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        let view = view(&journal, "");
        assert_eq!(nearest(&view, "needle", 50_000, Forward).await, Some(51_000));
        assert_eq!(nearest(&view, "needle", 50_000, Back).await, Some(49_000));
        assert_eq!(view.work().examined, 2 * 2_048);
        assert_eq!(nearest(&view, "straw", 0, Back).await, None);
        assert_eq!(nearest(&view, "straw", u64::MAX, Forward).await, None);
        // What an operation's event is about, only the events before it tell.
        assert_eq!(nearest(&view, "kind:edit", 7, Forward).await, None);
    }
}

#[tokio::test]
async fn a_newer_search_ends_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        let view = view(&journal, "");
        let [first, second] = ["nowhere", "nowhere else"].map(|words| Filter::parse(words).unwrap());
        let (one, other) = tokio::join!(
            view.find_nearest(&first, Seq(0), SearchDirection::Forward),
            view.find_nearest(&second, Seq(EVENTS - 10), SearchDirection::Forward),
        );
        assert_eq!((one.unwrap(), other.unwrap()), (None, None));
        assert!(view.work().examined < EVENTS / 4, "{:?}", view.work());
    }
}
