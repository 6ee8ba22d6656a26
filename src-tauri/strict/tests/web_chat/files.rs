//! Files, as browsers and others ask for them.

use crate::place::Place;
use crate::shared::calls::{file, said};
use foldback_wire::FileKind;
use std::collections::BTreeSet;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

#[tokio::test]
async fn no_path_leads_out_of_a_conversation() {
    let mut place = Place::open().await;
    let visitor = place.visitor().await;
    place
        .perform(&visitor.chat, file("a.txt", FileKind::File, None))
        .await
        .unwrap();
    let host = place.address.strip_prefix("http://").unwrap().to_owned();
    let cookies = visitor.browser.cookies().unwrap();
    for path in [
        "/files/",
        "/files/log.jsonl",
        "/files/../log.jsonl",
        "/files/..%2flog.jsonl",
        "/files/%2e%2e/%2e%2e/etc/passwd",
        "/files//etc/passwd",
        "/files/../../../../etc/passwd",
        "/files/..\\..\\etc\\passwd",
        "/files/0123456789abcdef",
        "/files/%00",
        "/log.jsonl",
        "/../Cargo.toml",
        "//etc/passwd",
        "http://127.0.0.1/etc/passwd",
        "/page/index.html",
    ] {
        // By hand: a client would put the path in order.
        let mut stream = TcpStream::connect(&host).await.unwrap();
        let head =
            format!("GET {path} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookies}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let status = answer.get(9..12).unwrap_or_default();
        assert!(["404", "400"].contains(&status), "{path}: {answer}");
        assert!(
            !answer.contains("root:") && !answer.contains("\"type\""),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_file_is_its_conversations_own_and_what_could_run_is_stored() {
    let mut place = Place::open().await;
    let (mut visitor, other) = (place.visitor().await, place.visitor().await);
    let mut path = String::new();
    for (name, media_type, how) in [
        ("a.html", "application/octet-stream", "attachment"),
        ("a.png", "image/png", "inline"),
    ] {
        place
            .perform(&visitor.chat, file(name, FileKind::File, None))
            .await
            .unwrap();
        let id = visitor.next().await.data["message"]["files"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        path = format!("/files/{id}");
        let answer = visitor.browser.load(&path).await.unwrap();
        assert_eq!((answer.status, answer.header("content-type")), (200, media_type));
        assert!(answer.header("content-disposition").starts_with(how), "{name}");
        assert!(
            answer.header("content-security-policy").contains("sandbox"),
            "{name}"
        );
    }
    for (range, status, part, body) in [
        ("bytes=1-", 206, "bytes 1-2/3", "ng"),
        ("bytes=0-0", 206, "bytes 0-0/3", "p"),
        ("bytes=-1", 206, "bytes 2-2/3", "g"),
        ("bytes=3-", 416, "bytes */3", "The file has no such part."),
    ] {
        let answer = visitor.browser.load_part(&path, range).await.unwrap();
        assert_eq!(
            (answer.status, answer.header("content-range")),
            (status, part),
            "{range}"
        );
        assert_eq!(answer.text(), body, "{range}");
    }
    assert_eq!(other.browser.load(&path).await.unwrap().status, 404);
    assert_eq!(
        place.browser().load(&path).await.unwrap().status,
        404,
        "without a session"
    );
    assert_eq!(visitor.browser.broken(), []);
}

#[tokio::test]
async fn what_a_kill_leaves_of_files_is_gone_with_the_next_start() {
    let mut place = Place::open().await;
    let visitor = place.visitor().await;
    let sent = file("a.png", FileKind::File, None);
    place.perform(&visitor.chat, sent).await.unwrap();
    let chats = std::fs::read_dir(place.data.path()).unwrap().next().unwrap();
    let chats = chats.unwrap().path();
    let folder = chats.join(visitor.chat.as_str());
    let names = || {
        let files = std::fs::read_dir(&folder).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        names.collect::<BTreeSet<_>>()
    };
    let before = names();
    assert_eq!(before.len(), 2, "{before:?}");
    // A file that came in while its message did not, and a log that was being written anew.
    for name in ["0123456789abcdef", "log.part"] {
        std::fs::write(folder.join(name), "half").unwrap();
    }
    // A conversation whose first message was still coming in.
    let begun = chats.join("f".repeat(visitor.chat.as_str().len()));
    std::fs::create_dir(&begun).unwrap();
    std::fs::write(begun.join("0123456789abcdef"), "half").unwrap();
    let place = place.again().await;
    assert_eq!(names(), before);
    assert!(!begun.exists());
    place.perform(&visitor.chat, said("still here")).await.unwrap();
}
