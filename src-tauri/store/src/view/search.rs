//! The nearest event of a view that passes one more condition, such as the next error.
//!
//! A search reads outwards from where it begins, in stretches that double, and only events that the columns admit; it
//! ends at the first one that passes. So its cost follows from how far away that is, not from the journal's length:
//!
//! ```text
//! `e` at event 300,000, the next error is event 301,000:  reads the errors among 300,001 ..= 302,048, which is one
//! `E` there, the previous error is event 200:             eight stretches, of which seven have no error
//! ```
//!
//! A condition on operations must see what was before an event; its search reads on from the first event, as the view
//! itself does.

use super::{View, steps::EVENTS_A_STEP};
use crate::{Filter, Matcher, Scene, StoreError, known_durations::Durations};
use foldback_wire::Seq;
use std::sync::atomic::Ordering;

/// Direction of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchDirection {
    /// To later events.
    Forward,
    /// To earlier events.
    Back,
}

impl View {
    /// The nearest event before or behind `from` that passes this view's filter and `condition`; `None` where there is
    /// none, and where another search in this view began meanwhile.
    pub async fn find_nearest(
        &self,
        condition: &Filter,
        from: Seq,
        direction: SearchDirection,
    ) -> Result<Option<Seq>, StoreError> {
        let number = self.searches.fetch_add(1, Ordering::Relaxed) + 1;
        let head = self.journal.head();
        self.learn(head).await?;
        let mut search = Search {
            view: self,
            number,
            scene: self.state().scene.clone(),
            matcher: self.filter.and(condition).matcher(self.now),
        };
        let (first, last) = match direction {
            SearchDirection::Forward => (from, head),
            SearchDirection::Back => (Seq(0), Seq(from.0.saturating_sub(1)).min(head)),
        };
        if search.matcher.needs_past() {
            let enough = (direction == SearchDirection::Forward).then_some(first);
            let passed = search.passed(Seq(0), last, enough).await?;
            let mut inside = passed.into_iter().filter(|seq| *seq > first);
            return Ok(match direction {
                SearchDirection::Forward => inside.next(),
                SearchDirection::Back => inside.next_back(),
            });
        }
        search.stretches(first, last, direction).await
    }
}

struct Search<'a> {
    view: &'a View,
    /// Number of the search among those of the view.
    number: u64,
    scene: Scene,
    matcher: Matcher,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.view.searches.load(Ordering::Relaxed) != self.number
    }

    /// The nearest among `first + 1 ..= last`, seen from one end of it.
    async fn stretches(
        &mut self,
        mut first: Seq,
        mut last: Seq,
        direction: SearchDirection,
    ) -> Result<Option<Seq>, StoreError> {
        let mut length = EVENTS_A_STEP as u64;
        while first < last && !self.is_over() {
            let (after, until) = match direction {
                SearchDirection::Forward => (first, Seq(first.0.saturating_add(length)).min(last)),
                SearchDirection::Back => (Seq(last.0.saturating_sub(length)).max(first), last),
            };
            let enough = (direction == SearchDirection::Forward).then_some(after);
            let passed = self.passed(after, until, enough).await?;
            let nearest = match direction {
                SearchDirection::Forward => passed.first(),
                SearchDirection::Back => passed.last(),
            };
            if nearest.is_some() {
                return Ok(nearest.copied());
            }
            match direction {
                SearchDirection::Forward => first = until,
                SearchDirection::Back => last = after,
            }
            length = length.saturating_mul(2);
        }
        Ok(None)
    }

    /// The events among `after + 1 ..= until` that pass, in order, none once the search is over; no later ones where an
    /// event behind `enough` passed.
    async fn passed(
        &mut self,
        mut after: Seq,
        until: Seq,
        enough: Option<Seq>,
    ) -> Result<Vec<Seq>, StoreError> {
        let journal = self.view.journal.as_ref();
        let mut passed: Vec<Seq> = Vec::new();
        let found =
            |passed: &[Seq]| enough.is_some_and(|enough| passed.last().is_some_and(|last| *last > enough));
        while after < until && !found(&passed) && !self.is_over() {
            let events = journal
                .select(self.matcher.selection(), after, until, EVENTS_A_STEP)
                .await?;
            let durations = if self.matcher.needs_durations() {
                Durations::of(journal, &events).await?
            } else {
                Durations::default()
            };
            after = match events.last() {
                Some(last) if events.len() == EVENTS_A_STEP => last.seq,
                _ => until,
            };
            self.view.state().work.examined += events.len() as u64;
            for event in &events {
                if self.matcher.matches(event, &self.scene, durations.get(event.seq)) {
                    passed.push(event.seq);
                }
            }
            tokio::task::yield_now().await;
        }
        if self.is_over() {
            passed.clear();
        }
        Ok(passed)
    }
}
