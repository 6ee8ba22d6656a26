//! What is in memory behind the server.

use super::files::Upload;
use super::room::{Person, Posted, Room};
use crate::Broken;
use crate::fault::Faults;
use crate::sent::SentFiles;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Something that happened, and whether the app knows.
#[derive(Debug)]
pub(super) struct Happened {
    pub(super) event: Value,
    pub(super) attempts: u32,
    /// The connection it was sent through and that has not confirmed it yet.
    pub(super) held_by: Option<u64>,
    pub(super) confirmed: bool,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) name: String,
    pub(super) root: String,
    pub(super) scopes: BTreeSet<&'static str>,
    pub(super) rooms: BTreeMap<String, Room>,
    /// People of the workspace, by their ids.
    pub(super) people: BTreeMap<String, Person>,
    /// Names of emoji that only this workspace has.
    pub(super) own_emoji: BTreeSet<String>,
    pub(super) uploads: BTreeMap<String, Upload>,
    pub(super) reveal_after: u32,
    /// Most messages of a page of a thread.
    pub(super) page: usize,
    pub(super) sent: SentFiles,
    pub(super) happened: Vec<Happened>,
    pub(super) tickets: BTreeSet<String>,
    pub(super) connections: u64,
    pub(super) open: BTreeSet<u64>,
    pub(super) faults: Faults,
    pub(super) broken: Broken,
    pub(super) calls: u64,
    serial: u64,
}

impl State {
    pub(super) fn new(name: &str, root: String) -> Self {
        Self {
            name: name.to_owned(),
            root,
            scopes: BTreeSet::from([
                "channels:history",
                "chat:write",
                "connections:write",
                "files:read",
                "files:write",
                "reactions:write",
                "users:read",
            ]),
            rooms: BTreeMap::new(),
            people: BTreeMap::new(),
            own_emoji: BTreeSet::new(),
            uploads: BTreeMap::new(),
            reveal_after: 1,
            page: 999,
            sent: SentFiles::default(),
            happened: Vec::new(),
            tickets: BTreeSet::new(),
            connections: 0,
            open: BTreeSet::new(),
            faults: Faults::default(),
            broken: Broken::default(),
            calls: 0,
            serial: 0,
        }
    }

    pub(super) fn serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// The next time stamp. They are unique in a conversation.
    pub(super) fn stamp(&mut self) -> String {
        let serial = self.serial();
        format!("17000000{:02}.{:06}", serial / 1_000, serial % 1_000 * 1_000 + 19)
    }

    /// Shows a message of the bot, and tells the app of it as of any other.
    pub(super) fn show(&mut self, channel: &str, message: Posted) -> String {
        let ts = self.stamp();
        let told = json!({
            "type": "message", "channel": channel, "user": super::SlackServer::BOT, "bot_id": "B0FOLDBACK",
            "text": message.raw, "ts": ts, "event_ts": ts, "thread_ts": message.thread, "channel_type": "channel",
        });
        let room = self.rooms.entry(channel.to_owned()).or_default();
        room.messages.insert(ts.clone(), message);
        room.told.insert(ts.clone(), told.clone());
        self.tell(&told);
        ts
    }

    /// Tells the app of an event, as `event_callback`.
    /// A command that somebody used.
    pub(super) fn use_command(&mut self, command: Value) {
        self.happened.push(Happened {
            event: command,
            attempts: 0,
            held_by: None,
            confirmed: false,
        });
    }

    pub(super) fn tell(&mut self, event: &Value) -> String {
        let id = format!("Ev{:010}", self.serial());
        let event = json!({
            "type": "event_callback", "team_id": "T0FOLDBACK", "api_app_id": "A0FOLDBACK",
            "event": event, "event_id": id, "event_time": 1_700_000_000,
        });
        self.happened.push(Happened {
            event,
            attempts: 0,
            held_by: None,
            confirmed: false,
        });
        id
    }
}
