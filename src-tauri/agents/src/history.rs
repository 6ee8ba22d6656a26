//! What an agent without a memory of its own remembers of each session.

use foldback_wire::SessionId;
use std::collections::{HashMap, VecDeque};

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

/// The memory of all sessions.
#[derive(Debug)]
pub(crate) struct History {
    limits: HistoryLimits,
    sessions: HashMap<SessionId, Session>,
    uses: u64,
}

#[derive(Debug, Default)]
struct Session {
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

    /// The exchanges of a session, oldest first.
    pub(crate) fn of(&self, session: &SessionId) -> Vec<Exchange> {
        self.sessions
            .get(session)
            .map(|session| session.exchanges.iter().cloned().collect())
            .unwrap_or_default()
    }

    /// Adds an exchange. One that is larger than a whole session may be is not kept, nor is what came before
    /// it: a conversation with a hole in it misleads more than a short one.
    pub(crate) fn remember(&mut self, id: &SessionId, exchange: Exchange) {
        self.uses += 1;
        let session = self.sessions.entry(id.clone()).or_default();
        session.used = self.uses;
        session.bytes += exchange.bytes();
        session.exchanges.push_back(exchange);
        while session.exchanges.len() > self.limits.exchanges || session.bytes > self.limits.bytes {
            let Some(oldest) = session.exchanges.pop_front() else {
                break;
            };
            session.bytes -= oldest.bytes();
        }
        if self.sessions.len() > self.limits.sessions {
            let idle = self.sessions.iter().min_by_key(|(_, session)| session.used);
            if let Some(id) = idle.map(|(id, _)| id.clone()) {
                self.sessions.remove(&id);
            }
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

    fn prompts(history: &History, session: &str) -> Vec<String> {
        let exchanges = history.of(&session.into());
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
            history.remember(&"a".into(), exchange(prompt));
        }
        assert_eq!(prompts(&history, "a"), ["two", "three"], "by count");
        history.remember(&"a".into(), exchange("seven.."));
        assert_eq!(prompts(&history, "a"), ["seven.."], "by bytes");
        history.remember(&"a".into(), exchange("more than ten"));
        assert_eq!(prompts(&history, "a"), [""; 0], "no hole in the middle");
    }

    #[test]
    fn forgets_on_demand_and_the_idle_first() {
        let mut history = History::new(HistoryLimits {
            sessions: 2,
            ..HistoryLimits::default()
        });
        for session in ["a", "b", "a", "c"] {
            history.remember(&session.into(), exchange(session));
        }
        assert_eq!(
            (prompts(&history, "a").len(), prompts(&history, "b").len()),
            (2, 0)
        );
        history.forget(&"a".into());
        assert_eq!(prompts(&history, "a"), [""; 0]);
        assert_eq!(prompts(&history, "c"), ["c"]);
    }
}
