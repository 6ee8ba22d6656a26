//! Message ids in each platform's own form, as far as a text shows it.

use foldback_wire::{MessageId, Platform};

/// Whether a message id has the form of the platform's own ids. What has not can only be refused by it.
pub fn is_message_id(platform: Platform, id: &MessageId) -> bool {
    let digits = |text: &str, most: usize| {
        !text.is_empty() && text.len() <= most && text.bytes().all(|b| b.is_ascii_digit())
    };
    let id = id.as_str();
    match platform {
        Platform::Telegram => digits(id, 10),
        Platform::Discord => digits(id, 20),
        // When it was sent, and by whom if not by the bot.
        Platform::Signal => {
            let (sent, author) = id.split_once(':').unwrap_or((id, "bot"));
            digits(sent, 15) && !author.is_empty()
        }
        Platform::Slack => id
            .split_once('.')
            .is_some_and(|(s, us)| digits(s, 10) && us.len() == 6 && digits(us, 6)),
        Platform::Whatsapp => id.strip_prefix("wamid.").is_some_and(|rest| !rest.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_one_platform_is_seldom_one_of_another() {
        use Platform::{Discord, Signal, Slack, Telegram, Whatsapp};
        for (id, platforms) in [
            ("42", &[Telegram, Discord, Signal][..]),
            ("1234567890123", &[Discord, Signal]),
            ("12345678901234567890", &[Discord]),
            ("1700000000123:+491555", &[Signal]),
            ("1700000000.000100", &[Slack]),
            ("1700000000.0001", &[]),
            ("wamid.HBgL", &[Whatsapp]),
            ("wamid.", &[]),
            ("1700000000123:", &[]),
            ("-1", &[]),
            ("", &[]),
        ] {
            let found = Platform::ALL.iter().copied();
            let mut found: Vec<_> = found
                .filter(|platform| is_message_id(*platform, &id.into()))
                .collect();
            let mut expected = platforms.to_vec();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{id}");
        }
    }
}
