//! Recognises a message that was seen already: claimed when it comes in, committed when its turn went
//! well, released when it failed, so that the platform's redelivery works. The memory is for speed: what it has
//! forgotten the journal knows, see `repeats`.

use crate::{
    flow::{Flow, Stop},
    rules::{Rule, Rules},
};
use foldback_wire::{ChannelId, ChatId, Gate, Inbound, MessageId, Stage, ThreadId, Timestamp, TurnId};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Messages remembered; the oldest go first.
const CAPACITY: usize = 5_000;
/// The time for which a message is remembered, from its claim.
const MEMORY: Duration = Duration::from_mins(20);

/// The identity of a message. A tuple of types: joined strings let two messages collide where one
/// part is missing in each.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    channel: ChannelId,
    account: Option<String>,
    chat: ChatId,
    thread: Option<ThreadId>,
    message: MessageId,
}

impl Key {
    fn of(message: &Inbound) -> Self {
        Self {
            channel: message.channel.clone(),
            account: message.account.clone(),
            chat: message.chat.clone(),
            thread: message.thread.clone(),
            message: message.message.clone(),
        }
    }
}

/// True where a message is one of the journal, which is older and may not say which account it came to. Then it is the
/// same only if it was written at the same moment: the messages of another account have the same ids, at other times.
pub(crate) fn is_same(kept: &Inbound, message: &Inbound) -> bool {
    let mut key = Key::of(kept);
    if key.account.is_none() && kept.at == message.at {
        key.account.clone_from(&message.account);
    }
    key == Key::of(message)
}

/// The progress of an earlier turn with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimState {
    /// Its turn has not ended.
    InWork,
    /// Its turn went well.
    Answered,
}

/// The stop of a message that came before, at `at`, as turn `first`.
pub(crate) fn duplicate(message: &Inbound, first: TurnId, at: Timestamp, state: ClaimState) -> Stop {
    let state = match state {
        ClaimState::InWork => "still in work",
        ClaimState::Answered => "answered",
    };
    Stop::new(
        Stage::Dedupe,
        Gate::Duplicate,
        format!(
            "message {} came already, as turn {first}; it is {state}",
            message.message
        ),
    )
    .given("message", message.message.as_str())
    .given("chat", message.chat.as_str())
    .given("first_turn", first.to_string())
    .given("first_seen", at.to_string())
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    turn: TurnId,
    at: Timestamp,
    committed: bool,
}

/// A message's place in the memory, until its turn is over.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    key: Key,
    turn: TurnId,
}

/// The messages seen lately.
#[derive(Debug, Default)]
pub(crate) struct MessageMemory {
    entries: HashMap<Key, Entry>,
    /// Claims in the order they were made; may name released ones.
    order: VecDeque<(Timestamp, Key)>,
    /// Turns whose claim was neither committed nor released, also where the message is forgotten.
    in_work: HashSet<TurnId>,
}

/// The messages seen lately, as the gates claim them, and the queue and the turns commit or release them.
#[derive(Debug, Default)]
pub(crate) struct SeenMessages(Mutex<MessageMemory>);

impl SeenMessages {
    pub(crate) fn lock(&self) -> MutexGuard<'_, MessageMemory> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MessageMemory {
    /// Claims the message for a turn, or stops it as a duplicate.
    pub(crate) fn claim(
        &mut self,
        rules: Rules,
        message: &Inbound,
        turn: TurnId,
        now: Timestamp,
    ) -> Flow<Claim> {
        self.forget(now);
        let key = Key::of(message);
        if rules.holds(Rule::DedupeClaim)
            && let Some(first) = self.entries.get(&key)
        {
            let state = if first.committed {
                ClaimState::Answered
            } else {
                ClaimState::InWork
            };
            return duplicate(message, first.turn, first.at, state).flow();
        }
        self.entries.insert(
            key.clone(),
            Entry {
                turn,
                at: now,
                committed: false,
            },
        );
        self.order.push_back((now, key.clone()));
        self.in_work.insert(turn);
        Flow::Continue(Claim { key, turn })
    }

    /// Messages that are remembered.
    pub(crate) fn len(&self) -> usize {
        self.order.len().max(self.entries.len())
    }

    /// True where a turn that made a claim is not over.
    pub(crate) fn works_on(&self, turn: TurnId) -> bool {
        self.in_work.contains(&turn)
    }

    /// A message that an earlier process is still answering: its whole answer stands in the outbox.
    pub(crate) fn recall(&mut self, message: &Inbound, turn: TurnId, at: Timestamp) {
        let key = Key::of(message);
        let entry = Entry {
            turn,
            at,
            committed: true,
        };
        if self.entries.insert(key.clone(), entry).is_none() {
            self.order.push_back((at, key));
        }
    }

    /// The turn went well: later copies are duplicates.
    pub(crate) fn commit(&mut self, claim: &Claim) {
        self.in_work.remove(&claim.turn);
        if let Some(entry) = self.own(claim) {
            entry.committed = true;
        }
    }

    /// The turn failed: the next copy is a new message.
    pub(crate) fn release(&mut self, rules: Rules, claim: &Claim) {
        self.in_work.remove(&claim.turn);
        if rules.holds(Rule::DedupeRelease) && self.own(claim).is_some() {
            self.entries.remove(&claim.key);
        }
    }

    /// Nobody works on the message any more: the next copy is a new message, unless its turn went well.
    pub(crate) fn release_message(&mut self, message: &Inbound) {
        let key = Key::of(message);
        if let Some(entry) = self.entries.get(&key).filter(|entry| !entry.committed) {
            self.in_work.remove(&entry.turn);
            self.entries.remove(&key);
        }
    }

    fn own(&mut self, claim: &Claim) -> Option<&mut Entry> {
        self.entries.get_mut(&claim.key).filter(|e| e.turn == claim.turn)
    }

    fn forget(&mut self, now: Timestamp) {
        while let Some((at, key)) = self.order.front() {
            if self.order.len() < CAPACITY && now.since(*at) < MEMORY {
                break;
            }
            // A released and claimed again key stands twice in the order; only its own claim removes it.
            if self.entries.get(key).is_some_and(|e| e.at == *at) {
                self.entries.remove(key);
            }
            self.order.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;

    fn try_claim(seen: &mut MessageMemory, id: &str, turn: u64, at_ms: i64) -> Option<Claim> {
        let mut message = inbound("hi");
        message.message = id.into();
        match seen.claim(Rules::all(), &message, TurnId(turn), Timestamp(at_ms)) {
            Flow::Continue(claim) => Some(claim),
            Flow::Stop(stop) => {
                assert_eq!(stop.gate, Gate::Duplicate);
                None
            }
        }
    }

    #[test]
    fn the_same_message_is_stopped_for_twenty_minutes() {
        let mut seen = MessageMemory::default();
        let minute = 60_000;
        assert!(try_claim(&mut seen, "a", 1, 0).is_some());
        assert!(try_claim(&mut seen, "a", 2, 20 * minute - 1).is_none());
        assert!(try_claim(&mut seen, "a", 3, 20 * minute).is_some());
    }

    #[test]
    fn a_failed_turn_lets_the_redelivery_in_and_a_good_one_does_not() {
        let mut seen = MessageMemory::default();
        let claim = try_claim(&mut seen, "a", 1, 0).unwrap();
        seen.release(Rules::all(), &claim);
        let again = try_claim(&mut seen, "a", 2, 1).unwrap();
        // A late release of the first turn must not free the second one's claim.
        seen.release(Rules::all(), &claim);
        assert!(try_claim(&mut seen, "a", 3, 2).is_none());
        seen.commit(&again);
        assert!(try_claim(&mut seen, "a", 4, 3).is_none());
    }

    #[test]
    fn the_oldest_of_five_thousand_goes_first() {
        let mut seen = MessageMemory::default();
        for n in 0..CAPACITY {
            assert!(try_claim(&mut seen, &n.to_string(), n as u64 + 1, 0).is_some());
        }
        assert!(try_claim(&mut seen, "one more", 9_999, 1).is_some());
        assert_eq!(seen.entries.len(), CAPACITY);
        assert!(try_claim(&mut seen, "0", 10_000, 1).is_some());
        assert!(try_claim(&mut seen, "4999", 10_001, 1).is_none());
    }

    #[test]
    fn missing_parts_do_not_make_messages_equal() {
        let mut seen = MessageMemory::default();
        let mut one = inbound("hi");
        one.account = Some("x".into());
        let mut two = inbound("hi");
        two.thread = Some("x".into());
        for (turn, message) in [(1, &one), (2, &two)] {
            assert!(matches!(
                seen.claim(Rules::all(), message, TurnId(turn), Timestamp(0)),
                Flow::Continue(_)
            ));
        }
    }
}
