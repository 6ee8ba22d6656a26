//! What a channel would show: the pipeline itself, on a simulated platform, in memory, on a clock of its own.
//! There is no second planner that could disagree with delivery.

use crate::{TurnFold, failure};
use async_trait::async_trait;
use foldback_actions::{ActionInterface, ActionOrder, ActionRow, ActionTable, ResultSink, TableError};
use foldback_agents::{ScriptAgent, ScriptStep};
use foldback_channels::{Loopback, profile};
use foldback_pipeline::{
    Agents, Engine, Parts, Readers, Rules, SeededRng, Speech, TokioClock, VoiceOutput,
    config::{
        ChannelKind, Config, DescriptionsConfig, DmPolicy, DocumentsConfig, LinksConfig, SpeechBackend,
    },
};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    ActionAccess, ActionConfirmation, Clock, Event, Inbound, Kind, Timestamp,
    rpc::{Bubble, BubblePart, ChannelPreview, Failure, Ruler, VoiceOf},
};
use std::{path::PathBuf, sync::Arc};
use tokio::runtime;

/// One answer on one channel.
pub(super) struct Scene {
    pub(super) config: Arc<Config>,
    pub(super) base: PathBuf,
    pub(super) inbound: Inbound,
    pub(super) agent_output: String,
    /// The actions that are on.
    pub(super) actions: Vec<ActionRow>,
}

impl Scene {
    /// Plays it; takes no time on the clock, and little otherwise.
    pub(super) fn play(self) -> Result<(ChannelPreview, Ruler), Failure> {
        // Nothing of this happened: it has no place in the app's log.
        let _silent = tracing::subscriber::set_default(tracing::subscriber::NoSubscriber::default());
        let runtime = runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .map_err(|e| failure::internal(&e))?;
        runtime.block_on(self.act())
    }

    async fn act(mut self) -> Result<(ChannelPreview, Ruler), Failure> {
        let id = self.inbound.channel.clone();
        let config = self.config();
        let can = config
            .capabilities_of(&id)
            .ok_or_else(|| failure::no_channel(&id))?;
        let clock: Arc<dyn Clock> = Arc::new(TokioClock::at(Timestamp(0)));
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let agent = ScriptAgent::new(Arc::clone(&clock));
        agent.queue(
            None,
            vec![ScriptStep::text(std::mem::take(&mut self.agent_output))],
        );
        let speech = speech(&config);
        let channel = Arc::new(Loopback::new(profile(can.platform), Arc::clone(&clock), None));
        let engine = Engine::start(Parts {
            redaction: config.redaction(&self.base),
            config: Arc::new(config),
            base: self.base,
            send_dir: None,
            journal: Arc::clone(&journal),
            channels: vec![(id.clone(), Arc::<Loopback>::clone(&channel))],
            agents: Agents::one(Arc::new(agent)),
            speech,
            actions: Arc::new(unperformed(self.actions).map_err(|e| failure::internal(&e))?),
            readers: Readers::default(),
            clock,
            rng: Arc::new(SeededRng::new(0)),
            rules: Rules::all(),
            grammar_off: Vec::new(),
        })
        .await
        .map_err(|e| failure::internal(&e))?;
        self.inbound.message = channel.mint(&self.inbound.chat);
        let inbound = channel.platform().receive(self.inbound);
        let turn = engine.submit(inbound).await.map_err(failure::journal)?;
        let number = turn.id;
        turn.ended().await;
        let events = journal.turn(number).await.map_err(failure::journal)?;
        let fold = TurnFold::of(number, &events);
        let moment = fold.moment(&can).ok_or_else(|| failure::no_turn(number))?;
        let mut preview = moment.seen;
        preview.bubbles.retain(|bubble| !bubble.deleted);
        preview.typing = false;
        preview.bubbles.iter_mut().for_each(heard);
        preview.rules = format!(
            "{} profile of Foldback {}",
            can.platform,
            env!("CARGO_PKG_VERSION")
        );
        preview.notes.extend(notes(&events));
        Ok((preview, moment.lengths))
    }

    /// The configuration with this channel only: simulated, open to the writer, acting, nothing deleted.
    fn config(&self) -> Config {
        let id = &self.inbound.channel;
        let mut config = self.config.as_ref().clone();
        config.channels.retain(|name, _| name == id);
        if let Some(channel) = config.channels.get_mut(id) {
            channel.platform = channel.platform(id);
            channel.kind = Some(ChannelKind::Loopback);
            channel.enabled = true;
            channel.armed = true;
            channel.thread_history = Some(0);
            channel.allow_from = vec!["*".to_owned()];
            channel.dm_policy = DmPolicy::Open;
        }
        config.files.allow_cleanup = false;
        config.typing.enabled = false;
        // Nobody is asked, as each letter is a preview of its own: neither a server nor a program.
        config.commands.without_programs = true;
        config.actions.without_interfaces = true;
        config.links = LinksConfig::default();
        config.attachments.documents = DocumentsConfig::default();
        config.attachments.descriptions = DescriptionsConfig::default();
        config
    }
}

/// The actions of the bot as the preview has them: an answer that asks for some is taken in as it is, and nothing is carried
/// out, whoever asks. What would come of each is told beside the preview.
struct Unperformed(Vec<ActionRow>);

#[async_trait]
impl ActionInterface for Unperformed {
    fn rows(&self) -> Vec<ActionRow> {
        let open = |row: &ActionRow| ActionRow {
            access: ActionAccess::Anyone,
            confirmation: ActionConfirmation::Never,
            ..row.clone()
        };
        self.0.iter().map(open).collect()
    }

    async fn perform(&self, _: ActionOrder, results: ResultSink) {
        results.complete();
    }
}

/// The table of these rows; empty where there are none.
fn unperformed(rows: Vec<ActionRow>) -> Result<ActionTable, TableError> {
    ActionTable::of(vec![Arc::new(Unperformed(rows))])
}

/// Voice notes are shown, and not spoken: nothing is asked of a service while somebody types.
fn speech(config: &Config) -> Speech {
    let output = if config.speech.backend == SpeechBackend::None {
        VoiceOutput::Off
    } else {
        VoiceOutput::Preview(config.speech.max_chars)
    };
    Speech {
        output,
        ..Speech::default()
    }
}

/// Lets a person hear the words of a voice note when they ask.
fn heard(bubble: &mut Bubble) {
    if let BubblePart::Voice { text, sound, .. } = &mut bubble.part
        && !text.is_empty()
    {
        *sound = Some(VoiceOf::Words { text: text.clone() });
    }
}

/// What the channel could not do of it.
fn notes(events: &[Event]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut add = |note: String| {
        if !notes.contains(&note) {
            notes.push(note);
        }
    };
    for event in events {
        match &event.kind {
            Kind::Warned { detail } => add(detail.clone()),
            Kind::Diagnosed { diagnostic, .. } if is_of_channel(diagnostic.code) => {
                add(diagnostic.message.clone());
            }
            Kind::Suppressed { reason, .. } => add(format!("Nothing is sent. {}", reason.about())),
            _ => {}
        }
    }
    notes
}

/// Whether a finding depends on the channel; the others are lints.
const fn is_of_channel(code: foldback_wire::Code) -> bool {
    matches!(
        code,
        foldback_wire::Code::UnsupportedOnChannel
            | foldback_wire::Code::NotAllowed
            | foldback_wire::Code::MissingFile
    )
}
