//! Message ids in each platform's own form.

use crate::platform::row;
use foldback_wire::{ChatId, MessageId, Platform, Timestamp};

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
        let twin = &row(self.platform).twin;
        self.last = (twin.number)(now).max(self.last + 1);
        (twin.id)(self.last, chat, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{is_message_id, platform};

    #[test]
    fn ids_have_their_platforms_form_and_never_repeat() {
        let chat = ChatId::from("42");
        let now = Timestamp::parse("2026-11-21T12:00:00Z").unwrap();
        for platform in platform::ALL {
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
            first(platform::DISCORD),
            "175928847298985984",
            "the documented example, less its low bits"
        );
        assert_eq!(first(platform::SLACK), "1462015105.796000");
        assert_eq!(first(platform::SIGNAL), "1462015105796");
        assert_eq!(first(platform::TELEGRAM), "1");
    }
}
