//! The menu of commands: <https://core.telegram.org/bots/api#setmycommands>.

use super::request::Parameters;
use super::rules::MENU;
use super::server::{Answer, State, TelegramServer, refuse};
use serde_json::Value;

impl State {
    pub(super) fn set_commands(&mut self, given: &Parameters) -> Result<Value, Answer> {
        given.only(&["commands", "scope", "language_code"])?;
        let wrong = |why: &str| refuse(MENU, 400, &format!("Bad Request: {why}"));
        let Some(commands) = given.list("commands") else {
            return Err(wrong("commands must be a list"));
        };
        if commands.len() > 100 {
            return Err(wrong("BOT_COMMANDS_TOO_MUCH"));
        }
        for command in &commands {
            let text = |name: &str| command[name].as_str().unwrap_or_default();
            let name = text("command");
            let is_in_form = (1..=32).contains(&name.len())
                && name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
            if !is_in_form {
                return Err(wrong("BOT_COMMAND_INVALID"));
            }
            if !(1..=256).contains(&text("description").chars().count()) {
                return Err(wrong("BOT_COMMAND_DESCRIPTION_INVALID"));
            }
        }
        self.commands = commands;
        Ok(true.into())
    }
}

impl TelegramServer {
    /// The bot's menu, as it was set last.
    pub fn commands(&self) -> Vec<Value> {
        self.state().commands.clone()
    }
}
