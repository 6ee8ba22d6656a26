//! The rates that the platforms publish, as data: a row for each.

use foldback_wire::{ChatId, OpKind, Platform};
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
    const fn of(calls: u32, per: Duration, at_once: u32) -> Self {
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

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

/// Operations that put a message into a chat.
const NEW: &[OpKind] = &[OpKind::SendText, OpKind::SendFile, OpKind::SendVoice];

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

    /// Thirty messages a second in all, one a second in a chat, twenty a minute in a group:
    /// <https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this>. An edit counts as a message.
    const TELEGRAM: Self = Self {
        channel: Some(Rate::of(30, SECOND, 5)),
        assumed: None,
        chat: Some(Rate::of(1, SECOND, 1)),
        group: Some(Rate::of(20, MINUTE, 8)),
        messages: &[
            OpKind::SendText,
            OpKind::EditText,
            OpKind::SendFile,
            OpKind::SendVoice,
        ],
        // A refusal names none; but what makes messages is refused together.
        routes: &[Route {
            name: "messages",
            kinds: &[
                OpKind::SendText,
                OpKind::EditText,
                OpKind::SendFile,
                OpKind::SendVoice,
                OpKind::Typing,
            ],
            rate: None,
        }],
    };

    /// Fifty calls a second in all; the rest is told by the headers of each answer and is not to be written down:
    /// <https://docs.discord.com/developers/topics/rate-limits#global-rate-limit>.
    const DISCORD: Self = Self {
        channel: Some(Rate::of(50, SECOND, 10)),
        routes: &[Route {
            name: "POST messages",
            kinds: NEW,
            rate: None,
        }],
        ..Self::NONE
    };

    /// One message a second in a channel and "several hundred" a minute in a workspace, read as three hundred; other
    /// methods by their tier: <https://docs.slack.dev/apis/web-api/rate-limits>. `chat.update`, `chat.delete` and
    /// `reactions.add` are of tier 3 (50 a minute), the methods of an upload of tier 4 (100 a minute).
    const SLACK: Self = Self {
        chat: Some(Rate::of(1, SECOND, 1)),
        routes: &[
            Route {
                name: "chat.postMessage",
                kinds: &[OpKind::SendText],
                rate: Some(Rate::of(300, MINUTE, 20)),
            },
            Route {
                name: "chat.update",
                kinds: &[OpKind::EditText],
                rate: Some(Rate::of(50, MINUTE, 15)),
            },
            Route {
                name: "chat.delete",
                kinds: &[OpKind::Delete],
                rate: Some(Rate::of(50, MINUTE, 15)),
            },
            Route {
                name: "reactions.add",
                kinds: &[OpKind::React],
                rate: Some(Rate::of(50, MINUTE, 15)),
            },
            Route {
                name: "files.completeUploadExternal",
                kinds: &[OpKind::SendFile, OpKind::SendVoice],
                rate: Some(Rate::of(100, MINUTE, 20)),
            },
        ],
        ..Self::NONE
    };

    /// Eighty messages a second of a number
    /// (<https://developers.facebook.com/documentation/business-messaging/whatsapp/throughput>), and to one person one
    /// every six seconds, of which up to 45 may be borrowed
    /// (<https://developers.facebook.com/documentation/business-messaging/whatsapp/about-the-platform#pair-rate-limits>).
    /// A reaction is a message.
    const WHATSAPP: Self = Self {
        channel: Some(Rate::of(80, SECOND, 10)),
        chat: Some(Rate {
            interval: Duration::from_millis(6_300),
            at_once: 40,
        }),
        messages: &[
            OpKind::SendText,
            OpKind::SendFile,
            OpKind::SendVoice,
            OpKind::React,
        ],
        ..Self::NONE
    };

    /// A bucket for each account that is written to, of sixty messages, which gains one a second; one for uploads, of
    /// fifty, which gains one every 1.2 seconds. Those are the defaults (`messages`, `attachmentCreate`) of
    /// <https://github.com/signalapp/Signal-Server/blob/main/service/src/main/java/org/whispersystems/textsecuregcm/limits/RateLimiters.java>.
    /// Reactions, removals and typing are messages, too; receipts, which nobody waits for here, have the last ones.
    ///
    /// Nobody publishes what its filter against spam takes for too much: ten a second to begin with is assumed.
    const SIGNAL: Self = Self {
        assumed: Some(Rate {
            interval: Duration::from_millis(100),
            at_once: 5,
        }),
        chat: Some(Rate {
            interval: Duration::from_millis(1_050),
            at_once: 45,
        }),
        messages: OpKind::ALL,
        routes: &[
            Route {
                name: "messages",
                kinds: &[OpKind::SendText, OpKind::Typing],
                rate: None,
            },
            Route {
                name: "attachments",
                kinds: &[OpKind::SendFile, OpKind::SendVoice],
                rate: Some(Rate {
                    interval: Duration::from_millis(1_260),
                    at_once: 40,
                }),
            },
        ],
        ..Self::NONE
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

/// The rates of a platform.
pub const fn rates(platform: Platform) -> Rates {
    match platform {
        Platform::Telegram => Rates::TELEGRAM,
        Platform::Discord => Rates::DISCORD,
        Platform::Slack => Rates::SLACK,
        Platform::Whatsapp => Rates::WHATSAPP,
        Platform::Signal => Rates::SIGNAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most calls in a half-open span.
    fn most(rate: Rate, span: Duration) -> u128 {
        u128::from(rate.at_once) - 1 + span.as_millis().div_ceil(rate.interval.as_millis())
    }

    #[test]
    fn no_span_holds_more_calls_than_are_published() {
        let row = rates;
        for (rate, span, published) in [
            (row(Platform::Telegram).channel, SECOND, 30),
            (row(Platform::Telegram).chat, SECOND, 1),
            (row(Platform::Telegram).group, MINUTE, 20),
            (row(Platform::Discord).channel, SECOND, 50),
            (row(Platform::Slack).chat, SECOND, 1),
            (row(Platform::Slack).route(OpKind::SendText).1, MINUTE, 300),
            (row(Platform::Slack).route(OpKind::EditText).1, MINUTE, 50),
            (row(Platform::Slack).route(OpKind::SendFile).1, MINUTE, 100),
            (row(Platform::Whatsapp).channel, SECOND, 80),
            (row(Platform::Whatsapp).chat, Duration::from_secs(6), 45),
            // A bucket, and what it gains in a minute.
            (row(Platform::Signal).chat, MINUTE, 60 + 60),
            (row(Platform::Signal).route(OpKind::SendFile).1, MINUTE, 50 + 50),
        ] {
            let most = most(rate.unwrap(), span);
            assert!(most <= published, "{most} of {published} in {span:?}");
            assert!(
                most * 10 >= published * 8,
                "{most} of {published} in {span:?} is too slow"
            );
        }
    }

    #[test]
    fn an_operation_of_no_route_has_one_of_its_own() {
        for platform in Platform::ALL {
            let rates = rates(*platform);
            for one in OpKind::ALL {
                for other in OpKind::ALL {
                    let together = rates
                        .routes
                        .iter()
                        .any(|route| route.kinds.contains(one) && route.kinds.contains(other));
                    let same = rates.route(*one).0 == rates.route(*other).0;
                    assert_eq!(same, one == other || together, "{platform} {one} {other}");
                }
            }
        }
    }

    #[test]
    fn only_groups_of_telegram_are_counted_apart() {
        let count = |platform, chat: &str| rates(platform).in_chat(&chat.into()).count();
        assert_eq!(count(Platform::Telegram, "42"), 1);
        assert_eq!(count(Platform::Telegram, "-1001234567890"), 2);
        assert_eq!(count(Platform::Discord, "-1"), 0);
    }
}
