//! How fast a replay runs: at once on a virtual clock, or in real time, slower or faster.

use foldback_pipeline::TokioClock;
use foldback_wire::{Clock, Sleep, Timestamp};
use std::{str::FromStr, sync::Arc, time::Duration};
use tokio::{runtime, time::Instant};

/// How fast.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Speed {
    /// At once: time jumps whenever everything waits.
    #[default]
    Instant,
    /// Real time, so many times faster; above 0.
    Real(f64),
}

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "instant" {
            return Ok(Self::Instant);
        }
        match text.strip_prefix('x').unwrap_or(text).parse::<f64>() {
            Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(Self::Real(factor)),
            _ => Err("expected `instant` or a factor above 0, such as 1 or 10".to_owned()),
        }
    }
}

impl Speed {
    /// A runtime of one thread: with one thread and one seed, a virtual run is the same every time.
    pub(crate) fn runtime(self) -> std::io::Result<runtime::Runtime> {
        let mut builder = runtime::Builder::new_current_thread();
        builder.enable_time();
        if self == Self::Instant {
            builder.start_paused(true);
        }
        builder.build()
    }

    /// The clock of a run that begins at `epoch`; call it inside the runtime.
    pub(crate) fn clock(self, epoch: Timestamp) -> Arc<dyn Clock> {
        match self {
            Self::Instant => Arc::new(TokioClock::at(epoch)),
            Self::Real(factor) => Arc::new(Scaled {
                epoch,
                start: Instant::now(),
                factor,
            }),
        }
    }
}

/// Real time, faster or slower.
struct Scaled {
    epoch: Timestamp,
    start: Instant,
    factor: f64,
}

impl Clock for Scaled {
    fn now(&self) -> Timestamp {
        let elapsed = Duration::try_from_secs_f64(self.start.elapsed().as_secs_f64() * self.factor);
        self.epoch.plus(elapsed.unwrap_or(Duration::MAX))
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let wait = until.since(self.now()).as_secs_f64() / self.factor;
        // "Never" is thirty years, as for the system's clock.
        let wait = Duration::try_from_secs_f64(wait)
            .unwrap_or(Duration::MAX)
            .min(Duration::from_hours(262_800));
        Box::pin(tokio::time::sleep(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_read_and_nonsense_is_refused() {
        assert_eq!("instant".parse(), Ok(Speed::Instant));
        assert_eq!("10".parse(), Ok(Speed::Real(10.0)));
        assert_eq!("x0.5".parse(), Ok(Speed::Real(0.5)));
        for wrong in ["0", "-1", "NaN", "inf", "fast", ""] {
            assert!(wrong.parse::<Speed>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn scaled_time_goes_faster() {
        let runtime = runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let clock = Speed::Real(10.0).clock(Timestamp(0));
            let before = Instant::now();
            clock.sleep_until(Timestamp(1_000)).await;
            assert_eq!(before.elapsed().as_millis(), 100);
            assert!(clock.now() >= Timestamp(1_000));
        });
    }
}
