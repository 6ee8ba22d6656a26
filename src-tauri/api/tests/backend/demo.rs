//! The demo as it plays in rounds: paused, gone on with, begun again, and over by itself.

use crate::host::Host;
use foldback_api::{Backend, DemoStart, Setup};
use foldback_pipeline::{TokioClock, config};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    Actor, ChannelId, Kind, MessageId, Seq, Terminal, Timestamp,
    rpc::{DemoPhase, DemoState, DemoStop, DemoTopic, EventDetail, Push, Status, Topic, TurnDetail},
};
use serde_json::json;
use std::{collections::HashSet, path::Path, sync::Arc, time::Duration};

/// Longer than a round and the time until the next one, shorter than two rounds.
const ROUND: Duration = Duration::from_mins(1);

async fn looping() -> Host {
    Host::start_with(|setup| setup.demo_start = DemoStart::EveryStart).await
}

async fn state(host: &Host) -> DemoState {
    let status: Status = host.call("status", json!({})).await;
    status.demo.expect("the built-in configuration has a demo")
}

/// Sleeps until the demo is in a phase.
async fn until(host: &Host, phase: DemoPhase) -> DemoState {
    for _ in 0..4_000 {
        let state = state(host).await;
        if state.phase == phase {
            return state;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    panic!("the demo never was {phase:?}: {:?}", state(host).await);
}

/// What came in, in order, and how every turn ended.
async fn told(journal: &dyn Journal) -> (Vec<(ChannelId, MessageId)>, Vec<Terminal>) {
    let mut came = Vec::new();
    let mut ends = Vec::new();
    for event in journal.read(Seq(1), usize::MAX).await.unwrap() {
        match event.kind {
            Kind::Received { message, .. } => came.push((event.channel.unwrap(), message.message)),
            Kind::TurnEnded { terminal } => ends.push((event.turn, terminal)),
            _ => {}
        }
    }
    ends.sort_by_key(|(turn, _)| *turn);
    (came, ends.into_iter().map(|(_, end)| end).collect())
}

#[tokio::test(start_paused = true)]
async fn every_round_is_answered_as_the_first_and_none_is_a_duplicate() {
    let host = looping().await;
    let first = until(&host, DemoPhase::BetweenRounds).await;
    assert_eq!((first.round, first.written), (1, first.messages));
    let over = until(&host, DemoPhase::Ended).await;
    assert_eq!(over.round, over.rounds);

    let (came, ends) = told(host.backend.journal().as_ref()).await;
    let messages = first.messages as usize;
    assert_eq!(came.len(), messages * over.rounds as usize);
    assert_eq!(
        came.iter().collect::<HashSet<_>>().len(),
        came.len(),
        "every id is fresh"
    );
    let (round, later) = ends.split_at(messages);
    assert!(later.chunks(messages).all(|other| other == round), "{ends:#?}");
    assert!(round.iter().any(|end| matches!(end, Terminal::Failed { .. })));
    assert!(
        matches!(round.last(), Some(Terminal::Replied)),
        "{:?}",
        round.last()
    );
    // It is over: nothing more comes in by itself.
    tokio::time::sleep(10 * ROUND).await;
    assert_eq!(told(host.backend.journal().as_ref()).await.0.len(), came.len());
}

#[tokio::test(start_paused = true)]
async fn between_two_rounds_it_says_when_the_next_one_begins() {
    let host = looping().await;
    let rest = until(&host, DemoPhase::BetweenRounds).await;
    let at = rest.next_round_at.expect("a time");
    let now = Timestamp(1_800_000_000_000).plus(Duration::from_secs(30));
    assert!(at > now, "{at}");
    assert_eq!(until(&host, DemoPhase::Playing).await.round, 2);
    assert_eq!(state(&host).await.next_round_at, None);
}

#[tokio::test(start_paused = true)]
async fn a_pause_lets_no_message_in_and_ends_where_it_began() {
    let host = looping().await;
    tokio::time::sleep(Duration::from_secs(8)).await;
    let status: Status = host.call("demo_pause", json!({})).await;
    let paused = status.demo.unwrap();
    assert_eq!(paused.phase, DemoPhase::Paused);
    assert!(
        paused.written > 0 && paused.written < paused.messages,
        "{paused:?}"
    );
    tokio::time::sleep(10 * ROUND).await;
    assert_eq!(state(&host).await, paused);

    let status: Status = host.call("demo_play", json!({})).await;
    assert_eq!(status.demo.unwrap().phase, DemoPhase::Playing);
    let rest = until(&host, DemoPhase::BetweenRounds).await;
    assert_eq!(rest.round, 1, "the round that was paused goes on");
    let (came, _) = told(host.backend.journal().as_ref()).await;
    assert_eq!(
        came.len(),
        rest.messages as usize,
        "no message is left out or written twice"
    );
}

#[tokio::test(start_paused = true)]
async fn a_pause_between_rounds_ends_with_the_next_round() {
    let host = looping().await;
    until(&host, DemoPhase::BetweenRounds).await;
    let _: Status = host.call("demo_pause", json!({})).await;
    assert_eq!(state(&host).await.next_round_at, None);
    tokio::time::sleep(ROUND).await;
    let _: Status = host.call("demo_play", json!({})).await;
    let playing = state(&host).await;
    assert_eq!(
        (playing.phase, playing.round, playing.written),
        (DemoPhase::Playing, 2, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn it_is_played_again_at_any_time_and_from_its_start() {
    let host = Host::after_demo().await;
    let over = state(&host).await;
    assert_eq!((over.phase, over.round, over.rounds), (DemoPhase::Ended, 1, 1));
    let _: Status = host.call("demo_play", json!({})).await;
    let again = state(&host).await;
    assert_eq!((again.phase, again.round), (DemoPhase::Playing, 1));
    assert!(again.rounds > 1, "who asks for it gets all its rounds");
    tokio::time::sleep(Duration::from_secs(8)).await;
    assert!(state(&host).await.written > 1);
    let _: Status = host.call("demo_play", json!({})).await;
    assert!(state(&host).await.written > 1, "what plays goes on");
    let _: Status = host.call("demo_play", json!({"from_start": true})).await;
    assert_eq!(state(&host).await.written, 0);
    let rest = until(&host, DemoPhase::BetweenRounds).await;
    let (came, ends) = told(host.backend.journal().as_ref()).await;
    assert_eq!(came.iter().collect::<HashSet<_>>().len(), came.len());
    assert!(
        ends.iter().all(|end| !matches!(end, Terminal::Duplicate)),
        "{ends:?}"
    );
    assert_eq!(rest.written, rest.messages);
}

#[tokio::test(start_paused = true)]
async fn what_is_ordered_is_pushed() {
    let host = looping().await;
    let mut app = host.subscribe(&Topic::App);
    let _: Status = host.call("demo_pause", json!({})).await;
    let pushed = tokio::time::timeout(Duration::from_secs(5), async {
        loop {
            if let Some(Push::Status { status }) = app.next().await
                && status
                    .demo
                    .as_ref()
                    .is_some_and(|demo| demo.phase == DemoPhase::Paused)
            {
                return;
            }
        }
    });
    pushed.await.expect("the pause is pushed");
}

fn setup(folder: &Path, journal: &Arc<MemoryJournal>, now: i64) -> Setup {
    let mut setup = Setup::embedded(folder.to_owned(), folder.join("fixtures"), Actor::Console);
    setup.clock = Arc::new(TokioClock::at(Timestamp(now)));
    setup.journal = Some(Arc::clone(journal) as _);
    setup.demo_start = DemoStart::EveryStart;
    setup
}

#[tokio::test(start_paused = true)]
async fn a_second_start_plays_it_too_with_fresh_messages() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Arc::new(MemoryJournal::new());
    for start in 0..2 {
        let backend = Backend::open(setup(
            folder.path(),
            &journal,
            1_800_000_000_000 + start * 3_600_000,
        ))
        .await
        .unwrap();
        tokio::time::sleep(ROUND).await;
        backend.engine().shutdown(Duration::from_secs(5)).await.unwrap();
        drop(backend);
    }
    let (came, ends) = told(journal.as_ref()).await;
    assert_eq!(came.iter().collect::<HashSet<_>>().len(), came.len());
    assert!(came.len() > 20, "both starts played: {}", came.len());
    assert!(
        ends.iter().all(|end| !matches!(end, Terminal::Duplicate)),
        "{ends:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn it_never_plays_beside_a_channel_that_is_not_simulated() {
    let host = Host::start_with(|setup| {
        let text = "[channels.telegram]\ntoken = { file = \"token\" }\n\
            api_root = \"http://127.0.0.1:9\"\n[channels.slack]\nkind = \"loopback\"\nallow_from = [\"*\"]\n";
        std::fs::write(setup.base.join("token"), "the first passphrase").unwrap();
        setup.config = config::parse(text, Path::new("foldback.toml")).unwrap();
        setup.demo_start = DemoStart::EveryStart;
    })
    .await;
    tokio::time::sleep(2 * ROUND).await;
    let status: Status = host.call("status", json!({})).await;
    assert_eq!(status.demo, None);
    for order in ["demo_play", "demo_pause"] {
        let (code, message, hint) = host.failure(order, json!({})).await;
        assert_eq!(code, "no_demo");
        assert!(message.contains("channels of its own"), "{message}");
        assert!(hint.is_some());
    }
    assert_eq!(told(host.backend.journal().as_ref()).await.0, []);
}

#[tokio::test(start_paused = true)]
async fn the_guided_tour_has_a_turn_for_every_topic_once_the_turn_is_over() {
    let host = Host::start_with(|setup| setup.demo_start = DemoStart::FirstStart).await;
    let early: Vec<DemoStop> = host.call("demo_stops", json!({})).await;
    let topics: Vec<DemoTopic> = early.iter().map(|stop| stop.topic).collect();
    assert_eq!(topics, DemoTopic::ALL);
    assert!(early.iter().all(|stop| stop.turn.is_none() && stop.seq.is_none()));
    tokio::time::sleep(Duration::from_mins(2)).await;
    let stops: Vec<DemoStop> = host.call("demo_stops", json!({})).await;
    for DemoStop { topic, turn, seq } in stops {
        let (turn, seq) = turn.zip(seq).unwrap_or_else(|| panic!("no turn shows {topic}"));
        let detail: TurnDetail = host.call("turn", json!({ "turn": turn })).await;
        let event: EventDetail = host.call("event", json!({ "seq": seq })).await;
        assert_eq!(event.event.turn, Some(turn), "{topic}");
        let expected = match topic {
            DemoTopic::Silent => matches!(detail.summary.terminal, Some(Terminal::Silent { .. })),
            DemoTopic::Failed => matches!(detail.summary.terminal, Some(Terminal::Failed { .. })),
            DemoTopic::Held | DemoTopic::Stripped | DemoTopic::RateLimited => {
                detail.summary.terminal == Some(Terminal::Replied)
            }
        };
        assert!(expected, "{topic}: {:?}", detail.summary.terminal);
    }
}
