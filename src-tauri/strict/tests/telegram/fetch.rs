//! Files that people send.

use crate::place::{CHAT, Place, TOKEN, adapter};
use crate::shared::sent::sent_file;
use foldback_channels::{ChannelAdapter, Refusal};
use foldback_wire::RefusalCode;

async fn fetch(place: &Place, source: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
    let chat = CHAT.to_string().into();
    place.adapter.fetch(&chat, &sent_file(source), limit).await
}

#[tokio::test]
async fn a_file_is_asked_for_where_its_path_says() {
    let place = Place::open().await;
    let id = place.server.keep(b"hello");
    assert_eq!(fetch(&place, &id, 5).await.unwrap(), b"hello");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn larger_files_than_the_bot_api_hands_over_are_too_long() {
    let place = Place::open().await;
    let id = place.server.keep(&vec![0; 20_000_001]);
    let refusal = fetch(&place, &id, u64::MAX).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::TooLong, "{refusal}");
}

#[tokio::test]
async fn a_path_leads_nowhere_else() {
    let place = Place::open().await;
    let id = place.server.keep(b"hello");
    let before = place.server.calls();
    for (path, code) in [
        ("/var/lib/telegram-bot-api/documents/a", RefusalCode::Unsupported),
        ("../bot1:other/getMe", RefusalCode::Unsupported),
        ("documents/../../x", RefusalCode::Unsupported),
        ("documents//x", RefusalCode::Unsupported),
        ("", RefusalCode::Unsupported),
        // Part of the path, not of the address.
        ("documents/x?y", RefusalCode::Gone),
        ("https:%2f%2fevil.org", RefusalCode::Gone),
        ("@evil.org", RefusalCode::Gone),
    ] {
        place.server.name_path(&id, path);
        let refusal = fetch(&place, &id, 5).await.unwrap_err();
        assert_eq!(refusal.code, code, "{path}: {refusal}");
        assert!(!refusal.detail.contains(TOKEN), "{refusal}");
    }
    // Every one was asked about, and only the last three were asked for.
    assert_eq!(place.server.calls() - before, 8 + 3);
}

#[tokio::test]
async fn another_token_gets_nothing() {
    let place = Place::open().await;
    let id = place.server.keep(b"hello");
    let other = adapter(&place.server, "1:other", place.dir.path());
    let refusal = other
        .fetch(&CHAT.to_string().into(), &sent_file(&id), 5)
        .await
        .unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Unauthorized, "{refusal}");
}
