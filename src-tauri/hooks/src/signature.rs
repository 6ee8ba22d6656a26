//! Signatures of what is posted, by which the other side knows that it comes from this bot.

use foldback_wire::Secret;
use ring::hmac;
use std::fmt::Write as _;

/// The header's value for a body: `sha256=` and the HMAC-SHA256 in hexadecimal digits, the form that GitHub's webhooks
/// have (<https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries>).
pub fn sign(secret: &Secret, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes());
    let mut header = "sha256=".to_owned();
    for byte in hmac::sign(&key, body).as_ref() {
        // Writing into a text cannot fail.
        let _ = write!(header, "{byte:02x}");
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_githubs_example() {
        let secret = Secret::new("It's a Secret to Everybody".to_owned());
        assert_eq!(
            sign(&secret, b"Hello, World!"),
            "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
        );
    }
}
