//! `foldback serve` on Telegram, against a strict Bot API.

use crate::bot::{Bot, Home, is};
use foldback_strict::Mishap;
use foldback_strict::telegram::TelegramServer;
use serde_json::json;
use std::time::Duration;

const TOKEN: &str = "700001:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
const CHAT: i64 = 42;

const SCRIPT: &str = r#"
- agent:
    - "<actions>\n  <react emoji=\"eyes\" />\n  <send-file path=\"report.txt\" caption=\"The *report*\" />\n"
    - "</actions>\nHere it is, **Ana**:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
"#;

struct Place {
    home: Home,
    server: TelegramServer,
    _runtime: tokio::runtime::Runtime,
}

fn place(armed: bool) -> Place {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let server = runtime
        .block_on(TelegramServer::start(TOKEN, "foldback_bot"))
        .unwrap();
    server.open_chat(CHAT, &[]);
    let home = Home::with(&format!(
        "[agent.script]\nfile = \"script.yaml\"\n[files]\nsend_dir = \"out\"\n\
         [channels.telegram]\narmed = {armed}\nallow_from = [\"7\"]\ntoken = {{ file = \"token\" }}\n\
         api_root = \"{}\"\n",
        server.root()
    ));
    home.write("script.yaml", SCRIPT);
    home.write("token", &format!("{TOKEN}\n"));
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
        let mut bot = self.home.serve(&["--events", "--commands"]);
        bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "up");
        bot
    }

    fn write(&self, from: i64, text: &str) -> i64 {
        let sender = json!({"id": from, "is_bot": false, "first_name": "Ana"});
        self.server
            .write(CHAT, json!({"from": sender, "date": 1_700_000_000, "text": text}))
    }

    /// Whether the bot has sent nothing.
    fn is_silent(&self) -> bool {
        let messages = self.server.messages(CHAT);
        messages.iter().all(|(_, message)| !message.by_bot)
    }
}

#[test]
fn a_message_is_answered_with_a_reaction_a_file_and_rendered_text() {
    let place = place(true);
    let mut bot = place.serve();
    let theirs = place.write(7, "The report, please");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    let messages = place.server.messages(CHAT);
    let (id, first) = &messages[0];
    assert_eq!((*id, first.reaction.as_deref()), (theirs, Some("👀")));
    let answers: Vec<_> = messages.iter().filter(|(_, message)| message.by_bot).collect();
    let [(_, file), (_, text)] = answers.as_slice() else {
        panic!("a file and a text: {answers:#?}");
    };
    assert_eq!(file.file.as_ref().unwrap().bytes, b"42");
    assert_eq!(file.raw, "The <i>report</i>");
    assert_eq!(
        text.raw,
        "Here it is, <b>Ana</b>:\n\n<pre>a | b\n--+--\n1 | 2</pre>"
    );
    assert_eq!(place.server.broken(), []);
    let token = &TOKEN[8..];
    assert!(!place.home.traces(&bot).contains(token), "the token left a trace");
}

#[test]
fn a_channel_that_is_not_armed_sends_nothing() {
    let place = place(false);
    let mut bot = place.serve();
    place.write(7, "The report, please");
    let ended = bot.until(|event| is("ended")(event) && event["kind"]["outcome"]["code"] == "dry_run");
    assert!(ended > 0);
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    assert!(place.is_silent());
    assert_eq!(place.server.actions(CHAT), 0);
}

#[test]
fn who_is_not_let_in_is_not_answered() {
    let place = place(true);
    let mut bot = place.serve();
    place.write(8, "Hello?");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    assert!(place.is_silent());
}

#[test]
fn a_missing_token_is_said_with_what_to_do() {
    for (line, said) in [
        ("", "channels.telegram.token is missing; write a reference"),
        (
            "token = { file = \"foldback.toml\" }\napi_root = \"http://example.org\"",
            "the token would travel in the open",
        ),
    ] {
        let home = Home::with(&format!("[channels.telegram]\n{line}\n"));
        let ran = home.run(&["serve"]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "{line}: {}", ran.stderr);
    }
}

#[test]
fn a_token_that_cannot_be_had_leaves_the_channel_down_and_the_bot_running() {
    for (line, said) in [
        (
            "token = { env = \"FOLDBACK_NO_SUCH\" }",
            "FOLDBACK_NO_SUCH is not set",
        ),
        ("token = { file = \"none\" }", "none cannot be read"),
    ] {
        let home = Home::with(&format!("[channels.telegram]\n{line}\n"));
        let mut bot = home.serve(&["--events"]);
        let down = bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "down");
        let why = bot.seen[down]["kind"]["why"].as_str().unwrap();
        assert!(
            why.contains("channels.telegram.token") && why.contains(said),
            "{why}"
        );
        assert_eq!(bot.term(), 0);
    }
}

#[test]
fn a_token_that_is_refused_leaves_the_channel_down_and_the_bot_running() {
    let place = place(true);
    place.home.write("token", "700001:wrong");
    let mut bot = place.home.serve(&["--events"]);
    let down = bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "down");
    let why = bot.seen[down]["kind"]["why"].as_str().unwrap();
    assert!(why.contains("Telegram refuses the token"), "{why}");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(bot.term(), 0);
}

#[test]
fn trouble_leaves_no_trace_of_a_secret_anywhere() {
    let place = place(true);
    let mut bot = place.serve();
    for mishap in [
        Mishap::Failed,
        Mishap::FailedAfter,
        Mishap::Broken,
        Mishap::Lost,
        Mishap::RateLimited(Duration::from_millis(10)),
    ] {
        place.server.plan("sendMessage", mishap);
        place.write(7, "Hello?");
        bot.until(is("turn_ended"));
    }
    bot.ask_all();
    assert_eq!(bot.term(), 0);
    let traces = place.home.traces(&bot);
    assert!(traces.contains("Hello?"), "what was said left traces");
    assert!(!traces.contains(&TOKEN[8..]), "the token left a trace");
}
