//! Files that people send.

use crate::place::{ANA, Place, group};
use crate::shared::sent::sent_file;
use foldback_channels::{ChannelAdapter, Refusal};
use foldback_wire::RefusalCode;

async fn fetch(place: &Place, source: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
    place.adapter.fetch(&ANA.into(), &sent_file(source), limit).await
}

#[tokio::test]
async fn a_file_is_asked_for_with_whom_it_came_from() {
    let place = Place::open().await;
    let id = place.server.keep(b"hello");
    assert_eq!(fetch(&place, &id, 5).await.unwrap(), b"hello");
    let in_group = place.adapter.fetch(&group().into(), &sent_file(&id), 5).await;
    assert_eq!(in_group.unwrap(), b"hello");
    assert!(place.server.broken().is_empty());
}

#[tokio::test]
async fn a_large_file_comes_in_one_line_and_a_larger_one_is_not_read() {
    let place = Place::open().await;
    // Longer than a line that is read otherwise.
    let large = vec![7; 6_000_000];
    let id = place.server.keep(&large);
    assert!(fetch(&place, &id, 6_000_000).await.unwrap() == large);
    for limit in [0, 1, 5_999_999] {
        let refusal = fetch(&place, &id, limit).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::TooLong, "{refusal}");
    }
}

#[tokio::test]
async fn an_id_leads_out_of_no_folder() {
    let place = Place::open().await;
    let before = place.server.calls();
    for id in ["", "../account.db", "a/b", "..", "a\\b"] {
        let refusal = fetch(&place, id, 5).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Rejected, "{id}: {refusal}");
    }
    assert_eq!(place.server.calls(), before);
}
