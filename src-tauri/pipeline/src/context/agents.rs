//! The agents that answer, by channel.

use foldback_agents::Agent;
use foldback_wire::ChannelId;
use std::{collections::BTreeMap, sync::Arc};

/// The agents of the channels.
#[derive(Clone)]
pub struct Agents {
    /// The agent of every channel that `by_channel` does not have.
    pub default: Arc<dyn Agent>,
    /// The agents of single channels.
    pub by_channel: BTreeMap<ChannelId, Arc<dyn Agent>>,
}

impl Agents {
    /// One agent for all channels.
    pub fn one(agent: Arc<dyn Agent>) -> Self {
        Self {
            default: agent,
            by_channel: BTreeMap::new(),
        }
    }

    pub(crate) fn of(&self, channel: &ChannelId) -> Arc<dyn Agent> {
        Arc::clone(self.by_channel.get(channel).unwrap_or(&self.default))
    }
}
