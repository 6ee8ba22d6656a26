//! The time until which a session goes on by itself.
//!
//! With `daily_at = "04:00"`, `zone = "Europe/Berlin"` and `idle = "12h"`:
//!
//! ```text
//!   Mon 10:00  a message                       goes on until Mon 22:00 (idle)
//!   Mon 21:00  a message                       goes on until Tue 04:00 (daily)
//!   Tue 03:59  a message: the same session     goes on until Tue 04:00 (daily)
//!   Tue 04:00  a message: a new session        goes on until Tue 16:00 (idle)
//! ```
//!
//! What must hold:
//! - A day begins when a clock on the wall of the zone shows the time; where it is put forward over it, an hour later, and
//!   where it shows it twice, the first time.
//! - A session is over from the moment on, and nothing is done then: the next message finds it so.

use crate::config::ResetConfig;
use foldback_wire::{ExpiryRule, SessionExpiry, Timestamp};
use jiff::tz::TimeZone;

/// The time at which a session ends in which something was said at `last_used`, unless something else is; `None` where it
/// does not end by itself.
pub(crate) fn session_end(reset: &ResetConfig, last_used: Timestamp) -> Option<SessionExpiry> {
    let end = |rule, at| SessionExpiry { rule, last_used, at };
    let idle = reset
        .idle
        .map(|idle| end(ExpiryRule::Idle, last_used.plus(idle.0)));
    let daily = next_day(reset, last_used).map(|at| end(ExpiryRule::Daily, at));
    idle.into_iter().chain(daily).min_by_key(|end| end.at)
}

/// The first beginning of a day after this moment.
fn next_day(reset: &ResetConfig, after: Timestamp) -> Option<Timestamp> {
    let time = reset.daily_at?.time();
    let zone = zone_of(reset);
    let now = jiff::Timestamp::from_millisecond(after.0)
        .ok()?
        .to_zoned(zone.clone());
    let mut day = now.date();
    // Today's, or tomorrow's; one more where a zone leaves out a day.
    for _ in 0..3 {
        let begins = day.to_datetime(time).to_zoned(zone.clone()).ok()?;
        let begins = Timestamp(begins.timestamp().as_millisecond());
        if begins > after {
            return Some(begins);
        }
        day = day.tomorrow().ok()?;
    }
    None
}

/// A moment as a clock on the wall of the sessions' zone shows it, such as `1 January 2026, 02:00 CET`.
pub(crate) fn time_on_the_wall(reset: &ResetConfig, at: Timestamp) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(moment) => moment
            .to_zoned(zone_of(reset))
            .strftime("%-d %B %Y, %H:%M %Z")
            .to_string(),
        // Only where a clock is broken.
        Err(_) => at.to_string(),
    }
}

fn zone_of(reset: &ResetConfig) -> TimeZone {
    match &reset.zone {
        Some(zone) => zone.rules().clone(),
        None => TimeZone::system(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Interval;

    fn reset(daily_at: Option<&str>, zone: &str, idle: Option<&str>) -> ResetConfig {
        ResetConfig {
            daily_at: daily_at.map(|time| time.parse().unwrap()),
            zone: Some(zone.parse().unwrap()),
            idle: idle.map(|idle| idle.parse::<Interval>().unwrap()),
        }
    }

    fn end(reset: &ResetConfig, last_used: &str) -> Option<(ExpiryRule, String)> {
        let last_used = Timestamp::parse(last_used).unwrap();
        session_end(reset, last_used).map(|end| (end.rule, end.at.to_string()))
    }

    #[test]
    fn whichever_rule_comes_first_ends_it() {
        let told = |rule, at: &str| Some((rule, at.to_owned()));
        let both = reset(Some("04:00"), "UTC", Some("12h"));
        let idle = told(ExpiryRule::Idle, "2026-01-05T22:00:00.000Z");
        assert_eq!(end(&both, "2026-01-05T10:00:00Z"), idle);
        let daily = told(ExpiryRule::Daily, "2026-01-06T04:00:00.000Z");
        assert_eq!(end(&both, "2026-01-05T21:00:00Z"), daily);
        assert_eq!(end(&both, "2026-01-06T03:59:59.999Z"), daily);
        assert_eq!(end(&reset(None, "UTC", None), "2026-01-05T10:00:00Z"), None);
    }

    #[test]
    fn a_message_at_the_very_time_belongs_to_the_new_day() {
        let daily = reset(Some("04:00"), "UTC", None);
        let (_, at) = end(&daily, "2026-01-06T04:00:00Z").unwrap();
        assert_eq!(at, "2026-01-07T04:00:00.000Z");
    }

    #[test]
    fn the_day_begins_by_the_clock_on_the_wall_of_the_zone() {
        let berlin = reset(Some("02:30"), "Europe/Berlin", None);
        let at = |last_used| end(&berlin, last_used).unwrap().1;
        assert_eq!(at("2026-01-05T10:00:00Z"), "2026-01-06T01:30:00.000Z");
        // The night in which the clock is put forward from 02:00 to 03:00, and the one in which 02:30 comes twice.
        assert_eq!(at("2026-03-28T10:00:00Z"), "2026-03-29T01:30:00.000Z");
        assert_eq!(at("2026-10-24T10:00:00Z"), "2026-10-25T00:30:00.000Z");
        let apia = reset(Some("04:00"), "Pacific/Apia", None);
        // Samoa left out 30 December 2011.
        assert_eq!(
            end(&apia, "2011-12-29T20:00:00Z").unwrap().1,
            "2011-12-30T14:00:00.000Z"
        );
    }
}
