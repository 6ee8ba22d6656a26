//! Follows the journal and hands each hook what passes its filter.

use crate::{Hook, HookStatuses, call::Caller, status::HookRecord};
use foldback_store::{Journal, Matcher, Scene, StoreError};
use foldback_wire::{Clock, Draft, Event, Kind, Seq};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio_util::sync::CancellationToken;

/// Most events that wait for a hook.
const WAITING: usize = 64;
/// Events that are read at once.
const BATCH: usize = 512;

/// The hooks of a bot.
pub struct Hooks {
    journal: Arc<dyn Journal>,
    clock: Arc<dyn Clock>,
    all: Vec<Hook>,
    statuses: HookStatuses,
}

/// A hook as the reader of the journal sees it.
struct Listener {
    matcher: Matcher,
    waiting: mpsc::Sender<Box<Event>>,
    /// Events that were left out and that the hook was not told of yet.
    left_out: Arc<AtomicU64>,
    record: HookRecord,
}

impl Hooks {
    /// Hooks that are told of what a journal gets.
    pub fn new(journal: Arc<dyn Journal>, clock: Arc<dyn Clock>, all: Vec<Hook>) -> Self {
        let statuses = HookStatuses::new(all.len());
        Self {
            journal,
            clock,
            all,
            statuses,
        }
    }

    /// What becomes of each, in their order.
    pub fn statuses(&self) -> HookStatuses {
        self.statuses.clone()
    }

    /// Tells the hooks of everything after `from`, until this is dropped or the journal cannot be read. What is being
    /// told then is broken off, and a program is ended.
    pub async fn run(self, from: Seq) -> Result<(), StoreError> {
        if self.all.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = self.all.iter().map(|hook| hook.name.clone()).collect();
        self.statuses.learn(self.journal.as_ref(), &names, from).await?;
        let calls = CancellationToken::new();
        let _calls = calls.clone().drop_guard();
        let now = self.clock.now();
        let mut listeners = Vec::new();
        for (number, hook) in self.all.into_iter().enumerate() {
            let record = self.statuses.of(number);
            let (waiting, events) = mpsc::channel(WAITING);
            let left_out = Arc::new(AtomicU64::new(0));
            listeners.push(Listener {
                matcher: hook.filter.matcher(now),
                waiting,
                left_out: Arc::clone(&left_out),
                record: record.clone(),
            });
            let caller = Caller::new(hook, Arc::clone(&self.clock));
            let told = tell_each(
                (caller, record),
                events,
                left_out,
                Arc::clone(&self.journal),
                Arc::clone(&self.clock),
            );
            tokio::spawn(calls.clone().run_until_cancelled_owned(told));
        }
        follow(self.journal.as_ref(), from, &mut listeners).await
    }
}

/// Reads what the journal gets, for ever.
async fn follow(journal: &dyn Journal, from: Seq, listeners: &mut [Listener]) -> Result<(), StoreError> {
    let mut heads = journal.watch();
    let mut scene = Scene::live();
    scene.learn(journal, from).await?;
    for listener in &mut *listeners {
        listener.learn(journal, &scene, from).await?;
    }
    let mut after = from;
    loop {
        let events = journal.read(Seq(after.0 + 1), BATCH).await?;
        let Some(last) = events.last() else {
            if heads.changed().await.is_err() {
                return Ok(());
            }
            continue;
        };
        after = last.seq;
        let durations = if listeners
            .iter()
            .any(|listener| listener.matcher.needs_durations())
        {
            let places: Vec<_> = events.iter().map(|event| event.seq).collect();
            let known = journal.durations(&places).await?;
            known.into_iter().map(|known| (known.seq, known)).collect()
        } else {
            HashMap::new()
        };
        for event in events {
            scene.see(&event);
            if matches!(event.kind, Kind::HookEnded { .. }) {
                continue;
            }
            for listener in &mut *listeners {
                if listener
                    .matcher
                    .matches(&event, &scene, durations.get(&event.seq))
                {
                    listener.offer(&event);
                }
            }
        }
    }
}

impl Listener {
    /// Shows the filter what was before, where what passes depends on that.
    async fn learn(&mut self, journal: &dyn Journal, scene: &Scene, until: Seq) -> Result<(), StoreError> {
        if !self.matcher.needs_past() {
            return Ok(());
        }
        let selection = self.matcher.selection().clone();
        let mut after = Seq(0);
        loop {
            let events = journal.select(&selection, after, until, BATCH).await?;
            let Some(last) = events.last() else { return Ok(()) };
            after = last.seq;
            for event in &events {
                self.matcher.matches(event, scene, None);
            }
        }
    }

    /// Has an event wait for the hook, or counts it.
    fn offer(&self, event: &Event) {
        let mut told = Box::new(event.clone());
        told.kind.forget_handles();
        self.record.event_waits();
        if let Err(TrySendError::Full(_)) = self.waiting.try_send(told) {
            self.record.event_left_out();
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Tells a hook of each event that waits, and the journal of each that was told.
async fn tell_each(
    (caller, record): (Caller, HookRecord),
    mut events: mpsc::Receiver<Box<Event>>,
    left_out: Arc<AtomicU64>,
    journal: Arc<dyn Journal>,
    clock: Arc<dyn Clock>,
) {
    while let Some(event) = events.recv().await {
        record.call_begins(event.seq);
        let end = caller.tell(&event, left_out.swap(0, Ordering::Relaxed)).await;
        let done = end.done;
        // Of no turn: the one that the event is of may have ended, and nothing comes after that.
        let draft = Draft {
            at: clock.now(),
            turn: None,
            session: None,
            channel: None,
            kind: Kind::HookEnded(end),
        };
        let told = journal.append(vec![draft]);
        if let Err(error) = &told {
            tracing::warn!(hook = %caller.name(), %error, "what became of a hook is not in the journal");
        }
        let seq = told.ok().and_then(|places| places.first().copied());
        record.call_ended(seq, done);
    }
}
