//! The steps of a view towards the journal's head.

use super::{
    State, View,
    index::{Gap, Places},
    locked,
};
use crate::{StoreError, known_durations::Durations};
use foldback_wire::{Event, Seq};
use std::sync::Arc;

/// Events looked at in one step: about 5 ms of work, so that a view shows progress at every frame.
pub(super) const EVENTS_A_STEP: usize = 2_048;

/// Places read in one step, where no event needs to be looked at.
const PLACES_A_STEP: usize = 65_536;

/// Places looked through for turns in one step, where no event needs to be looked at: about 50 ms of work.
const TURN_PLACES_A_STEP: u64 = 262_144;

/// Events of one step: those among `after + 1 ..= examined` that the columns admit.
#[derive(Debug)]
pub(super) struct Block {
    after: Seq,
    examined: Seq,
    events: Vec<Event>,
    durations: Durations,
}

impl View {
    /// One step towards the journal's head; whether there is more to do. May be dropped at any time.
    pub async fn catch_up(&self) -> Result<bool, StoreError> {
        let mut ahead = self.ahead.lock().await;
        let head = self.journal.head();
        self.know_turns(head).await?;
        let (after, all) = {
            let mut state = self.state();
            state.follow(head);
            (state.examined, state.places.are_all())
        };
        if all || after >= head {
            self.state().live = true;
            return Ok(false);
        }
        self.learn(head).await?;
        let after = self.skip(after, head).await?;
        let examined = if self.exact {
            self.step_by_places(after, head).await?
        } else {
            self.step_by_events(after, head, &mut ahead).await?
        };
        let more = examined < self.journal.head();
        self.state().live |= !more;
        Ok(more)
    }

    /// A step where columns tell everything.
    async fn step_by_places(&self, after: Seq, head: Seq) -> Result<Seq, StoreError> {
        if matches!(self.state().places, Places::Turns(_)) {
            return self.step_by_turns(after, head).await;
        }
        let places = self
            .journal
            .places(&self.selection, after, head, PLACES_A_STEP)
            .await?;
        let examined = reached(places.len() < PLACES_A_STEP, places.last().copied(), head);
        self.look_again(after, examined).await?;
        let mut state = self.state();
        state.work.placed += places.len() as u64;
        state.places.extend(places.into_iter().map(|seq| (seq, None)));
        state.examined = examined;
        Ok(examined)
    }

    /// The same for the turns of those events.
    async fn step_by_turns(&self, after: Seq, head: Seq) -> Result<Seq, StoreError> {
        let until = if self.selection.turns.is_some() {
            head
        } else {
            head.min(Seq(after.0.saturating_add(TURN_PLACES_A_STEP)))
        };
        let turns = self.journal.turns(&self.selection, after, until).await?;
        self.look_again(after, until).await?;
        let mut state = self.state();
        state.work.placed += turns.len() as u64;
        state
            .places
            .extend(turns.into_iter().map(|(turn, last)| (last, Some(turn))));
        state.examined = until;
        Ok(until)
    }

    /// A step that looks at events, and meanwhile reads those of the next one.
    async fn step_by_events(
        &self,
        after: Seq,
        head: Seq,
        ahead: &mut Option<Block>,
    ) -> Result<Seq, StoreError> {
        let block = match ahead.take().filter(|block| block.after == after) {
            Some(block) => block,
            None => self.block(after, head).await?,
        };
        let examined = block.examined;
        self.look_again(after, examined).await?;
        let next = async {
            if examined < head {
                self.block(examined, head).await.map(Some)
            } else {
                Ok(None)
            }
        };
        let (looked, next) = tokio::join!(self.look_at(block), next);
        looked?;
        *ahead = next?;
        Ok(examined)
    }

    async fn block(&self, after: Seq, head: Seq) -> Result<Block, StoreError> {
        let events = self
            .journal
            .select(&self.selection, after, head, EVENTS_A_STEP)
            .await?;
        let last = events.last().map(|event| event.seq);
        let examined = reached(events.len() < EVENTS_A_STEP, last, head);
        Ok(Block {
            after,
            examined,
            durations: self.durations(&events).await?,
            events,
        })
    }

    /// How long lasted what these events began or ended, where the filter asks.
    async fn durations(&self, events: &[Event]) -> Result<Durations, StoreError> {
        if self.timed {
            Durations::of(self.journal.as_ref(), events).await
        } else {
            Ok(Durations::default())
        }
    }

    /// Looks once more at what began at `after` or before and ended among `after + 1 ..= until`: how long it lasted is
    /// known now. Comes before the events of that step, which end operations. Doing it twice changes nothing.
    async fn look_again(&self, after: Seq, until: Seq) -> Result<(), StoreError> {
        if !self.revised {
            return Ok(());
        }
        let events = self.journal.ended_between(after, until).await?;
        let durations = self.durations(&events).await?;
        let scene = self.state().scene.clone();
        let looked: Vec<_> = {
            let mut matcher = locked(&self.matcher);
            let mut passes = |event: &Event| matcher.matches(event, &scene, durations.get(event.seq));
            events
                .iter()
                .map(|event| (event.seq, event.turn, passes(event)))
                .collect()
        };
        let mut state = self.state();
        if state.examined != after {
            return Ok(());
        }
        state.work.examined += events.len() as u64;
        let State { places, still, .. } = &mut *state;
        for (seq, turn, shown) in looked {
            match still {
                Some(later) => later.push((seq, turn, shown)),
                None => places.show(seq, turn, shown),
            }
        }
        Ok(())
    }

    /// Looks at events off the runtime's threads. When the caller goes away meanwhile, the step is published
    /// all the same; a later step that began before that finds it done.
    async fn look_at(
        &self,
        Block {
            after,
            examined,
            events,
            durations,
        }: Block,
    ) -> Result<(), StoreError> {
        let (matcher, state) = (Arc::clone(&self.matcher), Arc::clone(&self.state));
        let look = move || {
            let mut matcher = locked(&matcher);
            let scene = {
                let state = locked(&state);
                if state.examined != after {
                    return;
                }
                state.scene.clone()
            };
            let passed = events
                .iter()
                .filter(|event| matcher.matches(event, &scene, durations.get(event.seq)))
                .map(|event| (event.seq, event.turn));
            let passed: Vec<_> = passed.collect();
            let mut state = locked(&state);
            state.work.examined += events.len() as u64;
            state.places.extend(passed);
            state.examined = examined;
        };
        // Fails only when the runtime ends.
        tokio::task::spawn_blocking(look)
            .await
            .map_err(|_| StoreError::Closed)
    }

    /// Leaves out what a live view could not keep up with; the place after which it goes on.
    async fn skip(&self, after: Seq, head: Seq) -> Result<Seq, StoreError> {
        let Some(max_behind) = self
            .max_behind
            .filter(|most| self.state().live && head.0 - after.0 > *most)
        else {
            return Ok(after);
        };
        let first = Seq(after.0 + 1);
        let at = self
            .journal
            .read(first, 1)
            .await?
            .first()
            .map(|event| event.at)
            .unwrap_or_default();
        // Half of what it may fall behind is left to be looked at, so that it does not fall behind at once.
        let examined = Seq(head.0 - max_behind / 2);
        self.look_again(after, examined).await?;
        let mut state = self.state();
        if state.examined == after {
            state.places.gap(Gap {
                first: first.0,
                count: examined.0 - after.0,
                at,
            });
            state.examined = examined;
        }
        Ok(state.examined)
    }

    /// Learns which turns there are up to `head`, where turns are the rows.
    async fn know_turns(&self, head: Seq) -> Result<(), StoreError> {
        let Some(wanted) = self
            .state()
            .places
            .turns()
            .map(|turns| turns.wanted(self.journal.as_ref()))
        else {
            return Ok(());
        };
        let known = wanted.read(self.journal.as_ref(), head).await?;
        let mut state = self.state();
        state.work.placed += known.len();
        if let Some(turns) = state.places.turns() {
            turns.know(known, head);
        }
        if state.places.are_all() {
            state.examined = head;
        }
        Ok(())
    }
}

/// Where a step ends: at the head when it found less than it may take, else at what it found last.
fn reached(to_the_end: bool, last: Option<Seq>, head: Seq) -> Seq {
    last.filter(|_| !to_the_end).unwrap_or(head)
}
