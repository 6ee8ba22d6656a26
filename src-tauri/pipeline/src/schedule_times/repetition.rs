//! Every day, week or month from a first day on.
//!
//! ```text
//!   monthly from 31 January 2027, 09:00, Europe/Berlin
//!
//!   31 January, 28 February, 31 March, 30 April …    each counted from the first day: a short month sticks to nothing
//! ```

use super::{first_moment, zoned};
use foldback_wire::Timestamp;
use jiff::{Span, civil, tz::TimeZone};
use std::fmt;

/// The distance between two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RepetitionStep {
    Day,
    Week,
    /// Where a month does not have the day, its last one.
    Month,
}

/// Times at one time of day, from a first day on. What the clocks leave out is due right behind the gap; what comes twice
/// is due the first time only, but for the first time of all, which is the moment that was named.
#[derive(Debug, Clone)]
pub(crate) struct Repetition {
    pub(crate) first: civil::DateTime,
    /// The moment of the first time. It tells which of two is meant where the clock shows that time twice.
    pub(crate) begins: Timestamp,
    pub(crate) step: RepetitionStep,
    pub(crate) zone: TimeZone,
}

impl Repetition {
    /// The time so many steps behind the first.
    fn nth(&self, number: i64) -> Option<Timestamp> {
        if number == 0 {
            return Some(self.begins);
        }
        let span = match self.step {
            RepetitionStep::Day => Span::new().try_days(number),
            RepetitionStep::Week => Span::new().try_weeks(number),
            RepetitionStep::Month => Span::new().try_months(number),
        };
        first_moment(self.first.checked_add(span.ok()?).ok()?, &self.zone)
    }

    /// Whole steps from the first day to the day of a moment, at most one beside the time that is next to it.
    fn number_near(&self, at: Timestamp) -> Option<i64> {
        let day = zoned(at, &self.zone)?.date();
        let first = self.first.date();
        let days = || Some(i64::from(first.until(day).ok()?.get_days()));
        match self.step {
            RepetitionStep::Day => days(),
            RepetitionStep::Week => Some(days()?.div_euclid(7)),
            RepetitionStep::Month => {
                let years = i64::from(day.year()) - i64::from(first.year());
                Some(years * 12 + i64::from(day.month()) - i64::from(first.month()))
            }
        }
    }

    pub(super) fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        let mut number = (self.number_near(after)? - 1).max(0);
        loop {
            let next = self.nth(number)?;
            if next > after {
                return Some(next);
            }
            number += 1;
        }
    }

    pub(super) fn latest_until(&self, until: Timestamp) -> Option<Timestamp> {
        let mut number = self.number_near(until)? + 1;
        while number >= 0 {
            let latest = self.nth(number)?;
            if latest <= until {
                return Some(latest);
            }
            number -= 1;
        }
        None
    }
}

impl fmt::Display for Repetition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = match self.step {
            RepetitionStep::Day => "daily",
            RepetitionStep::Week => "weekly",
            RepetitionStep::Month => "monthly",
        };
        let zone = self.zone.iana_name().unwrap_or("UTC");
        write!(f, "{step} from {} {zone}", self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::ScheduleTimes, *};

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn from(first: &str, step: RepetitionStep) -> ScheduleTimes {
        let first = first.parse().unwrap();
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        ScheduleTimes::Repeated(Repetition {
            first,
            begins: first_moment(first, &zone).unwrap(),
            step,
            zone,
        })
    }

    #[test]
    fn the_first_time_of_all_is_its_moment_also_in_the_hour_that_comes_twice() {
        let times = ScheduleTimes::Repeated(Repetition {
            first: "2026-10-25T02:30".parse().unwrap(),
            begins: at("2026-10-25T01:30:00Z"),
            step: RepetitionStep::Day,
            zone: TimeZone::get("Europe/Berlin").unwrap(),
        });
        assert_eq!(
            next(&times, "2026-10-25T01:00:00Z", 2),
            ["2026-10-25T01:30", "2026-10-26T01:30"]
        );
        assert_eq!(
            times.latest_until(at("2026-10-25T02:00:00Z")),
            Some(at("2026-10-25T01:30:00Z"))
        );
        assert_eq!(times.latest_until(at("2026-10-25T01:00:00Z")), None);
    }

    fn next(times: &ScheduleTimes, after: &str, count: usize) -> Vec<String> {
        let first = times.next_after(at(after));
        let all = std::iter::successors(first, |last| times.next_after(*last));
        all.take(count)
            .map(|at| at.to_string()[..16].to_owned())
            .collect()
    }

    #[test]
    fn a_day_that_a_month_does_not_have_is_its_last_and_sticks_to_nothing() {
        let times = from("2027-12-31T09:00", RepetitionStep::Month);
        assert_eq!(
            next(&times, "2027-01-01T00:00:00Z", 5),
            [
                "2027-12-31T08:00",
                "2028-01-31T08:00",
                "2028-02-29T08:00",
                "2028-03-31T07:00",
                "2028-04-30T07:00"
            ]
        );
        assert_eq!(
            next(&times, "2031-02-28T08:00:00Z", 1),
            ["2031-03-31T07:00"],
            "asked years later, it is the same"
        );
    }

    #[test]
    fn days_and_weeks_keep_their_hour_over_summer_time() {
        assert_eq!(
            next(
                &from("2026-03-28T02:30", RepetitionStep::Day),
                "2026-03-28T01:30:00Z",
                2
            ),
            ["2026-03-29T01:00", "2026-03-30T00:30"],
            "02:30 is left out on the 29th"
        );
        assert_eq!(
            next(
                &from("2026-10-24T02:30", RepetitionStep::Day),
                "2026-10-24T01:00:00Z",
                2
            ),
            ["2026-10-25T00:30", "2026-10-26T01:30"],
            "02:30 comes twice on the 25th, and is due once"
        );
        assert_eq!(
            next(
                &from("2026-03-23T09:00", RepetitionStep::Week),
                "2026-03-23T08:00:00Z",
                2
            ),
            ["2026-03-30T07:00", "2026-04-06T07:00"]
        );
    }

    /// Counting step by step and counting back find the same time.
    #[test]
    fn what_was_missed_is_counted_and_its_latest_is_found() {
        for (step, until, missed) in [
            (RepetitionStep::Day, "2027-01-08T08:00:00Z", 7),
            (RepetitionStep::Week, "2027-01-20T00:00:00Z", 2),
            (RepetitionStep::Month, "2027-06-30T07:00:00Z", 5),
        ] {
            let times = from("2027-01-01T09:00", step);
            let counted = times.missed(at("2026-12-31T00:00:00Z"), at(until)).unwrap();
            assert_eq!(counted.before, missed, "{times}");
            assert_eq!(times.latest_until(at(until)), Some(counted.latest), "{times}");
        }
        let daily = from("2027-01-01T09:00", RepetitionStep::Day);
        assert_eq!(daily.latest_until(at("2027-01-01T07:59:00Z")), None);
        let years = daily
            .missed(at("2026-12-31T00:00:00Z"), at("2037-01-01T12:00:00Z"))
            .unwrap();
        assert_eq!(years.latest, at("2037-01-01T08:00:00Z"));
        assert_eq!(years.before, super::super::MOST_MISSED);
    }
}
