//! `foldback serve` on Signal, against a strict daemon of signal-cli.

use crate::bot::{Bot, Home, is};
use foldback_strict::signal::{SignalServer, Start};
use serde_json::json;

const ME: &str = "+4915500000001";
const ANA: &str = "+33123456789";
const BEN: &str = "+33987654321";
const GROUP: &str = "Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI=";

const SCRIPT: &str = r#"
- agent:
    - "<actions>\n  <react emoji=\"eyes\" />\n  <send-file path=\"report.txt\" caption=\"The *report*\" />\n"
    - "</actions>\n[[reply_to_current]]Here it is, **Ana**:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
"#;

struct Place {
    home: Home,
    server: SignalServer,
    _runtime: tokio::runtime::Runtime,
}

fn place(armed: bool) -> Place {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let start = Start {
        accounts: vec![ME.into()],
        ..Start::default()
    };
    let server = runtime.block_on(SignalServer::start(start)).unwrap();
    server.register(ANA, "7ccae375-cd51-4c82-8b1e-7be3280aa485", "Ana");
    server.register(BEN, "0aa5a8e0-9b0c-4a43-8a4f-2f0f2d7f6b11", "Ben");
    server.open_group(GROUP, &[ME, ANA, BEN]);
    let home = Home::with(&format!(
        "[agent.script]\nfile = \"script.yaml\"\n[files]\nsend_dir = \"out\"\n\
         [channels.signal]\narmed = {armed}\nrequire_mention = false\nallow_from = [\"{ANA}\"]\naccount = \"{ME}\"\napi_root = \"{}\"\n",
        server.root()
    ));
    home.write("script.yaml", SCRIPT);
    std::fs::create_dir(home.path("out")).unwrap();
    home.write("out/report.txt", "42");
    Place {
        home,
        server,
        _runtime: runtime,
    }
}

impl Place {
    fn serve(&self) -> Bot {
        let mut bot = self.home.serve(&["--events"]);
        bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "up");
        bot
    }

    fn write(&self, from: &str, group: Option<&str>, text: &str) -> i64 {
        self.server.write(from, group, json!({"message": text}))
    }

    /// Whether nothing has left, not even a sign that something was read.
    fn is_silent(&self) -> bool {
        let untouched = |chat: &str| {
            let messages = self.server.messages(chat);
            messages
                .iter()
                .all(|posted| posted.author.is_some() && posted.reaction.is_none() && !posted.read)
        };
        [ANA, BEN, GROUP]
            .iter()
            .all(|chat| untouched(chat) && self.server.typing(chat) == 0)
    }
}

#[test]
fn a_message_is_answered_with_a_reaction_a_file_and_plain_text() {
    let place = place(true);
    let mut bot = place.serve();
    for (chat, group) in [(ANA, None), (GROUP, Some(GROUP))] {
        let theirs = place.write(ANA, group, "The report, please");
        bot.until(is("turn_ended"));
        let messages = place.server.messages(chat);
        let [asked, file, text] = messages.as_slice() else {
            panic!("a file and a text: {messages:#?}");
        };
        assert_eq!(
            (asked.sent, asked.reaction.as_deref(), asked.read),
            (theirs, Some("👀"), true)
        );
        assert_eq!(file.file.as_ref().unwrap().bytes, b"42");
        assert_eq!(file.text, "The report");
        assert_eq!(text.text, "Here it is, Ana:\n\na | b\n--+--\n1 | 2");
        let quoted = (theirs, ANA.to_owned(), "The report, please".to_owned());
        assert_eq!(text.quote, Some(quoted));
    }
    assert_eq!(bot.term(), 0);
    assert_eq!(place.server.broken(), []);
    assert_eq!(place.server.open_connections(), 0);
}

#[test]
fn that_an_answer_was_read_is_in_the_journal() {
    let place = place(true);
    let mut bot = place.serve();
    place.write(ANA, None, "The report, please");
    bot.until(is("turn_ended"));
    let sent = place.server.messages(ANA)[2].sent;
    for (is_read, about) in [(true, vec![sent, 5]), (false, vec![sent, sent - 1])] {
        let receipt = json!({
            "when": sent + 60_000, "isDelivery": !is_read, "isRead": is_read, "isViewed": false, "timestamps": about,
        });
        let envelope = json!({"source": ANA, "sourceNumber": ANA, "timestamp": sent + 60_000, "receiptMessage": receipt});
        place.server.receive(json!({"account": ME, "envelope": envelope}));
    }
    bot.until(is("receipt"));
    assert_eq!(bot.term(), 0);
    let receipts = place.home.journal("channel:signal kind:receipt");
    let id = sent.to_string();
    let told: Vec<_> = receipts
        .iter()
        .filter(|event| event["kind"]["message"] == id)
        .map(|event| (event["turn"].is_u64(), event["kind"]["receipt"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [(true, "read")], "{receipts:#?}");
}

#[test]
fn a_channel_that_is_not_armed_sends_nothing() {
    let place = place(false);
    let mut bot = place.serve();
    place.write(ANA, None, "The report, please");
    bot.until(|event| is("ended")(event) && event["kind"]["outcome"]["code"] == "dry_run");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    assert!(place.is_silent());
}

#[test]
fn who_is_not_let_in_is_not_answered() {
    let place = place(true);
    let mut bot = place.serve();
    for group in [None, Some(GROUP)] {
        place.write(BEN, group, "Hello?");
        bot.until(is("turn_ended"));
    }
    assert_eq!(bot.term(), 0);
    assert!(place.is_silent());
}

#[test]
fn what_arrives_while_the_bot_is_off_is_answered_later() {
    let place = place(true);
    let theirs = place.write(ANA, None, "The report, please");
    let mut bot = place.serve();
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    let messages = place.server.messages(ANA);
    assert_eq!((messages.len(), messages[0].sent), (3, theirs));
}

#[test]
fn a_wrong_address_is_said_with_what_to_do() {
    for (root, said) in [
        ("tcp://192.168.1.2:7583", "tunnel the port with ssh -L"),
        (
            "http://127.0.0.1:8080",
            "it must be tcp://127.0.0.1:7583 or unix:///path",
        ),
        ("tcp://127.0.0.1", "it lacks a port"),
    ] {
        let home = Home::with(&format!("[channels.signal]\napi_root = \"{root}\"\n"));
        let ran = home.run(&["serve"]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("channels.signal: api_root") && ran.stderr.contains(said),
            "{root}: {}",
            ran.stderr
        );
    }
}

#[test]
fn an_account_that_signal_cli_lacks_leaves_the_channel_down_and_the_bot_running() {
    let place = place(true);
    place.home.write(
        "foldback.toml",
        &format!(
            "[channels.signal]\nallow_from = [\"{ANA}\"]\naccount = \"{BEN}\"\napi_root = \"{}\"\n",
            place.server.root()
        ),
    );
    let mut bot = place.home.serve(&["--events"]);
    let down = bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "down");
    let why = bot.seen[down]["kind"]["why"].as_str().unwrap();
    assert!(
        why.contains("signal-cli has no account +33987654321; register or link it there"),
        "{why}"
    );
    assert_eq!(bot.term(), 0);
}
