//! The adapter against the real daemon of signal-cli, which has no account here: `tests/peers/run` says where it is.

use crate::peer_process::PeerProcess;
use crate::place::{ANA, GROUP, Hasty, ME};
use crate::server::{NO_CALLS, rows, say_to};
use crate::shared::calls::{call, said, target};
use crate::shared::run::Run;
use foldback_channels::{ChannelAdapter as _, Folder, Refusal, SignalCli, platform, profile};
use foldback_wire::{ChannelId, ChannelState, FileKind, MessageFlags, Operation, RefusalCode};
use serde_json::json;
use std::process::Command;
use std::sync::Arc;

struct Peer {
    root: String,
    home: tempfile::TempDir,
    _daemon: PeerProcess,
}

impl Peer {
    async fn start() -> Self {
        let signal_cli = std::env::var_os("FOLDBACK_SIGNAL_CLI").expect("tests/peers/run sets it");
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(signal_cli);
        command.arg("--config").arg(home.path()).args([
            "daemon",
            "--tcp=127.0.0.1:0",
            "--receive-mode=manual",
            "--no-receive-stdout",
        ]);
        let daemon = PeerProcess::start(command, "JSON-RPC server on /127.0.0.1:").await;
        let daemon = daemon.expect("the daemon listens");
        Self {
            root: format!("tcp://127.0.0.1:{}", daemon.port),
            home,
            _daemon: daemon,
        }
    }

    fn adapter(&self, account: Option<&str>) -> SignalCli {
        let adapter = SignalCli::new(
            ChannelId::new("signal"),
            profile(platform::SIGNAL),
            account.map(str::to_owned),
            &self.root,
            Folder::new(self.home.path(), 60_000_000),
            Arc::new(Hasty::default()),
        );
        adapter.unwrap()
    }

    /// How a run ends.
    async fn run(&self, account: Option<&str>) -> Refusal {
        let mut run = Run::of(&Arc::new(self.adapter(account)));
        run.until(ChannelState::Down).await;
        run.task.await.unwrap().unwrap_err()
    }

    async fn perform(&self, account: Option<&str>, chat: &str, operation: Operation) -> Refusal {
        let call = call(target(chat, None), operation);
        self.adapter(account).perform(call).await.unwrap_err()
    }
}

#[tokio::test]
async fn the_real_daemon_is_understood() {
    let peer = Peer::start().await;
    let refusal = peer.run(None).await;
    assert_eq!(
        refusal.detail,
        "signal-cli has no account; register or link one there"
    );
    let refusal = peer.run(Some(ME)).await;
    assert_eq!(
        refusal.detail,
        format!("signal-cli has no account {ME}; register or link it there")
    );

    // The largest file is read to its end, and only then is its account found missing.
    let large = std::fs::File::create(peer.home.path().join("large.bin")).unwrap();
    large.set_len(14_999_000).unwrap();
    let file = Operation::SendFile {
        path: "large.bin".into(),
        kind: FileKind::File,
        caption: Some("all of it".into()),
        reply_to: None,
        checked: None,
        flags: MessageFlags::default(),
    };
    let react = Operation::React {
        message: format!("1763712345678:{ANA}").into(),
        emoji: "👍".into(),
        emoji_sent: "👍".into(),
    };
    let delete = Operation::Delete {
        message: "1763712345678".into(),
    };
    for operation in [said("hi"), file, react, delete, Operation::Typing] {
        for (account, words) in [
            (None, "Method requires valid account parameter"),
            (Some(ME), "Specified account does not exist"),
        ] {
            for chat in [ANA.to_owned(), format!("group:{GROUP}")] {
                let refusal = peer.perform(account, &chat, operation.clone()).await;
                assert_eq!(
                    (refusal.code, refusal.maybe_done),
                    (RefusalCode::Unauthorized, false),
                    "{refusal}"
                );
                assert!(refusal.detail.starts_with(words), "{refusal}");
            }
        }
    }

    // Our strict server refuses as it does. A request without an id it does not answer at all.
    for (line, code, _) in rows(NO_CALLS).filter(|(.., said)| !said.contains("without an id")) {
        // The page says that every request is an object; arrays are taken here all the same.
        if line.ends_with("\"params\":[]}") {
            continue;
        }
        let answer = say_to(&peer.root, line).await.unwrap();
        if line.contains("\"method\":7") {
            // A number is as good as a name that is unknown.
            assert_eq!(answer["error"]["code"], -32_601);
            continue;
        }
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    let long = |len: usize| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "send", "params": {"message": "x".repeat(len)}})
            .to_string()
    };
    assert!(say_to(&peer.root, &long(20_000_000)).await.is_some());
    assert_eq!(
        say_to(&peer.root, &long(20_000_001)).await,
        None,
        "it closes the connection"
    );

    let subscribe = json!({"jsonrpc": "2.0", "id": 1, "method": "subscribeReceive"}).to_string();
    assert_eq!(say_to(&peer.root, &subscribe).await.unwrap()["result"], 0);
}
