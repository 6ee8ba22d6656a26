//! Times of day and the zones that they are of.

use super::quantity::as_text;
use jiff::{civil, tz::TimeZone};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{fmt, str::FromStr};

/// A time of day: `04:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeOfDay(civil::Time);

/// A time zone by its IANA name: `Europe/Berlin`, `UTC`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    name: String,
    zone: TimeZone,
}

impl TimeOfDay {
    /// Hour and minute.
    pub(crate) const fn time(self) -> civil::Time {
        self.0
    }
}

impl Zone {
    /// The rules of the zone.
    pub(crate) const fn rules(&self) -> &TimeZone {
        &self.zone
    }
}

impl FromStr for TimeOfDay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no time of day; write it like \"04:00\"");
        let (hour, minute) = text.split_once(':').ok_or_else(wrong)?;
        let number = |digits: &str| match digits.len() {
            1 | 2 => digits.parse::<i8>().map_err(|_| wrong()),
            _ => Err(wrong()),
        };
        let (hour, minute) = (number(hour)?, number(minute)?);
        civil::Time::new(hour, minute, 0, 0)
            .map(Self)
            .map_err(|_| wrong())
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0.hour(), self.0.minute())
    }
}

impl FromStr for Zone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let zone = TimeZone::get(text).map_err(|_| {
            format!("{text:?} is no time zone that this machine knows; write it like \"Europe/Berlin\"")
        })?;
        Ok(Self {
            name: text.to_owned(),
            zone,
        })
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

as_text!(TimeOfDay, "04:00", "^[0-2]?[0-9]:[0-5]?[0-9]$");
as_text!(Zone, "Europe/Berlin", "^[A-Za-z0-9_+/-]+$");
