//! Everything that a turn works with. It stands below the stages and delivery, which are given what they need of it.

mod agents;
mod record_locks;
mod runs;
mod sessions;
mod shutdown;
mod unable;

pub use agents::Agents;
pub(crate) use runs::{RunHandle, RunState, Runs};
pub(crate) use sessions::{BegunSession, CountedMessage, ResetRequest, Sessions, stopped_in_words};
pub(crate) use shutdown::Shutdown;
pub(crate) use unable::UnableBackends;

use crate::{
    delivery_orders::DeliveryOrders,
    files::SendDir,
    group_history::GroupHistory,
    permissions::Permissions,
    ports::{Port, Ports},
    recorder::{Ids, Recorder},
    reminders::Reminders,
    rules::Rules,
    voices::Speech,
};
use foldback_actions::ActionTable;
use foldback_agents::{documents::DocumentReader, links::LinkReader};
use foldback_channels::platform::reply_to_form;
use foldback_directives::Settings;
use foldback_wire::{MessageId, ReadThread, redact::Redaction};
use std::{collections::BTreeMap, sync::Arc};
use tokio_util::task::TaskTracker;

/// Everything that every turn of a bot works with.
pub(crate) struct TurnContext {
    pub(crate) ports: Arc<Ports>,
    pub(crate) agents: Agents,
    pub(crate) files: SendDir,
    pub(crate) speech: Speech,
    /// The actions that an agent may ask for.
    pub(crate) actions: Arc<ActionTable>,
    /// The place to which their results are handed over, to be delivered.
    pub(crate) delivery_orders: DeliveryOrders,
    /// The reminders that are set.
    pub(crate) reminders: Arc<Reminders>,
    /// Reads links in messages; `None` where they are text.
    pub(crate) links: Option<LinkReader>,
    /// Reads documents; `None` where nobody does.
    pub(crate) documents: Option<DocumentReader>,
    /// What was read of the threads of messages, in a replay; `None` where channels are asked.
    pub(crate) known_threads: Option<BTreeMap<MessageId, ReadThread>>,
    /// Backends of which it was told that they describe no pictures.
    pub(crate) unable: UnableBackends,
    pub(crate) rules: Rules,
    pub(crate) ids: Arc<Ids>,
    pub(crate) recorder: Recorder,
    /// Requests for permission that wait for a person.
    pub(crate) permissions: Permissions,
    /// The secrets that are masked in what goes out.
    pub(crate) redaction: Option<Redaction>,
    /// Ids of rules of the output grammar that are switched off; without effect outside of mutation tests.
    pub(crate) grammar_off: Vec<String>,
    pub(crate) runs: Runs,
    pub(crate) sessions: Sessions,
    /// What was said in groups and was not for the bot.
    pub(crate) group_history: GroupHistory,
    pub(crate) tasks: TaskTracker,
    /// Turns that still have something to say; what is only held does not count.
    pub(crate) busy: TaskTracker,
    pub(crate) shutdown: Shutdown,
}

impl TurnContext {
    /// The settings of a turn's scanners.
    pub(crate) fn scan_settings(&self, port: &Port) -> Settings {
        let mut settings = port.output.settings();
        settings.reply_to = reply_to_form(port.can.platform);
        // Those of a host's own interfaces, too.
        for row in self.actions.rows() {
            if !settings.action_names.contains(&row.name) {
                settings.action_names.push(row.name.clone());
            }
        }
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
