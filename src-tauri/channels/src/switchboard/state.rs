//! Where a channel is, and how it may move.

use foldback_wire::{ChannelState, SteadyTime, Timestamp};

/// A channel as it is at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Between off and up.
    pub state: ChannelState,
    /// Since when; while it is not connected, since it was connected last or switched on.
    pub since: Timestamp,
    /// Why, in words.
    pub why: String,
    /// When a wait the platform asked for ends; only while `rate_limited`.
    pub until: Option<Timestamp>,
    /// End of that wait in the time that passes, which a clock that is set does not move.
    pub(super) limited_until: Option<SteadyTime>,
    /// Whether it sends for real; else everything but the platform call happens.
    pub armed: bool,
    /// Whether all outbound is muted.
    pub muted: bool,
    /// Calls in a row that failed in passing.
    pub(super) failures: u32,
    /// The trouble that the adapter told of itself: no call that succeeds says that it is over.
    pub(super) trouble: Option<String>,
}

/// Why a channel takes no operations at the moment. They are to be held as `channel_off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Closed {
    /// It is switched off.
    #[error("the channel is off")]
    Off,
    /// All outbound is muted.
    #[error("all outbound is muted")]
    Muted,
    /// It has no connection to its platform.
    #[error("the channel is not connected")]
    Down,
}

impl Status {
    /// Whether operations are taken; why not, if not. A dry run needs no connection.
    pub const fn open(&self) -> Result<(), Closed> {
        self.open_for(false)
    }

    /// The same for one operation, which is a rehearsal or not: that is a dry run also where the channel is armed.
    pub const fn open_for(&self, rehearsal: bool) -> Result<(), Closed> {
        match self.state {
            ChannelState::Off => Err(Closed::Off),
            _ if self.muted => Err(Closed::Muted),
            ChannelState::Connecting | ChannelState::Down if self.armed && !rehearsal => Err(Closed::Down),
            _ => Ok(()),
        }
    }
}

/// The next step on the way from one state to another; `None` at the end of it. A channel that was down
/// connects before it is up, and from off there is no way but connecting, so that whatever an adapter
/// reports, the journal shows only steps that exist. One that meets a limit or a trouble while it connects was not up.
pub(super) const fn step(from: ChannelState, to: ChannelState) -> Option<ChannelState> {
    use ChannelState::{Connecting, Degraded, Down, Off, RateLimited, Up};
    Some(match (from, to) {
        (Off, Off)
        | (Connecting, Connecting)
        | (Up, Up)
        | (Degraded, Degraded)
        | (RateLimited, RateLimited)
        | (Down, Down) => return None,
        (_, Off) => Off,
        (Off | Down, _) => Connecting,
        (Up | Degraded | RateLimited, Connecting) => Down,
        (_, to) => to,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ChannelState::{Connecting, Degraded, Down, Off, RateLimited, Up};

    /// The arrows of the architecture: off → connecting → up → degraded / `rate_limited` / down, all of these also from
    /// connecting, and off from everywhere.
    fn exists(from: ChannelState, to: ChannelState) -> bool {
        match from {
            Off | Down => to == Connecting || (from == Down && to == Off),
            Connecting => to != Connecting,
            Up | Degraded | RateLimited => {
                matches!(to, Up | Degraded | RateLimited | Down | Off) && to != from
            }
        }
    }

    #[test]
    fn every_way_arrives_and_takes_only_steps_that_exist() {
        for from in ChannelState::ALL {
            for to in ChannelState::ALL {
                let mut at = *from;
                let mut steps = 0;
                while let Some(next) = step(at, *to) {
                    assert!(exists(at, next), "{from} to {to} steps from {at} to {next}");
                    at = next;
                    steps += 1;
                }
                assert_eq!(at, *to);
                assert!(steps <= 3, "{from} to {to} is a detour");
            }
        }
    }
}
