//! What comes in.

use crate::place::{ANA, ANA_ACI, BEN, GROUP, ME, Place, group, several};
use crate::shared::run::Run;
use foldback_strict::Mishap;
use foldback_strict::signal::{SignalServer, Start};
use foldback_wire::{ChannelState, ChatType, Timestamp};
use serde_json::json;

/// Whatever comes next is this.
async fn only(place: &Place, run: &mut Run) {
    place.server.write(BEN, None, json!({"message": "the next"}));
    assert_eq!(run.message().await.text, "the next");
}

#[tokio::test]
async fn a_message_comes_in() {
    let place = Place::open().await;
    let mut run = place.run();
    assert_eq!(run.until(ChannelState::Up).await, format!("connected as {ME}"));
    let data = json!({"timestamp": 1_763_712_345_678_i64, "message": "Hello", "viewOnce": false, "expiresInSeconds": 0});
    place.server.write(ANA, None, data);
    let message = run.message().await;
    assert_eq!(
        (
            message.message.as_str(),
            message.text.as_str(),
            message.chat_type,
            message.at.to_string().as_str()
        ),
        (
            "1763712345678:+33123456789",
            "Hello",
            ChatType::Direct,
            "2025-11-21T08:05:45.679Z"
        )
    );
    assert_eq!(
        (
            message.sender.id.as_str(),
            message.sender.display_name.as_str(),
            message.chat.as_str(),
            message.account.as_deref(),
            message.mentioned
        ),
        (ANA, "Ana", ANA, Some(ME), false)
    );
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

/// A phone's clock may be anything, and a message is named by it. Signal's server knows when it was sent.
#[tokio::test]
async fn the_time_is_that_of_signals_server_or_marked_as_the_devices() {
    let place = Place::open().await;
    let mut run = place.run();
    for (sent, received, at, at_by_device) in [
        (5, json!(70_000), 70_000, false),
        (90_000, json!(70_001), 70_001, false),
        (6, json!(null), 6, true),
        (7, json!(0), 7, true),
    ] {
        let envelope = json!({
            "source": ANA, "sourceNumber": ANA, "timestamp": sent, "serverReceivedTimestamp": received,
            "dataMessage": {"timestamp": sent, "message": "hi"},
        });
        place.server.receive(json!({"account": ME, "envelope": envelope}));
        let message = run.message().await;
        assert_eq!(
            (
                message.message.as_str(),
                message.at.to_string(),
                message.at_by_device
            ),
            (
                format!("{sent}:{ANA}").as_str(),
                Timestamp(at).to_string(),
                at_by_device
            )
        );
    }
    run.end().await;
}

#[tokio::test]
async fn who_hides_the_number_is_known_by_the_aci() {
    let place = Place::open().await;
    let mut run = place.run();
    let envelope = json!({
        "source": ANA_ACI, "sourceNumber": null, "sourceUuid": ANA_ACI, "sourceName": "", "timestamp": 5,
        "dataMessage": {"timestamp": 5, "message": "hi", "quote": {"id": 4, "author": ME, "authorNumber": ME,
            "authorUuid": null, "text": "mine", "attachments": []}},
    });
    place.server.receive(json!({"account": ME, "envelope": envelope}));
    let message = run.message().await;
    assert_eq!(
        (
            message.message.as_str(),
            message.sender.display_name.as_str(),
            message.chat.as_str()
        ),
        (&*format!("5:{ANA_ACI}"), ANA_ACI, ANA_ACI)
    );
    assert_eq!(
        (message.reply_to, message.mentioned),
        (Some("4".into()), true),
        "it answers the account"
    );
}

#[tokio::test]
async fn groups_mentions_and_quotes() {
    let place = Place::open().await;
    let mut run = place.run();
    let mention = |number: &str, start: usize| json!([{"name": number, "number": number, "uuid": null, "start": start, "length": 1}]);
    let quote = |number: &str| json!({"id": 7, "author": number, "authorNumber": number, "authorUuid": null, "text": "x"});
    for (data, text, mentioned, reply_to) in [
        (
            json!({"message": "\u{fffc} hi", "mentions": mention(ME, 0)}),
            "@+4915500000001 hi",
            true,
            None,
        ),
        (
            json!({"message": "🎉 \u{fffc}!", "mentions": mention(BEN, 3)}),
            "🎉 @+33987654321!",
            false,
            None,
        ),
        (
            json!({"message": "x", "mentions": mention(ME, 4_000_000)}),
            "x",
            true,
            None,
        ),
        (
            json!({"message": "x", "mentions": null, "attachments": null}),
            "x",
            false,
            None,
        ),
        (
            json!({"message": "yes", "quote": quote(ME)}),
            "yes",
            true,
            Some("7".to_owned()),
        ),
        (
            json!({"message": "no", "quote": quote(BEN)}),
            "no",
            false,
            Some(format!("7:{BEN}")),
        ),
    ] {
        let said = data.to_string();
        place.server.write(ANA, Some(GROUP), data);
        let message = run.message().await;
        assert_eq!(
            (message.chat.to_string(), message.chat_type),
            (group(), ChatType::Group)
        );
        assert_eq!(
            (message.text.as_str(), message.mentioned),
            (text, mentioned),
            "{said}"
        );
        assert_eq!(message.reply_to.map(|id| id.to_string()), reply_to, "{said}");
    }
}

#[tokio::test]
async fn files_come_with_their_text() {
    let place = Place::open().await;
    let mut run = place.run();
    let files = json!([
        {"contentType": "application/pdf", "filename": "a.pdf", "id": "x.pdf", "size": 7},
        {"contentType": "image/jpeg", "filename": null, "id": "y", "size": null},
    ]);
    place
        .server
        .write(ANA, None, json!({"message": "Look", "attachments": files}));
    let sticker = json!({"packId": "ab", "stickerId": 2});
    place
        .server
        .write(ANA, None, json!({"message": null, "sticker": sticker}));
    let message = run.message().await;
    let names: Vec<_> = message
        .files
        .iter()
        .map(|f| {
            (
                f.name.as_str(),
                f.media_type.as_str(),
                f.size,
                f.source.as_deref(),
            )
        })
        .collect();
    assert_eq!(message.text, "Look");
    assert_eq!(
        names,
        [
            ("a.pdf", "application/pdf", Some(7), Some("x.pdf")),
            ("attachment", "image/jpeg", None, Some("y"))
        ]
    );
    assert_eq!(run.message().await.files[0].name, "sticker.webp");
}

#[tokio::test]
async fn what_no_person_wrote_to_the_account_does_not_come() {
    let place = Place::open().await;
    let mut run = place.run();
    run.up().await;
    let target = json!({"targetAuthor": ME, "targetSentTimestamp": 5});
    for data in [
        json!({"message": null, "reaction": {"emoji": "👍", "isRemove": false, "targetAuthor": ME}}),
        json!({"message": null, "remoteDelete": {"timestamp": 5}}),
        json!({"message": null, "expiresInSeconds": 60, "isExpirationUpdate": true}),
        json!({"message": "", "pollVote": target}),
        json!({"message": " \n"}),
    ] {
        place.server.write(ANA, None, data);
    }
    for (field, what) in [
        (
            "receiptMessage",
            json!({"when": 5, "isRead": true, "timestamps": [5]}),
        ),
        ("typingMessage", json!({"action": "STARTED", "timestamp": 5})),
        (
            "editMessage",
            json!({"targetSentTimestamp": 5, "dataMessage": {"timestamp": 6, "message": "edited"}}),
        ),
        ("callMessage", json!({"offerMessage": {"id": 1}})),
        ("storyMessage", json!({"allowsReplies": true})),
        (
            "syncMessage",
            json!({"sentMessage": {"destination": ANA, "timestamp": 5, "message": "from my phone"}}),
        ),
    ] {
        let mut envelope = json!({"source": ANA, "sourceNumber": ANA, "timestamp": 5});
        envelope[field] = what;
        place.server.receive(json!({"account": ME, "envelope": envelope}));
    }
    let own = json!({"source": ME, "sourceNumber": ME, "timestamp": 5, "dataMessage": {"timestamp": 5, "message": "echo"}});
    let nobody = json!({"timestamp": 5, "dataMessage": {"timestamp": 5, "message": "nobody's"}});
    let odd = json!({"source": ANA, "sourceNumber": ANA, "dataMessage": {"timestamp": "5", "message": {}}});
    for received in [
        json!({"account": ME, "envelope": own}),
        json!({"account": ME, "envelope": nobody}),
        json!({"account": ME, "envelope": odd}),
        json!({"account": ME, "exception": {"message": "x", "type": "UntrustedIdentityException"}}),
        json!({"account": ME}),
    ] {
        place.server.receive(received);
    }
    only(&place, &mut run).await;
}

#[tokio::test]
async fn a_message_told_twice_comes_once() {
    let place = Place::started(
        Start {
            automatic: true,
            ..several()
        },
        Some(ME),
    )
    .await;
    let mut run = place.run();
    run.up().await;
    for text in ["one", "two"] {
        place.server.write(ANA, None, json!({"message": text}));
        assert_eq!(
            run.message().await.text,
            text,
            "told by itself and by subscription"
        );
    }
    let again = json!({"timestamp": 1_763_700_000_007_i64, "message": "one"});
    place.server.write(ANA, None, again);
    only(&place, &mut run).await;
}

#[tokio::test]
async fn messages_come_in_the_order_they_are_told_and_while_the_subscription_begins() {
    let place = Place::open().await;
    let texts: Vec<_> = (0..200).map(|n| n.to_string()).collect();
    for (n, text) in texts.iter().enumerate() {
        // Their times run backwards.
        place
            .server
            .write(ANA, None, json!({"timestamp": 9_000 - n, "message": text}));
    }
    let mut run = place.run();
    let mut seen = Vec::new();
    while seen.len() < texts.len() {
        seen.push(run.message().await.text);
    }
    assert_eq!(seen, texts);
}

#[tokio::test]
async fn lines_that_mean_nothing_harm_nothing() {
    let place = Place::open().await;
    let mut run = place.run();
    run.up().await;
    let line = |text: &str| {
        let envelope =
            json!({"source": ANA, "sourceNumber": ANA, "dataMessage": {"timestamp": 5, "message": text}});
        json!({"jsonrpc": "2.0", "method": "receive", "params": {"subscription": 0, "result": {"envelope": envelope}}}).to_string()
    };
    place
        .server
        .babble(b"garbage\n\n\n{\"jsonrpc\":\n[1,2]\n7\nnull\n\xff\xfe\n{\"id\":99,\"result\":{}}\n");
    place
        .server
        .babble(b"{\"method\":\"callEvent\",\"params\":{}}\n{\"method\":\"receive\",\"params\":[]}\n");
    place
        .server
        .babble(&[b"{\"x\":\"".to_vec(), vec![b'x'; 9 << 20], b"\"}\n".to_vec()].concat());
    let line = line("half ü and half").into_bytes();
    let (half, rest) = line.split_at(90);
    place.server.babble(half);
    tokio::task::yield_now().await;
    place.server.babble(&[rest, &b"\n"[..]].concat());
    let (message, unread) = run.message_and_unread().await;
    assert_eq!(message.text, "half ü and half");
    let raw: Vec<_> = unread.iter().map(|(_, raw)| raw.as_str()).collect();
    let told = [
        "garbage",
        "{\"jsonrpc\":",
        "[1,2]",
        "7",
        "null",
        "\u{fffd}\u{fffd}",
        "[]",
        "",
    ];
    assert_eq!(
        raw, told,
        "each is told; of one that is too long, no more than its size"
    );
    only(&place, &mut run).await;
}

#[tokio::test]
async fn it_comes_back_after_every_mishap_and_loses_nothing() {
    for (method, mishap) in [
        ("listAccounts", Mishap::Failed),
        ("listAccounts", Mishap::Broken),
        ("subscribeReceive", Mishap::Broken),
        ("subscribeReceive", Mishap::FailedAfter),
    ] {
        let place = Place::open().await;
        place.server.plan(method, mishap);
        let mut run = place.run();
        run.until(ChannelState::Down).await;
        run.up().await;
        place.server.write(ANA, None, json!({"message": "hi"}));
        assert_eq!(run.message().await.text, "hi", "{method} {mishap:?}");
        run.end().await;
    }
}

#[tokio::test]
async fn a_connection_that_breaks_amid_a_line_is_made_anew() {
    let place = Place::open().await;
    let mut run = place.run();
    run.up().await;
    for round in 0..5 {
        place
            .server
            .babble(b"{\"jsonrpc\":\"2.0\",\"method\":\"receive\",\"params\":{\"envelope\":{\"sou");
        place.server.disconnect();
        let why = run.until(ChannelState::Down).await;
        assert!(
            why.contains("closed the connection") || why.contains("reset"),
            "{why}"
        );
        place
            .server
            .write(ANA, None, json!({"message": format!("{round}")}));
        run.up().await;
        assert_eq!(run.message().await.text, round.to_string());
    }
}

#[tokio::test]
async fn it_waits_for_a_daemon_that_is_not_there() {
    let place = Place::open().await;
    let mut run = place.run();
    run.up().await;
    let address = place
        .server
        .root()
        .strip_prefix("tcp://")
        .unwrap()
        .parse()
        .unwrap();
    drop(place.server);
    run.until(ChannelState::Down).await;
    let why = run.until(ChannelState::Down).await;
    assert!(
        why.contains("signal-cli does not listen at tcp://127.0.0.1:"),
        "{why}"
    );
    let server = SignalServer::start_at(address, several()).await.unwrap();
    run.up().await;
    assert_eq!(server.open_subscriptions(), 1);
}
