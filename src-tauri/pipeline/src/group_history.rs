//! Messages of groups that were not for the bot. They are kept, where a channel's setting says so, for the next turn in
//! their place, which is given them once.

use foldback_wire::{ChannelId, ChatId, ChatType, GroupMessage, Inbound, ThreadId, Timestamp};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The time for which a message is kept.
const LASTS: Duration = Duration::from_hours(24);
/// Most bytes that a turn is given.
const BYTES: usize = 16 * 1024;
/// Most places that are remembered; the one in which nothing was said for longest goes first.
const PLACES: usize = 1_000;

/// Bot account, chat and thread.
type Place = (ChannelId, Option<String>, ChatId, Option<ThreadId>);

/// A message, and when it came in.
type Kept = (Timestamp, GroupMessage);

/// The messages of groups that were not for the bot, by their places; the oldest first.
#[derive(Debug, Default)]
pub(crate) struct GroupHistory {
    places: Mutex<HashMap<Place, VecDeque<Kept>>>,
}

impl GroupHistory {
    /// Keeps a message, and no more than so many of its place.
    pub(crate) fn keep(&self, most: u32, message: &Inbound, now: Timestamp) {
        let Some(said) = said(message) else { return };
        let mut places = self.places();
        places.retain(|_, kept| {
            kept.retain(|(came, _)| now.since(*came) < LASTS);
            !kept.is_empty()
        });
        let place = place(message);
        if !places.contains_key(&place) && places.len() >= PLACES {
            let oldest = places
                .iter()
                .min_by_key(|(_, kept)| kept.back().map(|(came, _)| *came));
            if let Some(oldest) = oldest.map(|(place, _)| place.clone()) {
                places.remove(&oldest);
            }
        }
        let kept = places.entry(place).or_default();
        kept.push_back((now, said));
        let surplus = kept.len().saturating_sub(most as usize);
        kept.drain(..surplus);
    }

    /// The messages before this one in its place, the oldest first; no other turn gets them.
    pub(crate) fn take(&self, message: &Inbound, now: Timestamp) -> Vec<GroupMessage> {
        if message.chat_type != ChatType::Group || message.dry_run {
            return Vec::new();
        }
        let kept = self.places().remove(&place(message)).unwrap_or_default();
        let mut room = BYTES;
        let fresh = kept
            .into_iter()
            .rev()
            .filter(|(came, _)| now.since(*came) < LASTS);
        let fits = fresh.map_while(|(_, said)| {
            room = room.checked_sub(said.text.len() + said.sender.len())?;
            Some(said)
        });
        let mut newest_first: Vec<_> = fits.collect();
        newest_first.reverse();
        newest_first
    }

    fn places(&self) -> MutexGuard<'_, HashMap<Place, VecDeque<Kept>>> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn place(message: &Inbound) -> Place {
    (
        message.channel.clone(),
        message.account.clone(),
        message.chat.clone(),
        message.thread.clone(),
    )
}

/// What a message says, in words; `None` where that is nothing.
fn said(message: &Inbound) -> Option<GroupMessage> {
    let mut text = message.readable_text().into_owned();
    if text.trim().is_empty() {
        let files: Vec<_> = message.files.iter().map(|file| file.name.as_str()).collect();
        if files.is_empty() {
            return None;
        }
        text = format!("[{}]", files.join(", "));
    }
    let said = GroupMessage {
        id: message.message.clone(),
        sender: message.sender.readable_name().to_owned(),
        at: message.at,
        text,
    };
    Some(said.bounded())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;

    fn in_group(chat: &str, text: &str) -> Inbound {
        let mut message = inbound(text);
        message.chat_type = ChatType::Group;
        message.chat = chat.into();
        message
    }

    fn texts(history: &GroupHistory, chat: &str, now: i64) -> Vec<String> {
        let taken = history.take(&in_group(chat, "now"), Timestamp(now));
        taken.into_iter().map(|said| said.text).collect()
    }

    #[test]
    fn the_newest_of_a_place_are_given_once() {
        let history = GroupHistory::default();
        for text in ["1", "2", "3"] {
            history.keep(2, &in_group("a", text), Timestamp(0));
        }
        history.keep(2, &in_group("b", "other"), Timestamp(0));
        assert_eq!(texts(&history, "a", 1), ["2", "3"]);
        assert!(texts(&history, "a", 1).is_empty());
        assert_eq!(texts(&history, "b", 1), ["other"]);
    }

    #[test]
    fn after_a_day_a_message_is_forgotten() {
        const DAY: i64 = 24 * 3_600_000;
        let history = GroupHistory::default();
        history.keep(9, &in_group("a", "old"), Timestamp(0));
        history.keep(9, &in_group("a", "new"), Timestamp(1_000));
        assert_eq!(texts(&history, "a", DAY), ["new"]);
        history.keep(9, &in_group("a", "old"), Timestamp(0));
        history.keep(9, &in_group("b", "new"), Timestamp(DAY));
        assert_eq!(history.places().len(), 1);
    }

    #[test]
    fn places_and_bytes_have_their_bounds() {
        let history = GroupHistory::default();
        for n in 0..=PLACES {
            let now = i64::try_from(n).unwrap();
            history.keep(9, &in_group(&n.to_string(), "x"), Timestamp(now));
        }
        assert_eq!(history.places().len(), PLACES);
        assert!(texts(&history, "0", 1_001).is_empty(), "the oldest went");
        for _ in 0..9 {
            history.keep(9, &in_group("long", &"x".repeat(9_000)), Timestamp(0));
        }
        let taken = texts(&history, "long", 1);
        assert_eq!((taken.len(), taken[0].len()), (3, 4_096));
    }
}
