//! Many chats at once, and few descriptors.

use crate::bot::{Home, is};
use foldback_agents::strict_server::{Gate, Insists, Piece, Reply, StrictServer, event};
use foldback_channels::{RemoteLoopback, platform, profile, read_log, serve, sim::SimPlatform};
use foldback_pipeline::TokioClock;
use foldback_wire::{ChatType, Clock, Inbound, Operation, Sender};
use serde_json::json;
use std::{collections::BTreeMap, fs::File, net::SocketAddr, path::Path, sync::Arc};
use tokio::{net::TcpListener, runtime::Runtime};
use tokio_util::sync::CancellationToken;

const CHATS: usize = 1_500;

/// A simulated platform of this process.
struct Slack {
    door: RemoteLoopback,
    address: SocketAddr,
    clock: Arc<dyn Clock>,
}

impl Slack {
    async fn start(log: &Path) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(TokioClock::system());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let platform = SimPlatform::new(profile(platform::SLACK));
        let log = File::create(log).unwrap();
        let serving = serve(
            listener,
            platform,
            log,
            Arc::clone(&clock),
            CancellationToken::new(),
        );
        tokio::spawn(async { serving.await.unwrap() });
        let door = RemoteLoopback::new(profile(platform::SLACK), address, Arc::clone(&clock), None);
        Self { door, address, clock }
    }

    /// Somebody who has not written before asks something in a chat of their own.
    async fn ask(&self, number: usize) {
        let sender = Sender {
            id: format!("U{number}").into(),
            name: format!("u{number}"),
            display_name: format!("User {number}"),
            is_bot: false,
        };
        let asked = Inbound {
            channel: "slack".into(),
            account: None,
            chat: format!("D{number}").into(),
            chat_type: ChatType::Direct,
            thread: None,
            message: format!("1700000000.{number:06}").into(),
            reply_to: None,
            sender,
            text: format!("question {number}"),
            mentioned: false,
            forwarded: false,
            files: Vec::new(),
            at: self.clock.now(),
            dry_run: false,
            at_by_device: false,
            omitted: None,
            context: None,
        };
        self.door.inject(asked).await.unwrap();
    }
}

/// An agent that answers each of so many requests once its gate is open.
fn answers(server: &StrictServer, count: usize) -> Vec<Gate> {
    let chunk = |delta: serde_json::Value, end: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": end});
        let object = "chat.completion.chunk";
        event(
            &json!({"id": "c", "object": object, "created": 1, "model": "m", "choices": [choice]})
                .to_string(),
        )
    };
    let gates: Vec<Gate> = (0..count).map(|_| Gate::default()).collect();
    for gate in &gates {
        server.reply(Reply::stream([
            Piece::Wait(gate.clone()),
            chunk(json!({"content": "An answer."}), None),
            chunk(json!({}), Some("stop")),
            event("[DONE]"),
        ]));
    }
    gates
}

#[test]
fn of_1500_chats_at_1024_descriptors_everybody_is_answered_once() {
    let runtime = Runtime::new().unwrap();
    let home = Home::new();
    let log = home.path("slack.log");
    let (slack, server) = runtime.block_on(async {
        let server = StrictServer::start(Insists::on_model("m")).await.unwrap();
        (Slack::start(&log).await, server)
    });
    home.write(
        "foldback.toml",
        &format!(
            "[agent]\nbackend = \"openai\"\nidle_timeout = \"1h\"\n\
             [agent.openai]\nbase_url = \"{}\"\nmodel = \"m\"\ntimeout = \"1h\"\n\
             [channels.slack]\nkind = \"loopback\"\napi_root = \"tcp://{}\"\narmed = true\nallow_from = [\"*\"]\n\
             [output]\ndisable = [\"preview\"]\n",
            server.base_url(),
            slack.address
        ),
    );
    let gates = answers(&server, CHATS);

    let mut bot = home.serve_limited("-n 1024", &["--events"]);
    bot.until(is("started"));
    runtime.block_on(async {
        for number in 0..CHATS {
            slack.ask(number).await;
        }
    });
    // All of them ask before anybody is answered, however long a busy machine takes for it.
    for _ in 0..CHATS {
        bot.until(is("received"));
    }
    for gate in &gates {
        gate.open();
    }
    for _ in 0..CHATS {
        bot.until(is("turn_ended"));
    }
    assert_eq!(bot.term(), 0);

    let ends = bot.seen.iter().filter(|line| is("turn_ended")(line));
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    for end in ends {
        let state = end["kind"]["terminal"]["state"].as_str().unwrap();
        *states.entry(state).or_default() += 1;
    }
    assert_eq!(states, BTreeMap::from([("replied", CHATS)]));
    let mut answered: BTreeMap<String, usize> = BTreeMap::new();
    for record in read_log(&log).unwrap() {
        if matches!(&record.call.operation, Operation::SendText { text, .. } if text == "An answer.") {
            *answered.entry(record.call.target.chat.to_string()).or_default() += 1;
        }
    }
    assert_eq!(answered.len(), CHATS);
    assert!(answered.values().all(|times| *times == 1), "{answered:?}");

    // `kind:queued` finds everybody who had to wait for a run.
    let waited = home.journal("kind:queued");
    assert_eq!(waited.len(), CHATS - 64, "64 run at once");
    assert!(
        waited.iter().all(|event| event["kind"]["runs"] == 64),
        "{}",
        waited[0]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_start_raises_the_limit_of_descriptors_as_far_as_it_may() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\n");
    let mut bot = home.serve_limited("-Sn 256 && ulimit -Hn 4096", &["--events"]);
    bot.until(is("started"));
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", bot.id())).unwrap();
    let files = limits
        .lines()
        .find(|line| line.starts_with("Max open files"))
        .unwrap();
    let soft = files.split_whitespace().nth(3);
    assert_eq!(soft, Some("4096"), "{files}");
    assert_eq!(bot.term(), 0);
}
