//! Turns that a clock begins.

use super::{Config, Interval};
use crate::schedule_times::ScheduleTimes;
use foldback_wire::ChannelId;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};

/// Shortest time between two runs: each is a run of the agent, which costs.
const SHORTEST: Duration = Duration::from_mins(1);

/// A turn that a clock begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleConfig {
    /// Its name in the journal.
    pub name: String,
    /// Its times as a cron expression: minute, hour, day, month and weekday, such as `0 9 * * MON-FRI`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// The time between two runs, counted from 1970 in UTC, at least `1m`; a heartbeat without times has `heartbeat.every`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Interval>,
    /// The one time at which it runs, such as `2026-12-24T09:00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The time zone of `cron` and `at` by its IANA name, such as `Europe/Berlin`; UTC when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The channel on which it runs. While that is off it is put off, and runs once when the channel is on again.
    pub channel: ChannelId,
    /// The chat that the answer goes to, by its id on the platform.
    pub chat: String,
    /// The text that the agent is given. A heartbeat without one has `heartbeat.prompt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The file with that text, read when it is due. Relative: below the configuration file's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_file: Option<PathBuf>,
    /// The model that answers, by its name or a short one of `agent.models`; the agent's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Makes it a heartbeat: what only acknowledges it is dropped.
    #[serde(default)]
    pub heartbeat: bool,
}

/// Settings of the schedules that are heartbeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HeartbeatConfig {
    /// The time between two heartbeats of a schedule that names no times.
    pub every: Interval,
    /// The text that the agent is given, where a schedule has none.
    pub prompt: String,
    /// The file with the tasks, which the agent is given after the prompt. A heartbeat is skipped while it holds no task:
    /// nothing but headings, blank lines, and empty list items and boxes. Relative: below the configuration file's folder.
    pub file: Option<PathBuf>,
    /// The model that answers, where a schedule names none.
    pub model: Option<String>,
    /// A regular expression: an answer that matches it as a whole is dropped as an acknowledgement; `output.all_clear`
    /// when absent.
    pub all_clear: Option<String>,
}

impl Default for HeartbeatConfig {
    fn default() -> Self {
        Self {
            every: Interval::minutes(30),
            prompt: "Go through your open tasks. Do not repeat what is done. Where nothing needs a person's attention, \
                     answer HEARTBEAT_OK and nothing else."
                .to_owned(),
            file: None,
            model: None,
            all_clear: None,
        }
    }
}

impl ScheduleConfig {
    /// Its time zone.
    fn time_zone(&self) -> Result<TimeZone, String> {
        self.zone.as_deref().map_or(Ok(TimeZone::UTC), |name| {
            TimeZone::get(name).map_err(|_| {
                format!("there is no time zone {name:?}; write its IANA name, such as \"Europe/Berlin\"")
            })
        })
    }

    /// Its times, or the key that is wrong with the reason.
    pub(crate) fn times(&self, heartbeat: &HeartbeatConfig) -> Result<ScheduleTimes, (&'static str, String)> {
        let zone = self.time_zone().map_err(|why| ("zone", why))?;
        let default = self.heartbeat.then_some(heartbeat.every);
        match (&self.cron, self.every, &self.at) {
            (Some(cron), None, None) => ScheduleTimes::cron(cron, &zone).map_err(|why| ("cron", why)),
            (None, None, Some(at)) => ScheduleTimes::at(at, &zone).map_err(|why| ("at", why)),
            (None, every, None) if self.zone.is_some() && every.or(default).is_some() => {
                let why = "every counts in UTC; zone belongs to cron and at".to_owned();
                Err(("zone", why))
            }
            (None, every, None) => match every.or(default) {
                Some(Interval(every)) if every >= SHORTEST => Ok(ScheduleTimes::Every(every)),
                Some(_) => Err(("every", "must be at least 1m".to_owned())),
                None => Err((
                    "name",
                    format!("the schedule {:?} needs cron, every or at", self.name),
                )),
            },
            _ => {
                let key = if self.cron.is_some() { "cron" } else { "every" };
                let why = "has more than one of cron, every and at";
                Err((key, format!("the schedule {:?} {why}", self.name)))
            }
        }
    }

    /// The key that is wrong beside its times, with the reason.
    fn mistake(&self, config: &Config, earlier: &[Self]) -> Option<(&'static str, String)> {
        let Self { name, channel, .. } = self;
        let fault = |key, why: String| Some((key, why));
        if name.trim().is_empty() {
            return fault("name", "a schedule needs a name".to_owned());
        }
        if earlier.iter().any(|other| other.name == *name) {
            return fault("name", format!("there are two schedules named {name:?}"));
        }
        if !config.channels.contains_key(channel) {
            return fault("channel", format!("there is no channel {channel}"));
        }
        if self.chat.trim().is_empty() {
            return fault("chat", format!("the schedule {name:?} needs a chat"));
        }
        match (&self.prompt, &self.prompt_file) {
            (Some(_), Some(_)) => fault(
                "prompt_file",
                format!("the schedule {name:?} has both prompt and prompt_file"),
            ),
            (Some(prompt), None) if prompt.trim().is_empty() => {
                fault("prompt", format!("the schedule {name:?} has an empty prompt"))
            }
            (None, None) if !self.heartbeat => fault(
                "name",
                format!("the schedule {name:?} needs prompt or prompt_file"),
            ),
            _ => None,
        }
    }
}

/// The first schedule that cannot be: its number from 0, the key that is wrong, and the reason.
pub(super) fn unfit_schedule(config: &Config) -> Option<(usize, &'static str, String)> {
    let all = config.schedule.iter().enumerate();
    let mut wrong = all.filter_map(|(index, schedule)| {
        let mistake = schedule.mistake(config, &config.schedule[..index]);
        let (key, why) = mistake.or_else(|| schedule.times(&config.heartbeat).err())?;
        Some((index, key, why))
    });
    wrong.next()
}

#[cfg(test)]
mod tests {
    use crate::config::parse;
    use std::path::Path;

    fn read(text: &str) -> Result<(), String> {
        let read = parse(text, Path::new("f"));
        read.map(drop).map_err(|error| error.to_string())
    }

    fn schedule(more: &str) -> String {
        format!(
            "[channels.telegram]\n\n[[schedule]]\nname = \"morning\"\nchannel = \"telegram\"\nchat = \"42\"\n{more}\n"
        )
    }

    /// The machine's zone makes no difference.
    #[test]
    fn without_a_zone_the_times_are_those_of_utc() {
        for (times, told) in [
            ("cron = \"0 9 * * 1\"", "cron 0 9 * * 1 UTC"),
            (
                "cron = \"0 9 * * 1\"\nzone = \"Europe/Berlin\"",
                "cron 0 9 * * 1 Europe/Berlin",
            ),
            ("at = \"2026-12-24T09:00\"", "at 2026-12-24T09:00:00.000Z"),
            (
                "at = \"2026-12-24T09:00\"\nzone = \"Europe/Berlin\"",
                "at 2026-12-24T08:00:00.000Z",
            ),
        ] {
            let config = parse(&schedule(&format!("prompt = \"p\"\n{times}")), Path::new("f")).unwrap();
            let times = config.schedule[0].times(&config.heartbeat).unwrap();
            assert_eq!(times.to_string(), told);
        }
    }

    #[test]
    fn a_schedule_has_times_and_a_prompt() {
        for fits in [
            "prompt = \"p\"\ncron = \"0 9 * * MON-FRI\"\nzone = \"Europe/Berlin\"",
            "prompt = \"p\"\nevery = \"1h\"",
            "prompt_file = \"p.md\"\nat = \"2026-12-24T09:00\"\nzone = \"Asia/Tokyo\"",
            "heartbeat = true",
        ] {
            assert_eq!(read(&schedule(fits)), Ok(()), "{fits}");
        }
    }

    #[test]
    fn a_mistake_names_its_line() {
        for (more, expected) in [
            (
                "prompt = \"p\"",
                "f:4:1: schedule.name: the schedule \"morning\" needs cron",
            ),
            (
                "every = \"1h\"",
                "f:4:1: schedule.name: the schedule \"morning\" needs prompt",
            ),
            (
                "prompt = \"p\"\ncron = \"0 25 * * *\"",
                "f:8:1: schedule.cron: \"0 25 * * *\" is no cron expression",
            ),
            (
                "prompt = \"p\"\ncron = \"0 9 * * *\"\nzone = \"Europe/Bielefeld\"",
                "f:9:1: schedule.zone: there is no time zone \"Europe/Bielefeld\"",
            ),
            (
                "prompt = \"p\"\ncron = \"0 9 * * *\"\nevery = \"1h\"",
                "f:8:1: schedule.cron: the schedule \"morning\" has more than one of",
            ),
            (
                "prompt = \"p\"\nevery = \"59s\"",
                "f:8:1: schedule.every: must be at least 1m",
            ),
            (
                "prompt = \" \"\nevery = \"1h\"",
                "f:7:1: schedule.prompt: the schedule \"morning\" has an empty prompt",
            ),
            (
                "prompt = \"p\"\nprompt_file = \"q\"\nevery = \"1h\"",
                "f:8:1: schedule.prompt_file: the schedule \"morning\" has both",
            ),
        ] {
            let error = read(&schedule(more)).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        let unknown =
            schedule("prompt = \"p\"\nevery = \"1h\"").replace("channel = \"telegram\"", "channel = \"tg\"");
        let error = read(&unknown).unwrap_err();
        assert_eq!(error, "f:5:1: schedule.channel: there is no channel tg");
        let error = read("[heartbeat]\nevery = \"1h\"\nall_clear = \"(\"\n").unwrap_err();
        assert!(error.starts_with("f:3:1: heartbeat.all_clear:"), "{error}");
    }
}
