//! Operations of the adapter.

use crate::place::{ANA, BOT, CLIENT, NAME, Place, TOKEN};
use crate::shared::calls::{reply, said, target};
use crate::shared::sent::sent_file;
use foldback_channels::contract::{Subject, check};
use foldback_channels::{ChannelAdapter, LimitScope, Pause};
use foldback_strict::Mishap;
use foldback_strict::x::XClient;
use foldback_wire::{RefusalCode, Timestamp};
use std::time::Duration;

#[tokio::test]
async fn it_keeps_the_contract() {
    let place = Place::open().await;
    let theirs = place.server.mention(ANA, "@foldback_bot hi", Some(place.post));
    let subject = Subject::new(
        place.adapter.clone(),
        target(place.post, None),
        theirs.to_string().into(),
        "1".into(),
        "a.ogg",
    );
    check(&subject).await.unwrap();
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn an_answer_stands_below_what_asked_and_goes_on_below_itself() {
    let place = Place::open().await;
    let asked = place
        .server
        .mention(ANA, "@foldback_bot which?", Some(place.post));
    let one = place
        .perform_in(Some(asked), said("**The grey** one, since"))
        .await
        .unwrap();
    let two = place.perform_in(Some(asked), said("it is light.")).await.unwrap();
    let other = place
        .perform_in(Some(asked), reply("To that", &asked.to_string()))
        .await
        .unwrap();
    let top = place.send("To all").await.unwrap();
    let number =
        |ack: &foldback_channels::Ack| ack.message.as_ref().unwrap().as_str().parse::<u64>().unwrap();
    let posted: Vec<_> = place
        .server
        .messages(place.post)
        .into_iter()
        .filter(|(_, posted)| posted.author == BOT)
        .map(|(id, posted)| (id, posted.text, posted.parent.unwrap()))
        .collect();
    assert_eq!(
        posted,
        [
            (number(&one), "The grey one, since".into(), asked),
            (number(&two), "it is light.".into(), number(&one)),
            (number(&other), "To that".into(), asked),
            (number(&top), "To all".into(), place.post),
        ]
    );
    // The time stands in the id.
    let at = i64::try_from((number(&one) >> 22) + 1_288_834_974_657).unwrap();
    assert_eq!(one.sent_at, Some(Timestamp(at)));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn what_fits_here_fits_there_and_nothing_longer_leaves() {
    let place = Place::open().await;
    let link = format!("https://example.org/{}", "a".repeat(50));
    for text in [
        "x".repeat(280),
        "你".repeat(140),
        "👍".repeat(140),
        format!("{} example.org", "x".repeat(256)),
        format!("{} {link}", "x".repeat(209)),
    ] {
        place.send(&text).await.unwrap();
    }
    let before = place.server.calls();
    for text in [
        "x".repeat(281),
        "你".repeat(141),
        format!("{} example.org", "x".repeat(257)),
    ] {
        assert_eq!(place.send(&text).await.unwrap_err().code, RefusalCode::TooLong);
    }
    assert_eq!(place.send(" \n").await.unwrap_err().code, RefusalCode::Rejected);
    assert_eq!(place.server.calls(), before);
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn the_same_text_twice_is_refused_and_another_one_is_not() {
    let client = XClient {
        refuses_duplicates: true,
        ..XClient::public(CLIENT, TOKEN, BOT, NAME)
    };
    let place = Place::of(client).await;
    place.send("hi").await.unwrap();
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Rejected);
    assert!(refusal.detail.contains("duplicate content"), "{refusal}");
    place.send("hi again").await.unwrap();
}

#[tokio::test]
async fn the_last_post_of_a_period_asks_for_a_pause() {
    let place = Place::open().await;
    let after = Duration::from_secs(40);
    place.server.plan("tweets", Mishap::UsedUp(after));
    let pause = Pause {
        scope: LimitScope::Route,
        after,
    };
    assert_eq!(place.send("hi").await.unwrap().pause, Some(pause));
}

#[tokio::test]
async fn nothing_can_be_fetched() {
    let place = Place::open().await;
    let chat = place.post.to_string().into();
    let refusal = place.adapter.fetch(&chat, &sent_file("a"), 1).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Unsupported);
    assert_eq!(place.server.calls(), 0);
}
