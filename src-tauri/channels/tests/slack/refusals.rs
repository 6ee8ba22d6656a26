//! What the adapter makes of refusals and of answers that do not come.

use crate::place::{APP_TOKEN, DIRECT, Place, ROOM, TOKEN, adapter, ana, said, socket_mode};
use foldback_channels::strict::Mishap;
use foldback_channels::{ChannelAdapter, SlackEvents};
use foldback_wire::{FileKind, Operation, RefusalCode, Secret};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn file(path: &str) -> Operation {
    Operation::SendFile {
        path: path.into(),
        kind: FileKind::File,
        caption: None,
        reply_to: None,
        checked: None,
    }
}

#[tokio::test]
async fn mishaps_are_told_apart() {
    let place = Place::open().await;
    let wait = Duration::from_secs(3);
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
        place.server.plan("chat.postMessage", mishap);
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.retry_after, refusal.maybe_done),
            (code, retry_after, maybe_done),
            "{mishap:?}: {refusal:?}"
        );
        assert_eq!(place.server.messages(ROOM).len(), arrived, "{mishap:?}");
    }
    assert!(place.send("hi").await.is_ok());
}

#[tokio::test]
async fn a_file_is_only_shown_by_the_last_step() {
    let place = Place::open().await;
    for (step, maybe_done) in [
        ("files.getUploadURLExternal", false),
        ("upload", false),
        ("files.completeUploadExternal", true),
    ] {
        for mishap in [Mishap::Broken, Mishap::Failed, Mishap::Lost] {
            let before = place.server.messages(ROOM).len();
            place.server.plan(step, mishap);
            let refusal = place.perform(file("a.txt")).await.unwrap_err();
            assert_eq!(
                (refusal.code, refusal.maybe_done),
                (RefusalCode::Transient, maybe_done),
                "{step} {mishap:?}"
            );
            let shown = place.server.messages(ROOM).len() - before;
            assert!(shown == 0 || maybe_done, "{step} {mishap:?}");
        }
        let wait = Duration::from_secs(7);
        place.server.plan(step, Mishap::RateLimited(wait));
        let refusal = place.perform(file("a.txt")).await.unwrap_err();
        assert_eq!(
            (refusal.retry_after, refusal.maybe_done),
            (Some(wait), false),
            "{step}"
        );
    }
}

#[tokio::test]
async fn every_refusal_says_what_to_do() {
    let place = Place::open().await;
    let theirs = place.server.write(ROOM, ana("hi"));
    let in_room = async |room: &str| place.perform_in(room, None, said("hi")).await.unwrap_err();
    let mut told = vec![(
        in_room("C0NOWHERE1").await,
        RefusalCode::Gone,
        "channel_not_found: there is no such channel",
    )];
    place.server.put_out(ROOM, true);
    told.push((
        in_room(ROOM).await,
        RefusalCode::Forbidden,
        "not_in_channel: the bot is not in this channel; write /invite",
    ));
    place.server.put_out(ROOM, false);
    place.server.archive(ROOM, true);
    told.push((
        in_room(ROOM).await,
        RefusalCode::Gone,
        "is_archived: the channel is archived; somebody must unarchive",
    ));
    place.server.archive(ROOM, false);
    told.push((
        place.send(" ").await.unwrap_err(),
        RefusalCode::Rejected,
        "no_text: Slack takes no empty message",
    ));
    told.push((
        place.send(&"&".repeat(1_000)).await.unwrap_err(),
        RefusalCode::TooLong,
        "5000 scalars in Slack's markup, of at most 4000",
    ));
    told.push((
        in_room("U0ANA0001").await,
        RefusalCode::Gone,
        "write the id of the channel or direct message",
    ));
    told.push((
        place.perform(file("empty.txt")).await.unwrap_err(),
        RefusalCode::Rejected,
        "empty.txt is empty",
    ));
    told.push((
        place.perform(Operation::Typing).await.unwrap_err(),
        RefusalCode::Unsupported,
        "typing",
    ));
    place.server.take_scope("reactions:write");
    let react = Operation::React {
        message: theirs.into(),
        emoji: "👍".into(),
        emoji_sent: "thumbsup".into(),
    };
    told.push((
        place.perform(react).await.unwrap_err(),
        RefusalCode::Forbidden,
        "the app lacks reactions:write; add it",
    ));
    let root = place.server.root();
    for (token, said) in [
        ("xoxb-wrong", "invalid_auth: copy the token again"),
        (APP_TOKEN, "not_allowed_token_type: the wrong kind of token"),
    ] {
        let impostor = adapter(&root, token, socket_mode(), place.dir.path()).unwrap();
        let call = foldback_channels::Call {
            target: foldback_wire::Target {
                chat: ROOM.into(),
                thread: None,
            },
            operation: crate::place::said("hi"),
            key: "k".into(),
        };
        told.push((
            impostor.perform(call).await.unwrap_err(),
            RefusalCode::Forbidden,
            said,
        ));
    }
    for (refusal, code, said) in told {
        assert_eq!((refusal.code, refusal.maybe_done), (code, false), "{refusal:?}");
        assert!(
            refusal.detail.contains(said),
            "{} does not say {said:?}",
            refusal.detail
        );
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_has_done_nothing() {
    let place = Place::open().await;
    let root = place.server.root();
    let Place { server, adapter, .. } = place;
    drop(server);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let call = foldback_channels::Call {
        target: foldback_wire::Target {
            chat: ROOM.into(),
            thread: None,
        },
        operation: said("hi"),
        key: "k".into(),
    };
    let refusal = adapter.perform(call).await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Transient, false),
        "{refusal:?}"
    );
    assert!(!refusal.detail.contains(&root), "{}", refusal.detail);
}

#[tokio::test]
async fn no_refusal_holds_a_token() {
    let place = Place::open().await;
    let root = place.server.root();
    let mut said = Vec::new();
    for (token, app_token) in [
        (TOKEN, "xapp-token-wrong"),
        ("xoxb-token-wrong", APP_TOKEN),
        (TOKEN, TOKEN),
    ] {
        let events = SlackEvents::SocketMode(Secret::new(app_token));
        said.push(format!("{events:?}"));
        let impostor = adapter(&root, token, events, place.dir.path()).unwrap();
        let (sink, mut signals) = tokio::sync::mpsc::channel(16);
        let ended = impostor.run(sink, CancellationToken::new()).await.unwrap_err();
        assert_eq!(ended.code, RefusalCode::Forbidden);
        assert!(ended.detail.starts_with("Slack refuses the app: "), "{ended}");
        said.push(format!("{ended:?} {ended}"));
        while let Some(signal) = signals.recv().await {
            said.push(format!("{signal:?}"));
        }
    }
    for method in ["chat.postMessage", "upload", "link"] {
        place.server.plan(method, Mishap::Lost);
    }
    said.push(format!("{:?}", place.send("hi").await));
    said.push(format!("{:?}", place.perform(file("a.txt")).await));
    let mut run = crate::place::Run::of(&place.adapter);
    said.push(run.until(foldback_wire::ChannelState::Down).await);
    run.end().await;
    for text in said {
        assert!(!text.contains("-token") && !text.contains("ticket"), "{text}");
    }
}

#[tokio::test]
async fn ids_that_are_none_never_leave_the_machine() {
    let place = Place::open().await;
    for id in [
        "",
        "1",
        "1.0",
        " 1700000000.000019",
        "1700000000.000019 ",
        "1700000000.00001",
        "1700000000.0000190",
        "1e9.000000",
        "1700000000,000019",
        "１700000000.000019",
        "-1.000000",
        "1700000000.000019\n",
        "abc",
        "../1.000000",
        "17000000001.000000",
    ] {
        for operation in [
            Operation::Delete { message: id.into() },
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
        let refusal = place.perform_in(ROOM, Some(id), said("x")).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Gone, "{id:?}");
    }
    for chat in [
        "",
        "C",
        "#general",
        "@ana",
        "U0ANA0001",
        "c0general1",
        "C0GENERAL1 ",
        "C0&x=1",
        "../C1",
        "C0GÉNÉRAL",
        "X0",
        "C1\n",
        "C１",
        "https://e.org",
    ] {
        let refusal = place.perform_in(chat, None, said("x")).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Gone, false),
            "{chat:?}"
        );
    }
    assert_eq!(place.server.calls(), 0);
    assert!(place.perform_in(DIRECT, None, said("x")).await.is_ok());
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
        "empty.txt",
    ] {
        let refusal = place.perform(file(path)).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Rejected, false),
            "{path}"
        );
    }
    assert_eq!(place.server.calls(), 0);
}

#[test]
fn the_tokens_travel_encrypted_or_not_at_all() {
    for (root, fine) in [
        ("https://slack.com/api", true),
        ("https://slack-gov.com/api/", true),
        ("http://127.0.0.1:8081/api", true),
        ("http://localhost:8081", true),
        ("http://slack.com/api", false),
        ("http://127.0.0.1.example.org", false),
        ("ws://127.0.0.1", false),
        ("slack.com/api", false),
        ("", false),
    ] {
        let dir = std::env::temp_dir();
        assert_eq!(adapter(root, TOKEN, socket_mode(), &dir).is_ok(), fine, "{root}");
    }
}
