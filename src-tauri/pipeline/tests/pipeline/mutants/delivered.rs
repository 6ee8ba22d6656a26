//! What is delivered to the agent for Alice's message: a chain, one of an id that came before, an echo, and a dead chat.

use crate::bot::{Bot, text};
use foldback_channels::{
    platform,
    sim::{CallFailure, CallFault},
};
use foldback_wire::{
    DeliveryLimits, DeliveryOutcome, DeliveryRequest, Inbound, OpKind, PerformedAction, ReplyAddress,
    ResultItem,
};
use std::time::Duration;

const MARKUP: &str = "<actions><react emoji=\"eyes\"/></actions>";

pub(super) fn request(message: &Inbound, id: &str, depth: u32) -> DeliveryRequest {
    DeliveryRequest {
        id: id.into(),
        origin: ReplyAddress::of(message),
        requester: message.sender.clone(),
        action: PerformedAction {
            name: "bash".to_owned(),
            command: None,
        },
        outcome: DeliveryOutcome::Output,
        items: vec![ResultItem::new("stdout", MARKUP)],
        items_omitted: 0,
        depth,
        limits: DeliveryLimits::default(),
        corrections: None,
        cause: None,
    }
}

/// Delivers, waits for the end, and says how it fared.
pub(super) async fn deliver(bot: &Bot, request: DeliveryRequest, answer: &str) -> String {
    bot.says([text(answer)]);
    match bot.engine.deliver(request).await {
        Ok(accepted) => {
            let end = match accepted.begun {
                Some(turn) => turn.ended().await,
                None => None,
            };
            format!("turn {}: {end:?}", accepted.turn)
        }
        Err(rejected) => rejected.to_string(),
    }
}

pub(super) async fn results(bot: &Bot) -> Vec<String> {
    let message = bot.message(platform::TELEGRAM, "how full is the disk?");
    bot.says([text("I look.")]);
    let turn = bot.engine.submit(message.clone()).await.unwrap();
    let mut seen = vec![format!("{:?}", turn.ended().await)];
    seen.push(deliver(bot, request(&message, "d1", 1), &format!("It says {MARKUP}")).await);
    seen.push(deliver(bot, request(&message, "d1", 1), "Once more.").await);
    seen.push(deliver(bot, request(&message, "d2", 4), "Too deep.").await);
    let refused = CallFault {
        nth: 3,
        ..CallFault::first(OpKind::SendText, CallFailure::Forbidden)
    };
    bot.fault(platform::TELEGRAM, refused);
    seen.push(deliver(bot, request(&message, "d3", 1), "Nobody reads this.").await);
    seen.push(deliver(bot, request(&message, "d4", 1), "Nor this.").await);
    let mut elsewhere = message.clone();
    elsewhere.chat = "c2".into();
    for id in ["d5", "d6"] {
        seen.push(deliver(bot, request(&elsewhere, id, 1), "Elsewhere.").await);
    }
    tokio::time::sleep(Duration::from_secs(30)).await;
    seen
}
