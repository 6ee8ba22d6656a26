//! The adapter against a Bot API by somebody else, to find what our own server and our own adapter get wrong in the same
//! way. Opt-in: `tests/peers/telegram` installs it (npm `telegram-test-api` 4.2.1) and runs this.

use crate::peer_process::PeerProcess;
use crate::place::TOKEN;
use crate::shared::calls::{call, said, target};
use crate::shared::run::Run;
use crate::shared::time::Hasty;
use foldback_channels::{ChannelAdapter, Folder, Signal, Telegram, platform, profile};
use foldback_wire::{ChannelId, ChannelState, Operation, RefusalCode, Secret};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::Arc;

const CHAT: i64 = 4_611_686_018;

/// The server as a process, which ends with the test, and an adapter that talks to it.
struct Peer {
    _process: PeerProcess,
    root: String,
    http: reqwest::Client,
    telegram: Arc<Telegram>,
    _dir: tempfile::TempDir,
}

impl Peer {
    async fn start() -> Self {
        let package = std::env::var("FOLDBACK_TELEGRAM_TEST_API")
            .expect("FOLDBACK_TELEGRAM_TEST_API names the package; see tests/peers/telegram");
        let start = format!(
            // Its constructor takes a port of 0 for none, and puts its default there.
            "const api = new (require({package:?}))({{host: '127.0.0.1'}});
            api.config.port = 0;
            api.start().then(() => console.log('listens on port ' + api.server.address().port));"
        );
        let mut command = Command::new("node");
        command.args(["-e", &start]);
        let process = PeerProcess::start(command, "listens on port ").await;
        let process = process.expect("the server listens");
        let root = format!("http://127.0.0.1:{}", process.port);
        let dir = tempfile::tempdir().unwrap();
        let telegram = Telegram::new(
            ChannelId::new("telegram"),
            profile(platform::TELEGRAM),
            Secret::new(TOKEN),
            &root,
            Folder::new(dir.path(), 60_000_000),
            Arc::new(Hasty),
        );
        Self {
            _process: process,
            root,
            http: reqwest::Client::new(),
            telegram: Arc::new(telegram.unwrap()),
            _dir: dir,
        }
    }

    /// What was said, by whomever.
    async fn history(&self) -> reqwest::Result<Value> {
        let request = self.http.post(format!("{}/getUpdatesHistory", self.root));
        let history: Value = request
            .json(&json!({ "token": TOKEN }))
            .send()
            .await?
            .json()
            .await?;
        Ok(history["result"].clone())
    }

    async fn ana_writes(&self, text: &str) {
        let message = json!({
            "botToken": TOKEN, "text": text, "date": 1_700_000_000,
            "from": {"id": 7, "first_name": "Ana", "username": "ana", "is_bot": false},
            "chat": {"id": CHAT, "first_name": "Ana", "type": "private"},
        });
        let request = self.http.post(format!("{}/sendMessage", self.root));
        request
            .json(&message)
            .send()
            .await
            .unwrap()
            .error_for_status()
            .unwrap();
    }

    async fn perform(
        &self,
        operation: Operation,
    ) -> Result<foldback_channels::Ack, foldback_channels::Refusal> {
        self.telegram.perform(call(target(CHAT, None), operation)).await
    }
}

#[tokio::test]
async fn what_is_written_comes_in_and_the_wait_for_it_is_no_rush() {
    let peer = Peer::start().await;
    let mut run = Run::of(&peer.telegram);
    let mut texts = Vec::new();
    while texts.len() < 2 {
        match run.next().await {
            Signal::State {
                state: ChannelState::Up,
                ..
            } => {
                peer.ana_writes("Hello *there*").await;
                peer.ana_writes("and again").await;
            }
            Signal::Message(arrival) => {
                let message = arrival.message;
                assert_eq!(
                    (message.chat.as_str(), message.sender.id.as_str()),
                    ("4611686018", "7")
                );
                texts.push(message.text);
                arrival.kept.unwrap().send(()).unwrap();
            }
            _ => {}
        }
    }
    assert_eq!(texts, ["Hello *there*", "and again"]);
    run.end().await;
}

#[tokio::test]
async fn what_is_sent_is_there_as_it_was_rendered() {
    let peer = Peer::start().await;
    let ack = peer.perform(said("Here it is, **Ana** & co")).await.unwrap();
    assert!(ack.message.is_some());
    let history = peer.history().await.unwrap();
    let sent = &history[0]["message"];
    assert_eq!(sent["text"], "Here it is, <b>Ana</b> &amp; co");
    assert_eq!(
        (&sent["parse_mode"], sent["chat_id"].to_string().trim_matches('"')),
        (&json!("HTML"), "4611686018")
    );
}

#[tokio::test]
async fn what_it_does_not_know_is_a_refusal_with_a_reason() {
    let peer = Peer::start().await;
    let missing = Operation::Delete {
        message: "999".into(),
    };
    let refusal = peer.perform(missing).await.unwrap_err();
    assert_ne!(refusal.code, RefusalCode::RateLimited);
    assert!(refusal.detail.contains("wasn't found"), "{refusal}");
    let refusal = peer.perform(Operation::Typing).await.unwrap_err();
    assert!(
        !refusal.detail.is_empty() && !refusal.detail.contains(TOKEN),
        "{refusal}"
    );
}
