//! Stops what one sender writes beyond the limit: a person does not write a message a second for a minute, and every
//! message costs a run.

use crate::{
    flow::{Flow, Stop},
    rules::{Rule, Rules},
};
use foldback_wire::{ChannelId, Gate, Inbound, Stage, Timestamp, UserId, messages};
use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

/// The time in which messages are counted.
const WINDOW: Duration = Duration::from_mins(1);

/// Senders from which on those are forgotten that were silent for the time in which messages are counted.
const SENDERS: usize = 5_000;

/// The times at which each sender wrote lately, in all chats of a channel.
#[derive(Debug, Default)]
pub(crate) struct SenderTimes {
    senders: HashMap<(ChannelId, UserId), VecDeque<Timestamp>>,
}

impl SenderTimes {
    /// Counts a message, unless `most` of its sender were counted in the minute before it was written; 0 sets no
    /// limit. The platform's time counts: what waited there while the bot was off was not written at once. A time that the
    /// sender's device set counts for nothing: a device could spread over hours what it sends at once.
    pub(crate) fn admit(&mut self, rules: Rules, most: u32, message: &Inbound, now: Timestamp) -> Flow<()> {
        if most == 0 || !rules.holds(Rule::QueueSender) {
            return Flow::Continue(());
        }
        let is_old = |time: &Timestamp, at: Timestamp| at.since(*time) >= WINDOW;
        if self.senders.len() >= SENDERS {
            self.senders.retain(|_, times| {
                times
                    .back()
                    .is_some_and(|last| *last <= now && !is_old(last, now))
            });
        }
        let sender = (message.channel.clone(), message.sender.id.clone());
        let times = self.senders.entry(sender).or_default();
        // Times to come are those from before the clock was set back: they count from now on.
        for time in times.iter_mut().rev().take_while(|time| **time > now) {
            *time = now;
        }
        let written = if message.at_by_device { now } else { message.at };
        let at = times.back().map_or(written, |last| written.max(*last)).min(now);
        while times.front().is_some_and(|first| is_old(first, at)) {
            times.pop_front();
        }
        if times.len() >= most as usize {
            let detail = format!(
                "the sender wrote {} within a minute already",
                messages(times.len())
            );
            return Stop::new(Stage::Queue, Gate::SenderLimit, detail)
                .given("sender", message.sender.id.as_str())
                .given("within_a_minute", times.len().to_string())
                .changed_by("queue.per_sender")
                .flow();
        }
        times.push_back(at);
        Flow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;

    fn at(sender: &str, seconds: i64) -> Inbound {
        let mut message = inbound("hi");
        message.sender.id = sender.into();
        message.at = Timestamp(seconds * 1_000);
        message
    }

    fn passes(times: &mut SenderTimes, message: &Inbound, now: i64) -> bool {
        let flow = times.admit(Rules::all(), 2, message, Timestamp(now * 1_000));
        matches!(flow, Flow::Continue(()))
    }

    #[test]
    fn a_sender_is_stopped_at_the_limit_and_no_other() {
        let mut times = SenderTimes::default();
        let mut passes = |sender, seconds| passes(&mut times, &at(sender, seconds), seconds);
        assert!(passes("a", 100) && passes("a", 130));
        assert!(!passes("a", 159) && passes("b", 159));
        // A message that was stopped does not count.
        assert!(passes("a", 160) && !passes("a", 189) && passes("a", 190));
    }

    #[test]
    fn what_waited_at_the_platform_counts_when_it_was_written() {
        let mut times = SenderTimes::default();
        for minute in 1..=9 {
            assert!(passes(&mut times, &at("a", minute * 60), 10_000), "{minute}");
        }
        // A time to come is no way around it.
        assert!(passes(&mut times, &at("b", 20_000), 10_000));
        assert!(passes(&mut times, &at("b", 30_000), 10_000));
        assert!(!passes(&mut times, &at("b", 40_000), 10_000));
    }

    #[test]
    fn a_clock_that_is_set_back_stops_nobody_for_longer_than_a_minute() {
        let mut times = SenderTimes::default();
        assert!(passes(&mut times, &at("a", 10_000), 10_000));
        assert!(passes(&mut times, &at("a", 10_001), 10_001));
        assert!(!passes(&mut times, &at("a", 5_000), 5_000));
        assert!(passes(&mut times, &at("a", 5_060), 5_060));
    }

    #[test]
    fn what_a_device_dates_counts_when_it_came() {
        let mut times = SenderTimes::default();
        let mut dated = |seconds, now| {
            let mut message = at("a", seconds);
            message.at_by_device = true;
            passes(&mut times, &message, now)
        };
        assert!(dated(60, 10_000) && dated(180, 10_001));
        assert!(!dated(300, 10_002) && !dated(20_000, 10_003));
        assert!(dated(300, 10_060));
    }

    #[test]
    fn silent_senders_are_forgotten_and_no_limit_counts_nobody() {
        let mut times = SenderTimes::default();
        for sender in 0..SENDERS {
            assert!(passes(&mut times, &at(&sender.to_string(), 0), 0));
        }
        assert!(passes(&mut times, &at("a", 60), 60));
        assert_eq!(times.senders.len(), 1);
        for _ in 0..100 {
            let flow = times.admit(Rules::all(), 0, &at("c", 61), Timestamp(61_000));
            assert_eq!(flow, Flow::Continue(()));
        }
        assert_eq!(times.senders.len(), 1);
    }
}
