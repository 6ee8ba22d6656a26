//! Files that people send.

use crate::elsewhere::Elsewhere;
use crate::place::{Place, ROOM};
use crate::shared::sent::sent_file;
use foldback_channels::{ChannelAdapter, Refusal};
use foldback_wire::RefusalCode;

async fn fetch(place: &Place, source: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
    place.adapter.fetch(&ROOM.into(), &sent_file(source), limit).await
}

#[tokio::test]
async fn a_file_is_asked_for_with_the_bots_token() {
    let place = Place::open().await;
    let id = place.server.keep(b"hello");
    assert_eq!(fetch(&place, &id, 5).await.unwrap(), b"hello");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn without_the_scope_it_says_which_is_missing() {
    let place = Place::open().await;
    let id = place.server.keep(b"hello");
    place.server.take_scope("files:read");
    let refusal = fetch(&place, &id, 5).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Unauthorized, "{refusal}");
    assert!(refusal.detail.contains("files:read"), "{refusal}");
}

#[tokio::test]
async fn the_token_goes_to_no_other_host() {
    let place = Place::open().await;
    let elsewhere = Elsewhere::open().await;
    let id = place.server.keep(b"hello");
    for address in [
        format!("http://{}/files-pri/x", elsewhere.address),
        format!("http://files.slack.com@{}/x", elsewhere.address),
        "https://files.slack.com.evil.org/x".to_owned(),
        "http://files.slack.com/x".to_owned(),
        "file:///etc/passwd".to_owned(),
        String::new(),
    ] {
        place.server.name_address(&id, &address);
        let refusal = fetch(&place, &id, 5).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Rejected, "{address}: {refusal}");
    }
    assert_eq!(elsewhere.visits(), 0);
}
