//! Loopback channels behave like the platforms they stand for.

use crate::stage::{CHAT, Stage, edit, inbound, react, reply, send};
use foldback_channels::sim::{Content, Failure, Fault};
use foldback_channels::{Ack, Signal};
use foldback_wire::{ChannelState, FileKind, MessageId, OpKind, Operation, Platform, RefusalCode};
use std::time::Duration;

#[tokio::test]
async fn a_message_gets_an_id_and_is_remembered() {
    for platform in Platform::ALL {
        let stage = Stage::new(*platform);
        let id = stage.perform(send("Hello")).await.unwrap().message.unwrap();
        assert!(
            foldback_channels::is_message_id(*platform, &id),
            "{platform}: {id}"
        );
        assert_eq!(stage.content(&id), Some(Content::Text("Hello".into())));
        assert_eq!(stage.channel.platform().log().len(), 1);
    }
}

#[tokio::test]
async fn edits_keep_what_was_there_before() {
    let stage = Stage::new(Platform::Telegram);
    let id = stage.perform(send("one")).await.unwrap().message.unwrap();
    stage.clock.advance(Duration::from_secs(2));
    assert_eq!(stage.perform(edit(&id, "two")).await.unwrap(), Ack::default());
    assert!(stage.perform(edit(&id, "two")).await.unwrap().unchanged);
    let platform = stage.channel.platform();
    let message = platform.chat(&CHAT.into()).unwrap().message(&id).unwrap();
    assert_eq!(message.content, Content::Text("two".into()));
    assert_eq!(
        message
            .history
            .iter()
            .map(|h| (h.text.as_str(), h.at.0))
            .collect::<Vec<_>>(),
        [("one", 2_000)]
    );
}

#[tokio::test]
async fn nobody_edits_or_removes_what_others_wrote() {
    let stage = Stage::new(Platform::Discord);
    stage.channel.inject(inbound("m1", "hi")).unwrap();
    let id = MessageId::from("m1");
    for operation in [edit(&id, "mine"), Operation::Delete { message: id.clone() }] {
        assert_eq!(stage.refusal(operation).await.code, RefusalCode::Forbidden);
    }
}

#[tokio::test]
async fn a_removed_message_is_gone() {
    let stage = Stage::new(Platform::Signal);
    let id = stage.perform(send("oops")).await.unwrap().message.unwrap();
    let delete = Operation::Delete { message: id.clone() };
    stage.perform(delete.clone()).await.unwrap();
    assert_eq!(stage.content(&id), None);
    assert_eq!(stage.refusal(delete).await.code, RefusalCode::Gone);
    assert_eq!(stage.refusal(react(&id, "👍")).await.code, RefusalCode::Gone);
}

#[tokio::test]
async fn limits_count_in_the_platforms_unit() {
    let at = |platform, text: String| async move {
        Stage::new(platform)
            .perform(send(&text))
            .await
            .map_err(|r| r.code)
            .map(|_| ())
    };
    let too_long = Err(RefusalCode::TooLong);
    assert_eq!(
        at(Platform::Telegram, "🎉".repeat(2_048)).await,
        Ok(()),
        "4,096 UTF-16 units"
    );
    assert_eq!(at(Platform::Telegram, "🎉".repeat(2_049)).await, too_long);
    assert_eq!(
        at(Platform::Discord, "🎉".repeat(2_000)).await,
        Ok(()),
        "2,000 scalars"
    );
    assert_eq!(at(Platform::Discord, "🎉".repeat(2_001)).await, too_long);
    assert_eq!(
        at(Platform::Signal, "🎉".repeat(500)).await,
        Ok(()),
        "2,000 bytes"
    );
    assert_eq!(at(Platform::Signal, "🎉".repeat(501)).await, too_long);
    assert_eq!(
        at(Platform::Slack, " \n".into()).await,
        Err(RefusalCode::Rejected),
        "empty text"
    );
}

#[tokio::test]
async fn reactions_follow_the_platform() {
    let reactions = async |platform, given: &[&str]| {
        let stage = Stage::new(platform);
        stage.channel.inject(inbound("m1", "hi")).unwrap();
        for emoji in given {
            stage
                .perform(react(&"m1".into(), emoji))
                .await
                .map_err(|r| r.code)?;
        }
        let platform = stage.channel.platform();
        Ok::<_, RefusalCode>(
            platform
                .chat(&CHAT.into())
                .unwrap()
                .message(&"m1".into())
                .unwrap()
                .reactions
                .clone(),
        )
    };
    assert_eq!(
        reactions(Platform::Discord, &["👍", "🚀", "👍"]).await.unwrap(),
        ["👍", "🚀"]
    );
    assert_eq!(
        reactions(Platform::Telegram, &["👍", "🎉"]).await.unwrap(),
        ["🎉"],
        "a bot has one"
    );
    assert_eq!(
        reactions(Platform::Telegram, &["🚀"]).await,
        Err(RefusalCode::Rejected),
        "not of its set"
    );
    assert_eq!(
        reactions(Platform::Slack, &["thumbsup"]).await.unwrap(),
        ["thumbsup"]
    );
    assert_eq!(
        reactions(Platform::Slack, &["👍"]).await,
        Err(RefusalCode::Rejected),
        "names only"
    );
}

#[tokio::test]
async fn a_reply_that_cannot_name_its_target_is_sent_plainly() {
    for platform in Platform::ALL {
        let stage = Stage::new(*platform);
        stage.channel.inject(inbound("m1", "hi")).unwrap();
        let good = stage.perform(reply("m1", "yes")).await.unwrap();
        assert_eq!(good.warning, None);
        let unknown = stage.perform(reply("nowhere", "yes")).await.unwrap();
        assert!(unknown.warning.is_some_and(|w| w.contains("nowhere")));
        let platform = stage.channel.platform();
        let chat = platform.chat(&CHAT.into()).unwrap();
        assert_eq!(
            chat.message(&good.message.unwrap()).unwrap().reply_to,
            Some("m1".into())
        );
        assert_eq!(chat.message(&unknown.message.unwrap()).unwrap().reply_to, None);
    }
}

#[tokio::test]
async fn a_reply_on_slack_opens_a_thread() {
    let stage = Stage::new(Platform::Slack);
    stage.channel.inject(inbound("1.000001", "hi")).unwrap();
    let id = stage
        .perform(reply("1.000001", "yes"))
        .await
        .unwrap()
        .message
        .unwrap();
    let platform = stage.channel.platform();
    let message = platform.chat(&CHAT.into()).unwrap().message(&id).unwrap();
    assert_eq!(message.thread, Some("1.000001".into()));
}

#[tokio::test]
async fn files_have_a_limit_for_their_kind() {
    let dir = tempfile::tempdir().unwrap();
    let file = std::fs::File::create(dir.path().join("a.png")).unwrap();
    file.set_len(5_000_000).unwrap();
    let stage = Stage::with_files(Platform::Whatsapp, dir.path());
    let image = |path: &str, kind| Operation::SendFile {
        path: path.into(),
        kind,
        caption: None,
        reply_to: None,
    };
    assert!(
        stage.perform(image("a.png", FileKind::Image)).await.is_ok(),
        "5 MB, inclusive"
    );
    file.set_len(5_000_001).unwrap();
    assert_eq!(
        stage.refusal(image("a.png", FileKind::Image)).await.code,
        RefusalCode::TooLong
    );
    assert!(
        stage.perform(image("a.png", FileKind::File)).await.is_ok(),
        "up to 100 MB as a file"
    );
    assert_eq!(
        stage.refusal(image("b.png", FileKind::Image)).await.code,
        RefusalCode::Rejected
    );
}

#[tokio::test]
async fn a_key_counts_once_on_discord_for_a_few_minutes() {
    let stage = Stage::new(Platform::Discord);
    let first = stage.keyed("k", send("once")).await.unwrap();
    assert_eq!(stage.keyed("k", send("once")).await.unwrap(), first);
    assert_eq!(stage.messages(), 1);
    stage.clock.advance(foldback_channels::sim::KEY_WINDOW);
    assert_ne!(stage.keyed("k", send("once")).await.unwrap(), first);

    let forgetful = Stage::new(Platform::Telegram);
    forgetful.keyed("k", send("twice")).await.unwrap();
    forgetful.keyed("k", send("twice")).await.unwrap();
    assert_eq!(forgetful.messages(), 2, "others have no keys");
}

#[tokio::test]
async fn the_nth_call_fails_as_planned() {
    let stage = Stage::new(Platform::Telegram);
    let limited = Fault {
        nth: 2,
        retry_after_ms: Some(1_500),
        ..Fault::first(OpKind::SendText, Failure::RateLimited)
    };
    stage.channel.platform().plan(limited);
    assert!(stage.perform(send("1")).await.is_ok());
    let refusal = stage.refusal(send("2")).await;
    assert_eq!(
        (refusal.code, refusal.retry_after),
        (RefusalCode::RateLimited, Some(Duration::from_millis(1_500)))
    );
    assert!(!refusal.maybe_done);
    assert!(stage.perform(send("3")).await.is_ok());
    assert_eq!(stage.messages(), 2);
}

#[tokio::test]
async fn a_lost_acknowledgement_was_done_all_the_same() {
    let stage = Stage::new(Platform::Telegram);
    stage
        .channel
        .platform()
        .plan(Fault::first(OpKind::SendText, Failure::LostAck));
    assert!(stage.refusal(send("there")).await.maybe_done);
    assert_eq!(stage.messages(), 1);
    assert!(stage.channel.platform().log().next().unwrap().applied);
}

#[tokio::test]
async fn latency_passes_before_the_call_arrives() {
    let stage = Stage::new(Platform::Telegram);
    let late = Fault {
        fail: None,
        latency_ms: 700,
        ..Fault::first(OpKind::SendText, Failure::Gone)
    };
    stage.channel.platform().plan(late);
    stage.clock.jump_on_sleep();
    stage.perform(send("late")).await.unwrap();
    assert_eq!(stage.channel.platform().log().next().unwrap().at.0, 700);
}

#[tokio::test]
async fn a_broken_connection_is_reported_and_comes_back() {
    let stage = Stage::new(Platform::Telegram);
    stage
        .channel
        .platform()
        .plan(Fault::first(OpKind::SendText, Failure::Disconnect));
    let mut running = stage.run();
    assert_eq!(
        running.states(2).await,
        [ChannelState::Connecting, ChannelState::Up]
    );
    assert!(stage.refusal(send("into the void")).await.maybe_done);
    assert_eq!(running.states(1).await, [ChannelState::Down]);
    assert!(
        !stage.refusal(send("still down")).await.maybe_done,
        "it never left"
    );
    stage.channel.inject(inbound("m1", "waits")).unwrap();
    stage.clock.advance(Duration::from_secs(1));
    assert_eq!(
        running.states(2).await,
        [ChannelState::Connecting, ChannelState::Up]
    );
    assert!(matches!(running.signals.recv().await, Some(Signal::Message(m)) if m.text == "waits"));
    assert!(stage.perform(send("there")).await.is_ok());
    running.stop().await;
}

#[tokio::test]
async fn what_arrives_while_the_channel_is_off_waits_and_is_not_lost_to_a_stop() {
    let stage = Stage::new(Platform::Whatsapp);
    for n in 0..3 {
        stage.channel.inject(inbound(&format!("m{n}"), "hi")).unwrap();
    }
    let mut running = stage.run();
    running.states(2).await;
    let Some(Signal::Message(first)) = running.signals.recv().await else {
        panic!("no message")
    };
    let mut seen = vec![first.message];
    seen.extend(running.stop().await);
    let mut again = stage.run();
    again.states(2).await;
    while seen.len() < 3 {
        let Some(Signal::Message(next)) = again.signals.recv().await else {
            panic!("no message")
        };
        seen.push(next.message);
    }
    assert_eq!(seen, ["m0", "m1", "m2"].map(MessageId::from));
    again.stop().await;
}

#[tokio::test]
async fn a_shut_chat_refuses_as_told() {
    let stage = Stage::new(Platform::Telegram);
    stage.channel.platform().shut(CHAT.into(), RefusalCode::Forbidden);
    assert_eq!(stage.refusal(send("hello?")).await.code, RefusalCode::Forbidden);
}

#[tokio::test]
async fn a_chat_remembers_its_last_ten_thousand_messages() {
    let stage = Stage::new(Platform::Slack);
    let mut ids = Vec::new();
    for n in 0..10_001 {
        ids.push(
            stage
                .perform(send(&n.to_string()))
                .await
                .unwrap()
                .message
                .unwrap(),
        );
    }
    assert_eq!(stage.messages(), 10_000);
    assert_eq!(stage.content(&ids[0]), None);
    assert_eq!(stage.content(&ids[1]), Some(Content::Text("1".into())));
    assert_eq!(stage.content(&ids[10_000]), Some(Content::Text("10000".into())));
}
