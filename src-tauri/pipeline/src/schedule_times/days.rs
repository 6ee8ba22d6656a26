//! The times of a calendar: how often on each day.

use super::ScheduleTimes;
use foldback_wire::Timestamp;
use std::time::Duration;

/// Most times of one day that are counted.
const MOST_A_DAY: u32 = 25;

/// The times on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DayTimes {
    /// The place of the day, from 0.
    pub(crate) day: u32,
    pub(crate) first: Timestamp,
    /// At most 25.
    pub(crate) count: u32,
}

impl ScheduleTimes {
    /// The times after `after` on days that begin at these moments; the last one is the end of the last day.
    pub(crate) fn on_days(&self, after: Timestamp, days: &[Timestamp]) -> Vec<DayTimes> {
        let mut found = Vec::new();
        for (day, ends) in (0..).zip(days.windows(2)) {
            let [begins, end] = ends else { continue };
            let mut last = after.max(begins.minus(Duration::from_millis(1)));
            let mut times: Option<DayTimes> = None;
            while let Some(next) = self.next_after(last).filter(|next| next < end) {
                let times = times.get_or_insert(DayTimes {
                    day,
                    first: next,
                    count: 0,
                });
                times.count += 1;
                if times.count == MOST_A_DAY {
                    break;
                }
                last = next;
            }
            found.extend(times);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    #[test]
    fn each_day_has_its_first_time_and_their_number_after_a_moment() {
        let day = |number: u64| Timestamp(0).plus(Duration::from_hours(24 * number));
        let days: Vec<_> = (0..=3).map(day).collect();
        let told = |times: &ScheduleTimes, after| -> Vec<_> {
            let found = times.on_days(after, &days).into_iter();
            found
                .map(|found| (found.day, found.first.0 / 3_600_000, found.count))
                .collect()
        };
        let hourly = ScheduleTimes::Every(Duration::from_hours(1));
        assert_eq!(
            told(&hourly, day(1).plus(Duration::from_hours(21))),
            [(1, 46, 2), (2, 48, 24)]
        );
        let minutes = ScheduleTimes::Every(Duration::from_mins(1));
        assert_eq!(told(&minutes, day(2)), [(2, 48, 25)], "more are not counted");
        let second = ScheduleTimes::cron("0 9 2 * *", &TimeZone::UTC).unwrap();
        assert_eq!(told(&second, Timestamp(0)), [(1, 33, 1)]);
    }
}
