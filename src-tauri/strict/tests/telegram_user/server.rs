//! The strict server refuses what Telegram refuses.

use crate::calls::made;
use crate::place::{ANA, API_ID, GROUP, HASH, PHONE, Place, SUPERGROUP, key};
use crate::shared::calls::said;
use crate::shared::wrong::{filled, stand_below};
use foldback_strict::mtproto::MtprotoServer;
use grammers_client::sender::{ConnectionParams, NoRetries, SenderPool};
use grammers_client::session::SessionData;
use grammers_client::session::storages::MemorySession;
use grammers_client::{Client, tl};
use std::sync::Arc;

/// A client by somebody else, with the key that the server knows.
pub(crate) fn client(server: &MtprotoServer) -> Client {
    let mut data = SessionData::default();
    let home = data.dc_options.get_mut(&data.home_dc).unwrap();
    home.ipv4 = server.root().trim_start_matches("tcp://").parse().unwrap();
    home.auth_key = Some(key());
    let parameters = ConnectionParams {
        retry_policy: Box::new(NoRetries),
        ..ConnectionParams::default()
    };
    let pool = SenderPool::with_configuration(Arc::new(MemorySession::from(data)), API_ID, parameters);
    tokio::spawn(pool.runner.run());
    Client::new(pool.handle)
}

/// Call, what it is made with, and the word of the refusal. Words in capitals stand for what the test puts in.
const WRONG: &str = r"
send UNKNOWN hello 1 PEER_ID_INVALID
send u:4711:0 hello 1 PEER_ID_INVALID
send g:816 hello 1 PEER_ID_INVALID
send c:99:0 hello 1 CHANNEL_INVALID
send c:98:1 hello 1 CHANNEL_INVALID
send ANA _ 1 MESSAGE_EMPTY
send ANA LONG 1 MESSAGE_TOO_LONG
send ANA WIDE 1 MESSAGE_TOO_LONG
send ANA hello 0 RANDOM_ID_EMPTY
reply ANA 1 REPLY_MESSAGE_ID_INVALID
reply ANA TOWN_MESSAGE REPLY_MESSAGE_ID_INVALID
bold ANA 0 7 ENTITY_BOUNDS_INVALID
bold ANA 6 1 ENTITY_BOUNDS_INVALID
bold ANA -1 1 ENTITY_BOUNDS_INVALID
bold ANA 0 0 ENTITY_BOUNDS_INVALID
bold ANA 1 2147483647 ENTITY_BOUNDS_INVALID
edit ANA THEIRS hello MESSAGE_AUTHOR_REQUIRED
edit ANA OURS _ MESSAGE_EMPTY
edit ANA OURS LONG MESSAGE_TOO_LONG
edit ANA 9999 hello MESSAGE_ID_INVALID
edit GROUP OURS hello MESSAGE_ID_INVALID
delete TOWN_MESSAGE MESSAGE_ID_INVALID
delete_in c:99:0 1 CHANNEL_INVALID
delete_in GROUP 1 CHANNEL_INVALID
react ANA OURS duck REACTION_INVALID
react ANA 9999 👍 MESSAGE_ID_INVALID
part -1 10 FILE_PART_INVALID
part 0 0 FILE_PART_INVALID
part 0 524289 FILE_PART_INVALID
media 6 1 x ANA FILE_PARTS_INVALID
media 7 2 x ANA FILE_PARTS_INVALID
media 8 2 x ANA FILE_PART_SIZE_INVALID
media 7 1 LONG ANA MEDIA_CAPTION_TOO_LONG
file 1 1 0 4096 LOCATION_INVALID
file FILE 1 0 4096 LOCATION_INVALID
file FILE 1 1 4096 OFFSET_INVALID
file FILE 1 -4096 4096 OFFSET_INVALID
file FILE 1 0 1000 LIMIT_INVALID
file FILE 1 0 12288 LIMIT_INVALID
file FILE 1 0 2097152 LIMIT_INVALID
code 123 4242 APP_HASH PHONE_NUMBER_INVALID
code PHONE 4243 APP_HASH API_ID_INVALID
code PHONE 4242 x API_ID_INVALID
sign_in PHONE x PHONE_CODE_EXPIRED
password SRP_ID_INVALID
missed 0 PERSISTENT_TIMESTAMP_INVALID
missed 1000000 PERSISTENT_TIMESTAMP_INVALID
missed_in TOWN 0 LIMIT_INVALID
missed_in c:99:0 10 CHANNEL_INVALID
typing u:4711:0 PEER_ID_INVALID
dialogs INPUT_METHOD_INVALID
";

#[tokio::test]
async fn wrong_calls_are_refused_with_telegrams_words_and_change_nothing() {
    let place = Place::open().await;
    let client = client(&place.server);
    let ours = place.send("mine").await.unwrap().message.unwrap();
    let theirs = place.server.write(ANA, ANA, "theirs");
    for _ in 0..3 {
        place.perform_in(SUPERGROUP, said("town")).await.unwrap();
    }
    place.server.send_file(GROUP, ANA, "", "x", "text/plain", b"x");
    let saved = async |file_id, file_part, size| {
        let bytes = vec![1; size];
        let call = tl::functions::upload::SaveFilePart {
            file_id,
            file_part,
            bytes,
        };
        client.invoke(&call).await.unwrap();
    };
    saved(7, 0, 10).await;
    saved(8, 0, 1_000).await;
    saved(8, 1, 10).await;
    let hash = |id: i64| id.wrapping_mul(0x1_0001);
    let words = [
        ("TOWN_MESSAGE", "3".to_owned()),
        ("TOWN", format!("c:99:{}", 0x63 ^ 0x4242)),
        ("UNKNOWN", "u:99999:1".to_owned()),
        ("ANA", format!("u:{ANA}:{}", hash(ANA))),
        ("GROUP", "g:815".to_owned()),
        ("LONG", "x".repeat(4_097)),
        // Two units each.
        ("WIDE", "🎉".repeat(2_049)),
        ("THEIRS", theirs.to_string()),
        ("OURS", ours.as_str().to_owned()),
        ("FILE", "7000".to_owned()),
        ("PHONE", PHONE.to_owned()),
        ("APP_HASH", HASH.to_owned()),
    ];
    let before = (
        place.server.messages(ANA).len(),
        place.server.messages(SUPERGROUP).len(),
    );
    for (row, call) in filled(WRONG, &words) {
        // The word of the refusal stands last, and is filled in with nothing.
        let expected = row.split(' ').next_back().unwrap();
        let parts: Vec<_> = call.split(' ').collect();
        let refused = made(&client, &parts[..parts.len() - 1]).await;
        assert_eq!(refused, expected, "{row}");
    }
    let after = (
        place.server.messages(ANA).len(),
        place.server.messages(SUPERGROUP).len(),
    );
    assert_eq!(before, after);
    let broken = place.server.broken();
    stand_below(&broken, "https://core.telegram.org/");
    assert!(broken.len() >= 14, "{broken:#?}");
}

#[tokio::test]
async fn whoever_is_not_signed_in_may_sign_in_and_nothing_else() {
    let place = Place::open().await;
    let client = client(&place.server);
    place.server.end_session();
    let ana = format!("u:{ANA}:0");
    for row in [
        &["send", &ana, "hello", "1"][..],
        &["typing", &ana],
        &["missed", "1"],
    ] {
        assert_eq!(made(&client, row).await, "AUTH_KEY_UNREGISTERED", "{row:?}");
    }
    let row = ["code", PHONE, "4242", HASH];
    assert_eq!(made(&client, &row).await, "fine");
}
