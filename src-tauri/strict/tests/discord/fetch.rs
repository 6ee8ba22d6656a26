//! Files that people send.

use crate::elsewhere::Elsewhere;
use crate::place::{Place, ROOM};
use crate::shared::sent::sent_file;
use foldback_channels::{ChannelAdapter, Refusal};
use foldback_wire::RefusalCode;

async fn fetch(place: &Place, source: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
    let room = ROOM.to_string().into();
    place.adapter.fetch(&room, &sent_file(source), limit).await
}

#[tokio::test]
async fn a_file_is_asked_for_by_its_signed_address_without_a_token() {
    let place = Place::open().await;
    let address = place.server.keep(b"hello");
    assert_eq!(fetch(&place, &address, 5).await.unwrap(), b"hello");
    let unsigned = address.split('?').next().unwrap();
    let refusal = fetch(&place, unsigned, 5).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Gone, "{refusal}");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn no_other_host_is_asked() {
    let place = Place::open().await;
    let elsewhere = Elsewhere::open().await;
    for address in [
        format!("http://{}/attachments/1", elsewhere.address),
        format!("http://cdn.discordapp.com@{}/x", elsewhere.address),
        "https://cdn.discordapp.com.evil.org/x".to_owned(),
        "http://cdn.discordapp.com/x".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        let refusal = fetch(&place, &address, 5).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Rejected, "{address}: {refusal}");
    }
    assert_eq!(elsewhere.visits(), 0);
}
