//! The running bot: starts, takes messages, obeys the operator, ends in order.

mod asker;
mod begin;
mod calendar;
mod consent;
mod core;
mod deliveries;
mod deliveries_state;
mod delivery_checks;
mod delivery_orders;
mod ending;
mod footprint;
mod incoming;
mod operator_switches;
mod pairings;
mod reminders;
mod resume;
mod run_again;
mod schedule_orders;
mod schedules;
mod schedules_state;
mod session_detail;
mod sessions;
mod unfinished;

pub use begin::Turn;
use core::Core;
pub use deliveries::{Accepted, Rejected};
pub use footprint::Footprint;
use operator_switches::OperatorSwitches;
use reminders::set_up_reminders;
pub use run_again::RunAgainFault;
pub use schedule_orders::ScheduleFault;

use crate::{
    channel_log::ChannelLog,
    config::{ChannelConfig, Config},
    context::{Agents, Runs, Sessions, Shutdown, TurnContext, UnableBackends},
    dead_targets::DeadTargets,
    deciding::NamedSettings,
    deliver::delivery_queue::DeliveryQueues,
    delivery_orders::{DeliveryOrder, DeliveryOrders},
    files::SendDir,
    group_history::GroupHistory,
    late::LateRecorder,
    permissions::Permissions,
    ports::Ports,
    readers::Readers,
    recorder::{Ids, Recorder},
    rules::{Rule, Rules},
    voices::Speech,
};
use foldback_actions::{ActionTable, TableError};
use foldback_channels::{Arrival, ChannelAdapter, Late, NameTaken, Switchboard};
use foldback_directives::redact::InboundSecrets;
use foldback_store::{Journal, PairingBook, StoreError};
use foldback_wire::{
    Actor, ChannelId, Clock, Draft, Fault, Inbound, Kind, MessageId, OpId, Rng, redact::Redaction,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

/// Messages that adapters may be ahead of the gates.
const INBOUND: usize = 256;

/// Everything a bot is made of.
pub struct Parts {
    /// The configuration.
    pub config: Arc<Config>,
    /// The folder that relative paths of the configuration lie below.
    pub base: PathBuf,
    /// Masks secrets; `None` when redaction is off. Clones share the credentials that they know: whoever reads one later
    /// tells a clone of it.
    pub redaction: Option<Redaction>,
    /// The folder in which files to be sent really lie, when a replay's own folder stands for `files.send_dir`.
    pub send_dir: Option<PathBuf>,
    /// The journal, which decisions and intents go to.
    pub journal: Arc<dyn Journal>,
    /// The channels, by name.
    pub channels: Vec<(ChannelId, Arc<dyn ChannelAdapter>)>,
    /// The agents that answer.
    pub agents: Agents,
    /// Speech and transcription.
    pub speech: Speech,
    /// The actions that an agent may ask for.
    pub actions: Arc<ActionTable>,
    /// What reads links and documents.
    pub readers: Readers,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub rng: Arc<dyn Rng>,
    /// The rules in force; all of them except in mutation tests.
    pub rules: Rules,
    /// Ids of rules of the output grammar that are switched off, in mutation tests; without effect elsewhere.
    pub grammar_off: Vec<String>,
}

/// The reason for which a bot cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The journal cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Two channels have one name.
    #[error(transparent)]
    NameTaken(#[from] NameTaken),
    /// Two actions have one name.
    #[error(transparent)]
    Actions(#[from] TableError),
    /// Links cannot be fetched: there is no HTTP client.
    #[error("links cannot be fetched: {0}")]
    Links(String),
}

/// There is no channel of this name.
#[derive(Debug, thiserror::Error)]
#[error("there is no channel {0}")]
pub struct NoSuchChannel(pub ChannelId);

/// How many messages of a group each channel keeps for the agent.
fn group_histories(config: &Config) -> BTreeMap<ChannelId, u32> {
    let of = |(id, channel): (&ChannelId, &ChannelConfig)| (id.clone(), channel.group_history);
    config.channels.iter().map(of).collect()
}

/// The redaction under these rules.
fn redaction(redaction: Option<Redaction>, rules: Rules) -> Option<Redaction> {
    let redaction = redaction?;
    if rules.holds(Rule::RedactInbound) {
        return Some(redaction);
    }
    Some(redaction.with_inbound(InboundSecrets::Keep))
}

/// Writes what the channels tell into the journal and the app's log.
fn witness(
    recorder: Recorder,
    redaction: Option<Redaction>,
    keep_unaddressed: bool,
) -> impl Fn(Draft) + Send + Sync {
    let log = ChannelLog::default();
    move |mut draft| {
        if let Kind::Unreadable(part) = &mut draft.kind
            && !keep_unaddressed
        {
            // Nobody knows whom it was for.
            part.raw = String::new();
        }
        if let Some(redaction) = &redaction {
            redaction.event(&mut draft.kind);
        }
        recorder.tell_jump();
        log.log(&draft);
        if let Err(error) = recorder.journal.append(vec![draft]) {
            tracing::error!(%error, "a change of a channel is not in the journal");
        }
    }
}

/// The running bot. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    core: Arc<Core>,
}

impl Engine {
    /// Starts a bot: closes what an earlier process left open, switches its channels on, takes messages.
    pub async fn start(parts: Parts) -> Result<Self, StartError> {
        let Parts {
            config,
            base,
            redaction,
            send_dir,
            journal,
            channels,
            agents,
            speech,
            actions,
            readers,
            clock,
            rng,
            rules,
            grammar_off,
        } = parts;
        let (delivery_orders, ordered) = DeliveryOrders::channel();
        let redaction = self::redaction(redaction, rules);
        let kept = redaction.clone().filter(|_| rules.holds(Rule::RedactJournal));
        let settings = Arc::new(NamedSettings::new(Arc::clone(&config)));
        let recorder = Recorder::new(Arc::clone(&journal), Arc::clone(&clock), settings, kept.clone());
        let ids = Arc::new(Ids::new(journal.reserve().await?));
        let (sender, inbound) = mpsc::channel(INBOUND);
        let (telling, late) = mpsc::channel(INBOUND);
        let board = Switchboard::new(
            Arc::clone(&clock),
            Arc::clone(&rng),
            sender,
            telling,
            witness(recorder.clone(), kept, config.store.keep_unaddressed),
        );
        let shutdown = Shutdown::default();
        let chance = Arc::clone(&rng);
        let files = SendDir::new(
            &config.files,
            &base,
            send_dir.as_deref(),
            journal.kept_in(),
            rules,
        );
        let dead_targets = Arc::new(DeadTargets::read(journal.as_ref()).await?);
        let delivery_queues = DeliveryQueues::new(
            Arc::clone(&clock),
            chance,
            config.outbox,
            rules,
            Arc::clone(&ids),
            (files.clone(), dead_targets),
            shutdown.deliveries_stopped.clone(),
        );
        let pairings = PairingBook::of(journal.as_ref(), clock.now()).await?;
        let session_config = config.session.clone();
        let links = readers.links(&config.links).map_err(StartError::Links)?;
        let documents = readers.documents(&config);
        let known_threads = readers.threads();
        let group_history =
            GroupHistory::read(journal.as_ref(), &group_histories(&config), clock.now()).await?;
        let (reminders, actions) = set_up_reminders(&recorder, redaction.as_ref(), &config, actions).await?;
        let context = Arc::new(TurnContext {
            ports: Arc::new(Ports::new(board, config)),
            agents,
            files,
            speech,
            actions,
            delivery_orders,
            reminders,
            links,
            documents,
            known_threads,
            unable: UnableBackends::default(),
            rules,
            ids,
            recorder,
            permissions: Permissions::default(),
            redaction,
            grammar_off,
            runs: Runs::default(),
            sessions: Sessions::new(journal, session_config),
            group_history,
            tasks: TaskTracker::new(),
            busy: TaskTracker::new(),
            shutdown,
        });
        let core = Core::new(context, delivery_queues, rng, pairings, base);
        let unfinished = core.find_unfinished().await?;
        core.context.recorder.note(Kind::Started {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            replayed: false,
        })?;
        core.connect(channels, &unfinished.operator_switches).await?;
        core.take_up_schedules().await?;
        core.take_up_deliveries().await?;
        core.resume(unfinished).await?;
        core.begin_tasks(inbound, ordered, late);
        Ok(Self { core })
    }

    /// Takes a message as if it came in on its channel.
    pub async fn submit(&self, inbound: Inbound) -> Result<Turn, StoreError> {
        if self.core.context.shutdown.no_new_turns.is_cancelled() {
            return self.core.refuse_at_shutdown(inbound);
        }
        self.core.begin(inbound).await
    }

    /// Takes a message whose answer is written into this message of the bot; where that is gone, or cannot be edited, the
    /// answer is sent as a new one.
    pub async fn submit_into(&self, inbound: Inbound, message: MessageId) -> Result<Turn, StoreError> {
        if self.core.context.shutdown.no_new_turns.is_cancelled() {
            return self.core.refuse_at_shutdown(inbound);
        }
        self.core.begin_into(inbound, Some(message)).await
    }

    /// The channels, to look at.
    pub fn channels(&self) -> &Switchboard {
        &self.core.context.ports.board
    }

    /// The configuration it runs on.
    pub fn config(&self) -> &Arc<Config> {
        &self.core.context.ports.config
    }

    /// The agent that answers on a channel.
    pub fn agent_of(&self, channel: &ChannelId) -> Arc<dyn foldback_agents::Agent> {
        self.core.context.agents.of(channel)
    }

    /// Switches a channel on or off. False when it was so already.
    pub async fn toggle(
        &self,
        channel: &ChannelId,
        on: bool,
        by: Actor,
        why: &str,
    ) -> Result<bool, NoSuchChannel> {
        let line = self
            .channels()
            .channel(channel)
            .ok_or_else(|| NoSuchChannel(channel.clone()))?;
        Ok(if on {
            line.switch_on(by, why).await
        } else {
            line.switch_off(by, why).await
        })
    }

    /// Arms a channel, or sends it back to dry runs. False when it was so already.
    pub fn arm(&self, channel: &ChannelId, armed: bool, by: Actor) -> Result<bool, NoSuchChannel> {
        let line = self
            .channels()
            .channel(channel)
            .ok_or_else(|| NoSuchChannel(channel.clone()))?;
        Ok(line.arm(armed, by))
    }

    /// Tells that a fault is planned for an agent, whose deck is its own.
    pub fn agent_fault_planned(
        &self,
        agent: &str,
        number: u64,
        fault: Fault,
        by: Actor,
    ) -> Result<(), StoreError> {
        self.core.context.recorder.note(Kind::FaultPlanned {
            number,
            agent: Some(agent.to_owned()),
            fault,
            by,
        })
    }

    /// Tells that a fault of an agent is removed.
    pub fn agent_fault_removed(&self, agent: &str, number: u64, by: Actor) -> Result<(), StoreError> {
        self.core.context.recorder.note(Kind::FaultRemoved {
            number,
            agent: Some(agent.to_owned()),
            by,
        })
    }

    /// Mutes or unmutes all outbound: what goes out meanwhile is held. False when it was so already.
    pub fn mute(&self, muted: bool, by: Actor) -> bool {
        self.channels().mute(muted, by)
    }

    /// A person lets go on what is held on a channel because it is older than `outbox.max_age`: operations go out, and
    /// messages go to the agent.
    pub fn release_held(&self, channel: &ChannelId, by: &Actor) -> Result<(), StoreError> {
        self.settle_held(channel, true, by)?;
        self.core.delivery_queues.release(channel);
        self.core.aged.release(channel)
    }

    /// A person gives up what is held on a channel because it is older than `outbox.max_age`: it ends as
    /// `cancelled`, and a message as dropped. What is younger, or may have arrived, stays held.
    pub fn give_up_held(&self, channel: &ChannelId, by: &Actor) -> Result<(), StoreError> {
        self.settle_held(channel, false, by)?;
        self.core.delivery_queues.give_up(channel, &format!("{by:#}"));
        self.core.aged.drop_all(channel, by)
    }

    /// The operations of a channel that go out only when a person lets them: held for longer than `outbox.max_age`, and
    /// nobody has decided about them.
    pub fn asking(&self, channel: &ChannelId) -> BTreeSet<OpId> {
        let line = self.channels().channel(channel);
        line.map_or_else(BTreeSet::new, |line| self.core.delivery_queues.asking(&line))
    }

    fn settle_held(&self, channel: &ChannelId, send: bool, by: &Actor) -> Result<(), StoreError> {
        let by = by.clone();
        let kind = Kind::HeldSettled { send, by };
        self.core.context.recorder.on_channel(channel).note(kind)
    }
}

impl Core {
    /// Begins all that goes on until the process ends.
    fn begin_tasks(
        self: &Arc<Self>,
        inbound: mpsc::Receiver<Arrival>,
        ordered: mpsc::UnboundedReceiver<DeliveryOrder>,
        late: mpsc::Receiver<Late>,
    ) {
        let tasks = &self.context.tasks;
        tasks.spawn(Arc::clone(self).receive_arrivals(inbound));
        tasks.spawn(Arc::clone(self).run_schedules());
        tasks.spawn(Arc::clone(self).run_reminders());
        tasks.spawn(Arc::clone(self).receive_delivery_orders(ordered));
        tasks.spawn(LateRecorder::new(&self.context).record_news(late));
    }

    /// Takes the channels in and switches on those that are enabled, unless a person had switched them off.
    async fn connect(
        &self,
        channels: Vec<(ChannelId, Arc<dyn ChannelAdapter>)>,
        operator_switches: &OperatorSwitches,
    ) -> Result<(), StartError> {
        if let Some(by) = operator_switches.muted_by() {
            self.context.ports.board.mute(true, by.clone());
            self.context
                .recorder
                .warn(format!("all outbound stays muted, as {by:#} left it"))?;
        }
        for (id, adapter) in channels {
            let settings = self.context.ports.config.channels.get(&id);
            let channel =
                self.context
                    .ports
                    .board
                    .add(id.clone(), adapter, settings.is_some_and(|c| c.armed))?;
            for warning in self.context.ports.settings(&id).closed(id.as_str()) {
                self.context.recorder.warn(warning)?;
            }
            // A simulated channel always acts, on nobody's phone. That any other is not armed needs no word.
            if settings.is_some_and(|c| c.armed && !c.is_simulated(&id)) {
                let (armed, by) = (true, Actor::Config);
                self.context
                    .recorder
                    .on_channel(&id)
                    .note(Kind::Armed { armed, by })?;
            }
            if settings.is_some_and(|c| !c.enabled) {
                continue;
            }
            if let Some(by) = operator_switches.switched_off_by(&id) {
                channel.stay_off(by.clone(), format!("as {by:#} left it"));
            } else {
                channel
                    .switch_on(Actor::Config, "enabled in the configuration")
                    .await;
            }
        }
        Ok(())
    }
}
