//! Files that people send.

use crate::elsewhere::Elsewhere;
use crate::place::{ANA, Place};
use crate::shared::sent::sent_file;
use foldback_channels::{ChannelAdapter, Refusal};
use foldback_wire::RefusalCode;

async fn fetch(place: &Place, source: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
    place.adapter.fetch(&ANA.into(), &sent_file(source), limit).await
}

#[tokio::test]
async fn a_file_is_asked_for_by_its_id_and_then_its_address() {
    let place = Place::open().await;
    let id = place.server.keep(b"hello");
    assert_eq!(fetch(&place, &id, 5).await.unwrap(), b"hello");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn the_token_goes_to_no_other_host() {
    let place = Place::open().await;
    let elsewhere = Elsewhere::open().await;
    let id = place.server.keep(b"hello");
    for address in [
        format!("http://{}/media/x", elsewhere.address),
        format!("http://lookaside.fbsbx.com@{}/x", elsewhere.address),
        "https://lookaside.fbsbx.com.evil.org/x".to_owned(),
        "http://lookaside.fbsbx.com/x".to_owned(),
        String::new(),
    ] {
        place.server.name_address(&id, &address);
        let refusal = fetch(&place, &id, 5).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Rejected, "{address}: {refusal}");
    }
    assert_eq!(elsewhere.visits(), 0);
}

#[tokio::test]
async fn other_bytes_than_noted_are_not_taken() {
    let place = Place::open().await;
    let (noted, other) = (place.server.keep(b"hello"), place.server.keep(b"other"));
    let root = place.server.root();
    let host = root.rsplit_once('/').unwrap().0;
    place
        .server
        .name_address(&noted, &format!("{host}/media/{other}"));
    let refusal = fetch(&place, &noted, 5).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Transient, "{refusal}");
}

#[tokio::test]
async fn an_id_is_a_number() {
    let place = Place::open().await;
    let before = place.server.calls();
    for id in ["", "../me", "1/messages", "1?fields=access_token", "１"] {
        let refusal = fetch(&place, id, 5).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Rejected, "{id}: {refusal}");
    }
    assert_eq!(place.server.calls(), before);
}
