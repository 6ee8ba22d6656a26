//! What the journal tells of schedules: up to when their times are accounted for, and how the latest run ended. A restart
//! reads it, so that no time runs twice and none is forgotten.

use crate::{config::Config, schedule_times::ScheduleTimes};
use foldback_directives::Fate;
use foldback_store::{Journal, SCHEDULE_KINDS, Selection, StoreError};
use foldback_wire::{
    Body, Event, Intent, Kind, MessageId, OpId, OpKind, OutcomeCode, ScheduleDue, ScheduleLine,
    SchedulePaused, ScheduleRun, ScheduleSet, ScheduleSkipped, Seq, Timestamp, TurnId,
};
use std::collections::BTreeMap;

/// Most characters of what a run said that are listed.
const SAID: usize = 200;

/// The state of one schedule.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScheduleState {
    /// Its times as they were told last; none where it is removed.
    pub(crate) times: Option<String>,
    /// Times up to this one are accounted for.
    pub(crate) done_until: Option<Timestamp>,
    pub(crate) paused: bool,
    last: Option<(TurnId, Timestamp, ScheduleDue)>,
    skipped: Option<ScheduleSkipped>,
}

/// The state of every schedule, by its name.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScheduleHistory(BTreeMap<String, ScheduleState>);

impl ScheduleHistory {
    /// Reads it from the journal.
    pub(crate) async fn read(journal: &dyn Journal) -> Result<Self, StoreError> {
        let mut history = Self::default();
        let wanted = Selection::kinds(SCHEDULE_KINDS);
        for event in journal
            .select(&wanted, Seq(0), journal.head(), usize::MAX)
            .await?
        {
            history.fold_event(&event);
        }
        Ok(history)
    }

    fn fold_event(&mut self, event: &Event) {
        self.fold(event.at, event.turn, &event.kind);
    }

    /// Learns from an event; events come in order, and all but those of schedules say nothing here.
    pub(crate) fn fold(&mut self, at: Timestamp, turn: Option<TurnId>, kind: &Kind) {
        match kind {
            Kind::ScheduleSet(ScheduleSet { schedule, times }) => {
                let state = self.of(schedule);
                state.times.clone_from(times);
                state.done(at);
            }
            Kind::SchedulePaused(SchedulePaused { schedule, paused, .. }) => {
                let state = self.of(schedule);
                state.paused = *paused;
                // What came due while a person had it paused is not made up for.
                state.done(at);
            }
            Kind::ScheduleSkipped(skipped) => {
                let state = self.of(&skipped.schedule);
                state.done(skipped.due);
                state.skipped = Some(skipped.clone());
            }
            Kind::ScheduleDue(due) => {
                let state = self.of(&due.schedule);
                state.skipped = None;
                // One that a person began stands for no time.
                if !due.by.is_person() {
                    state.done(due.due);
                }
                state.last = turn.map(|turn| (turn, at, due.clone()));
            }
            _ => {}
        }
    }

    fn of(&mut self, name: &str) -> &mut ScheduleState {
        self.0.entry(name.to_owned()).or_default()
    }

    /// The state of a schedule; that of one of which the journal says nothing where there is none.
    pub(crate) fn state(&self, name: &str) -> ScheduleState {
        self.0.get(name).cloned().unwrap_or_default()
    }

    /// The changes from what the journal has to what is configured.
    pub(crate) fn changes(&self, configured: &BTreeMap<String, String>) -> Vec<ScheduleSet> {
        let set = configured.iter().filter(|(name, times)| {
            let known = self.0.get(*name).and_then(|state| state.times.as_ref());
            known != Some(*times)
        });
        let set = set.map(|(name, times)| ScheduleSet {
            schedule: name.clone(),
            times: Some(times.clone()),
        });
        let removed = self
            .0
            .iter()
            .filter(|(name, state)| state.times.is_some() && !configured.contains_key(*name));
        let removed = removed.map(|(name, _)| ScheduleSet {
            schedule: name.clone(),
            times: None,
        });
        set.chain(removed).collect()
    }
}

impl ScheduleState {
    fn done(&mut self, until: Timestamp) {
        self.done_until = self.done_until.max(Some(until));
    }

    /// The first time that is not accounted for, as of `now` for one that no bot has taken up.
    pub(crate) fn next(&self, times: &ScheduleTimes, now: Timestamp) -> Option<Timestamp> {
        if self.paused {
            return None;
        }
        let is_taken_up = self.times.as_ref() == Some(&times.to_string());
        times.next_after(self.done_until.filter(|_| is_taken_up).unwrap_or(now))
    }
}

/// The schedules of a configuration, in its order, with what this journal tells of them at a moment.
///
/// # Errors
/// Where the journal cannot be read.
pub async fn schedule_lines(
    config: &Config,
    journal: &dyn Journal,
    now: Timestamp,
) -> Result<Vec<ScheduleLine>, StoreError> {
    if config.schedule.is_empty() {
        return Ok(Vec::new());
    }
    let history = ScheduleHistory::read(journal).await?;
    history.lines(config, journal, now).await
}

impl ScheduleHistory {
    /// The schedules of a configuration, in its order, as of this history.
    pub(crate) async fn lines(
        &self,
        config: &Config,
        journal: &dyn Journal,
        now: Timestamp,
    ) -> Result<Vec<ScheduleLine>, StoreError> {
        let mut lines = Vec::new();
        for schedule in &config.schedule {
            let Ok(times) = schedule.times(&config.heartbeat) else {
                continue;
            };
            let state = self.state(&schedule.name);
            let last = match &state.last {
                Some((turn, at, due)) => Some(read_run(journal, *turn, *at, due.clone()).await?),
                None => None,
            };
            lines.push(ScheduleLine {
                name: schedule.name.clone(),
                times: times.to_string(),
                channel: schedule.channel.clone(),
                chat: schedule.chat.as_str().into(),
                heartbeat: schedule.heartbeat,
                paused: state.paused,
                channel_off: false,
                next: state.next(&times, now),
                last,
                skipped: state.skipped,
            });
        }
        Ok(lines)
    }
}

async fn read_run(
    journal: &dyn Journal,
    turn: TurnId,
    at: Timestamp,
    due: ScheduleDue,
) -> Result<ScheduleRun, StoreError> {
    let mut run = ScheduleRun {
        turn,
        at,
        due,
        terminal: None,
        said: String::new(),
    };
    let mut delivered = DeliveredTexts::default();
    for event in journal.turn(turn).await? {
        if let Kind::TurnEnded { terminal } = &event.kind {
            run.terminal = Some(terminal.clone());
        }
        delivered.fold(event.kind);
    }
    run.said = delivered.beginning();
    Ok(run)
}

/// The texts of a turn that arrived in its chat, each as it was written there last.
#[derive(Default)]
struct DeliveredTexts {
    /// The raw and the clean text of each assistant message so far.
    messages: BTreeMap<u32, (String, String)>,
    intended: BTreeMap<OpId, Intent>,
    /// In order.
    arrived: Vec<(Option<MessageId>, String)>,
}

impl DeliveredTexts {
    fn fold(&mut self, kind: Kind) {
        match kind {
            Kind::Chunk { message, text, .. } => self.messages.entry(message).or_default().0.push_str(&text),
            Kind::Decided { message, range } if range.fate == Fate::Show => {
                let (raw, clean) = self.messages.entry(message).or_default();
                let bytes = raw.get(range.span.start..range.span.end).unwrap_or_default();
                clean.push_str(range.shown_as.as_deref().unwrap_or(bytes));
            }
            // What a directive sends is no part of the answer.
            Kind::Intended { op, intent } if intent.directive.is_none() => {
                self.intended.insert(op, *intent);
            }
            Kind::Ended { op, outcome }
                if matches!(outcome.code, OutcomeCode::Sent | OutcomeCode::Unchanged) =>
            {
                if let Some(intent) = self.intended.remove(&op) {
                    self.arrive(&intent, outcome.message);
                }
            }
            _ => {}
        }
    }

    fn arrive(&mut self, intent: &Intent, new: Option<MessageId>) {
        if intent.kind == OpKind::Delete {
            self.arrived.retain(|(message, _)| *message != intent.message);
            return;
        }
        let text = match &intent.body {
            Some(Body::Clean { message, span }) => {
                let clean = self.messages.get(message).map(|(_, clean)| clean.as_str());
                clean.and_then(|clean| clean.get(span.start..span.end))
            }
            Some(Body::Literal { text, .. }) => Some(text.as_str()),
            Some(Body::Aside { .. }) | None => None,
        };
        let Some(text) = text.map(str::to_owned) else {
            return;
        };
        let edited = self.arrived.iter_mut().find(|(message, _)| {
            intent.kind == OpKind::EditText && message.is_some() && *message == intent.message
        });
        match edited {
            Some((_, before)) => *before = text,
            None => self.arrived.push((new, text)),
        }
    }

    fn beginning(&self) -> String {
        let texts: Vec<_> = self.arrived.iter().map(|(_, text)| text.as_str()).collect();
        texts.join("\n").chars().take(SAID).collect()
    }
}
