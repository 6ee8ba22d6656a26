//! Rates of calls, as the platforms publish them: each platform's row has its own.

use foldback_wire::{ChatId, OpKind};
use std::time::Duration;

/// A rate of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// The time between two calls.
    pub interval: Duration,
    /// Calls that may be made at once after a rest; 1 or more.
    pub at_once: u32,
}

impl Rate {
    /// Even calls after `at_once`, so that no span of `per` holds more than `calls`: the interval is a twentieth
    /// longer than that needs, since calls arrive at a platform in another rhythm than they leave in.
    pub(crate) const fn of(calls: u32, per: Duration, at_once: u32) -> Self {
        let even = per.as_millis() * 21 / (20 * (calls - at_once + 1) as u128);
        Self {
            interval: Duration::from_millis(even as u64 + 1),
            at_once,
        }
    }
}

/// Calls that a platform counts together, by the kind of their operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The platform's own name for it.
    pub name: &'static str,
    /// The operations.
    pub kinds: &'static [OpKind],
    /// Most calls of it, in all chats together; `None` where none is published.
    pub rate: Option<Rate>,
}

/// The rates that calls of a channel keep. What a platform does not publish, it says when it refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// All calls together.
    pub channel: Option<Rate>,
    /// All calls together, where a platform limits them and publishes nothing: they begin with it, and go faster until
    /// one is refused.
    pub assumed: Option<Rate>,
    /// Messages in one chat.
    pub chat: Option<Rate>,
    /// Messages in a group, beside [`chat`](Self::chat).
    pub group: Option<Rate>,
    /// Operations that count as a message.
    pub messages: &'static [OpKind],
    /// Calls that are counted apart. Operations of no route have one of their own.
    pub routes: &'static [Route],
}

pub(crate) const SECOND: Duration = Duration::from_secs(1);
pub(crate) const MINUTE: Duration = Duration::from_mins(1);

/// Operations that put a message into a chat.
pub(crate) const NEW: &[OpKind] = &[OpKind::SendText, OpKind::SendFile, OpKind::SendVoice];

impl Rates {
    /// No rates: a platform in the memory of this machine, or one that publishes none.
    pub const NONE: Self = Self {
        channel: None,
        assumed: None,
        chat: None,
        group: None,
        messages: NEW,
        routes: &[Route {
            name: "text",
            kinds: &[OpKind::SendText, OpKind::Typing],
            rate: None,
        }],
    };

    /// The route of an operation: its place in the table, or one of its own.
    pub fn route(&self, kind: OpKind) -> (usize, Option<Rate>) {
        let at = self.routes.iter().position(|route| route.kinds.contains(&kind));
        let apart = OpKind::ALL
            .iter()
            .position(|other| *other == kind)
            .unwrap_or_default();
        at.map_or((self.routes.len() + apart, None), |at| (at, self.routes[at].rate))
    }

    /// The rates of messages in a chat.
    pub fn in_chat(&self, chat: &ChatId) -> impl Iterator<Item = Rate> {
        // Only Telegram counts groups apart, whose ids are negative:
        // <https://core.telegram.org/bots/api#chat>, <https://core.telegram.org/api/bots/ids>.
        let group = self.group.filter(|_| chat.as_str().starts_with('-'));
        self.chat.into_iter().chain(group)
    }
}
