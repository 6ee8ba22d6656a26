//! What an agent without a memory of its own remembers of each session.

use foldback_wire::SessionId;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Bounds of the memory. The oldest exchange goes first, the session unused for longest goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Exchanges kept in a session; 0 keeps none.
    pub exchanges: usize,
    /// Bytes of text kept in a session.
    pub bytes: usize,
    /// Sessions kept.
    pub sessions: usize,
}

impl Default for HistoryLimits {
    /// 20 exchanges and 128 KiB in each of 256 sessions: at most 32 MiB.
    fn default() -> Self {
        Self {
            exchanges: 20,
            bytes: 128 * 1024,
            sessions: 256,
        }
    }
}

/// What was asked and what was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// The prompt.
    pub(crate) prompt: String,
    /// The answer, as far as it was said.
    pub(crate) reply: String,
}

impl Exchange {
    fn bytes(&self) -> usize {
        self.prompt.len() + self.reply.len()
    }
}

/// A memory that several agents share: what one of them answered, the others know.
#[derive(Debug, Clone)]
pub struct Memory(Arc<Mutex<History>>);

impl Memory {
    /// A memory of nothing.
    pub fn new(limits: HistoryLimits) -> Self {
        Self(Arc::new(Mutex::new(History::new(limits))))
    }

    pub(crate) fn open(&self) -> MutexGuard<'_, History> {
        // Plain data, whole after every change: a panic elsewhere spoils nothing.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The memory of all sessions.
#[derive(Debug)]
pub(crate) struct History {
    limits: HistoryLimits,
    sessions: HashMap<SessionId, Session>,
    uses: u64,
}

/// A conversation as a run found it. Once it was forgotten, this is none any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Begun(u64);

#[derive(Debug, Default)]
struct Session {
    begun: Begun,
    exchanges: VecDeque<Exchange>,
    bytes: usize,
    used: u64,
}

impl History {
    pub(crate) fn new(limits: HistoryLimits) -> Self {
        Self {
            limits,
            sessions: HashMap::new(),
            uses: 0,
        }
    }

    /// Begins a run: the session's exchanges, oldest first, and what [`History::remember`] wants for the next.
    pub(crate) fn begin(&mut self, id: &SessionId) -> (Begun, Vec<Exchange>) {
        self.uses += 1;
        let session = self.sessions.entry(id.clone()).or_insert_with(|| Session {
            begun: Begun(self.uses),
            ..Session::default()
        });
        session.used = self.uses;
        let found = (session.begun, session.exchanges.iter().cloned().collect());
        if self.sessions.len() > self.limits.sessions {
            let idle = self.sessions.iter().min_by_key(|(_, session)| session.used);
            if let Some(id) = idle.map(|(id, _)| id.clone()) {
                self.sessions.remove(&id);
            }
        }
        found
    }

    /// Adds an exchange, unless the session was forgotten since the run began: what is forgotten stays forgotten.
    /// One that is larger than a whole session may be is not kept, nor is what came before it: a conversation with
    /// a hole in it misleads more than a short one.
    pub(crate) fn remember(&mut self, id: &SessionId, begun: Begun, exchange: Exchange) {
        let session = self.sessions.get_mut(id);
        let Some(session) = session.filter(|session| session.begun == begun) else {
            return;
        };
        self.uses += 1;
        session.used = self.uses;
        session.bytes += exchange.bytes();
        session.exchanges.push_back(exchange);
        while session.exchanges.len() > self.limits.exchanges || session.bytes > self.limits.bytes {
            let Some(oldest) = session.exchanges.pop_front() else {
                break;
            };
            session.bytes -= oldest.bytes();
        }
    }

    /// Forgets a session.
    pub(crate) fn forget(&mut self, session: &SessionId) {
        self.sessions.remove(session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(prompt: &str) -> Exchange {
        Exchange {
            prompt: prompt.to_owned(),
            reply: String::new(),
        }
    }

    fn remember(history: &mut History, session: &str, prompt: &str) {
        let (begun, _) = history.begin(&session.into());
        history.remember(&session.into(), begun, exchange(prompt));
    }

    fn prompts(history: &mut History, session: &str) -> Vec<String> {
        let (_, exchanges) = history.begin(&session.into());
        exchanges.into_iter().map(|exchange| exchange.prompt).collect()
    }

    #[test]
    fn keeps_the_latest_within_its_bounds() {
        let mut history = History::new(HistoryLimits {
            exchanges: 2,
            bytes: 10,
            sessions: 2,
        });
        for prompt in ["one", "two", "three"] {
            remember(&mut history, "a", prompt);
        }
        assert_eq!(prompts(&mut history, "a"), ["two", "three"], "by count");
        remember(&mut history, "a", "seven..");
        assert_eq!(prompts(&mut history, "a"), ["seven.."], "by bytes");
        remember(&mut history, "a", "more than ten");
        assert_eq!(prompts(&mut history, "a"), [""; 0], "no hole in the middle");
    }

    #[test]
    fn forgets_on_demand_and_the_idle_first() {
        let mut history = History::new(HistoryLimits {
            sessions: 2,
            ..HistoryLimits::default()
        });
        for session in ["a", "b", "a", "c"] {
            remember(&mut history, session, session);
        }
        assert_eq!(prompts(&mut history, "a"), ["a", "a"]);
        assert_eq!(prompts(&mut history, "c"), ["c"]);
        assert_eq!(prompts(&mut history, "b"), [""; 0], "the idle one made room");
        history.forget(&"c".into());
        assert_eq!(prompts(&mut history, "c"), [""; 0]);
    }

    #[test]
    fn what_is_forgotten_stays_so_whatever_ran_then() {
        let mut history = History::new(HistoryLimits::default());
        remember(&mut history, "a", "one");
        let (before, known) = history.begin(&"a".into());
        assert_eq!(known.len(), 1);
        history.forget(&"a".into());
        history.remember(&"a".into(), before, exchange("asked before"));
        let (after, known) = history.begin(&"a".into());
        assert_eq!(known, []);
        history.remember(&"a".into(), before, exchange("asked before"));
        history.remember(&"a".into(), after, exchange("asked after"));
        assert_eq!(prompts(&mut history, "a"), ["asked after"]);
    }
}
