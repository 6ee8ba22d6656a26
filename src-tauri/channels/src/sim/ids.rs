//! Message ids in each platform's own form.

use foldback_wire::{ChatId, MessageId, Platform, Timestamp};

/// Milliseconds from 1970 to Discord's own beginning of time
/// (<https://discord.com/developers/docs/reference#snowflakes>).
const DISCORD_EPOCH_MS: u64 = 1_420_070_400_000;

/// Milliseconds from 1970 to the beginning of the simulated Telegram's count, 2026-01-01. Its ids have at most
/// ten digits, so a tick is a tenth of a second: a process that starts later never repeats an earlier one's.
const TELEGRAM_EPOCH_MS: u64 = 1_767_225_600_000;

/// Gives out ids that look like the platform's and never repeat. The same clock gives the same ids, so that
/// a replay is reproducible.
#[derive(Debug, Clone)]
pub(super) struct IdSource {
    platform: Platform,
    /// The highest number given out: a counter, or a time that moves on by at least one tick an id.
    last: u64,
}

impl IdSource {
    pub(super) const fn new(platform: Platform) -> Self {
        Self { platform, last: 0 }
    }

    pub(super) fn next(&mut self, now: Timestamp, chat: &ChatId) -> MessageId {
        let ms = u64::try_from(now.0).unwrap_or(0);
        let earliest = match self.platform {
            Platform::Telegram => ms.saturating_sub(TELEGRAM_EPOCH_MS) / 100,
            Platform::Whatsapp => 0,
            Platform::Discord => ms.saturating_sub(DISCORD_EPOCH_MS) << 22,
            Platform::Slack => ms.saturating_mul(1_000),
            Platform::Signal => ms,
        };
        self.last = earliest.max(self.last + 1);
        let n = self.last;
        MessageId::new(match self.platform {
            Platform::Telegram | Platform::Discord | Platform::Signal => n.to_string(),
            Platform::Slack => format!("{}.{:06}", n / 1_000_000, n % 1_000_000),
            // Opaque on the platform; here the chat, the time and a count, so that a person can tell them apart.
            Platform::Whatsapp => {
                let chat = chat
                    .as_str()
                    .bytes()
                    .fold(0_u16, |sum, b| sum.wrapping_mul(31).wrapping_add(u16::from(b)));
                format!("wamid.HBgL{chat:04X}{ms:012X}{n:06X}")
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::is_message_id;

    #[test]
    fn ids_have_their_platforms_form_and_never_repeat() {
        let chat = ChatId::from("42");
        let now = Timestamp::parse("2026-11-21T12:00:00Z").unwrap();
        for platform in Platform::ALL {
            let mut source = IdSource::new(*platform);
            let ids: std::collections::BTreeSet<_> = (0..100).map(|_| source.next(now, &chat)).collect();
            assert_eq!(ids.len(), 100, "{platform}");
            assert!(
                ids.iter().all(|id| is_message_id(*platform, id)),
                "{platform}: {ids:?}"
            );
        }
    }

    #[test]
    fn ids_tell_the_time_where_the_platforms_do() {
        let chat = ChatId::from("42");
        let now = Timestamp::parse("2016-04-30T11:18:25.796Z").unwrap();
        let first = |p| IdSource::new(p).next(now, &chat).to_string();
        assert_eq!(
            first(Platform::Discord),
            "175928847298985984",
            "the documented example, less its low bits"
        );
        assert_eq!(first(Platform::Slack), "1462015105.796000");
        assert_eq!(first(Platform::Signal), "1462015105796");
        assert_eq!(first(Platform::Telegram), "1");
    }
}
