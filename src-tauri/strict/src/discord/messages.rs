//! The calls.

use super::answer::{Answer, form, refuse};
use super::body::Body;
use super::chat::{Chat, File, Posted};
use super::route::Route;
use super::rules::{
    ACCESS, CHANNEL, CONTENT, DELETE, EDIT, EMOJI, EMPTY, FIELD, FILE, FILE_SIZE, FLAGS, MENTIONS, MESSAGE,
    NONCE, REACTIONS, REPLY,
};
use super::server::State;
use crate::Rule;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// <https://discord.com/developers/docs/reference#uploading-files>
const MAX_FILES: usize = 10 * 1_024 * 1_024;

/// <https://discord.com/developers/docs/resources/message#message-object-message-flags>
const SUPPRESS_EMBEDS: u64 = 1 << 2;
const SUPPRESS_NOTIFICATIONS: u64 = 1 << 12;

type Done = Result<Value, Answer>;

impl State {
    pub(super) fn call(&mut self, route: Route, query: &str, body: Body) -> Done {
        match route {
            Route::Gateway => Ok(self.gateway.object()),
            Route::Channel(channel) => self.chat(channel).map(|chat| chat.object(channel)),
            Route::Create(channel) => self.create(channel, body),
            Route::List(channel) => self.list(channel, query),
            Route::Get(channel, message) => self.read(channel, message),
            Route::Me => Ok(self.me()),
            Route::Edit(channel, message) => self.edit(channel, message, &body.words),
            Route::Delete(channel, message) => self.delete(channel, message),
            Route::React(channel, message, emoji) => self.react(channel, message, emoji),
            Route::Application => Ok(Self::application()),
            Route::Commands(application) => self.set_commands(application, body),
            Route::Answer(id, token) => self.answer_interaction(id, &token, body),
            Route::Typing(channel) => {
                self.chat(channel)?.typing += 1;
                Ok(Value::Null)
            }
        }
    }

    fn create(&mut self, channel: u64, body: Body) -> Done {
        let Body { words, files } = body;
        only(
            &words,
            &[
                "content",
                "nonce",
                "enforce_nonce",
                "tts",
                "embeds",
                "allowed_mentions",
                "message_reference",
                "components",
                "sticker_ids",
                "attachments",
                "flags",
            ],
        )?;
        let text = content(&words)?;
        check_files(&words, &files)?;
        let nonce = nonce(&words)?;
        let flags = flags(&words, SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS)?.unwrap_or_default();
        let allowed = Allowed::read(&words)?;
        let chat = self.chat(channel)?;
        if text.trim().is_empty() && files.is_empty() {
            return Err(refuse(EMPTY, 400, 50_006, "Cannot send an empty message"));
        }
        let reply_to = answered(chat, channel, &words)?;
        if let Some((channel, id)) = nonce.as_ref().and_then(|nonce| self.chats.nonces.get(nonce)) {
            return Ok(self.chats.object(*channel, *id, &json!({})));
        }
        let mut notified = allowed.notified(&text);
        if let Some(answered) = reply_to.filter(|_| allowed.replied_user) {
            notified.insert(format!("author of {answered}"));
        }
        let id = self.chats.mint();
        if let Some(nonce) = nonce {
            self.chats.nonces.insert(nonce, (channel, id));
        }
        let posted = Posted {
            by_bot: true,
            text: text.clone(),
            reply_to,
            files,
            notified,
            flags,
            ..Posted::default()
        };
        self.chat(channel)?.messages.insert(id, posted);
        let author = self.me();
        let message = self
            .chats
            .object(channel, id, &json!({"content": text, "author": author}));
        self.chat(channel)?.told.insert(id, message.clone());
        // A bot is told of its own messages too.
        self.gateway.dispatch("MESSAGE_CREATE", message.clone());
        Ok(message)
    }

    fn edit(&mut self, channel: u64, message: u64, words: &Map<String, Value>) -> Done {
        only(
            words,
            &[
                "content",
                "embeds",
                "flags",
                "allowed_mentions",
                "components",
                "attachments",
            ],
        )?;
        let text = content(words)?;
        let flags = flags(words, SUPPRESS_EMBEDS)?;
        let allowed = Allowed::read(words)?;
        let posted = self.message(channel, message)?;
        if !posted.by_bot {
            return Err(refuse(
                EDIT,
                403,
                50_005,
                "Cannot edit a message authored by another user",
            ));
        }
        if text.trim().is_empty() && posted.files.is_empty() {
            return Err(refuse(EMPTY, 400, 50_006, "Cannot send an empty message"));
        }
        posted.notified.extend(allowed.notified(&text));
        posted.text.clone_from(&text);
        posted.edits += 1;
        if let Some(flags) = flags {
            posted.flags = posted.flags & !SUPPRESS_EMBEDS | flags;
        }
        let message = self.chats.object(channel, message, &json!({"content": text}));
        self.gateway.dispatch("MESSAGE_UPDATE", message.clone());
        Ok(message)
    }

    fn delete(&mut self, channel: u64, message: u64) -> Done {
        if !self.message(channel, message)?.by_bot {
            return Err(refuse(DELETE, 403, 50_013, "Missing Permissions"));
        }
        self.chat(channel)?.messages.remove(&message);
        self.gateway.dispatch(
            "MESSAGE_DELETE",
            json!({"id": message.to_string(), "channel_id": channel.to_string()}),
        );
        Ok(Value::Null)
    }

    fn react(&mut self, channel: u64, message: u64, emoji: String) -> Done {
        let custom = emoji
            .split_once(':')
            .is_some_and(|(name, id)| !name.is_empty() && id.parse::<u64>().is_ok());
        let posted = self.message(channel, message)?;
        if !custom && emojis::get(&emoji).is_none() {
            return Err(refuse(EMOJI, 400, 10_014, "Unknown Emoji"));
        }
        if posted.reactions.len() >= 20 && !posted.reactions.contains(&emoji) {
            return Err(refuse(
                REACTIONS,
                400,
                30_010,
                "Maximum number of reactions reached (20)",
            ));
        }
        posted.reactions.insert(emoji);
        Ok(Value::Null)
    }

    pub(super) fn chat(&mut self, id: u64) -> Result<&mut Chat, Answer> {
        match self.chats.all.get_mut(&id) {
            None => Err(refuse(CHANNEL, 404, 10_003, "Unknown Channel")),
            Some(Chat {
                closed: Some((code, message)),
                ..
            }) => Err(refuse(ACCESS, 403, *code, message)),
            Some(chat) => Ok(chat),
        }
    }

    fn message(&mut self, channel: u64, id: u64) -> Result<&mut Posted, Answer> {
        let message = self.chat(channel)?.messages.get_mut(&id);
        message.ok_or_else(|| refuse(MESSAGE, 404, 10_008, "Unknown Message"))
    }
}

/// Refuses fields that the call does not have, and those of a wrong type.
fn only(words: &Map<String, Value>, known: &[&str]) -> Result<(), Answer> {
    for (name, value) in words {
        let fits = match name.as_str() {
            _ if !known.contains(&name.as_str()) => {
                return Err(form(FIELD, name, "UNKNOWN_FIELD", "This field is not known."));
            }
            "content" => value.is_string() || value.is_null(),
            "tts" | "enforce_nonce" => value.is_boolean(),
            "embeds" | "components" | "sticker_ids" | "attachments" => value.is_array(),
            "allowed_mentions" | "message_reference" => value.is_object(),
            _ => true,
        };
        if !fits {
            return Err(form(FIELD, name, "WRONG_TYPE", "The value is of another type."));
        }
    }
    Ok(())
}

fn content(words: &Map<String, Value>) -> Result<String, Answer> {
    let text = words.get("content").and_then(Value::as_str).unwrap_or_default();
    limited(CONTENT, "content", text, 2_000)?;
    Ok(text.to_owned())
}

fn limited(rule: Rule, field: &str, text: &str, most: usize) -> Result<(), Answer> {
    if text.chars().count() <= most {
        return Ok(());
    }
    let says = format!("Must be {most} or fewer in length.");
    Err(form(rule, field, "BASE_TYPE_MAX_LENGTH", &says))
}

/// The nonce, where the message of it is to be the only one.
fn nonce(words: &Map<String, Value>) -> Result<Option<String>, Answer> {
    let nonce = match words.get("nonce") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) if number.is_i64() || number.is_u64() => number.to_string(),
        Some(_) => {
            return Err(form(
                NONCE,
                "nonce",
                "NONCE_TYPE",
                "Must be an integer or a string.",
            ));
        }
    };
    limited(NONCE, "nonce", &nonce, 25)?;
    let enforced = words.get("enforce_nonce").and_then(Value::as_bool) == Some(true);
    Ok(Some(nonce).filter(|_| enforced))
}

/// The flags of a message, out of those that the call can set.
fn flags(words: &Map<String, Value>, settable: u64) -> Result<Option<u64>, Answer> {
    match words.get("flags") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let flags = value.as_u64().filter(|flags| flags & !settable == 0);
            let wrong = || form(FLAGS, "flags", "BASE_TYPE_CHOICES", "A flag cannot be set here.");
            flags.map(Some).ok_or_else(wrong)
        }
    }
}

/// The message that is answered. One that is missing is refused unless the call says that it may be.
fn answered(chat: &Chat, channel: u64, words: &Map<String, Value>) -> Result<Option<u64>, Answer> {
    let Some(reference) = words.get("message_reference") else {
        return Ok(None);
    };
    let number = |name: &str| reference[name].as_str().and_then(|id| id.parse::<u64>().ok());
    let unknown = || {
        form(
            REPLY,
            "message_reference",
            "REPLIES_UNKNOWN_MESSAGE",
            "Unknown message",
        )
    };
    let elsewhere = !reference["channel_id"].is_null() && number("channel_id") != Some(channel);
    let Some(id) = number("message_id").filter(|_| !elsewhere) else {
        return Err(unknown());
    };
    if chat.messages.contains_key(&id) {
        return Ok(Some(id));
    }
    if reference["fail_if_not_exists"] == false {
        return Ok(None);
    }
    Err(unknown())
}

fn check_files(words: &Map<String, Value>, files: &[File]) -> Result<(), Answer> {
    let mut numbers = BTreeSet::new();
    for file in files {
        let number = file
            .field
            .strip_prefix("files[")
            .and_then(|rest| rest.strip_suffix(']'));
        let number: Option<u64> = number.and_then(|number| number.parse().ok());
        let number = number.ok_or_else(|| form(FILE, "files", "FILE_PART", "A file's part is files[n]."))?;
        numbers.insert(number);
    }
    for named in words
        .get("attachments")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let id = named["id"]
            .as_u64()
            .or_else(|| named["id"].as_str()?.parse().ok());
        if !id.is_some_and(|id| numbers.remove(&id)) {
            return Err(form(
                FILE,
                "attachments",
                "ATTACHMENT_NOT_FOUND",
                "No such file was uploaded.",
            ));
        }
    }
    if words.contains_key("attachments") && !numbers.is_empty() {
        return Err(form(
            FILE,
            "attachments",
            "ATTACHMENT_MISSING",
            "A file is not named.",
        ));
    }
    if files.iter().map(|file| file.bytes.len()).sum::<usize>() > MAX_FILES {
        return Err(refuse(FILE_SIZE, 413, 40_005, "Request entity too large"));
    }
    Ok(())
}

/// Whom a message may notify. Without a word everybody it names.
struct Allowed {
    parse: BTreeSet<String>,
    users: BTreeSet<String>,
    roles: BTreeSet<String>,
    replied_user: bool,
}

impl Allowed {
    fn read(words: &Map<String, Value>) -> Result<Self, Answer> {
        let Some(given) = words.get("allowed_mentions") else {
            let all = ["users", "roles", "everyone"].map(str::to_owned);
            return Ok(Self {
                parse: BTreeSet::from(all),
                users: BTreeSet::new(),
                roles: BTreeSet::new(),
                replied_user: true,
            });
        };
        let list = |name: &str| -> Result<BTreeSet<String>, Answer> {
            let entries = given[name].as_array().cloned().unwrap_or_default();
            if entries.len() > 100 {
                let says = "Must be 100 or fewer in length.";
                return Err(form(
                    MENTIONS,
                    &format!("allowed_mentions.{name}"),
                    "BASE_TYPE_MAX_LENGTH",
                    says,
                ));
            }
            Ok(entries
                .iter()
                .filter_map(|entry| entry.as_str().map(str::to_owned))
                .collect())
        };
        let (parse, users, roles) = (list("parse")?, list("users")?, list("roles")?);
        if parse
            .iter()
            .any(|kind| !["users", "roles", "everyone"].contains(&kind.as_str()))
        {
            let says = "Value must be one of ('users', 'roles', 'everyone').";
            return Err(form(
                MENTIONS,
                "allowed_mentions.parse.0",
                "BASE_TYPE_CHOICES",
                says,
            ));
        }
        let both = |kind: &str, listed: &BTreeSet<String>| parse.contains(kind) && !listed.is_empty();
        if both("users", &users) || both("roles", &roles) {
            let says = "parse and the list are mutually exclusive.";
            return Err(form(MENTIONS, "allowed_mentions", "MUTUALLY_EXCLUSIVE", says));
        }
        let replied_user = given["replied_user"] == true;
        Ok(Self {
            parse,
            users,
            roles,
            replied_user,
        })
    }

    fn notified(&self, text: &str) -> BTreeSet<String> {
        let mut notified = BTreeSet::new();
        if self.parse.contains("everyone") && (text.contains("@everyone") || text.contains("@here")) {
            notified.insert("everyone".to_owned());
        }
        for mention in text.split("<@").skip(1) {
            let Some((id, _)) = mention.split_once('>') else {
                continue;
            };
            let (all, listed) = match id.strip_prefix('&') {
                Some(role) => ("roles", self.roles.contains(role)),
                None => ("users", self.users.contains(id)),
            };
            if listed || self.parse.contains(all) {
                notified.insert(id.to_owned());
            }
        }
        notified
    }
}
