//! The strict server refuses what the Cloud API refuses.

use crate::place::{ANA, GROUP, NUMBER, Place, TOKEN, VERIFY};
use crate::shared::run::{Run, until};
use crate::shared::wrong::{filled, stand_below};
use foldback_strict::whatsapp::WhatsAppServer;
use reqwest::RequestBuilder;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Messages that are refused: the code, what the refusal says, and the message without `messaging_product`. Words in
/// capitals stand for what the test puts in.
const WRONG: &str = r#"
100 to is required | {"type":"text","text":{"body":"x"}}
100 must be a phone number | {"to":"ana","type":"text","text":{"body":"x"}}
100 must be a phone number | {"to":"1650-5551234","type":"text","text":{"body":"x"}}
100 must be a phone number | {"to":"1234","type":"text","text":{"body":"x"}}
100 to must be a string | {"to":16505551234,"type":"text","text":{"body":"x"}}
100 business-scoped | {"recipient":"16505551234","type":"text","text":{"body":"x"}}
100 business-scoped | {"recipient":"USA.1","type":"text","text":{"body":"x"}}
131021 the same | {"to":"PHONE","type":"text","text":{"body":"x"}}
100 recipient_type | {"to":"ANA","recipient_type":"all","type":"text","text":{"body":"x"}}
131009 no such group | {"to":"Y2FwaV9ub3doZXJl","recipient_type":"group","type":"text","text":{"body":"x"}}
131051 not supported | {"to":"ANA","type":"poll","poll":{"body":"x"}}
131051 not supported | {"to":"ANA","type":"TEXT","text":{"body":"x"}}
131008 mandatory | {"to":"ANA","type":"text"}
100 must be a JSON object | {"to":"ANA","type":"text","text":"x"}
100 Unexpected key "txt" | {"to":"ANA","type":"text","text":{"body":"x"},"txt":1}
100 Unexpected key "image" | {"to":"ANA","type":"text","text":{"body":"x"},"image":{"id":"1"}}
100 Unexpected key "markdown" | {"to":"ANA","type":"text","text":{"body":"x","markdown":true}}
100 is required | {"to":"ANA","type":"text","text":{"body":" \n"}}
100 is required | {"to":"ANA","type":"text","text":{}}
100 must be a string | {"to":"ANA","type":"text","text":{"body":1}}
100 at most 4096 | {"to":"ANA","type":"text","text":{"body":"LONG"}}
100 must be a boolean | {"to":"ANA","type":"text","text":{"body":"x","preview_url":"no"}}
131009 not in this chat | {"to":"ANA","type":"text","text":{"body":"x"},"context":{"message_id":"wamid.x"}}
131009 not in this chat | {"to":"16505550000","type":"text","text":{"body":"x"},"context":{"message_id":"THEIRS"}}
100 Unexpected key "id" | {"to":"ANA","type":"text","text":{"body":"x"},"context":{"id":"THEIRS"}}
131009 not in this chat | {"to":"ANA","type":"reaction","reaction":{"message_id":"wamid.x","emoji":"👍"}}
131009 single emoji | {"to":"ANA","type":"reaction","reaction":{"message_id":"THEIRS","emoji":"thumbsup"}}
131009 single emoji | {"to":"ANA","type":"reaction","reaction":{"message_id":"THEIRS","emoji":"👍👍"}}
100 cannot have a context | {"to":"ANA","type":"reaction","reaction":{"message_id":"THEIRS","emoji":"👍"},"context":{"message_id":"THEIRS"}}
131009 does not exist | {"to":"ANA","type":"image","image":{"id":"1"}}
131009 does not exist | {"to":"ANA","type":"document","document":{"filename":"a.txt"}}
131053 is no image | {"to":"ANA","type":"image","image":{"id":"TXT"}}
131053 is no audio | {"to":"ANA","type":"audio","audio":{"id":"TXT"}}
131053 is no document | {"to":"ANA","type":"document","document":{"id":"OGG"}}
100 at most 1024 | {"to":"ANA","type":"document","document":{"id":"TXT","caption":"LONG"}}
100 Unexpected key "filename" | {"to":"ANA","type":"image","image":{"id":"PNG","filename":"a.png"}}
100 Unexpected key "caption" | {"to":"ANA","type":"audio","audio":{"id":"OGG","caption":"x"}}
131053 OPUS | {"to":"ANA","type":"audio","audio":{"id":"MP3","voice":true}}
100 must be a boolean | {"to":"ANA","type":"audio","audio":{"id":"OGG","voice":"true"}}
100 must be one of | {"status":"delivered","message_id":"THEIRS"}
131009 no such message | {"status":"read","message_id":"wamid.x"}
131009 no such message | {"status":"read","message_id":"MINE"}
100 type text | {"status":"read","message_id":"THEIRS","typing_indicator":{"type":"audio"}}
100 Unexpected key "to" | {"status":"read","message_id":"THEIRS","to":"ANA"}
131047 24 hours | {"to":"16505550001","type":"text","text":{"body":"x"}}
131026 not on WhatsApp | {"to":"16505550002","type":"text","text":{"body":"x"}}
"#;

struct Client<'a> {
    place: &'a Place,
    http: reqwest::Client,
}

impl Client<'_> {
    fn post(&self, what: &str) -> RequestBuilder {
        let url = format!("{}/{NUMBER}/{what}", self.place.server.root());
        self.http.post(url).bearer_auth(TOKEN)
    }

    /// The code and the words of a refusal; none for what is done.
    async fn answer(&self, request: RequestBuilder) -> (i64, String) {
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let body: Value = response.json().await.unwrap();
        let error = &body["error"];
        assert_eq!(error.is_null(), status == 200, "{body}");
        let code = error["code"].as_i64().unwrap_or_default();
        let details = error["error_data"]["details"].as_str().unwrap_or_default();
        (code, format!("{} {details}", error["message"]))
    }

    async fn upload(&self, name: &'static str, mime: &str) -> String {
        let sent = self.post("media").multipart(form(name, mime, 1)).send();
        let body: Value = sent.await.unwrap().json().await.unwrap();
        body["id"].as_str().unwrap().to_owned()
    }
}

fn form(name: &'static str, mime: &str, len: usize) -> Form {
    let part = Part::bytes(vec![b'x'; len])
        .file_name(name)
        .mime_str(mime)
        .unwrap();
    Form::new()
        .text("messaging_product", "whatsapp")
        .text("type", mime.to_owned())
        .part("file", part)
}

fn client(place: &Place) -> Client<'_> {
    let http = reqwest::Client::new();
    Client { place, http }
}

#[tokio::test]
async fn wrong_messages_are_refused() {
    let place = Place::open().await;
    let client = client(&place);
    let theirs = place
        .server
        .write(ANA, json!({"type": "text", "text": {"body": "hi"}}));
    place.send("mine").await.unwrap();
    place.server.close("16505550001", true);
    place.server.remove("16505550002");
    let mine = place.server.messages(ANA).pop().unwrap().0;
    let words = [
        ("ANA", ANA.to_owned()),
        ("PHONE", WhatsAppServer::PHONE.to_owned()),
        ("THEIRS", theirs),
        ("MINE", mine),
        ("LONG", "x".repeat(4_097)),
        ("TXT", client.upload("a.txt", "text/plain").await),
        ("PNG", client.upload("a.png", "image/png").await),
        ("OGG", client.upload("a.ogg", "audio/ogg").await),
        ("MP3", client.upload("a.mp3", "audio/mpeg").await),
    ];
    for (row, filled) in filled(WRONG, &words) {
        let (refusal, body) = filled.split_once(" | ").unwrap();
        let (code, said) = refusal.split_once(' ').unwrap();
        let mut body: Value = serde_json::from_str(body).unwrap();
        body["messaging_product"] = "whatsapp".into();
        let answer = client.answer(client.post("messages").json(&body)).await;
        assert!(
            answer.0.to_string() == code && answer.1.contains(said),
            "{row}: {answer:?}"
        );
    }
    assert_eq!(place.server.messages(ANA).len(), 2, "nothing came of any");
    assert_eq!(place.server.messages(GROUP).len(), 0);
    let rules = place.server.broken();
    assert!(rules.len() >= 15, "{} rules", rules.len());
    let page = "https://developers.facebook.com/documentation/business-messaging/whatsapp/";
    stand_below(&rules, page);
}

#[tokio::test]
async fn wrong_files_are_refused() {
    let place = Place::open().await;
    let client = client(&place);
    let without = |field: &str| {
        let part = Part::bytes(vec![1])
            .file_name("a.txt")
            .mime_str("text/plain")
            .unwrap();
        let mut form = Form::new();
        if field != "messaging_product" {
            form = form.text("messaging_product", "whatsapp");
        }
        if field != "type" {
            form = form.text("type", "text/plain");
        }
        if field == "file" {
            form
        } else {
            form.part("file", part)
        }
    };
    for (form, code, said) in [
        (form("a.zip", "application/zip", 1), 100, "Received file of type"),
        (form("a.gif", "image/gif", 1), 100, "Received file of type"),
        (form("a.txt", "text/plain", 0), 100, "is empty"),
        (form("a.png", "image/png", 5_000_001), 131_053, "5000000"),
        (form("a.ogg", "audio/ogg", 16_000_001), 131_053, "16000000"),
        (without("messaging_product"), 100, "messaging_product"),
        (without("type"), 100, "type is not the type"),
        (without("file"), 100, "file is required"),
        (without("").text("voice", "true"), 100, "Unexpected key"),
        (
            without("type").text("type", "image/png"),
            100,
            "type is not the type",
        ),
    ] {
        let answer = client.answer(client.post("media").multipart(form)).await;
        assert!(answer.0 == code && answer.1.contains(said), "{answer:?}");
    }
    let no_form = client.post("media").body("x");
    assert_eq!(client.answer(no_form).await.0, 100);
}

/// An endpoint that answers everything so, and how it is called.
async fn endpoint(answer: &'static str) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 16_384];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    format!("http://{address}/")
}

#[tokio::test]
async fn an_endpoint_that_knows_no_word_or_any_is_not_registered() {
    for answer in [
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 10\r\n\r\n1158201444",
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 10\r\n\r\n1158201444",
    ] {
        let place = Place::open().await;
        let callback = endpoint(answer).await;
        place.server.register(&callback, VERIFY).await.unwrap_err();
        let [rule] = place.server.broken()[..] else {
            panic!("{:?}", place.server.broken());
        };
        assert!(rule.source.contains("webhooks"), "{rule:?}");
    }
}

#[tokio::test]
async fn an_endpoint_that_does_not_confirm_gets_it_again() {
    let place = Place::open().await;
    let (run, callback) = Run::up(&place.adapter).await;
    place.server.register(&callback, VERIFY).await.unwrap();
    run.end().await;
    place
        .server
        .write(ANA, json!({"type": "text", "text": {"body": "hi"}}));
    until(|| place.server.posts() >= 3).await;
    assert_eq!((place.server.unconfirmed(), place.server.broken()), (1, vec![]));
}

#[tokio::test]
async fn wrong_requests_are_refused() {
    let place = Place::open().await;
    let client = client(&place);
    let root = place.server.root();
    let address = format!("{root}/{NUMBER}");
    let message = json!({"messaging_product": "whatsapp", "to": ANA, "type": "text", "text": {"body": "x"}});
    let mut without_product = message.clone();
    without_product
        .as_object_mut()
        .unwrap()
        .remove("messaging_product");
    let of_type = |kind: &str| client.post("messages").header("content-type", kind);
    for (request, code) in [
        (
            client.http.post(format!("{address}/messages")).json(&message),
            190,
        ),
        (
            client
                .http
                .post(format!("{address}/messages"))
                .bearer_auth("x")
                .json(&message),
            190,
        ),
        (
            client
                .http
                .post(format!("{address}/messages"))
                .basic_auth(TOKEN, None::<&str>),
            190,
        ),
        (
            client
                .http
                .post(format!("{root}/1/messages"))
                .bearer_auth(TOKEN)
                .json(&message),
            33,
        ),
        (
            client
                .http
                .post(format!("{}/messages", address.replace("v26.0", "v1.0")))
                .bearer_auth(TOKEN),
            33,
        ),
        (client.post("message").json(&message), 33),
        (
            client.http.get(format!("{address}/messages")).bearer_auth(TOKEN),
            100,
        ),
        (client.http.delete(&address).bearer_auth(TOKEN), 100),
        (
            client
                .http
                .get(format!("{address}?fields=secret"))
                .bearer_auth(TOKEN),
            100,
        ),
        (client.post("messages").json(&without_product), 100),
        (of_type("application/json").body("{"), 100),
        (of_type("application/json").body("[]"), 100),
        (of_type("text/plain").body(message.to_string()), 100),
    ] {
        assert_eq!(client.answer(request).await.0, code);
    }
    assert_eq!(place.server.messages(ANA).len(), 0);
    let right = client.answer(client.post("messages").json(&message)).await;
    assert_eq!(right.0, 0, "{right:?}");
}
