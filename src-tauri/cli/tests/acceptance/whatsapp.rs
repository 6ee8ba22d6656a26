//! `foldback serve` on WhatsApp, against a strict Cloud API.

use crate::bot::{Bot, Home, is};
use foldback_strict::Mishap;
use foldback_strict::whatsapp::{Credentials, WhatsAppServer, sign};
use serde_json::json;
use std::io::{Read, Write};
use std::time::Duration;

const NUMBER: &str = "106540352242922";
const TOKEN: &str = "EAAJBxyzTokenOfTheWhatsAppTest";
const APP_SECRET: &str = "c0ffeec0ffeeAppSecretOfTheTest";
const VERIFY: &str = "VerifyWordOfTheTest";
const ANA: &str = "16505551234";

const SCRIPT: &str = r#"
- agent:
    - "<actions>\n  <react emoji=\"eyes\" />\n  <send-file path=\"report.txt\" caption=\"The *report*\" />\n"
    - "</actions>\nHere it is, **Ana**:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
"#;

struct Place {
    home: Home,
    server: WhatsAppServer,
    runtime: tokio::runtime::Runtime,
}

fn config(armed: bool, root: &str) -> String {
    format!(
        "[agent.script]\nfile = \"script.yaml\"\n[files]\nsend_dir = \"out\"\n\
         [channels.whatsapp]\narmed = {armed}\nallow_from = [\"{ANA}\"]\naccount = \"{NUMBER}\"\n\
         token = {{ file = \"token\" }}\nsigning_secret = {{ file = \"secret\" }}\n\
         verify_token = {{ file = \"verify\" }}\nlisten = \"127.0.0.1:0\"\napi_root = \"{root}\"\n"
    )
}

fn place(armed: bool) -> Place {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let credentials = Credentials {
        number: NUMBER.into(),
        token: TOKEN.into(),
        app_secret: APP_SECRET.into(),
    };
    let server = runtime.block_on(WhatsAppServer::start(credentials)).unwrap();
    let home = Home::with(&config(armed, &server.root()));
    home.write("script.yaml", SCRIPT);
    home.write("token", &format!("{TOKEN}\n"));
    home.write("secret", &format!("{APP_SECRET}\n"));
    home.write("verify", &format!("{VERIFY}\n"));
    std::fs::create_dir(home.path("out")).unwrap();
    home.write("out/report.txt", "42");
    Place {
        home,
        server,
        runtime,
    }
}

impl Place {
    /// A bot whose webhook is registered, and where that is.
    fn serve(&self) -> (Bot, String) {
        let mut bot = self.home.serve(&["--events", "--commands"]);
        let up = bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "up");
        let why = bot.seen[up]["kind"]["why"].as_str().unwrap();
        let callback = format!("http://{}/", why.rsplit_once(' ').unwrap().1);
        let registered = self.server.register(&callback, VERIFY);
        self.runtime.block_on(registered).unwrap();
        (bot, callback)
    }

    fn write(&self, from: &str, text: &str) -> String {
        self.server
            .write(from, json!({"type": "text", "text": {"body": text}}))
    }

    /// Whether the bot has sent nothing.
    fn is_silent(&self, chat: &str) -> bool {
        let messages = self.server.messages(chat);
        messages.iter().all(|(_, message)| !message.by_us)
    }
}

#[test]
fn a_message_is_answered_with_a_reaction_a_file_and_styled_text() {
    let place = place(true);
    let (mut bot, _) = place.serve();
    let theirs = place.write(ANA, "The report, please");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    let messages = place.server.messages(ANA);
    let (id, first) = &messages[0];
    assert_eq!((id, first.reaction.as_deref()), (&theirs, Some("👀")));
    assert!(
        first.read && place.server.typing(ANA) > 0,
        "typing was shown under it"
    );
    let [(_, file), (_, text)] = &messages[1..] else {
        panic!("a file and a text: {messages:#?}");
    };
    assert_eq!(file.media.as_ref().unwrap().bytes, b"42");
    assert_eq!(
        (file.kind.as_str(), file.filename.as_deref(), file.text.as_str()),
        ("document", Some("report.txt"), "The _report_")
    );
    assert_eq!(text.text, "Here it is, *Ana*:\n\n```\na | b\n--+--\n1 | 2\n```");
    assert_eq!(place.server.broken(), []);
    let traces = place.home.traces(&bot);
    for secret in [TOKEN, APP_SECRET, VERIFY] {
        assert!(!traces.contains(secret), "{secret} left a trace");
    }
}

#[test]
fn a_webhook_that_comes_again_is_answered_once() {
    let place = place(true);
    place.server.repeat(2);
    let (mut bot, _) = place.serve();
    place.write(ANA, "The report, please");
    // In any order: a repetition may end before the answer is sent.
    let mut ends: Vec<_> = (0..3)
        .map(|_| {
            let end = bot.until(is("turn_ended"));
            bot.seen[end]["kind"]["terminal"]["state"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    ends.sort();
    assert_eq!(ends, ["duplicate", "duplicate", "replied"]);
    assert_eq!(bot.term(), 0);
    let sent = place.server.messages(ANA);
    assert_eq!(
        sent.iter().filter(|(_, message)| message.by_us).count(),
        2,
        "{sent:#?}"
    );
}

#[test]
fn a_message_that_fails_later_is_in_the_journal_with_its_reason() {
    let place = place(true);
    place.server.fail_late(ANA);
    place.server.close(ANA, true);
    let (mut bot, _) = place.serve();
    place.write(ANA, "The report, please");
    let later = |event: &serde_json::Value| {
        let detail = event["kind"]["detail"].as_str().unwrap_or_default();
        is("undelivered")(event) && detail.contains("(#131047)")
    };
    // The reaction, the file and the text.
    for _ in 0..3 {
        let at = bot.until(later);
        let detail = bot.seen[at]["kind"]["detail"].as_str().unwrap();
        assert!(detail.contains("ask them to write again"), "{detail}");
    }
    assert_eq!(bot.term(), 0);
    let lost = place
        .home
        .journal("channel:whatsapp kind:undelivered outcome:failed");
    assert_eq!(lost.len(), 3, "{lost:#?}");
    for event in &lost {
        assert!(event["turn"].is_u64(), "{event}");
        assert!(
            event["kind"]["message"].as_str().unwrap().starts_with("wamid."),
            "{event}"
        );
    }
}

#[test]
fn how_far_an_answer_has_come_is_in_the_journal_also_after_a_restart() {
    let place = place(true);
    let (mut bot, _) = place.serve();
    place.write(ANA, "The report, please");
    bot.until(is("turn_ended"));
    let messages = place.server.messages(ANA);
    let [(_, _), (file, _), (text, _)] = &messages[..] else {
        panic!("a file and a text: {messages:#?}");
    };
    let came = |message: &str, receipt: &str| {
        let (message, receipt) = (message.to_owned(), receipt.to_owned());
        move |event: &serde_json::Value| {
            let kind = &event["kind"];
            is("receipt")(event) && kind["message"] == *message && kind["receipt"] == *receipt
        }
    };
    // Doubled, and out of order.
    for status in ["read", "delivered", "read"] {
        place.server.reach(ANA, ANA, text, status);
    }
    place.server.reach(ANA, ANA, file, "delivered");
    bot.until(came(file, "delivered"));
    assert_eq!(bot.term(), 0);
    let (mut bot, _) = place.serve();
    place.server.reach(ANA, ANA, text, "delivered");
    place.server.reach(ANA, ANA, file, "read");
    bot.until(came(file, "read"));
    assert_eq!(bot.term(), 0);
    let receipts = place.home.journal("channel:whatsapp kind:receipt");
    let of = |message: &str| -> Vec<_> {
        let about = receipts
            .iter()
            .filter(|event| event["kind"]["message"] == *message);
        about
            .map(|event| {
                let kind = &event["kind"];
                assert!(event["turn"].is_u64() && kind["op"].is_u64(), "{event}");
                assert_eq!(kind["when"], "2025-06-15T15:06:40.000Z", "{event}");
                assert!(
                    !kind.to_string().contains(ANA),
                    "who read it is not told: {event}"
                );
                kind["receipt"].as_str().unwrap()
            })
            .collect()
    };
    assert_eq!(
        (of(file), of(text)),
        (vec!["sent", "delivered", "read"], vec!["sent", "read"])
    );
    assert_eq!(receipts.len(), 5, "the reaction is no message: {receipts:#?}");
    assert_eq!(place.server.broken(), []);
}

#[test]
fn a_channel_that_is_not_armed_sends_nothing() {
    let place = place(false);
    let (mut bot, _) = place.serve();
    let theirs = place.write(ANA, "The report, please");
    bot.until(|event| is("ended")(event) && event["kind"]["outcome"]["code"] == "dry_run");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    assert!(place.is_silent(ANA));
    let [(id, message)] = &place.server.messages(ANA)[..] else {
        panic!("one message");
    };
    assert_eq!((id, message.read), (&theirs, false), "nothing is marked as read");
}

#[test]
fn who_is_not_let_in_is_not_answered_and_who_forges_is_not_heard() {
    let place = place(true);
    let (mut bot, callback) = place.serve();
    let forged = json!({"object": "whatsapp_business_account", "entry": []}).to_string();
    let signature = sign("another secret", forged.as_bytes());
    let address = callback.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST / HTTP/1.1\r\nhost: {address}\r\nx-hub-signature-256: {signature}\r\ncontent-length: {}\r\n\r\n{forged}",
        forged.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "degraded");
    place.write("16505559999", "Hello?");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    assert!(place.is_silent("16505559999"));
}

#[test]
fn what_is_missing_is_said_with_what_to_do() {
    let whole = config(true, "https://graph.facebook.com/v26.0");
    for (key, said) in [
        ("token", "channels.whatsapp.token is missing; write a reference"),
        (
            "account",
            "channels.whatsapp.account is missing; write the id of the phone number",
        ),
        (
            "signing_secret",
            "channels.whatsapp.signing_secret is missing; write a reference",
        ),
        (
            "verify_token",
            "channels.whatsapp.verify_token is missing; write a reference",
        ),
        (
            "listen",
            "channels.whatsapp.listen is missing; write where webhooks arrive",
        ),
    ] {
        let without: Vec<_> = whole.lines().filter(|line| !line.starts_with(key)).collect();
        let home = Home::with(&without.join("\n"));
        for name in ["token", "secret", "verify"] {
            home.write(name, "x");
        }
        home.write("script.yaml", SCRIPT);
        let ran = home.run(&["serve"]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "{key}: {}", ran.stderr);
    }
}

#[test]
fn a_token_that_is_refused_leaves_the_channel_down_and_the_bot_running() {
    let place = place(true);
    place.home.write("token", "EAAJBanother");
    let mut bot = place.home.serve(&["--events"]);
    let down = bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "down");
    let why = bot.seen[down]["kind"]["why"].as_str().unwrap();
    assert!(why.contains("the access token has expired"), "{why}");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(bot.term(), 0);
}

#[test]
fn trouble_leaves_no_trace_of_a_secret_anywhere() {
    let place = place(true);
    let (mut bot, _) = place.serve();
    for mishap in [
        Mishap::Failed,
        Mishap::FailedAfter,
        Mishap::Broken,
        Mishap::Lost,
        Mishap::RateLimited(Duration::from_millis(10)),
    ] {
        place.server.plan("messages", mishap);
        place.write(ANA, "Hello?");
        bot.until(is("turn_ended"));
    }
    bot.ask_all();
    assert_eq!(bot.term(), 0);
    let traces = place.home.traces(&bot);
    assert!(traces.contains("Hello?"), "what was said left traces");
    for secret in [TOKEN, APP_SECRET, VERIFY] {
        assert!(!traces.contains(secret), "{secret} left a trace");
    }
}
