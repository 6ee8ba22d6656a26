//! The filters that the documents show find what they say, in the journal of the demonstration.

use crate::host::Host;
use foldback_api::Backend;
use foldback_pipeline::TokioClock;
use foldback_store::{FIELDS, Filter, Opening, Scene, View};
use foldback_wire::Timestamp;
use std::{sync::Arc, time::Duration};

/// 2026-11-20T12:00:00Z: before the day that an example names.
const BEGIN: Timestamp = Timestamp(1_795_176_000_000);

async fn after_demo() -> Host {
    let clock = Arc::new(TokioClock::at(BEGIN));
    let host = Host::start_with(|setup| setup.clock = clock).await;
    tokio::time::sleep(Duration::from_mins(2)).await;
    host
}

/// How many rows a view shows under a filter.
async fn rows(backend: &Backend, filter: &str) -> u64 {
    let opening = Opening {
        now: BEGIN.plus(Duration::from_mins(2)),
        scene: Scene::live(),
        max_behind: None,
    };
    let filter = Filter::parse(filter).unwrap();
    let view = View::open(Arc::clone(backend.journal()), &filter, opening);
    while view.catch_up().await.unwrap() {}
    view.len()
}

#[tokio::test(start_paused = true)]
async fn the_filter_of_the_first_page_finds_a_hold() {
    let page = include_str!("../../../../README.md");
    let (_, rest) = page.split_once("filter language (`").unwrap();
    let (example, _) = rest.split_once('`').unwrap();
    assert!(
        example.contains("is:held") && example.contains("dur>"),
        "{example}"
    );
    let host = after_demo().await;
    assert!(rows(&host.backend, example).await > 0, "{example}");
}

/// All but the number of a later turn and the outcomes of a day with trouble.
#[tokio::test(start_paused = true)]
async fn the_example_of_each_field_finds_something() {
    let host = after_demo().await;
    let mut without = Vec::new();
    for field in FIELDS {
        if rows(&host.backend, field.example).await == 0 {
            without.push(field.example);
        }
    }
    assert_eq!(without, ["turn:#812", "outcome:unknown,failed"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_has_what_was_written_in_it() {
    let host = after_demo().await;
    let found = rows(&host.backend, "session:telegram:4411* kind:received").await;
    let all = rows(&host.backend, "channel:telegram kind:received").await;
    assert_eq!(
        (found, all),
        (all, all),
        "every message to telegram is of that session"
    );
    assert!(all > 0);
}
