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
//! A block is known by its turn and its number, which its intent has, and its text is a place of the answer, so that the same
//! words twice are two blocks. One that did not arrive is sent again with the rest, also by the next start, and nothing more
//! of its assistant message goes out before that ends. One of which nobody knows counts as said. What is said once the
//! assistant message is complete is no block any more: where a part of that does not arrive, the rest is held with it.

use crate::{
    config::{BlocksConfig, PauseConfig},
    split::BlockBreak,
};
use foldback_wire::{SteadyTime, TurnId};
use std::time::Duration;

/// The blocks of one turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blocks {
    config: BlocksConfig,
    turn: TurnId,
    /// The number of the next one.
    index: u32,
    /// No message of the answer goes out before this.
    not_before: SteadyTime,
}

impl Blocks {
    /// The blocks of this turn; `None` where its channel, which can edit or cannot, sends none.
    pub(super) fn of(config: BlocksConfig, can_edit: bool, turn: TurnId) -> Option<Self> {
        config.is_on(can_edit).then_some(Self {
            config,
            turn,
            index: 0,
            not_before: SteadyTime::default(),
        })
    }

    /// Fewest units of a block that goes out before the end.
    pub(super) fn least(&self) -> usize {
        self.config.least()
    }

    /// Most units of a message; `None` where the channel's limit is the only one.
    pub(super) fn most(&self) -> Option<usize> {
        self.config.most()
    }

    /// The finest place at which one may end that is not full.
    pub(super) const fn ends_at(&self) -> BlockBreak {
        self.config.ends_at
    }

    /// How long no text must come before one goes out that is not full.
    pub(super) const fn coalesce(&self) -> Duration {
        self.config.coalesce.0
    }

    /// The number of the next one, from 0.
    pub(super) const fn index(&self) -> u32 {
        self.index
    }

    /// No message of the answer goes out before this.
    pub(super) const fn not_before(&self) -> SteadyTime {
        self.not_before
    }

    /// Counts blocks that an earlier process sent.
    pub(super) const fn pass(&mut self, sent: u32) {
        self.index += sent;
    }

    /// Counts a block that went out now: the next one keeps its pause.
    pub(super) fn advance(&mut self, now: SteadyTime) {
        self.not_before = now.plus(self.pause());
        self.index += 1;
    }

    /// The pause after this block, which is the same for a turn and a number whenever it is played.
    fn pause(&self) -> Duration {
        let (least, most) = match self.config.delay {
            PauseConfig::Off => return Duration::ZERO,
            PauseConfig::Natural => (800, 2_500),
            PauseConfig::Range { min, max } => (millis(min.0), millis(max.0)),
        };
        let spread = most.saturating_sub(least).saturating_add(1);
        let seed = self.turn.0 ^ (u64::from(self.index) << 48);
        Duration::from_millis(least + mixed(seed) % spread)
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
            delay,
            ..BlocksConfig::default()
        };
        let mut blocks = Blocks::of(config, false, TurnId(turn)).unwrap();
        let next = |_| {
            blocks.advance(SteadyTime::default());
            blocks.not_before().since(SteadyTime::default())
        };
        (0..100).map(next).collect()
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
