//! Stops a message that is older than the memory of what was answered. A signed webhook stays good for ever, so whoever
//! recorded one can send it again when nothing remembers it any more; the time in it is signed too.

use crate::{
    flow::{Flow, Stop},
    rules::{Rule, Rules},
};
use foldback_wire::{Capabilities, Gate, Inbound, Stage, Timestamp};
use std::time::Duration;

/// The facts that the stage decides from, beside the message.
pub(crate) struct AgeContext<'a> {
    pub(crate) rules: Rules,
    pub(crate) can: &'a Capabilities,
    /// The time for which events are kept; 0 keeps them for ever.
    pub(crate) keep: Duration,
    /// The time before which events were deleted already, whatever was kept then.
    pub(crate) deleted: Timestamp,
    pub(crate) now: Timestamp,
}

/// Stops a message that was written before the platform would still repeat it, or longer ago than events are kept, or
/// before the time whose events are deleted. A message without a time of the platform is not judged.
pub(crate) fn check_age(context: &AgeContext<'_>, message: &Inbound) -> Flow<()> {
    let AgeContext {
        rules,
        can,
        keep,
        deleted,
        now,
    } = *context;
    let Some(redelivery) = can.redelivery_ms.map(Duration::from_millis) else {
        return Flow::Continue(());
    };
    let is_kept_for_less = !keep.is_zero() && keep < redelivery;
    let memory = if is_kept_for_less { keep } else { redelivery };
    if message.at.0 <= 0 || !rules.holds(Rule::DedupeAge) {
        return Flow::Continue(());
    }
    let is_deleted = message.at < deleted;
    let why = if now.since(message.at) > memory {
        format!("more than {} ago", length(memory))
    } else if is_deleted {
        format!("before {deleted}, and the events of that time are deleted")
    } else {
        return Flow::Continue(());
    };
    let stop = Stop::new(
        Stage::Dedupe,
        Gate::TooOld,
        format!("message {} was written {why}", message.message),
    )
    .given("message", message.message.as_str())
    .given("written", message.at.to_string())
    .given("now", now.to_string());
    if is_kept_for_less || is_deleted {
        stop.changed_by("store.keep").flow()
    } else {
        stop.flow()
    }
}

/// A length of time, in words.
fn length(memory: Duration) -> String {
    match memory.as_secs() / 86_400 {
        0 => format!("{} hours", memory.as_secs() / 3_600),
        1 => "one day".to_owned(),
        days => format!("{days} days"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;
    use foldback_channels::{platform, profile};
    use foldback_wire::Platform;

    const DAY: Duration = Duration::from_hours(24);

    /// The stop of a message of this age, if there is one.
    fn stopped(platform: Platform, keep: Duration, at: i64, age: Duration) -> Option<Box<Stop>> {
        let mut message = inbound("hi");
        message.at = Timestamp(at);
        let now = Timestamp(at).plus(age);
        judged(platform, keep, Timestamp(0), &message, now)
    }

    fn judged(
        platform: Platform,
        keep: Duration,
        deleted: Timestamp,
        message: &Inbound,
        now: Timestamp,
    ) -> Option<Box<Stop>> {
        let context = AgeContext {
            rules: Rules::all(),
            can: &profile(platform),
            keep,
            deleted,
            now,
        };
        match check_age(&context, message) {
            Flow::Continue(()) => None,
            Flow::Stop(stop) => Some(stop),
        }
    }

    #[test]
    fn what_meta_would_still_repeat_passes_and_nothing_older() {
        let judge = |age| stopped(platform::WHATSAPP, 90 * DAY, 1_000, age);
        assert_eq!(judge(7 * DAY), None);
        let stop = judge(7 * DAY + Duration::from_millis(1)).unwrap();
        assert_eq!((stop.gate, stop.setting), (Gate::TooOld, None));
        assert!(stopped(platform::WHATSAPP, Duration::ZERO, 1_000, 8 * DAY).is_some());
    }

    #[test]
    fn a_journal_that_is_kept_for_less_remembers_less() {
        let judge = |age| stopped(platform::WHATSAPP, 2 * DAY, 1_000, age);
        assert_eq!(judge(2 * DAY), None);
        let stop = judge(3 * DAY).unwrap();
        assert_eq!(stop.setting.as_deref(), Some("store.keep"));
        assert!(stop.detail.contains("more than 2 days ago"), "{}", stop.detail);
    }

    #[test]
    fn what_was_written_before_the_latest_cut_stops_whatever_is_kept_now() {
        let mut message = inbound("hi");
        let now = Timestamp(0).plus(90 * DAY);
        let deleted = now.minus(DAY);
        for keep in [90 * DAY, Duration::ZERO] {
            message.at = deleted;
            let judge = |message: &Inbound| judged(platform::WHATSAPP, keep, deleted, message, now);
            assert_eq!(judge(&message), None);
            message.at = deleted.minus(Duration::from_millis(1));
            let stop = judge(&message).unwrap();
            assert_eq!(
                (stop.gate, stop.setting.as_deref()),
                (Gate::TooOld, Some("store.keep"))
            );
            assert!(
                stop.detail.contains("the events of that time are deleted"),
                "{}",
                stop.detail
            );
        }
        assert_eq!(judged(platform::TELEGRAM, DAY, deleted, &message, now), None);
    }

    #[test]
    fn what_has_no_time_or_comes_over_a_connection_of_ours_is_not_judged() {
        assert_eq!(stopped(platform::WHATSAPP, 90 * DAY, 0, 900 * DAY), None);
        for platform in platform::ALL
            .iter()
            .filter(|platform| **platform != platform::WHATSAPP)
        {
            assert_eq!(stopped(*platform, 90 * DAY, 1_000, 900 * DAY), None, "{platform}");
        }
    }
}
