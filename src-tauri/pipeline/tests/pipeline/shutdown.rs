//! A process that ends in order: what it still does, and what it leaves to the next one.

use crate::bot::{Bot, text};
use foldback_agents::Act;
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Gate, Kind, Terminal};
use std::sync::Arc;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_turns_in_order_and_leaves_what_is_held_to_the_next_start() {
    let bot = Bot::start().await;
    bot.says([text("Held.")]);
    bot.toggle(platform::TELEGRAM, false).await;
    let held = bot.user(platform::TELEGRAM, "hi").await;
    bot.says([text("Working on it"), Act::Stall(200_000).into()]);
    let running = bot.user(platform::DISCORD, "hi").await;
    let waiting = bot.user(platform::DISCORD, "and?").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.engine.shutdown(Duration::from_secs(10)).await.unwrap();
    assert!(matches!(running.ended().await, Some(Terminal::Failed { .. })));
    assert_eq!(bot.screen(platform::DISCORD), ["Working on it", "⏹️ Stopped."]);
    assert_eq!(waiting.ended().await, None, "it waits for the next start");
    assert_eq!(held.ended().await, None);
    let gate = Gate::ShuttingDown;
    let late = bot
        .engine
        .submit(bot.message(platform::SLACK, "late"))
        .await
        .unwrap();
    assert_eq!(late.ended().await, Some(Terminal::Blocked { gate }));

    let bot = Bot::answering(bot.into_world(), "", Rules::all(), [text("And here.")]).await;
    bot.toggle(platform::TELEGRAM, true).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["Held."]);
    assert_eq!(
        bot.screen(platform::DISCORD),
        ["Working on it", "⏹️ Stopped.", "And here."]
    );
    bot.check().await;
}

/// Its platform delivers each of them once, and does not wait for an answer.
#[tokio::test(start_paused = true)]
async fn what_comes_in_while_the_process_ends_is_answered_by_the_next_one() {
    const MESSAGES: usize = 300;
    let cap = "[queue]\ncap = 1000\n";
    let bot = Bot::with(cap).await;
    bot.says([text("Working on it"), Act::Stall(200_000).into()]);
    let signal = Arc::clone(&bot.loopbacks[&platform::SIGNAL]);
    let write = async {
        for n in 0..MESSAGES {
            let message = bot.message(platform::SIGNAL, &format!("message {n}"));
            signal.inject(message).unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let end = async {
        tokio::time::sleep(Duration::from_millis(350)).await;
        bot.engine.shutdown(Duration::from_secs(10)).await.unwrap();
    };
    tokio::join!(write, end);
    let came = |kinds: &[Kind]| {
        let received = kinds.iter().filter(|kind| matches!(kind, Kind::Received { .. }));
        received.count()
    };
    let early = came(&bot.kinds().await);
    assert!((100..MESSAGES).contains(&early), "{early} came in before the end");

    let world = bot.into_world();
    let answers = std::array::from_fn::<_, MESSAGES, _>(|_| text("Yes?"));
    let bot = Box::pin(Bot::answering(world, cap, Rules::all(), answers)).await;
    tokio::time::sleep(Duration::from_mins(10)).await;
    let kinds = bot.kinds().await;
    assert_eq!(came(&kinds), MESSAGES);
    let ended = kinds.iter().filter(|kind| matches!(kind, Kind::TurnEnded { .. }));
    assert_eq!(ended.count(), MESSAGES);
    let answers = bot.screen(platform::SIGNAL);
    assert_eq!(
        answers.iter().filter(|text| *text == "Yes?").count(),
        MESSAGES - 1
    );
    bot.check().await;
}
