//! Simulated platforms keep the rules of those they stand for.

use crate::stage::{CHAT, Stage, call, edit, inbound, react, reply, send};
use foldback_channels::sim::Content;
use foldback_channels::{Ack, ChannelAdapter, platform};
use foldback_wire::{FileKind, Inbound, MessageFlags, MessageId, Operation, RefusalCode};
use std::time::Duration;

#[tokio::test]
async fn a_message_gets_an_id_and_is_remembered() {
    for platform in platform::ALL {
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
    let stage = Stage::new(platform::TELEGRAM);
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
    let stage = Stage::new(platform::DISCORD);
    stage.channel.inject(inbound("m1", "hi")).unwrap();
    let id = MessageId::from("m1");
    for operation in [edit(&id, "mine"), Operation::Delete { message: id.clone() }] {
        assert_eq!(stage.refusal(operation).await.code, RefusalCode::Forbidden);
    }
}

#[tokio::test]
async fn a_removed_message_is_gone() {
    let stage = Stage::new(platform::SIGNAL);
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
        at(platform::TELEGRAM, "🎉".repeat(2_048)).await,
        Ok(()),
        "4,096 UTF-16 units"
    );
    assert_eq!(at(platform::TELEGRAM, "🎉".repeat(2_049)).await, too_long);
    assert_eq!(
        at(platform::DISCORD, "🎉".repeat(2_000)).await,
        Ok(()),
        "2,000 scalars"
    );
    assert_eq!(at(platform::DISCORD, "🎉".repeat(2_001)).await, too_long);
    assert_eq!(
        at(platform::SIGNAL, "🎉".repeat(500)).await,
        Ok(()),
        "2,000 bytes"
    );
    assert_eq!(at(platform::SIGNAL, "🎉".repeat(501)).await, too_long);
    assert_eq!(
        at(platform::SLACK, " \n".into()).await,
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
        reactions(platform::DISCORD, &["👍", "🚀", "👍"]).await.unwrap(),
        ["👍", "🚀"]
    );
    assert_eq!(
        reactions(platform::TELEGRAM, &["👍", "🎉"]).await.unwrap(),
        ["🎉"],
        "a bot has one"
    );
    assert_eq!(
        reactions(platform::TELEGRAM, &["🚀"]).await,
        Err(RefusalCode::Rejected),
        "not of its set"
    );
    assert_eq!(
        reactions(platform::SLACK, &["thumbsup"]).await.unwrap(),
        ["thumbsup"]
    );
    assert_eq!(
        reactions(platform::SLACK, &["👍"]).await,
        Err(RefusalCode::Rejected),
        "names only"
    );
}

#[tokio::test]
async fn a_reply_that_cannot_name_its_target_is_refused_and_nothing_is_sent() {
    for platform in platform::ALL {
        let stage = Stage::new(*platform);
        stage.channel.inject(inbound("m1", "hi")).unwrap();
        let good = stage.perform(reply("m1", "yes")).await.unwrap();
        let refusal = stage.perform(reply("nowhere", "yes")).await.unwrap_err();
        assert!(refusal.detail.contains("nowhere"), "{refusal}");
        assert!(!refusal.maybe_done);
        let platform = stage.channel.platform();
        let chat = platform.chat(&CHAT.into()).unwrap();
        assert_eq!(
            chat.message(&good.message.unwrap()).unwrap().reply_to,
            Some("m1".into())
        );
        assert_eq!(chat.messages().count(), 2, "the question and the one reply");
    }
}

#[tokio::test]
async fn a_reply_on_slack_opens_a_thread() {
    let stage = Stage::new(platform::SLACK);
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
    let stage = Stage::with_files(platform::WHATSAPP, dir.path());
    let image = |path: &str, kind| Operation::SendFile {
        path: path.into(),
        kind,
        caption: None,
        reply_to: None,
        checked: None,
        flags: MessageFlags::default(),
    };
    assert!(
        stage.perform(image("a.png", FileKind::Image)).await.is_ok(),
        "5 MB, inclusive"
    );
    file.set_len(5_000_001).unwrap();
    for kind in [FileKind::Image, FileKind::File] {
        assert_eq!(
            stage.refusal(image("a.png", kind)).await.code,
            RefusalCode::TooLong
        );
    }
    let file = std::fs::File::create(dir.path().join("a.pdf")).unwrap();
    file.set_len(100_000_000).unwrap();
    assert!(
        stage.perform(image("a.pdf", FileKind::File)).await.is_ok(),
        "up to 100 MB as a document"
    );
    assert_eq!(
        stage.refusal(image("b.png", FileKind::Image)).await.code,
        RefusalCode::Rejected
    );
    let file = std::fs::File::create(dir.path().join("a.ogg")).unwrap();
    file.set_len(16_000_001).unwrap();
    let voice = Operation::SendVoice {
        path: "a.ogg".into(),
        text: "hi".into(),
        reply_to: None,
        checked: None,
        flags: MessageFlags::default(),
    };
    assert_eq!(
        stage.refusal(voice.clone()).await.code,
        RefusalCode::TooLong,
        "16 MB as audio"
    );
    file.set_len(16_000_000).unwrap();
    assert!(stage.perform(voice).await.is_ok());
}

/// By the real one's table: a bot that is tried out here meets no surprise there.
#[tokio::test]
async fn simulated_whatsapp_takes_the_types_of_the_real_one() {
    let dir = tempfile::tempdir().unwrap();
    let send = |path: &str| Operation::SendFile {
        path: path.into(),
        kind: FileKind::File,
        caption: None,
        reply_to: None,
        checked: None,
        flags: MessageFlags::default(),
    };
    for (name, taken) in [
        ("a.pdf", true),
        ("a.csv", true),
        ("a.zip", false),
        ("a.gif", false),
        ("a", false),
    ] {
        std::fs::write(dir.path().join(name), "text").unwrap();
        for platform in platform::ALL
            .iter()
            .filter(|platform| foldback_channels::profile(**platform).file_limit.is_some())
        {
            let stage = Stage::with_files(*platform, dir.path());
            if taken || *platform != platform::WHATSAPP {
                assert!(stage.perform(send(name)).await.is_ok(), "{name} on {platform}");
            } else {
                let refusal = stage.refusal(send(name)).await;
                assert_eq!(refusal.code, RefusalCode::Unsupported, "{name}");
                assert!(
                    refusal.detail.contains("WhatsApp takes no files like"),
                    "{refusal}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_key_counts_once_on_discord_for_a_few_minutes() {
    let stage = Stage::new(platform::DISCORD);
    let first = stage.keyed("k", send("once")).await.unwrap();
    assert_eq!(stage.keyed("k", send("once")).await.unwrap(), first);
    assert_eq!(stage.messages(), 1);
    stage.clock.advance(foldback_channels::sim::KEY_WINDOW);
    assert_ne!(stage.keyed("k", send("once")).await.unwrap(), first);

    let forgetful = Stage::new(platform::TELEGRAM);
    forgetful.keyed("k", send("twice")).await.unwrap();
    forgetful.keyed("k", send("twice")).await.unwrap();
    assert_eq!(forgetful.messages(), 2, "others have no keys");
}

#[tokio::test]
async fn a_shut_chat_refuses_as_told() {
    let stage = Stage::new(platform::TELEGRAM);
    stage.channel.platform().shut(CHAT.into(), RefusalCode::Forbidden);
    assert_eq!(stage.refusal(send("hello?")).await.code, RefusalCode::Forbidden);
}

#[tokio::test]
async fn a_chat_remembers_its_last_ten_thousand_messages() {
    let stage = Stage::new(platform::SLACK);
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

#[tokio::test]
async fn an_id_that_a_fixture_used_is_stepped_over() {
    let stage = Stage::new(platform::TELEGRAM);
    stage.channel.inject(inbound("1", "hi")).unwrap();
    assert_eq!(
        stage.perform(send("hello")).await.unwrap().message,
        Some("2".into())
    );
    assert_eq!(stage.channel.mint(&CHAT.into()), "3".into());
}

#[tokio::test]
async fn where_there_are_no_threads_none_comes_in_and_none_is_taken() {
    let threaded = Inbound {
        thread: Some("t1".into()),
        ..inbound("m1", "hi")
    };
    for (platform, exist) in [(platform::TELEGRAM, true), (platform::WHATSAPP, false)] {
        let stage = Stage::new(platform);
        stage.channel.inject(threaded.clone()).unwrap();
        let mut running = stage.run();
        running.states(2).await;
        let message = running.message().await;
        assert_eq!(message.thread.is_some(), exist, "{platform}");
        running.stop().await;

        let mut call = call("k", send("into the thread"));
        call.target.thread = Some("t1".into());
        let refused = stage.channel.perform(call).await.err().map(|r| r.code);
        assert_eq!(
            refused,
            (!exist).then_some(RefusalCode::Unsupported),
            "{platform}"
        );
    }
}

#[tokio::test]
async fn typing_shows_until_the_bot_says_something() {
    let stage = Stage::new(platform::SIGNAL);
    let since = || stage.channel.platform().chat(&CHAT.into()).and_then(|c| c.typing);
    stage.clock.advance(Duration::from_secs(6));
    stage.perform(Operation::Typing).await.unwrap();
    assert_eq!(since().map(|t| t.0), Some(6_000));
    stage.perform(send("there")).await.unwrap();
    assert_eq!(since(), None);
}
