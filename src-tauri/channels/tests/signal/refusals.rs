//! What the adapter makes of refusals and of answers that do not come.

use crate::place::{ANA, BEN, GROUP, Place, group, said, several};
use foldback_channels::Refusal;
use foldback_channels::strict::Mishap;
use foldback_channels::strict::signal::Start;
use foldback_wire::{FileKind, Operation, RefusalCode};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

#[tokio::test]
async fn mishaps_are_told_apart() {
    let place = Place::open().await;
    let wait = Duration::from_secs(90);
    for (mishap, code, retry_after, maybe_done, arrived) in [
        (
            Mishap::RateLimited(wait),
            RefusalCode::RateLimited,
            Some(wait),
            false,
            0,
        ),
        (Mishap::Failed, RefusalCode::Transient, None, true, 0),
        (Mishap::FailedAfter, RefusalCode::Transient, None, true, 1),
        (Mishap::Lost, RefusalCode::Transient, None, true, 2),
        (Mishap::Broken, RefusalCode::Transient, None, true, 2),
    ] {
        place.server.plan("send", mishap);
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.retry_after, refusal.maybe_done),
            (code, retry_after, maybe_done),
            "{mishap:?}: {refusal:?}"
        );
        assert_eq!(place.server.messages(ANA).len(), arrived, "{mishap:?}");
    }
    assert!(place.send("hi").await.is_ok());
}

#[tokio::test]
async fn a_call_that_is_not_answered_in_time_may_be_done() {
    let place = Place::open().await;
    place.clock.impatient.store(true, Ordering::SeqCst);
    place.server.plan("send", Mishap::Late(Duration::from_mins(10)));
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Transient, true));
    assert!(
        refusal.detail.contains("did not answer send within 60 s"),
        "{refusal}"
    );
}

#[tokio::test]
async fn calls_under_way_when_the_connection_breaks_may_be_done() {
    let place = Place::open().await;
    place.server.plan("send", Mishap::Late(Duration::from_mins(10)));
    place.server.plan("send", Mishap::Late(Duration::from_mins(10)));
    let (one, two, ()) = tokio::join!(place.send("one"), place.send("two"), async {
        while place.server.messages(ANA).len() < 2 {
            tokio::task::yield_now().await;
        }
        place.server.disconnect();
    });
    for refusal in [one.unwrap_err(), two.unwrap_err()] {
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Transient, true),
            "{refusal}"
        );
    }
}

/// What the adapter makes of a daemon that answers with these bytes, and closes.
async fn answered_with(place: &Place, bytes: &[u8]) -> Refusal {
    let daemon = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let root = format!("tcp://{}", daemon.local_addr().unwrap());
    let (call, ()) = tokio::join!(place.send_to(&root), async {
        let mut wire = BufReader::new(daemon.accept().await.unwrap().0);
        wire.read_line(&mut String::new()).await.unwrap();
        wire.write_all(bytes).await.unwrap();
    });
    call.unwrap_err()
}

#[tokio::test]
async fn answers_that_are_none_leave_it_open_whether_it_is_done() {
    let place = Place::open().await;
    for (bytes, code, maybe_done) in [
        (
            &b"{\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}\n"[..],
            RefusalCode::Rejected,
            false,
        ),
        (b"", RefusalCode::Transient, true),
        (b"garbage\n", RefusalCode::Transient, true),
        (
            b"{\"id\":7,\"result\":{\"timestamp\":5}}\n",
            RefusalCode::Transient,
            true,
        ),
        (
            b"{\"id\":\"1\",\"result\":{\"timestamp\":5}}\n",
            RefusalCode::Transient,
            true,
        ),
        (
            b"{\"id\":1,\"result\":{\"timestamp\":5}}",
            RefusalCode::Transient,
            true,
        ),
        (b"{\"id\":1,\"result\":{}}\n", RefusalCode::Rejected, true),
        (
            b"{\"id\":1,\"result\":{\"timestamp\":5.5}}\n",
            RefusalCode::Rejected,
            true,
        ),
        (
            b"{\"id\":1,\"result\":{\"timestamp\":\"5\"}}\n",
            RefusalCode::Rejected,
            true,
        ),
        (b"{\"id\":1}\n", RefusalCode::Rejected, true),
    ] {
        let refusal = answered_with(&place, bytes).await;
        let line = String::from_utf8_lossy(bytes);
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (code, maybe_done),
            "{line}: {refusal}"
        );
    }
}

#[tokio::test]
async fn a_daemon_that_is_not_there_has_done_nothing() {
    let place = Place::open().await;
    let Place { server, adapter, .. } = place;
    drop(server);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let call = foldback_channels::Call {
        target: crate::place::target(ANA),
        operation: said("hi"),
        key: "k".into(),
    };
    let refusal = foldback_channels::ChannelAdapter::perform(&*adapter, call)
        .await
        .unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Transient, false),
        "{refusal}"
    );
    assert!(refusal.detail.contains("start its daemon"), "{refusal}");
}

#[tokio::test]
async fn a_rate_limit_says_how_it_is_lifted() {
    let place = Place::open().await;
    place
        .server
        .plan("send", Mishap::RateLimited(Duration::from_secs(90)));
    let refusal = place.send("hi").await.unwrap_err();
    for said in [
        "signalcaptchas.org",
        "submitRateLimitChallenge --challenge 12ab-challenge",
    ] {
        assert!(refusal.detail.contains(said), "{refusal}");
    }
}

#[tokio::test]
async fn a_new_safety_number_says_what_to_compare() {
    let place = Place::open().await;
    place.server.distrust(ANA);
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Forbidden, false)
    );
    assert!(
        refusal
            .detail
            .contains("trust --verified-safety-number NUMBER +33123456789"),
        "{refusal}"
    );
}

#[tokio::test]
async fn who_is_gone_is_told_from_where_one_may_not_write() {
    let place = Place::open().await;
    let closed = "AAAAAAAAAAAAAAAAAAAAAA==";
    place.server.open_group(closed, &[ANA, BEN]);
    for (chat, code) in [
        ("+19999999999".to_owned(), RefusalCode::Gone),
        ("group:BBBBBBBBBBBBBBBBBBBBBA==".to_owned(), RefusalCode::Gone),
        (format!("group:{closed}"), RefusalCode::Forbidden),
    ] {
        let refusal = place.perform_in(&chat, said("hi")).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (code, false),
            "{chat}: {refusal}"
        );
    }
    assert!(place.server.messages(GROUP).is_empty());
}

#[tokio::test]
async fn an_account_the_daemon_lacks_is_said() {
    for (start, account) in [
        (several(), Some("+4915500000009")),
        (several(), None),
        (
            Start {
                single: true,
                ..several()
            },
            Some("+4915500000009"),
        ),
    ] {
        let place = Place::started(start, account).await;
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Forbidden, false)
        );
        assert!(refusal.detail.contains("set the channel's account"), "{refusal}");
    }
}

#[tokio::test]
async fn the_authors_of_own_messages_must_be_known() {
    let start = Start {
        single: true,
        ..several()
    };
    let place = Place::started(start, None).await;
    let mine = place.send("hi").await.unwrap().message.unwrap();
    let reply = Operation::SendText {
        text: "x".into(),
        reply_to: Some(mine),
    };
    let refusal = place.perform(reply).await.unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Rejected, false));
    assert!(refusal.detail.contains("set the channel's account"), "{refusal}");
    assert_eq!(place.server.messages(ANA).len(), 1);
}

#[tokio::test]
async fn ids_that_are_none_never_leave_the_machine() {
    let place = Place::open().await;
    for id in [
        "",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "+",
        "-",
        "-1",
        "+1",
        "0",
        "0x10",
        "１",
        "9223372036854775808",
        "abc",
        "1;drop",
        "../1",
        "1\n",
        ":",
        "1:",
        ":+33123456789",
        "1:ana",
        "1:+",
        "1:group:AAAA",
        "1:--config=/tmp",
        "1:+33123456789:2",
    ] {
        for operation in [
            Operation::Delete { message: id.into() },
            Operation::React {
                message: id.into(),
                emoji: "👍".into(),
                emoji_sent: "👍".into(),
            },
            Operation::SendText {
                text: "x".into(),
                reply_to: Some(id.into()),
            },
        ] {
            let refusal = place.perform(operation).await.unwrap_err();
            assert_eq!(
                (refusal.code, refusal.maybe_done),
                (RefusalCode::Gone, false),
                "{id:?}"
            );
        }
    }
    for chat in [
        "",
        "33123456789",
        "+",
        "+33 1",
        "+33123456789;+1",
        "ana",
        "group:",
        "group:AAAA",
        "group:../../x",
        "GROUP:AAAA",
        "u:",
        "u:x",
        "PNI:1",
        "--note-to-self",
        "\u{202e}+33123456789",
    ] {
        let refusal = place.perform_in(chat, said("x")).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Gone, false),
            "{chat:?}"
        );
    }
    assert_eq!(place.server.calls(), 0);
}

#[tokio::test]
async fn large_ids_arrive_to_the_last_digit() {
    let place = Place::open().await;
    for sent in [9_007_199_254_740_993, i64::MAX] {
        place.server.write(
            ANA,
            Some(GROUP),
            serde_json::json!({"timestamp": sent, "message": "hi"}),
        );
        let react = Operation::React {
            message: format!("{sent}:{ANA}").into(),
            emoji: "👍".into(),
            emoji_sent: "👍".into(),
        };
        place.perform_in(&group(), react).await.unwrap();
    }
    assert!(
        place
            .server
            .messages(GROUP)
            .iter()
            .all(|posted| posted.reaction.is_some())
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_file_that_may_not_be_sent_is_refused_here() {
    let place = Place::open().await;
    std::os::unix::fs::symlink("/etc/passwd", place.dir.path().join("link.txt")).unwrap();
    for path in [
        "link.txt",
        "../a.txt",
        "/etc/passwd",
        "nothing.txt",
        "",
        "data:text/plain,x",
    ] {
        let file = Operation::SendFile {
            path: path.into(),
            kind: FileKind::File,
            caption: None,
            reply_to: None,
            checked: None,
        };
        let refusal = place.perform(file).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Rejected, false),
            "{path}"
        );
    }
    assert_eq!(place.server.calls(), 0);
}

#[tokio::test]
async fn a_daemon_on_another_machine_is_refused() {
    let place = Place::open().await;
    assert!(place.adapter_at("tcp://127.0.0.1:7583").is_ok());
    let Err(refusal) = place.adapter_at("tcp://192.168.1.2:7583") else {
        panic!("it has no password");
    };
    assert!(refusal.detail.contains("must be on this machine"), "{refusal}");
}
