//! The adapter against a Web API by somebody else, to find what our own server and our own adapter get wrong in the
//! same way. Opt-in: `tests/peers/slack` installs it (npm `emulate` 0.12.2) and runs this.

use crate::peer_process::PeerProcess;
use crate::place::{adapter, webhooks};
use crate::shared::calls::{call, reply, target};
use foldback_channels::contract::{Subject, check};
use foldback_channels::{ChannelAdapter, Slack};
use foldback_wire::{FileKind, MessageFlags, Operation};
use serde_json::Value;
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;

/// The channel that it begins with.
const GENERAL: &str = "C000000001";

/// The server as a process, which ends with the test, and an adapter that talks to it.
struct Emulate {
    _process: PeerProcess,
    root: String,
    http: reqwest::Client,
    slack: Arc<Slack>,
    _dir: tempfile::TempDir,
}

impl Emulate {
    async fn start() -> Self {
        let program = std::env::var("FOLDBACK_EMULATE")
            .expect("FOLDBACK_EMULATE names the program; see tests/peers/slack");
        let process = listening(&program).await;
        let root = format!("http://127.0.0.1:{}/api", process.port);
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.ogg"), "OggS").unwrap();
        let slack = adapter(&root, "xoxb-foldback", webhooks(), dir.path()).unwrap();
        let http = reqwest::Client::new();
        Self {
            _process: process,
            root,
            http,
            slack,
            _dir: dir,
        }
    }

    /// Calls a method as somebody else.
    async fn post(&self, method: &str, form: &[(&str, &str)]) -> reqwest::Result<Value> {
        let request = self.http.post(format!("{}/{method}", self.root));
        request
            .bearer_auth("xoxp-ana")
            .form(form)
            .send()
            .await?
            .json()
            .await
    }

    async fn ana_writes(&self) -> String {
        let form = [("channel", GENERAL), ("text", "How are you?")];
        let posted = self.post("chat.postMessage", &form).await.unwrap();
        posted["ts"].as_str().expect("it was sent").to_owned()
    }
}

/// Starts the program, which chooses no port by itself: it ends where its port is taken, and then another one is tried.
async fn listening(program: &str) -> PeerProcess {
    loop {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let port = free.expect("a free port").port().to_string();
        let mut command = Command::new(program);
        command.args(["start", "-s", "slack", "-p", &port]);
        match PeerProcess::start(command, "slack  http://localhost:").await {
            Ok(process) => return process,
            Err(output) => assert!(output.contains("EADDRINUSE"), "{output}"),
        }
    }
}

#[tokio::test]
async fn it_keeps_the_contract() {
    let emulate = Emulate::start().await;
    let theirs = emulate.ana_writes().await;
    let subject = Subject::new(
        emulate.slack.clone(),
        target(GENERAL, None),
        theirs.into(),
        "1600000000.000001".into(),
        "a.ogg",
    );
    check(&subject).await.unwrap();
}

#[tokio::test]
async fn an_answer_and_its_file_stand_in_the_thread() {
    let emulate = Emulate::start().await;
    let theirs = emulate.ana_writes().await;
    for operation in [
        reply("**well** & <!everyone>", &theirs),
        Operation::SendFile {
            path: "a.ogg".into(),
            kind: FileKind::Audio,
            caption: Some("*listen*".into()),
            reply_to: Some(theirs.as_str().into()),
            checked: None,
            flags: MessageFlags::default(),
        },
    ] {
        let call = call(target(GENERAL, None), operation);
        let ack = emulate.slack.perform(call).await.unwrap();
        assert_eq!(ack.warning, None);
    }
    let form = [("channel", GENERAL), ("ts", theirs.as_str())];
    let thread = emulate.post("conversations.replies", &form).await.unwrap();
    let texts: Vec<_> = thread["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["text"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(
        texts,
        ["How are you?", "*well* &amp; &lt;!everyone&gt;", "_listen_"]
    );
    assert_eq!(thread["messages"][2]["files"][0]["name"], "a.ogg");
}
