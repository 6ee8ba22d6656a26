//! The messages that came into the run of another turn. They end with it: until then a kill leaves them open, and the next
//! start knows what to say of them.

use crate::{pending::JoinedMessage, rules::Rules, stages::dedupe::SeenMessages, turn::TurnEnd};
use foldback_store::StoreError;
use foldback_wire::{Kind, TurnId};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The messages that one turn's agent was given.
#[derive(Default)]
struct OpenTurn {
    /// Those that end with it.
    messages: Vec<JoinedMessage>,
    /// How many it was given, those that have a run of their own, too, among them.
    given: usize,
}

/// By the turn whose agent was given them, while it goes on.
pub(super) struct JoinedMessages {
    open: Mutex<HashMap<TurnId, OpenTurn>>,
    seen: Arc<SeenMessages>,
    rules: Rules,
}

impl JoinedMessages {
    pub(super) fn new(seen: &Arc<SeenMessages>, rules: Rules) -> Self {
        Self {
            open: Mutex::default(),
            seen: Arc::clone(seen),
            rules,
        }
    }

    /// A turn begins.
    pub(super) fn open(&self, turn: TurnId) {
        self.lock().insert(turn, OpenTurn::default());
    }

    /// A message came into a turn. It ends at once where that has ended meanwhile.
    pub(super) fn add(&self, into: TurnId, message: JoinedMessage) -> Result<(), StoreError> {
        if let Some(open) = self.lock().get_mut(&into) {
            open.messages.push(message);
            return Ok(());
        }
        self.end(into, message, TurnEnd::Answered)
    }

    /// A turn's agent was given so many more messages.
    pub(super) fn note_given(&self, turn: TurnId, count: usize) {
        if let Some(open) = self.lock().get_mut(&turn) {
            open.given += count;
        }
    }

    /// How many messages came into a turn so far.
    pub(super) fn count(&self, turn: TurnId) -> usize {
        self.lock().get(&turn).map_or(0, |open| open.given)
    }

    /// A turn is over: what came into it ends as it did. `None` where it stays open, and they with it.
    pub(super) fn close(&self, turn: TurnId, joined: Vec<JoinedMessage>, end: Option<TurnEnd>) {
        let more = self.lock().remove(&turn).unwrap_or_default().messages;
        let Some(end) = end else {
            let mut seen = self.seen.lock();
            for message in joined.into_iter().chain(more) {
                seen.release(self.rules, &message.pending.claim);
            }
            return;
        };
        for message in joined.into_iter().chain(more) {
            if let Err(error) = self.end(turn, message, end) {
                tracing::error!(%error, "a message stays open");
            }
        }
    }

    fn end(&self, into: TurnId, message: JoinedMessage, end: TurnEnd) -> Result<(), StoreError> {
        let JoinedMessage { pending, how } = message;
        // One that has a run of its own, too, is none of these.
        let Some(terminal) = how.terminal(into) else {
            return Ok(());
        };
        pending.recorder.note(Kind::TurnEnded {
            terminal: terminal.clone(),
        })?;
        let mut seen = self.seen.lock();
        match end {
            TurnEnd::Answered => seen.commit(&pending.claim),
            TurnEnd::Failed => seen.release(self.rules, &pending.claim),
        }
        drop(seen);
        // A caller that does not wait for the end is fine.
        let _ = pending.ended.send(terminal);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TurnId, OpenTurn>> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
