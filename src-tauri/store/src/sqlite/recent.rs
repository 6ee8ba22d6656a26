//! The events that were written last, in memory: whoever follows the journal has them without asking SQLite for each.

use foldback_wire::{Event, Seq};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Most events that are kept: who follows the journal is rarely further behind.
const EVENTS: usize = 4_096;

/// Most bytes of their content, as it is stored.
const BYTES: usize = 4 << 20;

/// The events at the end of the journal, without a gap: all of them are durable.
#[derive(Debug, Default)]
pub(super) struct RecentEvents {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// Each with the bytes of its content.
    events: VecDeque<(Arc<Event>, usize)>,
    bytes: usize,
}

impl RecentEvents {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Every change leaves it whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the events that were written next, each with the bytes of its content; the oldest give way.
    pub(super) fn add(&self, written: impl IntoIterator<Item = (Event, usize)>) {
        let mut kept = self.kept();
        for (event, bytes) in written {
            kept.bytes += bytes;
            kept.events.push_back((Arc::new(event), bytes));
        }
        while kept.events.len() > EVENTS || kept.bytes > BYTES {
            let Some((_, bytes)) = kept.events.pop_front() else {
                break;
            };
            kept.bytes -= bytes;
        }
    }

    /// Keeps none of them: events were deleted from the file.
    pub(super) fn clear(&self) {
        *self.kept() = Kept::default();
    }

    /// The events from a place on, at most `limit`; `None` where the first of them is not kept.
    pub(super) fn read(&self, from: Seq, limit: usize) -> Option<Vec<Event>> {
        let events: Vec<_> = {
            let kept = self.kept();
            let first = kept.events.front()?.0.seq;
            let begin = usize::try_from(from.0.checked_sub(first.0)?).ok()?;
            let events = kept.events.iter().skip(begin).take(limit);
            events.map(|(event, _)| Arc::clone(event)).collect()
        };
        // Copied outside of the lock: the writer waits for nobody.
        Some(events.iter().map(|event| Event::clone(event)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::{Draft, Kind, Timestamp};

    fn event(seq: u64) -> Event {
        let draft = Draft {
            at: Timestamp(0),
            turn: None,
            session: None,
            channel: None,
            kind: Kind::Warned {
                detail: String::new(),
            },
        };
        draft.at_seq(Seq(seq))
    }

    fn places(read: Option<Vec<Event>>) -> Option<Vec<u64>> {
        read.map(|events| events.iter().map(|event| event.seq.0).collect())
    }

    #[test]
    fn what_is_kept_is_read_and_what_is_not_is_asked_for() {
        let recent = RecentEvents::default();
        assert_eq!(places(recent.read(Seq(1), 9)), None, "the file knows");
        recent.add((7..=9).map(|seq| (event(seq), 10)));
        assert_eq!(places(recent.read(Seq(6), 9)), None);
        assert_eq!(places(recent.read(Seq(7), 2)), Some(vec![7, 8]));
        assert_eq!(places(recent.read(Seq(9), 9)), Some(vec![9]));
        assert_eq!(places(recent.read(Seq(10), 9)), Some(vec![]));
        recent.clear();
        assert_eq!(places(recent.read(Seq(9), 9)), None);
        recent.add([(event(10), 10)]);
        assert_eq!(places(recent.read(Seq(10), 9)), Some(vec![10]));
    }

    #[test]
    fn it_is_bounded_in_number_and_in_bytes() {
        let recent = RecentEvents::default();
        let many = EVENTS as u64 + 10;
        recent.add((1..=many).map(|seq| (event(seq), 1)));
        assert_eq!(recent.kept().events.len(), EVENTS);
        assert_eq!(places(recent.read(Seq(10), 1)), None);
        assert_eq!(places(recent.read(Seq(11), 1)), Some(vec![11]));
        recent.add([(event(many + 1), BYTES)]);
        assert_eq!(recent.kept().events.len(), 1);
        recent.add([(event(many + 2), BYTES + 1)]);
        let kept = recent.kept();
        assert_eq!((kept.events.len(), kept.bytes), (0, 0));
    }
}
