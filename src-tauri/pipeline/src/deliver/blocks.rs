//! Block streaming: an answer that grows is sent as messages of their own, where it cannot be edited or the channel's
//! settings say so.
//!
//! An example, with `min = 80`, `max = 200`, `coalesce = "1s"`, `break = "paragraph"`:
//!
//! ```text
//!    0 ms  60 characters are there: fewer than min, nothing is sent
//!  500 ms  120 characters, a paragraph ends after 95: more may come, it waits
//! 1500 ms  no text came for a second: block 0 is the 95 characters
//! 1600 ms  the rest grows beyond 200 characters: block 1 is cut at the best place before that, at once
//! 9000 ms  the run is over: what is left is the last message
//! ```
//!
//! A block is known by its turn and its number, and its text is a place of the answer, so that the same words twice are two
//! blocks. One that did not arrive is sent again with the rest, and then nothing more goes out before the end. One of which
//! nobody knows counts as said.

use crate::{
    config::{BlocksConfig, PauseConfig},
    split::BlockBreak,
};
use foldback_wire::TurnId;
use std::time::Duration;

/// The blocks of one turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blocks {
    config: BlocksConfig,
    turn: TurnId,
    /// The number of the next one.
    index: u32,
}

impl Blocks {
    /// The blocks of this turn; `None` where its channel sends none.
    pub(crate) fn of(config: BlocksConfig, turn: TurnId) -> Option<Self> {
        config.enabled.then_some(Self {
            config,
            turn,
            index: 0,
        })
    }

    /// Fewest units of a block that goes out before the end.
    pub(super) const fn min(&self) -> usize {
        self.config.min.get() as usize
    }

    /// Most units of a block.
    pub(super) const fn max(&self) -> usize {
        self.config.max.get() as usize
    }

    /// The finest place at which one may end that is not full.
    pub(super) const fn ends_at(&self) -> BlockBreak {
        self.config.ends_at
    }

    /// How long no text must come before one goes out that is not full.
    pub(super) const fn coalesce(&self) -> Duration {
        self.config.coalesce.0
    }

    pub(super) const fn index(&self) -> u32 {
        self.index
    }

    /// Counts a block. Answers the pause before the next one, which is the same for a turn and a number whenever it is
    /// played.
    pub(super) fn advance(&mut self) -> Duration {
        let (least, most) = match self.config.delay {
            PauseConfig::Off => return self.advance_by(Duration::ZERO),
            PauseConfig::Natural => (800, 2_500),
            PauseConfig::Range { min, max } => (millis(min.0), millis(max.0)),
        };
        let spread = most.saturating_sub(least).saturating_add(1);
        let seed = self.turn.0 ^ (u64::from(self.index) << 48);
        self.advance_by(Duration::from_millis(least + mixed(seed) % spread))
    }

    const fn advance_by(&mut self, pause: Duration) -> Duration {
        self.index += 1;
        pause
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The finalizer of `SplitMix64`: numbers next to each other become numbers far apart.
const fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Interval;

    fn pauses(delay: PauseConfig, turn: u64) -> Vec<Duration> {
        let config = BlocksConfig {
            enabled: true,
            delay,
            ..BlocksConfig::default()
        };
        let mut blocks = Blocks::of(config, TurnId(turn)).unwrap();
        (0..100).map(|_| blocks.advance()).collect()
    }

    #[test]
    fn a_pause_is_within_its_range_and_follows_from_turn_and_number() {
        let natural = pauses(PauseConfig::Natural, 7);
        let range = Duration::from_millis(800)..=Duration::from_millis(2_500);
        assert!(natural.iter().all(|pause| range.contains(pause)), "{natural:?}");
        assert_eq!(natural, pauses(PauseConfig::Natural, 7));
        assert_ne!(natural, pauses(PauseConfig::Natural, 8));
        assert!(natural.windows(2).any(|two| two[0] != two[1]));
        let fixed = PauseConfig::Range {
            min: Interval::millis(5),
            max: Interval::millis(5),
        };
        assert_eq!(pauses(fixed, 7), vec![Duration::from_millis(5); 100]);
        assert_eq!(pauses(PauseConfig::Off, 7), vec![Duration::ZERO; 100]);
    }
}
