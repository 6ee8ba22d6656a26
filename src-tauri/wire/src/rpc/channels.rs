//! Channels as cards: state, switches, limits, counters, errors.

use crate::{Capabilities, ChannelId, ChannelState, Timestamp};
use serde::{Deserialize, Serialize};

/// The counts of a channel since the start.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS,
)]
pub struct Counters {
    /// Messages that came in.
    pub received: u64,
    /// Messages that a gate stopped: of strangers, seen before, or too many at once.
    pub stopped: u64,
    /// Operations acknowledged.
    pub sent: u64,
    /// Operations done in dry run.
    pub dry_run: u64,
    /// Operations that failed.
    pub failed: u64,
    /// Operations skipped as unsupported.
    pub unsupported: u64,
    /// Operations whose outcome is unknown.
    pub unknown: u64,
    /// Operations waiting.
    pub held: u64,
}

/// The last thing that went wrong on a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChannelError {
    /// The time; the last one, where it happened more than once.
    pub at: Timestamp,
    /// The number of times.
    pub count: u32,
    /// The error in words.
    pub message: String,
    /// The remedy.
    pub hint: Option<String>,
    /// The event, the last one.
    pub seq: u64,
}

/// A channel's card; answer of `channels` is a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChannelCard {
    /// The channel.
    pub channel: ChannelId,
    /// True where it is simulated.
    pub simulated: bool,
    /// Its state.
    pub state: ChannelState,
    /// The time since which it is so; while it is not connected, since it was connected last, however often it was
    /// tried.
    pub since: Timestamp,
    /// The reason for which it stands there, in words.
    pub why: String,
    /// True where it is switched on.
    pub on: bool,
    /// True where it sends for real. A simulated channel always acts, on its simulated platform.
    pub armed: bool,
    /// Its capabilities.
    pub capabilities: Capabilities,
    /// Operations it must not use.
    pub disabled: Vec<String>,
    /// The allow list; empty lets nobody in.
    pub allow_from: Vec<String>,
    /// The people who may write directly, in words; begins with `nobody` where nobody may.
    pub direct: String,
    /// The people who may write in groups, and when the bot is meant, in words; begins with `nobody` where nobody may.
    pub groups: String,
    /// The time until which the platform asked to wait.
    pub limited_until: Option<Timestamp>,
    /// Operations held while it was off that are older than the limit and need a person's word.
    pub needs_consent: u64,
    /// Messages that waited over a stop for longer than the limit: the agent gets them on a person's word only.
    #[serde(default)]
    pub messages_need_consent: u64,
    /// Operations that wait in the outbox and go out for real, without a question, as soon as the channel is armed and
    /// open. What waits for a person's word is not among them, nor what belongs to a rehearsal.
    pub outgoing: u64,
    /// The limit for what needs a person's word, in milliseconds.
    pub consent_after_ms: u64,
    /// Its counts.
    pub counters: Counters,
    /// The latest errors, newest first, at most five.
    pub errors: Vec<ChannelError>,
}

/// `channel_switch`: switch an adapter on or off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SwitchChannel {
    /// The channel.
    pub channel: ChannelId,
    /// On or off.
    pub on: bool,
}

/// `channel_arm`: let a channel send for real, or only pretend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ArmChannel {
    /// The channel.
    pub channel: ChannelId,
    /// True where it sends for real.
    pub armed: bool,
    /// The channel's name again, typed by the person who arms it; not needed to disarm.
    pub confirm: String,
}

/// `mute`: hold back all outbound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Mute {
    /// True to mute.
    pub muted: bool,
}

/// `release_held`: a person agrees that deliveries held for longer than the limit go out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReleaseHeld {
    /// The channel.
    pub channel: ChannelId,
    /// Send them (true) or give them up (false).
    pub send: bool,
}
