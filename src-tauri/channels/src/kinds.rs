//! The table of all kinds of channels on real platforms.

use crate::{ChannelKindRow, discord, reddit, signal, slack, telegram, telegram_user, web_chat, whatsapp, x};

/// Every kind. A simulated channel is of none of them.
pub static CHANNEL_KINDS: [&ChannelKindRow; 9] = [
    &telegram::KIND,
    &telegram_user::KIND,
    &discord::KIND,
    &slack::KIND,
    &whatsapp::KIND,
    &signal::KIND,
    &web_chat::KIND,
    &reddit::KIND,
    &x::KIND,
];

/// The kind of a code.
pub fn channel_kind(code: &str) -> Option<&'static ChannelKindRow> {
    CHANNEL_KINDS.iter().copied().find(|row| row.code == code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConnectionKey as Key, platform};

    #[test]
    fn the_first_way_that_is_begun_says_what_is_missing() {
        let missing = |code: &str, set: &[Key]| {
            let row = channel_kind(code).unwrap();
            row.used(|key| set.contains(&key)).map_err(|needed| needed.key)
        };
        assert_eq!(missing("telegram", &[]), Err(Key::Token));
        assert_eq!(missing("slack", &[Key::Token]), Err(Key::AppToken));
        assert_eq!(
            missing("slack", &[Key::Token, Key::Listen]),
            Err(Key::SigningSecret)
        );
        let socket = [Key::Token, Key::AppToken, Key::Listen, Key::SigningSecret];
        assert_eq!(missing("slack", &socket), Ok(vec![Key::AppToken, Key::Token]));
        assert_eq!(missing("signal", &[]), Ok(Vec::new()));
        assert_eq!(missing("web_chat", &[Key::Origins]), Err(Key::Listen));
        assert_eq!(missing("reddit", &[]), Err(Key::Token));
        assert_eq!(missing("x", &[Key::Token]), Err(Key::ClientId));
        let confidential = [Key::Token, Key::ClientId, Key::ClientSecret];
        assert_eq!(
            missing("x", &confidential).map(|used| used.len()),
            Ok(3),
            "the secret is used where it is set"
        );
        assert_eq!(missing("reddit", &[Key::Password]), Err(Key::ClientId));
        let user = [Key::ClientId, Key::ClientSecret, Key::Account];
        assert_eq!(missing("telegram_user", &user), Err(Key::AcceptRisk));
    }

    #[test]
    fn each_kind_is_on_a_platform_of_the_table_and_knows_what_it_needs() {
        for row in CHANNEL_KINDS {
            assert!(platform::ALL.contains(&row.platform), "{row:?}");
            for needed in row.ways.iter().copied().flatten() {
                assert!(
                    row.knows(needed.key) && !needed.what.is_empty(),
                    "{row:?} {}",
                    needed.key
                );
            }
        }
    }
}
