//! The demo: a conversation of the built-in configuration that plays in rounds.

use crate::{Timestamp, TurnId, closed::closed_set};
use serde::{Deserialize, Serialize};

/// The demo as the top bar shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DemoState {
    /// Its state.
    pub phase: DemoPhase,
    /// The round, from 1; 0 before the first.
    pub round: u32,
    /// Rounds after which it ends by itself, so that the journal does not grow without bounds.
    pub rounds: u32,
    /// Messages of this round that came in.
    pub written: u32,
    /// Messages of every round.
    pub messages: u32,
    /// The time at which the next round begins; only between two rounds.
    pub next_round_at: Option<Timestamp>,
}

closed_set! {
    /// The state of the demo.
    pub enum DemoPhase {
        Playing = "playing": "Its messages come in.",
        BetweenRounds = "between_rounds": "A round is over, the next one is to come.",
        Paused = "paused": "A person paused it: no message comes in, answers under way go on.",
        Ended = "ended": "All its rounds are over, or none has begun.",
    }
}

closed_set! {
    /// A stop of the guided tour through the demo's turns.
    pub enum DemoTopic {
        Held = "held": "Bytes are held until it is clear what they are.",
        Stripped = "stripped": "A directive is taken out of the text and acted on.",
        RateLimited = "rate_limited": "The platform asks to wait.",
        Silent = "silent": "The agent chose not to answer.",
        Failed = "failed": "The agent broke off.",
    }
}

/// The turn that shows a topic of the guided tour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DemoStop {
    /// The topic.
    pub topic: DemoTopic,
    /// The latest turn of the demo that shows it and has ended; `None` until one has.
    pub turn: Option<TurnId>,
    /// The event of that turn at which the topic is seen.
    pub seq: Option<u64>,
}

/// `demo_play`: goes on after a pause, begins after an end.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS,
)]
pub struct DemoPlay {
    /// Begins the first of all rounds at once, wherever the demo stands.
    #[serde(default)]
    pub from_start: bool,
}
