//! What is known of the conversations, and which of them is answered.

use super::rest::Resting;
use foldback_wire::{RunId, SessionId};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::task::JoinHandle;

/// What is known of a conversation.
pub(super) enum Known {
    /// A run answers it.
    Answering(RunId),
    /// Its process waits for the next prompt, or still ends a cancelled one.
    Resting(Resting),
    /// Its process took too long and stops. Until it has, no other one takes its session up.
    Stopping(JoinHandle<()>),
    /// Its process broke in the middle of an answer, in these words: the conversation begins anew.
    Broken(String),
}

/// All conversations that something is known of.
#[derive(Default)]
pub(super) struct Conversations(Mutex<HashMap<SessionId, Known>>);

impl Conversations {
    /// Takes a conversation for a run.
    pub(super) fn hold(&self, session: &SessionId, run: RunId) -> Held<'_> {
        let known = self.all().insert(session.clone(), Known::Answering(run));
        Held {
            all: self,
            session: session.clone(),
            run,
            then: known.filter(|known| !matches!(known, Known::Answering(_))),
        }
    }

    /// Forgets a conversation. The process that rests for it stops, and that of a run when the run has ended.
    pub(super) fn forget(&self, session: &SessionId) {
        self.all().remove(session);
    }

    /// Takes away the process that has rested longest.
    pub(super) fn oldest(&self) -> Option<Resting> {
        let mut all = self.all();
        let since = |(id, known): (&SessionId, &Known)| match known {
            Known::Resting(resting) => Some((resting.since(), id.clone())),
            Known::Answering(_) | Known::Stopping(_) | Known::Broken(_) => None,
        };
        let (_, id) = all.iter().filter_map(since).min()?;
        match all.remove(&id)? {
            Known::Resting(resting) => Some(resting),
            Known::Answering(_) | Known::Stopping(_) | Known::Broken(_) => None,
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, Known>> {
        // Whole after every change: a panic elsewhere spoils nothing.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A conversation while a run answers it. Dropped, the conversation is left as `then` says, unless it was forgotten
/// meanwhile or another run has it: then that ends here.
pub(super) struct Held<'a> {
    all: &'a Conversations,
    session: SessionId,
    run: RunId,
    /// What is known of it when this is over; at first what was known of it before.
    pub(super) then: Option<Known>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut all = self.all.all();
        let ours = matches!(all.get(&self.session), Some(Known::Answering(run)) if *run == self.run);
        if ours {
            match self.then.take() {
                Some(then) => all.insert(self.session.clone(), then),
                None => all.remove(&self.session),
            };
        }
    }
}
