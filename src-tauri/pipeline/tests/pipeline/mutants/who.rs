//! Scenes of who may talk.

use crate::bot::{Bot, later, text};
use foldback_channels::platform;
use foldback_wire::{Actor, ChatType, Inbound, Kind, Platform};
use std::time::Duration;

/// Sends a message, changed so.
async fn sends(bot: &Bot, platform: Platform, change: impl FnOnce(&mut Inbound)) -> String {
    let mut message = bot.message(platform, "hi");
    change(&mut message);
    bot.says([text("a")]);
    let turn = bot.engine.submit(message).await.unwrap();
    format!("{:?}", turn.ended().await)
}

/// A message that somebody recorded and sends again after eight days.
pub(super) async fn recorded(bot: &Bot) -> String {
    sends(bot, platform::WHATSAPP, |message| {
        message.at = message.at.minus(Duration::from_hours(8 * 24));
    })
    .await
}

pub(super) async fn doors(bot: &Bot) -> Vec<String> {
    let telegram = platform::TELEGRAM;
    let group = |chat: &'static str| {
        move |message: &mut Inbound| {
            message.chat_type = ChatType::Group;
            message.chat = chat.into();
        }
    };
    vec![
        sends(bot, telegram, |_| ()).await,
        sends(bot, telegram, |message| message.sender.id = "1e3".into()).await,
        sends(bot, telegram, |message| message.sender.is_bot = true).await,
        sends(bot, telegram, |message| message.account = Some("alice".into())).await,
        sends(bot, telegram, group("-1")).await,
        sends(bot, telegram, group("-2")).await,
        sends(bot, platform::SLACK, |message| message.text = "/status".into()).await,
    ]
}

pub(super) async fn unknown(bot: &Bot) -> Vec<String> {
    let mut ends = Vec::new();
    for sender in ["a", "a", "b", "c", "d"] {
        ends.push(
            sends(bot, platform::TELEGRAM, |message| {
                message.sender.id = sender.into();
            })
            .await,
        );
    }
    for request in bot.engine.pairings().pending {
        bot.engine
            .decide_pairing(&request.code, true, Actor::Console)
            .await
            .unwrap();
    }
    // The oldest request, that of `a`, gave way to the newest.
    ends.push(sends(bot, platform::TELEGRAM, |message| message.sender.id = "d".into()).await);
    ends
}

pub(super) async fn meant(bot: &Bot) -> Vec<String> {
    let telegram = platform::TELEGRAM;
    let group = |message: &mut Inbound| {
        message.chat_type = ChatType::Group;
        message.mentioned = false;
    };
    let mut ends = vec![
        sends(bot, telegram, |_| ()).await,
        sends(bot, telegram, group).await,
    ];
    let said = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::Ended { outcome, .. } => outcome.message,
        _ => None,
    });
    let answers = |message: &mut Inbound| {
        group(message);
        message.reply_to = said;
    };
    ends.push(sends(bot, telegram, answers).await);
    let names = |message: &mut Inbound| {
        group(message);
        message.text = "Foldback?".into();
    };
    ends.push(sends(bot, telegram, names).await);
    for _ in 0..2 {
        ends.push(sends(bot, telegram, |message| message.sender.is_bot = true).await);
    }
    ends
}

/// More messages than may wait, than one sender may write, and than may run at once.
pub(super) async fn crowd(bot: &Bot) -> Vec<String> {
    let mut turns = Vec::new();
    for n in ["1", "2", "3"] {
        bot.says([later(5_000, n)]);
        turns.push(bot.user(platform::SIGNAL, n).await);
    }
    turns.push(bot.user(platform::SIGNAL, "beyond the limit").await);
    bot.says([text("another conversation's")]);
    turns.push(bot.user(platform::TELEGRAM, "hi").await);
    let mut ends = Vec::new();
    for turn in turns {
        ends.push(format!("{:?}", turn.ended().await));
    }
    ends
}
