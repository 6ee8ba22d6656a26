//! The strict server refuses what Slack refuses.

use crate::place::{APP_TOKEN, DIRECT, Place, ROOM, TOKEN, ana};
use crate::shared::run::until;
use crate::shared::wrong::{filled, stand_below};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

struct Client<'a> {
    place: &'a Place,
    http: reqwest::Client,
}

impl<'a> Client<'a> {
    fn of(place: &'a Place) -> Self {
        let http = reqwest::Client::new();
        Self { place, http }
    }

    fn post(&self, method: &str, token: &str) -> reqwest::RequestBuilder {
        let url = format!("{}/{method}", self.place.server.root());
        self.http.post(url).bearer_auth(token)
    }

    /// Calls a method with a form; everything in it is text.
    async fn form(&self, method: &str, body: &Value) -> Value {
        let form: Vec<(String, String)> = body
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                (name.clone(), text)
            })
            .collect();
        self.answer(self.post(method, TOKEN).form(&form)).await
    }

    async fn answer(&self, request: reqwest::RequestBuilder) -> Value {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        response.json().await.unwrap()
    }
}

/// Method, arguments, and the error. Names in capitals stand for what the test puts in.
const WRONG: &str = r#"
chat.postMessage {"text":"x"} invalid_arguments
chat.postMessage {"channel":"C0NOWHERE1","text":"x"} channel_not_found
chat.postMessage {"channel":"general","text":"x"} channel_not_found
chat.postMessage {"channel":"OUTSIDE","text":"x"} not_in_channel
chat.postMessage {"channel":"ARCHIVED","text":"x"} is_archived
chat.postMessage {"channel":"ROOM"} no_text
chat.postMessage {"channel":"ROOM","text":" \n"} no_text
chat.postMessage {"channel":"ROOM","text":"LONG"} msg_too_long
chat.postMessage {"channel":"ROOM","text":"x","txt":"1"} invalid_arg_name
chat.postMessage {"channel":"ROOM","text":"a & b"} invalid_arguments
chat.postMessage {"channel":"ROOM","text":"a &nbsp; b"} invalid_arguments
chat.postMessage {"channel":"ROOM","text":"a > b"} invalid_arguments
chat.postMessage {"channel":"ROOM","text":"a < b"} invalid_arguments
chat.postMessage {"channel":"ROOM","text":"<b>x</b>"} invalid_arguments
chat.postMessage {"channel":"ROOM","text":"<docs/a.md|a>"} invalid_arguments
chat.postMessage {"channel":"ROOM","text":"x","thread_ts":"1"} invalid_thread_ts
chat.postMessage {"channel":"ROOM","text":"x","thread_ts":"1700000000"} invalid_thread_ts
chat.postMessage {"channel":"ROOM","text":"x","thread_ts":"REPLY"} invalid_thread_ts
chat.postEphemeral {"channel":"ROOM","text":"x"} invalid_arguments
chat.postEphemeral {"channel":"ROOM","user":"U0NOBODY01","text":"x"} user_not_in_channel
chat.postEphemeral {"channel":"OUTSIDE","user":"U0ANA0001","text":"x"} not_in_channel
chat.postEphemeral {"channel":"ROOM","user":"U0ANA0001","text":"x","unfurl_links":"false"} invalid_arg_name
chat.update {"channel":"ROOM","text":"x"} invalid_arguments
chat.update {"channel":"ROOM","ts":"NOBODYS","text":"x"} message_not_found
chat.update {"channel":"ROOM","ts":"THEIRS","text":"x"} cant_update_message
chat.update {"channel":"ROOM","ts":"MINE","text":""} no_text
chat.update {"channel":"ROOM","ts":"MINE","text":"LONG"} msg_too_long
chat.update {"channel":"C0NOWHERE1","ts":"MINE","text":"x"} channel_not_found
chat.delete {"channel":"ROOM"} invalid_arguments
chat.delete {"channel":"ROOM","ts":"NOBODYS"} message_not_found
chat.delete {"channel":"ROOM","ts":"THEIRS"} cant_delete_message
chat.getPermalink {"channel":"ROOM","message_ts":"NOBODYS"} message_not_found
chat.getPermalink {"channel":"ROOM","ts":"MINE"} invalid_arg_name
reactions.add {"channel":"ROOM","timestamp":"THEIRS","name":"👍"} invalid_name
reactions.add {"channel":"ROOM","timestamp":"THEIRS","name":":thumbsup:"} invalid_name
reactions.add {"channel":"ROOM","timestamp":"THEIRS","name":"no_such_emoji"} invalid_name
reactions.add {"channel":"ROOM","timestamp":"NOBODYS","name":"thumbsup"} message_not_found
reactions.add {"channel":"ROOM","timestamp":"1","name":"thumbsup"} bad_timestamp
reactions.add {"channel":"ROOM","name":"thumbsup"} invalid_arguments
files.getUploadURLExternal {"filename":"a.txt","length":"0"} missing_argument
files.getUploadURLExternal {"filename":"","length":"1"} missing_argument
files.getUploadURLExternal {"filename":"a.txt","length":"-1"} invalid_arguments
files.getUploadURLExternal {"filename":"a.txt","length":"1000000001"} file_upload_size_restricted
files.getUploadURLExternal {"length":"1"} invalid_arguments
files.completeUploadExternal {"channel_id":"ROOM","files":"[]"} invalid_arguments
files.completeUploadExternal {"channel_id":"ROOM","files":"F1"} invalid_arguments
files.completeUploadExternal {"channel_id":"U0ANA0001","files":"[{\"id\":\"F1\"}]"} invalid_arguments
files.completeUploadExternal {"channel_id":"C1","files":"[{\"id\":\"F1\"}]"} invalid_arguments
files.completeUploadExternal {"channel_id":"ROOM","files":"[{\"id\":\"F1\"}]"} file_not_found
files.completeUploadExternal {"files":"[{\"id\":\"F1\"}]"} invalid_arguments
files.info {"file":"F1"} file_not_found
auth.test {"x":"1"} invalid_arg_name
chat.postMessages {"channel":"ROOM","text":"x"} unknown_method
apps.connections.open {} not_allowed_token_type
"#;

#[tokio::test]
async fn wrong_calls_are_refused() {
    let place = Place::open().await;
    let theirs = place.server.write(ROOM, ana("hi"));
    for (room, outside) in [("C0OUTSIDE1", true), ("C0ARCHIVED", false)] {
        place.server.open_room(room);
        place.server.put_out(room, outside);
        place.server.archive(room, !outside);
    }
    let client = Client::of(&place);
    let sent = async |body: Value| {
        let answer = client.form("chat.postMessage", &body).await;
        answer["ts"].as_str().expect("it was sent").to_owned()
    };
    let mine = sent(json!({"channel": ROOM, "text": "mine"})).await;
    let reply = sent(json!({"channel": ROOM, "text": "reply", "thread_ts": theirs})).await;
    let words = [
        ("ROOM", ROOM.to_owned()),
        ("OUTSIDE", "C0OUTSIDE1".to_owned()),
        ("ARCHIVED", "C0ARCHIVED".to_owned()),
        ("THEIRS", theirs),
        ("MINE", mine),
        ("REPLY", reply),
        ("NOBODYS", "1600000000.000001".to_owned()),
        ("LONG", "x".repeat(4_001)),
    ];
    for (row, filled) in filled(WRONG, &words) {
        let (method, rest) = filled.split_once(' ').unwrap();
        let (body, error) = rest.rsplit_once(' ').unwrap();
        let answer = client.form(method, &serde_json::from_str(body).unwrap()).await;
        assert_eq!(
            (&answer["ok"], answer["error"].as_str()),
            (&json!(false), Some(error)),
            "{row}"
        );
    }
    assert_eq!(place.server.messages(ROOM).len(), 3, "nothing came of any");
    let rules = place.server.broken();
    assert!(rules.len() >= 16, "{rules:#?}");
    stand_below(&rules, "https://docs.slack.dev/");
}

#[tokio::test]
async fn wrong_requests_are_refused() {
    let place = Place::open().await;
    let client = Client::of(&place);
    let root = place.server.root();
    let of_type = |kind: &str| client.post("auth.test", TOKEN).header("content-type", kind);
    for (request, error) in [
        (client.http.post(format!("{root}/auth.test")), "not_authed"),
        (
            client
                .http
                .post(format!("{root}/auth.test"))
                .header("authorization", TOKEN),
            "not_authed",
        ),
        (client.post("auth.test", "xoxb-wrong"), "invalid_auth"),
        (client.post("auth.test", APP_TOKEN), "not_allowed_token_type"),
        (
            client.http.get(format!("{root}/auth.test")).bearer_auth(TOKEN),
            "invalid_http_method",
        ),
        (of_type("application/json").body("{"), "invalid_json"),
        (of_type("application/json").body("[]"), "invalid_json"),
        (of_type("text/plain").body("x"), "invalid_post_type"),
        (client.post("auth.test", TOKEN).body("x"), "missing_post_type"),
        (
            of_type("application/x-www-form-urlencoded").body(vec![0xFF]),
            "invalid_form_data",
        ),
        (
            client
                .post("chat.getPermalink", TOKEN)
                .json(&json!({"channel": ROOM})),
            "invalid_arguments",
        ),
    ] {
        let answer = client.answer(request).await;
        assert_eq!(answer["error"], error, "{answer}");
    }
    place.server.take_scope("chat:write");
    let answer = client
        .form("chat.postMessage", &json!({"channel": ROOM, "text": "x"}))
        .await;
    assert_eq!(
        (&answer["error"], &answer["needed"]),
        (&json!("missing_scope"), &json!("chat:write"))
    );
}

#[tokio::test]
async fn wrong_uploads_are_refused() {
    let place = Place::open().await;
    let client = Client::of(&place);
    let place_for = || async {
        let form = json!({"filename": "a.txt", "length": "5"});
        let answer = client.form("files.getUploadURLExternal", &form).await;
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        (text("upload_url"), text("file_id"))
    };
    let (url, id) = place_for().await;
    let complete = json!({"channel_id": DIRECT, "files": json!([{"id": id}]).to_string()});
    let answer = client.form("files.completeUploadExternal", &complete).await;
    assert_eq!(answer["error"], "file_not_found", "it is not uploaded yet");
    let post = async |request: reqwest::RequestBuilder| request.send().await.unwrap().status().as_u16();
    assert_eq!(post(client.http.post(&url).body("hell")).await, 400);
    assert_eq!(post(client.http.post(&url).body("hello!")).await, 400);
    assert_eq!(
        post(client.http.post(&url).bearer_auth(TOKEN).body("hello")).await,
        400
    );
    assert_eq!(post(client.http.post(format!("{url}0")).body("hello")).await, 400);
    assert_eq!(post(client.http.put(&url).body("hello")).await, 405);
    assert_eq!(post(client.http.post(&url).body("hello")).await, 200);
    assert_eq!(post(client.http.post(&url).body("hello")).await, 400, "once");
    let answer = client.form("files.completeUploadExternal", &complete).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let answer = client.form("files.completeUploadExternal", &complete).await;
    assert_eq!(answer["error"], "file_not_found", "once");
    assert_eq!(place.server.messages(DIRECT).len(), 1);
}

#[tokio::test]
async fn wrong_connections_and_confirmations_are_refused() {
    let place = Place::open().await;
    let client = Client::of(&place);
    let opened = client
        .answer(client.post("apps.connections.open", APP_TOKEN))
        .await;
    let url = opened["url"].as_str().unwrap().replacen("ws", "http", 1);
    let dial = async |url: &str| {
        let request = client
            .http
            .get(url)
            .header("connection", "Upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        request.send().await.unwrap()
    };
    assert_eq!(dial(&format!("{url}0")).await.status(), 403);
    assert_eq!(client.http.get(&url).send().await.unwrap().status(), 400);
    let link = dial(&url).await.upgrade().await.unwrap();
    assert_eq!(dial(&url).await.status(), 403, "a ticket is for once");
    let mut link = WebSocketStream::from_raw_socket(link, Role::Client, None).await;
    let hello = link.next().await.unwrap().unwrap().into_text().unwrap();
    assert!(hello.contains(r#""type":"hello""#), "{hello}");
    let broken = place.server.broken().len();
    for wrong in [
        Message::text("hello"),
        Message::text(r#"{"envelope_id":"envelope-0"}"#),
        Message::text("{}"),
        Message::binary(vec![1]),
    ] {
        link.send(wrong).await.unwrap();
    }
    until(|| place.server.broken().len() == broken + 2).await;
    let says: Vec<_> = place.server.broken().iter().map(|rule| rule.says).collect();
    assert!(
        says.iter()
            .any(|says| says.starts_with("An envelope is confirmed")),
        "{says:?}"
    );
}
