//! Who may call the webhook, and with what.

use crate::place::{ANA, APP_SECRET, NUMBER, Place, VERIFY, post, post_signed};
use crate::shared::run::{Run, until};
use crate::unread::unread_while;
use foldback_strict::whatsapp::sign;
use foldback_wire::ChannelState;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

fn notification(words: &str) -> Value {
    let message =
        json!({"from": ANA, "id": "wamid.a", "timestamp": "1", "type": "text", "text": {"body": words}});
    let value = json!({
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550783881", "phone_number_id": NUMBER},
        "messages": [message],
    });
    json!({
        "object": "whatsapp_business_account",
        "entry": [{"id": "1", "changes": [{"field": "messages", "value": value}]}],
    })
}

#[tokio::test]
async fn only_what_the_app_has_signed_is_read() {
    let place = Place::open().await;
    let (mut run, callback) = Run::up(&place.adapter).await;
    let body = notification("Hello").to_string().into_bytes();
    let good = sign(APP_SECRET, &body);
    let digits = good.strip_prefix("sha256=").unwrap();
    let mut off = good.clone().into_bytes();
    let last = off.len() - 1;
    off[last] = if off[last] == b'0' { b'1' } else { b'0' };
    let wrong = [
        String::new(),
        "sha256=".to_owned(),
        digits.to_owned(),
        format!("sha1={digits}"),
        format!("SHA256={digits}"),
        format!("sha256= {digits}"),
        format!("{good}00"),
        good[..good.len() - 2].to_owned(),
        String::from_utf8(off).unwrap(),
        "sha256=".to_owned() + &"0".repeat(64),
        sign("another secret", &body),
        sign("", &body),
        sign(APP_SECRET, b""),
        sign(APP_SECRET, &[&body[..], b" "].concat()),
        format!("{good}, {good}"),
    ];
    assert_eq!(post_signed(&callback, None, body.clone()).await, 401);
    for signature in wrong {
        let status = post_signed(&callback, Some(&signature), body.clone()).await;
        assert_eq!(status, 401, "{signature}");
    }
    for tampered in [notification("Hellp").to_string(), String::new(), "{}".to_owned()] {
        let status = post_signed(&callback, Some(&good), tampered.clone().into_bytes()).await;
        assert_eq!(status, 401, "{tampered}");
    }
    let why = run.until(ChannelState::Degraded).await;
    assert!(why.contains("is it the secret of this app?"), "{why}");
    assert!(
        run.signals.try_recv().is_err(),
        "it is said once, and nothing came in"
    );
    let post_good = || post_signed(&callback, Some(&good), body.clone());
    let (status, why) = tokio::join!(post_good(), async {
        let why = run.until(ChannelState::Up).await;
        (why, run.message().await.text)
    });
    assert_eq!(
        (status, why),
        (
            200,
            ("webhooks are signed with signing_secret".into(), "Hello".into())
        )
    );
    assert_eq!(post_signed(&callback, None, body.clone()).await, 401);
    assert!(run.signals.try_recv().is_err(), "the secret is right by now");
}

#[tokio::test]
async fn it_is_registered_only_with_the_verify_token() {
    let place = Place::open().await;
    let (run, callback) = Run::up(&place.adapter).await;
    place.server.register(&callback, VERIFY).await.unwrap();
    let refused = place.server.register(&callback, "another").await.unwrap_err();
    assert!(refused.contains("403"), "{refused}");
    let word = "verify+word%2C+of+a+test+%26+more";
    for (query, status) in [
        (
            format!("hub.mode=subscribe&hub.challenge=1&hub.verify_token={word}"),
            200,
        ),
        (
            format!("hub.mode=unsubscribe&hub.challenge=1&hub.verify_token={word}"),
            403,
        ),
        (format!("hub.challenge=1&hub.verify_token={word}"), 403),
        (format!("hub.mode=subscribe&hub.verify_token={word}"), 403),
        (
            "hub.mode=subscribe&hub.challenge=1&hub.verify_token=".to_owned(),
            403,
        ),
        ("hub.mode=subscribe&hub.challenge=1".to_owned(), 403),
        (
            format!("hub.mode=subscribe&hub.challenge=1&hub.verify_token={word}x"),
            403,
        ),
        (String::new(), 403),
    ] {
        let answer = reqwest::get(format!("{callback}?{query}")).await.unwrap();
        assert_eq!(answer.status(), status, "{query}");
        let said = answer.text().await.unwrap();
        assert_eq!(said == "1", status == 200, "{query}: {said}");
        assert!(!said.contains("verify word"), "{said}");
    }
    run.end().await;
}

#[tokio::test]
async fn what_is_signed_and_no_notification_is_refused_or_does_nothing() {
    let place = Place::open().await;
    let (mut run, callback) = Run::up(&place.adapter).await;
    for (body, status) in [
        ("", 400),
        ("{", 400),
        ("7", 400),
        ("{\"entry\":{}}", 400),
        ("{}", 200),
        ("{\"object\":\"page\",\"entry\":[{\"messaging\":[{}]}]}", 200),
        (
            "{\"entry\":[{\"changes\":[{\"field\":\"messages\",\"value\":7}]}]}",
            200,
        ),
        (
            "{\"entry\":[{\"changes\":[{\"field\":\"account_alerts\",\"value\":{}}]}]}",
            200,
        ),
    ] {
        let signature = sign(APP_SECRET, body.as_bytes());
        let posted = post_signed(&callback, Some(&signature), body.into());
        let (given, unread) = unread_while(&mut run, posted).await;
        assert_eq!(given, status, "{body}");
        let told: &[&str] = match status {
            400 => &["webhook"],
            _ if body.contains(":7") => &["change"],
            _ => &[],
        };
        assert_eq!(unread, told, "{body}");
    }
    let deep = "[".repeat(100_000);
    let signature = sign(APP_SECRET, deep.as_bytes());
    let posted = post_signed(&callback, Some(&signature), deep.into_bytes());
    assert_eq!(unread_while(&mut run, posted).await, (400, vec!["webhook"]));
    run.end().await;
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_unread() {
    let place = Place::open().await;
    let (run, callback) = Run::up(&place.adapter).await;
    let huge = vec![b' '; 4_000_001];
    let signature = sign(APP_SECRET, &huge);
    let sent = reqwest::Client::new()
        .post(&callback)
        .header("x-hub-signature-256", signature)
        .body(huge)
        .send()
        .await;
    // The answer may be lost where the sender still writes; a 200 it never is.
    assert!(sent.map_or(true, |answer| answer.status() == 413));
    run.end().await;
}

#[tokio::test]
async fn one_webhook_carries_news_of_several_numbers_and_entries() {
    let place = Place::open().await;
    let (mut run, callback) = Run::up(&place.adapter).await;
    let mut body = notification("one");
    let mut foreign = notification("foreign");
    foreign["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = "106540352242923".into();
    let two = notification("two")["entry"][0].clone();
    let entries = body["entry"].as_array_mut().unwrap();
    entries.extend([foreign["entry"][0].clone(), two]);
    let both = async { [run.message().await.text, run.message().await.text] };
    let (status, words) = tokio::join!(post(&callback, &body), both);
    assert_eq!((status, words), (200, ["one".into(), "two".into()]));
}

#[tokio::test]
async fn times_that_are_none_do_not_lose_a_message() {
    let place = Place::open().await;
    let (mut run, callback) = Run::up(&place.adapter).await;
    for time in [
        json!("soon"),
        json!("9223372036854775807"),
        json!("-1"),
        json!(null),
        json!(5),
    ] {
        let mut body = notification("Hello");
        body["entry"][0]["changes"][0]["value"]["messages"][0]["timestamp"] = time.clone();
        let (status, message) = tokio::join!(post(&callback, &body), run.message());
        assert_eq!((status, message.text.as_str()), (200, "Hello"), "{time}");
    }
}

#[tokio::test]
async fn a_part_that_cannot_be_read_keeps_the_message_from_nobody() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    let message = json!({
        "type": "text", "text": {"body": "Hello"}, "context": {"id": 5, "forwarded": "often"},
        "location": {"latitude": "north"},
    });
    place.server.write(ANA, message);
    let (message, unread) = run.message_and_unread().await;
    assert_eq!(message.text, "Hello");
    let parts: Vec<_> = unread.iter().map(|(part, _)| *part).collect();
    assert_eq!(parts, ["context", "location"]);
    until(|| place.server.unconfirmed() == 0).await;
    run.end().await;
}

/// Sixty-four connections that say nothing, as many as are read at once.
async fn say_nothing(callback: &str) -> Vec<TcpStream> {
    let url = reqwest::Url::parse(callback).unwrap();
    let address = (url.host_str().unwrap(), url.port().unwrap());
    let mut idle = Vec::new();
    for _ in 0..64 {
        idle.push(TcpStream::connect(address).await.unwrap());
    }
    idle
}

#[tokio::test]
async fn a_signed_webhook_is_answered_while_others_hold_every_place_and_say_nothing() {
    let place = Place::open().await;
    let (mut run, callback) = Run::up(&place.adapter).await;
    let mut idle = say_nothing(&callback).await;
    let body = notification("Hello");
    let (status, message) = tokio::join!(post(&callback, &body), run.message());
    assert_eq!((status, message.text.as_str()), (200, "Hello"));
    // Its answer did not wait until they were all cut off: the latest of them can still ask.
    let last = idle.last_mut().unwrap();
    last.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    let mut answer = String::new();
    last.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    run.end().await;
}
