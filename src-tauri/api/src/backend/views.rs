//! Windows over the journal.

use super::{Backend, lock};
use crate::{
    failure,
    live::{Desk, Frames, Listing, Subscription},
};
use foldback_store::{Filter, Opening, Scene, SearchDirection, TurnView, View, complete};
use foldback_wire::{
    ChannelId, Seq,
    rpc::{
        Ack, Completion, EventDetail, Failure, FilterCheck, FilterComplete, Find, FindNext, FindNextResult,
        FindResult, FindTurn, FindTurnResult, OpenView, Pause, ViewOpened, ViewRows, Window,
    },
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// Views open at a time. A page that was loaded again never closes those it had; the oldest goes.
const OPEN: usize = 32;
/// Events a view may fall behind before it leaves some out: ten seconds at 10,000 a second.
const MAX_BEHIND: u64 = 100_000;

/// The open views.
#[derive(Default)]
pub(super) struct Views {
    open: Mutex<Numbered>,
}

#[derive(Default)]
struct Numbered {
    last: u32,
    desks: BTreeMap<u32, Arc<Desk>>,
}

impl Views {
    fn get(&self, view: u32) -> Result<Arc<Desk>, Failure> {
        lock(&self.open)
            .desks
            .get(&view)
            .cloned()
            .ok_or_else(|| failure::no_view(view))
    }

    /// Events that open views could not show.
    pub(super) fn dropped(&self) -> u64 {
        lock(&self.open)
            .desks
            .values()
            .map(|desk| desk.view().dropped())
            .sum()
    }

    pub(super) fn close_all(&self) {
        for desk in std::mem::take(&mut lock(&self.open).desks).into_values() {
            desk.close();
        }
    }
}

impl Backend {
    pub(super) fn open_view(&self, wish: &OpenView) -> Result<ViewOpened, Failure> {
        let filter = self.parse_filter(&wish.filter)?;
        let now = self.shared.clock.now();
        let opening = Opening {
            now,
            scene: Scene::live(),
            max_behind: Some(MAX_BEHIND),
        };
        let journal = Arc::clone(&self.shared.journal);
        let view = match wish.rows {
            ViewRows::Events => Listing::Events(View::open(journal, &filter, opening)),
            ViewRows::Turns => Listing::Turns(TurnView::open(journal, &filter, opening)),
        };
        let mut open = lock(&self.shared.views.open);
        open.last += 1;
        let number = open.last;
        open.desks.insert(number, Arc::new(Desk::new(view)));
        if open.desks.len() > OPEN
            && let Some((_, oldest)) = open.desks.pop_first()
        {
            oldest.close();
        }
        Ok(ViewOpened { view: number })
    }

    pub(super) fn close_view(&self, view: u32) {
        // Closing what is closed is fine: a page may close in the order it likes.
        if let Some(desk) = lock(&self.shared.views.open).desks.remove(&view) {
            desk.close();
        }
    }

    pub(super) fn look(&self, window: &Window) -> Result<(), Failure> {
        self.shared.views.get(window.view).map(|desk| desk.look(window))
    }

    pub(super) fn drawn(&self, ack: &Ack) -> Result<(), Failure> {
        self.shared.views.get(ack.view).map(|desk| desk.ack(ack.serial))
    }

    pub(super) fn pause_view(&self, pause: &Pause) -> Result<(), Failure> {
        self.shared
            .views
            .get(pause.view)
            .map(|desk| desk.pause(pause.paused))
    }

    pub(super) async fn find(&self, find: Find) -> Result<FindResult, Failure> {
        let desk = self.shared.views.get(find.view)?;
        let Listing::Events(view) = desk.view() else {
            return Err(failure::other_rows(find.view, ViewRows::Events));
        };
        let index = self.row_of(view, Seq(find.seq)).await?;
        Ok(FindResult { index })
    }

    /// The row at a place or after it. The answer is final only once the view has looked so far.
    async fn row_of(&self, view: &View, seq: Seq) -> Result<Option<u64>, Failure> {
        while view.examined() < seq.min(self.shared.journal.head())
            && view.catch_up().await.map_err(failure::journal)?
        {}
        Ok(view.position_of(seq))
    }

    /// The row of the nearest event that passes a condition, too.
    pub(super) async fn find_next(&self, find: FindNext) -> Result<FindNextResult, Failure> {
        let desk = self.shared.views.get(find.view)?;
        let Listing::Events(view) = desk.view() else {
            return Err(failure::other_rows(find.view, ViewRows::Events));
        };
        let condition = self.parse_filter(&find.condition)?;
        let direction = if find.back {
            SearchDirection::Back
        } else {
            SearchDirection::Forward
        };
        let found = view
            .find_nearest(&condition, Seq(find.seq), direction)
            .await
            .map_err(failure::journal)?;
        let index = match found {
            Some(seq) => self.row_of(view, seq).await?,
            None => None,
        };
        Ok(FindNextResult { index })
    }

    /// Where a turn is listed, once the view has looked at all there is: any event may let it pass.
    pub(super) async fn find_turn(&self, find: FindTurn) -> Result<FindTurnResult, Failure> {
        let desk = self.shared.views.get(find.view)?;
        let Listing::Turns(view) = desk.view() else {
            return Err(failure::other_rows(find.view, ViewRows::Turns));
        };
        let head = self.shared.journal.head();
        while view.catch_up().await.map_err(failure::journal)?
            && view.position_of(find.turn).is_none()
            && view.examined() < head
        {}
        Ok(FindTurnResult {
            index: view.position_of(find.turn),
            exists: view.has(find.turn),
        })
    }

    pub(super) fn frames(&self, view: u32) -> Result<Subscription, Failure> {
        let desk = self.shared.views.get(view)?;
        let clock = Arc::clone(&self.shared.clock);
        let frames = Frames::new(view, desk, clock, Arc::new(self.clone()));
        let backend = self.clone();
        // A page that is gone closes nothing itself, and nobody else looks at its views.
        Ok(Subscription::new(|to| frames.run(to)).about_view(move || backend.close_view(view)))
    }

    pub(super) async fn one_event(&self, seq: u64) -> Result<EventDetail, Failure> {
        let events = if seq == 0 {
            Vec::new()
        } else {
            self.shared
                .journal
                .read(Seq(seq), 1)
                .await
                .map_err(failure::journal)?
        };
        let mut event = events
            .into_iter()
            .find(|e| e.seq.0 == seq)
            .ok_or_else(|| failure::no_event(seq))?;
        event.kind.forget_handles();
        let journal = self.shared.journal.as_ref();
        let mut rows = Scene::default()
            .rows(journal, std::slice::from_ref(&event))
            .await
            .map_err(failure::journal)?;
        let row = rows.pop().ok_or_else(|| failure::no_event(seq))?;
        Ok(EventDetail { event, row })
    }

    pub(super) fn check_filter(&self, text: &str) -> FilterCheck {
        FilterCheck {
            error: Filter::parse_for(text, &self.channel_names()).err(),
        }
    }

    pub(super) fn complete_filter(&self, wish: &FilterComplete) -> Vec<Completion> {
        complete(&wish.text, wish.cursor, &self.channel_names())
    }

    fn parse_filter(&self, text: &str) -> Result<Filter, Failure> {
        Filter::parse_for(text, &self.channel_names()).map_err(|error| failure::bad_filter(&error))
    }

    fn channel_names(&self) -> Vec<ChannelId> {
        self.shared
            .engine
            .channels()
            .channels()
            .iter()
            .map(|c| c.id().clone())
            .collect()
    }
}
