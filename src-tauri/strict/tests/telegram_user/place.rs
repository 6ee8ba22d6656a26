//! An account that is signed in, its server, people and groups, and a folder of files.

use crate::shared::calls::{call, said, target};
use crate::shared::time::Hasty;
use foldback_channels::{
    Ack, ChannelAdapter, Folder, Refusal, TelegramUser, TelegramUserApp, platform, profile,
    telegram_session_file,
};
use foldback_strict::mtproto::{Account, AuthKey, MtprotoServer};
use foldback_wire::{ChannelId, Operation, Secret};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) const OWN: i64 = 1_001;
pub(crate) const USERNAME: &str = "robin_lee";
pub(crate) const PHONE: &str = "+4915112345678";
pub(crate) const HASH: &str = "app-hash-of-a-test";
pub(crate) const API_ID: i32 = 4_242;
pub(crate) const CODE: &str = "31337";
pub(crate) const PASSWORD: &str = "password of a test";
pub(crate) const ANA: i64 = 4_711;
/// A person whom the account has met, and who has written nothing.
pub(crate) const BEN: i64 = 4_712;
pub(crate) const GROUP: i64 = -815;
pub(crate) const SUPERGROUP: i64 = -1_000_000_000_099;

/// A key that nobody but a test and its server agreed on.
pub(crate) fn key() -> AuthKey {
    let mut key = [0; 256];
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = (at as u8).wrapping_mul(37).wrapping_add(11);
    }
    key
}

pub(crate) struct Place {
    pub(crate) server: MtprotoServer,
    pub(crate) adapter: Arc<TelegramUser>,
    pub(crate) dir: tempfile::TempDir,
    pub(crate) data: tempfile::TempDir,
}

pub(crate) fn account(password: Option<&str>, is_signed_in: bool) -> Account {
    Account {
        id: OWN,
        phone: PHONE.into(),
        username: USERNAME.into(),
        api_id: API_ID,
        api_hash: HASH.into(),
        code: CODE.into(),
        password: password.map(str::to_owned),
        key: key(),
        is_signed_in,
    }
}

pub(crate) fn channel() -> ChannelId {
    ChannelId::new("me")
}

pub(crate) fn app(root: &str) -> Result<TelegramUserApp, Refusal> {
    TelegramUserApp::new(&API_ID.to_string(), Secret::new(HASH), PHONE, root)
}

impl Place {
    pub(crate) async fn open() -> Self {
        let server = MtprotoServer::start(account(None, true)).await.unwrap();
        let people = [(ANA, "Ana", "ana_lima"), (BEN, "Ben", "")];
        let people: Vec<_> = people
            .map(|(id, name, username)| (id, server.open_person(id, name, username)))
            .into();
        server.open_room(GROUP, "Flat");
        let room = server.open_room(SUPERGROUP, "Town");
        let mut peers: Vec<_> = people
            .iter()
            .map(|(id, hash)| json!({"User": {"id": id, "auth": hash, "bot": false, "is_self": false}}))
            .collect();
        peers.push(json!({"Channel": {"id": 99, "auth": room, "kind": null}}));
        let data = tempfile::tempdir().unwrap();
        write_session(data.path(), &server.root(), Some(OWN), &json!(peers));
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.txt", &b"hello"[..]), ("a.ogg", b"OggS"), ("a.png", b"PNG")] {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        let adapter = made(&server.root(), data.path().into(), dir.path().into()).unwrap();
        Self {
            server,
            adapter: Arc::new(adapter),
            dir,
            data,
        }
    }

    /// The same adapter after a restart, with whatever it left in its data folder.
    pub(crate) fn restart(&mut self) {
        let made = made(
            &self.server.root(),
            self.data.path().into(),
            self.dir.path().into(),
        );
        self.adapter = Arc::new(made.unwrap());
    }

    pub(crate) async fn perform(&self, operation: Operation) -> Result<Ack, Refusal> {
        self.perform_in(ANA, operation).await
    }

    pub(crate) async fn perform_in(&self, chat: i64, operation: Operation) -> Result<Ack, Refusal> {
        self.adapter.perform(call(target(chat, None), operation)).await
    }

    pub(crate) async fn send(&self, text: &str) -> Result<Ack, Refusal> {
        self.perform(said(text)).await
    }

    /// The content of the session file.
    pub(crate) fn session(&self) -> Value {
        let text = std::fs::read(telegram_session_file(self.data.path(), &channel())).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

/// Writes a session with the key that the server knows, as it stands after a key was agreed on.
pub(crate) fn write_session(data: &std::path::Path, root: &str, own: Option<i64>, peers: &Value) {
    let address = root.trim_start_matches("tcp://");
    let (_, port) = address.split_once(':').unwrap();
    let hex = key().iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    });
    let session = json!({
        "phone": PHONE, "root": address, "account": own, "home": 2,
        "centres": [{"id": 2, "ipv4": address, "ipv6": format!("[::ffff:127.0.0.1]:{port}"), "auth_key": hex}],
        "peers": peers,
        "updates": {"pts": i32::from(own.is_some()), "qts": 0, "date": 1, "seq": 0, "channels": []},
    });
    let path = telegram_session_file(data, &channel());
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, session.to_string()).unwrap();
}

pub(crate) fn made(root: &str, data: PathBuf, dir: PathBuf) -> Result<TelegramUser, Refusal> {
    Ok(TelegramUser::new(
        channel(),
        profile(platform::TELEGRAM_USER),
        app(root)?,
        data,
        Folder::new(dir, u64::MAX),
        Arc::new(Hasty),
    ))
}
