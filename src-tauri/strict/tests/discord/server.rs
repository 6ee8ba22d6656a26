//! The strict server refuses what Discord refuses.

use crate::place::{DIRECT, Place, ROOM, THREAD, TOKEN};
use crate::shared::wrong::{filled, stand_below};
use foldback_strict::discord::DiscordServer;
use futures::{SinkExt as _, StreamExt as _};
use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

struct Client<'a> {
    place: &'a Place,
    http: reqwest::Client,
}

impl<'a> Client<'a> {
    fn of(place: &'a Place) -> Self {
        let http = reqwest::Client::new();
        Self { place, http }
    }

    fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let url = format!("{}/api/v10{path}", self.place.server.root());
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        self.http
            .request(method, url)
            .header("user-agent", "DiscordBot (test, 1)")
            .header("authorization", format!("Bot {TOKEN}"))
    }

    /// The status, and the body as text.
    async fn answer(&self, request: RequestBuilder) -> (u16, String) {
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }
}

/// Method, path, JSON, then the status and what the refusal says. Names in capitals stand for what the test puts in.
const WRONG: &str = r#"
POST /channels/ROOM/messages {} 400 50006
POST /channels/ROOM/messages {"content":" \n"} 400 50006
POST /channels/ROOM/messages {"content":null} 400 50006
POST /channels/ROOM/messages {"content":5} 400 WRONG_TYPE
POST /channels/ROOM/messages {"content":"LONG"} 400 BASE_TYPE_MAX_LENGTH
POST /channels/ROOM/messages {"content":"x","text":"x"} 400 UNKNOWN_FIELD
POST /channels/ROOM/messages {"content":"x","tts":"no"} 400 WRONG_TYPE
POST /channels/ROOM/messages {"content":"x","nonce":"WORDY"} 400 BASE_TYPE_MAX_LENGTH
POST /channels/ROOM/messages {"content":"x","nonce":1.5} 400 NONCE_TYPE
POST /channels/ROOM/messages {"content":"x","nonce":[]} 400 NONCE_TYPE
POST /channels/ROOM/messages {"content":"x","enforce_nonce":1} 400 WRONG_TYPE
POST /channels/ROOM/messages {"content":"x","allowed_mentions":[]} 400 WRONG_TYPE
POST /channels/ROOM/messages {"content":"x","allowed_mentions":{"parse":["all"]}} 400 BASE_TYPE_CHOICES
POST /channels/ROOM/messages {"content":"x","allowed_mentions":{"parse":["users"],"users":["1"]}} 400 MUTUALLY_EXCLUSIVE
POST /channels/ROOM/messages {"content":"x","allowed_mentions":{"parse":["roles"],"roles":["1"]}} 400 MUTUALLY_EXCLUSIVE
POST /channels/ROOM/messages {"content":"x","allowed_mentions":{"users":MANY}} 400 BASE_TYPE_MAX_LENGTH
POST /channels/ROOM/messages {"content":"x","message_reference":"THEIRS"} 400 WRONG_TYPE
POST /channels/ROOM/messages {"content":"x","message_reference":{"message_id":"99"}} 400 REPLIES_UNKNOWN_MESSAGE
POST /channels/ROOM/messages {"content":"x","message_reference":{"message_id":THEIRS}} 400 REPLIES_UNKNOWN_MESSAGE
POST /channels/ROOM/messages {"content":"x","message_reference":{"message_id":"THEIRS","channel_id":"DIRECT"}} 400 REPLIES_UNKNOWN_MESSAGE
POST /channels/THREAD/messages {"content":"x","message_reference":{"message_id":"THEIRS"}} 400 REPLIES_UNKNOWN_MESSAGE
POST /channels/ROOM/messages {"content":"x","attachments":[{"id":0}]} 400 ATTACHMENT_NOT_FOUND
POST /channels/ROOM/messages {"content":"x","flags":64} 400 BASE_TYPE_CHOICES
POST /channels/ROOM/messages {"content":"x","flags":"4"} 400 BASE_TYPE_CHOICES
PATCH /channels/ROOM/messages/MINE {"content":"x","flags":4096} 400 BASE_TYPE_CHOICES
POST /channels/99/messages {"content":"x"} 404 10003
POST /channels/general/messages {"content":"x"} 400 NUMBER_TYPE_COERCE
POST /channels/1e3/messages {"content":"x"} 400 NUMBER_TYPE_COERCE
POST /channels/18446744073709551616/messages {"content":"x"} 400 NUMBER_TYPE_COERCE
POST /channels/CLOSED/messages {"content":"x"} 403 50013
PATCH /channels/ROOM/messages/99 {"content":"x"} 404 10008
PATCH /channels/ROOM/messages/THEIRS {"content":"x"} 403 50005
PATCH /channels/ROOM/messages/MINE {"content":""} 400 50006
PATCH /channels/ROOM/messages/MINE {"content":"LONG"} 400 BASE_TYPE_MAX_LENGTH
PATCH /channels/ROOM/messages/MINE {"content":"x","nonce":"1"} 400 UNKNOWN_FIELD
PATCH /channels/THREAD/messages/MINE {"content":"x"} 404 10008
DELETE /channels/ROOM/messages/99 {} 404 10008
DELETE /channels/ROOM/messages/THEIRS {} 403 50013
PUT /channels/ROOM/messages/99/reactions/👍/@me {} 404 10008
PUT /channels/ROOM/messages/THEIRS/reactions/thumbsup/@me {} 400 10014
PUT /channels/ROOM/messages/THEIRS/reactions/👍👍/@me {} 400 10014
PUT /channels/ROOM/messages/THEIRS/reactions/👍/42 {} 404 404: Not Found
POST /channels/99/typing {} 404 10003
GET /channels/99 {} 404 10003
GET /channels/ROOM/typing {} 405 405: Method Not Allowed
POST /gateway/bot {} 405 405: Method Not Allowed
GET /users/@me/guilds {} 404 404: Not Found
"#;

#[tokio::test]
async fn wrong_calls_are_refused() {
    let place = Place::open().await;
    place.server.close_channel(5, 50_013, "Missing Permissions");
    let theirs = place.server.write(ROOM, &json!({"content": "hi"}));
    let mine = place.send("mine").await.unwrap().message.unwrap();
    let client = Client::of(&place);
    let words = [
        ("ROOM", ROOM.to_string()),
        ("THREAD", THREAD.to_string()),
        ("DIRECT", DIRECT.to_string()),
        ("CLOSED", "5".to_owned()),
        ("THEIRS", theirs.to_string()),
        ("MINE", mine.to_string()),
        ("LONG", "🎉".repeat(2_001)),
        ("WORDY", "x".repeat(26)),
        ("MANY", json!(vec!["1"; 101]).to_string()),
    ];
    for (row, filled) in filled(WRONG, &words) {
        let (call, said) = filled.split_at(filled.rfind('}').unwrap() + 1);
        let (method, rest) = call.split_once(' ').unwrap();
        let (path, body) = rest.split_once(' ').unwrap();
        let (status, said) = said.trim().split_once(' ').unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        let answer = client.answer(client.request(method, path).json(&body)).await;
        assert!(
            answer.0.to_string() == status && answer.1.contains(said),
            "{row}: {answer:?}"
        );
    }
    assert_eq!(place.server.messages(ROOM).len(), 2, "nothing came of any");
    stand_below(&place.server.broken(), "https://discord.com/developers/docs/");
}

#[tokio::test]
async fn wrong_files_are_refused() {
    let place = Place::open().await;
    let client = Client::of(&place);
    let file = |part: &'static str, len: usize| {
        Form::new().part(part, Part::bytes(vec![b'x'; len]).file_name("a.txt"))
    };
    let named = |id: &str| json!({"content": "x", "attachments": [{"id": id}]}).to_string();
    for (form, status, said) in [
        (file("file", 1), 400, "FILE_PART"),
        (file("files[x]", 1), 400, "FILE_PART"),
        (
            file("files[0]", 1).text("payload_json", named("1")),
            400,
            "ATTACHMENT_NOT_FOUND",
        ),
        (
            file("files[0]", 1).text("payload_json", "{\"attachments\":[]}"),
            400,
            "ATTACHMENT_MISSING",
        ),
        (file("files[0]", 1).text("payload_json", "{"), 400, "50109"),
        (file("files[0]", 1).text("content", "x"), 400, "payload_json"),
        (file("files[0]", 10 * 1_024 * 1_024 + 1), 413, "40005"),
    ] {
        let request = client.request("POST", &format!("/channels/{ROOM}/messages"));
        let answer = client.answer(request.multipart(form)).await;
        assert!(
            answer.0 == status && answer.1.contains(said),
            "{said}: {answer:?}"
        );
    }
    assert_eq!(place.server.messages(ROOM).len(), 0, "nothing came of any");
}

#[tokio::test]
async fn wrong_requests_are_refused() {
    let place = Place::open().await;
    let client = Client::of(&place);
    let root = place.server.root();
    let plain = |path: &str| client.http.get(format!("{root}{path}"));
    let bot = "DiscordBot (test, 1)";
    let path = format!("/channels/{ROOM}/messages");
    let typed = |kind: &str| client.request("POST", &path).header("content-type", kind);
    for (request, status) in [
        (
            plain("/api/v10/gateway/bot").header("authorization", format!("Bot {TOKEN}")),
            403,
        ),
        (
            plain("/api/v10/gateway/bot")
                .header("user-agent", "foldback/1")
                .header("authorization", format!("Bot {TOKEN}")),
            403,
        ),
        (plain("/api/v10/gateway/bot").header("user-agent", bot), 401),
        (
            plain("/api/v10/gateway/bot")
                .header("user-agent", bot)
                .header("authorization", TOKEN),
            401,
        ),
        (
            plain("/api/v10/gateway/bot")
                .header("user-agent", bot)
                .header("authorization", format!("Bot {TOKEN}x")),
            401,
        ),
        (plain("/api/v9/gateway/bot").header("user-agent", bot), 400),
        (plain("/api/gateway/bot").header("user-agent", bot), 400),
        (plain("/v10/gateway/bot").header("user-agent", bot), 404),
        (typed("application/json").body("{"), 400),
        (typed("application/json").body("[]"), 400),
        (typed("text/plain").body("x"), 415),
        (typed("multipart/form-data").body("x"), 400),
    ] {
        assert_eq!(client.answer(request).await.0, status);
    }
}

#[tokio::test]
async fn a_message_that_is_answered_may_be_missing_where_the_call_says_so() {
    let place = Place::open().await;
    let client = Client::of(&place);
    let reference = json!({"message_id": "99", "fail_if_not_exists": false});
    let request = client.request("POST", &format!("/channels/{ROOM}/messages"));
    let answer = client
        .answer(request.json(&json!({"content": "x", "message_reference": reference})))
        .await;
    assert_eq!(answer.0, 200);
    assert_eq!(place.server.messages(ROOM)[0].1.reply_to, None);
}

#[tokio::test]
async fn a_message_has_twenty_different_reactions() {
    let place = Place::open().await;
    let client = Client::of(&place);
    let theirs = place.server.write(ROOM, &json!({"content": "hi"}));
    let mut statuses = Vec::new();
    for emoji in emojis::iter().take(21) {
        let path = format!(
            "/channels/{ROOM}/messages/{theirs}/reactions/{}/@me",
            emoji.as_str()
        );
        statuses.push(client.answer(client.request("PUT", &path)).await.0);
    }
    assert_eq!(statuses.pop(), Some(400));
    assert!(statuses.iter().all(|status| *status == 204), "{statuses:?}");
}

#[tokio::test]
async fn who_is_told_to_wait_and_does_not_breaks_a_rule() {
    let place = Place::open().await;
    let client = Client::of(&place);
    place.server.limit_globally(std::time::Duration::from_hours(1));
    let request = || client.request("GET", "/gateway/bot");
    let response = request().send().await.unwrap();
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(
        (
            response.status().as_u16(),
            header("retry-after"),
            header("x-ratelimit-scope")
        ),
        (429, "3600".into(), "global".into())
    );
    assert_eq!(place.server.broken(), [], "nobody had been told");
    assert_eq!(client.answer(request()).await.0, 429);
    assert_eq!(place.server.broken().len(), 1);
}

type Socket = WebSocketStream<TcpStream>;

async fn connect(server: &DiscordServer, path: &str) -> Socket {
    let host = server.root().replace("http://", "");
    let stream = TcpStream::connect(&host).await.unwrap();
    let url = format!("ws://{host}{path}");
    let (socket, _) = tokio_tungstenite::client_async(url, stream).await.unwrap();
    socket
}

/// With which code the server closes after these words.
async fn closed_after(server: &DiscordServer, path: &str, words: &[String]) -> u16 {
    let mut socket = connect(server, path).await;
    for said in words {
        // It may have closed before the last of them.
        let _ = socket.send(Message::text(said.clone())).await;
    }
    loop {
        if let Message::Close(frame) = socket.next().await.unwrap().unwrap() {
            return frame.unwrap().code.into();
        }
    }
}

#[tokio::test]
async fn wrong_words_close_a_connection_with_their_code() {
    let place = Place::open().await;
    let gateway = "/gateway?v=10&encoding=json";
    let properties = json!({"os": "linux", "browser": "b", "device": "d"});
    let identify = |with: Value| {
        let mut d = json!({"token": TOKEN, "intents": 37_377, "properties": properties});
        for (name, value) in with.as_object().unwrap() {
            d[name] = value.clone();
        }
        json!({"op": 2, "d": d}).to_string()
    };
    let fine = identify(json!({}));
    let say = |op: u64, d: Value| json!({"op": op, "d": d}).to_string();
    let resume = |with: Value| say(6, with);
    let known = json!({"token": TOKEN, "session_id": "session-1", "seq": 99});
    // The session that is resumed below.
    let mut first = connect(&place.server, gateway).await;
    first.send(Message::text(fine.clone())).await.unwrap();
    while place.server.sessions().0 == 0 {
        first.next().await.unwrap().unwrap();
    }
    assert_eq!(
        closed_after(&place.server, "/resume?v=10&encoding=json", &[resume(known)]).await,
        4007
    );
    for (path, words, code) in [
        ("/gateway", vec![], 4012),
        ("/gateway?v=9&encoding=json", vec![], 4012),
        ("/gateway?v=10", vec![], 4012),
        (gateway, vec!["{".to_owned()], 4002),
        (gateway, vec!["[]".to_owned()], 4002),
        (gateway, vec![json!({"op": "2"}).to_string()], 4002),
        (gateway, vec![identify(json!({"more": "x".repeat(4_096)}))], 4002),
        (gateway, vec![say(5, Value::Null)], 4001),
        (gateway, vec![say(77, Value::Null)], 4001),
        (gateway, vec![say(3, json!({}))], 4003),
        (gateway, vec![say(8, json!({}))], 4003),
        (gateway, vec![identify(json!({"token": "x"}))], 4004),
        (gateway, vec![identify(json!({"token": null}))], 4004),
        (gateway, vec![fine.clone(), fine.clone()], 4005),
        (gateway, vec![identify(json!({"intents": null}))], 4002),
        (gateway, vec![identify(json!({"intents": "513"}))], 4002),
        (
            gateway,
            vec![identify(json!({"properties": {"os": "linux"}}))],
            4002,
        ),
        (gateway, vec![identify(json!({"intents": 1_u64 << 40}))], 4013),
        (gateway, vec![identify(json!({"intents": 1 << 17}))], 4013),
        (gateway, vec![identify(json!({"shard": [1, 1]}))], 4010),
        (gateway, vec![identify(json!({"shard": [0]}))], 4010),
        (
            gateway,
            vec![resume(json!({"token": "x", "session_id": "s", "seq": 1}))],
            4004,
        ),
        (gateway, vec![resume(json!({"token": TOKEN, "seq": 1}))], 4002),
        (
            gateway,
            vec![resume(json!({"token": TOKEN, "session_id": "s"}))],
            4002,
        ),
        (gateway, vec![fine.clone(), say(1, json!(99))], 4002),
        (gateway, vec![fine.clone(), say(1, json!("1"))], 4002),
        (gateway, vec![say(1, Value::Null); 121], 4008),
    ] {
        assert_eq!(
            closed_after(&place.server, path, &words).await,
            code,
            "{path} {words:?}"
        );
    }
    place.server.without_privileged_intents();
    assert_eq!(closed_after(&place.server, gateway, &[fine]).await, 4014);
    place.server.beat_every(std::time::Duration::from_millis(20));
    assert_eq!(
        closed_after(&place.server, gateway, &[]).await,
        4009,
        "no heartbeat"
    );
}

#[tokio::test]
async fn a_session_nobody_knows_is_invalid() {
    let place = Place::open().await;
    let mut socket = connect(&place.server, "/resume?v=10&encoding=json").await;
    let resume = json!({"op": 6, "d": {"token": TOKEN, "session_id": "none", "seq": 1}});
    socket.send(Message::text(resume.to_string())).await.unwrap();
    let mut seen = Vec::new();
    while seen.len() < 2 {
        if let Message::Text(text) = socket.next().await.unwrap().unwrap() {
            let said: Value = serde_json::from_str(&text).unwrap();
            seen.push((said["op"].clone(), said["d"].clone()));
        }
    }
    assert_eq!(seen[1], (json!(9), json!(false)));
}
