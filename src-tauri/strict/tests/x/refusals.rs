//! The adapter's reading of refusals and of answers that do not come.

use crate::front::a_wait_is_read_from_the_header;
use crate::place::Place;
use crate::shared::calls::voice_reply;
use crate::shared::run::Run;
use foldback_channels::LimitScope;
use foldback_strict::Mishap;
use foldback_wire::{ChannelState, Operation, RefusalCode};
use std::time::Duration;

#[tokio::test]
async fn what_a_front_end_asks_for_stands_in_the_header() {
    a_wait_is_read_from_the_header::<Place>(LimitScope::Route).await;
}

#[tokio::test]
async fn what_x_does_not_take_from_a_bot_is_refused_here() {
    let place = Place::open().await;
    let message = || "1".into();
    for operation in [
        Operation::Typing,
        Operation::Delete { message: message() },
        Operation::React {
            message: message(),
            emoji: "👍".into(),
            emoji_sent: "👍".into(),
        },
        voice_reply("a.ogg", "1"),
    ] {
        let refusal = place.perform(operation).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Unsupported, false)
        );
    }
    assert_eq!(place.server.calls(), 0);
}

#[tokio::test]
async fn too_many_questions_end_the_attempt_until_the_limit_is_over() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    run.until(ChannelState::Up).await;
    place
        .server
        .plan("mentions", Mishap::RateLimited(Duration::from_mins(1)));
    let why = run.until(ChannelState::RateLimited).await;
    assert!(
        why.contains("Rate limit exceeded") && why.contains("1 minute"),
        "{why}"
    );
    run.until(ChannelState::Up).await;
    run.end().await;
}
