//! What every turn of a bot works with.

use super::Agents;
use crate::{
    aged::AgedMessages,
    config::ChannelConfig,
    context::Runs,
    conversations::Conversations,
    deliver::lanes::Lanes,
    files::SendDir,
    permissions::Permissions,
    ports::{Port, Ports},
    queue::Pending,
    recorder::{Ids, Recorder},
    rules::Rules,
    stages::{activation::BotTurns, dedupe::Seen, sender_limit::SenderTimes},
    voices::Speech,
};
use foldback_directives::Settings;
use foldback_store::PairingBook;
use foldback_wire::{ChannelId, Rng, redact::Redaction};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// What every turn works with.
pub(crate) struct Core {
    pub(crate) ports: Arc<Ports>,
    pub(crate) agents: Agents,
    pub(crate) files: SendDir,
    pub(crate) speech: Speech,
    pub(crate) rules: Rules,
    pub(crate) ids: Arc<Ids>,
    pub(crate) recorder: Recorder,
    pub(crate) lanes: Arc<Lanes>,
    pub(crate) conversations: Conversations<Pending>,
    /// Messages that waited over a stop for too long to be answered without a person's word.
    pub(crate) aged: AgedMessages,
    pub(crate) tasks: TaskTracker,
    /// Turns that still have something to say; what is only held does not count.
    pub(crate) busy: TaskTracker,
    /// No new turns.
    pub(crate) stopping: CancellationToken,
    /// Nothing comes in any more.
    pub(crate) deaf: CancellationToken,
    /// Running turns are to stop.
    pub(crate) killed: CancellationToken,
    /// Lanes are to stop, and nobody waits for an outcome any more.
    pub(crate) halted: CancellationToken,
    pub(super) seen: Mutex<Seen>,
    /// Held while what became known of an operation later is looked up and written down.
    pub(crate) hearing: tokio::sync::Mutex<()>,
    pub(super) bot_turns: Mutex<BotTurns>,
    pub(super) sender_times: Mutex<SenderTimes>,
    pub(crate) pairings: Mutex<PairingBook>,
    pub(crate) rng: Arc<dyn Rng>,
    /// Of a channel that the configuration does not name: nobody may talk there.
    pub(super) no_settings: ChannelConfig,
    pub(crate) runs: Runs,
    /// Requests for permission that wait for a person.
    pub(crate) permissions: Permissions,
    pub(super) grammar_off: Vec<String>,
    /// What is masked in what goes out.
    pub(crate) redaction: Option<Redaction>,
}

impl Core {
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn bot_turns(&self) -> MutexGuard<'_, BotTurns> {
        self.bot_turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn sender_times(&self) -> MutexGuard<'_, SenderTimes> {
        self.sender_times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn channel_settings(&self, channel: &ChannelId) -> &ChannelConfig {
        let settings = self.ports.config.channels.get(channel);
        settings.unwrap_or(&self.no_settings)
    }

    /// The settings of a turn's scanners.
    pub(crate) fn settings(&self, port: &Port) -> Settings {
        let mut settings = port.output.settings();
        settings.reply_to = port.can.platform.reply_to_form();
        switch_off(&mut settings, &self.grammar_off);
        settings
    }
}

#[cfg(feature = "mutants")]
fn switch_off(settings: &mut Settings, rules: &[String]) {
    settings.switch_off(rules);
}

#[cfg(not(feature = "mutants"))]
const fn switch_off(_: &mut Settings, _: &[String]) {}
