//! The question in the chat: when it is asked, and what becomes of it.

use super::*;
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_wire::OpKind;

/// True once the chat was asked.
fn asked(bot: &Bot, platform: Platform) -> bool {
    let shown = bot.ever_shown(platform);
    shown.iter().any(|text| text.contains("asks for your permission"))
}

#[tokio::test(start_paused = true)]
async fn a_question_that_was_held_does_not_outlive_its_request() {
    for decided in [Some("allow"), None] {
        let bot = Bot::with(IN_CHAT).await;
        bot.toggle(PLATFORM, false).await;
        bot.says([usual("delete")]);
        let turn = bot.user(PLATFORM, "hi").await;
        soon().await;
        let waiting = only(&bot);
        if decided.is_some() {
            let by = Actor::Console;
            let decision = bot
                .engine
                .decide_permission(turn.id, &waiting.request.id, decided, by);
            decision.unwrap();
        }
        tokio::time::sleep(Duration::from_mins(6)).await;
        assert!(bot.engine.permissions().is_empty(), "nobody answered in time");
        bot.toggle(PLATFORM, true).await;
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        let says = decided.map_or("Left alone.", |_| "Removed.");
        assert_eq!(bot.screen(PLATFORM), [says]);
        assert!(!asked(&bot, PLATFORM));
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_was_held_is_asked_while_its_request_waits() {
    let bot = Bot::with(IN_CHAT).await;
    bot.toggle(PLATFORM, false).await;
    bot.says([usual("delete")]);
    let turn = bot.user(PLATFORM, "hi").await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    bot.toggle(PLATFORM, true).await;
    soon().await;
    assert!(asked(&bot, PLATFORM));
    let own = answers(&bot, "alice", "yes").await;
    assert!(matches!(own, Some(Terminal::Command { .. })), "{own:?}");
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(PLATFORM).last().unwrap(), "Removed.");
    bot.check().await;
}

#[test]
fn a_question_of_a_process_that_was_killed_is_not_asked_by_the_next() {
    let world = killed(async {
        let bot = Bot::with(IN_CHAT).await;
        bot.engine.mute(true, Actor::Console);
        bot.says([usual("delete")]);
        let _turn = bot.user(PLATFORM, "hi").await;
        soon().await;
        only(&bot);
        assert_eq!(bot.left().await.len(), 1, "the question");
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, IN_CHAT, Rules::all()).await;
        bot.engine.mute(false, Actor::Console);
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert!(!asked(&bot, PLATFORM));
        assert_eq!(decisions(&bot).await, [(Actor::Pipeline, None)]);
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn what_was_decided_elsewhere_stands_in_the_place_of_the_question() {
    for (option, does) in [
        (Some("allow"), "Allowed, by a person at the console"),
        (Some("reject"), "Rejected, by a person at the console"),
        (None, "Cancelled, by a person at the console"),
    ] {
        let bot = Bot::with(IN_CHAT).await;
        for platform in [PLATFORM, platform::WHATSAPP] {
            bot.says([usual("delete")]);
            let turn = bot.user(platform, "hi").await;
            soon().await;
            let waiting = only(&bot);
            let decision = bot
                .engine
                .decide_permission(turn.id, &waiting.request.id, option, Actor::Console);
            decision.unwrap();
            assert_eq!(turn.ended().await, Some(Terminal::Replied));
        }
        assert_eq!(bot.screen(PLATFORM)[0], format!("🔐 {does}: `remove build/`"));
        let question = &bot.screen(platform::WHATSAPP)[0];
        assert!(
            question.contains("asks for your permission"),
            "it cannot edit: {question}"
        );
        bot.check().await;
    }
    let bot = Bot::with(IN_CHAT).await;
    bot.says([usual("delete")]);
    assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    let first = &bot.screen(PLATFORM)[0];
    assert!(
        first.starts_with("🔐 Rejected, no answer came within 5 minutes: "),
        "{first}"
    );
}

/// A word is about what stands in the chat. As long as the platform has not taken the question, that is something else.
#[tokio::test(start_paused = true)]
async fn a_word_answers_no_question_that_the_platform_has_not_taken() {
    let bot = Bot::with(IN_CHAT).await;
    bot.fault(
        PLATFORM,
        CallFault {
            retry_after_ms: Some(60_000),
            ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
        },
    );
    bot.says([usual("delete")]);
    let turn = bot.user(PLATFORM, "hi").await;
    soon().await;
    only(&bot);
    bot.says([text("Yes what?")]);
    let early = bot.user(PLATFORM, "yes").await;
    let command = answers(&bot, "alice", "/approve").await;
    let gate = Gate::NothingAsked;
    assert_eq!(command, Some(Terminal::Blocked { gate }));
    only(&bot);
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert!(asked(&bot, PLATFORM));
    only(&bot);
    let own = answers(&bot, "alice", "no").await;
    assert!(matches!(own, Some(Terminal::Command { .. })), "{own:?}");
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(
        early.ended().await,
        Some(Terminal::Replied),
        "it was for the agent"
    );
    assert_eq!(bot.screen(PLATFORM)[1..], ["Left alone.", "Yes what?"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_word_that_was_written_before_the_question_and_comes_after_it_is_no_answer() {
    let bot = Bot::with(IN_CHAT).await;
    let early = bot.message(PLATFORM, "yes");
    soon().await;
    bot.says([usual("delete")]);
    let turn = bot.user(PLATFORM, "hi").await;
    soon().await;
    let number = only(&bot).number;
    bot.says([text("Yes what?")]);
    let early = bot.engine.submit(early).await.unwrap();
    soon().await;
    only(&bot);
    let own = answers(&bot, "alice", &format!("/deny {number}")).await;
    assert!(matches!(own, Some(Terminal::Command { .. })), "{own:?}");
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(
        early.ended().await,
        Some(Terminal::Replied),
        "it was for the agent"
    );
    assert_eq!(bot.screen(PLATFORM)[1..], ["Left alone.", "Yes what?"]);
    bot.check().await;
}

/// Signal tells no time of what the bot sends, only when its server received a message, and signal-cli may not tell that.
#[tokio::test(start_paused = true)]
async fn on_signal_a_word_that_was_received_before_the_question_or_nobody_knows_when_is_no_answer() {
    let bot = Bot::with(IN_CHAT).await;
    bot.says([usual("delete")]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    soon().await;
    let number = only(&bot).number;
    let written_ago = |ago, at_by_device| {
        let mut message = bot.message(platform::SIGNAL, "yes");
        message.at = message.at.minus(Duration::from_secs(ago));
        message.at_by_device = at_by_device;
        message
    };
    let mut others = Vec::new();
    for other in [
        written_ago(120, false),
        written_ago(30, false),
        written_ago(0, true),
    ] {
        bot.says([text("Yes what?")]);
        others.push(bot.engine.submit(other).await.unwrap());
        soon().await;
        only(&bot);
    }
    // The number is known only from the question.
    let mut own = written_ago(0, true);
    own.text = format!("/deny {number}");
    let own = bot.engine.submit(own).await.unwrap();
    assert!(matches!(own.ended().await, Some(Terminal::Command { .. })));
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    for other in others {
        assert_eq!(
            other.ended().await,
            Some(Terminal::Replied),
            "it was for the agent"
        );
    }
    assert_eq!(
        bot.screen(platform::SIGNAL)[1..],
        ["Left alone.", "Yes what?", "Yes what?", "Yes what?"]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn on_signal_a_word_counts_that_its_server_received_behind_the_question() {
    let bot = Bot::with(IN_CHAT).await;
    bot.says([usual("delete")]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    soon().await;
    only(&bot);
    let own = bot.user(platform::SIGNAL, "yes").await;
    assert!(matches!(own.ended().await, Some(Terminal::Command { .. })));
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::SIGNAL)[1..], ["Removed."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_asks_nobody_and_nothing_in_the_chat_answers_it() {
    let bot = Bot::with(IN_CHAT).await;
    bot.says([usual("delete")]);
    let mut tried = bot.message(PLATFORM, "hi");
    tried.dry_run = true;
    let tried = bot.engine.submit(tried).await.unwrap();
    soon().await;
    let waiting = only(&bot);
    assert!(!asked(&bot, PLATFORM));
    bot.says([text("Yes what?")]);
    let word = bot.user(PLATFORM, "yes").await;
    let command = answers(&bot, "alice", &format!("/approve {}", waiting.number)).await;
    let gate = Gate::NothingAsked;
    assert_eq!(command, Some(Terminal::Blocked { gate }));
    only(&bot);
    let at_the_console =
        bot.engine
            .decide_permission(tried.id, &waiting.request.id, Some("reject"), Actor::Console);
    at_the_console.unwrap();
    assert_eq!(tried.ended().await, Some(Terminal::Replied));
    assert_eq!(
        word.ended().await,
        Some(Terminal::Replied),
        "it was for the agent"
    );
    assert_eq!(bot.screen(PLATFORM), ["Yes what?"]);
    bot.check().await;
}
