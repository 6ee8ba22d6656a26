//! Bounds that a delivery brings with it.

use super::{DELIVERY_DEPTH, REQUEST_BYTES};
use serde::{Deserialize, Serialize};

/// Bounds of one delivery and of those that it leads to. Each lowers one of the bot's own: whoever delivers may ask for less,
/// never for more.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS,
)]
#[serde(default, deny_unknown_fields)]
pub struct DeliveryLimits {
    /// Most delivery turns in its chain; the bot permits 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub depth: Option<u32>,
    /// Most bytes of the texts of all items together; the bot permits 65,536.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub item_bytes: Option<u32>,
}

impl DeliveryLimits {
    /// True where they lower nothing.
    pub const fn is_empty(&self) -> bool {
        self.depth.is_none() && self.item_bytes.is_none()
    }

    /// Most delivery turns in the chain.
    pub fn depth(&self) -> u32 {
        self.depth.unwrap_or(DELIVERY_DEPTH).min(DELIVERY_DEPTH)
    }

    /// Most bytes of the texts of all items together.
    pub(super) fn item_bytes(&self) -> u32 {
        self.item_bytes.unwrap_or(REQUEST_BYTES).min(REQUEST_BYTES)
    }

    /// The lower of each two bounds: those of a delivery count for what follows it.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        let lower = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
        Self {
            depth: lower(self.depth, other.depth),
            item_bytes: lower(self.item_bytes, other.item_bytes),
        }
    }
}
