//! Messages that an answer's header names.

use crate::bot::{Bot, from_alice, killed, later, runtime, text};
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Clock, Kind, MessageId, OpKind, Operation, Terminal};
use std::time::Duration;

fn answered(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::SendText { reply_to, .. }
        | Operation::SendFile { reply_to, .. }
        | Operation::SendVoice { reply_to, .. } => reply_to.as_ref().map(MessageId::as_str),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn an_id_that_its_channel_teaches_is_a_reply_target() {
    let long = format!("wamid.HBgL{}QUI+/zA=", "MzMxMjM0NTY3ODk".repeat(5));
    for (platform, id) in [
        (platform::SIGNAL, "1763712345678:+33123456789"),
        (platform::SIGNAL, "5:b9bd8d0c-31c7-4a44-a4a8-c5e8c8a8e7e1"),
        (platform::WHATSAPP, "wamid.HBgLMzMxMjM0NTY3ODkVAgASGBQzQTE="),
        (platform::WHATSAPP, &*long),
    ] {
        let bot = Bot::start().await;
        let message = from_alice(platform, id.into(), "hi", bot.clock.now());
        let message = bot.loopbacks[&platform].platform().receive(message);
        bot.says([text(&format!("[[reply_to:{id}]]Yes."))]);
        let turn = bot.engine.submit(message).await.unwrap();
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        let sent = bot.calls(platform, OpKind::SendText);
        assert_eq!(answered(&sent[0].call.operation), Some(id));
        let wrong = |kind: &Kind| matches!(kind, Kind::Diagnosed { .. });
        assert!(!bot.kinds().await.iter().any(wrong), "{id}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_id_of_another_platform_is_none() {
    let bot = Bot::start().await;
    bot.says([text("[[reply_to:1763712345678:+33123456789]]Yes.")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    let sent = bot.calls(platform::TELEGRAM, OpKind::SendText);
    assert_eq!(answered(&sent[0].call.operation), None);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_first_message_of_an_answer_answers_also_where_it_is_a_file() {
    for platform in [platform::TELEGRAM, platform::SIGNAL, platform::WHATSAPP] {
        for (end, texts) in [("", 0), ("Done.", 1)] {
            let bot = Bot::start().await;
            for name in ["a.txt", "b.txt"] {
                std::fs::write(bot.send_dir.join(name), "text").unwrap();
            }
            let files = "<actions><send-file path=\"a.txt\"/><send-file path=\"b.txt\"/></actions>";
            bot.says([text(&format!("[[reply_to_current]]{files}{end}"))]);
            bot.turn(platform, "hi").await;
            let files = bot.calls(platform, OpKind::SendFile);
            let targets: Vec<_> = files
                .iter()
                .map(|call| answered(&call.call.operation).is_some())
                .collect();
            assert_eq!(targets, [true, false], "{platform}: the first one, and only that");
            let sent = bot.calls(platform, OpKind::SendText);
            assert!(sent.iter().all(|call| answered(&call.call.operation).is_none()));
            assert_eq!(sent.len(), texts, "{platform}");
            bot.check().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_file_that_goes_as_a_voice_note_answers_too() {
    for platform in platform::ALL
        .iter()
        .filter(|platform| foldback_channels::profile(**platform).voice.is_some())
    {
        for (end, texts) in [("", 0), ("Done.", 1)] {
            let bot = Bot::start().await;
            std::fs::write(bot.send_dir.join("a.ogg"), "OggS").unwrap();
            let file = "<actions><send-file path=\"a.ogg\" kind=\"audio\"/></actions>";
            bot.says([text(&format!(
                "[[reply_to_current]][[audio_as_voice]]{file}{end}"
            ))]);
            bot.turn(*platform, "hi").await;
            let notes = bot.calls(*platform, OpKind::SendVoice);
            let targets: Vec<_> = notes
                .iter()
                .map(|call| answered(&call.call.operation).is_some())
                .collect();
            assert_eq!(targets, [true], "{platform}");
            let sent = bot.calls(*platform, OpKind::SendText);
            assert!(sent.iter().all(|call| answered(&call.call.operation).is_none()));
            assert_eq!(sent.len(), texts, "{platform}");
            bot.check().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_file_whose_target_is_refused_is_sent_plainly() {
    let bot = Bot::start().await;
    std::fs::write(bot.send_dir.join("a.txt"), "text").unwrap();
    bot.says([text(
        "[[reply_to:99]]<actions><send-file path=\"a.txt\"/></actions>",
    )]);
    bot.turn(platform::TELEGRAM, "hi").await;
    let files = bot.calls(platform::TELEGRAM, OpKind::SendFile);
    let targets: Vec<_> = files.iter().map(|call| answered(&call.call.operation)).collect();
    assert_eq!(targets, [Some("99"), None]);
    assert_eq!(bot.screen(platform::TELEGRAM), ["File a.txt "]);
    bot.check().await;
}

/// The file that answered is with the platform when the process is killed: the text behind it does not answer again.
#[test]
fn a_message_is_answered_once_also_over_a_restart() {
    let world = killed(async {
        let bot = Bot::start().await;
        std::fs::write(bot.send_dir.join("a.txt"), "text").unwrap();
        let file = "<actions><send-file path=\"a.txt\"/></actions>";
        bot.says([
            text(&format!("[[reply_to_current]]{file}One ")),
            later(60_000, "and two."),
        ]);
        let _turn = bot.user(platform::SIGNAL, "hi").await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        while bot.terminals().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let answers = |op| {
            let calls = bot.calls(platform::SIGNAL, op).into_iter();
            calls
                .map(|record| answered(&record.call.operation).is_some())
                .collect::<Vec<_>>()
        };
        assert_eq!(answers(OpKind::SendFile), [true]);
        assert_eq!(
            answers(OpKind::SendText),
            [false, false],
            "the rest, and a notice"
        );
        bot.check().await;
    });
}
