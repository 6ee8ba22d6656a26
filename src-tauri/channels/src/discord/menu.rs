//! Application commands: <https://discord.com/developers/docs/interactions/application-commands>. One that somebody uses
//! comes as an interaction, which wants an answer at once; then it is read like a message that mentions the bot.

use super::Discord;
use crate::Refusal;
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use serenity::model::id::UserId;

/// Most commands of an application, and characters of a description.
const MOST: usize = 100;
const ABOUT: usize = 100;
/// Types: a command that is written with a slash, a text that it takes, an interaction with a command.
/// <https://discord.com/developers/docs/interactions/application-commands#application-command-object>
const CHAT_INPUT: u64 = 1;
const STRING: u64 = 3;
const APPLICATION_COMMAND: u64 = 2;
/// The answer that is a message, and that only whoever used the command sees.
/// <https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object>
const CHANNEL_MESSAGE: u64 = 4;
const EPHEMERAL: u64 = 64;
/// Most characters of an answer.
const ANSWER: usize = 2_000;

#[derive(Debug, Deserialize)]
struct Application {
    id: String,
}

/// A command that somebody used.
#[derive(Debug)]
pub(super) struct UsedCommand {
    id: String,
    token: String,
    /// As it would have been written: `/send off`.
    text: String,
    /// The same as Discord would have told of a message.
    pub(super) message: Value,
}

impl UsedCommand {
    /// The command that an interaction is; `None` for others, such as a button.
    pub(super) fn read(event: &Value, bot: UserId) -> Option<Self> {
        if event["type"].as_u64() != Some(APPLICATION_COMMAND) {
            return None;
        }
        let (id, token) = (event["id"].as_str()?, event["token"].as_str()?);
        let words = event["data"]["options"][0]["value"].as_str().unwrap_or_default();
        let text = format!("/{} {words}", event["data"]["name"].as_str()?);
        let text = text.trim_end().to_owned();
        let member = &event["member"];
        // In a server the user stands in the member.
        let author = if member.is_object() {
            &member["user"]
        } else {
            &event["user"]
        };
        let mut message = json!({
            "id": id,
            "channel_id": event["channel_id"],
            "author": author,
            "content": text,
            "type": 0,
            "mentions": [{"id": bot.to_string()}],
        });
        if member.is_object() {
            message["member"] = member.clone();
        }
        if event["guild_id"].is_string() {
            message["guild_id"] = event["guild_id"].clone();
        }
        Some(Self {
            id: id.to_owned(),
            token: token.to_owned(),
            text,
            message,
        })
    }
}

impl Discord {
    /// Sets the commands, once in a process. Where that fails the next connection tries again: messages come in all the
    /// same.
    pub(super) async fn set_menu(&self) {
        if self.menu.due().is_none() {
            return;
        }
        match self.put_commands().await {
            Ok(()) => self.menu.note_set(),
            Err(refusal) => tracing::warn!(channel = %self.channel, %refusal, "the commands are not set"),
        }
    }

    async fn put_commands(&self) -> Result<(), Refusal> {
        let application: Application = self.api.get(&["applications", "@me"]).await?;
        let commands = self.menu.commands().iter().take(MOST);
        let listed: Vec<_> = commands
            .map(|command| {
                let mut listed = json!({
                    "name": command.name,
                    "description": command.about_within(ABOUT),
                    "type": CHAT_INPUT,
                });
                if command.takes_words() {
                    listed["options"] = json!([
                        {"type": STRING, "name": "text", "description": "What stands behind the command.", "required": false},
                    ]);
                }
                listed
            })
            .collect();
        self.api
            .tell(
                Method::PUT,
                &["applications", &application.id, "commands"],
                &listed,
            )
            .await
    }

    /// Answers an interaction, which Discord wants within three seconds. The bot's own answer is a message.
    pub(super) async fn acknowledge(&self, used: &UsedCommand) {
        let content: String = used.text.chars().take(ANSWER).collect();
        let answer = json!({
            "type": CHANNEL_MESSAGE,
            "data": {"content": content, "flags": EPHEMERAL, "allowed_mentions": {"parse": []}},
        });
        let path = ["interactions", &used.id, &used.token, "callback"];
        // One that comes again is answered already.
        if let Err(refusal) = self.api.tell(Method::POST, &path, &answer).await {
            tracing::info!(channel = %self.channel, %refusal, "a command's interaction is not answered");
        }
    }
}
