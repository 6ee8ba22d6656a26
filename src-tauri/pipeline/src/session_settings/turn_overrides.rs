//! The settings of one message: what it sets for its turn, and what it has the turn do without.

use super::{DEFAULT_MODEL, apply};
use foldback_directives::inbound::{Directives, Queue, Think};
use foldback_store::SessionSettings;

/// The settings that one message has for its turn alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TurnOverrides {
    /// The values that it sets.
    pub(crate) set: SessionSettings,
    cleared: ClearedSettings,
}

/// The settings that a message clears for its turn: what is stored on the session does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ClearedSettings {
    think: bool,
    model: bool,
    queue: bool,
}

impl From<SessionSettings> for TurnOverrides {
    fn from(set: SessionSettings) -> Self {
        Self {
            set,
            cleared: ClearedSettings::default(),
        }
    }
}

impl TurnOverrides {
    /// The settings that directives have for the turn.
    pub(crate) fn of(directives: &Directives) -> Self {
        let mut set = SessionSettings::default();
        apply(&mut set, directives);
        let think = directives.think.and_then(|think| think.level);
        let model = directives.model.as_ref().and_then(|model| model.model.as_deref());
        let cleared = ClearedSettings {
            think: think == Some(Think::Default),
            model: model == Some(DEFAULT_MODEL),
            queue: directives.queue.as_ref().is_some_and(|queue| queue.reset),
        };
        Self { set, cleared }
    }

    /// What is stored on the session, without what is cleared for the turn.
    pub(crate) fn uncleared(&self, mut stored: SessionSettings) -> SessionSettings {
        stored.think = stored.think.filter(|_| !self.cleared.think);
        stored.model = stored.model.filter(|_| !self.cleared.model);
        stored.queue = self.uncleared_queue(&stored.queue);
        stored
    }

    /// The same of the queue's settings.
    pub(crate) fn uncleared_queue(&self, stored: &Queue) -> Queue {
        if self.cleared.queue {
            Queue::default()
        } else {
            stored.clone()
        }
    }

    /// These without those of the queue.
    pub(crate) fn without_queue(mut self) -> Self {
        self.set.queue = Queue::default();
        self.cleared.queue = false;
        self
    }
}
