//! The times of a schedule. Nothing here looks at a clock: every question names the moment it is about.
//!
//! ```text
//!   cron 30 2 * * *, Europe/Berlin, where 02:00 to 03:00 is left out on 29 March 2026 and repeated on 25 October
//!
//!   after 28 March 12:00    29 March 03:00+02:00      02:30 does not exist: at the first moment behind the gap
//!   after 24 October 12:00  25 October 02:30+02:00    the first of the two
//!   after that              26 October 02:30+01:00    the second one of the day is no time of its own
//!
//!   */30 * * * * names no hour: it goes on with the clock on the wall, through 02:00 to 03:00 twice on 25 October
//! ```
//!
//! What must hold:
//! - Times depend on the expression and the moment alone, so that a restart finds the same ones.
//! - An expression that names its hours is due once a day at each of its times, also where the clocks change.
//! - `every` counts from 1970, not from the start of the process: restarts do not put it off.

mod days;
mod repetition;

pub(crate) use repetition::{Repetition, RepetitionStep};

use croner::{
    Cron,
    parser::{CronParser, Seconds, Year},
};
use foldback_wire::Timestamp;
use jiff::{
    ToSpan, Zoned, civil,
    tz::{AmbiguousOffset, TimeZone},
};
use std::{fmt, time::Duration};

/// Most missed times that are counted.
pub(crate) const MOST_MISSED: u32 = 1_000;

/// The times at which a schedule is due.
#[derive(Debug, Clone)]
pub(crate) enum ScheduleTimes {
    /// By a cron expression of five fields in a time zone, which goes on with the clock on the wall.
    Cron(Box<Cron>, TimeZone),
    /// By one that names its hours: each of its times is due once a day.
    CronOfHours(Box<Cron>, TimeZone),
    /// Whenever so much time has passed, counted from 1970; never zero.
    Every(Duration),
    /// Every day, week or month from a first day on.
    Repeated(Repetition),
    /// Once.
    At(Timestamp),
}

/// The times between two moments that were due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MissedTimes {
    /// The latest.
    pub(crate) latest: Timestamp,
    /// The earlier ones, as far as they are counted.
    pub(crate) before: u32,
}

impl ScheduleTimes {
    /// Reads a cron expression of five fields, or a name such as `@daily`.
    pub(crate) fn cron(text: &str, zone: &TimeZone) -> Result<Self, String> {
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let cron = parser.parse(text).map_err(|error| {
            format!(
                "{text:?} is no cron expression: {error}; write minute, hour, day, month and weekday, such as \
                 \"0 9 * * MON-FRI\""
            )
        })?;
        let (cron, zone) = (Box::new(cron), zone.clone());
        let times = if names_hours(text) {
            Self::CronOfHours(cron, zone)
        } else {
            Self::Cron(cron, zone)
        };
        if times.next_after(Timestamp(0)).is_none() {
            return Err(format!("{text:?} is never due: there is no such date"));
        }
        Ok(times)
    }

    /// Reads one moment: with an offset, or without one in the time zone.
    pub(crate) fn at(text: &str, zone: &TimeZone) -> Result<Self, String> {
        if let Some(at) = Timestamp::parse(text) {
            return Ok(Self::At(at));
        }
        let local = text.parse::<civil::DateTime>().ok();
        let at = local.and_then(|local| first_moment(local, zone));
        at.map(Self::At).ok_or_else(|| {
            format!(
                "{text:?} is no time; write it like \"2026-12-24T09:00\", which is in the zone, or \
                 \"2026-12-24T09:00:00+01:00\""
            )
        })
    }

    /// The first time after a moment; `None` where there is none any more.
    pub(crate) fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Cron(cron, zone) => {
                let next = cron.find_next_occurrence(&zoned(after, zone)?, false).ok()?;
                Some(moment(&next))
            }
            Self::CronOfHours(cron, zone) => {
                let mut local = on_the_wall(zoned(after, zone)?.datetime())?;
                loop {
                    local = cron.find_next_occurrence(&local, false).ok()?;
                    // The clock shows a time again whose first moment is over.
                    let next = first_moment(local.datetime(), zone)?;
                    if next > after {
                        return Some(next);
                    }
                }
            }
            Self::Every(every) => {
                let every = i64::try_from(every.as_millis()).ok().filter(|ms| *ms > 0)?;
                let passed = after.0.div_euclid(every).checked_add(1)?;
                passed.checked_mul(every).map(Timestamp)
            }
            Self::Repeated(repetition) => repetition.next_after(after),
            Self::At(at) => (*at > after).then_some(*at),
        }
    }

    /// The times after `after` and not after `until`; `None` where nothing was due.
    pub(crate) fn missed(&self, after: Timestamp, until: Timestamp) -> Option<MissedTimes> {
        let mut latest = self.next_after(after).filter(|first| *first <= until)?;
        let mut before = 0;
        while let Some(next) = self.next_after(latest).filter(|next| *next <= until) {
            if before == MOST_MISSED {
                return Some(MissedTimes {
                    latest: self.latest_until(until).unwrap_or(latest),
                    before,
                });
            }
            (latest, before) = (next, before + 1);
        }
        Some(MissedTimes { latest, before })
    }

    /// The latest time that is not after a moment.
    fn latest_until(&self, until: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Cron(cron, zone) => {
                let latest = cron.find_previous_occurrence(&zoned(until, zone)?, true).ok()?;
                Some(moment(&latest))
            }
            Self::CronOfHours(cron, zone) => {
                // The clock may have shown a later time before it was set back.
                let shown = zoned(until, zone)?.datetime().checked_add(1.day()).ok()?;
                let mut local = on_the_wall(shown)?;
                loop {
                    local = cron.find_previous_occurrence(&local, false).ok()?;
                    let latest = first_moment(local.datetime(), zone)?;
                    if latest <= until {
                        return Some(latest);
                    }
                }
            }
            Self::Every(every) => {
                let every = i64::try_from(every.as_millis()).ok().filter(|ms| *ms > 0)?;
                Some(Timestamp(until.0 - until.0.rem_euclid(every)))
            }
            Self::Repeated(repetition) => repetition.latest_until(until),
            Self::At(at) => (*at <= until).then_some(*at),
        }
    }
}

pub(crate) fn zoned(at: Timestamp, zone: &TimeZone) -> Option<Zoned> {
    let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
    Some(at.to_zoned(zone.clone()))
}

fn moment(at: &Zoned) -> Timestamp {
    Timestamp(at.timestamp().as_millisecond())
}

/// True for an expression whose second field is a list of hours, and for a name that stands for one.
fn names_hours(text: &str) -> bool {
    match text.split_whitespace().nth(1) {
        Some(hours) => !hours.contains(['*', '?', '/']),
        None => !text.trim().eq_ignore_ascii_case("@hourly"),
    }
}

/// What a clock on the wall shows, apart from the zone that it hangs in: no time is left out there, and none comes twice.
fn on_the_wall(shown: civil::DateTime) -> Option<Zoned> {
    shown.to_zoned(TimeZone::UTC).ok()
}

/// The first moment at which a clock in a zone shows a time, or the end of the gap that leaves it out.
pub(crate) fn first_moment(shown: civil::DateTime, zone: &TimeZone) -> Option<Timestamp> {
    let found = zone.to_ambiguous_timestamp(shown);
    let is_gap = matches!(found.offset(), AmbiguousOffset::Gap { .. });
    let first = found.earlier().ok()?;
    let first = if is_gap {
        zone.following(first).next()?.timestamp()
    } else {
        first
    };
    Some(Timestamp(first.as_millisecond()))
}

/// As the journal keeps it, to find that a schedule has other times than before.
impl fmt::Display for ScheduleTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cron(cron, zone) | Self::CronOfHours(cron, zone) => {
                write!(f, "cron {} {}", cron.as_str(), zone.iana_name().unwrap_or("UTC"))
            }
            Self::Every(every) => {
                let seconds = every.as_secs();
                match seconds {
                    s if s.is_multiple_of(86_400) => write!(f, "every {}d", s / 86_400),
                    s if s.is_multiple_of(3_600) => write!(f, "every {}h", s / 3_600),
                    s if s.is_multiple_of(60) => write!(f, "every {}m", s / 60),
                    s => write!(f, "every {s}s"),
                }
            }
            Self::Repeated(repetition) => repetition.fmt(f),
            Self::At(at) => write!(f, "at {at}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn berlin(cron: &str) -> ScheduleTimes {
        ScheduleTimes::cron(cron, &zone("Europe/Berlin")).unwrap()
    }

    /// The next times, in UTC.
    fn next(times: &ScheduleTimes, after: &str, count: usize) -> Vec<String> {
        let first = times.next_after(at(after));
        let all = std::iter::successors(first, |last| times.next_after(*last));
        all.take(count)
            .map(|at| at.to_string()[..16].to_owned())
            .collect()
    }

    #[test]
    fn an_hour_stays_the_hour_of_its_zone_over_summer_time() {
        assert_eq!(
            next(&berlin("0 9 * * *"), "2026-03-27T12:00:00Z", 3),
            ["2026-03-28T08:00", "2026-03-29T07:00", "2026-03-30T07:00"]
        );
        let times = ScheduleTimes::cron("0 9 * * MON", &zone("America/New_York")).unwrap();
        assert_eq!(
            next(&times, "2026-10-26T00:00:00Z", 2),
            ["2026-10-26T13:00", "2026-11-02T14:00"]
        );
    }

    #[test]
    fn a_time_that_does_not_exist_comes_behind_the_gap() {
        assert_eq!(
            next(&berlin("30 2 * * *"), "2026-03-28T12:00:00Z", 2),
            ["2026-03-29T01:00", "2026-03-30T00:30"],
            "02:30 is left out: 03:00 in summer time"
        );
    }

    #[test]
    fn a_time_that_comes_twice_is_due_once() {
        assert_eq!(
            next(&berlin("30 2 * * *"), "2026-10-24T12:00:00Z", 2),
            ["2026-10-25T00:30", "2026-10-26T01:30"]
        );
    }

    #[test]
    fn each_time_of_a_list_is_due_once_where_the_clocks_change() {
        for (cron, spring, autumn) in [
            (
                "30 2,14 * * *",
                ["03-29T01:00", "03-29T12:30", "03-30T00:30"],
                ["10-25T00:30", "10-25T13:30", "10-26T01:30"],
            ),
            (
                "0,30 2 * * *",
                ["03-29T01:00", "03-30T00:00", "03-30T00:30"],
                ["10-25T00:00", "10-25T00:30", "10-26T01:00"],
            ),
            (
                "15 1-3 * * SUN",
                ["03-29T00:15", "03-29T01:00", "03-29T01:15"],
                ["10-24T23:15", "10-25T00:15", "10-25T02:15"],
            ),
        ] {
            for (after, wanted) in [("2026-03-28T14:00:00Z", spring), ("2026-10-24T14:00:00Z", autumn)] {
                let told = next(&berlin(cron), after, 3);
                assert_eq!(told, wanted.map(|time| format!("2026-{time}")), "{cron}");
            }
        }
    }

    /// Both ways to count find the same last one, from each side of the change.
    #[test]
    fn the_latest_time_is_found_where_the_clocks_change() {
        let times = berlin("0,30 2 * * *");
        for (until, wanted) in [
            ("2026-03-29T00:59:00Z", "2026-03-28T01:30"),
            ("2026-03-29T01:00:00Z", "2026-03-29T01:00"),
            ("2026-10-25T00:10:00Z", "2026-10-25T00:00"),
            ("2026-10-25T01:10:00Z", "2026-10-25T00:30"),
            ("2026-10-25T05:00:00Z", "2026-10-25T00:30"),
        ] {
            let latest = times.latest_until(at(until)).unwrap().to_string();
            assert_eq!(latest[..16], *wanted, "{until}");
            let missed = times.missed(at("2026-03-01T00:00:00Z"), at(until)).unwrap();
            assert_eq!(missed.latest.to_string(), latest);
        }
    }

    /// Without hours the times follow the clock on the wall.
    #[test]
    fn an_expression_without_hours_runs_through_an_hour_that_comes_twice() {
        assert_eq!(
            next(&berlin("30 * * * *"), "2026-10-25T00:00:00Z", 3),
            ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"]
        );
        assert_eq!(
            next(&berlin("30 * * * *"), "2026-03-29T00:00:00Z", 3),
            ["2026-03-29T00:30", "2026-03-29T01:30", "2026-03-29T02:30"]
        );
    }

    #[test]
    fn every_counts_from_1970_whenever_it_is_asked() {
        let times = ScheduleTimes::Every(Duration::from_mins(30));
        for after in ["2026-01-01T00:00:00Z", "2026-01-01T00:29:59Z"] {
            assert_eq!(next(&times, after, 1), ["2026-01-01T00:30"]);
        }
    }

    #[test]
    fn at_is_due_once_and_read_in_its_zone() {
        let times = ScheduleTimes::at("2026-12-24T09:00", &zone("Europe/Berlin")).unwrap();
        assert_eq!(next(&times, "2026-01-01T00:00:00Z", 2), ["2026-12-24T08:00"]);
        let with_offset = ScheduleTimes::at("2026-12-24T09:00:00+01:00", &TimeZone::UTC).unwrap();
        assert_eq!(times.to_string(), with_offset.to_string());
        assert!(ScheduleTimes::at("tomorrow", &TimeZone::UTC).is_err());
        for (left_out, wanted) in [
            ("2027-03-28T02:00", "at 2027-03-28T01:00:00.000Z"),
            ("2027-03-28T02:30", "at 2027-03-28T01:00:00.000Z"),
            ("2027-10-31T02:30", "at 2027-10-31T00:30:00.000Z"),
        ] {
            let times = ScheduleTimes::at(left_out, &zone("Europe/Berlin")).unwrap();
            assert_eq!(times.to_string(), wanted);
        }
    }

    #[test]
    fn what_was_missed_is_one_with_a_count() {
        let times = ScheduleTimes::Every(Duration::from_hours(1));
        let after = at("2026-01-01T00:00:00Z");
        assert_eq!(times.missed(after, at("2026-01-01T00:59:59Z")), None);
        let missed = times.missed(after, at("2026-01-01T03:20:00Z")).unwrap();
        assert_eq!(missed.latest, at("2026-01-01T03:00:00Z"));
        assert_eq!(missed.before, 2);
        for times in [
            ScheduleTimes::Every(Duration::from_mins(1)),
            ScheduleTimes::cron("* * * * *", &TimeZone::UTC).unwrap(),
        ] {
            let missed = times.missed(after, at("2026-03-01T00:00:30Z")).unwrap();
            assert_eq!(missed.latest, at("2026-03-01T00:00:00Z"), "{times}");
            assert_eq!(missed.before, MOST_MISSED);
        }
    }

    #[test]
    fn what_is_no_expression_says_why() {
        for wrong in ["", "* * * *", "61 * * * *", "* * * * * *", "0 9 * * FUNDAY"] {
            let error = ScheduleTimes::cron(wrong, &TimeZone::UTC).unwrap_err();
            assert!(error.contains("is no cron expression"), "{wrong}: {error}");
        }
        let never = ScheduleTimes::cron("0 0 30 2 *", &TimeZone::UTC).unwrap_err();
        assert!(never.contains("never"), "{never}");
    }
}
