//! What a person may do about a session, at the console or by a command: stop what runs, drop what waits, have the agent
//! forget it.

use crate::{
    aged::AgedMessages,
    context::{ResetRequest, TurnContext, stopped_in_words},
    pending::Pending,
    queue::{TurnQueue, dropped},
};
use foldback_directives::inbound::Queue;
use foldback_store::StoreError;
use foldback_wire::{
    Actor, Kind, SessionId, TurnId,
    rpc::{MessageWait, WaitingMessage},
    visible,
};
use std::sync::Arc;

/// Characters of a message's text that a list shows.
const TEXT: usize = 200;

/// Acts on sessions.
pub(crate) struct SessionControl {
    context: Arc<TurnContext>,
    queue: Arc<TurnQueue>,
    aged: Arc<AgedMessages>,
}

impl SessionControl {
    pub(crate) fn new(
        context: &Arc<TurnContext>,
        queue: &Arc<TurnQueue>,
        aged: &Arc<AgedMessages>,
    ) -> Arc<Self> {
        let control = Arc::new(Self {
            context: Arc::clone(context),
            queue: Arc::clone(queue),
            aged: Arc::clone(aged),
        });
        let told = Arc::downgrade(&control);
        context
            .sessions
            .watch_settings(Box::new(move |session, settings| {
                if let Some(control) = told.upgrade() {
                    control.change_waiting(session, &settings.queue);
                }
            }));
        control
    }

    /// Has the settings that a session has now count for what waits there, whoever changed them: a directive, the
    /// console, or the begin of a new session.
    fn change_waiting(&self, session: &SessionId, stored: &Queue) {
        self.queue.change_settings(session, stored);
        let config = &self.context.ports.config;
        self.aged
            .change_waiting(session, |pending| pending.change_session_queue(config, stored));
    }

    /// Stops what runs in a session, or only one turn of it. False when that does not run, or its agent is done.
    pub(crate) fn stop_runs(
        &self,
        session: &SessionId,
        only: Option<TurnId>,
        by: &Actor,
    ) -> Result<bool, StoreError> {
        let all = self.context.runs.lock();
        let of = all
            .iter()
            .filter(|(turn, run)| run.session == *session && only.is_none_or(|only| only == **turn));
        let running: Vec<_> = of.map(|(_, run)| run.clone()).collect();
        drop(all);
        let mut stopped = false;
        for run in &running {
            stopped |= run.stop(by.clone())?;
        }
        Ok(stopped)
    }

    /// True where an agent of a session is at work, not only delivered.
    pub(crate) fn is_running(&self, session: &SessionId) -> bool {
        let runs = self.context.runs.lock();
        runs.values()
            .any(|run| run.session == *session && !run.state.is_delivering())
    }

    /// Has the agent of a session told with its next prompt that its run was stopped.
    pub(crate) fn tell_stopped(&self, session: &SessionId, by: Actor) {
        let (context, session) = (Arc::clone(&self.context), session.clone());
        self.context.tasks.spawn(async move {
            let text = stopped_in_words(&by);
            let told = context.sessions.notify(&context.recorder, &session, "run", &text);
            if let Err(error) = told.await {
                tracing::warn!(%error, "the agent will not be told that its run was stopped");
            }
        });
    }

    /// Drops what waits in a session, or only some turns of it; answers how many messages that were.
    pub(crate) fn drop_waiting(
        &self,
        session: &SessionId,
        only: Option<&[TurnId]>,
        by: &Actor,
    ) -> Result<usize, StoreError> {
        let meant = |pending: &Pending| only.is_none_or(|only| only.contains(&pending.id()));
        let aged = self
            .aged
            .take_messages(|pending| pending.session == *session && meant(pending));
        let waiting = self.queue.take_waiting_of(session, meant);
        if only.is_none() {
            self.queue.drop_in_hand(session, dropped(by));
        }
        let waiting: Vec<_> = aged.into_iter().chain(waiting).collect();
        let count = waiting.len();
        for pending in waiting {
            self.queue.refuse_for_good(pending, &dropped(by))?;
        }
        Ok(count)
    }

    /// Puts what waits in a session into another order; false where that changes nothing.
    pub(crate) async fn reorder(
        &self,
        session: &SessionId,
        order: &[TurnId],
        by: Actor,
    ) -> Result<bool, StoreError> {
        let before = self.queue.waiting(session, Pending::id);
        let turns = self.queue.reorder(session, order);
        if turns == before {
            return Ok(false);
        }
        let recorder = &self.context.recorder;
        let recorder = match recorder.journal.session(session).await? {
            Some(record) => recorder.on_channel(&record.channel),
            None => recorder.clone(),
        };
        recorder
            .in_session(session)
            .note(Kind::QueueReordered { turns, by })?;
        Ok(true)
    }

    /// The messages that wait in a session, in order; those first that wait for a person's consent. As many as
    /// [`Self::turns_waiting`] counts.
    pub(crate) fn messages_waiting(&self, session: &SessionId) -> Vec<WaitingMessage> {
        self.list_waiting(session, |pending, waits_for| WaitingMessage {
            turn: pending.id(),
            sender: visible(pending.message.sender.readable_name()).into_owned(),
            text: visible(&beginning(&pending.message.text)).into_owned(),
            since: pending.since,
            waits_for,
            movable: waits_for == MessageWait::Turn,
        })
    }

    /// What `told` tells of each message that waits in a session, wherever it does.
    fn list_waiting<R>(&self, session: &SessionId, told: impl Fn(&Pending, MessageWait) -> R) -> Vec<R> {
        let mut waiting = self
            .aged
            .waiting(session, |pending| told(pending, MessageWait::Consent));
        waiting.extend(self.queue.list(session, told));
        waiting
    }

    /// Messages that wait in a session.
    pub(crate) fn waiting(&self, session: &SessionId) -> usize {
        self.turns_waiting(session).len()
    }

    /// The turns of the messages that wait in a session, in order.
    pub(crate) fn turns_waiting(&self, session: &SessionId) -> Vec<TurnId> {
        self.list_waiting(session, |pending, _| pending.id())
    }

    /// Begins a session anew, as `/new` does. What runs goes on.
    pub(crate) async fn reset(&self, session: &SessionId, by: Actor) -> Result<(), StoreError> {
        let context = &self.context;
        let known = context.recorder.journal.session(session).await?;
        let recorder = match &known {
            Some(record) => context.recorder.on_channel(&record.channel),
            None => context.recorder.clone(),
        };
        let on = (&context.runs, &context.agents);
        let recorder = recorder.in_session(session);
        let new = ResetRequest::asked_by(by, None, true);
        context.sessions.begin_anew(&recorder, on, session, new).await?;
        Ok(())
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(TEXT).collect()
}
