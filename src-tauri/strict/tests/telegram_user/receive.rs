//! What the adapter receives.

use crate::place::{ANA, BEN, GROUP, OWN, Place, SUPERGROUP};
use crate::shared::calls::said;
use crate::shared::run::{Run, until};
use foldback_channels::ChannelAdapter as _;
use foldback_wire::{ChannelState, ChatType, RefusalCode};

/// A run that is up and has asked for what it missed.
pub(crate) async fn running(place: &Place) -> Run {
    let before = asked(place);
    let mut run = Run::of(&place.adapter);
    let why = run.until(ChannelState::Up).await;
    assert_eq!(why, "connected as @robin_lee");
    until(|| asked(place) > before).await;
    run
}

pub(crate) fn asked(place: &Place) -> usize {
    let names = place.server.names();
    names
        .iter()
        .filter(|name| **name == "updates.getDifference")
        .count()
}

#[tokio::test]
async fn a_direct_message_comes_in() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    let id = place.server.write(ANA, ANA, "Hello 🎉");
    let (message, unread) = run.message_and_unread().await;
    assert_eq!((message.text.as_str(), unread.len()), ("Hello 🎉", 0));
    assert_eq!(
        (message.chat.as_str(), message.chat_type),
        ("4711", ChatType::Direct)
    );
    assert_eq!(message.message.as_str(), id.to_string());
    assert_eq!(message.account, Some(OWN.to_string()));
    let sender = &message.sender;
    assert_eq!(
        (
            sender.id.as_str(),
            sender.name.as_str(),
            sender.display_name.as_str(),
            sender.is_bot
        ),
        ("4711", "ana_lima", "Ana", false)
    );
    assert!(!message.mentioned && !message.forwarded);
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn groups_tell_who_is_mentioned_answered_and_passed_on() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    for chat in [GROUP, SUPERGROUP] {
        let own = place
            .perform_in(chat, said("mine"))
            .await
            .unwrap()
            .message
            .unwrap();
        place.server.write(chat, ANA, "by the way");
        let plain = run.message().await;
        assert_eq!(plain.chat.as_str(), chat.to_string());
        assert_eq!((plain.chat_type, plain.mentioned), (ChatType::Group, false));
        let group = plain.context.unwrap().group.unwrap();
        assert_eq!(
            group.name.as_deref(),
            Some(if chat == GROUP { "Flat" } else { "Town" })
        );
        place.server.mention(chat, BEN, "look");
        let mention = run.message().await;
        assert!(mention.mentioned);
        assert_eq!(mention.text, "@robin_lee look");
        // Without a name there is the id.
        assert_eq!(
            (mention.sender.name.as_str(), mention.sender.display_name.as_str()),
            ("4712", "Ben")
        );
        place
            .server
            .answer(chat, ANA, "yes", own.as_str().parse().unwrap());
        let answer = run.message().await;
        assert_eq!((answer.mentioned, answer.reply_to), (true, Some(own)));
        place.server.forward(chat, ANA, "/status");
        let passed_on = run.message().await;
        assert!(passed_on.forwarded);
        assert_eq!(
            passed_on.context.unwrap().forwarded_from.as_deref(),
            Some("Somebody")
        );
    }
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn what_the_account_and_telegram_itself_write_is_nobodys_message() {
    let place = Place::open().await;
    place.server.open_person(777_000, "Telegram", "");
    let mut run = running(&place).await;
    place.server.write_elsewhere(ANA, "from my telephone");
    place.server.write_elsewhere(OWN, "a note to myself");
    place.server.write(777_000, 777_000, "Login code: 31337");
    place.send("from here").await.unwrap();
    place.server.write(ANA, ANA, "and now me");
    assert_eq!(run.message().await.text, "and now me");
    run.end().await;
}

#[tokio::test]
async fn who_writes_in_short_is_looked_up_once_and_can_be_answered() {
    let place = Place::open().await;
    let stranger = 5_000;
    place.server.open_person(stranger, "Cleo", "cleo");
    let mut run = running(&place).await;
    for text in ["one", "two"] {
        place.server.write_short(stranger, text);
        let message = run.message().await;
        assert_eq!(
            (message.text.as_str(), message.sender.name.as_str()),
            (text, "cleo")
        );
    }
    let names = place.server.names();
    assert_eq!(
        names
            .iter()
            .filter(|name| **name == "messages.getMessages")
            .count(),
        1
    );
    place.perform_in(stranger, said("hello")).await.unwrap();
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn files_come_with_a_handle_and_are_fetched_by_it() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    // More than one piece.
    let large: Vec<u8> = (0..1_100_003_u32).map(|at| (at % 253) as u8).collect();
    place
        .server
        .send_file(ANA, ANA, "see", "large.bin", "application/octet-stream", &large);
    place
        .server
        .send_file(ANA, ANA, "", "x.jpg", "image/jpeg", b"JPEG");
    place
        .server
        .send_file(GROUP, ANA, "", "x.ogg", "audio/ogg", b"OggS");
    let mut files = Vec::new();
    for _ in 0..3 {
        let message = run.message().await;
        files.push((message.chat, message.files[0].clone()));
    }
    let told: Vec<_> = files
        .iter()
        .map(|(_, file)| (file.name.as_str(), file.media_type.as_str(), file.size))
        .collect();
    assert_eq!(
        told,
        [
            ("large.bin", "application/octet-stream", Some(1_100_003)),
            ("photo.jpg", "image/jpeg", Some(4)),
            ("voice.ogg", "audio/ogg", Some(4)),
        ]
    );
    let fetch = async |at: usize, limit| {
        let (chat, file) = &files[at];
        place.adapter.fetch(chat, file, limit).await
    };
    assert_eq!(fetch(0, 2_000_000).await.unwrap(), large);
    assert_eq!(fetch(1, 4).await.unwrap(), b"JPEG");
    assert_eq!(fetch(0, 1_000_000).await.unwrap_err().code, RefusalCode::TooLong);
    // Hours later.
    place.server.expire_references();
    assert_eq!(fetch(2, 4).await.unwrap(), b"OggS");
    run.end().await;
    assert_eq!(place.server.broken(), []);
}
