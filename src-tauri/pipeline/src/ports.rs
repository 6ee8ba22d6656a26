//! The channels of the running bot with what the configuration says about them.

use crate::config::{ChannelConfig, Config, OutputConfig, reduce};
use foldback_channels::{Channel, Switchboard};
use foldback_wire::{Capabilities, ChannelId, SpeechMode};
use std::sync::Arc;

/// All channels.
pub(crate) struct Ports {
    pub(crate) board: Switchboard,
    pub(crate) config: Arc<Config>,
    /// Of a channel that the configuration does not name: nobody may talk there.
    no_settings: ChannelConfig,
}

/// One channel, what it can do and how output is delivered there.
pub(crate) struct Port {
    pub(crate) channel: Channel,
    /// The capabilities of the platform, less what is disabled: the only thing the delivery engine decides from.
    pub(crate) can: Capabilities,
    pub(crate) output: OutputConfig,
    /// The answers that are spoken.
    pub(crate) speech: SpeechMode,
}

impl Ports {
    pub(crate) fn new(board: Switchboard, config: Arc<Config>) -> Self {
        Self {
            board,
            config,
            no_settings: ChannelConfig::default(),
        }
    }

    /// The channel of this name.
    pub(crate) fn port(&self, id: &ChannelId) -> Option<Port> {
        self.port_speaking(id, self.settings(id).speech_auto)
    }

    /// The channel of this name, for a session that says itself which answers are spoken.
    pub(crate) fn port_speaking(&self, id: &ChannelId, speech: SpeechMode) -> Option<Port> {
        let channel = self.board.channel(id)?;
        let output = self.config.output_speaking(id, speech);
        let can = reduce(channel.capabilities().clone(), &output.disable);
        Some(Port {
            channel,
            can,
            output,
            speech,
        })
    }

    /// The settings of the channel of this name.
    pub(crate) fn settings(&self, id: &ChannelId) -> &ChannelConfig {
        self.config.channels.get(id).unwrap_or(&self.no_settings)
    }
}
