//! People who write to the six channels, what they may and what they may not.

use super::{CHANNELS, Chance, marks::mark};
use crate::simulated_platform::SimulatedPlatform;
use foldback_channels::platform;
use foldback_pipeline::TokioClock;
use foldback_wire::{ChatType, Clock as _, Inbound, MessageId, Platform, Sender};
use std::collections::BTreeSet;

/// Chats on each channel.
const CHATS: u64 = 3;
/// Of these, so many are groups.
const GROUPS: u64 = 1;

const DIRECTIVES: [&str; 7] = [
    "/think low",
    "/queue collect debounce:100ms cap:2 drop:old",
    "/queue interrupt",
    "/queue followup drop:new",
    "/queue steer",
    "/queue reset",
    "/elevated ask",
];
const COMMANDS: [&str; 9] = [
    "/help", "/status", "/whoami", "/stop", "/stop", "/new", "/context", "/usage", "/session",
];
const STOP_WORDS: [&str; 2] = ["stop", "abort"];

/// A message as it was written.
pub(super) struct WrittenMessage {
    pub(super) id: MessageId,
    /// `telegram.c2`.
    pub(super) place: String,
}

pub(super) struct People<'a> {
    chance: &'a Chance,
    platforms: &'a [SimulatedPlatform],
    messages: Vec<WrittenMessage>,
}

impl<'a> People<'a> {
    pub(super) const fn new(chance: &'a Chance, platforms: &'a [SimulatedPlatform]) -> Self {
        Self {
            chance,
            platforms,
            messages: Vec::new(),
        }
    }

    /// Somebody writes on each channel. Answers the ids of these messages: what was written before comes in before them.
    pub(super) fn write_everywhere(&mut self) -> BTreeSet<String> {
        let write = |at| {
            self.write_on(at);
            self.messages.last().map(|message| message.id.to_string())
        };
        (0..CHANNELS.len()).filter_map(write).collect()
    }

    pub(super) fn into_messages(self) -> Vec<WrittenMessage> {
        self.messages
    }

    /// Somebody writes.
    pub(super) fn write(&mut self) {
        self.write_on(usize::try_from(self.chance.below(CHANNELS.len() as u64)).unwrap_or_default());
    }

    fn write_on(&mut self, at: usize) {
        let chance = self.chance;
        let (channel, platform) = CHANNELS[at];
        let chat = chance.below(CHATS);
        let is_group = chat < GROUPS;
        let sender = match chance.below(100) {
            0..45 => "owner",
            45..88 => "friend",
            88..94 => "stranger",
            _ => "robot",
        };
        let number = self.messages.len();
        let place = format!("{channel}.c{chat}");
        let text = self.text(&mark(&place, number));
        let id = message_id(platform, number);
        let message = Inbound {
            channel: channel.into(),
            account: None,
            chat: format!("c{chat}").into(),
            chat_type: if is_group {
                ChatType::Group
            } else {
                ChatType::Direct
            },
            thread: None,
            message: id.clone(),
            reply_to: None,
            sender: Sender {
                id: sender.into(),
                name: sender.to_owned(),
                display_name: sender.to_uppercase(),
                is_bot: sender == "robot",
            },
            text,
            mentioned: !is_group || chance.percent(70),
            forwarded: false,
            files: Vec::new(),
            at: TokioClock::system().now(),
            dry_run: false,
            at_by_device: false,
            omitted: None,
            context: None,
        };
        self.messages.push(WrittenMessage { id, place });
        self.platforms[at].write(message);
    }

    fn text(&self, mark: &str) -> String {
        let chance = self.chance;
        match chance.below(100) {
            0..5 => format!("{} {mark} please", chance.one_of(&DIRECTIVES)),
            5..11 => chance.one_of(&DIRECTIVES).to_owned(),
            11..18 => chance.one_of(&COMMANDS).to_owned(),
            18..20 => chance.one_of(&STOP_WORDS).to_owned(),
            20..21 => format!("/new {mark}"),
            21..26 => format!("frail {mark}"),
            26..30 => format!("quiet {mark}"),
            30..40 => format!("signed {mark}"),
            _ => format!("what is {mark}?"),
        }
    }
}

/// The id of a message in the platform's form.
fn message_id(platform: Platform, number: usize) -> MessageId {
    let number = 1_000_000 + number;
    MessageId::new(match platform {
        platform::SLACK => format!("{number}.000000"),
        platform::WHATSAPP => format!("wamid.{number}"),
        _ => number.to_string(),
    })
}
