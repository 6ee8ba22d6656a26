//! What Foldback answers itself: commands, stop words, and messages that are directives and nothing else.
//!
//! `/stop` while an answer is written and another message waits:
//!
//! ```text
//!   10.0 s  turn 7 runs, turn 8 waits behind it
//!   12.0 s  turn 9 "/stop" passes the gates; the stage commands takes it out of the way to the agent
//!           the run of turn 7 is told to stop: what it said so far is delivered
//!           turn 8 ends as dropped
//!           `command` and the intent of the answer are written as one; turn 9 waits for nobody
//!   12.3 s  the answer has arrived: turn 9 ends as `command(stop)`
//! ```
//!
//! What must hold:
//! - A command's answer does not wait for the run of its session, and is no part of that run's answer.
//! - After a crash the command is answered once: either the journal has no `command` of it, and the next start carries it
//!   out (again, which changes nothing), or its answer is on its way. What acts outside of the bot is written down before it
//!   is done, so that it is never done twice.

mod about;
mod acknowledge;
mod compact;
mod control;
mod help;
mod owner;
mod program;
mod reminders;
mod reply;
mod sender;
mod session;
mod speech;
mod status;

pub(crate) use control::SessionControl;

use crate::{
    context::TurnContext,
    deliver::{delivery_queue::DeliveryQueues, operation::OutgoingOperation},
    gates::{OwnAnswer, OwnAnswerKind},
    level_settings::ConfiguredLevels,
    pairing::Pairing,
    queue_settings::QueueSettings,
    recorder::Recorder,
    session_settings::{TurnSettings, in_group},
    stages::{
        command_access::CommandAccess,
        commands::{Action, CommandRow, Rights},
        dedupe::SeenMessages,
        session::group_key,
    },
    supervise::contained,
    user_text::UserText,
};
use foldback_directives::inbound::{Directives, Queue};
use foldback_store::{SessionSettings, StoreError};
use foldback_wire::{Actor, DirectiveScope, InlineDirective, InlineDirectives, Kind, Span, Terminal, TurnId};
use reply::Reply;
use std::sync::Arc;
use tokio::sync::oneshot;

/// The setting that names the owners of the bot.
const OWNERS: &str = "commands.owner_allow_from";

/// A turn that Foldback answers itself.
pub(crate) struct OwnTurn {
    pub(crate) id: TurnId,
    pub(crate) recorder: Recorder,
    pub(crate) answer: OwnAnswer,
    pub(crate) ended: oneshot::Sender<Terminal>,
}

/// Answers commands and directives.
pub(crate) struct Commands {
    context: Arc<TurnContext>,
    delivery_queues: Arc<DeliveryQueues>,
    seen: Arc<SeenMessages>,
    pairing: Arc<Pairing>,
    control: Arc<SessionControl>,
}

impl Commands {
    pub(crate) fn new(
        context: &Arc<TurnContext>,
        delivery_queues: &Arc<DeliveryQueues>,
        seen: &Arc<SeenMessages>,
        pairing: &Arc<Pairing>,
        control: &Arc<SessionControl>,
    ) -> Arc<Self> {
        Arc::new(Self {
            context: Arc::clone(context),
            delivery_queues: Arc::clone(delivery_queues),
            seen: Arc::clone(seen),
            pairing: Arc::clone(pairing),
            control: Arc::clone(control),
        })
    }

    /// Answers a turn in a task of its own. A turn that cannot end in order stays open; the next start closes it.
    pub(crate) fn answer(self: &Arc<Self>, turn: OwnTurn) {
        let commands = Arc::clone(self);
        self.context.tasks.spawn(async move {
            let (id, claim, recorder) = (turn.id, turn.answer.claim.clone(), turn.recorder.clone());
            let (context, seen) = (Arc::clone(&commands.context), Arc::clone(&commands.seen));
            match contained(async move { commands.answer_turn(turn).await }).await {
                Ok(Ok(())) => {}
                Ok(Err(StoreError::Closed)) if context.shutdown.no_new_turns.is_cancelled() => {
                    tracing::info!(turn = %id, "stays open: the process ends");
                }
                Ok(Err(error)) => {
                    seen.lock().release(context.rules, &claim);
                    tracing::error!(turn = %id, %error, "stays open");
                }
                Err(panicked) => {
                    seen.lock().release(context.rules, &claim);
                    recorder.tell_panic("the turn stays open", &panicked);
                }
            }
        });
    }

    async fn answer_turn(&self, turn: OwnTurn) -> Result<(), StoreError> {
        let OwnTurn {
            id,
            recorder,
            answer,
            ended,
        } = turn;
        let busy = self.context.busy.token();
        let by = Actor::User(answer.message.sender.id.clone());
        let mut file = None;
        let (events, terminal, text) = match &answer.kind {
            OwnAnswerKind::Command { row, arguments } => {
                let mut events = vec![command_event(row.name, arguments)];
                let text = if row.rights == Rights::Owner && !answer.access.is_owner {
                    let setting = OWNERS.to_owned();
                    events.push(refusal(
                        &answer,
                        (row.name, arguments),
                        setting,
                        is_no_owner(&answer),
                    ));
                    self.refused(true)
                } else if let Some(made) = self
                    .made_file(id, row, arguments, &answer, &recorder, &by)
                    .await?
                {
                    let made = made.map(|operation| file = Some(operation));
                    made.err()
                } else {
                    if row.action.acts_outside() {
                        Self::note_first(&recorder, std::mem::take(&mut events)).await?;
                    }
                    self.run_command(id, row, arguments, &answer, &recorder, by)
                        .await?
                };
                (events, command_end(row.name), text)
            }
            OwnAnswerKind::Program { name, arguments } => {
                self.answer_program(name, arguments, &answer, &recorder).await?
            }
            OwnAnswerKind::Refused { name, arguments } => {
                let CommandAccess { setting, why, .. } = answer.access.clone();
                let is_for_owners = setting == OWNERS;
                let refusal = refusal(&answer, (name, arguments), setting, why);
                let events = vec![command_event(name, arguments), refusal];
                (events, command_end(name), self.refused(is_for_owners))
            }
            OwnAnswerKind::Directives { directives, read } => {
                let text = self.set_directives(&answer, directives, &recorder, by).await?;
                let events = vec![Kind::InlineDirectives(read.clone())];
                (events, Terminal::DirectiveAck, Some(text))
            }
            OwnAnswerKind::BeginWith {
                row,
                session,
                directives,
                read,
            } => {
                let begun = self
                    .begin_session(&answer, session.model.clone(), &recorder, by.clone())
                    .await?;
                let set = self.set_directives(&answer, directives, &recorder, by).await?;
                let model = session.model.as_deref().unwrap_or_default();
                let events = vec![
                    command_event(row.name, model),
                    Kind::InlineDirectives(read.clone()),
                ];
                (events, command_end(row.name), Some(format!("{begun}\n{set}")))
            }
            OwnAnswerKind::InvalidDirectives { read } => {
                debug_assert_eq!(read.scope, DirectiveScope::Invalid);
                let text = format!("⚠️ {}. Nothing was changed.", read.findings.join(". "));
                let events = vec![Kind::InlineDirectives(read.clone())];
                (events, Terminal::DirectiveAck, Some(text))
            }
        };
        let reply = Reply {
            context: &self.context,
            delivery_queues: &self.delivery_queues,
            recorder: &recorder,
            turn: id,
            session: &answer.session,
            message: &answer.message,
        };
        let text = text.as_deref().map(|text| UserText::CommandAnswer { text });
        let terminal = reply.send(events, (text, file), terminal, busy).await?;
        recorder.note_all(vec![
            Kind::Idle,
            Kind::TurnEnded {
                terminal: terminal.clone(),
            },
        ])?;
        self.seen.lock().commit(&answer.claim);
        // A caller that does not wait for the end is fine.
        let _ = ended.send(terminal);
        Ok(())
    }

    /// Runs the program of a command, where the sender may have it run: events, end and text of the answer.
    async fn answer_program(
        &self,
        name: &str,
        arguments: &str,
        answer: &OwnAnswer,
        recorder: &Recorder,
    ) -> Result<(Vec<Kind>, Terminal, Option<String>), StoreError> {
        let event = command_event(name, arguments);
        if let Some(command) = self.allowed_program(name, answer) {
            Self::note_first(recorder, vec![event]).await?;
            let text = self
                .run_custom((name, command), arguments, answer, recorder)
                .await;
            return Ok((Vec::new(), command_end(name), Some(text)));
        }
        let setting = format!("commands.custom.{name}.allow_from");
        let refusal = refusal(answer, (name, arguments), setting, is_no_owner(answer));
        let program = self.context.ports.config.commands.custom.get(name);
        let is_for_owners = program.is_none_or(|program| program.allow_from.is_empty());
        Ok((
            vec![event, refusal],
            command_end(name),
            self.refused(is_for_owners),
        ))
    }

    /// Stores what directives set on the session, and acknowledges it.
    async fn set_directives(
        &self,
        answer: &OwnAnswer,
        directives: &Directives,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<String, StoreError> {
        let settings = |settings: &mut _| crate::session_settings::apply(settings, directives);
        self.context
            .sessions
            .change_settings(recorder, &answer.session, by, settings)
            .await?;
        let now = self.context.sessions.settings(&answer.session).await?;
        let queue = self.queue_settings(answer, &now);
        let status = if directives.status.is_some() {
            Some(self.status(answer, recorder).await?)
        } else {
            None
        };
        let levels = self.configured_levels(answer);
        Ok(acknowledge::acknowledge(
            directives,
            &now,
            (&queue, levels),
            status.as_deref(),
        ))
    }

    /// The settings of the queue that count in a session.
    fn queue_settings(&self, answer: &OwnAnswer, stored: &SessionSettings) -> QueueSettings {
        let (config, channel) = (&self.context.ports.config, &answer.message.channel);
        QueueSettings::resolve(config, channel, &stored.queue, &Queue::default())
    }

    fn configured_levels(&self, answer: &OwnAnswer) -> ConfiguredLevels {
        ConfiguredLevels::of(&self.context.ports.config, &answer.message.channel)
    }

    /// What is stored for a session, with what counts for everybody in its group.
    async fn stored_here(
        &self,
        answer: &OwnAnswer,
        own: SessionSettings,
    ) -> Result<SessionSettings, StoreError> {
        let config = &self.context.ports.config.session;
        let group = group_key(self.context.rules, config, &answer.message);
        if group == answer.session {
            return Ok(own);
        }
        Ok(in_group(own, &self.context.sessions.settings(&group).await?))
    }

    /// The settings that count in a session and are set, each with where it comes from; none where nothing is.
    fn set_in_words(&self, answer: &OwnAnswer, stored: &SessionSettings) -> Option<String> {
        let settings = TurnSettings {
            session: stored.clone(),
            configured: self.configured_levels(answer),
            ..TurnSettings::default()
        };
        let told = settings.effective().into_iter();
        let told: Vec<_> = told
            .map(|set| format!("{} {} ({})", in_words(&set.setting), set.value, set.source))
            .collect();
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// The words for a sender who may not use a command; none where the setting keeps them in the journal.
    fn refused(&self, is_for_owners: bool) -> Option<String> {
        let words = if is_for_owners {
            "⛔ This command is for the owners of the bot."
        } else {
            "⛔ You may not use this command."
        };
        let told = self.context.ports.config.commands.tell_refused;
        told.then(|| words.to_owned())
    }

    /// Writes down what is about to be done outside of the bot, before it is done.
    async fn note_first(recorder: &Recorder, events: Vec<Kind>) -> Result<(), StoreError> {
        recorder.note_all(events)?;
        recorder.journal.flush().await
    }

    /// The file that a command sends, or the words where there is none; `None` for a command that sends no file.
    async fn made_file(
        &self,
        id: TurnId,
        row: &CommandRow,
        arguments: &str,
        answer: &OwnAnswer,
        recorder: &Recorder,
        by: &Actor,
    ) -> Result<Option<Result<OutgoingOperation, String>>, StoreError> {
        Ok(match row.action {
            Action::Export => Some(self.export(id, answer, recorder).await?),
            Action::Tts => Some(self.tts(id, answer, arguments, recorder, by.clone()).await?),
            _ => None,
        })
    }

    async fn run_command(
        &self,
        id: TurnId,
        row: &CommandRow,
        arguments: &str,
        answer: &OwnAnswer,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<Option<String>, StoreError> {
        Ok(Some(match row.action {
            Action::Help => help::help(),
            Action::Commands => help::commands(&self.context.ports.config.commands),
            Action::Status => self.status(answer, recorder).await?,
            Action::WhoAmI => about::whoami(&answer.message, &answer.access),
            Action::Stop => return self.stop(answer, recorder, &by).await,
            Action::Reset => self.reset(answer, arguments, recorder, by).await?,
            Action::Models => about::models(&self.context, &answer.message.channel),
            Action::Activation => self.set_activation(answer, arguments, recorder, by).await?,
            Action::Send => self.set_send(answer, arguments, recorder, by).await?,
            Action::Context => Self::latest_prompt(answer, recorder).await?,
            Action::Usage => self.usage(answer, arguments, recorder, by).await?,
            Action::Session => self.session(answer, recorder).await?,
            // The file is an operation of its own.
            Action::Export | Action::Tts => return Ok(None),
            Action::Compact => self.compact(id, answer, arguments, recorder, by).await?,
            Action::Subagents => about::subagents(&self.context, &answer.message.channel),
            Action::Reminders => self.reminders(answer, arguments, recorder, by).await?,
            Action::Allowlist => self.allowlist(answer, arguments, recorder, by).await?,
            Action::Config => self.show_config(arguments),
            Action::Debug => self.debug(answer),
            Action::Restart => self.restart(),
            Action::Bash if self.context.ports.config.commands.bash => {
                self.bash(arguments, answer, recorder).await
            }
            Action::Bash => "ℹ️ /bash is switched off.".to_owned(),
            Action::Permission => "ℹ️ No request for permission waits for you here.".to_owned(),
        }))
    }
}

/// The name of what directives set, as a chat is told it: `exec ask`, not the name of a setting.
fn in_words(name: &str) -> String {
    name.replace('.', " ")
}

/// The record that a sender may not use a command, with the setting that decides and the reason.
fn refusal(answer: &OwnAnswer, (name, arguments): (&str, &str), setting: String, why: String) -> Kind {
    let message = &answer.message;
    Kind::InlineDirectives(InlineDirectives {
        directives: vec![InlineDirective {
            name: name.to_owned(),
            value: arguments.to_owned(),
        }],
        spans: vec![Span::new(0, message.text.len())],
        scope: DirectiveScope::Refused,
        findings: vec![why],
        setting: Some(setting),
        decided_by: None,
    })
}

fn is_no_owner(answer: &OwnAnswer) -> String {
    format!("{} is not an owner", answer.message.sender.id)
}

fn command_event(name: &str, arguments: &str) -> Kind {
    Kind::Command {
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    }
}

/// The end of a turn that a command of this name was.
fn command_end(name: &str) -> Terminal {
    Terminal::Command {
        name: name.to_owned(),
    }
}
