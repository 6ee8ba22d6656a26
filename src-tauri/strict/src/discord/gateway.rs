//! The gateway's side of a session: <https://discord.com/developers/docs/events/gateway>.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;

/// What a test makes the gateway do, after everything that was dispatched before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Asks the bot to connect anew.
    Reconnect,
    /// Declares the session invalid, to be resumed or for good.
    Invalidate {
        /// Whether it may be resumed.
        resumable: bool,
    },
    /// Closes the connection with a code.
    Close(u16),
    /// Breaks the connection without a word.
    Cut,
    /// Asks for a heartbeat at once.
    AskHeartbeat,
    /// Sends the last event again, with the same number.
    Repeat,
    /// Sends a payload without an opcode.
    Garble,
}

/// Bits of intents. <https://discord.com/developers/docs/events/gateway#list-of-intents>
pub(super) const GUILD_MESSAGES: u64 = 1 << 9;
pub(super) const DIRECT_MESSAGES: u64 = 1 << 12;
pub(super) const MESSAGE_CONTENT: u64 = 1 << 15;
/// The bits there are.
pub(super) const KNOWN: u64 = 0b11_0011_0001_1111_1111_1111_1111;
/// Those an application has to switch on: presences, members, message content.
pub(super) const PRIVILEGED_BITS: u64 = MESSAGE_CONTENT | 1 << 1 | 1 << 8;

/// A session; the number of an event is its place in the log, from 1.
#[derive(Debug)]
struct Live {
    id: String,
    intents: u64,
    log: Vec<Value>,
}

#[derive(Debug, Default)]
pub(super) struct Gateway {
    pub(super) name: String,
    /// Where it is, as `ws://HOST`.
    pub(super) root: String,
    session: Option<Live>,
    pub(super) orders: VecDeque<Order>,
    /// The connection that serves the session.
    pub(super) link: u64,
    /// The number of the last connection.
    pub(super) links: u64,
    /// What the next connections are told when they want to take up a session, instead of being let in.
    pub(super) rebuffs: VecDeque<Value>,
    /// It does not answer heartbeats.
    pub(super) deaf: bool,
    /// Whether privileged intents are switched off.
    pub(super) plain: bool,
    /// Whether `resume_gateway_url` leads nowhere.
    pub(super) lost: bool,
    /// Sessions that may still be begun today.
    pub(super) remaining: u32,
    pub(super) interval: Duration,
    pub(super) begun: u32,
    pub(super) resumed: u32,
    pub(super) beats: u32,
    /// Connections that are open.
    pub(super) open: usize,
}

impl Gateway {
    pub(super) fn new(name: &str, root: String) -> Self {
        Self {
            name: name.to_owned(),
            root,
            remaining: 1_000,
            interval: Duration::from_millis(41_250),
            ..Self::default()
        }
    }

    /// <https://discord.com/developers/docs/events/gateway#get-gateway-bot>
    pub(super) fn object(&self) -> Value {
        json!({
            "url": format!("{}/gateway", self.root), "shards": 1,
            "session_start_limit":
                {"total": 1_000, "remaining": self.remaining, "reset_after": 14_400_000, "max_concurrency": 1},
        })
    }

    /// Something happened. Who has no session, or did not ask for it, is not told.
    pub(super) fn dispatch(&mut self, name: &str, mut event: Value) {
        let Some(session) = &mut self.session else { return };
        if name.starts_with("MESSAGE_") && name != "MESSAGE_DELETE" {
            let wanted = if event["guild_id"].is_null() {
                DIRECT_MESSAGES
            } else {
                GUILD_MESSAGES
            };
            if session.intents & wanted == 0 {
                return;
            }
            if session.intents & MESSAGE_CONTENT == 0 && wanted == GUILD_MESSAGES {
                event["content"] = "".into();
            }
        }
        let number = session.log.len() + 1;
        session
            .log
            .push(json!({"op": 0, "t": name, "s": number, "d": event}));
    }

    /// Begins a session on a connection.
    pub(super) fn begin(&mut self, link: u64, intents: u64, bot: u64) {
        self.begun += 1;
        self.remaining = self.remaining.saturating_sub(1);
        self.link = link;
        let id = format!("session-{}", self.begun);
        self.session = Some(Live {
            id: id.clone(),
            intents,
            log: Vec::new(),
        });
        let resume = if self.lost { "ws://127.0.0.1:1" } else { &self.root };
        let ready = json!({
            "v": 10, "guilds": [{"id": "900", "unavailable": true}], "session_id": id,
            "user": {"id": bot.to_string(), "username": self.name, "discriminator": "0", "global_name": null,
                "avatar": null, "bot": true, "verified": true, "mfa_enabled": false, "email": null, "flags": 0},
            "resume_gateway_url": format!("{resume}/resume"),
            "application": {"id": bot.to_string(), "flags": 0},
        });
        self.dispatch("READY", ready);
    }

    /// Goes on with a session on another connection, if it is this one; gives how far it has come.
    pub(super) fn resume(&mut self, link: u64, id: &str) -> Option<u64> {
        let session = self.session.as_ref().filter(|session| session.id == id)?;
        self.link = link;
        Some(session.log.len() as u64)
    }

    /// Forgets the session.
    pub(super) fn forget(&mut self) {
        self.session = None;
    }

    /// The events after a number.
    pub(super) fn after(&self, seq: u64) -> &[Value] {
        let log = self.session.as_ref().map_or(&[][..], |session| &session.log);
        log.get(usize::try_from(seq).unwrap_or(usize::MAX)..)
            .unwrap_or_default()
    }

    pub(super) fn last(&self) -> Option<&Value> {
        self.session.as_ref()?.log.last()
    }
}
