//! A message through all stages to the prompt: the pipeline itself with the settings of this bot, on a simulated platform
//! and a journal in memory, with an agent that is never asked. Nothing of it is kept.

use super::{
    Backend, Setup,
    agents::{self, Made},
    compose::{surrounded, writer, written_message},
    typed::Typed,
    unasked::UnaskedAgent,
};
use crate::{failure, why::why};
use foldback_agents::Agent;
use foldback_channels::{Loopback, profile};
use foldback_pipeline::{
    Agents, Engine, Parts, Readers, Rules, SeededRng, SessionKeys, Speech, TokioClock,
    config::{
        ChannelKind, Config, CredentialReader, DescriptionsConfig, DocumentsConfig, LinkMode, LinksConfig,
        SessionConfig,
    },
    links_to_read, waiting_group_events,
};
use foldback_store::{Journal, MemoryJournal, PairingBook, SessionRecord, SqliteJournal};
use foldback_wire::{
    Body, ChannelId, Clock, DirectiveScope, Draft, EffectiveSetting, Event, Inbound, Kind, MessageId,
    PairingStep, SessionId, Span, Timestamp,
    rpc::{Approval, ComposePrepare, Failure, PreparedMessage, PromptOmission, StrippedPart, Why},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::runtime;

/// The words above the user's text in a prompt.
const ABOVE_TEXT: &str = "Everything below this line was written by the sender.\n\n";

impl Backend {
    /// Takes a message to the prompt.
    ///
    /// # Errors
    /// `not_found` for a channel or a conversation that is not there.
    pub(super) async fn prepare(&self, order: ComposePrepare) -> Result<PreparedMessage, Failure> {
        self.known(&order.channel)?;
        let engine = &self.shared.engine;
        let bot = PrepareBot {
            config: &self.shared.config,
            base: &self.shared.base,
            agent: engine.agent_of(&order.channel),
            journal: self.shared.journal.as_ref(),
            approved: engine.pairings().approved,
            now: self.shared.clock.now(),
        };
        bot.prepare(order).await
    }
}

/// Takes a message to the prompt of a bot that need not run, whose journal is only read.
///
/// # Errors
/// `not_found` for a channel or a conversation that is not there; what is wrong with the setup.
pub async fn prepare_message(setup: &Setup, order: ComposePrepare) -> Result<PreparedMessage, Failure> {
    let file = setup.journal_file();
    let journal: Arc<dyn Journal> = if file.exists() {
        let kept = SqliteJournal::open_read_only(file).await;
        Arc::new(kept.map_err(failure::journal)?)
    } else {
        Arc::new(MemoryJournal::new())
    };
    let credentials = CredentialReader::new(setup.base.clone(), setup.redaction());
    let around = setup.surroundings(credentials);
    let around = around.map_err(|error| failure::unfit_setup(&error))?;
    let typed = Typed::new(Arc::clone(&journal));
    let made = agents::build(&setup.config, &around, &typed, &setup.clock, &setup.rng);
    let Made { agents, .. } = made.map_err(|error| failure::unfit_setup(&error))?;
    let now = setup.clock.now();
    let book = PairingBook::of(journal.as_ref(), now)
        .await
        .map_err(failure::journal)?;
    let bot = PrepareBot {
        config: &setup.config,
        base: &setup.base,
        agent: Arc::clone(agents.by_channel.get(&order.channel).unwrap_or(&agents.default)),
        journal: journal.as_ref(),
        approved: book.listed(setup.config.pairing_channels(), now).approved,
        now,
    };
    bot.prepare(order).await
}

/// The bot whose settings and conversations a message is tried with.
struct PrepareBot<'a> {
    config: &'a Config,
    base: &'a Path,
    agent: Arc<dyn Agent>,
    journal: &'a dyn Journal,
    approved: Vec<Approval>,
    now: Timestamp,
}

impl PrepareBot<'_> {
    async fn prepare(self, order: ComposePrepare) -> Result<PreparedMessage, Failure> {
        let ComposePrepare {
            channel,
            user_text,
            context,
            session,
            allow_from,
        } = order;
        // As a turn has it: what is told of places in a text counts from that one.
        let user_text = user_text.replace("\r\n", "\n").replace('\r', "\n");
        let sender = writer(self.config, &self.approved, &channel);
        let message = written_message(sender, self.now, &channel, MessageId::new(""), user_text);
        let mut before = approvals(self.approved);
        let most = self
            .config
            .channels
            .get(&channel)
            .map_or(0, |own| own.group_history);
        let waiting = waiting_group_events(self.journal, &channel, most, self.now);
        before.extend(said_before(waiting.await.map_err(failure::journal)?));
        let mut rehearsal = Rehearsal {
            links: self.config.links.mode,
            config: only(self.config, &channel, allow_from),
            base: self.base.to_owned(),
            agent: self.agent,
            at: self.now,
            message: surrounded(message, context),
            before,
            stored: Vec::new(),
        };
        let stored = stored_records(self.journal, &self.config.session, &rehearsal.message, session);
        rehearsal.stored = stored.await?;
        let events = rehearsal.clone().play().await?;
        Ok(rehearsal.told(&events))
    }
}

/// The records of the message's session, or of another one in its place, and of its group.
async fn stored_records(
    journal: &dyn Journal,
    config: &SessionConfig,
    message: &Inbound,
    wanted: Option<SessionId>,
) -> Result<Vec<SessionRecord>, Failure> {
    let SessionKeys { own, group } = SessionKeys::of(config, message);
    let record = journal.session(wanted.as_ref().unwrap_or(&own)).await;
    let record = record.map_err(failure::journal)?;
    if let (None, Some(wanted)) = (&record, &wanted) {
        return Err(failure::no_session(wanted));
    }
    let of_group = if group == own {
        None
    } else {
        journal.session(&group).await.map_err(failure::journal)?
    };
    // The stored settings count under the key that this message has.
    let record = record.map(|record| SessionRecord { id: own, ..record });
    Ok(record.into_iter().chain(of_group).collect())
}

/// The configuration with this channel alone, simulated, so that nothing is begun and nothing goes out.
fn only(config: &Config, channel: &ChannelId, allow_from: Option<Vec<String>>) -> Config {
    let mut config = config.clone();
    config.channels.retain(|name, _| name == channel);
    if let Some(settings) = config.channels.get_mut(channel) {
        settings.platform = settings.platform(channel);
        settings.kind = Some(ChannelKind::Loopback);
        settings.enabled = true;
        settings.armed = true;
        settings.thread_history = Some(0);
        if let Some(allow_from) = allow_from {
            settings.allow_from = allow_from;
        }
    }
    config.typing.enabled = false;
    config.schedule.clear();
    config.actions.without_interfaces = true;
    // Nobody is asked, as each letter is a dry run of its own: neither a server nor a program. The answer names the links
    // that a real turn would have read; files, of which documents and pictures would be, come with no dry run.
    config.commands.without_programs = true;
    config.links = LinksConfig::default();
    config.attachments.documents = DocumentsConfig::default();
    config.attachments.descriptions = DescriptionsConfig::default();
    config
}

/// The people whom operators let in, as events.
fn approvals(approved: Vec<Approval>) -> Vec<Draft> {
    let draft = |approval: Approval| Draft {
        at: approval.at,
        turn: None,
        session: None,
        channel: Some(approval.channel),
        kind: Kind::Pairing {
            step: PairingStep::Approved,
            sender: approval.sender,
            name: approval.name,
            code: None,
            until: None,
            by: approval.by,
        },
    };
    approved.into_iter().map(draft).collect()
}

/// The messages of groups that wait for the next turn there, as events. Each of their turns is over.
fn said_before(events: Vec<Event>) -> Vec<Draft> {
    let draft = |mut event: Event| {
        if let Kind::Received { message } = &mut event.kind {
            // The message that is tried has none either.
            message.account = None;
        }
        Draft {
            at: event.at,
            turn: event.turn,
            session: event.session,
            channel: event.channel,
            kind: event.kind,
        }
    };
    events.into_iter().map(draft).collect()
}

/// One message on one channel.
#[derive(Clone)]
struct Rehearsal {
    config: Config,
    base: PathBuf,
    agent: Arc<dyn Agent>,
    at: Timestamp,
    message: Inbound,
    /// Earlier events: the people whom operators let in, and the messages of groups.
    before: Vec<Draft>,
    /// The way in which a real turn reads links.
    links: LinkMode,
    /// The conversation and its group as they are stored.
    stored: Vec<SessionRecord>,
}

impl Rehearsal {
    /// Plays it on a thread and a clock of its own; takes no time on that clock.
    async fn play(self) -> Result<Vec<Event>, Failure> {
        let played = tokio::task::spawn_blocking(move || {
            // Nothing of this happened: it has no place in the app's log.
            let _silent = tracing::subscriber::set_default(tracing::subscriber::NoSubscriber::default());
            let runtime = runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .map_err(|error| failure::internal(&error))?;
            runtime.block_on(self.act())
        });
        played.await.map_err(|error| failure::internal(&error))?
    }

    async fn act(self) -> Result<Vec<Event>, Failure> {
        let channel = self.message.channel.clone();
        let can = self
            .config
            .capabilities_of(&channel)
            .ok_or_else(|| failure::no_channel(&channel))?;
        let clock: Arc<dyn Clock> = Arc::new(TokioClock::at(self.at));
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        journal.append(self.before).map_err(failure::journal)?;
        for record in self.stored {
            journal
                .put_session(record, vec![])
                .await
                .map_err(failure::journal)?;
        }
        let simulated = Arc::new(Loopback::new(profile(can.platform), Arc::clone(&clock), None));
        let engine = Engine::start(Parts {
            redaction: self.config.redaction(&self.base),
            config: Arc::new(self.config),
            base: self.base,
            send_dir: None,
            journal: Arc::clone(&journal),
            channels: vec![(channel, Arc::<Loopback>::clone(&simulated))],
            agents: Agents::one(Arc::new(UnaskedAgent(self.agent))),
            speech: Speech::default(),
            actions: Arc::default(),
            readers: Readers::default(),
            clock,
            rng: Arc::new(SeededRng::new(0)),
            rules: Rules::all(),
            grammar_off: Vec::new(),
        })
        .await
        .map_err(|error| failure::internal(&error))?;
        let mut message = self.message;
        message.message = simulated.mint(&message.chat);
        let message = simulated.platform().receive(message);
        let turn = engine.submit(message).await.map_err(failure::journal)?;
        let number = turn.id;
        turn.ended().await;
        journal.turn(number).await.map_err(failure::journal)
    }

    /// The answer, from the events of the message's turn.
    fn told(self, events: &[Event]) -> PreparedMessage {
        let prompt = events.iter().find_map(|event| match &event.kind {
            Kind::Prepared { prompt } => Some((event.seq, prompt)),
            _ => None,
        });
        let turn = events.iter().find_map(|event| event.turn).unwrap_or_default();
        let Why {
            answer, mut steps, ..
        } = why(turn, events).unwrap_or_else(|| Why {
            turn,
            answer: String::new(),
            steps: Vec::new(),
        });
        if let Some((seq, _)) = prompt {
            // All later steps would be the agent's.
            steps.retain(|step| step.seq <= seq.0);
        }
        let text = &self.message.text;
        let channel = self.message.channel.clone();
        let omitted = prompt.map_or_else(Vec::new, |(_, prompt)| unread_links(self.links, prompt));
        PreparedMessage {
            session: events.iter().find_map(|event| event.session.clone()),
            answer: match prompt {
                Some((_, prompt)) => format!(
                    "The agent ({}) would be asked with {} B{}.",
                    self.agent.backend(),
                    prompt.len(),
                    match omitted.len() {
                        0 => String::new(),
                        1 => ", and with what stands behind 1 link, which was not read".to_owned(),
                        many => format!(", and with what stands behind {many} links, which were not read"),
                    }
                ),
                None => answer,
            },
            steps,
            stripped: stripped(text, events, prompt.map(|(_, prompt)| prompt.as_str())),
            settings: events.iter().find_map(settings).unwrap_or_default(),
            // Behind a prompt, a reply would only answer the silence of an agent that is not asked.
            replies: events
                .iter()
                .filter(|_| prompt.is_none())
                .filter_map(reply)
                .collect(),
            terminal: match prompt {
                Some(_) => None,
                None => events.iter().find_map(|event| match &event.kind {
                    Kind::TurnEnded { terminal } => Some(terminal.clone()),
                    _ => None,
                }),
            },
            prompt: prompt.map(|(_, prompt)| prompt.clone()),
            omitted,
            channel,
        }
    }
}

fn settings(event: &Event) -> Option<Vec<EffectiveSetting>> {
    match &event.kind {
        Kind::SettingsResolved { settings } => Some(settings.clone()),
        _ => None,
    }
}

/// The links that a real turn would have read for this prompt.
fn unread_links(mode: LinkMode, prompt: &str) -> Vec<PromptOmission> {
    let why = match mode {
        LinkMode::Off => return Vec::new(),
        LinkMode::Fetch => "A real turn fetches it and gives the agent its text; a dry run asks no address.",
        LinkMode::Program => {
            "A real turn has the program of links.command read it and gives the agent its text; a dry run runs none."
        }
    };
    let written = prompt.rsplit_once(ABOVE_TEXT).map_or("", |(_, written)| written);
    let links = links_to_read(written).into_iter();
    links
        .map(|name| PromptOmission {
            name,
            why: why.to_owned(),
            setting: "links.mode".to_owned(),
        })
        .collect()
}

/// A text of Foldback's own.
fn reply(event: &Event) -> Option<String> {
    match &event.kind {
        Kind::Intended { intent, .. } => match &intent.body {
            Some(Body::Literal { text, .. } | Body::Aside { text }) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// What is taken out of a text: the directives that count, with the blank or the line that goes with each; a command
/// before the rest.
fn stripped(text: &str, events: &[Event], prompt: Option<&str>) -> Vec<StrippedPart> {
    let part = |start: usize, end: usize| {
        let span = Span::new(start, end);
        text.get(start..end).map(|text| StrippedPart {
            span,
            text: text.to_owned(),
        })
    };
    let directives = events.iter().find_map(|event| match &event.kind {
        Kind::InlineDirectives(read)
            if matches!(read.scope, DirectiveScope::Turn | DirectiveScope::Session) =>
        {
            Some(&read.spans)
        }
        _ => None,
    });
    if let Some(spans) = directives {
        return spans
            .iter()
            .filter_map(|span| part(span.start, span.end))
            .collect();
    }
    let given = prompt.and_then(|prompt| prompt.rsplit_once(ABOVE_TEXT));
    let given = given.map(|(_, given)| given).filter(|given| !given.is_empty());
    let head = given.and_then(|given| text.strip_suffix(given));
    let head = head.filter(|head| !head.is_empty());
    head.and_then(|head| part(0, head.len())).into_iter().collect()
}
