//! Time and chance, injected: a replay is deterministic and instant because it brings its own.

use std::{fmt, future::Future, pin::Pin, time::Duration};

/// Milliseconds since 1970-01-01T00:00:00Z. Printed as RFC 3339 in UTC with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, ts_rs::TS)]
#[ts(type = "string")]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Time from `earlier` to `self`; zero when `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The moment `after` later.
    #[must_use]
    pub fn plus(self, after: Duration) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(after.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// The moment `before` earlier.
    #[must_use]
    pub fn minus(self, before: Duration) -> Self {
        Self(
            self.0
                .saturating_sub(i64::try_from(before.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// Reads RFC 3339 with any offset.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>()
            .ok()
            .map(|t| Self(t.as_millisecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Out of jiff's range (years -9999..=9999) only when a clock is broken: show the edge, do not panic.
        let edge = if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        };
        write!(
            f,
            "{:.3}",
            jiff::Timestamp::from_millisecond(self.0).unwrap_or(edge)
        )
    }
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not an RFC 3339 time")))
    }
}

impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "format": "date-time"})
    }
}

/// A moment of the time that passes in a process: neither a suspend nor a clock that is set moves it. Other processes have
/// their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct SteadyTime(pub Duration);

impl SteadyTime {
    /// Time from `earlier` to `self`; zero when `earlier` is later.
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The moment `after` later.
    #[must_use]
    pub const fn plus(self, after: Duration) -> Self {
        Self(self.0.saturating_add(after))
    }
}

/// A boxed future that ends when a clock says so.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The only source of time below the shells.
///
/// The time of day may jump: a suspended machine wakes hours later, and an operator or a time server sets the clock.
/// Times that are compared with those of others (a signature's, a message's, the journal's) come from [`Self::now`].
/// An interval within the process is measured with [`Self::steady`], which never jumps; so are the moments that are waited
/// for.
pub trait Clock: Send + Sync {
    /// The time of day.
    fn now(&self) -> Timestamp;

    /// The time that passed since a fixed moment before the first call. It never goes back, and neither a suspend nor a
    /// clock that is set moves it. For clocks that never jump, the time of day will do.
    fn monotonic(&self) -> Duration {
        self.now().since(Timestamp(0))
    }

    /// The moment that is now, in the time that passes.
    fn steady(&self) -> SteadyTime {
        SteadyTime(self.monotonic())
    }

    /// The time of day at that moment, in whole milliseconds and never before it, as the clock stands now.
    fn time_of(&self, at: SteadyTime) -> Timestamp {
        let (now, steady) = (self.now(), self.steady());
        let whole = |time: Duration| i64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX);
        Timestamp(if at >= steady {
            now.0.saturating_add(whole(at.since(steady)))
        } else {
            now.0.saturating_sub(whole(steady.since(at)))
        })
    }

    /// The moment of a time of day that is over, as the clock stands now: not before this process, and now for a time
    /// that is still to come.
    fn steady_of(&self, past: Timestamp) -> SteadyTime {
        SteadyTime(self.monotonic().saturating_sub(self.now().since(past)))
    }

    /// Ends at that moment; at once when it is over.
    fn sleep_until_steady(&self, until: SteadyTime) -> Sleep {
        self.sleep_until(self.time_of(until))
    }

    /// Ends when as much time has passed as lies between [`Self::now`] and `until`; at once when nothing does. A jump
    /// of the time of day in between makes it neither shorter nor longer.
    fn sleep_until(&self, until: Timestamp) -> Sleep;
}

/// The only source of chance below the shells (jitter, human delay).
pub trait Rng: Send + Sync {
    /// The next number, uniform over all of `u64`.
    fn next(&self) -> u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_utc_with_milliseconds() {
        let at = Timestamp::parse("2026-11-21T14:02:31.482+01:00").unwrap();
        assert_eq!(at.to_string(), "2026-11-21T13:02:31.482Z");
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            serde_json::from_str::<Timestamp>("\"1970-01-01T00:00:01Z\"").unwrap(),
            Timestamp(1000)
        );
        assert!(serde_json::from_str::<Timestamp>("\"yesterday\"").is_err());
    }

    #[test]
    fn a_broken_clock_prints_the_edge() {
        assert!(Timestamp(i64::MAX).to_string().starts_with("9999-"));
        assert!(Timestamp(i64::MIN).to_string().starts_with('-'));
        assert_eq!(Timestamp(5).since(Timestamp(9)), Duration::ZERO);
        let widest = Duration::from_millis(i64::MAX.unsigned_abs());
        assert_eq!(Timestamp(i64::MAX).since(Timestamp(i64::MIN)), widest);
        assert_eq!(Timestamp(i64::MIN).since(Timestamp(i64::MAX)), Duration::ZERO);
    }
}
