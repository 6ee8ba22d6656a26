//! Streams: what they begin with, what they take up, and how they end.

use crate::place::{Place, watch};
use crate::shared::calls::said;
use foldback_channels::ChannelAdapter as _;
use foldback_strict::web_chat::StrictBrowser;
use foldback_wire::{MessageFlags, Operation};
use serde_json::json;
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

#[tokio::test]
async fn a_reload_shows_the_conversation_and_other_visitors_have_their_own() {
    let mut place = Place::open().await;
    let visitor = place.visitor().await;
    place.perform(&visitor.chat, said("hello")).await.unwrap();
    let again = watch(&visitor.browser, None).await.next().await.unwrap();
    let texts: Vec<_> = again.data["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["text"].clone())
        .collect();
    assert_eq!(
        (again.kind(), texts),
        ("conversation", vec![json!("hi"), json!("hello")])
    );
    let other = place.browser();
    assert_eq!(
        other.events(None).await.unwrap().err().unwrap().status,
        404,
        "no session yet"
    );
    other.begin().await.unwrap();
    assert_eq!(
        watch(&other, None).await.next().await.unwrap().data["messages"],
        json!([])
    );
    // A session that is there is kept by whoever begins again.
    let before = visitor.browser.cookies();
    visitor.browser.begin().await.unwrap();
    assert_eq!(visitor.browser.cookies(), before);
    assert_eq!(visitor.browser.broken(), []);
}

#[tokio::test]
async fn a_connection_that_breaks_is_taken_up_behind_its_last_event() {
    let mut place = Place::open().await;
    let mut visitor = place.visitor().await;
    let chat = visitor.chat.clone();
    place.perform(&chat, said("seen")).await.unwrap();
    let last = visitor.next().await.id;
    drop(visitor.events);
    for text in ["missed", "also"] {
        place.perform(&chat, said(text)).await.unwrap();
    }
    let mut events = watch(&visitor.browser, Some(&last)).await;
    for text in ["missed", "also"] {
        assert_eq!(events.next().await.unwrap().data["message"]["text"], text);
    }
    place.perform(&chat, said("live")).await.unwrap();
    assert_eq!(events.next().await.unwrap().data["message"]["text"], "live");
    // What follows these is not known: all of it comes.
    for id in [
        "",
        "0",
        "x-1",
        "-1",
        "abcd-18446744073709551615",
        &format!("{last}0000"),
    ] {
        let mut events = watch(&visitor.browser, Some(id)).await;
        let first = events.next().await.unwrap();
        assert_eq!(first.kind(), "conversation", "{id}");
    }
}

#[tokio::test]
async fn a_restart_keeps_sessions_and_conversations() {
    let mut place = Place::open().await;
    let visitor = place.visitor().await;
    let id = place
        .perform(&visitor.chat, said("a long answ"))
        .await
        .unwrap()
        .message
        .unwrap();
    let edit = Operation::EditText {
        message: id.clone(),
        text: "a long answer".into(),
        flags: MessageFlags::default(),
    };
    place.perform(&visitor.chat, edit).await.unwrap();
    let (cookie, old) = (visitor.browser.cookies().unwrap(), place.address.clone());
    let place = place.again().await;
    // The cookie's name has the port in it, and the port is another one.
    let port = |address: &str| address.rsplit_once(':').unwrap().1.to_owned();
    let cookie = cookie.replace(&port(&old), &port(&place.address));
    let browser = StrictBrowser::visit(&place.address)
        .unwrap()
        .with("cookie", &cookie);
    let kept = watch(&browser, None).await.next().await.unwrap();
    let messages = kept.data["messages"].as_array().unwrap();
    assert_eq!(
        (&messages[0]["text"], &messages[1]["text"]),
        (&json!("hi"), &json!("a long answer"))
    );
    assert_eq!(messages.len(), 2);
    assert!(place.perform(&visitor.chat, said("still here")).await.is_ok());
    // Nobody else can read what is kept.
    let mut folders = vec![place.data.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let meta = entry.metadata().unwrap();
            assert_eq!(meta.mode() & 0o077, 0, "{:?}", entry.path());
            if meta.is_dir() {
                folders.push(entry.path());
            }
        }
    }
}

#[tokio::test]
async fn what_a_kill_left_half_written_is_passed_over() {
    let mut place = Place::open().await;
    let visitor = place.visitor().await;
    place.perform(&visitor.chat, said("whole")).await.unwrap();
    let folder = std::fs::read_dir(place.data.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let log = folder.join(visitor.chat.as_str()).join("log.jsonl");
    let mut text = std::fs::read_to_string(&log).unwrap();
    text.push_str("{\"type\":\"message\",\"mess");
    std::fs::write(&log, text).unwrap();
    let place = place.again().await;
    place.perform(&visitor.chat, said("after")).await.unwrap();
    let place = place.again().await;
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.contains("whole") && text.contains("after"), "{text}");
    assert!(place.perform(&visitor.chat, said("and on")).await.is_ok());
}

/// A page that stops reading is cut off, and costs no memory; others are shown everything meanwhile.
#[tokio::test]
async fn a_page_that_reads_too_slowly_is_cut_off() {
    let mut place = Place::open().await;
    let mut visitor = place.visitor().await;
    let host = place.address.strip_prefix("http://").unwrap().to_owned();
    let cookies = visitor.browser.cookies().unwrap();
    let mut slow = TcpStream::connect(&host).await.unwrap();
    let head = format!(
        "GET /events HTTP/1.1\r\nhost: {host}\r\ncookie: {cookies}\r\nsec-fetch-site: same-origin\r\n\r\n"
    );
    slow.write_all(head.as_bytes()).await.unwrap();
    let mut begin = [0; 12];
    slow.read_exact(&mut begin).await.unwrap();
    assert_eq!(&begin, b"HTTP/1.1 200");
    let text = "x".repeat(4_000);
    let chat = visitor.chat.clone();
    let fast = async {
        let mut seen = 0;
        while seen < 4_000 {
            seen += usize::from(visitor.next().await.kind() == "message");
        }
    };
    let sending = async {
        for _ in 0..4_000 {
            place.perform(&chat, said(&text)).await.unwrap();
            // Whoever reads is given the time to.
            tokio::task::yield_now().await;
        }
    };
    let both = async { tokio::join!(fast, sending) };
    timeout(Duration::from_mins(1), both)
        .await
        .expect("the page that reads gets all of it");
    // What the system had taken already still comes, and then the end: far less than the 16 MB that were sent.
    let mut left = Vec::new();
    let ended = timeout(Duration::from_secs(10), slow.read_to_end(&mut left)).await;
    assert!(
        ended.is_ok(),
        "the slow page is still connected, after {} bytes",
        left.len()
    );
    assert!(left.len() < 12_000_000, "{} bytes", left.len());
}

#[tokio::test]
async fn a_conversation_has_eight_tabs_and_a_closed_one_makes_room() {
    let mut place = Place::open().await;
    let visitor = place.visitor().await;
    let mut tabs = Vec::new();
    for _ in 1..8 {
        tabs.push(watch(&visitor.browser, None).await);
    }
    let refused = visitor.browser.events(None).await.unwrap().err().unwrap();
    assert_eq!(refused.status, 429);
    tabs.pop();
    let room = async {
        while visitor.browser.events(None).await.unwrap().is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(5), room)
        .await
        .expect("a closed tab is noticed at once");
    assert_eq!(visitor.browser.broken(), []);
}

#[tokio::test]
async fn a_channel_that_stops_closes_its_port_and_its_streams() {
    let mut place = Place::open().await;
    let mut visitor = place.visitor().await;
    place.run.end().await;
    assert_eq!(
        timeout(Duration::from_secs(5), visitor.events.next())
            .await
            .unwrap(),
        None
    );
    assert!(visitor.browser.begin().await.is_err(), "nobody listens any more");
    // What the bot sends meanwhile waits there.
    let sent = crate::shared::calls::call(crate::shared::calls::target(&visitor.chat, None), said("later"));
    assert!(place.adapter.perform(sent).await.is_ok());
}
