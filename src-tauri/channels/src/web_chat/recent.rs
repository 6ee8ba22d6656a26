//! The recent changes of a conversation: the one buffer of all its streams.

use super::limits;
use hyper::body::Bytes;
use std::collections::VecDeque;
use std::sync::Arc;

/// The recent changes, as they are sent.
#[derive(Debug)]
pub(super) struct Recent {
    /// Tells the numbers of this process from those of others.
    epoch: Arc<str>,
    /// The number of the first one.
    first: u64,
    frames: VecDeque<Bytes>,
    bytes: usize,
}

impl Recent {
    /// None yet.
    pub(super) const fn new(epoch: Arc<str>) -> Self {
        Self {
            epoch,
            first: 1,
            frames: VecDeque::new(),
            bytes: 0,
        }
    }

    /// The number of the first one that is still here.
    pub(super) const fn first(&self) -> u64 {
        self.first
    }

    /// The number of the one that comes next.
    pub(super) fn next(&self) -> u64 {
        self.first + self.frames.len() as u64
    }

    /// An event of the change of this number.
    pub(super) fn frame(&self, number: u64, json: &str) -> Bytes {
        format!("id: {}-{number}\ndata: {json}\n\n", self.epoch).into()
    }

    /// Adds one; the oldest give way.
    pub(super) fn push(&mut self, json: &str) {
        let frame = self.frame(self.next(), json);
        self.bytes += frame.len();
        self.frames.push_back(frame);
        while self.frames.len() > limits::RECENT || self.bytes > limits::RECENT_BYTES {
            let Some(oldest) = self.frames.pop_front() else {
                break;
            };
            self.bytes -= oldest.len();
            self.first += 1;
        }
    }

    /// The number after an id that an event had; `None` where what follows it is not here.
    pub(super) fn after(&self, id: &str) -> Option<u64> {
        let (epoch, number) = id.rsplit_once('-')?;
        let next = number.parse::<u64>().ok()?.checked_add(1)?;
        (epoch == &*self.epoch && (self.first..=self.next()).contains(&next)).then_some(next)
    }

    /// The events from a number on, in one piece; `None` where there is none.
    pub(super) fn from(&self, number: u64) -> Option<Bytes> {
        let begin = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let mut frames = self.frames.range(begin.min(self.frames.len())..);
        let first = frames.next()?;
        if frames.len() == 0 {
            // Usually it is one, whose bytes all streams share.
            return Some(first.clone());
        }
        let rest = frames.flat_map(|frame| frame.iter());
        Some(first.iter().chain(rest).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: Option<Bytes>) -> String {
        bytes.map_or_else(String::new, |bytes| String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[test]
    fn what_follows_an_event_is_here_or_is_not() {
        let mut recent = Recent::new("ab".into());
        for json in ["1", "2", "3"] {
            recent.push(json);
        }
        assert_eq!(text(recent.from(2)), "id: ab-2\ndata: 2\n\nid: ab-3\ndata: 3\n\n");
        assert_eq!(
            (recent.after("ab-1"), recent.after("ab-3"), recent.after("ab-4")),
            (Some(2), Some(4), None)
        );
        assert_eq!(
            (recent.after("ab-0"), recent.after("cd-1"), recent.after("ab")),
            (Some(1), None, None)
        );
        assert!(recent.from(4).is_none() && recent.from(0).is_none());
    }

    #[test]
    fn it_is_bounded_in_number_and_in_bytes() {
        let mut recent = Recent::new("ab".into());
        for _ in 0..2 * limits::RECENT {
            recent.push("1");
        }
        assert_eq!(
            (recent.frames.len(), recent.first()),
            (limits::RECENT, limits::RECENT as u64 + 1)
        );
        let large = "x".repeat(limits::RECENT_BYTES / 4);
        for _ in 0..8 {
            recent.push(&large);
        }
        assert!(recent.frames.len() <= 4 && recent.bytes <= limits::RECENT_BYTES);
        assert_eq!(recent.bytes, recent.frames.iter().map(Bytes::len).sum::<usize>());
        assert_eq!(recent.after("ab-1"), None);
    }
}
