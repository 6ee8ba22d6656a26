//! What an agent is told of its session, once.

use crate::bot::{Bot, killed, later, runtime, text};
use foldback_agents::Act;
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Actor, Kind, Platform, Terminal};
use std::time::Duration;

const PLATFORM: Platform = platform::SIGNAL;

/// The notes of each prompt.
async fn noted(bot: &Bot) -> Vec<Vec<String>> {
    let prompt = |kind: Kind| match kind {
        Kind::Prepared { prompt } => Some(prompt),
        _ => None,
    };
    let prompts = bot.kinds().await.into_iter().filter_map(prompt);
    prompts.map(|prompt| notes(&prompt)).collect()
}

fn notes(prompt: &str) -> Vec<String> {
    let Some((_, section)) = prompt.split_once("## System notes\n") else {
        return Vec::new();
    };
    let json = section.split("```").nth(1).unwrap().trim_start_matches("json");
    let notes: Vec<serde_json::Value> = serde_json::from_str(json).unwrap();
    notes
        .iter()
        .map(|note| note["note"].as_str().unwrap().to_owned())
        .collect()
}

async fn answered(bot: &Bot, words: &str) {
    bot.says([text("Yes.")]);
    assert_eq!(bot.turn(PLATFORM, words).await, Terminal::Replied);
}

const STOPPED: &str = "the user alice stopped your last answer before it was complete. Go on with care, or ask what is \
                       wanted.";

#[tokio::test(start_paused = true)]
async fn a_run_that_was_stopped_is_told_with_the_next_prompt_and_no_later_one() {
    for word in ["/stop", "please stop"] {
        let bot = Bot::start().await;
        bot.says([text("One star."), Act::Stall(3_600_000).into()]);
        let first = bot.user(PLATFORM, "count the stars").await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        bot.turn(PLATFORM, word).await;
        first.ended().await;
        // Nothing runs: there is nothing to tell.
        bot.turn(PLATFORM, "stop").await;
        answered(&bot, "and now?").await;
        answered(&bot, "and then?").await;
        assert_eq!(
            noted(&bot).await,
            [vec![], vec![STOPPED.to_owned()], vec![]],
            "{word}"
        );
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_told_of_a_run_that_was_not_stopped() {
    let bot = Bot::start().await;
    answered(&bot, "hi").await;
    bot.turn(PLATFORM, "/stop").await;
    answered(&bot, "hi").await;
    assert_eq!(noted(&bot).await, [[""; 0], [""; 0]]);
}

#[test]
fn changes_of_settings_are_told_after_a_kill_also_to_a_message_that_waited() {
    let world = killed(async {
        let bot = Bot::start().await;
        bot.turn(PLATFORM, "/verbose on /queue cap:9").await;
        bot.turn(PLATFORM, "/verbose full").await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        bot.says([later(60_000, "One.")]);
        let first = bot.user(PLATFORM, "one").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot.says([text("Two.")]);
        let second = bot.user(PLATFORM, "two").await;
        bot.turn(PLATFORM, "/reasoning on").await;
        first.ended().await;
        second.ended().await;
        assert_eq!(
            noted(&bot).await,
            [
                ["the user alice set verbose to full; it was on."],
                ["the user alice set reasoning to on; it was the default."],
            ]
        );
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_new_session_is_told_with_its_reason_and_without_what_was_before() {
    let bot = Bot::with("[session]\ncarry_over = [\"verbose\"]\n").await;
    bot.turn(PLATFORM, "/verbose on /reasoning on").await;
    bot.engine
        .reset_session(&"signal:c1".into(), Actor::Console)
        .await
        .unwrap();
    answered(&bot, "hi").await;
    let told =
        "A new conversation begins: a person at the console asked for it. These settings stay: verbose on.";
    assert_eq!(noted(&bot).await, [[told]]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_stopped_at_the_console_is_told_too() {
    let bot = Bot::start().await;
    bot.says([Act::Stall(3_600_000).into()]);
    let first = bot.user(PLATFORM, "hi").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(bot.engine.cancel(first.id, Actor::Console).unwrap());
    first.ended().await;
    answered(&bot, "and now?").await;
    let told = noted(&bot).await.pop().unwrap();
    assert_eq!(
        told,
        [
            "a person at the console stopped your last answer before it was complete. Go on with care, or ask what is wanted."
        ]
    );
    bot.check().await;
}
