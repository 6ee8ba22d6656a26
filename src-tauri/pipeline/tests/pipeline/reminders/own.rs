//! The listing and cancelling of reminders, and their limit for a person.

use super::{ON, TELEGRAM, asked, asks, due, lines, pass, refusals, reminds, results, set};
use crate::bot::{Bot, text};
use foldback_wire::{ActionRefusalCode, Actor, ChatType, Kind, ReminderId};
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn on_a_channel_that_is_not_armed_none_is_set() {
    let bot = Bot::with(&format!(
        "{ON}[channels.telegram]\narmed = false\nallow_from = [\"alice\"]\n"
    ))
    .await;
    asked(&bot, &reminds(json!({"date": "2026-01-01", "time": "10:00"}))).await;
    let refused = refusals(&bot).await.remove(0);
    assert_eq!(refused.0, ActionRefusalCode::DryRun);
    assert!(refused.1.contains("channels.telegram.armed"), "{}", refused.1);
    assert!(set(&bot).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_agent_lists_and_cancels_those_of_the_person_who_asks() {
    let bot = Bot::with(ON).await;
    asked(&bot, &reminds(json!({"send_in": "2 hours"}))).await;
    asked(&bot, &reminds(json!({"send_in": "1 hour"}))).await;
    asked(&bot, &asks("event_list", &json!({}))).await;
    let listed = results(&bot).await.pop().unwrap();
    let numbers: Vec<_> = listed
        .lines()
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert_eq!(numbers, ["2", "1"], "{listed}");
    asked(&bot, &asks("event_cancel", &json!({"id": 2}))).await;
    assert!(results(&bot).await.pop().unwrap().contains("Call Bob"));
    asked(&bot, &asks("event_cancel", &json!({"id": 2}))).await;
    assert!(results(&bot).await.pop().unwrap().contains("has no event 2"));
    pass(180).await;
    let came = due(&bot).await;
    assert_eq!(came.len(), 1);
    assert_eq!(came[0].reminder, ReminderId(1));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn nobody_else_lists_or_cancels_them() {
    let bot = Bot::with(&(ON.to_owned() + "[channels.telegram]\nallow_from = [\"*\"]\n")).await;
    asked(&bot, &reminds(json!({"send_in": "1 hour"}))).await;
    for answer in [
        asks("event_list", &json!({})),
        asks("event_cancel", &json!({"id": 1})),
    ] {
        let mut message = bot.message(TELEGRAM, "and mine?");
        message.chat = "c2".into();
        message.sender.id = "mallory".into();
        bot.says([text(&answer)]);
        bot.says([text("None.")]);
        bot.engine.submit(message).await.unwrap().ended().await;
        pass(1).await;
    }
    let told = results(&bot).await;
    assert_eq!(told[1], "there are none");
    assert!(told[2].contains("has no event 1"), "{told:?}");
    assert_eq!(lines(&bot).await.len(), 1);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn one_person_has_so_many_and_no_more() {
    let bot = Bot::with(&(ON.to_owned() + "per_person = 2\n")).await;
    for _ in 0..3 {
        asked(&bot, &reminds(json!({"send_in": "1 hour"}))).await;
    }
    assert_eq!(set(&bot).await.len(), 2);
    let told = results(&bot).await.pop().unwrap();
    assert!(told.contains("actions.event.per_person"), "{told}");
    pass(61).await;
    asked(&bot, &reminds(json!({"send_in": "1 hour"}))).await;
    assert_eq!(set(&bot).await.len(), 3, "those that are over count no more");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_operator_cancels_any_of_them_once() {
    let bot = Bot::with(ON).await;
    asked(&bot, &reminds(json!({"send_in": "1 hour"}))).await;
    let cancelled = bot.engine.cancel_reminder(ReminderId(1), Actor::Cli).await;
    assert_eq!(cancelled.unwrap().text, "Call Bob");
    let again = bot.engine.cancel_reminder(ReminderId(1), Actor::Cli).await;
    assert_eq!(again.unwrap_err().to_string(), "there is no reminder 1");
    let told = bot
        .kinds()
        .await
        .into_iter()
        .any(|kind| matches!(kind, Kind::ReminderCancelled(cancelled) if cancelled.by == Actor::Cli));
    assert!(told);
    pass(120).await;
    assert_eq!(due(&bot).await, []);
    bot.check().await;
}

/// The last answer to this, as `sender` in `chat`.
async fn answer(bot: &Bot, (sender, chat): (&str, &str), text: &str) -> String {
    let mut message = bot.message(TELEGRAM, text);
    message.sender.id = sender.into();
    message.chat = chat.into();
    if chat == "group" {
        message.chat_type = ChatType::Group;
    }
    bot.engine.submit(message).await.unwrap().ended().await;
    pass(1).await;
    let told = bot.screen_of(TELEGRAM, chat).pop().unwrap();
    let words = told.split_once("] ").filter(|(to, _)| to.starts_with("[to "));
    words.map_or(told.clone(), |(_, words)| words.to_owned())
}

/// `/reminders` is answered without the agent.
#[tokio::test(start_paused = true)]
async fn a_person_lists_and_cancels_their_own_in_the_chat_and_an_owner_all() {
    let open =
        "allow_from = [\"*\"]\ngroup_policy = \"open\"\n[commands]\nallow_from = { \"*\" = [\"*\"] }\n";
    let config = ON.replace("[commands]\n", open);
    let bot = Bot::with(&format!("[channels.telegram]\n{config}")).await;
    asked(&bot, &reminds(json!({"date": "2026-01-02", "repeat": "daily"}))).await;
    assert_eq!(
        answer(&bot, ("alice", "c1"), "/reminders").await,
        "1. 2026-01-02 09:00 Europe/Berlin, every day at 09:00: Call Bob"
    );
    let none = "ℹ️ There are no reminders.";
    assert_eq!(answer(&bot, ("mallory", "c2"), "/reminders").await, none);
    assert_eq!(
        answer(&bot, ("alice", "group"), "/reminders").await,
        none,
        "those of a direct chat are not told in a group"
    );
    assert_eq!(
        answer(&bot, ("mallory", "c2"), "/reminders cancel 1").await,
        "⚠️ You have no reminder 1 here."
    );
    assert!(
        answer(&bot, ("mallory", "c2"), "/reminders all")
            .await
            .starts_with("⛔ ")
    );
    assert!(
        answer(&bot, ("olga", "c3"), "/reminders all")
            .await
            .ends_with("Call Bob (for Alice)")
    );
    let hidden = answer(&bot, ("olga", "group"), "/reminders cancel 1").await;
    assert_eq!(
        hidden, "⚠️ This group has no reminder 1. Cancel those of other chats in a direct chat.",
        "a group is told nothing of a direct chat's reminder"
    );
    assert_eq!(
        answer(&bot, ("olga", "c3"), "/reminder cancel 1").await,
        "✅ Cancelled: Call Bob"
    );
    assert_eq!(answer(&bot, ("alice", "c1"), "/reminders").await, none);
    let wrong = answer(&bot, ("alice", "c1"), "/reminders cancel two").await;
    assert_eq!(wrong, "⚠️ two is no number of a reminder.");
    bot.check().await;
}
