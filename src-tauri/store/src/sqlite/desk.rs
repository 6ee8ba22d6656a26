//! The desk between callers and the writer. A call is decided here at once, in the order of the calls; the
//! writer takes what lies here in batches. Callers and writer never wait for each other.

use super::{
    insert::{EventRow, body},
    prune::Stretch,
};
use crate::{KnownChat, Numbers, OutboxEntry, SessionRecord, StoreError, ledger::Ledger};
use foldback_wire::{Draft, Event, OpId, Seq, SessionId, rpc::AgentSession};
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Notify, oneshot, watch},
    time::timeout,
};

/// Most events of a transaction: it takes about 20 ms, so that a confirmation never waits long behind it.
const BATCH: usize = 2_048;

/// What one call asks to be written, all of it or nothing.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) events: Vec<EventRow>,
    pub(super) change: Option<Change>,
    /// Who waits for it.
    pub(super) confirm: Option<oneshot::Sender<Result<(), StoreError>>>,
}

/// A change besides events.
#[derive(Debug)]
pub(super) enum Change {
    Intend(Vec<OutboxEntry>),
    InFlight(OpId, bool),
    Settle(OpId),
    /// One operation has ended, and the other follows from that.
    SettleAndIntend(OpId, Box<OutboxEntry>),
    Session(Box<SessionRecord>),
    Chat(Box<KnownChat>),
    AgentSession(SessionId, Option<AgentSession>),
    Prune(Stretch),
}

/// What the writer writes in one transaction.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) entries: Vec<Entry>,
    pub(super) numbers: Numbers,
}

#[derive(Debug)]
pub(super) struct Desk {
    state: Mutex<State>,
    /// Wakes the writer.
    wake: Notify,
    /// Wakes those who wait for the end.
    end: Notify,
    /// The last place written.
    pub(super) head: watch::Sender<Seq>,
    /// Most events that may wait.
    limit: usize,
}

#[derive(Debug)]
struct State {
    ledger: Ledger,
    queue: VecDeque<Entry>,
    /// Events in the queue.
    waiting: usize,
    /// Whether somebody waits for an entry of the queue.
    urgent: bool,
    /// Why nothing more is taken, if so.
    ended: Option<StoreError>,
}

impl Desk {
    pub(super) fn new(ledger: Ledger, limit: usize) -> Self {
        let head = watch::Sender::new(ledger.head());
        let state = State {
            ledger,
            queue: VecDeque::new(),
            waiting: 0,
            urgent: false,
            ended: None,
        };
        Self {
            state: Mutex::new(state),
            wake: Notify::new(),
            end: Notify::new(),
            head,
            limit,
        }
    }

    /// A caller that panicked did so before the queue was touched: the state behind the lock is whole.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a call: `change` decides it on the ledger and says what to write besides the events.
    pub(super) fn take(
        &self,
        drafts: Vec<Draft>,
        confirm: Option<oneshot::Sender<Result<(), StoreError>>>,
        change: impl FnOnce(&mut Ledger) -> Result<Option<Change>, StoreError>,
    ) -> Result<Vec<Seq>, StoreError> {
        // Outside the lock: a prompt can be long.
        let bodies = drafts.iter().map(body).collect::<Result<Vec<_>, _>>()?;
        let mut state = self.state();
        if let Some(why) = &state.ended {
            return Err(why.clone());
        }
        if state.waiting > 0 && state.waiting + drafts.len() > self.limit {
            return Err(StoreError::Behind(state.waiting));
        }
        let change = change(&mut state.ledger)?;
        let events = state.ledger.number(drafts);
        let places = events.iter().map(|event| event.seq).collect();
        let events: Vec<_> = events
            .into_iter()
            .zip(bodies)
            .map(|(event, body)| EventRow { event, body })
            .collect();
        let first = state.queue.is_empty();
        state.waiting += events.len();
        state.urgent |= confirm.is_some();
        state.queue.push_back(Entry {
            events,
            change,
            confirm,
        });
        let wake = first || state.hurry();
        drop(state);
        if wake {
            self.wake.notify_one();
        }
        Ok(places)
    }

    pub(super) fn ledger<T>(&self, look: impl FnOnce(&Ledger) -> T) -> T {
        look(&self.state().ledger)
    }

    /// Takes nothing more; what lies here is still written.
    pub(super) fn close(&self) {
        self.state().ended.get_or_insert(StoreError::Closed);
        self.wake.notify_one();
        self.end.notify_waiters();
    }

    /// Takes nothing more, and gives up what lies here.
    pub(super) fn fail(&self, why: &StoreError) {
        let mut state = self.state();
        state.ended = Some(why.clone());
        let given_up = std::mem::take(&mut state.queue);
        drop(state);
        self.end.notify_waiters();
        for entry in given_up {
            entry.answer(Err(why.clone()));
        }
    }

    /// Why nothing more is taken, if so.
    pub(super) fn ended(&self) -> Option<StoreError> {
        self.state().ended.clone()
    }

    /// Waits until nothing more is taken.
    pub(super) async fn until_ended(&self) -> StoreError {
        loop {
            // Waits from its making on, so that an end after the look below is not missed.
            let end = self.end.notified();
            if let Some(why) = self.ended() {
                return why;
            }
            end.await;
        }
    }

    /// Waits for something to write: at once when somebody waits for it, else up to `gather`, so that what
    /// comes together is written together. `None` when nothing will come any more.
    pub(super) async fn next(&self, gather: Duration) -> Option<Batch> {
        let mut gathered = false;
        loop {
            let idle = {
                let mut state = self.state();
                let idle = state.queue.is_empty();
                if idle && state.ended.is_some() {
                    return None;
                }
                if !idle && (gathered || state.hurry()) {
                    return Some(state.batch());
                }
                idle
            };
            if idle {
                self.wake.notified().await;
            } else {
                gathered = timeout(gather, self.wake.notified()).await.is_err();
            }
        }
    }
}

impl State {
    /// Whether the writer should not wait for more to come.
    fn hurry(&self) -> bool {
        self.urgent || self.waiting >= BATCH || self.ended.is_some()
    }

    /// Takes the beginning of the queue.
    fn batch(&mut self) -> Batch {
        let mut entries = Vec::new();
        let mut events = 0;
        while events < BATCH
            && let Some(entry) = self.queue.pop_front()
        {
            events += entry.events.len();
            entries.push(entry);
        }
        self.waiting -= events;
        self.urgent = self.queue.iter().any(|entry| entry.confirm.is_some());
        Batch {
            entries,
            numbers: self.ledger.numbers(),
        }
    }
}

impl Entry {
    /// Tells who waits how it went; whoever no longer waits does not want to know.
    fn answer(self, result: Result<(), StoreError>) {
        if let Some(confirm) = self.confirm {
            let _ = confirm.send(result);
        }
    }
}

impl Batch {
    pub(super) fn rows(&self) -> Vec<&EventRow> {
        self.entries.iter().flat_map(|entry| &entry.events).collect()
    }

    pub(super) fn changes(&self) -> impl Iterator<Item = &Change> {
        self.entries.iter().filter_map(|entry| entry.change.as_ref())
    }

    /// Whether there is nothing to write: somebody only waits for what came before.
    pub(super) fn is_empty(&self) -> bool {
        self.entries
            .iter()
            .all(|entry| entry.events.is_empty() && entry.change.is_none())
    }

    /// Takes the events out of it, each with the bytes of its content.
    pub(super) fn take_events(&mut self) -> impl Iterator<Item = (Event, usize)> {
        let rows = self.entries.iter_mut().flat_map(|entry| entry.events.drain(..));
        rows.map(|row| (row.event, row.body.len()))
    }

    /// The last place in it, if it has any.
    pub(super) fn head(&self) -> Option<Seq> {
        self.entries
            .iter()
            .rev()
            .find_map(|entry| entry.events.last())
            .map(|row| row.event.seq)
    }

    pub(super) fn answer(self, result: &Result<(), StoreError>) {
        for entry in self.entries {
            entry.answer(result.clone());
        }
    }
}
