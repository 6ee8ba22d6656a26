//! Operations of the adapter.

use crate::place::{ANA, NAME, POST, Place};
use crate::shared::calls::{reply, said, target};
use crate::shared::run::Run;
use crate::shared::sent::sent_file;
use foldback_channels::contract::{Subject, check};
use foldback_channels::{ChannelAdapter, LimitScope, Pause, ThreadQuery};
use foldback_strict::Mishap;
use foldback_wire::{ChannelState, MessageFlags, Operation, RefusalCode, Timestamp};
use std::time::Duration;

#[tokio::test]
async fn it_keeps_the_contract() {
    let place = Place::open().await;
    let theirs = place.server.comment(ANA, POST, "hi");
    let subject = Subject::new(
        place.adapter.clone(),
        target(POST, None),
        theirs.into(),
        "t1_zzzzzz".into(),
        "a.ogg",
    );
    check(&subject).await.unwrap();
}

#[tokio::test]
async fn an_answer_lands_below_the_comment_that_asked() {
    let place = Place::open().await;
    let asked = place.server.comment(ANA, POST, "u/Foldback_Bot which?");
    let answer = place
        .perform_in(POST, Some(&asked), said("**The grey** one"))
        .await
        .unwrap();
    let below = place.perform(reply("and this", &asked)).await.unwrap();
    let top = place.send("To all").await.unwrap();
    assert_eq!(answer.sent_at, Some(Timestamp(1_700_000_000_000)));
    let parents: Vec<_> = place
        .server
        .messages(POST)
        .into_iter()
        .filter(|(_, posted)| posted.by_bot)
        .map(|(name, posted)| (Some(name.into()), posted.text, posted.parent))
        .collect();
    assert_eq!(
        parents,
        [
            (answer.message, "**The grey** one".into(), asked.clone()),
            (below.message, "and this".into(), asked),
            (top.message, "To all".into(), POST.into()),
        ]
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_private_message_answers_the_last_one_and_begins_a_conversation_where_none_came() {
    let place = Place::open().await;
    let ana = format!("u/{ANA}");
    let first = place.perform_in(&ana, None, said("Hello")).await.unwrap();
    assert_eq!(first.message, None, "Reddit names none");
    let mut run = Run::of(&place.adapter);
    let asked = place.server.message(ANA, "Hi");
    assert_eq!(run.message().await.chat.as_str(), ana);
    let answer = place.perform_in(&ana, None, said("How are you?")).await.unwrap();
    let posted = place.server.messages(&ana);
    let parents: Vec<_> = posted.iter().map(|(_, posted)| posted.parent.as_str()).collect();
    assert_eq!(parents, [&*ana, &*ana, &*asked]);
    let edit = Operation::EditText {
        message: answer.message.unwrap(),
        text: "x".into(),
        flags: MessageFlags::default(),
    };
    let refused = place.perform_in(&ana, None, edit).await.unwrap_err();
    assert_eq!(refused.code, RefusalCode::Unsupported);
    assert_eq!(place.server.broken(), []);
    run.end().await;
}

#[tokio::test]
async fn the_bot_edits_its_own_comments_alone() {
    let place = Place::open().await;
    let theirs = place.server.comment(ANA, POST, "hi");
    let own = place.send("one").await.unwrap().message.unwrap();
    let edit = |message: &str| Operation::EditText {
        message: message.into(),
        text: "two".into(),
        flags: MessageFlags::default(),
    };
    place.perform(edit(own.as_str())).await.unwrap();
    assert_eq!(
        place.perform(edit(&theirs)).await.unwrap_err().code,
        RefusalCode::Gone
    );
    let posted: Vec<_> = place
        .server
        .messages(POST)
        .into_iter()
        .map(|(_, posted)| (posted.text, posted.edits))
        .collect();
    assert_eq!(posted, [("hi".into(), 0), ("two".into(), 1)]);
}

#[tokio::test]
async fn the_last_call_of_a_period_asks_for_a_pause_which_the_inbox_keeps_too() {
    let place = Place::open().await;
    let wait = Duration::from_secs(40);
    place.server.plan("comment", Mishap::UsedUp(wait));
    let sent = place.send("hi").await.unwrap();
    let pause = Pause {
        scope: LimitScope::Channel,
        after: wait,
    };
    assert_eq!(sent.pause, Some(pause));
    let before = place.server.calls();
    // Nothing is sent meanwhile,
    let comment = sent.message.unwrap();
    let edit = Operation::EditText {
        message: comment,
        text: "no".into(),
        flags: MessageFlags::default(),
    };
    for refused in [place.send("no").await, place.perform(edit).await] {
        let refusal = refused.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.scope, refusal.maybe_done),
            (RefusalCode::RateLimited, LimitScope::Channel, false)
        );
        assert!(refusal.retry_after.is_some_and(|left| left <= wait), "{refusal}");
    }
    // and what is read beside asks nobody.
    let query = ThreadQuery {
        chat: POST.into(),
        thread: "t1_a".into(),
        before: "t1_a".into(),
        limit: 20,
    };
    let part = place.adapter.read_thread(&query).await.unwrap().unwrap();
    assert!(part.missing.unwrap().contains("no calls now"));
    assert_eq!(place.server.calls(), before);
}

#[tokio::test]
async fn what_was_said_above_a_comment_is_read() {
    let place = Place::open().await;
    let first = place.server.comment(ANA, POST, "u/Foldback_Bot which?");
    let answer = place
        .perform_in(POST, Some(&first), said("The grey one"))
        .await
        .unwrap();
    let answer = answer.message.unwrap().to_string();
    let asked = place.server.comment(ANA, &answer, "why?");
    let mut query = ThreadQuery {
        chat: POST.into(),
        thread: asked.as_str().into(),
        before: asked.as_str().into(),
        limit: 20,
    };
    let part = place.adapter.read_thread(&query).await.unwrap().unwrap();
    assert_eq!(part.starter.unwrap().said.text, "Which laptop?");
    let said: Vec<_> = part
        .recent
        .iter()
        .map(|message| {
            (
                message.said.text.as_str(),
                message.said.sender.as_deref(),
                message.said.own,
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            ("u/Foldback_Bot which?", Some(ANA), false),
            ("The grey one", Some(NAME), true),
        ]
    );
    query.limit = 1;
    let part = place.adapter.read_thread(&query).await.unwrap().unwrap();
    assert_eq!(part.recent.len(), 1);
    query.chat = format!("u/{ANA}").into();
    assert_eq!(
        place.adapter.read_thread(&query).await.unwrap(),
        None,
        "a message has none"
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_run_says_who_it_is() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    assert_eq!(run.until(ChannelState::Up).await, "connected as u/Foldback_Bot");
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn nothing_can_be_fetched() {
    let place = Place::open().await;
    let refusal = place
        .adapter
        .fetch(&POST.into(), &sent_file("a"), 1)
        .await
        .unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Unsupported);
    assert_eq!(place.server.calls(), 0);
}
