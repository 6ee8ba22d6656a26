//! The session: resumed, begun anew, followed without loss.

use crate::place::{DIRECT, Place, ROOM, TOKEN, adapter, timed};
use crate::shared::run::Run;
use crate::shared::time::Hasty;
use foldback_strict::discord::{DiscordServer, Order};
use foldback_wire::{ChannelState, Clock, RefusalCode, Sleep, Timestamp};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) fn write(place: &Place, text: &str) {
    place.server.write(DIRECT, &json!({"content": text}));
}

#[tokio::test]
async fn a_connection_that_ends_is_resumed_and_nothing_is_lost_or_doubled() {
    for order in [
        Order::Reconnect,
        Order::Invalidate { resumable: true },
        Order::Close(4000),
        Order::Close(4001),
        Order::Close(4008),
        Order::Close(1001),
        Order::Cut,
    ] {
        let place = Place::open().await;
        let mut run = Run::up(&place.adapter).await;
        write(&place, "one");
        place.server.order(order);
        write(&place, "two");
        let seen = run.messages_until("three", |_| write(&place, "three")).await;
        assert_eq!(seen, ["one", "two", "three"], "{order:?}");
        assert_eq!(place.server.sessions(), (1, 1), "{order:?}");
        run.end().await;
        assert_eq!(place.server.broken(), [], "{order:?}");
    }
}

/// Time as of the other tests, that remembers the waits of up to a minute. Hearts beat at once, and then every few hours.
#[derive(Default)]
struct Remembering(Mutex<Vec<Duration>>);

impl Clock for Remembering {
    fn now(&self) -> Timestamp {
        Hasty.now()
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let wait = until.since(self.now());
        if !wait.is_zero() && wait <= Duration::from_mins(1) {
            self.0.lock().unwrap().push(wait);
        }
        Hasty.sleep_until(until)
    }
}

#[tokio::test]
async fn only_a_connection_that_was_up_is_replaced_without_a_wait() {
    let place = Place::open().await;
    let clock = Arc::new(Remembering::default());
    let adapter = Arc::new(timed(&place.server, TOKEN, place.dir.path(), clock.clone()));
    let mut run = Run::timed(&adapter, clock.clone());
    run.until(ChannelState::Up).await;
    place.server.rebuff(&[7, 9, 7, 9]);
    place.server.order(Order::Reconnect);
    run.until(ChannelState::Up).await;
    place.server.order(Order::Invalidate { resumable: true });
    run.until(ChannelState::Down).await;
    run.until(ChannelState::Up).await;
    assert_eq!(place.server.sessions(), (1, 2));
    run.end().await;
    let waits = clock.0.lock().unwrap().clone();
    let between = |wait: &Duration, most: u64| {
        (Duration::from_millis(most * 9 / 10)..=Duration::from_millis(most)).contains(wait)
    };
    let as_expected = waits.iter().zip([500, 1_000, 2_000, 4_000]);
    assert!(
        waits.len() == 4 && as_expected.clone().all(|(wait, most)| between(wait, most)),
        "one growing wait for each connection that never was up: {waits:?}"
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_session_that_is_over_is_followed_by_another_and_that_is_said() {
    for (order, said) in [
        (
            Order::Invalidate { resumable: false },
            "what was written meanwhile did not arrive",
        ),
        (Order::Close(4007), "close code 4007"),
        (Order::Close(4009), "close code 4009"),
    ] {
        let place = Place::open().await;
        let mut run = Run::up(&place.adapter).await;
        place.server.order(order);
        let why = run.until(ChannelState::Down).await;
        assert!(why.contains(said), "{order:?}: {why}");
        run.until(ChannelState::Up).await;
        write(&place, "one");
        assert_eq!(run.message().await.text, "one");
        assert_eq!(place.server.sessions(), (2, 0), "{order:?}");
    }
}

#[tokio::test]
async fn an_event_that_is_sent_again_is_passed_over() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    write(&place, "one");
    place.server.order(Order::Repeat);
    place.server.order(Order::Repeat);
    assert_eq!(run.message().await.text, "one");
    write(&place, "two");
    assert_eq!(run.message().await.text, "two");
}

#[tokio::test]
async fn what_is_not_kept_comes_again() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    write(&place, "one");
    write(&place, "two");
    drop(run.arrival().await);
    // "two" may be on its way already, and comes again with what was before it: the pipeline knows its id.
    let mut seen = Vec::new();
    while !seen.ends_with(&["one".to_owned(), "two".to_owned()]) {
        let arrival = run.arrival().await;
        let _ = arrival.kept.unwrap().send(());
        seen.push(arrival.message.text);
    }
    assert!(seen.len() <= 3, "{seen:?}");
    assert_eq!(place.server.sessions(), (1, 1));
}

#[tokio::test]
async fn what_was_handed_over_is_not_given_up_with_the_connection() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    write(&place, "one");
    let one = run.arrival().await;
    place.server.order(Order::Invalidate { resumable: false });
    run.until(ChannelState::Up).await;
    let kept = one.kept.unwrap();
    assert!(!kept.is_closed(), "it would not come again");
    kept.send(()).unwrap();
    write(&place, "two");
    assert_eq!(run.message().await.text, "two");
}

#[tokio::test]
async fn what_is_written_while_the_channel_is_off_comes_in_when_it_is_on_again() {
    let place = Place::open().await;
    let run = Run::up(&place.adapter).await;
    run.end().await;
    write(&place, "one");
    let mut run = Run::of(&place.adapter);
    assert_eq!(
        run.until(ChannelState::Up).await,
        "connected again as foldback, nothing was missed"
    );
    assert_eq!(run.message().await.text, "one");
    run.end().await;
    place.server.forget_session();
    write(&place, "nobody is told");
    let mut run = Run::up(&place.adapter).await;
    write(&place, "two");
    assert_eq!(run.message().await.text, "two");
    assert_eq!(place.server.sessions(), (2, 1));
}

#[tokio::test]
async fn what_the_last_process_did_not_keep_comes_in_with_the_next() {
    let place = Place::open().await;
    let process =
        || Arc::new(adapter(&place.server, TOKEN, place.dir.path()).resuming(place.dir.path(), None));
    let mut run = Run::up(&process()).await;
    write(&place, "one");
    run.message().await;
    write(&place, "two");
    // One waits for the journal and one for the pipeline when the process ends.
    write(&place, "three");
    let two = run.arrival().await;
    run.end().await;
    drop(two);
    write(&place, "four");
    let mut run = Run::of(&process());
    assert_eq!(
        run.until(ChannelState::Up).await,
        "connected again as foldback, nothing was missed"
    );
    let seen = run.messages_until("four", |_| ()).await;
    assert_eq!(seen, ["two", "three", "four"]);
    assert_eq!(place.server.sessions(), (1, 1));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_process_goes_on_as_the_bot_that_another_was() {
    let place = Place::open().await;
    let process =
        || Arc::new(adapter(&place.server, TOKEN, place.dir.path()).resuming(place.dir.path(), None));
    let mut run = Run::up(&process()).await;
    let own = json!({"id": "77", "tags": {"bot_id": DiscordServer::BOT.to_string()}});
    place
        .server
        .dispatch("GUILD_CREATE", json!({"id": "900", "roles": [own]}));
    write(&place, "one");
    run.message().await;
    write(&place, "two");
    run.arrival().await;
    run.end().await;
    let mut run = Run::up(&process()).await;
    place
        .server
        .write(ROOM, &json!({"content": "<@&77> hi", "mention_roles": ["77"]}));
    assert_eq!(run.message().await.text, "two");
    assert!(run.message().await.mentioned);
}

#[tokio::test]
async fn a_process_begins_anew_where_nothing_is_left_to_go_on_with() {
    let place = Place::open().await;
    let process =
        || Arc::new(adapter(&place.server, TOKEN, place.dir.path()).resuming(place.dir.path(), None));
    Run::up(&process()).await.end().await;
    place.server.forget_session();
    let mut run = Run::of(&process());
    let why = run.until(ChannelState::Down).await;
    assert!(why.contains("what was written meanwhile did not arrive"), "{why}");
    run.until(ChannelState::Up).await;
    run.end().await;
    assert_eq!(place.server.sessions(), (2, 0));
    let bookmarks = || {
        std::fs::read_dir(place.dir.path())
            .unwrap()
            .map(|file| file.unwrap().path())
    };
    let bookmark = bookmarks().find(|file| file.extension().is_some_and(|kind| kind == "json"));
    std::fs::write(bookmark.unwrap(), "{\"open\":").unwrap();
    Run::up(&process()).await.end().await;
    assert_eq!(place.server.sessions(), (3, 0));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn no_bot_takes_up_the_session_of_another() {
    let place = Place::open().await;
    let process =
        |token| Arc::new(adapter(&place.server, token, place.dir.path()).resuming(place.dir.path(), None));
    Run::up(&process(TOKEN)).await.end().await;
    assert_eq!(place.server.calls(), 1, "it asked where the gateway is");
    Run::of(&process(&format!("{TOKEN}x"))).ended().await;
    assert_eq!(place.server.calls(), 2, "and so does the other one");
}

/// What a heartbeat confirms, Discord may not send again.
#[tokio::test]
async fn the_next_process_begins_no_earlier_than_what_a_heartbeat_confirmed() {
    let place = Place::open().await;
    let folder = place.dir.path();
    // A second on the clock of these tests: a busy machine must answer a heartbeat before the next one.
    place.server.beat_every(Duration::from_secs(1_000));
    let _run = Run::up(&Arc::new(
        adapter(&place.server, TOKEN, folder).resuming(folder, None),
    ))
    .await;
    for _ in 0..3 {
        place.server.dispatch("TYPING_START", json!({}));
    }
    let marked = || {
        let mut files = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path());
        let bookmark = files.find(|file| file.extension().is_some_and(|kind| kind == "json"))?;
        let progress: Value = serde_json::from_slice(&std::fs::read(bookmark).ok()?).ok()?;
        progress["safe"].as_u64()
    };
    let all = async {
        while marked() != Some(4) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    // A heartbeat may come between two of the events; the next one confirms the rest.
    let waited = tokio::time::timeout(Duration::from_mins(1), all).await;
    assert!(waited.is_ok(), "it stands at {:?}", marked());
}

#[tokio::test]
async fn a_process_with_another_journal_begins_a_session_of_its_own() {
    let place = Place::open().await;
    let process = |journal: &str| {
        let (folder, journal) = (place.dir.path(), place.dir.path().join(journal));
        Arc::new(adapter(&place.server, TOKEN, folder).resuming(folder, Some(&journal)))
    };
    for (journal, sessions) in [
        ("one.sqlite", (1, 0)),
        ("other.sqlite", (2, 0)),
        ("other.sqlite", (2, 1)),
    ] {
        Run::up(&process(journal)).await.end().await;
        assert_eq!(place.server.sessions(), sessions, "{journal}");
    }
}

#[tokio::test]
async fn some_closings_are_final_and_say_what_to_do() {
    for (code, said) in [
        (4004, "Discord refuses the token"),
        (4010, "Discord refuses the connection"),
        (4011, "more servers than one connection may serve"),
        (4012, "Discord refuses the connection"),
        (4013, "Discord refuses the connection"),
        (4014, "switch on \"Message Content Intent\""),
    ] {
        let place = Place::open().await;
        let run = Run::up(&place.adapter).await;
        place.server.order(Order::Close(code));
        let (refusal, states) = run.ended().await;
        assert_eq!(refusal.code, RefusalCode::Unauthorized);
        assert!(refusal.detail.contains(said), "{}", refusal.detail);
        let (state, why) = states.last().unwrap();
        assert_eq!((*state, why), (ChannelState::Down, &refusal.detail));
    }
}

#[tokio::test]
async fn without_the_intent_to_read_messages_the_run_ends() {
    let place = Place::open().await;
    place.server.without_privileged_intents();
    let (refusal, _) = Run::of(&place.adapter).ended().await;
    assert!(
        refusal.detail.contains("switch on \"Message Content Intent\""),
        "{}",
        refusal.detail
    );
}

#[tokio::test]
async fn a_token_that_is_refused_ends_the_run() {
    let place = Place::open().await;
    let impostor = Arc::new(adapter(&place.server, &format!("{TOKEN}x"), place.dir.path()));
    let (refusal, states) = Run::of(&impostor).ended().await;
    assert_eq!(refusal.code, RefusalCode::Unauthorized);
    assert!(
        refusal.detail.contains("Discord refuses the token"),
        "{}",
        refusal.detail
    );
    assert_eq!(states.last().unwrap().0, ChannelState::Down);
}

#[tokio::test]
async fn where_the_session_has_no_gateway_any_more_discord_is_asked_for_one() {
    let place = Place::open().await;
    place.server.lose_resume_url();
    let mut run = Run::up(&place.adapter).await;
    place.server.order(Order::Cut);
    run.until(ChannelState::Down).await;
    write(&place, "one");
    assert_eq!(run.message().await.text, "one");
    assert_eq!(place.server.sessions(), (1, 1));
}

#[tokio::test]
async fn a_day_without_sessions_is_waited_for() {
    let place = Place::open().await;
    place.server.sessions_left(0);
    let mut run = Run::of(&place.adapter);
    let why = run.until(ChannelState::RateLimited).await;
    assert!(why.contains("no more sessions today"), "{why}");
    run.end().await;
    assert_eq!(place.server.sessions(), (0, 0));
}
