//! Frames of a view: when one may be drawn, and what it shows.
//!
//! A frame goes out when something changed, at most one in [`FRAME`] and at most [`UNDRAWN`] that the window
//! has not drawn yet: a slow window gets fewer frames, never a queue of them. A paused view stands still; it
//! only says, at [`BEHIND`], how many rows came meanwhile. Rows that follow the end faster than anybody reads come at
//! [`REPLACED`]: each such frame costs the page, the shell and the display a drawing of all of it, and on a machine that is
//! busy with the bot more of them only make all of them late.

use super::{Listing, listing::Extent};
use async_trait::async_trait;
use foldback_store::{StoreError, TurnView};
use foldback_wire::{
    Clock, Seq, SteadyTime, TurnId,
    rpc::{Frame, Push, TurnSummary, Window},
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::{Notify, mpsc};

/// Least time between two frames; a display draws one in 16 ms.
pub(crate) const FRAME: Duration = Duration::from_millis(20);
/// Least time between two frames at the end of a list once [`UNREAD`] frames in a row kept no row of the one before. Rows
/// that nobody can read stay for longer then, and are as new as any when they come.
const REPLACED: Duration = Duration::from_millis(100);
/// Frames, a third of a second, after which rows that never stay are taken for more than a person reads.
const UNREAD: u32 = 16;
/// Least time between two frames of a paused view.
const BEHIND: Duration = Duration::from_millis(250);
/// Most frames sent and not yet drawn.
const UNDRAWN: u64 = 2;
/// Most rows in a frame.
const MOST_ROWS: u32 = 500;

/// The part of a wish that a frame depends on.
type Look = (u64, u32, bool, Option<u64>);

impl Wish {
    const fn look(&self) -> Look {
        (self.first, self.count, self.follow, self.paused_at)
    }
}

/// Reads the lines of a list of turns.
#[async_trait]
pub(crate) trait SummaryReader: Send + Sync {
    /// One line about each of these turns, from all of its events up to the place beside it at least; none about one
    /// whose message was deleted. Asks the journal as often for many turns as for one.
    async fn read_summaries(
        &self,
        turns: &[(TurnId, Seq)],
    ) -> Result<BTreeMap<TurnId, TurnSummary>, StoreError>;
}

/// A view and what its window wants to see. Shared by the commands and the subscription.
pub(crate) struct Desk {
    view: Listing,
    wish: Mutex<Wish>,
    changed: Notify,
}

/// What the window wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wish {
    first: u64,
    count: u32,
    follow: bool,
    /// Rows at the moment of the pause.
    paused_at: Option<u64>,
    sent: u64,
    drawn: u64,
    closed: bool,
}

impl Desk {
    /// A view whose window follows the end.
    pub(crate) fn new(view: Listing) -> Self {
        let wish = Wish {
            first: 0,
            count: 50,
            follow: true,
            paused_at: None,
            sent: 0,
            drawn: 0,
            closed: false,
        };
        Self {
            view,
            wish: Mutex::new(wish),
            changed: Notify::new(),
        }
    }

    pub(crate) fn view(&self) -> &Listing {
        &self.view
    }

    /// Which rows are on the screen.
    pub(crate) fn look(&self, window: &Window) {
        self.change(|wish| {
            wish.first = window.first;
            wish.count = window.count.min(MOST_ROWS);
            wish.follow = window.follow;
        });
    }

    /// A frame was drawn, and all before it.
    pub(crate) fn ack(&self, serial: u64) {
        self.change(|wish| wish.drawn = wish.drawn.max(serial.min(wish.sent)));
    }

    /// Stands still, or goes on.
    pub(crate) fn pause(&self, paused: bool) {
        self.view.stand_still(paused);
        let length = self.view.len();
        self.change(|wish| wish.paused_at = paused.then_some(wish.paused_at.unwrap_or(length)));
    }

    /// No more frames.
    pub(crate) fn close(&self) {
        self.change(|wish| wish.closed = true);
    }

    fn change(&self, change: impl FnOnce(&mut Wish)) {
        change(&mut self.wish());
        self.changed.notify_one();
    }

    fn wish(&self) -> MutexGuard<'_, Wish> {
        // Every change leaves it whole.
        self.wish.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The frames of a view for one subscriber.
pub(crate) struct Frames {
    number: u32,
    desk: Arc<Desk>,
    clock: Arc<dyn Clock>,
    summaries: Arc<dyn SummaryReader>,
    last: Option<Frame>,
    /// When the last frame was made, shown or not.
    last_at: SteadyTime,
    /// Frames in a row, at the end of the list, that kept no row of the one before.
    replaced: u32,
    /// What the view was made of then, and for which window.
    shown: Option<(Extent, Look)>,
    /// The turns of the last frame, each with the place up to which it was read.
    turns: BTreeMap<TurnId, (Seq, TurnSummary)>,
}

impl Frames {
    pub(crate) fn new(
        number: u32,
        desk: Arc<Desk>,
        clock: Arc<dyn Clock>,
        summaries: Arc<dyn SummaryReader>,
    ) -> Self {
        // A page that was loaded again has drawn nothing and will not acknowledge what its predecessor got.
        desk.change(|wish| wish.drawn = wish.sent);
        Self {
            number,
            desk,
            clock,
            summaries,
            last: None,
            last_at: SteadyTime::default(),
            replaced: 0,
            shown: None,
            turns: BTreeMap::new(),
        }
    }

    /// Sends frames until the view is closed, nobody listens, or the journal cannot be read.
    pub(crate) async fn run(mut self, to: mpsc::Sender<Push>) {
        if let Err(error) = self.go(&to).await {
            tracing::warn!(view = self.number, %error, "a view ends");
        }
    }

    async fn go(&mut self, to: &mpsc::Sender<Push>) -> Result<(), StoreError> {
        let desk = Arc::clone(&self.desk);
        loop {
            let scanning = desk.view.catch_up().await?;
            let looked_at = self.clock.steady();
            let wish = *desk.wish();
            if wish.closed {
                return Ok(());
            }
            let free = wish.sent - wish.drawn < UNDRAWN;
            if free && looked_at >= self.due(wish) {
                let frame = self.frame(wish, scanning).await?;
                self.last_at = looked_at;
                if let Some(frame) = self.news(frame)
                    && to.send(Push::Frame { frame }).await.is_err()
                {
                    return Ok(());
                }
            }
            if scanning {
                continue;
            }
            let up_to_date = self.shown == Some((desk.view.extent(), wish.look()));
            // However fast the journal grows, it is looked at once a frame.
            let grown = async {
                let grown = desk.view.changed().await;
                self.clock.sleep_until_steady(looked_at.plus(FRAME)).await;
                grown
            };
            tokio::select! {
                () = desk.changed.notified() => {}
                () = self.clock.sleep_until_steady(self.due(wish)), if free && !up_to_date => {}
                grown = grown, if !free || up_to_date => grown?,
            }
        }
    }

    /// When the next frame may go out.
    fn due(&self, wish: Wish) -> SteadyTime {
        let Some(last) = &self.last else {
            return SteadyTime::default();
        };
        let same_place = last.first == first(wish, last.length);
        let pause = if self.replaced >= UNREAD && wish.follow {
            REPLACED
        } else if same_place && wish.paused_at.is_some() {
            BEHIND
        } else {
            FRAME
        };
        self.last_at.plus(pause)
    }

    async fn frame(&mut self, wish: Wish, scanning: bool) -> Result<Frame, StoreError> {
        let desk = Arc::clone(&self.desk);
        let view = &desk.view;
        let extent = view.extent();
        self.shown = Some((extent, wish.look()));
        let rows_now = view.len();
        let length = wish.paused_at.map_or(rows_now, |frozen| frozen.min(rows_now));
        let first = first(wish, length);
        let count = usize::try_from(length.saturating_sub(first)).unwrap_or(usize::MAX);
        let count = count.min(wish.count as usize);
        let (rows, turns) = match view {
            Listing::Events(view) => (view.rows(first, count).await?, vec![]),
            Listing::Turns(view) => (vec![], self.lines(view, first, count).await?),
        };
        Ok(Frame {
            view: self.number,
            serial: 0,
            head: extent.examined.0,
            length,
            total: view.total(),
            behind: rows_now - length,
            dropped: view.dropped(),
            scanning,
            first,
            rows,
            turns,
        })
    }

    /// The lines of the turns in a window. What did not go on since the last frame is not read again.
    async fn lines(
        &mut self,
        view: &TurnView,
        first: u64,
        count: usize,
    ) -> Result<Vec<TurnSummary>, StoreError> {
        let mut before = std::mem::take(&mut self.turns);
        let turns = view.turns(first, count).into_iter();
        let turns: Vec<_> = turns.map(|turn| (turn, view.last_of(turn))).collect();
        before.retain(|turn, (read_to, _)| turns.binary_search(&(*turn, *read_to)).is_ok());
        let wanted = turns.iter().filter(|(turn, _)| !before.contains_key(turn));
        let wanted: Vec<_> = wanted.copied().collect();
        let mut read = if wanted.is_empty() {
            BTreeMap::new()
        } else {
            self.summaries.read_summaries(&wanted).await?
        };
        let mut lines = Vec::new();
        for (turn, last) in turns {
            let line = before.remove(&turn).map(|(_, line)| line);
            // One that is not there was deleted just now, and the next frame knows.
            let Some(line) = line.or_else(|| read.remove(&turn)) else {
                break;
            };
            lines.push(line.clone());
            self.turns.insert(turn, (last, line));
        }
        Ok(lines)
    }

    /// The frame with its number, if it shows anything that the last one did not. The head alone is nothing
    /// to see.
    fn news(&mut self, mut frame: Frame) -> Option<Frame> {
        let old = self.last.as_ref().is_some_and(|last| {
            (
                last.length,
                last.total,
                last.behind,
                last.dropped,
                last.scanning,
                last.first,
            ) == (
                frame.length,
                frame.total,
                frame.behind,
                frame.dropped,
                frame.scanning,
                frame.first,
            ) && last.rows == frame.rows
                && last.turns == frame.turns
        });
        if old {
            return None;
        }
        let mut wish = self.desk.wish();
        wish.sent += 1;
        frame.serial = wish.sent;
        let replaced = wish.follow && self.last.as_ref().is_some_and(|last| replaces(&frame, last));
        self.replaced = if replaced { self.replaced + 1 } else { 0 };
        drop(wish);
        self.last = Some(frame.clone());
        Some(frame)
    }
}

/// True for a frame that shows later events than another, and none of its.
fn replaces(frame: &Frame, last: &Frame) -> bool {
    let (Some(first), Some(before)) = (frame.rows.first(), last.rows.last()) else {
        return false;
    };
    first.seq > before.seq
}

/// Index of the first row a window shows.
fn first(wish: Wish, length: u64) -> u64 {
    let last_page = length.saturating_sub(u64::from(wish.count));
    if wish.follow {
        last_page
    } else {
        wish.first.min(last_page)
    }
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
