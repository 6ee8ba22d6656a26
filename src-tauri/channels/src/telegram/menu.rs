//! The menu of commands: <https://core.telegram.org/bots/api#setmycommands>. What is chosen there comes in as a message
//! like any other.

use super::Telegram;
use serde_json::{Value, json};

/// Most commands of a menu, and characters of a description.
const MOST: usize = 100;
const ABOUT: usize = 256;

impl Telegram {
    /// Sets the menu, once in a process. Where that fails the next connection tries again: messages come in all the same.
    pub(super) async fn set_menu(&self) {
        let Some(commands) = self.menu.due() else { return };
        let listed: Vec<_> = commands
            .iter()
            .take(MOST)
            .map(|command| json!({"command": command.name, "description": command.about_within(ABOUT)}))
            .collect();
        let set: Result<Value, _> = self.api.call("setMyCommands", &json!({"commands": listed})).await;
        match set {
            Ok(_) => self.menu.note_set(),
            Err(refusal) => {
                tracing::warn!(channel = %self.channel, %refusal, "the menu of commands is not set");
            }
        }
    }
}
