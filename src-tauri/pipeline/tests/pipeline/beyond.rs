//! A turn has so many messages in its chat, whatever they are: text, files, what stands beside the answer.

use crate::bot::{Bot, called, killed, later, runtime, slow, text, tool};
use foldback_agents::ScriptStep;
use foldback_channels::{platform, profile};
use foldback_pipeline::Rules;
use foldback_wire::{Kind, OpKind, OutcomeCode, StopReason, ToolStatus};
use std::time::Duration;

const STOPPED: &str =
    "⚠️ The answer is too long for a chat, so it was stopped. What else it said until then is in the file.";
const STOPPED_UNSENT: &str =
    "⚠️ The answer is too long for a chat, so it was stopped. What else it said until then was not sent.";
const NOT_SENT: &str = "⚠️ The answer is too long for a chat. The rest was not sent.";

const FILE: &str = "<send-file path=\"report.pdf\" />";

fn write_report(bot: &Bot) {
    std::fs::write(bot.send_dir.join("report.pdf"), "x").unwrap();
}

/// The directives that were skipped because the chat had its messages.
async fn skipped(bot: &Bot) -> usize {
    let is_skipped = |kind: &Kind| match kind {
        Kind::Skipped { outcome, setting, .. } => {
            outcome.code == OutcomeCode::NotAllowed && setting.as_deref() == Some("output.max_messages")
        }
        _ => false,
    };
    bot.kinds().await.iter().filter(|kind| is_skipped(kind)).count()
}

async fn stopped_at_length(bot: &Bot) -> bool {
    let is_stop = |kind: &Kind| {
        matches!(
            kind,
            Kind::RunEnded {
                reason: StopReason::Length,
                ..
            }
        )
    };
    bot.kinds().await.iter().any(is_stop)
}

/// Chunks and tool calls that were heard.
async fn heard(bot: &Bot) -> usize {
    let is_heard = |kind: &Kind| matches!(kind, Kind::Chunk { .. } | Kind::Tool { .. });
    bot.kinds().await.iter().filter(|kind| is_heard(kind)).count()
}

#[tokio::test(start_paused = true)]
async fn files_beyond_the_messages_of_a_chat_are_skipped_and_the_run_is_stopped() {
    for platform in platform::ALL
        .iter()
        .filter(|platform| foldback_channels::profile(**platform).file_limit.is_some())
    {
        let bot = Bot::start().await;
        write_report(&bot);
        let flood = format!("Here they are.<actions>{}</actions>", FILE.repeat(300));
        bot.says([text(&flood), later(300_000, "And more.")]);
        bot.turn(*platform, "hi").await;
        let screen = bot.screen(*platform);
        assert_eq!(screen.len(), 21, "{platform}: {screen:?}");
        assert!(
            screen[..20].contains(&"Here they are.".to_owned()),
            "{platform}: {screen:?}"
        );
        assert_eq!(screen[20], STOPPED_UNSENT, "{platform}");
        assert_eq!(skipped(&bot).await, 281, "{platform}");
        assert!(stopped_at_length(&bot).await, "{platform}");
        assert_eq!(heard(&bot).await, 1, "{platform}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn messages_beyond_those_of_another_chat_are_skipped_and_the_run_is_stopped() {
    let bot = Bot::with("[output]\nallow_targets = [\"telegram:*\"]\nmax_messages = 2\n").await;
    let message =
        |chat: u32| format!("<send-message channel=\"telegram\" chat=\"{chat}\">more</send-message>");
    let flood = format!(
        "Sent.<actions>{}{}</actions>",
        message(77).repeat(300),
        message(78)
    );
    bot.says([text(&flood), later(300_000, "And more.")]);
    bot.turn(platform::DISCORD, "hi").await;
    // Each chat has a number of its own.
    let chats: Vec<_> = bot
        .calls(platform::TELEGRAM, OpKind::SendText)
        .iter()
        .map(|record| record.call.target.chat.as_str().to_owned())
        .collect();
    assert_eq!(chats, ["77", "77", "78"]);
    assert_eq!(bot.screen(platform::DISCORD), ["Sent.", STOPPED_UNSENT]);
    assert_eq!((skipped(&bot).await, stopped_at_length(&bot).await), (298, true));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn reactions_beyond_the_messages_of_a_turn_are_skipped() {
    let bot = Bot::with("[output]\nmax_messages = 3\n").await;
    let react = |n: usize| format!("<react emoji=\"eyes\" message=\"{n}\" />");
    let flood: String = (0..400).map(react).collect();
    bot.says([text(&format!("Seen.<actions>{flood}</actions>"))]);
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::React).len(), 3);
    // The chat misses no message.
    assert_eq!(bot.screen(platform::TELEGRAM), ["Seen."]);
    assert_eq!((skipped(&bot).await, stopped_at_length(&bot).await), (397, false));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ends_with_directives_beyond_the_messages_says_that_they_were_not_sent() {
    let bot = Bot::with("[output]\nmax_messages = 2\n").await;
    write_report(&bot);
    bot.says([text(&format!("Two.<actions>{}</actions>", FILE.repeat(2)))]);
    bot.turn(platform::TELEGRAM, "hi").await;
    let screen = bot.screen(platform::TELEGRAM);
    assert_eq!((screen.len(), screen[2].as_str()), (3, NOT_SENT), "{screen:?}");
    assert_eq!((skipped(&bot).await, stopped_at_length(&bot).await), (1, false));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn tool_calls_beyond_the_messages_of_a_chat_are_left_out_and_the_run_is_stopped() {
    let bot = Bot::with("[output]\ntools = \"full\"\nmax_messages = 3\n").await;
    let call = |n: usize| {
        let id = n.to_string();
        let ends = ScriptStep {
            after_ms: 5_000,
            ..called(&id, ToolStatus::Completed)
        };
        [called(&id, ToolStatus::Running), ends]
    };
    bot.says((0..200).flat_map(call));
    bot.turn(platform::TELEGRAM, "hi").await;
    let screen = bot.screen(platform::TELEGRAM);
    assert_eq!(
        (screen.len(), screen[3].as_str()),
        (4, STOPPED_UNSENT),
        "{screen:?}"
    );
    assert!(
        screen[..3].iter().all(|line| line.starts_with("🔧")),
        "{screen:?}"
    );
    assert!(stopped_at_length(&bot).await);
    let heard = heard(&bot).await;
    assert!(heard <= 10, "{heard} steps were heard");
    let left_out =
        |kind: &Kind| matches!(kind, Kind::Warned { detail } if detail.contains("output.max_messages"));
    assert!(bot.kinds().await.iter().any(left_out));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_run_is_stopped_when_one_short_message_more_would_begin() {
    for platform in [platform::TELEGRAM, platform::WHATSAPP] {
        let bot = Bot::with("[output]\nnarration = \"show\"\n").await;
        bot.says((0..500).flat_map(|n| [later(5_000, "Yes."), tool(&n.to_string())]));
        bot.turn(platform, "hi").await;
        let screen = bot.screen(platform);
        assert_eq!(screen.len(), 22, "{platform}: {screen:?}");
        assert!(
            screen[..20].iter().all(|line| line == "Yes."),
            "{platform}: {screen:?}"
        );
        assert_eq!(screen[20], STOPPED, "{platform}");
        assert!(stopped_at_length(&bot).await, "{platform}");
        let heard = heard(&bot).await;
        assert!(heard <= 44, "{platform}: {heard} steps were heard");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn narration_that_is_hidden_takes_no_message() {
    let bot = Bot::with("[output]\nmax_messages = 1\n").await;
    bot.says([
        later(1_000, "Let me see."),
        tool("a"),
        later(1_000, "Hm."),
        tool("b"),
        later(1_000, "Done."),
    ]);
    bot.turn(platform::WHATSAPP, "hi").await;
    assert_eq!(bot.screen(platform::WHATSAPP), ["Done."]);
    assert!(!stopped_at_length(&bot).await);
    bot.check().await;
}

#[test]
fn messages_of_directives_count_over_a_restart() {
    let settings = "[output]\nmax_messages = 2\n";
    let words = "lorem ipsum ".repeat(profile(platform::DISCORD).text_limit / 4);
    let world = killed(async {
        let bot = Bot::with(settings).await;
        write_report(&bot);
        bot.fault(platform::DISCORD, slow(OpKind::SendText, Duration::from_mins(1)));
        bot.says([text(&format!("<actions>{FILE}</actions>{words}"))]);
        let _turn = bot.user(platform::DISCORD, "hi").await;
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert!(stopped_at_length(&bot).await);
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, settings, Rules::all()).await;
        tokio::time::sleep(Duration::from_mins(2)).await;
        let screen = bot.screen(platform::DISCORD);
        assert_eq!(screen.len(), 4, "{screen:?}");
        assert!(screen[0].contains("report.pdf"), "{screen:?}");
        assert_eq!(screen[2], STOPPED);
        assert!(screen[3].contains("answer-"), "{screen:?}");
        bot.check().await;
    });
}
