//! The strict server refuses what the Bot API refuses.

use crate::place::{CHAT, FORUM, Place, TOKEN};
use crate::shared::wrong::{filled, stand_below};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

struct Client<'a> {
    place: &'a Place,
    http: reqwest::Client,
}

impl<'a> Client<'a> {
    fn of(place: &'a Place) -> Self {
        let http = reqwest::Client::new();
        Self { place, http }
    }

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

/// Method, JSON, and what the refusal says; the code is 400. Names in capitals stand for what the test puts in.
const WRONG: &str = r#"
sendMessage {"text":"x"} chat_id is empty
sendMessage {"chat_id":1,"text":"x"} chat not found
sendMessage {"chat_id":4.5,"text":"x"} must be an integer
sendMessage {"chat_id":1e18,"text":"x"} must be an integer
sendMessage {"chat_id":[],"text":"x"} must be an integer
sendMessage {"chat_id":CHAT} text is empty
sendMessage {"chat_id":CHAT,"text":" \n"} text is empty
sendMessage {"chat_id":CHAT,"text":"LONG"} message is too long
sendMessage {"chat_id":CHAT,"text":"WIDE"} message is too long
sendMessage {"chat_id":CHAT,"text":"x","txt":1} unknown parameter
sendMessage {"chat_id":CHAT,"text":"x","parse_mode":"html"} unsupported parse_mode
sendMessage {"chat_id":CHAT,"parse_mode":"HTML","text":"<b>x"} Can't find end tag
sendMessage {"chat_id":CHAT,"parse_mode":"HTML","text":"x</b>"} Unexpected end tag
sendMessage {"chat_id":CHAT,"parse_mode":"HTML","text":"<b><i>x</b></i>"} Unmatched end tag
sendMessage {"chat_id":CHAT,"parse_mode":"HTML","text":"<h1>x</h1>"} Unsupported start tag
sendMessage {"chat_id":CHAT,"parse_mode":"HTML","text":"a < b"} Unclosed start tag
sendMessage {"chat_id":CHAT,"parse_mode":"HTML","text":"<a name='x'>x</a>"} Unsupported attributes
sendMessage {"chat_id":CHAT,"parse_mode":"HTML","text":"<blockquote><blockquote>x"} Unsupported attributes
sendMessage {"chat_id":CHAT,"parse_mode":"HTML","text":"<b></b>"} text is empty
sendMessage {"chat_id":CHAT,"text":"x","message_thread_id":7} thread not found
sendMessage {"chat_id":FORUM,"text":"x","message_thread_id":8} thread not found
sendMessage {"chat_id":CHAT,"text":"x","reply_parameters":{"message_id":99}} replied not found
sendMessage {"chat_id":CHAT,"text":"x","reply_parameters":4} can't parse
sendMessage {"chat_id":CHAT,"text":"x","disable_notification":"loud"} must be a Boolean
sendMessage {"chat_id":CHAT,"text":"x","link_preview_options":{"is_disabled":"yes"}} can't parse link_preview_options
editMessageText {"chat_id":CHAT,"message_id":MINE,"text":"x","disable_notification":true} unknown parameter
editMessageText {"chat_id":CHAT,"message_id":99,"text":"x"} edit not found
editMessageText {"chat_id":CHAT,"message_id":THEIRS,"text":"x"} can't be edited
editMessageText {"chat_id":CHAT,"message_id":MINE,"text":"mine"} not modified
editMessageText {"chat_id":CHAT,"message_id":MINE,"text":""} text is empty
deleteMessage {"chat_id":CHAT,"message_id":99} delete not found
deleteMessage {"chat_id":CHAT,"message_id":THEIRS} can't be deleted
setMessageReaction {"chat_id":CHAT,"message_id":THEIRS,"reaction":[{"type":"emoji","emoji":"🦖"}]} REACTION_INVALID
setMessageReaction {"chat_id":CHAT,"message_id":THEIRS,"reaction":[{"type":"emoji","emoji":"❤️"}]} REACTION_INVALID
setMessageReaction {"chat_id":CHAT,"message_id":THEIRS,"reaction":[LIKE,LIKE]} REACTION_INVALID
setMessageReaction {"chat_id":CHAT,"message_id":99,"reaction":[LIKE]} react not found
sendChatAction {"chat_id":CHAT,"action":"thinking"} wrong parameter action
sendDocument {"chat_id":CHAT,"document":"a.txt"} no document
getUpdates {"limit":0} wrong limit
getUpdates {"limit":101} wrong limit
getUpdates {"timeout":-1} wrong limit or timeout
getMe {"verbose":true} unknown parameter
"#;

#[tokio::test]
async fn wrong_calls_are_refused() {
    let place = Place::open().await;
    let theirs = place.server.write(CHAT, json!({"text": "hi", "date": 1}));
    let client = Client::of(&place);
    let (status, _) = client
        .json("sendMessage", &json!({"chat_id": CHAT, "text": "mine"}))
        .await;
    assert_eq!(status, 200);
    let words = [
        ("CHAT", CHAT.to_string()),
        ("FORUM", FORUM.to_string()),
        ("THEIRS", theirs.to_string()),
        ("MINE", (theirs + 1).to_string()),
        ("LONG", "x".repeat(4_097)),
        ("WIDE", "🎉".repeat(2_049)),
        ("LIKE", json!({"type": "emoji", "emoji": "👍"}).to_string()),
    ];
    for (row, filled) in filled(WRONG, &words) {
        let (method, rest) = filled.split_once(' ').unwrap();
        let (body, said) = rest.split_at(rest.rfind('}').unwrap() + 1);
        let answer = client.json(method, &serde_json::from_str(body).unwrap()).await;
        assert!(
            answer.0 == 400 && answer.1.contains(said.trim()),
            "{row}: {answer:?}"
        );
    }
    assert_eq!(place.server.messages(CHAT).len(), 2, "nothing came of any");
    stand_below(&place.server.broken(), "https://core.telegram.org/bots/api#");
}

#[tokio::test]
async fn wrong_files_are_refused() {
    let place = Place::open().await;
    let client = Client::of(&place);
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
    }
    assert_eq!(place.server.messages(CHAT).len(), 0, "nothing came of any");
}

#[tokio::test]
async fn wrong_requests_are_refused() {
    let place = Place::open().await;
    let client = Client::of(&place);
    let root = place.server.root();
    let url = format!("{root}/bot{TOKEN}/getMe");
    let post = |url: &str| client.http.post(url).json(&json!({}));
    let of_type = |kind: &str| client.http.post(&url).header("content-type", kind);
    for (request, code) in [
        (post(&format!("{root}/bot{TOKEN}x/getMe")), 401),
        (post(&format!("{root}/bot/getMe")), 401),
        (post(&format!("{root}/getMe")), 401),
        (post(&format!("{root}/bot{TOKEN}/sendMessag")), 404),
        (client.http.put(&url), 405),
        (of_type("application/json").body("{"), 400),
        (of_type("text/plain").body("x"), 400),
    ] {
        assert_eq!(client.answer(request).await.0, code);
    }
}

#[tokio::test]
async fn one_poll_at_a_time() {
    let place = Place::open().await;
    let client = Client::of(&place);
    let slow = json!({"timeout": 30});
    let (both, poll) = (client.json("getUpdates", &slow), client.json("getUpdates", &slow));
    let first = tokio::select! { answer = both => answer, answer = poll => answer };
    assert_eq!(first.0, 409);
}
