//! Actions that Alice's agent asks for: as often as it can, wrongly, unconfirmed, in a dry run, of a run that failed, in the
//! company of a stranger, and at nobody's word.

use super::delivered::{deliver, request};
use crate::{
    actions::bash,
    bot::{Bot, later, text},
};
use foldback_agents::Act;
use foldback_channels::platform;
use foldback_wire::{DeliveryOutcome, Inbound};
use std::time::Duration;

async fn written(bot: &Bot, message: Inbound) -> String {
    let end = bot.engine.submit(message).await.unwrap().ended().await;
    // All that follows from it, with a confirmation that nobody gives.
    tokio::time::sleep(Duration::from_mins(15)).await;
    format!("{end:?}")
}

pub(super) async fn asked(bot: &Bot) -> Vec<String> {
    let message = |words: &str| bot.message(platform::TELEGRAM, words);
    let says = |answers: &[&str]| answers.iter().for_each(|answer| bot.says([text(answer)]));
    let mut seen = Vec::new();
    let again: Vec<_> = (0..5).map(|number| bash(&format!("echo {number}"))).collect();
    says(&again[..4].iter().map(String::as_str).collect::<Vec<_>>());
    seen.push(written(bot, message("go on")).await);
    let wrong = r#"{"actions": [{"type": "bash", "payload": 7}]}"#;
    says(&[wrong, wrong, wrong]);
    seen.push(written(bot, message("wrongly")).await);
    says(&[&bash("df"), "Nobody confirmed it."]);
    seen.push(written(bot, message("how full?")).await);
    says(&[&bash("uptime"), "It was a dry run."]);
    let mut dry = message("how long?");
    dry.dry_run = true;
    seen.push(written(bot, dry).await);
    bot.says([text(&bash("uptime")), Act::Error("overloaded".into()).into()]);
    seen.push(written(bot, message("how long?")).await);
    says(&[&bash("uptime"), "I may not."]);
    let mut stranger = message("how long?");
    stranger.sender.id = "mallory".into();
    seen.push(written(bot, stranger.clone()).await);
    // Alice's message and that of the stranger come into one run.
    bot.says([later(1_000, "Wait.")]);
    says(&[&bash("uptime"), "I may not."]);
    let first = bot.engine.submit(message("first")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    stranger.message = "of-mallory".into();
    bot.engine.submit(stranger).await.unwrap();
    seen.push(written(bot, message("thanks")).await);
    seen.push(format!("{:?}", first.ended().await));
    // Whoever delivers may name her.
    let mut event = request(&message("post"), "d1", 1);
    event.outcome = DeliveryOutcome::Event;
    seen.push(deliver(bot, event, &bash("uptime")).await);
    says(&["I may not."]);
    tokio::time::sleep(Duration::from_mins(15)).await;
    seen
}
