//! The strict server refuses what the Bot API refuses.

use crate::place::{CHAT, FORUM, Place, TOKEN};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use std::collections::BTreeSet;

struct Client<'a> {
    place: &'a Place,
    http: reqwest::Client,
}

impl Client<'_> {
    async fn json(&self, method: &str, body: &Value) -> (u16, String) {
        let url = format!("{}/bot{TOKEN}/{method}", self.place.server.root());
        self.answer(self.http.post(url).json(body)).await
    }

    async fn form(&self, method: &str, form: Form) -> (u16, String) {
        let url = format!("{}/bot{TOKEN}/{method}", self.place.server.root());
        self.answer(self.http.post(url).multipart(form)).await
    }

    async fn answer(&self, request: reqwest::RequestBuilder) -> (u16, String) {
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["ok"], status == 200, "{body}");
        (
            status,
            body["description"].as_str().unwrap_or_default().to_owned(),
        )
    }
}

fn file(field: &'static str, name: &'static str, len: usize) -> Form {
    Form::new()
        .text("chat_id", CHAT.to_string())
        .part(field, Part::bytes(vec![b'x'; len]).file_name(name))
}

#[tokio::test]
async fn wrong_requests_are_refused() {
    let place = Place::open().await;
    let theirs = place.server.write(CHAT, json!({"text": "hi", "date": 1}));
    let client = Client {
        place: &place,
        http: reqwest::Client::new(),
    };
    let (status, _) = client
        .json("sendMessage", &json!({"chat_id": CHAT, "text": "mine"}))
        .await;
    assert_eq!(status, 200);
    let mine = theirs + 1;
    let long = "x".repeat(4_097);
    let wide = "🎉".repeat(2_049);
    let html = |text: &str| json!({"chat_id": CHAT, "text": text, "parse_mode": "HTML"});
    let react = |reaction: Value| json!({"chat_id": CHAT, "message_id": theirs, "reaction": reaction});
    let emoji = |emoji: &str| json!({"type": "emoji", "emoji": emoji});
    let wrong = [
        ("sendMessag", json!({}), 404, "Not Found"),
        ("sendMessage", json!({"text": "x"}), 400, "chat_id is empty"),
        (
            "sendMessage",
            json!({"chat_id": 1, "text": "x"}),
            400,
            "chat not found",
        ),
        (
            "sendMessage",
            json!({"chat_id": 4.5, "text": "x"}),
            400,
            "must be an integer",
        ),
        (
            "sendMessage",
            json!({"chat_id": 1e18, "text": "x"}),
            400,
            "must be an integer",
        ),
        (
            "sendMessage",
            json!({"chat_id": [], "text": "x"}),
            400,
            "must be an integer",
        ),
        ("sendMessage", json!({"chat_id": CHAT}), 400, "text is empty"),
        (
            "sendMessage",
            json!({"chat_id": CHAT, "text": " \n"}),
            400,
            "text is empty",
        ),
        (
            "sendMessage",
            json!({"chat_id": CHAT, "text": long}),
            400,
            "message is too long",
        ),
        (
            "sendMessage",
            json!({"chat_id": CHAT, "text": wide}),
            400,
            "message is too long",
        ),
        (
            "sendMessage",
            json!({"chat_id": CHAT, "text": "x", "txt": 1}),
            400,
            "unknown parameter",
        ),
        (
            "sendMessage",
            json!({"chat_id": CHAT, "text": "x", "parse_mode": "html"}),
            400,
            "parse_mode",
        ),
        ("sendMessage", html("<b>x"), 400, "Can't find end tag"),
        ("sendMessage", html("x</b>"), 400, "Unexpected end tag"),
        ("sendMessage", html("<b><i>x</b></i>"), 400, "Unmatched end tag"),
        ("sendMessage", html("<h1>x</h1>"), 400, "Unsupported start tag"),
        ("sendMessage", html("a < b"), 400, "Unclosed start tag"),
        (
            "sendMessage",
            html("<a name=\"x\">x</a>"),
            400,
            "Unsupported attributes",
        ),
        (
            "sendMessage",
            html("<blockquote><blockquote>x</blockquote></blockquote>"),
            400,
            "Unsupported attributes",
        ),
        ("sendMessage", html("<b></b>"), 400, "text is empty"),
        (
            "sendMessage",
            json!({"chat_id": CHAT, "text": "x", "message_thread_id": 7}),
            400,
            "thread not found",
        ),
        (
            "sendMessage",
            json!({"chat_id": FORUM, "text": "x", "message_thread_id": 8}),
            400,
            "thread not found",
        ),
        (
            "sendMessage",
            json!({"chat_id": CHAT, "text": "x", "reply_parameters": {"message_id": 99}}),
            400,
            "replied not found",
        ),
        (
            "sendMessage",
            json!({"chat_id": CHAT, "text": "x", "reply_parameters": 4}),
            400,
            "can't parse",
        ),
        (
            "editMessageText",
            json!({"chat_id": CHAT, "message_id": 99, "text": "x"}),
            400,
            "edit not found",
        ),
        (
            "editMessageText",
            json!({"chat_id": CHAT, "message_id": theirs, "text": "x"}),
            400,
            "can't be edited",
        ),
        (
            "editMessageText",
            json!({"chat_id": CHAT, "message_id": mine, "text": "mine"}),
            400,
            "not modified",
        ),
        (
            "editMessageText",
            json!({"chat_id": CHAT, "message_id": mine, "text": ""}),
            400,
            "text is empty",
        ),
        (
            "deleteMessage",
            json!({"chat_id": CHAT, "message_id": 99}),
            400,
            "delete not found",
        ),
        (
            "deleteMessage",
            json!({"chat_id": CHAT, "message_id": theirs}),
            400,
            "can't be deleted",
        ),
        (
            "setMessageReaction",
            react(json!([emoji("🦖")])),
            400,
            "REACTION_INVALID",
        ),
        (
            "setMessageReaction",
            react(json!([emoji("❤️")])),
            400,
            "REACTION_INVALID",
        ),
        (
            "setMessageReaction",
            react(json!([emoji("👍"), emoji("👎")])),
            400,
            "REACTION_INVALID",
        ),
        (
            "setMessageReaction",
            json!({"chat_id": CHAT, "message_id": 99, "reaction": [emoji("👍")]}),
            400,
            "react not found",
        ),
        (
            "sendChatAction",
            json!({"chat_id": CHAT, "action": "thinking"}),
            400,
            "wrong parameter action",
        ),
        (
            "sendDocument",
            json!({"chat_id": CHAT, "document": "a.txt"}),
            400,
            "no document",
        ),
        ("getUpdates", json!({"limit": 0}), 400, "wrong limit"),
        ("getUpdates", json!({"limit": 101}), 400, "wrong limit"),
        (
            "getUpdates",
            json!({"timeout": -1}),
            400,
            "wrong limit or timeout",
        ),
        ("getMe", json!({"verbose": true}), 400, "unknown parameter"),
    ];
    let mut count = 0;
    for (method, body, code, said) in &wrong {
        let answer = client.json(method, body).await;
        assert!(
            answer.0 == *code && answer.1.contains(said),
            "{method} {body}: {answer:?}"
        );
        count += 1;
    }
    let caption = file("document", "a.txt", 1).text("caption", "x".repeat(1_025));
    let elsewhere = Form::new()
        .text("chat_id", "1")
        .part("document", Part::bytes(vec![1]).file_name("a.txt"));
    for (method, form, code, said) in [
        (
            "sendDocument",
            file("photo", "a.txt", 1),
            400,
            "unknown parameter photo",
        ),
        ("sendDocument", file("document", "a.txt", 0), 400, "non-empty"),
        (
            "sendDocument",
            file("document", "a.txt", 50_000_001),
            413,
            "Too Large",
        ),
        ("sendDocument", caption, 400, "caption is too long"),
        ("sendDocument", elsewhere, 400, "chat not found"),
        ("sendPhoto", file("photo", "a.png", 10_000_001), 413, "Too Large"),
        ("sendVoice", file("voice", "a.wav", 1), 400, "wrong type"),
    ] {
        let answer = client.form(method, form).await;
        assert!(
            answer.0 == code && answer.1.contains(said),
            "{method}: {answer:?}"
        );
        count += 1;
    }
    let root = place.server.root();
    for (url, code) in [
        (format!("{root}/bot{TOKEN}x/getMe"), 401),
        (format!("{root}/bot/getMe"), 401),
        (format!("{root}/getMe"), 401),
    ] {
        assert_eq!(
            client.answer(client.http.post(url).json(&json!({}))).await.0,
            code
        );
        count += 1;
    }
    let url = format!("{root}/bot{TOKEN}/getMe");
    for (request, code) in [
        (client.http.put(&url), 405),
        (
            client
                .http
                .post(&url)
                .header("content-type", "application/json")
                .body("{"),
            400,
        ),
        (
            client
                .http
                .post(&url)
                .header("content-type", "text/plain")
                .body("x"),
            400,
        ),
    ] {
        assert_eq!(client.answer(request).await.0, code);
        count += 1;
    }
    assert!(count >= 30, "{count} wrong requests");
    let sources: BTreeSet<_> = place.server.broken().iter().map(|rule| rule.source).collect();
    assert!(
        sources
            .iter()
            .all(|source| source.starts_with("https://core.telegram.org/bots/api#"))
    );
    assert_eq!(place.server.messages(CHAT).len(), 2, "nothing came of any");
}

#[tokio::test]
async fn one_poll_at_a_time() {
    let place = Place::open().await;
    let client = Client {
        place: &place,
        http: reqwest::Client::new(),
    };
    let slow = json!({"timeout": 30});
    let (both, poll) = (client.json("getUpdates", &slow), client.json("getUpdates", &slow));
    let first = tokio::select! { answer = both => answer, answer = poll => answer };
    assert_eq!(first.0, 409);
}
