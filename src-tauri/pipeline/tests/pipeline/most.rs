//! An answer that is longer than its chat should get: so many messages, a notice, and the rest as one file.

use crate::bot::{Bot, World, killed, later, runtime, slow, text};
use foldback_channels::{
    platform, profile,
    sim::{CallFailure, CallFault},
};
use foldback_pipeline::Rules;
use foldback_wire::{Kind, OpKind, Platform, StopReason, Terminal};
use std::time::Duration;

const FOLLOWS: &str = "⚠️ The answer is too long for a chat. The rest is in the file.";
const STOPPED: &str =
    "⚠️ The answer is too long for a chat, so it was stopped. What else it said until then is in the file.";
const STOPPED_HERE: &str = "⚠️ The answer is too long for a chat, so it was stopped here.";
const STOPPED_UNSENT: &str =
    "⚠️ The answer is too long for a chat, so it was stopped. What else it said until then was not sent.";
const LOST: &str = "⚠️ The file with the rest of the answer could not be sent.";

/// The next start, a minute later.
async fn started_again(world: World, settings: &str) -> Bot {
    let bot = Bot::in_world(world, settings, Rules::all()).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    bot
}

/// Words that fill so many messages and go on a little.
fn words(platform: Platform, messages: usize) -> String {
    let can = profile(platform);
    "lorem ipsum "
        .repeat(messages * can.text_limit / 12 + 99)
        .trim()
        .to_owned()
}

/// The rest that was kept off the chat: messages before it, its bytes, its file and why it was not sent.
async fn truncated(bot: &Bot) -> Vec<(u32, usize, bool, Option<String>)> {
    let truncated = |kind| match kind {
        Kind::Truncated {
            messages,
            bytes,
            file,
            detail,
            ..
        } => Some((messages, bytes, file.is_some(), detail)),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(truncated).collect()
}

async fn stopped_at_length(bot: &Bot) -> bool {
    bot.kinds().await.iter().any(|kind| {
        matches!(
            kind,
            Kind::RunEnded {
                reason: StopReason::Length,
                ..
            }
        )
    })
}

#[tokio::test(start_paused = true)]
async fn a_runaway_answer_becomes_twenty_messages_a_notice_and_one_file() {
    for platform in platform::ALL
        .iter()
        .filter(|platform| foldback_channels::profile(**platform).file_limit.is_some())
    {
        let bot = Bot::start().await;
        let whole = words(*platform, 30);
        bot.says([text(&whole)]);
        assert_eq!(bot.turn(*platform, "hi").await, Terminal::Replied);
        let screen = bot.screen(*platform);
        assert_eq!(screen.len(), 22, "{platform}");
        assert_eq!(screen[20], STOPPED, "{platform}");
        assert!(screen[21].contains("answer-"), "{platform}: {}", screen[21]);
        let [(20, bytes, true, None)] = truncated(&bot).await[..] else {
            panic!("{platform}: {:?}", truncated(&bot).await)
        };
        // Between two messages stands the space at which the text was cut; it is in neither.
        assert_eq!(
            screen[..20].join(" ").len() + 1 + bytes,
            whole.len(),
            "{platform}"
        );
        assert!(stopped_at_length(&bot).await, "{platform}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn of_five_megabytes_a_chat_gets_its_messages_and_the_rest_is_a_file() {
    let bot = Bot::start().await;
    let megabyte = "lorem ipsum ".repeat((1 << 20) / 12 + 1);
    bot.says(std::iter::repeat_with(|| text(&megabyte)).take(5));
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    let screen = bot.screen(platform::TELEGRAM);
    assert_eq!((screen.len(), screen[20].as_str()), (22, STOPPED));
    assert!(matches!(truncated(&bot).await[..], [(20, _, true, None)]));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_never_ends_is_stopped_when_its_messages_are_full() {
    let bot = Bot::with("[output]\nmax_messages = 2\n").await;
    let word = "lorem ipsum ".repeat(20);
    bot.says(std::iter::repeat_with(|| later(100, &word)).take(999));
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert!(stopped_at_length(&bot).await);
    let chunks = bot.kinds().await.into_iter();
    let heard = chunks.filter(|kind| matches!(kind, Kind::Chunk { .. })).count();
    assert!(heard < 99, "{heard} of 999 were heard");
    let screen = bot.screen(platform::TELEGRAM);
    assert_eq!((screen.len(), screen[2].as_str()), (4, STOPPED));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_channel_without_files_says_that_the_rest_was_not_sent() {
    let bot = Bot::with("[channels.telegram]\ndisable = [\"file\"]\nmax_messages = 1\n").await;
    bot.says([text(&words(platform::TELEGRAM, 2))]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM)[1..], [STOPPED_UNSENT]);
    assert!(bot.calls(platform::TELEGRAM, OpKind::SendFile).is_empty());
    assert!(matches!(truncated(&bot).await[..], [(1, _, false, Some(_))]));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_messages_of_one_answer_are_counted_over_its_tool_calls() {
    let bot = Bot::with("[output]\nmax_messages = 2\n[channels.discord]\nmax_messages = 3\n").await;
    for (platform, most) in [(platform::SLACK, 2), (platform::DISCORD, 3)] {
        bot.says([
            text("one"),
            crate::bot::tool("a"),
            text("two"),
            crate::bot::tool("b"),
            text("three"),
            crate::bot::tool("c"),
            text("four"),
        ]);
        assert_eq!(bot.turn(platform, "hi").await, Terminal::Replied);
        let screen = bot.screen(platform);
        assert_eq!(screen[..most], ["one", "two", "three"][..most]);
        assert_eq!(screen[most], FOLLOWS);
        assert!(screen[most + 1].contains("answer-"), "{screen:?}");
        assert_eq!(screen.len(), most + 2);
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_fills_its_messages_exactly_is_whole() {
    let bot = Bot::with("[output]\nmax_messages = 1\n").await;
    let whole = "a".repeat(profile(platform::TELEGRAM).text_limit);
    bot.says([text(&whole)]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM), [whole]);
    assert!(truncated(&bot).await.is_empty());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_stopped_with_nothing_beyond_its_messages_says_so_and_promises_no_file() {
    let bot = Bot::with("[output]\nmax_messages = 1\n").await;
    // Narration before a tool call is kept back on a channel that cannot edit, and is text all the same.
    let narration = "a".repeat(profile(platform::WHATSAPP).text_limit);
    let tool = crate::bot::tool("a");
    bot.says([text(&narration), tool, text("Done,"), later(9_000, " and more")]);
    assert_eq!(bot.turn(platform::WHATSAPP, "hi").await, Terminal::Replied);
    assert!(stopped_at_length(&bot).await);
    assert_eq!(bot.screen(platform::WHATSAPP), ["Done,", STOPPED_HERE]);
    assert!(matches!(truncated(&bot).await[..], [(1, 0, false, Some(_))]));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_chat_is_told_when_the_file_with_the_rest_is_refused() {
    let bot = Bot::with("[output]\nmax_messages = 1\n").await;
    bot.fault(
        platform::TELEGRAM,
        CallFault::first(OpKind::SendFile, CallFailure::Rejected),
    );
    bot.says([text("one"), crate::bot::tool("a"), text("two")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM), ["one", FOLLOWS, LOST]);
    bot.check().await;
}

#[test]
fn the_rest_that_a_kill_kept_from_its_file_is_sent_by_the_next_start() {
    let settings = "[output]\nmax_messages = 1\n";
    let world = killed(async {
        let bot = Bot::with(settings).await;
        bot.fault(platform::SLACK, slow(OpKind::SendText, Duration::from_secs(20)));
        bot.says([text(&words(platform::SLACK, 2))]);
        let _turn = bot.user(platform::SLACK, "hi").await;
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(truncated(&bot).await.is_empty(), "its message is not over yet");
        bot
    });
    runtime().block_on(async {
        let bot = started_again(world, settings).await;
        let screen = bot.screen(platform::SLACK);
        assert!(screen.contains(&STOPPED.to_owned()), "{screen:?}");
        assert_eq!(
            bot.calls(platform::SLACK, OpKind::SendFile).len(),
            1,
            "{screen:?}"
        );
        bot.check().await;
    });
}

#[test]
fn the_file_that_a_kill_kept_behind_its_notice_is_sent_by_the_next_start() {
    let settings = "[output]\nmax_messages = 1\n";
    // What was at the platform is sent again there, under its key.
    for at in [Duration::from_secs(5), Duration::from_secs(25)] {
        let world = killed(async {
            let bot = Bot::with(settings).await;
            let notice = CallFault {
                nth: 2,
                ..slow(OpKind::SendText, Duration::from_secs(20))
            };
            bot.fault(platform::DISCORD, notice);
            bot.fault(platform::DISCORD, slow(OpKind::SendFile, Duration::from_secs(20)));
            bot.says([text(&words(platform::DISCORD, 2))]);
            let _turn = bot.user(platform::DISCORD, "hi").await;
            tokio::time::sleep(at).await;
            assert_eq!(
                truncated(&bot).await.len(),
                1,
                "the notice, or the file, is under way"
            );
            bot
        });
        runtime().block_on(async {
            let bot = started_again(world, settings).await;
            let screen = bot.screen(platform::DISCORD);
            let notices = screen.iter().filter(|line| *line == STOPPED).count();
            let files = screen.iter().filter(|line| line.contains("answer-")).count();
            assert_eq!((notices, files), (1, 1), "{at:?}: {screen:?}");
            assert_eq!(truncated(&bot).await.len(), 1);
            bot.check().await;
        });
    }
}
