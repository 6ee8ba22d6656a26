//! What the adapter makes of refusals and of answers that do not come.

use crate::front::a_wait_is_read_from_the_header;
use crate::place::{APP_TOKEN, Place, ROOM, TOKEN, adapter};
use crate::shared::calls::{file, reply, said};
use crate::shared::run::Run;
use foldback_channels::{LimitScope, SlackEvents};
use foldback_strict::Mishap;
use foldback_wire::{FileKind, RefusalCode, Secret};
use std::time::Duration;

#[tokio::test]
async fn what_a_front_end_asks_for_stands_in_the_header() {
    a_wait_is_read_from_the_header::<Place>(LimitScope::Route).await;
}

#[tokio::test]
async fn a_file_is_only_shown_by_the_last_step() {
    for (step, maybe_done) in [
        ("files.getUploadURLExternal", false),
        ("upload", false),
        ("files.completeUploadExternal", true),
    ] {
        let place = Place::open().await;
        for mishap in [Mishap::Broken, Mishap::Failed, Mishap::Lost] {
            let before = place.server.messages(ROOM).len();
            place.server.plan(step, mishap);
            let refusal = place
                .perform(file("a.txt", FileKind::File, None))
                .await
                .unwrap_err();
            assert_eq!(
                (refusal.code, refusal.maybe_done),
                (RefusalCode::Transient, maybe_done),
                "{step} {mishap:?}"
            );
            let shown = place.server.messages(ROOM).len() - before;
            assert!(shown == 0 || maybe_done, "{step} {mishap:?}");
        }
        let wait = Duration::from_secs(7);
        place.server.plan(step, Mishap::RateLimited(wait));
        let refusal = place
            .perform(file("a.txt", FileKind::File, None))
            .await
            .unwrap_err();
        assert_eq!(
            (refusal.retry_after, refusal.maybe_done),
            (Some(wait), false),
            "{step}"
        );
    }
}

#[tokio::test]
async fn a_limit_of_a_method_that_only_replies_call_stops_no_other_message() {
    let place = Place::open().await;
    let first = place.perform(said("hi")).await.unwrap().message.unwrap();
    let reply = || reply("re", first.as_str());
    let hour = Duration::from_hours(1);
    place.server.plan("chat.getPermalink", Mishap::RateLimited(hour));
    let refusal = place.perform(reply()).await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.scope, refusal.retry_after),
        (RefusalCode::RateLimited, LimitScope::RouteInChat, Some(hour))
    );
    place.perform(said("no reply")).await.unwrap();
    // Nothing is planned any more: it is not asked again before the hour is over.
    let again = place.perform(reply()).await.unwrap_err();
    assert_eq!(again.code, RefusalCode::RateLimited);
    assert!(again.retry_after > Some(Duration::from_mins(59)), "{again:?}");
    assert_eq!(place.server.messages(ROOM).len(), 2);
}

#[tokio::test]
async fn no_refusal_holds_a_token() {
    let place = Place::open().await;
    let root = place.server.root();
    let mut said = Vec::new();
    for (token, app_token) in [
        (TOKEN, "xapp-token-wrong"),
        ("xoxb-token-wrong", APP_TOKEN),
        (TOKEN, TOKEN),
    ] {
        let events = SlackEvents::SocketMode(Secret::new(app_token));
        said.push(format!("{events:?}"));
        let impostor = adapter(&root, token, events, place.dir.path()).unwrap();
        let mut run = Run::of(&impostor);
        while let Some(signal) = run.signals.recv().await {
            said.push(format!("{signal:?}"));
        }
        let ended = run.task.await.unwrap().unwrap_err();
        assert_eq!(ended.code, RefusalCode::Unauthorized);
        assert!(ended.detail.starts_with("Slack refuses the app: "), "{ended}");
        said.push(format!("{ended:?} {ended}"));
    }
    for method in ["chat.postMessage", "upload", "link"] {
        place.server.plan(method, Mishap::Lost);
    }
    said.push(format!("{:?}", place.send("hi").await));
    said.push(format!(
        "{:?}",
        place.perform(file("a.txt", FileKind::File, None)).await
    ));
    let mut run = Run::of(&place.adapter);
    said.push(run.until(foldback_wire::ChannelState::Down).await);
    run.end().await;
    for text in said {
        assert!(!text.contains("-token") && !text.contains("ticket"), "{text}");
    }
}
