//! Windows over the journal. A view knows the places of the events that pass its filter, never the events:
//! it reads those of a window when the window is asked for.
//!
//! A view of everything needs no index. A filter that the columns answer reads places only. Any other reads
//! the events that the columns admit, once, in blocks, and looks at them off the runtime's threads. All of
//! that goes on as the journal grows.
//!
//! [`TurnView`] is the same with turns for rows.

mod index;
mod search;
mod steps;
mod turn_view;
mod turns;

pub use search::SearchDirection;
pub use turn_view::TurnView;

use crate::{Filter, Journal, Matcher, Scene, Selection, StoreError, known_durations::Durations, row};
use foldback_wire::{Event, Seq, Timestamp, TurnId, rpc::EventRow};
use index::Places;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicU64};
use steps::Block;

/// How a view is opened.
#[derive(Debug, Clone)]
pub struct Opening {
    /// Time that `after:-5m` counts from.
    pub now: Timestamp,
    /// Whether the journal is a bot's or a replay's: [`Scene::live`] or [`Scene::replay`].
    pub scene: Scene,
    /// How many events a view that was up to date may fall behind; what is older is left out as a gap.
    /// `None` for a view that is to be complete however long that takes.
    pub max_behind: Option<u64>,
}

/// What a view has done so far, in events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Places read without their events.
    pub placed: u64,
    /// Events read and looked at.
    pub examined: u64,
    /// Events read for windows.
    pub shown: u64,
}

/// A window over a journal. All methods take `&self`: one task catches up while others read rows.
pub struct View {
    journal: Arc<dyn Journal>,
    max_behind: Option<u64>,
    filter: Filter,
    /// Time that `after:-5m` counts from.
    now: Timestamp,
    /// The search that goes on; a newer one ends it.
    searches: AtomicU64,
    /// What columns tell of the filter, and whether that is all of it.
    selection: Selection,
    exact: bool,
    /// Whether the filter must be told how long things lasted.
    timed: bool,
    /// Whether what it says of an event may change when that is over.
    revised: bool,
    /// One step at a time; the events of the next one may be here already.
    ahead: tokio::sync::Mutex<Option<Block>>,
    /// What steps change; held only to look or to publish.
    state: Arc<Mutex<State>>,
    /// Used by one step at a time, on a thread for blocking work.
    matcher: Arc<Mutex<Matcher>>,
}

#[derive(Debug)]
struct State {
    places: Places,
    /// The last place that was looked at.
    examined: Seq,
    /// Whether the end was reached once.
    live: bool,
    scene: Scene,
    work: Work,
    /// Places before `examined` that are to be shown or left out once the view goes on; `None` while it does.
    still: Option<Vec<(Seq, Option<TurnId>, bool)>>,
}

/// Nothing panics half way through a change, so a poisoned lock still guards a whole value.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl View {
    /// Opens a view; nothing is read before [`Self::catch_up`].
    pub fn open(journal: Arc<dyn Journal>, filter: &Filter, opening: Opening) -> Self {
        let places = if filter.is_everything() {
            Places::All {
                first: journal.whole_from().0,
                last: 0,
            }
        } else {
            Places::some()
        };
        Self::open_places(journal, filter, opening, places)
    }

    fn open_places(journal: Arc<dyn Journal>, filter: &Filter, opening: Opening, places: Places) -> Self {
        let state = State {
            places,
            examined: Seq(0),
            live: false,
            scene: opening.scene,
            work: Work::default(),
            still: None,
        };
        let matcher = filter.matcher(opening.now);
        let view = Self {
            journal,
            max_behind: opening.max_behind,
            filter: filter.clone(),
            now: opening.now,
            searches: AtomicU64::new(0),
            selection: matcher.selection().clone(),
            exact: matcher.is_exact(),
            timed: matcher.needs_durations(),
            revised: matcher.changes_with_end(),
            ahead: tokio::sync::Mutex::new(None),
            state: Arc::new(Mutex::new(state)),
            matcher: Arc::new(Mutex::new(matcher)),
        };
        view.state().follow(view.journal.head());
        view
    }

    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// Rows so far.
    pub fn len(&self) -> u64 {
        let mut state = self.state();
        state.follow(self.journal.head());
        state.places.len()
    }

    /// Rows that a view without a filter has.
    pub fn total(&self) -> u64 {
        (self.journal.head().0 + 1).saturating_sub(self.journal.whole_from().0)
    }

    /// Whether there is no row so far.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The last place that was looked at; behind the journal's head while [`Self::catch_up`] has work.
    pub fn examined(&self) -> Seq {
        let mut state = self.state();
        state.follow(self.journal.head());
        state.examined
    }

    /// Events left out because they came faster than the filter could follow; each gap is a row.
    pub fn dropped(&self) -> u64 {
        self.state().places.dropped()
    }

    /// The work done so far.
    pub fn work(&self) -> Work {
        self.state().work
    }

    /// Stands still, or goes on. Rows are added at the end all the same; the rows before it stay as they are until it goes
    /// on, although more of them pass now, or pass no longer.
    pub fn stand_still(&self, still: bool) {
        let mut state = self.state();
        if still {
            state.still.get_or_insert_default();
        } else {
            for (seq, turn, shown) in state.still.take().unwrap_or_default() {
                state.places.show(seq, turn, shown);
            }
        }
    }

    /// The first row at this place of the journal or after it; `None` when the view ends before.
    pub fn position_of(&self, seq: Seq) -> Option<u64> {
        let mut state = self.state();
        state.follow(self.journal.head());
        state.places.position(seq)
    }

    /// `count` rows from row `from` (counted from 0) on; fewer at the end.
    pub async fn rows(&self, from: u64, count: usize) -> Result<Vec<EventRow>, StoreError> {
        let (window, gaps) = {
            let mut state = self.state();
            state.follow(self.journal.head());
            let window = state.places.window(from, count);
            let gaps: Vec<_> = window
                .iter()
                .filter_map(|seq| state.places.gap_at(*seq))
                .collect();
            (window, gaps)
        };
        let is_gap = |seq: u64| gaps.iter().any(|gap| gap.first == seq);
        let places: Vec<_> = window.into_iter().filter(|seq| !is_gap(*seq)).map(Seq).collect();
        let events = match (places.first(), places.last()) {
            // Without holes, as in a view of everything: a range.
            (Some(first), Some(last)) if last.0 - first.0 + 1 == places.len() as u64 => {
                let mut events = self.journal.read(*first, places.len()).await?;
                // Unless one was deleted meanwhile.
                events.retain(|event| event.seq <= *last);
                events
            }
            (Some(_), _) => self.journal.pick(&places).await?,
            (None, _) => vec![],
        };
        if let Some(last) = events.last() {
            self.learn(last.seq).await?;
        }
        let durations = Durations::of(self.journal.as_ref(), &events).await?;
        let mut state = self.state();
        state.work.shown += events.len() as u64;
        let row = |event: &Event| state.scene.row(event, durations.get(event.seq));
        let mut rows: Vec<_> = events.iter().map(row).collect();
        rows.extend(gaps.iter().map(|gap| row::gap(gap.first, gap.count, gap.at)));
        rows.sort_unstable_by_key(|row| row.seq);
        Ok(rows)
    }

    /// Waits until the journal has grown beyond what was looked at, or turns that were rows have been deleted.
    pub async fn changed(&self) -> Result<(), StoreError> {
        let examined = self.examined();
        let deleted = self.state().places.turns().map(|turns| turns.deleted());
        let shrunk = || deleted.is_some_and(|deleted| self.journal.deleted() != deleted);
        let grown = self
            .journal
            .watch()
            .wait_for(|head| *head > examined || shrunk())
            .await
            .map(drop);
        grown.map_err(|_| StoreError::Closed)
    }

    /// Learns which channels were armed up to `until`.
    async fn learn(&self, until: Seq) -> Result<(), StoreError> {
        let mut scene = self.state().scene.clone();
        scene.learn(self.journal.as_ref(), until).await?;
        self.state().scene.replace_by_newer(scene);
        Ok(())
    }
}

impl State {
    /// A view of everything is always up to date.
    fn follow(&mut self, head: Seq) {
        if let Places::All { last, .. } = &mut self.places {
            *last = head.0;
            self.examined = head;
        }
    }
}
