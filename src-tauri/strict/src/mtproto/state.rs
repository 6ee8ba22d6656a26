//! What the server knows.

use super::account::{Account, Closed};
use super::password::Challenge;
use crate::fault::Faults;
use crate::{Broken, Mishap};
use grammers_tl_types::enums;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::{broadcast, watch};

/// Most updates that wait for a connection.
const WAITING: usize = 1_024;
/// The beginning of the ids of supergroups, as bots see them: <https://core.telegram.org/api/bots/ids>.
const SUPERGROUPS: i64 = -1_000_000_000_000;

/// A person's account that is not the client's.
#[derive(Debug, Clone, Default)]
pub(super) struct Person {
    pub(super) hash: i64,
    pub(super) name: String,
    pub(super) username: String,
    pub(super) is_bot: bool,
}

/// A group or a supergroup.
#[derive(Debug, Clone, Default)]
pub(super) struct Room {
    pub(super) title: String,
    /// Of a supergroup.
    pub(super) hash: i64,
    /// A supergroup's own count of updates.
    pub(super) pts: i32,
    pub(super) last: i32,
}

/// A file that can be asked for.
#[derive(Debug, Clone)]
pub(super) struct StoredFile {
    pub(super) bytes: Vec<u8>,
    pub(super) reference: Vec<u8>,
}

/// A message.
#[derive(Debug, Clone)]
pub struct StoredMessage {
    /// Its id: one count for all chats but supergroups, which have one each.
    pub id: i32,
    /// The chat, as bots see its id.
    pub chat: i64,
    /// The id of its author.
    pub from: i64,
    /// Its text.
    pub text: String,
    /// The message that it answers.
    pub reply_to: Option<i32>,
    /// Its file: name, type and content.
    pub file: Option<(String, String, Vec<u8>)>,
    /// True of a voice note.
    pub is_voice: bool,
    /// True without a sound.
    pub is_silent: bool,
    /// True without a preview of its links.
    pub has_no_preview: bool,
    /// Number of its edits.
    pub edits: u32,
    /// The client's reaction to it.
    pub reaction: Option<String>,
    pub(super) date: i32,
    pub(super) is_mention: bool,
    pub(super) is_forward: bool,
    pub(super) handle: Option<i64>,
    pub(super) entities: Vec<enums::MessageEntity>,
}

impl StoredMessage {
    /// Special parts of its text: a word for each, and offset and length in UTF-16 units.
    pub fn looks(&self) -> Vec<(&'static str, i32, i32)> {
        let look = |entity: &enums::MessageEntity| {
            use enums::MessageEntity as Entity;
            let word = match entity {
                Entity::Bold(_) => "bold",
                Entity::Italic(_) => "italic",
                Entity::Strike(_) => "strike",
                Entity::Code(_) => "code",
                Entity::Pre(_) => "pre",
                _ => "other",
            };
            (word, entity.offset(), entity.length())
        };
        self.entities.iter().map(look).collect()
    }
}

/// All of it.
#[derive(Debug)]
pub(super) struct State {
    pub(super) account: Account,
    pub(super) port: u16,
    pub(super) salt: i64,
    pub(super) people: BTreeMap<i64, Person>,
    pub(super) rooms: BTreeMap<i64, Room>,
    pub(super) closed: BTreeMap<i64, Closed>,
    pub(super) messages: Vec<StoredMessage>,
    pub(super) last: i32,
    pub(super) pts: i32,
    /// Which message came with which count, of all chats but supergroups.
    pub(super) log: Vec<(i32, i32)>,
    /// The same of supergroups: the chat, the count, the message.
    pub(super) room_log: Vec<(i64, i32, i32)>,
    pub(super) random_ids: BTreeSet<i64>,
    pub(super) code_hash: Option<String>,
    /// What the server keeps of a proof of the password until it comes.
    pub(super) proof: Option<Challenge>,
    pub(super) parts: BTreeMap<i64, BTreeMap<i32, Vec<u8>>>,
    pub(super) files: BTreeMap<i64, StoredFile>,
    pub(super) typing: Vec<i64>,
    pub(super) names: Vec<&'static str>,
    pub(super) unacknowledged: usize,
    pub(super) faults: Faults,
    pub(super) broken: Broken,
    pub(super) updates: broadcast::Sender<Vec<u8>>,
    pub(super) cut: watch::Sender<u32>,
}

impl State {
    pub(super) fn new(account: Account, port: u16) -> Self {
        Self {
            account,
            port,
            salt: 0x5a17_0000_0001,
            people: BTreeMap::new(),
            rooms: BTreeMap::new(),
            closed: BTreeMap::new(),
            messages: Vec::new(),
            last: 100,
            pts: 1,
            log: Vec::new(),
            room_log: Vec::new(),
            random_ids: BTreeSet::new(),
            code_hash: None,
            proof: None,
            parts: BTreeMap::new(),
            files: BTreeMap::new(),
            typing: Vec::new(),
            names: Vec::new(),
            unacknowledged: 0,
            faults: Faults::default(),
            broken: Broken::default(),
            updates: broadcast::Sender::new(WAITING),
            cut: watch::Sender::new(0),
        }
    }

    pub(super) fn next_mishap(&mut self, method: &str) -> Option<Mishap> {
        self.faults.next(method)
    }

    /// Keeps a message. Gives it with its id, and the count that it makes.
    pub(super) fn keep(&mut self, mut message: StoredMessage) -> (StoredMessage, i32) {
        message.date = seconds();
        let count = if let Some(room) = self
            .rooms
            .get_mut(&message.chat)
            .filter(|_| is_supergroup(message.chat))
        {
            room.last += 1;
            message.id = room.last;
            room.pts += 1;
            self.room_log.push((message.chat, room.pts, message.id));
            room.pts
        } else {
            self.last += 1;
            message.id = self.last;
            self.pts += 1;
            self.log.push((self.pts, message.id));
            self.pts
        };
        self.messages.push(message.clone());
        (message, count)
    }

    /// Counts a change that is no new message.
    pub(super) fn count(&mut self, chat: i64) -> i32 {
        if let Some(room) = self.rooms.get_mut(&chat).filter(|_| is_supergroup(chat)) {
            room.pts += 1;
            return room.pts;
        }
        self.pts += 1;
        self.pts
    }

    /// The message of an id: in a supergroup its own, elsewhere in any chat.
    pub(super) fn message(&self, chat: i64, id: i32) -> Option<usize> {
        let here = |message: &StoredMessage| message.chat == chat && message.id == id;
        self.messages.iter().position(here)
    }
}

/// True of the id of a supergroup.
pub(super) fn is_supergroup(chat: i64) -> bool {
    chat < SUPERGROUPS
}

/// The bare id in the id of a supergroup, and the other way round.
pub(super) fn bare(supergroup: i64) -> i64 {
    SUPERGROUPS - supergroup
}

/// Seconds since 1970.
pub(super) fn seconds() -> i32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs() as i32
}

/// The state. Whole after every change, so that a panic elsewhere does not matter here.
pub(super) fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
