//! Messages that come in.

use crate::place::{ANA, BOT, Place};
use crate::shared::run::{Run, until};
use foldback_channels::Signal;
use foldback_strict::Mishap;
use foldback_wire::{ChannelState, ChatType};
use serde_json::json;
use std::time::Duration;

/// A run that has begun behind what there was.
async fn begun(place: &Place) -> Run {
    let mut run = Run::of(&place.adapter);
    assert_eq!(run.until(ChannelState::Up).await, "connected as @foldback_bot");
    run
}

#[tokio::test]
async fn a_mention_comes_in_with_what_it_answers() {
    let place = Place::open().await;
    let mut run = begun(&place).await;
    let id = place
        .server
        .mention(ANA, "@foldback_bot is 1 < 2 & so on?", Some(place.post));
    let message = run.message().await;
    let id = id.to_string();
    assert_eq!(
        (
            message.message.as_str(),
            message.thread.as_ref().map(foldback_wire::ThreadId::as_str),
            message.chat.to_string(),
            message.text.as_str(),
            message.reply_to.as_ref().map(ToString::to_string),
            message.chat_type,
            message.at.to_string().as_str(),
        ),
        (
            &*id,
            Some(&*id),
            place.post.to_string(),
            "@foldback_bot is 1 < 2 & so on?",
            Some(place.post.to_string()),
            ChatType::Group,
            "2026-11-29T12:00:00.000Z",
        )
    );
    assert_eq!(
        (message.sender.id.as_str(), message.sender.name.as_str()),
        ("42", "ana")
    );
    let context = message.context.unwrap();
    let quote = context.quote.as_ref().unwrap();
    assert_eq!(
        (quote.text.as_str(), quote.sender.as_deref()),
        ("Hello all", Some("ana"))
    );
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn what_was_written_before_the_first_start_is_not_answered_and_what_comes_between_two_is() {
    let place = Place::open().await;
    place.server.mention(ANA, "@foldback_bot long ago", None);
    begun(&place).await.end().await;
    for number in 0..230 {
        place
            .server
            .mention(ANA, &format!("@foldback_bot {number}"), None);
    }
    let mut run = Run::of(&place.restarted());
    for number in 0..230 {
        assert_eq!(run.message().await.text, format!("@foldback_bot {number}"));
    }
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_pause_between_two_pages_loses_none_of_them() {
    let place = Place::open().await;
    begun(&place).await.end().await;
    let asked: Vec<_> = (0..150)
        .map(|_| place.server.mention(ANA, "@foldback_bot hi", None).to_string())
        .collect();
    let before = place.server.polls();
    // The first page comes as usual, the second one later.
    place.server.plan("mentions", Mishap::Late(Duration::ZERO));
    place
        .server
        .plan("mentions", Mishap::RateLimited(Duration::from_secs(1)));
    let mut run = Run::of(&place.adapter);
    run.until(ChannelState::RateLimited).await;
    let first = run.arrival().await;
    assert_eq!(place.server.polls() - before, 2, "each page is asked for once");
    assert_eq!(first.message.message.as_str(), asked[0]);
    first.kept.unwrap().send(()).unwrap();
    for id in &asked[1..] {
        assert_eq!(run.message().await.message.as_str(), id);
    }
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_page_that_is_the_last_of_its_limit_is_followed_by_the_next_once_it_is_whole_again() {
    let place = Place::open().await;
    begun(&place).await.end().await;
    let asked: Vec<_> = (0..150)
        .map(|_| place.server.mention(ANA, "@foldback_bot hi", None).to_string())
        .collect();
    let used_up = Mishap::UsedUp(Duration::from_secs(1));
    place.server.plan("mentions", used_up);
    let mut run = Run::of(&place.adapter);
    for id in &asked {
        assert_eq!(run.message().await.message.as_str(), id);
    }
    run.end().await;
    assert_eq!(place.server.broken(), [], "no question comes before its time");
}

#[tokio::test]
async fn mentions_that_are_more_than_x_hands_over_are_told_of() {
    let place = Place::open().await;
    begun(&place).await.end().await;
    let asked: Vec<_> = (0..801)
        .map(|_| place.server.mention(ANA, "@foldback_bot hi", None))
        .collect();
    let mut run = Run::of(&place.adapter);
    let warned = loop {
        if let Signal::Warned(what) = run.next().await {
            break what;
        }
    };
    assert_eq!(
        warned,
        format!(
            "X hands over 800 mentions at most: those before the post {} that were not read yet are not answered.",
            asked[1]
        )
    );
    run.end().await;
}

#[tokio::test]
async fn a_first_mention_of_all_is_answered() {
    let place = Place::open().await;
    let mut run = begun(&place).await;
    place.server.mention(ANA, "@foldback_bot one", None);
    assert_eq!(run.message().await.text, "@foldback_bot one");
    run.end().await;
}

#[tokio::test]
async fn what_is_not_kept_comes_again_also_in_the_next_process() {
    let place = Place::open().await;
    let mut run = begun(&place).await;
    place.server.mention(ANA, "@foldback_bot one", None);
    drop(run.arrival().await);
    assert!(run.until(ChannelState::Down).await.contains("not kept"));
    run.end().await;
    let mut run = Run::of(&place.restarted());
    assert_eq!(run.message().await.text, "@foldback_bot one");
    // Kept now: the next question is for what stands behind it.
    let polls = place.server.polls();
    until(|| place.server.polls() > polls + 1).await;
    run.end().await;
    let mut run = Run::of(&place.restarted());
    place.server.mention(ANA, "@foldback_bot two", None);
    assert_eq!(run.message().await.text, "@foldback_bot two");
    run.end().await;
}

#[tokio::test]
async fn the_bots_own_posts_and_what_is_passed_on_are_not_handed_over() {
    let place = Place::open().await;
    let mut run = begun(&place).await;
    place.server.mention(BOT, "@foldback_bot talks to itself", None);
    let passed_on = place.server.mention(ANA, "RT @foldback_bot: hi", None);
    place.server.tell(passed_on, |told| {
        told["referenced_tweets"] = json!([{"type": "retweeted", "id": "1"}]);
    });
    place.server.mention(ANA, "@foldback_bot hi", None);
    assert_eq!(run.message().await.text, "@foldback_bot hi");
    run.end().await;
}

#[tokio::test]
async fn a_mention_without_its_conversation_belongs_to_what_it_answers() {
    let place = Place::open().await;
    let mut run = begun(&place).await;
    for parent in [Some(place.post), None] {
        let id = place.server.mention(ANA, "@foldback_bot hi", parent);
        place.server.tell(id, |told| {
            told["conversation_id"] = json!(null);
            told["note_tweet"] = json!({"text": "@foldback_bot the whole of it"});
        });
        let message = run.message().await;
        assert_eq!(message.chat.to_string(), parent.unwrap_or(id).to_string());
        assert_eq!(message.text, "@foldback_bot the whole of it");
    }
    run.end().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_told_of_and_keeps_nothing_else_back() {
    let place = Place::open().await;
    let mut run = begun(&place).await;
    let odd = place.server.mention(ANA, "@foldback_bot odd", None);
    place.server.tell(odd, |told| told["id"] = json!(17.5));
    place.server.mention(ANA, "@foldback_bot hi", None);
    let (message, unread) = run.message_and_unread().await;
    assert_eq!(message.text, "@foldback_bot hi");
    assert!(unread.iter().any(|(part, _)| *part == "post"), "{unread:?}");
    run.end().await;
}
