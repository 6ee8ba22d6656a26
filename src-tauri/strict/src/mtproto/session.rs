//! One client's session: identifiers, numbers, salts, containers and acknowledgments.
//! <https://core.telegram.org/mtproto/description>, <https://core.telegram.org/mtproto/service_messages>
//!
//! A packet of a client, once it is opened:
//!
//! ```text
//! salt 8 | session 8 | identifier 8 | number 4 | length 4 | body | padding 12..1024
//! ```

use super::AuthKey;
use super::crypto::{open, seal};
use super::rules::{
    ACKNOWLEDGED, CONTAINER, ENCRYPTED, IDENTIFIER, MESSAGE, PACKED, PADDING, SEQUENCE, SESSION,
};
use crate::Rule;
use flate2::read::GzDecoder;
use grammers_tl_types::{Deserializable as _, Identifiable as _, Serializable as _, enums, functions, types};
use std::collections::BTreeSet;
use std::io::Read as _;
use std::time::{SystemTime, UNIX_EPOCH};

/// <https://core.telegram.org/mtproto/service_messages#simple-container>
const CONTAINER_ID: u32 = 0x73f1_f8dc;
const MOST_IN_CONTAINER: u32 = 1_020;
/// <https://core.telegram.org/mtproto/service_messages#packed-object>
const PACKED_ID: u32 = 0x3072_cfa1;
/// Most bytes that a packed object has unpacked.
const MOST_UNPACKED: u64 = 1 << 24;

/// A message of the client, without its envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) id: i64,
    number: i32,
    pub(super) body: Vec<u8>,
}

/// What a packet brought.
#[derive(Debug, Default)]
pub(super) struct PacketContent {
    /// Calls of the API.
    pub(super) calls: Vec<Message>,
    /// What the session itself answers, sealed.
    pub(super) answers: Vec<Vec<u8>>,
}

/// The session of a connection.
#[derive(Debug)]
pub(super) struct Session {
    key: AuthKey,
    /// The client's, once it is known.
    id: Option<i64>,
    /// Identifier of the client's last message.
    last: i64,
    /// The client's messages that needed an acknowledgment.
    counted: i32,
    said: i64,
    said_counted: i32,
    /// What was sent and needs an acknowledgment.
    unacknowledged: BTreeSet<i64>,
    sent: BTreeSet<i64>,
}

impl Session {
    pub(super) fn new(key: AuthKey) -> Self {
        Self {
            key,
            id: None,
            last: 0,
            counted: 0,
            said: 0,
            said_counted: 0,
            unacknowledged: BTreeSet::new(),
            sent: BTreeSet::new(),
        }
    }

    /// Opens a packet under the salt of the moment.
    pub(super) fn hear(&mut self, packet: &[u8], salt: i64) -> Result<PacketContent, Rule> {
        let text = open(&self.key, packet).ok_or(ENCRYPTED)?;
        let (head, rest) = text.split_at_checked(16).ok_or(MESSAGE)?;
        let (its_salt, id) = (long(&head[..8]), long(&head[8..]));
        let (message, padding) = take(rest).ok_or(MESSAGE)?;
        if !(12..=1_024).contains(&padding.len()) {
            return Err(PADDING);
        }
        let is_new = self.id.is_none();
        if id == 0 || *self.id.get_or_insert(id) != id {
            return Err(SESSION);
        }
        let outer = Self::unpacked(message)?;
        let within = inside(&outer)?;
        self.check_identifier(outer.id)?;
        let mut heard = PacketContent::default();
        // A message in a container is older than it.
        for message in within.iter().flatten().chain(within.is_none().then_some(&outer)) {
            self.check_number(message)?;
        }
        if within.is_some() && outer.number != self.counted * 2 {
            return Err(SEQUENCE);
        }
        if its_salt != salt {
            let bad = enums::BadMsgNotification::BadServerSalt(types::BadServerSalt {
                bad_msg_id: outer.id,
                bad_msg_seqno: outer.number,
                error_code: 48,
                new_server_salt: salt,
            });
            heard.answers.push(self.say(&bad.to_bytes(), salt, false, true));
            return Ok(heard);
        }
        if is_new {
            let new = enums::NewSession::Created(types::NewSessionCreated {
                first_msg_id: outer.id,
                unique_id: id ^ outer.id,
                server_salt: salt,
            });
            heard.answers.push(self.say(&new.to_bytes(), salt, true, false));
        }
        for message in within.unwrap_or_else(|| vec![outer]) {
            let message = Self::unpacked(message)?;
            self.meet(message, salt, &mut heard)?;
        }
        Ok(heard)
    }

    /// Answers a message of the session's own, and passes on the others.
    fn meet(&mut self, message: Message, salt: i64, heard: &mut PacketContent) -> Result<(), Rule> {
        let (id, arguments) = message.body.split_at_checked(4).ok_or(MESSAGE)?;
        match word(id) {
            CONTAINER_ID => return Err(CONTAINER),
            types::MsgsAck::CONSTRUCTOR_ID => {
                let acknowledged = types::MsgsAck::from_bytes(arguments).map_err(|_| ACKNOWLEDGED)?;
                for id in acknowledged.msg_ids {
                    self.unacknowledged.remove(&id);
                    if !self.sent.contains(&id) {
                        return Err(ACKNOWLEDGED);
                    }
                }
            }
            functions::Ping::CONSTRUCTOR_ID | functions::PingDelayDisconnect::CONSTRUCTOR_ID => {
                let ping_id = long(arguments.get(..8).ok_or(MESSAGE)?);
                let msg_id = message.id;
                let pong = enums::Pong::Pong(types::Pong { msg_id, ping_id });
                heard.answers.push(self.say(&pong.to_bytes(), salt, false, true));
            }
            functions::GetFutureSalts::CONSTRUCTOR_ID => {
                let now = now().as_secs() as i32;
                // Two, of which the second is the first again: it lasts until another one is demanded.
                let salts = [-1_800, 0].map(|since| types::FutureSalt {
                    valid_since: now + since,
                    valid_until: now + since + 3_600,
                    salt,
                });
                let salts = enums::FutureSalts::Salts(types::FutureSalts {
                    req_msg_id: message.id,
                    now,
                    salts: grammers_tl_types::RawVec(salts.to_vec()),
                });
                heard.answers.push(self.say(&salts.to_bytes(), salt, false, true));
            }
            _ => heard.calls.push(message),
        }
        Ok(())
    }

    fn check_identifier(&mut self, id: i64) -> Result<(), Rule> {
        let seconds = now().as_secs() as i64;
        let is_timely = (seconds - 300..=seconds + 30).contains(&(id >> 32));
        if id % 4 != 0 || id <= self.last || !is_timely {
            return Err(IDENTIFIER);
        }
        self.last = id;
        Ok(())
    }

    /// Numbers are even where nothing is to be acknowledged.
    fn check_number(&mut self, message: &Message) -> Result<(), Rule> {
        let id = message.body.get(..4).map(word).unwrap_or_default();
        let is_counted = !matches!(id, types::MsgsAck::CONSTRUCTOR_ID | CONTAINER_ID);
        if message.number != self.counted * 2 + i32::from(is_counted) {
            return Err(SEQUENCE);
        }
        self.counted += i32::from(is_counted);
        Ok(())
    }

    fn unpacked(message: Message) -> Result<Message, Rule> {
        if message.body.get(..4).map(word) != Some(PACKED_ID) {
            return Ok(message);
        }
        let packed = Vec::<u8>::from_bytes(&message.body[4..]).map_err(|_| PACKED)?;
        let mut body = Vec::new();
        GzDecoder::new(&packed[..])
            .take(MOST_UNPACKED)
            .read_to_end(&mut body)
            .map_err(|_| PACKED)?;
        Ok(Message { body, ..message })
    }

    /// Seals a message. Who counts wants an acknowledgment; what answers has an identifier of its own form.
    pub(super) fn say(&mut self, body: &[u8], salt: i64, counts: bool, answers: bool) -> Vec<u8> {
        let now = now();
        let time = ((now.as_secs() as i64) << 32) | (i64::from(now.subsec_nanos()) << 2);
        // <https://core.telegram.org/mtproto/description#message-identifier-msg-id>
        let form = if answers { 1 } else { 3 };
        self.said = (time & !3).max((self.said & !3) + 4) | form;
        let number = self.said_counted * 2 + i32::from(counts);
        self.said_counted += i32::from(counts);
        self.sent.insert(self.said);
        if counts {
            self.unacknowledged.insert(self.said);
        }
        let mut text = Vec::with_capacity(body.len() + 32);
        text.extend(salt.to_le_bytes());
        text.extend(self.id.unwrap_or_default().to_le_bytes());
        text.extend(self.said.to_le_bytes());
        text.extend(number.to_le_bytes());
        text.extend((body.len() as u32).to_le_bytes());
        text.extend(body);
        seal(&self.key, &text)
    }

    /// Number of messages that the client has not acknowledged.
    pub(super) fn unacknowledged(&self) -> usize {
        self.unacknowledged.len()
    }
}

/// The messages in a container; `None` for a message that is none.
fn inside(outer: &Message) -> Result<Option<Vec<Message>>, Rule> {
    let (id, rest) = outer.body.split_at_checked(4).ok_or(MESSAGE)?;
    if word(id) != CONTAINER_ID {
        return Ok(None);
    }
    let (count, mut rest) = rest.split_at_checked(4).ok_or(CONTAINER)?;
    if word(count) > MOST_IN_CONTAINER {
        return Err(CONTAINER);
    }
    let mut messages = Vec::new();
    for _ in 0..word(count) {
        let (message, after) = take(rest).ok_or(CONTAINER)?;
        if message.id >= outer.id || message.id % 4 != 0 {
            return Err(CONTAINER);
        }
        messages.push(message);
        rest = after;
    }
    if rest.is_empty() {
        Ok(Some(messages))
    } else {
        Err(CONTAINER)
    }
}

/// Takes a message off the beginning.
fn take(bytes: &[u8]) -> Option<(Message, &[u8])> {
    let (head, rest) = bytes.split_at_checked(16)?;
    let length = word(&head[12..]) as usize;
    if length < 4 || !length.is_multiple_of(4) {
        return None;
    }
    let (body, rest) = rest.split_at_checked(length)?;
    let message = Message {
        id: long(&head[..8]),
        number: word(&head[8..12]) as i32,
        body: body.to_vec(),
    };
    Some((message, rest))
}

fn word(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[..4]);
    u32::from_le_bytes(word)
}

fn long(bytes: &[u8]) -> i64 {
    let mut long = [0; 8];
    long.copy_from_slice(&bytes[..8]);
    i64::from_le_bytes(long)
}

fn now() -> std::time::Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
