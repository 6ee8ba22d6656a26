//! The encryption of `MTProto` 2.0, as a server has it: <https://core.telegram.org/mtproto/description>. Written after the
//! description, apart from the block cipher, so that it is no copy of what it tries.

use grammers_crypto::aes::{ige_decrypt, ige_encrypt};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};

/// A key that client and server agreed on.
pub type AuthKey = [u8; 256];

/// The side that a message comes from, with the `x` of its key derivation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Client = 0,
    Server = 8,
}

/// Length of what stands before the encrypted part: the id of the key, and the key of the message.
const HEADER: usize = 24;

/// The id of a key: the 64 lower-order bits of its SHA1.
pub(super) fn key_id(key: &AuthKey) -> [u8; 8] {
    let mut id = [0; 8];
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, key);
    id.copy_from_slice(&hash.as_ref()[12..]);
    id
}

/// The cipher's key and initial vector for a message: <https://core.telegram.org/mtproto/description#defining-aes-key-and-initialization-vector>.
fn cipher(key: &AuthKey, message_key: &[u8], from: From) -> ([u8; 32], [u8; 32]) {
    let x = from as usize;
    let a = digest(&SHA256, &[message_key, &key[x..x + 36]].concat());
    let b = digest(&SHA256, &[&key[40 + x..76 + x], message_key].concat());
    let (a, b) = (a.as_ref(), b.as_ref());
    let (mut secret, mut vector) = ([0; 32], [0; 32]);
    secret.copy_from_slice(&[&a[..8], &b[8..24], &a[24..]].concat());
    vector.copy_from_slice(&[&b[..8], &a[8..24], &b[24..]].concat());
    (secret, vector)
}

/// The key of a message: the middle of a hash over a part of the key and the padded text.
fn message_key(key: &AuthKey, padded: &[u8], from: From) -> [u8; 16] {
    let x = from as usize;
    let hash = digest(&SHA256, &[&key[88 + x..120 + x], padded].concat());
    let mut middle = [0; 16];
    middle.copy_from_slice(&hash.as_ref()[8..24]);
    middle
}

/// The text of a client's packet with its padding; `None` where it is none under this key.
pub(super) fn open(key: &AuthKey, packet: &[u8]) -> Option<Vec<u8>> {
    let (head, sealed) = packet.split_at_checked(HEADER)?;
    if head[..8] != key_id(key) || sealed.is_empty() || sealed.len() % 16 != 0 {
        return None;
    }
    let mut text = sealed.to_vec();
    let (secret, vector) = cipher(key, &head[8..], From::Client);
    ige_decrypt(&mut text, &secret, &vector);
    (message_key(key, &text, From::Client) == head[8..]).then_some(text)
}

/// A server's packet.
pub(super) fn seal(key: &AuthKey, text: &[u8]) -> Vec<u8> {
    // 12 to 1024 bytes, up to a whole block.
    let mut padding = vec![0; 12 + (32 - (text.len() + 12) % 16) % 16];
    // Without chance, the padding is nothing but zeros, which are as good here.
    let _ = SystemRandom::new().fill(&mut padding);
    let mut padded = [text, &padding].concat();
    let message_key = message_key(key, &padded, From::Server);
    let (secret, vector) = cipher(key, &message_key, From::Server);
    ige_encrypt(&mut padded, &secret, &vector);
    [&key_id(key)[..], &message_key, &padded].concat()
}
