//! Lessons from the answers to calls about the limits of their platform.

use super::{CallLimiter, Pace, Passage, Scope};
use crate::{
    deliver::delivery_queue::backoff::{backoff, chance},
    rules::Rule,
};
use foldback_channels::{Delivered, LimitScope, NotDelivered, Pause, Refusal};
use foldback_wire::RefusalCode;
use std::time::Duration;

impl Pace {
    /// Learns from the answer to a call that began at this time. Gives how long calls like it pause now, where it was
    /// refused for that.
    pub(crate) fn learn(
        &self,
        passage: &Passage,
        began: Duration,
        answer: &Result<Delivered, NotDelivered>,
    ) -> Option<Duration> {
        match answer {
            Ok(delivered) => {
                let ack = &delivered.ack;
                for waited in &passage.limiters {
                    waited.limiter().open(began);
                }
                for _ in 0..ack.more_calls {
                    passage.spend(self.time(), false);
                }
                self.name_bucket(passage, ack.bucket.as_deref());
                if let Some(Pause { scope, after }) = ack.pause {
                    let until = self.time().saturating_add(after);
                    passage.limiter_of(scope).limiter().close_until(until);
                    self.close_bucket(passage, scope, until);
                }
                None
            }
            Err(NotDelivered::Refused(refusal)) if self.is_pause(refusal) => {
                self.name_bucket(passage, refusal.bucket.as_deref());
                Some(self.refused(passage, began, refusal))
            }
            Err(_) => None,
        }
    }

    /// True of a refusal that asks for a pause: a rate limit, or a failure with a wait that is longer than any pause between
    /// attempts, which no number of attempts outlasts.
    fn is_pause(&self, refusal: &Refusal) -> bool {
        match refusal.code {
            RefusalCode::RateLimited => true,
            RefusalCode::Transient => self.asked(refusal) > Some(self.policy.backoff_max.0),
            _ => false,
        }
    }

    /// The wait that a refusal asks for.
    fn asked(&self, refusal: &Refusal) -> Option<Duration> {
        refusal
            .retry_after
            .filter(|_| self.rules.holds(Rule::DeliverRetryAfter))
    }

    fn refused(&self, passage: &Passage, began: Duration, refusal: &Refusal) -> Duration {
        let asked = self.asked(refusal);
        let now = self.time();
        let first = self.policy.backoff.0;
        let wait = |streak| match asked.filter(|asked| *asked >= first) {
            // Everybody was told the same time: a little later, each at its own.
            Some(asked) => asked.saturating_add(chance(self.rng.as_ref(), first / 2)),
            // A platform that asks for no pause at all, or for none to speak of, gets ours.
            None => backoff(&self.policy, self.rng.as_ref(), streak).max(asked.unwrap_or_default()),
        };
        let until = passage
            .limiter_of(refusal.scope)
            .limiter()
            .close(began, now, wait);
        if refusal.scope == LimitScope::Unstated
            && let Some(wider) = self.scope_behind(passage, until, now)
        {
            passage.limiter_of(wider).limiter().close_until(until);
        }
        self.close_bucket(passage, refusal.scope, until);
        self.pauses.send_modify(|pauses| *pauses += 1);
        until.saturating_sub(now)
    }

    fn name_bucket(&self, passage: &Passage, bucket: Option<&str>) {
        if let Some(bucket) = bucket
            && let Some(paced) = self.channels().get_mut(&passage.channel)
        {
            paced.buckets.insert(passage.route, bucket.to_owned());
        }
    }

    /// Closes the other routes of a call's bucket in its chat: they share what is left of it, which is nothing.
    fn close_bucket(&self, passage: &Passage, scope: LimitScope, until: Duration) {
        if scope != LimitScope::RouteInChat {
            return;
        }
        let now = self.time();
        let mut channels = self.channels();
        let Some(paced) = channels.get_mut(&passage.channel) else {
            return;
        };
        let Some(bucket) = paced.buckets.get(&passage.route) else {
            return;
        };
        let shares = |(route, other): &(&usize, &String)| **route != passage.route && *other == bucket;
        let others: Vec<usize> = paced
            .buckets
            .iter()
            .filter(shares)
            .map(|(route, _)| *route)
            .collect();
        for route in others {
            let scope = Scope::RouteInChat(route, passage.chat.clone());
            paced
                .limiter(scope, now, &CallLimiter::default)
                .limiter()
                .close_until(until);
        }
    }

    /// The calls that a platform means that does not say so: while others of the same chat, or of another one, pause
    /// as well, those of the chat, or all.
    fn scope_behind(&self, passage: &Passage, until: Duration, now: Duration) -> Option<LimitScope> {
        let mut channels = self.channels();
        let paced = channels.entry(passage.channel.clone()).or_default();
        let this = (passage.chat.clone(), passage.route, until);
        let (chat, route, _) = paced.unstated.replace(this).filter(|(.., until)| *until > now)?;
        if chat == passage.chat {
            (route != passage.route).then_some(LimitScope::Chat)
        } else {
            Some(LimitScope::Channel)
        }
    }
}
