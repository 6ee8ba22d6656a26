//! What comes in.

use crate::place::{ANA, BEA, GROUP, Place, VERIFY, adapter, number};
use crate::shared::run::{Run, until};
use crate::unread::unread_while;
use axum::http::StatusCode;
use foldback_strict::{free_address, whatsapp::WhatsAppServer};
use foldback_wire::{ChannelState, ChatType, Operation, RefusalCode, Secret};
use serde_json::{Value, json};
use std::time::Duration;

fn text(text: &str) -> Value {
    json!({"type": "text", "text": {"body": text}})
}

fn with(mut message: Value, field: &str, value: Value) -> Value {
    message[field] = value;
    message
}

async fn confirmed(place: &Place) {
    until(|| place.server.unconfirmed() == 0).await;
}

#[tokio::test]
async fn a_message_comes_in_and_is_confirmed_once_it_is_kept() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    let then = with(text("Hello"), "timestamp", "1750000000".into());
    let id = place.server.write(ANA, then);
    let arrival = run.arrival().await;
    let message = &arrival.message;
    assert_eq!(
        (
            message.message.to_string(),
            message.text.as_str(),
            message.chat.as_str(),
            message.chat_type,
            message.at.to_string().as_str()
        ),
        (id, "Hello", ANA, ChatType::Direct, "2025-06-15T15:06:40.000Z")
    );
    assert_eq!(
        (
            message.sender.id.as_str(),
            message.sender.name.as_str(),
            message.sender.display_name.as_str(),
            message.sender.is_bot,
        ),
        (ANA, ANA, "Ana Lima", false)
    );
    assert_eq!(place.server.unconfirmed(), 1, "not before it is kept");
    arrival.kept.unwrap().send(()).unwrap();
    confirmed(&place).await;
    assert_eq!((place.server.posts(), place.server.broken()), (1, vec![]));
    run.end().await;
}

#[tokio::test]
async fn what_is_not_kept_comes_again() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    place.server.write(ANA, text("One"));
    for _ in 0..3 {
        drop(run.arrival().await);
    }
    assert_eq!(run.message().await.text, "One");
    confirmed(&place).await;
    assert_eq!(place.server.posts(), 4);
}

#[tokio::test]
async fn what_is_passed_on_is_marked_so() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    for (context, forwarded) in [
        (json!({"forwarded": true}), true),
        (json!({"frequently_forwarded": true}), true),
        (json!({"from": ANA, "id": "wamid.1"}), false),
    ] {
        place.server.write(ANA, with(text("yes"), "context", context));
        assert_eq!(run.message().await.forwarded, forwarded);
    }
}

/// Meta names the message that is answered, and does not repeat its words.
#[tokio::test]
async fn what_is_answered_is_named_and_a_sender_has_a_number() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    let answered = json!({"from": BEA, "id": "wamid.1"});
    place.server.write(ANA, with(text("yes"), "context", answered));
    let message = run.message().await;
    let context = message.context.clone().unwrap();
    let quote = context.quote.unwrap();
    assert_eq!(
        (quote.id, quote.sender.as_deref(), quote.text.as_str()),
        (Some("wamid.1".into()), Some(BEA), "")
    );
    assert_eq!(context.sender.unwrap().phone, Some(format!("+{ANA}")));
    place.server.write(ANA, text("hi"));
    assert_eq!(run.message().await.context.unwrap().quote, None);
}

#[tokio::test]
async fn a_batch_is_confirmed_only_when_all_of_it_is_kept() {
    let place = Place::open().await;
    let (mut run, callback) = Run::up(&place.adapter).await;
    place.server.batch(10);
    for (words, seconds) in [
        ("two", "1750000002"),
        ("one", "1750000001"),
        ("three", "1750000003"),
    ] {
        place
            .server
            .write(ANA, with(text(words), "timestamp", seconds.into()));
    }
    place.server.register(&callback, VERIFY).await.unwrap();
    let mut first = Vec::new();
    for _ in 0..3 {
        first.push(run.arrival().await);
    }
    let words: Vec<_> = first.iter().map(|arrival| arrival.message.text.clone()).collect();
    assert_eq!(words, ["one", "two", "three"], "in the order they were written");
    for (arrival, is_kept) in first.into_iter().zip([true, false, true]) {
        if is_kept {
            arrival.kept.unwrap().send(()).unwrap();
        }
    }
    for words in ["one", "two", "three"] {
        assert_eq!(place.server.unconfirmed(), 3, "{words}");
        assert_eq!(run.message().await.text, words);
    }
    confirmed(&place).await;
    assert_eq!((place.server.posts(), place.server.broken()), (2, vec![]));
}

#[tokio::test]
async fn a_webhook_that_comes_again_is_handed_over_again_with_the_same_id() {
    let place = Place::open().await;
    place.server.repeat(2);
    let mut run = Run::registered(&place).await;
    let id = place.server.write(ANA, text("Hello"));
    for _ in 0..3 {
        assert_eq!(run.message().await.message.to_string(), id);
    }
}

#[tokio::test]
async fn groups_mentions_and_people_without_a_number() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    let ours = WhatsAppServer::PHONE;
    let in_group = |words: &str| with(text(words), "group_id", GROUP.into());
    let answering = |from: &str| {
        with(
            in_group("yes"),
            "context",
            json!({"from": from, "id": "wamid.abc"}),
        )
    };
    for (message, mentioned, reply_to) in [
        (in_group(&format!("@{ours} hi")), true, None),
        (in_group(&format!("@{ours}7 hi")), false, None),
        (in_group("hi"), false, None),
        (answering(ours), true, Some("wamid.abc")),
        (answering(ANA), false, Some("wamid.abc")),
    ] {
        place.server.write(ANA, message.clone());
        let inbound = run.message().await;
        assert_eq!(
            (
                inbound.chat.as_str(),
                inbound.chat_type,
                inbound.sender.id.as_str()
            ),
            (GROUP, ChatType::Group, ANA)
        );
        assert_eq!(inbound.mentioned, mentioned, "{message}");
        assert_eq!(inbound.reply_to, reply_to.map(Into::into), "{message}");
    }
    place
        .server
        .write(BEA, with(text("hi"), "from_user_id", BEA.into()));
    let inbound = run.message().await;
    assert_eq!((inbound.chat.as_str(), inbound.sender.id.as_str()), (BEA, BEA));
    assert_eq!(inbound.sender.display_name, "Ana Lima");
}

#[tokio::test]
async fn files_choices_and_places_are_messages() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    let media = |kind: &str, media: Value| json!({"type": kind, kind: media});
    let image = json!({"caption": "Look", "mime_type": "image/jpeg", "sha256": "x", "id": "1"});
    let voice = json!({"mime_type": "audio/ogg; codecs=opus", "id": "2", "voice": true});
    let document = json!({"filename": "a.pdf", "mime_type": "application/pdf", "id": "3"});
    let location = json!({"latitude": 37.5, "longitude": -122.25, "name": "Here"});
    let choice = json!({"type": "button_reply", "button_reply": {"id": "1", "title": "Yes"}});
    for (message, words, files) in [
        (
            media("image", image),
            "Look",
            &[("image.jpg", "image/jpeg", "1")][..],
        ),
        (
            media("audio", voice),
            "",
            &[("audio.ogg", "audio/ogg; codecs=opus", "2")],
        ),
        (
            media("document", document),
            "",
            &[("a.pdf", "application/pdf", "3")],
        ),
        (
            media("sticker", json!({"id": "4"})),
            "",
            &[("sticker.webp", "image/webp", "4")],
        ),
        (media("location", location), "", &[]),
        (media("interactive", choice), "Yes", &[]),
        (media("button", json!({"text": "No", "payload": "n"})), "No", &[]),
    ] {
        place.server.write(ANA, message);
        let inbound = run.message().await;
        let seen: Vec<_> = inbound
            .files
            .iter()
            .map(|file| {
                (
                    file.name.as_str(),
                    file.media_type.as_str(),
                    file.source.as_deref().unwrap(),
                )
            })
            .collect();
        assert_eq!((inbound.text.as_str(), seen.as_slice()), (words, files));
        if let Some(location) = inbound.location() {
            assert_eq!(location.words(), "Location: Here, 37.5, -122.25");
        } else {
            assert!(!inbound.readable_text().is_empty() || !files.is_empty());
        }
        let phone = format!("+{ANA}");
        assert!(inbound.sender_ids().any(|id| id == phone), "{inbound:?}");
    }
}

#[tokio::test]
async fn what_nobody_wrote_does_not_come_and_is_confirmed() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    let reaction = json!({"type": "reaction", "reaction": {"message_id": "wamid.x", "emoji": "👍"}});
    place.server.write(ANA, reaction);
    place
        .server
        .write(ANA, json!({"type": "unsupported", "errors": [{"code": 131_051}]}));
    place.server.write(ANA, json!({"type": "text", "text": 7}));
    place.server.write(ANA, text(""));
    let ours = with(text("echo"), "from", WhatsAppServer::PHONE.into());
    place.server.write(ANA, ours);
    let elsewhere = json!({"display_phone_number": "1", "phone_number_id": "999"});
    let message = with(with(text("other"), "from", ANA.into()), "id", "wamid.y".into());
    place
        .server
        .tell(json!({"metadata": elsewhere, "messages": [message]}));
    place.server.tell(json!({"errors": [{"code": 130_429}]}));
    confirmed(&place).await;
    place.server.write(ANA, text("Hello"));
    assert_eq!(run.message().await.text, "Hello");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_message_that_fails_after_it_was_acknowledged_is_told_once_with_the_reason() {
    let place = Place::open().await;
    place.server.fail_late(ANA);
    place.server.repeat(1);
    let mut run = Run::registered(&place).await;
    place.server.close(ANA, true);
    let ack = place.send("Are you there?").await.unwrap();
    let (message, refusal) = run.lost().await;
    assert_eq!(ack.message, Some(message.as_str().into()));
    assert_eq!(refusal.code, RefusalCode::Forbidden);
    assert!(
        refusal.detail.contains("131047") && refusal.detail.contains("ask them to write again"),
        "{}",
        refusal.detail
    );
    confirmed(&place).await;
    place.server.close(ANA, false);
    let react = Operation::React {
        message: "wamid.gone".into(),
        emoji: "👍".into(),
        emoji_sent: "👍".into(),
    };
    let ack = place.perform(react).await.unwrap();
    let (reaction, refusal) = run.lost().await;
    assert_eq!(ack.also, [reaction.into()], "its operation is found by it");
    assert!(
        refusal
            .detail
            .starts_with("the reaction to wamid.gone: (#131009)"),
        "{}",
        refusal.detail
    );
    assert!(run.signals.try_recv().is_err(), "each was told once");
}

#[tokio::test]
async fn a_loss_that_is_not_written_down_is_told_again() {
    let place = Place::open().await;
    place.server.fail_late(ANA);
    let mut run = Run::registered(&place).await;
    place.server.close(ANA, true);
    let ack = place.send("Are you there?").await.unwrap();
    let mut waiting = run.loss().await;
    assert_eq!(place.server.unconfirmed(), 1, "not before it is written down");
    for _ in 0..2 {
        drop(waiting);
        waiting = run.loss().await;
    }
    waiting.send(()).unwrap();
    confirmed(&place).await;
    assert!(run.signals.try_recv().is_err(), "it is told no more: {ack:?}");
}

#[tokio::test]
async fn statuses_that_nobody_knows_are_confirmed_and_told_to_nobody() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    for status in [
        json!("deleted"),
        json!("another"),
        json!("Read"),
        json!(7),
        json!(null),
    ] {
        let status = json!({"id": "wamid.x", "status": status, "timestamp": "1", "recipient_id": ANA});
        place.server.tell(json!({"statuses": [status]}));
    }
    let ((), unread) = unread_while(&mut run, confirmed(&place)).await;
    assert_eq!(unread, ["status"; 2], "a number and nothing are no words");
    assert_eq!(place.server.broken(), []);
    run.end().await;
}

#[tokio::test]
async fn a_token_that_is_none_ends_the_run_and_an_unknown_number_is_said_with_what_to_do() {
    let place = Place::open().await;
    let mut token = number();
    token.token = Secret::new("EAAJB-another");
    let mut id = number();
    id.id = "1".into();
    let refused = adapter(&place.server, token, place.dir.path());
    let mut run = Run::of(&refused);
    let why = run.until(ChannelState::Down).await;
    assert!(why.contains("the access token has expired"), "{why}");
    assert_eq!(
        run.task.await.unwrap().unwrap_err().code,
        RefusalCode::Unauthorized
    );
    // A number can be registered while the channel waits for it.
    let unknown = adapter(&place.server, id, place.dir.path());
    let mut run = Run::of(&unknown);
    for _ in 0..2 {
        let why = run.until(ChannelState::Down).await;
        assert!(why.contains("check account"), "{why}");
    }
    run.end().await;
}

#[tokio::test]
async fn a_missing_permission_is_said_with_500_and_ends_the_run() {
    let place = Place::open().await;
    let answer = json!({"error": {"message": "(#3) API Method", "code": 3}}).to_string();
    place
        .server
        .answer_instead("profile", StatusCode::INTERNAL_SERVER_ERROR, &answer);
    let mut run = Run::of(&place.adapter);
    let why = run.until(ChannelState::Down).await;
    assert!(why.contains("whatsapp_business_management"), "{why}");
    assert_eq!(
        run.task.await.unwrap().unwrap_err().code,
        RefusalCode::Unauthorized
    );
}

#[tokio::test]
async fn what_passes_is_waited_for() {
    for (status, body, state) in [
        (500, json!({"error": {"code": 131_016}}), ChannelState::Down),
        (503, json!({"error": {"code": 2}}), ChannelState::Down),
        (401, json!("<html>Sign in</html>"), ChannelState::Down),
        (403, json!("<html>Blocked</html>"), ChannelState::Down),
        (502, json!("<html>Bad Gateway</html>"), ChannelState::Down),
        (
            200,
            json!("<html>Sign in to this network</html>"),
            ChannelState::Down,
        ),
        (200, json!({"another": "shape"}), ChannelState::Down),
        (400, json!({"error": {"code": 100}}), ChannelState::Down),
        (400, json!({"error": {"message": "no code"}}), ChannelState::Down),
        (400, json!({"error": {"code": 17}}), ChannelState::RateLimited),
        (403, json!({"error": {"code": 32}}), ChannelState::RateLimited),
        (400, json!({"error": {"code": 613}}), ChannelState::RateLimited),
    ] {
        let place = Place::open().await;
        let answer = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
        place
            .server
            .answer_instead("profile", StatusCode::from_u16(status).unwrap(), &answer);
        let mut run = Run::of(&place.adapter);
        let why = run.until(state).await;
        assert!(!why.contains("the access token"), "{answer}: {why}");
        run.until(ChannelState::Up).await;
        run.end().await;
    }
}

#[tokio::test]
async fn a_port_that_is_taken_is_waited_for() {
    let place = Place::open().await;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut number = number();
    number.listen = taken.local_addr().unwrap();
    let adapter = adapter(&place.server, number, place.dir.path());
    let mut run = Run::of(&adapter);
    assert!(
        run.until(ChannelState::Down)
            .await
            .contains("choose another port")
    );
    drop(taken);
    run.until(ChannelState::Up).await;
    run.end().await;
}

#[tokio::test]
async fn stopping_leaves_no_task_and_no_socket_behind() {
    let place = Place::open().await;
    let mut number = number();
    number.listen = free_address().unwrap();
    let listen = number.listen;
    let adapter = adapter(&place.server, number, place.dir.path());
    let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let mut least = usize::MAX;
    for n in 0..21 {
        let (mut run, callback) = Run::up(&adapter).await;
        place.server.register(&callback, VERIFY).await.unwrap();
        place.server.write(ANA, text(&n.to_string()));
        // One webhook waits for an answer when it stops.
        let waiting = run.arrival().await;
        place.server.unregister();
        run.end().await;
        drop(waiting);
        assert!(tokio::net::TcpStream::connect(listen).await.is_err(), "{n}");
        // The client keeps its connection to the Cloud API; those of the webhooks take a moment to end.
        for _ in 0..1_000 {
            if alive() <= least {
                break;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        assert!(alive() <= least, "{n}: {} tasks, {least} before", alive());
        least = least.min(alive());
    }
}
