//! The server: <https://core.telegram.org/mtproto>.

use super::account::{Account, Closed};
use super::connection::serve;
use super::state::{Person, Room, State, StoredMessage, bare, is_supergroup, lock};
use crate::{Fault, Mishap, Rule};
use grammers_tl_types::{enums, types};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

/// Telegram's data centre of one account, on loopback, until it is dropped.
#[derive(Debug)]
pub struct MtprotoServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    _serving: AbortOnDropHandle<()>,
}

impl MtprotoServer {
    /// Serves an account.
    pub async fn start(account: Account) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State::new(account, address.port())));
        let shared = Arc::clone(&state);
        let serving = tokio::spawn(async move {
            // Connections end with the server.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Ok(Self {
            address,
            state,
            _serving: AbortOnDropHandle::new(serving),
        })
    }

    /// Its address.
    pub fn root(&self) -> String {
        format!("tcp://{}", self.address)
    }

    /// Makes a person. Gives the access hash.
    pub fn open_person(&self, id: i64, name: &str, username: &str) -> i64 {
        let hash = id.wrapping_mul(0x1_0001);
        let person = Person {
            hash,
            name: name.to_owned(),
            username: username.to_owned(),
            is_bot: username.to_lowercase().ends_with("bot"),
        };
        self.state().people.insert(id, person);
        hash
    }

    /// Makes a group or, by its id, a supergroup. Gives the access hash.
    pub fn open_room(&self, chat: i64, title: &str) -> i64 {
        let hash = if is_supergroup(chat) {
            bare(chat) ^ 0x4242
        } else {
            0
        };
        let room = Room {
            title: title.to_owned(),
            hash,
            pts: 1,
            last: 0,
        };
        self.state().rooms.insert(chat, room);
        hash
    }

    /// A chat takes messages no more.
    pub fn close(&self, chat: i64, why: Closed) {
        self.state().closed.insert(chat, why);
    }

    /// Somebody writes a text in a chat. Gives the message's id.
    pub fn write(&self, chat: i64, from: i64, text: &str) -> i32 {
        self.deliver(StoredMessage::new(chat, from, text))
    }

    /// The same to the account alone, in the form that names nobody.
    pub fn write_short(&self, from: i64, text: &str) -> i32 {
        self.state().receive(StoredMessage::new(from, from, text), true)
    }

    /// The same as an answer to a message.
    pub fn answer(&self, chat: i64, from: i64, text: &str, to: i32) -> i32 {
        let mut state = self.state();
        let at = state.message(chat, to);
        let is_own = at.is_some_and(|at| state.messages[at].from == state.account.id);
        let message = StoredMessage {
            reply_to: Some(to),
            // Who is answered is told so: <https://core.telegram.org/constructor/message>.
            is_mention: is_own,
            ..StoredMessage::new(chat, from, text)
        };
        state.receive(message, false)
    }

    /// The same, with the account named at the beginning.
    pub fn mention(&self, chat: i64, from: i64, text: &str) -> i32 {
        let name = format!("@{}", self.state().account.username);
        let length = name.encode_utf16().count() as i32;
        let entity = types::MessageEntityMention { offset: 0, length };
        self.deliver(StoredMessage {
            is_mention: true,
            entities: vec![enums::MessageEntity::Mention(entity)],
            ..StoredMessage::new(chat, from, &format!("{name} {text}"))
        })
    }

    /// The same, passed on from somebody else.
    pub fn forward(&self, chat: i64, from: i64, text: &str) -> i32 {
        self.deliver(StoredMessage {
            is_forward: true,
            ..StoredMessage::new(chat, from, text)
        })
    }

    /// Somebody sends a file with a caption.
    pub fn send_file(
        &self,
        chat: i64,
        from: i64,
        caption: &str,
        name: &str,
        media_type: &str,
        bytes: &[u8],
    ) -> i32 {
        let file = (name.to_owned(), media_type.to_owned(), bytes.to_vec());
        let handle = self.state().hand_out(&file);
        self.deliver(StoredMessage {
            file: Some(file),
            handle: Some(handle),
            is_voice: media_type == "audio/ogg",
            ..StoredMessage::new(chat, from, caption)
        })
    }

    fn deliver(&self, message: StoredMessage) -> i32 {
        self.state().receive(message, false)
    }

    /// The person writes from another device of the account.
    pub fn write_elsewhere(&self, chat: i64, text: &str) -> i32 {
        let own = self.state().account.id;
        self.deliver(StoredMessage::new(chat, own, text))
    }

    /// All locations of files are to be asked for anew.
    pub fn expire_references(&self) {
        for kept in self.state().files.values_mut() {
            kept.reference = b"another reference".to_vec();
        }
    }

    /// The session is ended from another device.
    pub fn end_session(&self) {
        self.state().account.is_signed_in = false;
    }

    /// Another salt from now on.
    pub fn renew_salt(&self) {
        self.state().salt += 1;
    }

    /// Ends all connections.
    pub fn cut(&self) {
        let state = self.state();
        state.cut.send_modify(|times| *times += 1);
    }

    /// Plans a mishap.
    pub fn plan(&self, call: &str, mishap: Mishap) {
        self.state().faults.plan(Fault {
            method: call.to_owned(),
            mishap,
        });
    }

    /// The messages of a chat, in the order in which they were written.
    pub fn messages(&self, chat: i64) -> Vec<StoredMessage> {
        let state = self.state();
        let here = state.messages.iter().filter(|stored| stored.chat == chat);
        here.cloned().collect()
    }

    /// The chats in which the account was seen to write.
    pub fn typing(&self) -> Vec<i64> {
        self.state().typing.clone()
    }

    /// Names of the calls so far.
    pub fn names(&self) -> Vec<&'static str> {
        self.state().names.clone()
    }

    /// Calls that have arrived.
    pub fn calls(&self) -> u64 {
        self.state().names.len() as u64
    }

    /// Messages that the client of the last packet has not acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.state().unacknowledged
    }

    /// The rules that were broken so far.
    pub fn broken(&self) -> Vec<Rule> {
        self.state().broken.rules().copied().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}
