//! What an agent without a memory of its own remembers of each session.

use super::exchange::{Exchange, exchanges_of};
use crate::history::{
    Compaction, ConversationSize, History, HistoryEntry, estimated_tokens, plan_compaction,
};
use foldback_wire::{RunId, SessionId, Usage};
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
    /// Tokens kept in a session, as the backend counts them where it does, else four bytes each. What the backend counts
    /// includes the system prompt.
    pub tokens: u64,
    /// Sessions kept.
    pub sessions: usize,
}

impl Default for HistoryLimits {
    /// 20 exchanges and 128 KiB in each of 256 sessions: at most 32 MiB.
    fn default() -> Self {
        Self {
            exchanges: 20,
            bytes: 128 * 1024,
            tokens: u64::MAX,
            sessions: 256,
        }
    }
}

impl HistoryLimits {
    /// As much as fits into so many tokens, in each of 256 sessions, however many exchanges these are. A token of text has
    /// hardly ever more than eight bytes; more of them are not kept, whatever the backend counts.
    pub fn of_context(tokens: u64) -> Self {
        Self {
            exchanges: usize::MAX,
            bytes: usize::try_from(tokens.saturating_mul(8)).unwrap_or(usize::MAX),
            tokens,
            ..Self::default()
        }
    }
}

/// A memory that several agents share: what one of them answered, the others know.
#[derive(Debug, Clone)]
pub struct Memory(Arc<Mutex<SessionMemory>>);

impl Memory {
    /// A memory of nothing.
    pub fn new(limits: HistoryLimits) -> Self {
        Self(Arc::new(Mutex::new(SessionMemory::new(limits))))
    }

    pub(crate) fn open(&self) -> MutexGuard<'_, SessionMemory> {
        // Plain data, whole after every change: a panic elsewhere spoils nothing.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The memory of all sessions.
#[derive(Debug)]
pub(crate) struct SessionMemory {
    limits: HistoryLimits,
    sessions: HashMap<SessionId, Session>,
    uses: u64,
}

/// A conversation as a run found it. Once it was forgotten, this is none any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Begun(u64);

/// What was said before a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Remembered {
    /// In short, what came before the exchanges.
    pub(crate) summary: Option<String>,
    /// Word for word, oldest first.
    pub(crate) exchanges: Vec<Exchange>,
}

/// What is to be summarised, and of which conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompactionPlan {
    begun: Begun,
    pub(crate) old: Remembered,
    tokens_before: u64,
}

#[derive(Debug, Default)]
struct Session {
    begun: Begun,
    summary: Option<String>,
    exchanges: VecDeque<Exchange>,
    /// The question of the latest run, where it said nothing: a part of the conversation once its turn is told again.
    unanswered: Option<RunId>,
    bytes: usize,
    counted: Option<Counted>,
    used: u64,
}

/// What the backend counted of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counted {
    /// Tokens of everything up to and with the exchange that was counted last.
    tokens: u64,
    /// How many of the exchanges that are kept these are.
    exchanges: usize,
}

impl Session {
    fn push(&mut self, exchange: Exchange) {
        self.bytes += exchange.bytes();
        self.exchanges.push_back(exchange);
    }

    fn pop(&mut self) -> Option<Exchange> {
        let oldest = self.exchanges.pop_front()?;
        self.bytes -= oldest.bytes();
        if self.exchanges.is_empty() {
            self.counted = None;
        }
        self.counted = self.counted.and_then(|counted| {
            Some(Counted {
                tokens: counted.tokens.saturating_sub(oldest.tokens()),
                exchanges: counted.exchanges.checked_sub(1)?,
            })
        });
        Some(oldest)
    }

    fn tokens(&self) -> u64 {
        let summary = self.summary.as_deref().map_or(0, estimated_tokens);
        let (counted, from) = match self.counted {
            Some(Counted { tokens, exchanges }) => (tokens, exchanges),
            None => (summary, 0),
        };
        counted
            + self
                .exchanges
                .iter()
                .skip(from)
                .map(Exchange::tokens)
                .sum::<u64>()
    }

    fn keep_within(&mut self, limits: &HistoryLimits) {
        while self.exchanges.len() > limits.exchanges
            || self.bytes > limits.bytes
            || self.tokens() > limits.tokens
        {
            if self.pop().is_none() {
                break;
            }
        }
    }
}

impl SessionMemory {
    pub(crate) fn new(limits: HistoryLimits) -> Self {
        Self {
            limits,
            sessions: HashMap::new(),
            uses: 0,
        }
    }

    /// Begins a run: what was said before, and what [`SessionMemory::remember`] wants for the next.
    pub(crate) fn begin(&mut self, id: &SessionId) -> (Begun, Remembered) {
        let session = self.session(id);
        let remembered = Remembered {
            summary: session.summary.clone(),
            exchanges: session.exchanges.iter().cloned().collect(),
        };
        let begun = session.begun;
        self.make_room();
        (begun, remembered)
    }

    /// Adds an exchange, unless the session was forgotten since the run began: what is forgotten stays forgotten.
    /// One that is larger than a whole session may be is not kept, nor is what came before it: a conversation with
    /// a hole in it misleads more than a short one. `usage` are the tokens of the run, where the backend counted them.
    pub(crate) fn remember(
        &mut self,
        id: &SessionId,
        begun: Begun,
        exchange: Exchange,
        usage: Option<Usage>,
    ) {
        let session = self.sessions.get_mut(id);
        let Some(session) = session.filter(|session| session.begun == begun) else {
            return;
        };
        self.uses += 1;
        session.used = self.uses;
        session.unanswered = None;
        session.push(exchange);
        // Some endpoints count nothing and say 0.
        if let Some(usage) = usage.filter(|usage| usage.input > 0) {
            session.counted = Some(Counted {
                tokens: usage.input.saturating_add(usage.output),
                exchanges: session.exchanges.len(),
            });
        }
        session.keep_within(&self.limits);
    }

    /// Takes a conversation as it was before a restart. False where something of it is remembered already.
    pub(crate) fn restore(&mut self, id: &SessionId, history: &History) -> bool {
        let limits = self.limits;
        let session = self.session(id);
        if session.summary.is_some() || !session.exchanges.is_empty() {
            return false;
        }
        session.summary.clone_from(&history.summary);
        for exchange in exchanges_of(&history.entries) {
            session.push(exchange);
        }
        session.keep_within(&limits);
        self.make_room();
        true
    }

    /// A run that said nothing: nothing of it is remembered before its turn is told again.
    pub(crate) fn note_unanswered(&mut self, id: &SessionId, begun: Begun, run: RunId) {
        let session = self.sessions.get_mut(id);
        if let Some(session) = session.filter(|session| session.begun == begun) {
            session.unanswered = Some(run);
        }
    }

    /// Puts a turn as it was delivered in the place of what its run left.
    pub(crate) fn retell(&mut self, id: &SessionId, run: RunId, turn: &[HistoryEntry]) {
        let limits = self.limits;
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        // One question makes one exchange.
        let Some(mut told) = exchanges_of(turn).into_iter().next() else {
            return;
        };
        told.run = Some(run);
        let known = session
            .exchanges
            .iter_mut()
            .rev()
            .find(|exchange| exchange.run == told.run);
        if let Some(known) = known {
            session.bytes = session.bytes - known.bytes() + told.bytes();
            *known = told;
        } else if session.unanswered.take_if(|open| *open == run).is_some() {
            session.push(told);
        }
        session.keep_within(&limits);
    }

    /// How much is remembered of a session.
    pub(crate) fn size(&self, id: &SessionId) -> ConversationSize {
        let session = self.sessions.get(id);
        ConversationSize {
            exchanges: session.map_or(0, |session| session.exchanges.len()),
            summarised: session.is_some_and(|session| session.summary.is_some()),
            tokens: session.map_or(0, Session::tokens),
            counted: session.is_some_and(|session| session.counted.is_some()),
            limit: self.limits.tokens,
        }
    }

    /// What is to be summarised where at most `keep` exchanges stay; none where all of them do.
    pub(crate) fn plan(&self, id: &SessionId, keep: usize) -> Option<CompactionPlan> {
        let session = self.sessions.get(id)?;
        let tokens: Vec<u64> = session.exchanges.iter().map(Exchange::tokens).collect();
        let summarised = plan_compaction(&tokens, keep, self.limits.tokens);
        (summarised > 0).then(|| CompactionPlan {
            begun: session.begun,
            old: Remembered {
                summary: session.summary.clone(),
                exchanges: session.exchanges.iter().take(summarised).cloned().collect(),
            },
            tokens_before: session.tokens(),
        })
    }

    /// Puts a summary in the place of what it summarises. Exchanges that were added meanwhile stay. `None` where the
    /// conversation was forgotten, or what is summarised is no longer its beginning.
    pub(crate) fn compact(
        &mut self,
        id: &SessionId,
        plan: &CompactionPlan,
        summary: String,
    ) -> Option<Compaction> {
        let old = &plan.old;
        let session = self.sessions.get_mut(id)?;
        let same = session.begun == plan.begun
            && session.summary == old.summary
            && session.exchanges.len() >= old.exchanges.len()
            && session
                .exchanges
                .iter()
                .zip(&old.exchanges)
                .all(|(one, other)| one == other);
        if !same {
            return None;
        }
        for _ in &old.exchanges {
            session.pop();
        }
        session.summary = Some(summary.clone());
        // What the backend counted is no longer what is kept.
        session.counted = None;
        Some(Compaction {
            summary,
            summarised: old.exchanges.len(),
            kept: session.exchanges.len(),
            tokens_before: plan.tokens_before,
            tokens_after: session.tokens(),
            usage: None,
        })
    }

    /// Forgets a session.
    pub(crate) fn forget(&mut self, session: &SessionId) {
        self.sessions.remove(session);
    }

    fn session(&mut self, id: &SessionId) -> &mut Session {
        self.uses += 1;
        let session = self.sessions.entry(id.clone()).or_insert_with(|| Session {
            begun: Begun(self.uses),
            ..Session::default()
        });
        session.used = self.uses;
        session
    }

    fn make_room(&mut self) {
        if self.sessions.len() > self.limits.sessions {
            let idle = self.sessions.iter().min_by_key(|(_, session)| session.used);
            if let Some(id) = idle.map(|(id, _)| id.clone()) {
                self.sessions.remove(&id);
            }
        }
    }
}

#[cfg(test)]
mod tests;
