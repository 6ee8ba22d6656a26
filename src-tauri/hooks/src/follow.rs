//! Follows the journal and hands each hook what passes its filter.

use crate::{Hook, HookStatuses, HooksStop, call::Caller, status::HookRecord};
use foldback_store::{Journal, Matcher, Scene, StoreError};
use foldback_wire::{Clock, Draft, Event, HookEnd, Kind, Seq};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::mpsc::{self, error::TrySendError},
    task::JoinSet,
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Most events that wait for a hook.
const WAITING: usize = 64;
/// Events that are read at once.
const BATCH: usize = 512;
/// Longest time in which what waits is still told once the bot ends.
const PARTING: Duration = Duration::from_secs(2);

/// The hooks of a bot.
pub struct Hooks {
    journal: Arc<dyn Journal>,
    clock: Arc<dyn Clock>,
    all: Vec<Hook>,
    statuses: HookStatuses,
    stop: HooksStop,
    /// Says that they have ended.
    _ended: DropGuard,
}

/// A hook as the reader of the journal sees it.
struct Listener {
    matcher: Matcher,
    waiting: mpsc::Sender<Box<Event>>,
    /// Events that were left out and that the hook was not told of yet.
    left_out: Arc<AtomicU64>,
    record: HookRecord,
    name: String,
    /// The latest event that passed its filter.
    latest: Option<Seq>,
}

impl Hooks {
    /// Hooks that are told of what a journal gets.
    pub fn new(journal: Arc<dyn Journal>, clock: Arc<dyn Clock>, all: Vec<Hook>) -> Self {
        let statuses = HookStatuses::new(all.len());
        let (stop, ended) = HooksStop::new();
        Self {
            journal,
            clock,
            all,
            statuses,
            stop,
            _ended: ended,
        }
    }

    /// The handle that ends the hooks in order.
    pub fn stop(&self) -> HooksStop {
        self.stop.clone()
    }

    /// What becomes of each, in their order.
    pub fn statuses(&self) -> HookStatuses {
        self.statuses.clone()
    }

    /// Tells the hooks of everything after `from`, until they are stopped or the journal cannot be read. Where this is
    /// dropped, what is being told is broken off, and a program is ended.
    pub async fn run(self, from: Seq) -> Result<(), StoreError> {
        if self.all.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = self.all.iter().map(|hook| hook.name.clone()).collect();
        self.statuses.learn(self.journal.as_ref(), &names, from).await?;
        let now = self.clock.now();
        let mut callers = JoinSet::new();
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
                name: hook.name.clone(),
                latest: None,
            });
            let caller = Caller::new(hook, Arc::clone(&self.clock));
            let told = tell_each(
                (caller, record),
                events,
                left_out,
                Arc::clone(&self.journal),
                Arc::clone(&self.clock),
            );
            callers.spawn(told);
        }
        follow(self.journal.as_ref(), from, &mut listeners, self.stop.asked()).await?;
        // Without the other end of what waits, each caller ends with the last of it.
        let rest: Vec<_> = listeners.into_iter().map(Listener::into_rest).collect();
        let parting = self.clock.now().plus(PARTING);
        tokio::select! {
            () = async { while callers.join_next().await.is_some() {} } => {}
            () = self.clock.sleep_until(parting) => {}
        }
        callers.shutdown().await;
        for end in rest.iter().filter_map(Rest::end) {
            note(self.journal.as_ref(), self.clock.as_ref(), end);
        }
        Ok(())
    }
}

/// The events that a hook is not told of any more, as the process ends.
struct Rest {
    name: String,
    latest: Option<Seq>,
    left_out: Arc<AtomicU64>,
    record: HookRecord,
}

impl Rest {
    /// The end of the hook for the journal; `None` where the hook was told of everything.
    fn end(&self) -> Option<HookEnd> {
        let (calling, waiting) = self.record.untold();
        let untold = waiting + self.left_out.load(Ordering::Relaxed);
        let (event, left_out, detail) = match (calling, self.latest) {
            (Some(event), _) => (event, untold, "the bot ended meanwhile"),
            (None, Some(event)) if untold > 0 => (event, untold - 1, "the bot ended before"),
            _ => return None,
        };
        Some(HookEnd {
            hook: self.name.clone(),
            event,
            done: false,
            detail: detail.to_owned(),
            attempts: u32::from(calling.is_some()),
            took_ms: 0,
            left_out,
        })
    }
}

/// Reads what the journal gets, until that is to stop: then to its end.
async fn follow(
    journal: &dyn Journal,
    from: Seq,
    listeners: &mut [Listener],
    stop: &CancellationToken,
) -> Result<(), StoreError> {
    let mut heads = journal.watch();
    let mut scene = Scene::live();
    scene.learn(journal, from).await?;
    for listener in &mut *listeners {
        listener.learn(journal, &scene, from).await?;
    }
    let (mut after, mut is_last) = (from, false);
    loop {
        let events = journal.read(Seq(after.0 + 1), BATCH).await?;
        let Some(last) = events.last() else {
            if is_last {
                return Ok(());
            }
            match stop.run_until_cancelled(heads.changed()).await {
                Some(Ok(())) => {}
                Some(Err(_)) => return Ok(()),
                None => {
                    // What was just appended is read only once it is written.
                    journal.flush().await?;
                    is_last = true;
                }
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

    /// Takes no more.
    fn into_rest(self) -> Rest {
        Rest {
            name: self.name,
            latest: self.latest,
            left_out: self.left_out,
            record: self.record,
        }
    }

    /// Has an event wait for the hook, or counts it.
    fn offer(&mut self, event: &Event) {
        self.latest = Some(event.seq);
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
        // Taken off once the journal has it: a call that is broken off tells nothing.
        let counted = left_out.load(Ordering::Relaxed);
        let end = caller.tell(&event, counted).await;
        let done = end.done;
        let seq = note(journal.as_ref(), clock.as_ref(), end);
        left_out.fetch_sub(counted, Ordering::Relaxed);
        record.call_ended(seq, done);
    }
}

/// Has the journal told what became of a hook; answers with the place of that, where the journal took it.
fn note(journal: &dyn Journal, clock: &dyn Clock, end: HookEnd) -> Option<Seq> {
    let hook = end.hook.clone();
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
        tracing::warn!(%hook, %error, "what became of a hook is not in the journal");
    }
    told.ok().and_then(|places| places.first().copied())
}
