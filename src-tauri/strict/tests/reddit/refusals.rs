//! The adapter's reading of refusals and of answers that do not come.

use crate::front::a_wait_is_read_from_the_header;
use crate::place::{ANA, POST, Place};
use crate::shared::calls::{said, voice_reply};
use foldback_channels::LimitScope;
use foldback_strict::reddit::Closed;
use foldback_wire::{Operation, RefusalCode};
use std::time::Duration;

#[tokio::test]
async fn what_a_front_end_asks_for_stands_in_the_header() {
    a_wait_is_read_from_the_header::<Place>(LimitScope::Channel).await;
}

#[tokio::test]
async fn an_account_that_writes_too_often_waits_as_long_as_the_words_say() {
    let place = Place::open().await;
    let words = "Looks like you've been doing that a lot. Take a break for 9 minutes before trying again.";
    for (told, seconds) in [(None, 600), (Some(537.0), 537)] {
        place.server.limit_writes(words, told);
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!(
            (
                refusal.code,
                refusal.scope,
                refusal.retry_after,
                refusal.maybe_done
            ),
            (
                RefusalCode::RateLimited,
                LimitScope::Route,
                Some(Duration::from_secs(seconds)),
                false
            )
        );
    }
    assert!(place.send("hi").await.is_ok());
}

#[tokio::test]
async fn a_deleted_comment_takes_no_answer_and_its_post_does() {
    let place = Place::open().await;
    let asked = place.server.comment(ANA, POST, "hi");
    place.server.close(&asked, Closed::Deleted);
    let refusal = place
        .perform_in(POST, Some(&asked), said("hi"))
        .await
        .unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Gone);
    assert!(refusal.detail.contains("DELETED_COMMENT"), "{refusal}");
    assert!(place.send("hi").await.is_ok());
}

#[tokio::test]
async fn what_reddit_does_not_take_from_a_bot_is_refused_here() {
    let place = Place::open().await;
    let message = || "t1_a".into();
    for operation in [
        Operation::Typing,
        Operation::Delete { message: message() },
        Operation::React {
            message: message(),
            emoji: "👍".into(),
            emoji_sent: "👍".into(),
        },
        voice_reply("a.ogg", "t1_a"),
    ] {
        let refusal = place.perform(operation).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Unsupported, false)
        );
    }
    assert_eq!(place.server.calls(), 0);
}
