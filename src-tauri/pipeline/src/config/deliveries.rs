//! Limits of deliveries to the agent.

use super::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most deliveries within `window` that may be allowed: each is a run of the agent, and is remembered.
pub(super) const MOST_DELIVERIES: u32 = 10_000;

/// Results of actions, events and errors that are delivered to the agent, each in a turn of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeliveriesConfig {
    /// The time within which `per_requester` and `total` count, at most `24h`.
    pub window: Interval,
    /// Most deliveries for one person within `window`; more are refused. From 1 to 10,000.
    pub per_requester: u32,
    /// Most deliveries for all people together within `window`; more are refused. From 1 to 10,000.
    pub total: u32,
}

impl Default for DeliveriesConfig {
    fn default() -> Self {
        Self {
            window: Interval::minutes(60),
            per_requester: 60,
            total: 600,
        }
    }
}
