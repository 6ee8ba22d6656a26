//! The part of a filter that a database can answer from its columns.

use crate::{EventDuration, kind, row::is_error};
use foldback_wire::{ChannelId, Event, HoldReason, Kind, SessionId, Timestamp, TurnId};
use std::{collections::BTreeSet, ops::RangeInclusive};

/// Which events a reader wants, as far as columns tell. Every field that is set must hold; an empty set
/// admits nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Types of events, by their public names.
    pub kinds: Option<BTreeSet<&'static str>>,
    /// Channels.
    pub channels: Option<BTreeSet<ChannelId>>,
    /// Sessions.
    pub sessions: Option<BTreeSet<SessionId>>,
    /// Turns.
    pub turns: Option<BTreeSet<TurnId>>,
    /// Holds, waits and releases with these reasons.
    pub reasons: Option<BTreeSet<&'static str>>,
    /// No hold, wait or release with one of these reasons.
    pub but_reasons: Option<BTreeSet<&'static str>>,
    /// Decided at this time or later.
    pub since: Option<Timestamp>,
    /// Decided before this time.
    pub before: Option<Timestamp>,
    /// Lasted for so many milliseconds, as far as that is over; the journal knows, an event alone does not.
    pub lasted: Option<RangeInclusive<u64>>,
    /// Only what is an error by itself.
    pub errors: bool,
}

impl Selection {
    /// Everything.
    pub const ALL: Self = Self {
        kinds: None,
        channels: None,
        sessions: None,
        turns: None,
        reasons: None,
        but_reasons: None,
        since: None,
        before: None,
        lasted: None,
        errors: false,
    };

    /// Events of these types.
    pub fn kinds(kinds: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            kinds: Some(kinds.into_iter().collect()),
            ..Self::ALL
        }
    }

    /// Whether it holds for every event.
    pub fn is_everything(&self) -> bool {
        *self == Self::ALL
    }

    /// True where it asks for reasons.
    pub(crate) fn has_reasons(&self) -> bool {
        self.reasons.is_some() || self.but_reasons.is_some()
    }

    /// Whether it holds for this event; `lasted` is what the journal knows of it.
    pub fn admits(&self, event: &Event, lasted: Option<&EventDuration>) -> bool {
        let reason = reason(event, lasted).map(HoldReason::code);
        within(self.kinds.as_ref(), Some(&kind::code(&event.kind)))
            && within(self.channels.as_ref(), event.channel.as_ref())
            && within(self.sessions.as_ref(), event.session.as_ref())
            && within(self.turns.as_ref(), event.turn.as_ref())
            && within(self.reasons.as_ref(), reason.as_ref())
            && !reason.is_some_and(|reason| self.but_reasons.as_ref().is_some_and(|but| but.contains(reason)))
            && self.since.is_none_or(|since| event.at >= since)
            && self.before.is_none_or(|before| event.at < before)
            && self
                .lasted
                .as_ref()
                .is_none_or(|range| lasted.is_some_and(|lasted| range.contains(&lasted.ms)))
            && (!self.errors || is_error(&event.kind))
    }

    /// What both admit, exactly.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            kinds: narrower(self.kinds, other.kinds),
            channels: narrower(self.channels, other.channels),
            sessions: narrower(self.sessions, other.sessions),
            turns: narrower(self.turns, other.turns),
            reasons: narrower(self.reasons, other.reasons),
            but_reasons: either(self.but_reasons, other.but_reasons),
            since: self.since.max(other.since),
            before: match (self.before, other.before) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
            lasted: match (self.lasted, other.lasted) {
                (Some(a), Some(b)) => Some(*a.start().max(b.start())..=*a.end().min(b.end())),
                (a, b) => a.or(b),
            },
            errors: self.errors || other.errors,
        }
    }

    /// At least what one of the two admits: columns cannot say "this channel or that kind".
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            kinds: wider(self.kinds, other.kinds),
            channels: wider(self.channels, other.channels),
            sessions: wider(self.sessions, other.sessions),
            turns: wider(self.turns, other.turns),
            reasons: wider(self.reasons, other.reasons),
            but_reasons: self.but_reasons.zip(other.but_reasons).map(|(a, b)| &a & &b),
            since: self.since.zip(other.since).map(|(a, b)| a.min(b)),
            before: self.before.zip(other.before).map(|(a, b)| a.max(b)),
            lasted: self
                .lasted
                .zip(other.lasted)
                .map(|(a, b)| *a.start().min(b.start())..=*a.end().max(b.end())),
            errors: self.errors && other.errors,
        }
    }
}

/// The reason of what an event holds or lets go, or of its wait. What was released has that of its hold, which the journal
/// knows.
pub(crate) fn reason(event: &Event, lasted: Option<&EventDuration>) -> Option<HoldReason> {
    match &event.kind {
        Kind::Held { hold, .. } => Some(hold.reason),
        Kind::Waiting { reason, .. } => Some(*reason),
        Kind::Released { .. } => Some(lasted?.held?.reason),
        _ => None,
    }
}

fn within<T: Ord>(set: Option<&BTreeSet<T>>, value: Option<&T>) -> bool {
    set.is_none_or(|set| value.is_some_and(|value| set.contains(value)))
}

fn narrower<T: Ord>(a: Option<BTreeSet<T>>, b: Option<BTreeSet<T>>) -> Option<BTreeSet<T>> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.retain(|value| b.contains(value));
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

/// What one of them leaves out, or both.
fn either<T: Ord>(a: Option<BTreeSet<T>>, b: Option<BTreeSet<T>>) -> Option<BTreeSet<T>> {
    match (a, b) {
        (Some(mut a), Some(mut b)) => {
            a.append(&mut b);
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

fn wider<T: Ord>(a: Option<BTreeSet<T>>, b: Option<BTreeSet<T>>) -> Option<BTreeSet<T>> {
    a.zip(b).map(|(mut a, mut b)| {
        a.append(&mut b);
        a
    })
}
