//! The decisions about messages that wait in a conversation, by the settings of each. They look at what waits and do
//! nothing.
//!
//! ```text
//!   what comes     cap 2, drop = old          becomes of it
//!   A followup     runs                       A
//!   B, C followup  wait                       A │ B C
//!   D followup     B is the oldest: it goes   A │ C D
//!   E interrupt    C goes; E is the next      A (stopped) │ E D
//! ```
//!
//! What must hold:
//! - The message that runs is no part of what waits: it never goes.
//! - Messages of different routes, or with settings of their own, never run as one.
//! - Messages that interrupt are answered in their order, before all others.

use crate::{
    conversations::{Admission, QueuePolicy},
    pending::Pending,
    route::Route,
    session_settings::TurnOverrides,
};
use foldback_directives::inbound::{QueueDrop, QueueMode};
use foldback_wire::{SteadyTime, TurnId};
use std::{collections::VecDeque, time::Duration};

/// So many times the delay it waits for quiet at most: in a chat that is never quiet the answer comes, too.
const MOST_DELAYS: u32 = 5;

/// A message that waits, as far as it matters to the others.
#[derive(Debug, Clone)]
pub(super) struct WaitingMessage<'a> {
    turn: TurnId,
    mode: QueueMode,
    route: &'a Route,
    /// The settings that it has for its turn alone.
    own: &'a TurnOverrides,
    /// Its answer is written into a message that is there.
    apart: bool,
    /// It is a delivery, which was accepted for good: it neither goes for others nor do others go for it.
    stays: bool,
    came: SteadyTime,
    debounce: Duration,
}

impl<'a> From<&'a Pending> for WaitingMessage<'a> {
    fn from(pending: &'a Pending) -> Self {
        Self {
            turn: pending.id,
            mode: pending.queue.mode.value,
            route: &pending.route,
            own: &pending.own_settings,
            apart: pending.into.is_some(),
            stays: pending.cause.delivery().is_some(),
            came: pending.came,
            debounce: pending.queue.debounce.value,
        }
    }
}

impl WaitingMessage<'_> {
    fn goes_with(&self, other: &Self) -> bool {
        let collected = |message: &Self| message.mode == QueueMode::Collect && !message.apart;
        collected(self) && collected(other) && self.route == other.route && self.own == other.own
    }
}

/// The decision about a message that comes while others wait.
fn admit(waiting: &[WaitingMessage<'_>], mode: QueueMode, cap: usize, drop: QueueDrop) -> Admission {
    let may_go = |message: &&WaitingMessage<'_>| !message.stays;
    let over = (waiting.iter().filter(may_go).count() + 1).saturating_sub(cap.max(1));
    if over > 0 && drop == QueueDrop::New {
        return Admission::Full;
    }
    let places = waiting.iter().enumerate().filter(|(_, message)| !message.stays);
    let mut oldest: Vec<_> = places.map(|(at, message)| (at, message.turn)).collect();
    oldest.sort_by_key(|(_, turn)| *turn);
    let mut gone: Vec<_> = oldest.into_iter().take(over).map(|(at, _)| at).collect();
    gone.sort_unstable();
    let others = |message: &WaitingMessage<'_>| message.mode != QueueMode::Interrupt;
    let end = waiting.len();
    let place = match mode {
        QueueMode::Interrupt => waiting.iter().position(others).unwrap_or(end),
        _ => end,
    };
    Admission::Wait {
        place: place - gone.iter().filter(|at| **at < place).count(),
        gone,
        set_aside: drop == QueueDrop::Summarize,
    }
}

/// How many messages, from the first, run as one.
fn batch(waiting: &[WaitingMessage<'_>]) -> usize {
    let Some(first) = waiting.first() else { return 0 };
    let together = waiting.iter().take_while(|other| first.goes_with(other));
    together.count().max(1)
}

/// The moment until which the next run waits for quiet; `began` is that from which it could have begun.
pub(super) fn quiet_at(waiting: &[WaitingMessage<'_>], began: SteadyTime) -> Option<SteadyTime> {
    let first = waiting.first()?;
    if !first.goes_with(first) {
        return None;
    }
    let last = &waiting[batch(waiting) - 1];
    let at_the_latest = began.plus(last.debounce.saturating_mul(MOST_DELAYS));
    Some(last.came.plus(last.debounce).min(at_the_latest))
}

/// The messages that wait, as the decisions see them.
pub(super) fn seen(waiting: &VecDeque<Pending>) -> Vec<WaitingMessage<'_>> {
    waiting.iter().map(WaitingMessage::from).collect()
}

/// Decides by the settings of each message.
pub(super) struct BySettings {
    /// False where any number may wait; only with that rule switched off.
    pub(super) is_bounded: bool,
}

impl QueuePolicy<Pending> for BySettings {
    fn admit(&self, waiting: &VecDeque<Pending>, pending: &Pending) -> Admission {
        // What was accepted always finds room: the budgets of deliveries bound their number.
        let is_bounded = self.is_bounded && pending.cause.delivery().is_none();
        let cap = if is_bounded {
            pending.queue.cap.value
        } else {
            usize::MAX
        };
        admit(
            &seen(waiting),
            pending.queue.mode.value,
            cap,
            pending.queue.drop.value,
        )
    }

    fn batch(&self, waiting: &VecDeque<Pending>) -> usize {
        batch(&seen(waiting))
    }

    fn may_tell(&self, lead: &Pending, other: &Pending) -> bool {
        let is_delivery = lead.cause.delivery().is_some();
        lead.route == other.route && lead.into.is_none() && other.into.is_none() && !is_delivery
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;

    fn ms(ms: u64) -> SteadyTime {
        SteadyTime(Duration::from_millis(ms))
    }

    /// Messages of these modes, a second apart, with turns from 1.
    fn waiting<'a>(modes: &[QueueMode], route: &'a Route, own: &'a TurnOverrides) -> Vec<WaitingMessage<'a>> {
        let message = |(turn, mode): (u64, &QueueMode)| WaitingMessage {
            turn: TurnId(turn),
            mode: *mode,
            route,
            own,
            apart: false,
            stays: false,
            came: ms(turn * 1_000),
            debounce: Duration::from_millis(500),
        };
        (1..).zip(modes).map(message).collect()
    }

    fn decided(
        modes: &[QueueMode],
        mode: QueueMode,
        cap: usize,
        drop: QueueDrop,
    ) -> Option<(usize, Vec<usize>)> {
        let (route, own) = (Route::of(&inbound("hi")), TurnOverrides::default());
        match admit(&waiting(modes, &route, &own), mode, cap, drop) {
            Admission::Full => None,
            Admission::Wait {
                place,
                gone,
                set_aside,
            } => {
                assert_eq!(set_aside, drop == QueueDrop::Summarize);
                Some((place, gone))
            }
        }
    }

    #[test]
    fn the_oldest_go_or_the_new_one_and_those_that_interrupt_come_first() {
        use QueueMode::{Followup as F, Interrupt as I};
        assert_eq!(decided(&[F, F], F, 3, QueueDrop::New), Some((2, vec![])));
        assert_eq!(decided(&[F, F], F, 2, QueueDrop::New), None);
        assert_eq!(decided(&[F, F], F, 2, QueueDrop::Old), Some((1, vec![0])));
        assert_eq!(
            decided(&[F, F, F], F, 1, QueueDrop::Summarize),
            Some((0, vec![0, 1, 2]))
        );
        assert_eq!(decided(&[I, F], I, 9, QueueDrop::Old), Some((1, vec![])));
        assert_eq!(decided(&[I, F], I, 2, QueueDrop::Old), Some((0, vec![0])));
    }

    #[test]
    fn a_delivery_that_waits_neither_goes_nor_counts() {
        use QueueMode::Followup as F;
        let (route, own) = (Route::of(&inbound("hi")), TurnOverrides::default());
        let mut all = waiting(&[F, F, F], &route, &own);
        all[0].stays = true;
        let gone = |all: &[WaitingMessage<'_>], cap| match admit(all, F, cap, QueueDrop::Old) {
            Admission::Wait { gone, .. } => gone,
            Admission::Full => vec![99],
        };
        assert_eq!(gone(&all, 3), [0; 0]);
        assert_eq!(gone(&all, 2), [1]);
        assert_eq!(gone(&all, 1), [1, 2]);
    }

    #[test]
    fn neighbours_of_one_route_and_with_the_same_settings_run_as_one() {
        use QueueMode::{Collect as C, Followup as F};
        let (route, own) = (Route::of(&inbound("hi")), TurnOverrides::default());
        let count = |modes: &[QueueMode]| batch(&waiting(modes, &route, &own));
        assert_eq!((count(&[]), count(&[F, C]), count(&[C, C, F, C])), (0, 1, 2));
        let mut elsewhere = inbound("hi");
        elsewhere.thread = Some("t".into());
        let elsewhere = Route::of(&elsewhere);
        let mut mixed = waiting(&[C, C, C], &route, &own);
        mixed[1].route = &elsewhere;
        assert_eq!(batch(&mixed), 1);
        let high = TurnOverrides::from(foldback_store::SessionSettings {
            send: Some(foldback_wire::SendPolicy::Allow),
            ..foldback_store::SessionSettings::default()
        });
        let mut mixed = waiting(&[C, C, C], &route, &own);
        mixed[2].own = &high;
        assert_eq!(batch(&mixed), 2);
    }

    #[test]
    fn what_is_collected_waits_for_quiet_but_not_for_ever() {
        use QueueMode::{Collect as C, Followup as F};
        let (route, own) = (Route::of(&inbound("hi")), TurnOverrides::default());
        let quiet = |modes: &[QueueMode], began| quiet_at(&waiting(modes, &route, &own), ms(began));
        assert_eq!(quiet(&[], 0), None);
        assert_eq!(quiet(&[F, C], 0), None);
        assert_eq!(quiet(&[C, C, F], 1_900), Some(ms(2_500)));
        assert_eq!(quiet(&[C, C, C, C], 900), Some(ms(3_400)), "5 × 500 ms");
    }
}
