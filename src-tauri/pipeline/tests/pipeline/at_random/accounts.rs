//! Holds what the platforms show against what the journal says.

use super::{
    GROUP_HISTORY, Round,
    marks::{marks, place_of},
};
use foldback_channels::platform;
use foldback_channels::sim::{Author, Content};
use foldback_pipeline::invariants::{self, Extent};
use foldback_store::Journal as _;
use foldback_wire::{
    EffectiveSetting, Event, HoldReason, Kind, OpId, OutcomeCode, Seq, SessionId, StopReason, Terminal,
    TurnId, UserId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that a message can come to; a run of some thousands has all of it.
const ALL: [&str; 19] = [
    "replied",
    "silent",
    "command",
    "directive_ack",
    "dropped",
    "summarised",
    "collected",
    "steered",
    "duplicate",
    "blocked",
    "failed",
    "unknown",
    "joined: steered_too",
    "not steered",
    "blocked(send_denied)",
    "waited for more",
    "group history",
    "custom command",
    "by a schedule",
];

/// What a round came to, by name: each end of a turn, each way into another run, each doubtful operation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Accounts {
    pub(crate) messages: usize,
    pub(crate) seen: BTreeMap<String, usize>,
}

impl Accounts {
    fn count(&mut self, what: impl Into<String>) {
        *self.seen.entry(what.into()).or_default() += 1;
    }

    /// What never happened, though it can.
    pub(crate) fn missing(&self) -> Vec<&str> {
        let never = |what: &&str| !self.seen.keys().any(|seen| seen.starts_with(what));
        ALL.into_iter().filter(never).collect()
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.messages += other.messages;
        for (what, times) in other.seen {
            *self.seen.entry(what).or_default() += times;
        }
    }
}

/// A turn as the journal tells it.
#[derive(Default)]
struct Told {
    /// `telegram.c3`.
    place: String,
    session: Option<SessionId>,
    sender: Option<UserId>,
    /// A schedule began it; the others a message did.
    scheduled: bool,
    mark: Option<String>,
    run_started: bool,
    /// Its run ended by itself.
    answered: bool,
    /// An operation of it did not arrive, or perhaps.
    unsure: bool,
    terminal: Option<Terminal>,
}

pub(super) async fn accounts(round: &Round, number: u64, arrivals: usize) -> Accounts {
    let events = round
        .journal
        .read(Seq(1), usize::MAX >> 1)
        .await
        .expect("a journal");
    assert_eq!(invariants::check(&events, Extent::Ended), [], "round {number}");
    assert!(
        round.journal.outbox().await.expect("an outbox").is_empty(),
        "round {number}"
    );
    let mut accounts = Accounts {
        messages: arrivals,
        ..Accounts::default()
    };
    let turns = turns(&events, &mut accounts);
    let arrived = |turn: &&Told| !turn.place.is_empty() && !turn.scheduled;
    let received = turns.values().filter(arrived).count();
    assert_eq!(received, arrivals, "round {number}: every arrival is a turn");
    for (id, turn) in &turns {
        let terminal = turn
            .terminal
            .as_ref()
            .unwrap_or_else(|| panic!("round {number}: turn {id} is open"));
        accounts.count(terminal.to_string());
        if let Terminal::Summarised { into } | Terminal::Collected { into } | Terminal::Steered { into } =
            terminal
        {
            let other = &turns[into];
            assert_eq!(
                (&other.place, &other.session),
                (&turn.place, &turn.session),
                "round {number}: {id} into {into}"
            );
            assert!(
                other.run_started,
                "round {number}: {id} went into {into}, which has no run"
            );
        }
    }
    in_order(&events, &turns, number);
    to_their_chats(&events, &turns, number);
    on_the_screens(round, &turns, number);
    accounts
}

fn turns(events: &[Event], accounts: &mut Accounts) -> BTreeMap<TurnId, Told> {
    let mut turns: BTreeMap<TurnId, Told> = BTreeMap::new();
    let mut operations: BTreeMap<OpId, TurnId> = BTreeMap::new();
    for event in events {
        let Some(id) = event.turn else { continue };
        let turn = turns.entry(id).or_default();
        if let Some(session) = &event.session {
            turn.session = Some(session.clone());
        }
        match &event.kind {
            Kind::Received { message } => {
                turn.place = format!("{}.{}", message.channel, message.chat);
                turn.sender = Some(message.sender.id.clone());
                turn.mark = marks(&message.text).first().map(|mark| (*mark).to_owned());
            }
            Kind::ScheduleDue(_) => {
                // Each of its turns has the same text.
                (turn.scheduled, turn.mark) = (true, None);
                accounts.count("by a schedule");
            }
            Kind::GroupHistory { messages, .. } => {
                assert!(messages.len() <= GROUP_HISTORY, "turn {id}: {messages:?}");
                accounts.count("group history");
            }
            Kind::Waiting {
                op: None,
                reason: HoldReason::Debounce,
                ..
            } => accounts.count("waited for more"),
            Kind::InlineDirectives(read) if read.directives.iter().any(|one| one.name == "standup") => {
                accounts.count("custom command");
            }
            Kind::RunStarted { .. } => turn.run_started = true,
            Kind::RunEnded { reason, .. } => turn.answered = *reason == StopReason::End,
            Kind::NotSteered { .. } => accounts.count("not steered"),
            Kind::Joined { how, .. } => accounts.count(format!("joined: {how}")),
            Kind::Intended { op, .. } => drop(operations.insert(*op, id)),
            Kind::Ended { op, outcome } => {
                let is_sure = matches!(
                    outcome.code,
                    OutcomeCode::Sent | OutcomeCode::Unchanged | OutcomeCode::Cancelled
                );
                if !is_sure {
                    accounts.count(format!("operation {}", outcome.code));
                    turns.entry(operations[op]).or_default().unsure = true;
                }
            }
            Kind::TurnEnded { terminal } => turn.terminal = Some(terminal.clone()),
            _ => {}
        }
    }
    turns
}

/// The session, and the chat and the sender of those messages that keep an order of their own.
type OrderKey<'a> = (&'a SessionId, Option<(&'a str, &'a UserId)>);

/// In a session, runs begin in the order in which the messages of each sender came to a chat; only one that interrupts goes
/// before those that wait. Senders overtake each other where one writes on while the other pauses, and chats that share a
/// session where a message is set aside.
fn in_order(events: &[Event], turns: &BTreeMap<TurnId, Told>, number: u64) {
    let interrupts =
        |setting: &EffectiveSetting| setting.setting == "queue.mode" && setting.value == "interrupt";
    let interrupting: BTreeSet<TurnId> = events
        .iter()
        .filter(|event| matches!(&event.kind, Kind::SettingsResolved { settings } if settings.iter().any(interrupts)))
        .filter_map(|event| event.turn)
        .collect();
    let is_apart = |kind: &Kind| {
        matches!(
            kind,
            Kind::Evicted { .. }
                | Kind::Waiting {
                    op: None,
                    reason: HoldReason::Debounce,
                    ..
                }
        )
    };
    let apart = events.iter().filter(|event| is_apart(&event.kind));
    let apart: BTreeSet<TurnId> = apart.filter_map(|event| event.turn).collect();
    let mut last: BTreeMap<OrderKey<'_>, TurnId> = BTreeMap::new();
    for event in events {
        let (Some(session), Some(turn), Kind::RunStarted { .. }) = (&event.session, event.turn, &event.kind)
        else {
            continue;
        };
        if interrupting.contains(&turn) {
            continue;
        }
        // Those of other chats do not wait for one that waits for more of its sender, nor for one that is set aside for
        // the next message of its own chat.
        let of_all = (!apart.contains(&turn)).then_some((session, None));
        let Told { place, sender, .. } = &turns[&turn];
        let of_sender = (session, sender.as_ref().map(|sender| (place.as_str(), sender)));
        for of in of_all.into_iter().chain([of_sender]) {
            if let Some(before) = last.insert(of, turn) {
                assert!(
                    before < turn,
                    "round {number}: turn {before} ran before turn {turn} in {of:?}"
                );
            }
        }
    }
}

/// No agent is given words of another chat.
fn to_their_chats(events: &[Event], turns: &BTreeMap<TurnId, Told>, number: u64) {
    for event in events {
        let (Some(turn), Kind::Prepared { prompt }) = (event.turn, &event.kind) else {
            continue;
        };
        let place = &turns[&turn].place;
        let strange: BTreeSet<_> = marks(prompt)
            .into_iter()
            .filter(|mark| place_of(mark) != place)
            .collect();
        assert!(
            strange.is_empty(),
            "round {number}: turn {turn} in {place} was given {strange:?}"
        );
    }
}

/// Each chat shows its own answers, once each.
fn on_the_screens(round: &Round, turns: &BTreeMap<TurnId, Told>, number: u64) {
    let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for platform in platform::ALL {
        let sim = round.loopbacks[platform].platform();
        for chat in (0..9).map(|number| format!("c{number}")) {
            let place = format!("{}.{chat}", platform.code());
            let Some(chat) = sim.chat(&chat.as_str().into()) else {
                continue;
            };
            let by_bot = chat
                .messages()
                .filter(|message| message.author == Author::Bot && message.deleted.is_none());
            let texts = by_bot.filter_map(|message| match &message.content {
                Content::Text(text) => Some(text.clone()),
                _ => None,
            });
            shown.insert(place, texts.collect());
        }
    }
    for (place, texts) in &shown {
        for mark in texts.iter().flat_map(|text| marks(text)) {
            assert_eq!(
                place_of(mark),
                place,
                "round {number}: {mark} was said in {place}"
            );
        }
    }
    // A message whose run failed is answered anew where its platform hands it over once more.
    let mut runs: BTreeMap<&str, Vec<&Told>> = BTreeMap::new();
    for turn in turns.values().filter(|turn| turn.run_started) {
        if let Some(mark) = &turn.mark {
            runs.entry(mark).or_default().push(turn);
        }
    }
    for (mark, turns) in runs {
        let Some((last, before)) = turns.split_last() else {
            continue;
        };
        let has_failed = |turn: &&Told| matches!(turn.terminal, Some(Terminal::Failed { .. }));
        assert!(
            before.iter().all(has_failed),
            "round {number}: {mark} is answered again"
        );
        if turns.iter().any(|turn| turn.unsure) {
            continue;
        }
        let begins = format!("answer [{mark}]");
        let screen = &shown[&last.place];
        let times = screen.iter().filter(|text| text.starts_with(&begins)).count();
        assert!(
            times <= turns.len(),
            "round {number}: the answer to {mark} is there {times} times"
        );
        // One that says nothing speaks all the same where it was given another message.
        let named = format!("[{mark}]");
        let is_there = screen.iter().any(|text| text.contains(&named));
        let is_whole = last.answered && last.terminal == Some(Terminal::Replied);
        assert!(
            is_there || !is_whole,
            "round {number}: the answer to {mark} is not there"
        );
    }
}
