//! Seven witnesses, compared: the bot's journal and the logs of the six platforms.

mod figures;
mod screens;
mod turns;

use super::{CHANNELS, people::WrittenMessage};
use crate::simulated_platform::op_of;
use figures::Figures;
use foldback_channels::{read_log, sim::Record};
use foldback_pipeline::invariants::{self, Extent};
use foldback_store::{Journal as _, SessionRecord, SqliteJournal};
use foldback_wire::{
    Body, EffectiveSetting, Event, HoldReason, Intent, Kind, OpId, OutcomeCode, Seq, SessionId, Stage,
    StopReason, TurnId,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use turns::TurnStory;

pub(super) struct Evidence {
    events: Vec<Event>,
    sessions: Vec<SessionRecord>,
    /// By channel, in their order.
    logs: Vec<Vec<Record>>,
}

impl Evidence {
    pub(super) fn read(journal: &Path, logs: &[PathBuf]) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let (events, sessions, left) = runtime.block_on(async {
            let journal = SqliteJournal::open(journal).await.unwrap();
            let events = journal.read(Seq(1), usize::MAX >> 1).await.unwrap();
            let (sessions, _) = journal.sessions(usize::MAX >> 1).await.unwrap();
            (events, sessions, journal.outbox().await.unwrap())
        });
        assert!(left.is_empty(), "something is left in the outbox: {left:#?}");
        let logs = logs.iter().map(|log| read_log(log).unwrap()).collect();
        Self {
            events,
            sessions,
            logs,
        }
    }

    /// Holds the journal against the platforms and against what was written.
    pub(super) fn account(&self, written: &[WrittenMessage]) -> Figures {
        let violations = invariants::check(&self.events, Extent::Ended);
        assert!(violations.is_empty(), "{violations:#?}");
        let mut figures = Figures::default();
        let intents = self.operations(&mut figures);
        let turns = self.turns(&intents, &mut figures);
        for turn in turns.values() {
            figures.count(turn.terminal.as_ref().map_or("open".to_owned(), |end| {
                let end = end.to_string();
                end.split('(').next().unwrap_or_default().to_owned()
            }));
        }
        turns::came_in_order(&turns, written);
        turns::ended_for_a_reason(&turns);
        self.ran_in_order();
        self.settings_were_told(&mut figures);
        turns::was_given_its_own(&turns);
        self.went_to_its_chat(&turns);
        screens::are_on_the_screens(self, &turns);
        figures
    }

    /// Every operation is acknowledged and there, or is there at most once and said to be unknown.
    fn operations(&self, figures: &mut Figures) -> BTreeMap<OpId, &Intent> {
        let mut intents: BTreeMap<OpId, &Intent> = BTreeMap::new();
        let mut outcomes: BTreeMap<OpId, OutcomeCode> = BTreeMap::new();
        for event in &self.events {
            match &event.kind {
                Kind::Intended { op, intent } => drop(intents.insert(*op, intent)),
                Kind::Ended { op, outcome } => drop(outcomes.insert(*op, outcome.code)),
                _ => {}
            }
        }
        let mut applied: BTreeMap<OpId, u32> = BTreeMap::new();
        for record in self.logs.iter().flatten() {
            if record.applied && !record.repeated {
                *applied.entry(op_of(record)).or_default() += 1;
            }
        }
        for (op, times) in &applied {
            assert_eq!(*times, 1, "operation {op} happened {times} times");
            assert!(
                intents.contains_key(op),
                "operation {op} happened and was never intended"
            );
        }
        for (op, code) in &outcomes {
            let (happened, kind) = (applied.contains_key(op), intents[op].kind);
            figures.count(format!("operations {code}"));
            match code {
                OutcomeCode::Unchanged | OutcomeCode::Unknown => {}
                OutcomeCode::Sent => {
                    assert!(
                        happened,
                        "operation {op} ({kind}) was acknowledged and is missing"
                    );
                }
                _ => assert!(
                    !happened,
                    "operation {op} ({kind}) happened, and is told as {code}"
                ),
            }
        }
        intents
    }

    fn turns(&self, intents: &BTreeMap<OpId, &Intent>, figures: &mut Figures) -> BTreeMap<TurnId, TurnStory> {
        let mut turns: BTreeMap<TurnId, TurnStory> = BTreeMap::new();
        let mut open: BTreeSet<TurnId> = BTreeSet::new();
        for event in &self.events {
            if matches!(event.kind, Kind::Started { .. }) {
                let cut = open.iter().filter(|turn| turns[*turn].run_started);
                cut.for_each(|_| figures.count("cut off"));
            }
            let Some(id) = event.turn else { continue };
            let turn = turns.entry(id).or_default();
            if let Some(session) = &event.session {
                turn.session = Some(session.clone());
            }
            match &event.kind {
                Kind::Received { message } => {
                    open.insert(id);
                    turn.place = format!("{}.{}", message.channel, message.chat);
                    turn.message = Some(message.message.clone());
                    turn.text.clone_from(&message.text);
                }
                Kind::Prepared { prompt } => turn.prompts.push(prompt.clone()),
                Kind::RunStarted { .. } => turn.run_started = true,
                Kind::RunEnded { reason, .. } => turn.answered = *reason == StopReason::End,
                Kind::RunCancelled { interrupted_by, .. } => {
                    turn.cancelled = true;
                    figures.count(interrupted_by.map_or("stopped", |_| "interrupted"));
                }
                Kind::NotSteered { .. } => figures.count("not steered"),
                Kind::Joined { into, how } => {
                    turn.joined.push((*into, *how));
                    figures.count(format!("joined: {how}"));
                }
                Kind::Waiting {
                    reason: HoldReason::Debounce,
                    ..
                } => turn.goes_with_a_later = true,
                Kind::Passed { stage, detail } if detail.starts_with("taken up again") => {
                    turn.goes_with_a_later = false;
                    figures.count(if *stage == Stage::Queue {
                        "taken up"
                    } else {
                        "finished"
                    });
                }
                Kind::Passed {
                    stage: Stage::Debounce,
                    ..
                } => {
                    turn.goes_with_a_later = false;
                    figures.count("debounced");
                }
                Kind::Ended { op, outcome } => match outcome.code {
                    OutcomeCode::Sent | OutcomeCode::Unchanged => turn.told |= is_notice(intents[op]),
                    OutcomeCode::Cancelled => {}
                    _ => turn.unsure = true,
                },
                Kind::TurnEnded { terminal } => {
                    open.remove(&id);
                    turn.terminal = Some(terminal.clone());
                }
                _ => {}
            }
        }
        turns
    }

    /// In a session, runs begin in the order in which their messages went into the queue, which is that in which they came
    /// unless one waited for more of its sender, or began a new session, which takes its time before it goes in; only one
    /// that interrupts goes before those that wait.
    fn ran_in_order(&self) {
        let interrupts =
            |setting: &EffectiveSetting| setting.setting == "queue.mode" && setting.value == "interrupt";
        let mut interrupting: BTreeSet<TurnId> = BTreeSet::new();
        let mut entered: BTreeMap<TurnId, Seq> = BTreeMap::new();
        let mut began_anew: BTreeSet<TurnId> = BTreeSet::new();
        let mut last: BTreeMap<&SessionId, TurnId> = BTreeMap::new();
        for event in &self.events {
            let Some(turn) = event.turn else { continue };
            match (&event.kind, &event.session) {
                (
                    Kind::Received { .. }
                    | Kind::Passed {
                        stage: Stage::Queue | Stage::Debounce,
                        ..
                    },
                    _,
                ) => drop(entered.insert(turn, event.seq)),
                (Kind::SessionReset { .. }, _) => {
                    began_anew.insert(turn);
                    entered.insert(turn, event.seq);
                }
                (Kind::Queued { .. }, _) if began_anew.contains(&turn) => {
                    entered.insert(turn, event.seq);
                }
                (Kind::SettingsResolved { settings }, _) if settings.iter().any(interrupts) => {
                    interrupting.insert(turn);
                }
                (Kind::RunStarted { .. }, Some(session)) if !interrupting.contains(&turn) => {
                    if let Some(before) = last.insert(session, turn) {
                        assert!(
                            entered[&before] < entered[&turn],
                            "turn {before} ran before turn {turn} in {session}:\n{}\n{}",
                            self.story(before),
                            self.story(turn)
                        );
                    }
                }
                _ => {}
            }
        }
    }

    /// What the journal tells of a session's settings, change by change, leads to what is stored.
    fn settings_were_told(&self, figures: &mut Figures) {
        let mut told: BTreeMap<&SessionId, BTreeMap<&str, &String>> = BTreeMap::new();
        for event in &self.events {
            let (Kind::SettingsChanged { changes, .. }, Some(session)) = (&event.kind, &event.session) else {
                continue;
            };
            figures.count("settings changed");
            let settings = told.entry(session).or_default();
            for change in changes {
                let before = match &change.to {
                    Some(to) => settings.insert(&change.setting, to),
                    None => settings.remove(change.setting.as_str()),
                };
                assert_eq!(
                    before,
                    change.from.as_ref(),
                    "event {}: {}",
                    event.seq,
                    change.setting
                );
            }
        }
        for record in &self.sessions {
            let stored = record.settings.written();
            let stored: BTreeMap<_, _> = stored.iter().map(|(name, value)| (*name, value)).collect();
            let told = told.remove(&record.id).unwrap_or_default();
            assert_eq!(told, stored, "the settings of {}", record.id);
        }
    }

    /// The events of a turn, for whoever has to find out what happened.
    fn story(&self, turn: TurnId) -> String {
        let told = self.events.iter().filter(|event| event.turn == Some(turn));
        let told = told.map(|event| format!("{} {} {:?}", event.seq, event.at, event.kind));
        told.collect::<Vec<_>>().join("\n")
    }

    /// No operation of a turn went to another channel or chat than that of its message.
    fn went_to_its_chat(&self, turns: &BTreeMap<TurnId, TurnStory>) {
        let mut of: BTreeMap<OpId, TurnId> = BTreeMap::new();
        for event in &self.events {
            if let (Kind::Intended { op, .. }, Some(turn)) = (&event.kind, event.turn) {
                of.insert(*op, turn);
            }
        }
        for ((channel, _), log) in CHANNELS.iter().zip(&self.logs) {
            for record in log {
                let turn = of[&op_of(record)];
                let there = format!("{channel}.{}", record.call.target.chat);
                assert_eq!(there, turns[&turn].place, "an operation of turn {turn}");
            }
        }
    }
}

/// Words of Foldback's own that say what became of an answer.
fn is_notice(intent: &Intent) -> bool {
    matches!(&intent.body, Some(Body::Literal { text, place: None }) if text.starts_with(['⚠', '⏹']))
}
