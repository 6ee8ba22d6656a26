//! Application commands and their interactions:
//! <https://discord.com/developers/docs/interactions/application-commands>.

use super::answer::{Answer, form, refuse};
use super::body::{Body, LIST};
use super::rules::{COMMAND, INTERACTION};
use super::server::{DiscordServer, State};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The id of the bot's application, which is not the bot's.
const APPLICATION: u64 = 700_000_000_000_000_900;

impl State {
    /// <https://discord.com/developers/docs/resources/application#get-current-application>
    pub(super) fn application() -> Value {
        json!({"id": APPLICATION.to_string(), "name": "foldback", "verify_key": "0"})
    }

    /// <https://discord.com/developers/docs/interactions/application-commands#bulk-overwrite-global-application-commands>
    pub(super) fn set_commands(&mut self, application: u64, mut body: Body) -> Result<Value, Answer> {
        if application != APPLICATION {
            return Err(refuse(COMMAND, 404, 10_002, "Unknown Application"));
        }
        let Some(Value::Array(commands)) = body.words.remove(LIST) else {
            return Err(refuse(COMMAND, 400, 50_035, "a list of commands"));
        };
        let wrong = |field: &str| form(COMMAND, field, "BASE_TYPE_BAD_LENGTH", "Must be in form.");
        if commands.len() > 100 {
            return Err(refuse(
                COMMAND,
                400,
                30_032,
                "Maximum number of application commands reached (100).",
            ));
        }
        let mut names = BTreeSet::new();
        for command in &commands {
            check_named(command, &wrong)?;
            if !names.insert(command["name"].as_str()) {
                return Err(wrong("name"));
            }
            for option in command["options"].as_array().into_iter().flatten() {
                check_named(option, &wrong)?;
            }
        }
        self.commands.set.clone_from(&commands);
        Ok(commands.into())
    }

    /// <https://discord.com/developers/docs/interactions/receiving-and-responding#create-interaction-response>
    pub(super) fn answer_interaction(&mut self, id: u64, token: &str, body: Body) -> Result<Value, Answer> {
        match self.commands.open.get(&id) {
            None => {
                return Err(Answer::new(
                    400,
                    json!({"message": "Interaction has already been acknowledged.", "code": 40_060}),
                ));
            }
            Some(known) if known != token => {
                return Err(refuse(INTERACTION, 404, 10_062, "Unknown interaction"));
            }
            Some(_) => {}
        }
        let answer = Value::Object(body.words);
        let is_message = answer["type"].as_u64() == Some(4);
        let content = answer["data"]["content"].as_str().unwrap_or_default();
        if !is_message || !(1..=2_000).contains(&content.chars().count()) {
            return Err(refuse(INTERACTION, 400, 50_035, "Invalid Form Body"));
        }
        self.commands.open.remove(&id);
        self.commands.answers.push(answer);
        Ok(Value::Null)
    }
}

/// A name of 1 to 32 small letters, digits, `-` or `_`, and a description of 1 to 100 characters.
fn check_named(named: &Value, wrong: &impl Fn(&str) -> Answer) -> Result<(), Answer> {
    let text = |field: &str| named[field].as_str().unwrap_or_default();
    let name = text("name");
    let in_form = |c: char| !c.is_uppercase() && (c.is_alphanumeric() || matches!(c, '-' | '_'));
    if !(1..=32).contains(&name.chars().count()) || !name.chars().all(in_form) {
        return Err(wrong("name"));
    }
    if !(1..=100).contains(&text("description").chars().count()) {
        return Err(wrong("description"));
    }
    Ok(())
}

impl DiscordServer {
    /// The application's commands, as they were set last.
    pub fn commands(&self) -> Vec<Value> {
        self.state().commands.set.clone()
    }

    /// Somebody uses a command in a channel, with these words where there are some. Gives the interaction's id.
    pub fn use_command(&self, channel: u64, name: &str, words: Option<&str>) -> u64 {
        let mut state = self.state();
        let id = state.chats.mint();
        let token = format!("aW50ZXJhY3Rpb24.{id}");
        state.commands.open.insert(id, token.clone());
        let plain = state.chats.object(channel, id, &json!({}));
        let options = words.map_or_else(
            || json!([]),
            |words| json!([{"name": "text", "type": 3, "value": words}]),
        );
        let mut event = json!({
            "id": id.to_string(), "application_id": APPLICATION.to_string(), "type": 2, "token": token,
            "version": 1, "channel_id": channel.to_string(),
            "data": {"id": "1", "name": name, "type": 1, "options": options},
        });
        if plain["guild_id"].is_string() {
            event["guild_id"] = plain["guild_id"].clone();
            event["member"] = plain["member"].clone();
            event["member"]["user"] = plain["author"].clone();
        } else {
            event["user"] = plain["author"].clone();
        }
        drop(state);
        self.dispatch("INTERACTION_CREATE", event);
        id
    }

    /// The words of the answers to interactions, in order.
    pub fn interaction_answers(&self) -> Vec<String> {
        let state = self.state();
        let answers = state.commands.answers.iter();
        answers
            .map(|answer| answer["data"]["content"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}
