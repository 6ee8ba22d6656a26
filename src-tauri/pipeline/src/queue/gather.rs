//! Messages on their way into the queue: where their channel says so, they wait for more of their sender first.

use super::{TurnQueue, debounce::DebounceKey};
use crate::{config::Interval, deadline::Deadline, gates::GatheredMessages, pending::Pending};
use foldback_store::StoreError;
use foldback_wire::{HoldReason, Inbound, Kind, SessionId, Stage};
use std::{sync::Arc, time::Duration};

impl GatheredMessages for Arc<TurnQueue> {
    fn flush_sender(&self, session: &SessionId, message: &Inbound) -> Result<(), StoreError> {
        self.flush(&DebounceKey::of(session, message))
    }
}

impl TurnQueue {
    /// Takes a message in. It waits for more of its sender where `channels.NAME.debounce` says so; what comes with files,
    /// was written as a command, or is written into a message that is there, goes on at once, behind what waited.
    pub(crate) fn enter_message(self: &Arc<Self>, pending: Pending) -> Result<(), StoreError> {
        let key = DebounceKey::of(&pending.session, &pending.message);
        let delay = self.context.ports.settings(&pending.message.channel).debounce;
        let waits = !delay.0.is_zero()
            && pending.message.files.is_empty()
            && pending.into.is_none()
            && !pending.is_command
            && pending.cause.is_message();
        if !waits || !self.debounced.go_with(&key, &pending) {
            self.flush(&key)?;
        }
        if !waits {
            return self.enter_turn(pending);
        }
        let recorder = pending.recorder.clone();
        let before = self.debounced.add_message(key.clone(), pending, delay.0);
        let clock = self.context.recorder.clock.as_ref();
        let left = self
            .debounced
            .until(&key)
            .map(|until| until.since(clock.steady()));
        recorder.note(Kind::Waiting {
            op: None,
            reason: HoldReason::Debounce,
            until: left.map(|left| clock.now().plus(left)),
        })?;
        if before == 0 {
            self.context.tasks.spawn(Arc::clone(self).until_complete(key));
        }
        Ok(())
    }

    fn flush(self: &Arc<Self>, key: &DebounceKey) -> Result<(), StoreError> {
        self.debounced
            .take_gathered(key)
            .map_or(Ok(()), |lead| self.enter_together(lead))
    }

    /// Waits until nothing more comes of a sender, and has what came go on.
    async fn until_complete(self: Arc<Self>, key: DebounceKey) {
        let clock = self.context.recorder.clock.as_ref();
        while let Some(until) = self.debounced.until(&key) {
            let until = Deadline::from(until, Duration::ZERO);
            tokio::select! {
                // They stay open, and the next start takes them up.
                () = self.context.shutdown.no_new_turns.cancelled() => return,
                () = until.passed(clock) => {}
            }
            let Some(lead) = self.debounced.take_due(&key, clock.steady()) else {
                continue;
            };
            let claims: Vec<_> = lead.parts.iter().map(|part| &part.pending.claim).collect();
            let claims: Vec<_> = claims.into_iter().chain([&lead.claim]).cloned().collect();
            if let Err(error) = self.enter_together(lead) {
                tracing::error!(%error, "messages stay open");
                let mut seen = self.seen.lock();
                for claim in &claims {
                    seen.release(self.context.rules, claim);
                }
            }
        }
    }

    fn enter_together(self: &Arc<Self>, lead: Pending) -> Result<(), StoreError> {
        let first = lead.parts.first().map_or(lead.came, |part| part.pending.came);
        let waited = self.context.recorder.clock.steady().since(first);
        let waited = Interval::millis(u64::try_from(waited.as_millis()).unwrap_or(u64::MAX));
        let with = match lead.parts.len() {
            0 => String::new(),
            1 => " with 1 message before it".to_owned(),
            many => format!(" with {many} messages before it"),
        };
        lead.recorder.note(Kind::Passed {
            stage: Stage::Debounce,
            detail: format!("goes on{with} after {waited}"),
        })?;
        self.enter_turn(lead)
    }
}
