//! Windows over the journal: frames, their pace, pauses, filters.

use crate::host::{Host, pushed};
use foldback_wire::{
    Draft, Kind, Timestamp,
    rpc::{Completion, EventDetail, FilterCheck, FindResult, Frame, Push, Topic, ViewOpened},
};
use serde_json::{Value, json};
use std::time::Duration;

async fn open(host: &Host, filter: &str) -> u32 {
    let opened: ViewOpened = host.call("view_open", json!({"filter": filter})).await;
    opened.view
}

fn frames(pushes: Vec<Push>) -> Vec<Frame> {
    let frame = |push| match push {
        Push::Frame { frame } => frame,
        other => panic!("{other:?}"),
    };
    pushes.into_iter().map(frame).collect()
}

/// Appends events that say their number.
fn append(host: &Host, numbers: std::ops::Range<u32>) {
    let draft = |n: u32| Draft {
        at: Timestamp(0),
        turn: None,
        session: None,
        channel: None,
        kind: Kind::Warned {
            detail: format!("number {n}"),
        },
    };
    host.backend
        .journal()
        .append(numbers.map(draft).collect())
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_view_follows_the_end_and_scrolls_back() {
    let host = Host::after_demo().await;
    let view = open(&host, "").await;
    let mut topic = host.subscribe(&Topic::View { view });
    host.call::<Value>(
        "view_window",
        json!({"view": view, "first": 0, "count": 20, "follow": true}),
    )
    .await;
    let last = frames(pushed(&mut topic, Duration::from_secs(1)).await)
        .pop()
        .unwrap();
    let head = host.backend.journal().head().0;
    assert_eq!((last.head, last.length, last.rows.len()), (head, head, 20));
    assert_eq!(last.rows.last().unwrap().seq, head);
    host.call::<Value>("view_ack", json!({"view": view, "serial": last.serial}))
        .await;
    host.call::<Value>(
        "view_window",
        json!({"view": view, "first": 3, "count": 5, "follow": false}),
    )
    .await;
    let back = frames(pushed(&mut topic, Duration::from_secs(1)).await)
        .pop()
        .unwrap();
    assert_eq!(
        back.rows.iter().map(|r| r.seq).collect::<Vec<_>>(),
        [4, 5, 6, 7, 8]
    );
}

#[tokio::test(start_paused = true)]
async fn a_window_that_draws_slowly_gets_two_frames_and_then_the_latest() {
    let host = Host::start().await;
    let view = open(&host, "").await;
    let mut topic = host.subscribe(&Topic::View { view });
    let mut got = Vec::new();
    for n in 0..50 {
        append(&host, n..n + 1);
        got.extend(frames(pushed(&mut topic, Duration::from_millis(40)).await));
    }
    assert_eq!(got.len(), 2, "two are undrawn");
    host.call::<Value>("view_ack", json!({"view": view, "serial": got[1].serial}))
        .await;
    let next = frames(pushed(&mut topic, Duration::from_millis(100)).await);
    assert_eq!(next.len(), 1);
    assert_eq!(
        next[0].length,
        host.backend.journal().head().0,
        "what lay between is not queued"
    );
}

#[tokio::test(start_paused = true)]
async fn frames_come_at_most_every_sixteen_milliseconds() {
    let host = Host::start().await;
    let view = open(&host, "").await;
    let mut topic = host.subscribe(&Topic::View { view });
    let mut times = Vec::new();
    for n in 0..400 {
        append(&host, n * 10..n * 10 + 10);
        for frame in frames(pushed(&mut topic, Duration::from_millis(1)).await) {
            host.call::<Value>("view_ack", json!({"view": view, "serial": frame.serial}))
                .await;
            times.push(tokio::time::Instant::now());
        }
    }
    assert!(times.len() >= 10, "{} frames in 400 ms", times.len());
    assert!(times.len() <= 400 / 16, "{} frames in 400 ms", times.len());
}

#[tokio::test(start_paused = true)]
async fn a_paused_view_stands_still_and_counts_what_came() {
    let host = Host::start().await;
    let view = open(&host, "").await;
    let mut topic = host.subscribe(&Topic::View { view });
    let before = frames(pushed(&mut topic, Duration::from_secs(1)).await)
        .pop()
        .unwrap();
    host.call::<Value>("view_ack", json!({"view": view, "serial": before.serial}))
        .await;
    host.call::<Value>("view_pause", json!({"view": view, "paused": true}))
        .await;
    append(&host, 0..42);
    let still = frames(pushed(&mut topic, Duration::from_secs(1)).await)
        .pop()
        .unwrap();
    assert_eq!((still.length, still.behind), (before.length, 42));
    assert_eq!(still.rows, before.rows);
    host.call::<Value>("view_ack", json!({"view": view, "serial": still.serial}))
        .await;
    host.call::<Value>("view_pause", json!({"view": view, "paused": false}))
        .await;
    let on = frames(pushed(&mut topic, Duration::from_secs(1)).await)
        .pop()
        .unwrap();
    assert_eq!((on.length, on.behind), (before.length + 42, 0));
}

#[tokio::test(start_paused = true)]
async fn a_filter_shows_its_rows_and_finds_their_places() {
    let host = Host::after_demo().await;
    let view = open(&host, "channel:discord kind:received").await;
    let mut topic = host.subscribe(&Topic::View { view });
    let frame = frames(pushed(&mut topic, Duration::from_secs(1)).await)
        .pop()
        .unwrap();
    assert!(frame.length >= 3 && !frame.scanning, "{frame:#?}");
    assert!(
        frame
            .rows
            .iter()
            .all(|r| r.kind == "received" && r.channel.as_ref().unwrap().as_str() == "discord")
    );
    let second = frame.rows[1].seq;
    let found: FindResult = host.call("view_find", json!({"view": view, "seq": second})).await;
    assert_eq!(found.index, Some(1));
    let next: FindResult = host
        .call("view_find", json!({"view": view, "seq": second + 1}))
        .await;
    assert_eq!(next.index, Some(2));
    let detail: EventDetail = host.call("event", json!({"seq": second})).await;
    assert_eq!(
        (detail.event.seq.0, detail.row.summary.clone()),
        (second, frame.rows[1].summary.clone())
    );
}

#[tokio::test(start_paused = true)]
async fn a_typo_gets_a_did_you_mean() {
    let host = Host::start().await;
    let check: FilterCheck = host.call("filter_check", json!({"text": "chanel:slack"})).await;
    assert_eq!(check.error.unwrap().suggestion.as_deref(), Some("channel"));
    assert_eq!(
        host.failure("view_open", json!({"filter": "chanel:slack"})).await,
        (
            "bad_filter".into(),
            "This is no filter: unknown field “chanel”.".into(),
            Some("Did you mean `channel`?".into())
        )
    );
    let proposals: Vec<Completion> = host
        .call("filter_complete", json!({"text": "chan", "cursor": 4}))
        .await;
    assert!(
        proposals.iter().any(|p| p.text.starts_with("channel")),
        "{proposals:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_closed_view_ends_its_frames_and_is_said_to_be_gone() {
    let host = Host::start().await;
    let view = open(&host, "").await;
    let mut topic = host.subscribe(&Topic::View { view });
    host.call::<Value>("view_close", json!({"view": view})).await;
    while topic.next().await.is_some() {}
    let gone = (
        "not_found".to_owned(),
        format!("There is no view {view}."),
        Some("It was closed; open a new one.".to_owned()),
    );
    assert_eq!(
        host.failure("view_ack", json!({"view": view, "serial": 1})).await,
        gone
    );
    assert!(host.backend.subscribe(&Topic::View { view }).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_subscription_of_a_page_that_ends_closes_its_view() {
    let host = Host::start().await;
    let (kept, left) = (open(&host, "").await, open(&host, "").await);
    drop(host.subscribe(&Topic::View { view: kept }));
    let topic = host.subscribe(&Topic::View { view: kept }).closing_view();
    drop(host.subscribe(&Topic::View { view: left }).closing_view());
    let (code, message, _) = host.failure("view_ack", json!({"view": left, "serial": 1})).await;
    assert_eq!(
        (code, message),
        ("not_found".to_owned(), format!("There is no view {left}."))
    );
    host.call::<Value>("view_ack", json!({"view": kept, "serial": 1}))
        .await;
    drop(topic);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_forgets_its_views_does_not_keep_them_all() {
    let host = Host::start().await;
    let first = open(&host, "").await;
    for _ in 0..32 {
        open(&host, "").await;
    }
    assert_eq!(
        host.failure("view_find", json!({"view": first, "seq": 1}))
            .await
            .0,
        "not_found"
    );
    assert!(
        host.try_call("view_find", json!({"view": first + 1, "seq": 1}))
            .await
            .is_ok()
    );
}
