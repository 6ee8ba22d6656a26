//! What users write beside words for the agent: directives, commands and stop words.

use crate::bot::{Bot, text};
use foldback_agents::Act;
use foldback_channels::platform;

/// What each of them writes in one chat, and whether it is passed on. Alice may use commands, Bob owns the bot, Carol only
/// talks to it.
const WRITTEN: [(&str, &str, bool); 9] = [
    ("alice", "/think high x", false),
    ("alice", "/new", true),
    ("alice", "/elevated full y", false),
    ("carol", "/models", false),
    ("alice", "/send off", false),
    ("alice", "/models", false),
    ("alice", "stop it", false),
    ("bob", "/send off", false),
    ("bob", "hello", false),
];

pub(super) async fn written(bot: &Bot) -> Vec<String> {
    let mut ends = Vec::new();
    for (sender, words, forwarded) in WRITTEN {
        bot.says([Act::Given("{think}".into()).into(), text(".")]);
        let mut message = bot.message(platform::TELEGRAM, words);
        message.sender.id = sender.into();
        message.forwarded = forwarded;
        let turn = bot.engine.submit(message).await.unwrap();
        ends.push(format!("{:?}", turn.ended().await));
    }
    ends
}
