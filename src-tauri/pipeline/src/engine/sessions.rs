//! Conversations as an operator sees them, and what they may do about one: stop what runs, drop what waits, have
//! the agent forget it. Requests for permission, which wait for them.

use super::Engine;
use crate::PermissionFault;
use foldback_store::{SessionRecord, StoreError};
use foldback_wire::{
    Actor, PermissionId, PermissionRequest, SessionId, TurnId,
    rpc::{PendingPermission, RunningTurn, SessionLine, SessionList},
    visible,
};
use std::{cmp::Reverse, collections::BTreeSet};

impl Engine {
    /// The conversations where something runs or waits, then the others; each the one used last first. Whatever hangs
    /// is within reach, however many others were used since.
    pub async fn sessions(&self, limit: usize) -> Result<SessionList, StoreError> {
        let journal = &self.core.context.recorder.journal;
        let runs: Vec<_> = self
            .core
            .context
            .runs
            .lock()
            .values()
            .map(|run| run.session.clone())
            .collect();
        let aged = self.core.aged.sessions().into_iter().map(|session| (session, 1));
        let waits: Vec<_> = self.core.queue.all_waiting().into_iter().chain(aged).collect();
        let (running, waiting) = (runs.len(), waits.iter().map(|(_, count)| count).sum::<usize>());
        let at_work: BTreeSet<_> = runs
            .into_iter()
            .chain(waits.into_iter().map(|(id, _)| id))
            .collect();
        let mut records = Vec::with_capacity(limit.min(at_work.len()));
        for id in &at_work {
            records.extend(journal.session(id).await?);
        }
        records.sort_by_key(|record| Reverse(record.used));
        let (latest, total) = journal.sessions(limit).await?;
        records.extend(latest.into_iter().filter(|record| !at_work.contains(&record.id)));
        records.truncate(limit);
        let mut sessions = Vec::with_capacity(records.len());
        for record in records {
            sessions.push(self.line(record).await?);
        }
        Ok(SessionList {
            sessions,
            total,
            running: running as u64,
            waiting: waiting as u64,
        })
    }

    /// One conversation; `None` where there is none under this key.
    pub async fn session(&self, id: &SessionId) -> Result<Option<SessionLine>, StoreError> {
        match self.core.context.recorder.journal.session(id).await? {
            Some(record) => self.line(record).await.map(Some),
            None => Ok(None),
        }
    }

    async fn line(&self, record: SessionRecord) -> Result<SessionLine, StoreError> {
        let SessionRecord {
            id,
            channel,
            turns,
            created,
            used,
            chat,
            sender,
            ..
        } = record;
        let core = &self.core;
        let asking = core.context.permissions.list_requests();
        let waiting = core.control.turns_waiting(&id);
        Ok(SessionLine {
            agents: core.context.recorder.journal.agent_sessions(&id).await?,
            running: self.runs_in(&id),
            waiting,
            permissions: asking.iter().filter(|asked| asked.session == id).count() as u32,
            session: id,
            channel,
            chat,
            sender: visible(&sender).into_owned(),
            turns,
            created,
            used,
        })
    }

    fn runs_in(&self, session: &SessionId) -> Option<RunningTurn> {
        let running = self.core.context.runs.lock();
        // A turn that only waits for other chats may still be there beside the next one.
        let of = running.iter().filter(|(_, run)| run.session == *session);
        of.max_by_key(|(turn, _)| **turn)
            .map(|(turn, run)| run.shown(*turn))
    }

    /// Stops the run of a turn. What it said so far is delivered. False when it does not run, or its agent is done.
    pub fn cancel(&self, turn: TurnId, by: Actor) -> Result<bool, StoreError> {
        let running = self.core.context.runs.lock().get(&turn).cloned();
        let Some(running) = running else {
            return Ok(false);
        };
        let stopped = running.stop(by.clone())?;
        if stopped {
            self.core.control.tell_stopped(&running.session, by);
        }
        Ok(stopped)
    }

    /// Stops what runs in a conversation, or only one turn of it. False when that does not run, or its agent is done.
    pub fn cancel_session(
        &self,
        session: &SessionId,
        only: Option<TurnId>,
        by: &Actor,
    ) -> Result<bool, StoreError> {
        let stopped = self.core.control.stop_runs(session, only, by)?;
        if stopped {
            self.core.control.tell_stopped(session, by.clone());
        }
        Ok(stopped)
    }

    /// Drops what waits in a conversation, or only some turns of it; answers how many messages that were.
    pub fn drop_waiting(
        &self,
        session: &SessionId,
        only: Option<&[TurnId]>,
        by: &Actor,
    ) -> Result<usize, StoreError> {
        self.core.control.drop_waiting(session, only, by)
    }

    /// Begins a conversation anew, as `/new` does: the agent forgets it, and what was set is cleared. What runs goes on.
    pub async fn reset_session(&self, session: &SessionId, by: Actor) -> Result<(), StoreError> {
        self.core.control.reset(session, by).await
    }

    /// The requests for permission that wait for a person, the oldest first.
    pub fn permissions(&self) -> Vec<PendingPermission> {
        self.core.context.permissions.list_requests()
    }

    /// A request that waits as its agent made it, whole and without masks: for the operator alone, who may allow it from then
    /// on.
    ///
    /// # Errors
    /// With a request that does not wait any more.
    pub fn uncover_permission(
        &self,
        turn: TurnId,
        id: &PermissionId,
    ) -> Result<PermissionRequest, PermissionFault> {
        self.core.context.permissions.reveal_request(turn, id)
    }

    /// A person answers a request with one of its options, by id, or cancels it. One that is too long to be shown at once is
    /// allowed only after [`Self::uncover_permission`].
    pub fn decide_permission(
        &self,
        turn: TurnId,
        id: &PermissionId,
        option: Option<&str>,
        by: Actor,
    ) -> Result<(), PermissionFault> {
        let why = format!("{by:#}");
        self.core
            .context
            .permissions
            .decide_request(turn, id, option, by, &why)
    }
}
