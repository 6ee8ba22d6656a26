//! Messages of groups that were not for the bot. They are kept, where a channel's setting says so, for the next turn in
//! their place, which is given them once. The journal has them, too: after a start they are read back from it.

use foldback_store::{Journal, Selection, StoreError};
use foldback_wire::{
    ChannelId, ChatId, ChatType, Event, Gate, GroupMessage, Inbound, Kind, MessageId, Seq, ThreadId,
    Timestamp, TurnId,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The time for which a message is kept.
const LASTS: Duration = Duration::from_hours(24);
/// Most bytes that a turn is given.
const BYTES: usize = 16 * 1024;
/// Most places that are remembered; the one in which nothing was said for longest goes first.
const PLACES: usize = 1_000;
/// Messages of a place that were given and are recognised when their platform delivers them once more.
const GIVEN: usize = 50;

/// The kinds that tell what was kept and what was given.
const KINDS: [&str; 4] = ["received", "stopping", "group_history", "run_started"];

/// Bot account, chat and thread.
type Place = (ChannelId, Option<String>, ChatId, Option<ThreadId>);

/// The messages of one place; the oldest first.
#[derive(Debug, Default)]
struct PlaceMessages {
    /// Each with when it came in.
    kept: VecDeque<(Timestamp, GroupMessage)>,
    /// Those that a turn was given, with when they came in.
    given: VecDeque<(Timestamp, MessageId)>,
}

impl PlaceMessages {
    fn knows(&self, message: &MessageId) -> bool {
        self.kept.iter().any(|(_, said)| said.id == *message)
            || self.given.iter().any(|(_, given)| given == message)
    }

    fn expire(&mut self, now: Timestamp) {
        self.kept.retain(|(came, _)| now.since(*came) < LASTS);
        self.given.retain(|(came, _)| now.since(*came) < LASTS);
    }

    /// Takes out the first ones: they were given.
    fn give(&mut self, count: usize) -> Vec<(Timestamp, GroupMessage)> {
        let out: Vec<_> = self.kept.drain(..count).collect();
        self.given
            .extend(out.iter().map(|(came, said)| (*came, said.id.clone())));
        let surplus = self.given.len().saturating_sub(GIVEN);
        self.given.drain(..surplus);
        out
    }
}

/// The messages of groups that were not for the bot, by their places.
#[derive(Debug, Default)]
pub(crate) struct GroupHistory {
    places: Mutex<HashMap<Place, PlaceMessages>>,
}

impl GroupHistory {
    /// Reads what earlier processes kept of these channels, and gave no turn whose run began; `most` says how many
    /// messages of a place each channel keeps. Looks at the events of a day, and at none where no channel keeps any.
    pub(crate) async fn read(
        journal: &dyn Journal,
        most: &BTreeMap<ChannelId, u32>,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let history = Self::default();
        let keeping = most.iter().filter(|(_, most)| **most > 0);
        let channels: BTreeSet<_> = keeping.map(|(channel, _)| channel.clone()).collect();
        if channels.is_empty() {
            return Ok(history);
        }
        let since = now.minus(LASTS);
        let wanted = Selection {
            channels: Some(channels),
            since: Some(since),
            ..Selection::kinds(KINDS)
        };
        let before = place_before(journal, since).await?;
        let mut reading = HistoryReading::default();
        for event in journal
            .select(&wanted, before, journal.head(), usize::MAX)
            .await?
        {
            reading.fold_event(&history, most, event);
        }
        Ok(history)
    }

    /// Keeps a message, and no more than so many of its place. One that is known is kept once.
    pub(crate) fn keep_message(&self, most: u32, message: &Inbound, now: Timestamp) {
        let Some(said) = said(message) else { return };
        let mut places = self.places();
        places.retain(|_, messages| {
            messages.expire(now);
            !messages.kept.is_empty() || !messages.given.is_empty()
        });
        let place = place(message);
        if !places.contains_key(&place) && places.len() >= PLACES {
            let oldest = places
                .iter()
                .min_by_key(|(_, messages)| messages.kept.back().map(|(came, _)| *came));
            if let Some(oldest) = oldest.map(|(place, _)| place.clone()) {
                places.remove(&oldest);
            }
        }
        let messages = places.entry(place).or_default();
        if messages.knows(&said.id) {
            return;
        }
        messages.kept.push_back((now, said));
        let surplus = messages.kept.len().saturating_sub(most as usize);
        messages.kept.drain(..surplus);
    }

    /// The messages before this one in its place, the oldest first; no other turn gets them.
    pub(crate) fn take_messages(&self, message: &Inbound, now: Timestamp) -> Vec<GroupMessage> {
        if message.chat_type != ChatType::Group || message.dry_run {
            return Vec::new();
        }
        let mut places = self.places();
        let Some(messages) = places.get_mut(&place(message)) else {
            return Vec::new();
        };
        let kept = messages.give(messages.kept.len());
        drop(places);
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

    /// True where messages before this one wait in its place for the next turn there.
    pub(crate) fn has_messages(&self, message: &Inbound, now: Timestamp) -> bool {
        if message.chat_type != ChatType::Group || message.dry_run {
            return false;
        }
        let places = self.places();
        let kept = places.get(&place(message)).map(|messages| &messages.kept);
        kept.into_iter()
            .flatten()
            .any(|(came, _)| now.since(*came) < LASTS)
    }

    /// A turn at the place of this message was given messages up to this one.
    fn note_given(&self, message: &Inbound, last: &MessageId) {
        let mut places = self.places();
        if let Some(messages) = places.get_mut(&place(message))
            && let Some(at) = messages.kept.iter().rposition(|(_, said)| said.id == *last)
        {
            messages.give(at + 1);
        }
    }

    /// Chat and id of each message that waits.
    fn waiting(&self) -> Vec<(ChatId, MessageId)> {
        let places = self.places();
        let all = places.iter().flat_map(|((_, _, chat, _), messages)| {
            let kept = messages.kept.iter();
            kept.map(|(_, said)| (chat.clone(), said.id.clone()))
        });
        all.collect()
    }

    fn places(&self) -> MutexGuard<'_, HashMap<Place, PlaceMessages>> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The events of the messages of a channel that wait for the next turn in their group, of which it keeps `most`: in another
/// journal they wait there.
///
/// # Errors
/// Where the journal cannot be read.
pub async fn waiting_group_events(
    journal: &dyn Journal,
    channel: &ChannelId,
    most: u32,
    now: Timestamp,
) -> Result<Vec<Event>, StoreError> {
    let kept = GroupHistory::read(journal, &BTreeMap::from([(channel.clone(), most)]), now).await?;
    let mut left: BTreeSet<_> = kept.waiting().into_iter().collect();
    if left.is_empty() {
        return Ok(Vec::new());
    }
    let since = now.minus(LASTS);
    let wanted = Selection {
        channels: Some([channel.clone()].into()),
        since: Some(since),
        ..Selection::kinds(["received"])
    };
    let before = place_before(journal, since).await?;
    let mut events = Vec::new();
    for event in journal
        .select(&wanted, before, journal.head(), usize::MAX)
        .await?
    {
        let Kind::Received { message } = &event.kind else {
            continue;
        };
        // A copy that came once more waits only once.
        if let Some(turn) = event.turn
            && left.remove(&(message.chat.clone(), message.message.clone()))
        {
            events.extend(journal.turn(turn).await?);
        }
    }
    Ok(events)
}

/// What is known of turns while the journal is read.
#[derive(Default)]
struct HistoryReading {
    messages: HashMap<TurnId, Box<Inbound>>,
    /// The last message that a turn was given, until its run begins: before, it is given them once more.
    given: HashMap<TurnId, MessageId>,
}

impl HistoryReading {
    /// Learns from an event; they come in order.
    fn fold_event(&mut self, history: &GroupHistory, most: &BTreeMap<ChannelId, u32>, event: Event) {
        let Some(turn) = event.turn else { return };
        match event.kind {
            Kind::Received { message } if message.chat_type == ChatType::Group => {
                self.messages.insert(turn, message);
            }
            Kind::Stopping { gate, .. } => {
                let Some(message) = self.messages.remove(&turn) else {
                    return;
                };
                let most = most.get(&message.channel).copied().unwrap_or_default();
                let is_kept = gate == Gate::NotMentioned && message.omitted.is_none() && !message.dry_run;
                if most > 0 && is_kept {
                    history.keep_message(most, &message, event.at);
                }
            }
            Kind::GroupHistory { messages } => {
                let last = messages.into_iter().next_back();
                self.given.extend(last.map(|said| (turn, said.id)));
            }
            Kind::RunStarted { .. } => {
                if let (Some(message), Some(last)) = (self.messages.remove(&turn), self.given.remove(&turn)) {
                    history.note_given(&message, &last);
                }
            }
            _ => {}
        }
    }
}

/// A place in the journal before everything that was decided at this time or later, as far as the clock went on steadily.
/// Looks at a few events, however long the journal is.
pub(crate) async fn place_before(journal: &dyn Journal, since: Timestamp) -> Result<Seq, StoreError> {
    let (mut before, mut from) = (0, journal.head().0 + 1);
    while before + 1 < from {
        let middle = before + (from - before) / 2;
        let first = journal.read(Seq(middle), 1).await?;
        // What was deleted is older than anything that is there.
        if first.first().is_none_or(|event| event.at >= since) {
            from = middle;
        } else {
            before = middle;
        }
    }
    Ok(Seq(before))
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
    use std::sync::atomic::{AtomicU64, Ordering};

    fn in_group(chat: &str, text: &str) -> Inbound {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let mut message = inbound(text);
        message.chat_type = ChatType::Group;
        message.chat = chat.into();
        message.message = LAST.fetch_add(1, Ordering::Relaxed).to_string().as_str().into();
        message
    }

    fn texts(history: &GroupHistory, chat: &str, now: i64) -> Vec<String> {
        let taken = history.take_messages(&in_group(chat, "now"), Timestamp(now));
        taken.into_iter().map(|said| said.text).collect()
    }

    #[test]
    fn the_newest_of_a_place_are_given_once() {
        let history = GroupHistory::default();
        for text in ["1", "2", "3"] {
            history.keep_message(2, &in_group("a", text), Timestamp(0));
        }
        history.keep_message(2, &in_group("b", "other"), Timestamp(0));
        assert_eq!(texts(&history, "a", 1), ["2", "3"]);
        assert!(texts(&history, "a", 1).is_empty());
        assert_eq!(texts(&history, "b", 1), ["other"]);
    }

    #[test]
    fn a_message_that_comes_again_is_kept_once_also_when_it_was_given() {
        let history = GroupHistory::default();
        let again = in_group("a", "1");
        for _ in 0..2 {
            history.keep_message(9, &again, Timestamp(0));
        }
        assert_eq!(texts(&history, "a", 1), ["1"]);
        history.keep_message(9, &again, Timestamp(2));
        assert!(texts(&history, "a", 3).is_empty());
    }

    #[test]
    fn after_a_day_a_message_is_forgotten() {
        const DAY: i64 = 24 * 3_600_000;
        let history = GroupHistory::default();
        history.keep_message(9, &in_group("a", "old"), Timestamp(0));
        history.keep_message(9, &in_group("a", "new"), Timestamp(1_000));
        assert_eq!(texts(&history, "a", DAY), ["new"]);
        history.keep_message(9, &in_group("a", "old"), Timestamp(0));
        history.keep_message(9, &in_group("b", "new"), Timestamp(DAY + 1_000));
        assert_eq!(history.places().len(), 1);
    }

    #[test]
    fn places_and_bytes_have_their_bounds() {
        let history = GroupHistory::default();
        for n in 0..=PLACES {
            let now = i64::try_from(n).unwrap();
            history.keep_message(9, &in_group(&n.to_string(), "x"), Timestamp(now));
        }
        assert_eq!(history.places().len(), PLACES);
        assert!(texts(&history, "0", 1_001).is_empty(), "the oldest went");
        for _ in 0..9 {
            history.keep_message(9, &in_group("long", &"x".repeat(9_000)), Timestamp(0));
        }
        let taken = texts(&history, "long", 1);
        assert_eq!((taken.len(), taken[0].len()), (3, 4_096));
    }
}
