//! The payload of an `event`, read into times: what cannot be is told with the place and the change that mends it.
//!
//! ```text
//!   it is 29 November 2026, 20:00, in Europe/Berlin
//!
//!   date 2026-12-01, time 10:00                      1 December, 10:00
//!   date 2026-11-29, time 09:00                      over: "name a time after 2026-11-29 20:00"
//!   date 2027-01-31, repeat monthly                  31 January, 28 February, 31 March …, at 09:00
//!   repeat "0 9 * * MON-FRI"                         30 November, 09:00, and so on
//!   send_in "1 hour 30 minutes"                      29 November, 21:30
//!   send_at "07:15"                                  30 November: today it is over
//!   repeat always                                    refused: it would never end
//! ```

use crate::schedule_times::{ScheduleTimes, first_moment, zoned};
use foldback_actions::event::EventPayload;
use foldback_wire::{PayloadFinding, ReminderRepeat, Timestamp};
use jiff::{Span, ToSpan, Zoned, civil, tz::TimeZone};
use std::time::Duration;

/// The time of a day for which none is named.
const MORNING: civil::Time = civil::time(9, 0, 0, 0);

/// Shortest time between two times of a cron expression.
const CLOSEST: Duration = Duration::from_mins(15);

/// Times of a cron expression that are looked at for the shortest time between two.
const LOOKED_AT: usize = 64;

/// The times that a payload asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadTimes {
    pub(super) first: Timestamp,
    /// As a clock in the zone shows it.
    pub(super) local: civil::DateTime,
    pub(super) zone: String,
    pub(super) repeat: ReminderRepeat,
    pub(super) cron: Option<String>,
}

type Findings = Vec<PayloadFinding>;

fn finding(at: &str, problem: impl Into<String>, change: impl Into<String>) -> PayloadFinding {
    PayloadFinding {
        at: at.to_owned(),
        problem: problem.into(),
        change: change.into(),
    }
}

/// Reads the times of a payload that fits its schema; `default_zone` counts where it names none.
pub(super) fn read_times(
    payload: &EventPayload,
    default_zone: &str,
    now: Timestamp,
) -> Result<ReadTimes, Findings> {
    let zone = payload.zone.as_deref().unwrap_or(default_zone).trim();
    let known = TimeZone::get(zone).map_err(|_| {
        let problem = format!("there is no time zone {zone:?}");
        finding(
            "/zone",
            problem,
            "write its IANA name, such as Europe/Berlin, or leave it out",
        )
    });
    let repeat = read_repeat(payload.repeat.as_deref().unwrap_or_default());
    let (known, (repeat, cron)) = match (known, repeat) {
        (Ok(known), Ok(repeat)) => (known, repeat),
        (known, repeat) => return Err(known.err().into_iter().chain(repeat.err()).collect()),
    };
    let reading = Reading {
        payload,
        zone: &known,
        now,
    };
    let (first, local) = match &cron {
        Some(cron) => reading.cron(cron),
        None => reading.once(),
    }
    .map_err(|finding| vec![finding])?;
    Ok(ReadTimes {
        first,
        local,
        // As the data of the zones spells it, whatever the agent wrote.
        zone: known.iana_name().unwrap_or(zone).to_owned(),
        repeat,
        cron,
    })
}

/// The repetition, with its cron expression where it is one. What is none is refused: nothing becomes `none` in silence.
fn read_repeat(text: &str) -> Result<(ReminderRepeat, Option<String>), PayloadFinding> {
    let text = text.trim();
    let is_cron = text.contains(char::is_whitespace) || text.starts_with('@');
    match text.to_lowercase().as_str() {
        "" => Ok((ReminderRepeat::Once, None)),
        "always" => Err(finding(
            "/repeat",
            "a reminder that is always due would be told again and again, and never end",
            "name none, daily, weekly, monthly or a cron expression",
        )),
        _ if is_cron => Ok((ReminderRepeat::Cron, Some(text.to_owned()))),
        lower => match ReminderRepeat::from_code(lower).filter(|repeat| *repeat != ReminderRepeat::Cron) {
            Some(repeat) => Ok((repeat, None)),
            None => Err(finding(
                "/repeat",
                format!("there is no repetition {text:?}"),
                "write none, daily, weekly, monthly, or a cron expression of five fields such as 0 9 * * MON-FRI",
            )),
        },
    }
}

struct Reading<'a> {
    payload: &'a EventPayload,
    zone: &'a TimeZone,
    now: Timestamp,
}

type FirstTime = Result<(Timestamp, civil::DateTime), PayloadFinding>;

impl Reading<'_> {
    /// The first time, where one of `date`, `send_in` and `send_at` names it.
    fn once(&self) -> FirstTime {
        let EventPayload {
            date,
            time,
            send_in,
            send_at,
            ..
        } = self.payload;
        let without_time = |at| match time {
            Some(_) => Err(finding(
                "/time",
                format!("{at} has its own time"),
                "leave time out",
            )),
            None => Ok(()),
        };
        match (date, send_in, send_at) {
            (Some(date), None, None) => self.date(date, time.as_deref()),
            (None, Some(send_in), None) => {
                without_time("send_in")?;
                self.send_in(send_in)
            }
            (None, None, Some(send_at)) => {
                without_time("send_at")?;
                self.send_at(send_at)
            }
            (None, None, None) => Err(finding(
                "",
                "it names no time",
                "add date, or send_in, or send_at to the payload",
            )),
            _ => Err(finding(
                "",
                "it names more than one time",
                "keep one of date, send_in and send_at",
            )),
        }
    }

    fn date(&self, date: &str, time: Option<&str>) -> FirstTime {
        let day = read_date(date)?;
        let time = time.map_or(Ok(MORNING), |time| read_time("/time", time))?;
        let place = if self.today() == Some(day) {
            "/time"
        } else {
            "/date"
        };
        self.coming(place, day.to_datetime(time))
    }

    /// A time that a clock in the zone shows, which has to be to come.
    fn coming(&self, place: &str, local: civil::DateTime) -> FirstTime {
        let first = first_moment(local, self.zone);
        let first = first.ok_or_else(|| finding(place, "there is no such time", "name another one"))?;
        if first > self.now {
            Ok((first, local))
        } else {
            Err(self.over(place, local))
        }
    }

    fn over(&self, place: &str, local: civil::DateTime) -> PayloadFinding {
        let zone = self.zone.iana_name().unwrap_or("UTC");
        let shown = |shown: civil::DateTime| shown.strftime("%Y-%m-%d %H:%M").to_string();
        let now = self
            .local_now()
            .map(|now| shown(now.datetime()))
            .unwrap_or_default();
        finding(
            place,
            format!("{} in {zone} is over", shown(local)),
            format!("name a time after {now}, which it is there now"),
        )
    }

    fn send_in(&self, text: &str) -> FirstTime {
        let wrong = || {
            finding(
                "/send_in",
                format!("{text:?} is no time from now"),
                "write a number and a unit, such as 90 minutes, 1 hour 30 minutes or 2 days",
            )
        };
        let span = read_span(text).ok_or_else(wrong)?;
        let now = self.local_now().ok_or_else(wrong)?;
        let then = now.checked_add(span).map_err(|_| wrong())?;
        let first = Timestamp(then.timestamp().as_millisecond());
        if first.0 < self.now.0 + 1_000 {
            return Err(finding(
                "/send_in",
                format!("{text:?} is no time to come"),
                "name at least one second",
            ));
        }
        Ok((first, then.datetime()))
    }

    fn send_at(&self, text: &str) -> FirstTime {
        let text = text.trim();
        if text.contains('[') {
            return Err(finding(
                "/send_at",
                "a zone in brackets is not read",
                "write the zone as zone, and send_at without brackets",
            ));
        }
        if !text.contains(['T', 't', ' ']) && text.parse::<civil::Date>().is_ok() {
            return Err(finding(
                "/send_at",
                format!("{text:?} is a day without a time"),
                "use date, with time beside it, or add the time to send_at",
            ));
        }
        let seconds = text
            .parse::<i64>()
            .ok()
            .and_then(|seconds| seconds.checked_mul(1_000));
        if let Some(at) = seconds.map(Timestamp).or_else(|| Timestamp::parse(text)) {
            let local = zoned(at, self.zone).map(|at| at.datetime());
            let local =
                local.ok_or_else(|| finding("/send_at", "there is no such time", "name another one"))?;
            // The moment itself counts, also where the clock shows that time twice.
            return if at > self.now {
                Ok((at, local))
            } else {
                Err(self.over("/send_at", local))
            };
        }
        if let Ok(time) = read_time("/send_at", text) {
            return self.next_time_of_day(time);
        }
        let local = text.parse::<civil::DateTime>().map_err(|_| {
            finding(
                "/send_at",
                format!("{text:?} is no time"),
                "write it like 2026-12-24T09:00, which counts in the zone, or 09:00 for the next one",
            )
        })?;
        self.coming("/send_at", local)
    }

    /// The next time at which a clock in the zone shows this: today, or tomorrow where it is over.
    fn next_time_of_day(&self, time: civil::Time) -> FirstTime {
        let today = self.today();
        let days = today
            .into_iter()
            .chain(today.and_then(|today| today.tomorrow().ok()));
        let mut times = days.map(|day| self.coming("/send_at", day.to_datetime(time)));
        let first = times.next();
        match first {
            Some(Err(over)) => times.next().unwrap_or(Err(over)),
            Some(found) => found,
            None => Err(finding("/send_at", "there is no such time", "name another one")),
        }
    }

    fn cron(&self, cron: &str) -> FirstTime {
        let EventPayload {
            date,
            time,
            send_in,
            send_at,
            ..
        } = self.payload;
        let doubled = [("/time", time), ("/send_in", send_in), ("/send_at", send_at)];
        if let Some((place, _)) = doubled.iter().find(|(_, value)| value.is_some()) {
            let problem = "a cron expression has its own times";
            let change = format!("leave {} out; date may name the first day", &place[1..]);
            return Err(finding(place, problem, change));
        }
        let times = ScheduleTimes::cron(cron, self.zone)
            .map_err(|why| finding("/repeat", why, "write a cron expression of five fields"))?;
        let after = match date {
            None => self.now,
            Some(date) => {
                let day = read_date(date)?;
                if self.today().is_some_and(|today| day < today) {
                    self.coming("/date", day.to_datetime(civil::Time::midnight()))?;
                }
                let begins = first_moment(day.to_datetime(civil::Time::midnight()), self.zone);
                begins.map_or(self.now, |begins| {
                    begins.minus(Duration::from_millis(1)).max(self.now)
                })
            }
        };
        let first = times.next_after(after);
        let all = std::iter::successors(first, |last| times.next_after(*last));
        let all: Vec<_> = all.take(LOOKED_AT).collect();
        if all.windows(2).any(|two| two[1].since(two[0]) < CLOSEST) {
            return Err(finding(
                "/repeat",
                format!("{cron:?} is due more often than every 15 minutes"),
                "leave at least 15 minutes between two times",
            ));
        }
        let first = first.ok_or_else(|| finding("/repeat", "it is never due", "write other times"))?;
        let local = zoned(first, self.zone).map(|at| at.datetime());
        let local = local.ok_or_else(|| finding("/repeat", "there is no such time", "write other times"))?;
        Ok((first, local))
    }

    fn local_now(&self) -> Option<Zoned> {
        zoned(self.now, self.zone)
    }

    fn today(&self) -> Option<civil::Date> {
        self.local_now().map(|now| now.date())
    }
}

fn read_date(text: &str) -> Result<civil::Date, PayloadFinding> {
    text.parse().map_err(|_| {
        finding(
            "/date",
            format!("there is no day {text:?}"),
            "write a day that there is, such as 2026-12-01",
        )
    })
}

fn read_time(place: &str, text: &str) -> Result<civil::Time, PayloadFinding> {
    let read = text.split_once(':').and_then(|(hour, minute)| {
        let is_number = |part: &str| part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        let both = is_number(hour) && is_number(minute);
        let time = both.then(|| civil::Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok());
        time.flatten()
    });
    read.ok_or_else(|| {
        finding(
            place,
            format!("there is no time {text:?}"),
            "write hours and minutes from 00:00 to 23:59",
        )
    })
}

/// A span such as `90 minutes`, `1 hour 30 minutes` or `2d`; also minutes and seconds as `10:30`.
fn read_span(text: &str) -> Option<Span> {
    let text = text.trim();
    if let Some((minutes, seconds)) = text.split_once(':') {
        let (minutes, seconds): (i64, i64) = (minutes.parse().ok()?, seconds.parse().ok()?);
        let fits = (0..=9_999).contains(&minutes) && (0..60).contains(&seconds);
        return fits.then(|| minutes.minutes().seconds(seconds));
    }
    let span: Span = text.parse().ok()?;
    (!span.is_negative()).then_some(span)
}

#[cfg(test)]
mod tests;
