//! `foldback serve` on Slack, against a strict server of it.

use crate::bot::{Bot, Home, is};
use foldback_strict::slack::SlackServer;
use foldback_strict::{Mishap, free_address};
use serde_json::json;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::runtime::Runtime;

const TOKEN: &str = "xoxb-1234567890-the-bots-own";
const APP_TOKEN: &str = "xapp-1-A0-the-apps-own";
const SIGNING_SECRET: &str = "0123456789abcdef-signing";
const ROOM: &str = "C0GENERAL1";

const SCRIPT: &str = r#"
- agent:
    - "<actions>\n  <react emoji=\"eyes\" />\n  <send-file path=\"report.txt\" caption=\"The *report*\" />\n"
    - "</actions>\nHere it is, **Ana** & <!everyone>:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
"#;

struct Place {
    home: Home,
    server: SlackServer,
    runtime: Runtime,
    /// Where webhooks arrive, where they do.
    listen: Option<SocketAddr>,
}

fn place(armed: bool, webhooks: bool) -> Place {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let server = runtime
        .block_on(SlackServer::start(TOKEN, APP_TOKEN, "foldback"))
        .unwrap();
    server.open_room(ROOM);
    let listen = webhooks.then(|| free_address().unwrap());
    let way = listen.map_or_else(
        || "app_token = { file = \"app_token\" }\n".to_owned(),
        |listen| format!("listen = \"{listen}\"\nsigning_secret = {{ file = \"signing_secret\" }}\n"),
    );
    let home = Home::with(&format!(
        "[agent.script]\nfile = \"script.yaml\"\n[files]\nsend_dir = \"out\"\n\
         [channels.slack]\narmed = {armed}\nallow_from = [\"U0ANA0001\"]\ntoken = {{ file = \"token\" }}\n\
         {way}api_root = \"{}\"\n",
        server.root()
    ));
    home.write("script.yaml", SCRIPT);
    for (name, secret) in [
        ("token", TOKEN),
        ("app_token", APP_TOKEN),
        ("signing_secret", SIGNING_SECRET),
    ] {
        home.write(name, &format!("{secret}\n"));
    }
    std::fs::create_dir(home.path("out")).unwrap();
    home.write("out/report.txt", "42");
    Place {
        home,
        server,
        runtime,
        listen,
    }
}

impl Place {
    fn serve(&self) -> Bot {
        let mut bot = self.home.serve(&["--events", "--commands"]);
        bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "up");
        bot
    }

    /// Somebody writes, and names the bot.
    fn write(&self, from: &str, text: &str) -> String {
        let text = format!("<@{}> {text}", SlackServer::BOT);
        let ts = self.server.write(ROOM, json!({"user": from, "text": text}));
        self.server.tell(
            &json!({"type": "app_mention", "channel": ROOM, "user": from, "text": text, "ts": ts, "event_ts": ts}),
        );
        if let Some(to) = self.listen {
            let answers = self.runtime.block_on(self.server.deliver(to, SIGNING_SECRET));
            assert!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");
        }
        ts
    }

    fn is_silent(&self) -> bool {
        let messages = self.server.messages(ROOM);
        messages
            .iter()
            .all(|(_, message)| !message.by_bot && message.reactions.is_empty())
    }
}

#[test]
fn a_message_is_answered_with_a_reaction_a_file_and_rendered_text() {
    for webhooks in [false, true] {
        let place = place(true, webhooks);
        let mut bot = place.serve();
        let theirs = place.write("U0ANA0001", "The report, please");
        bot.until(is("turn_ended"));
        assert_eq!(bot.term(), 0);
        let messages = place.server.messages(ROOM);
        let (id, first) = &messages[0];
        let reactions: Vec<_> = first.reactions.iter().map(String::as_str).collect();
        assert_eq!((id, reactions), (&theirs, vec!["eyes"]));
        let answers: Vec<_> = messages.iter().filter(|(_, message)| message.by_bot).collect();
        let [(_, file), (_, text)] = answers.as_slice() else {
            panic!("a file and a text, once: {answers:#?}");
        };
        assert_eq!(file.file.as_ref().unwrap().bytes, b"42");
        assert_eq!(file.raw, "The _report_");
        assert_eq!(
            text.raw,
            "Here it is, *Ana* &amp; &lt;!everyone&gt;:\n\n```\na | b\n--+--\n1 | 2\n```"
        );
        assert_eq!(text.calls, [""; 0], "nobody was called");
        assert_eq!(place.server.broken(), []);
        let traces = place.home.traces(&bot);
        for secret in [TOKEN, APP_TOKEN, SIGNING_SECRET, "ticket"] {
            assert!(!traces.contains(secret), "{secret} left a trace");
        }
    }
}

#[test]
fn a_channel_that_is_not_armed_sends_nothing() {
    let place = place(false, false);
    let mut bot = place.serve();
    place.write("U0ANA0001", "The report, please");
    bot.until(|event| is("ended")(event) && event["kind"]["outcome"]["code"] == "dry_run");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    assert!(place.is_silent());
}

#[test]
fn who_is_not_let_in_is_not_answered() {
    let place = place(true, true);
    let mut bot = place.serve();
    place.write("U0EVE0001", "Hello?");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    assert!(place.is_silent());
}

#[test]
fn what_is_missing_is_said_with_what_to_do() {
    let token = "token = { file = \"foldback.toml\" }";
    for (lines, said) in [
        (
            "",
            "channels.slack.app_token is missing; write a reference to the app-level token",
        ),
        (
            "app_token = { file = \"foldback.toml\" }",
            "channels.slack.token is missing; write a reference",
        ),
        (
            "listen = \"127.0.0.1:8090\"",
            "channels.slack.signing_secret is missing; write a reference to the app's signing secret",
        ),
        (
            &format!(
                "{token}\napp_token = {{ file = \"foldback.toml\" }}\napi_root = \"http://example.org\""
            ),
            "the token would travel in the open",
        ),
    ] {
        let home = Home::with(&format!("[channels.slack]\n{lines}\n"));
        let ran = home.run(&["serve"]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "{lines}: {}", ran.stderr);
    }
}

#[test]
fn a_token_that_is_refused_leaves_the_channel_down_and_the_bot_running() {
    let place = place(true, false);
    place.home.write("app_token", "xapp-wrong");
    let mut bot = place.home.serve(&["--events"]);
    let down = bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "down");
    let why = bot.seen[down]["kind"]["why"].as_str().unwrap();
    assert!(
        why.contains("Slack refuses the app: invalid_auth: copy the token again"),
        "{why}"
    );
    assert_eq!(bot.term(), 0);
}

#[test]
fn trouble_leaves_no_trace_of_a_secret_anywhere() {
    let place = place(true, false);
    let mut bot = place.serve();
    for mishap in [
        Mishap::Failed,
        Mishap::FailedAfter,
        Mishap::Broken,
        Mishap::Lost,
        Mishap::RateLimited(Duration::from_millis(10)),
    ] {
        place.server.plan("chat.postMessage", mishap);
        place.write("U0ANA0001", "Hello?");
        bot.until(is("turn_ended"));
    }
    bot.ask_all();
    assert_eq!(bot.term(), 0);
    let traces = place.home.traces(&bot);
    assert!(traces.contains("Hello?"), "what was said left traces");
    for secret in [TOKEN, APP_TOKEN, SIGNING_SECRET] {
        assert!(!traces.contains(secret), "{secret} left a trace");
    }
}
