//! The reminders that the journal tells of: which are set, and up to when their times are accounted for. A restart reads
//! it, so that no time is delivered twice and none is forgotten.

use super::times::{rule_in_words, times_of};
use crate::schedule_times::{MissedTimes, ScheduleTimes};
use foldback_store::{Journal, REMINDER_KINDS, Selection, StoreError};
use foldback_wire::{
    Event, Kind, Reminder, ReminderCancelled, ReminderDue, ReminderId, ReminderLine, ReminderRun, Seq,
    Terminal, Timestamp, TurnId,
};
use std::{collections::BTreeMap, time::Duration};

/// Most reminders that are over and still listed, those that came due last.
const MOST_OVER: usize = 50;

/// The state of one reminder.
#[derive(Debug, Clone)]
pub(crate) struct ReminderState {
    pub(crate) reminder: Reminder,
    /// The turn that set it, and when.
    pub(crate) turn: TurnId,
    pub(crate) at: Timestamp,
    pub(crate) times: ScheduleTimes,
    /// Times up to this one are accounted for.
    done_until: Timestamp,
    last: Option<(TurnId, Timestamp, ReminderDue)>,
}

impl ReminderState {
    /// The first time that is not accounted for.
    pub(crate) fn next(&self) -> Option<Timestamp> {
        self.times.next_after(self.done_until)
    }

    /// True where one of its times was delivered.
    pub(super) const fn was_delivered(&self) -> bool {
        self.last.is_some()
    }

    /// The times that are due.
    pub(super) fn missed(&self, now: Timestamp) -> Option<MissedTimes> {
        self.times.missed(self.done_until, now)
    }

    /// Times up to this one are over or accounted for.
    pub(crate) fn over_until(&self, now: Timestamp) -> Timestamp {
        self.done_until.max(now)
    }
}

/// The state of all reminders that are set, and of some that are over.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReminderHistory {
    known: BTreeMap<ReminderId, ReminderState>,
    highest: u64,
}

impl ReminderHistory {
    /// Reads it from the journal.
    pub(crate) async fn read(journal: &dyn Journal) -> Result<Self, StoreError> {
        let mut history = Self::default();
        let wanted = Selection::kinds(REMINDER_KINDS);
        for event in journal
            .select(&wanted, Seq(0), journal.head(), usize::MAX)
            .await?
        {
            history.fold_event(&event);
        }
        Ok(history)
    }

    fn fold_event(&mut self, event: &Event) {
        if let Some(turn) = event.turn {
            self.fold(event.at, turn, &event.kind);
        } else if let Kind::ReminderCancelled(cancelled) = &event.kind {
            self.cancel(cancelled);
        }
    }

    /// Learns from an event of a turn; events come in order, and all but those of reminders say nothing here.
    pub(super) fn fold(&mut self, at: Timestamp, turn: TurnId, kind: &Kind) {
        match kind {
            Kind::ReminderSet(reminder) => self.set(at, turn, reminder),
            Kind::ReminderCancelled(cancelled) => self.cancel(cancelled),
            Kind::ReminderDue(due) => {
                if let Some(state) = self.known.get_mut(&due.reminder) {
                    state.done_until = state.done_until.max(due.due);
                    state.last = Some((turn, at, due.clone()));
                }
                self.forget_old();
            }
            _ => {}
        }
    }

    fn set(&mut self, at: Timestamp, turn: TurnId, reminder: &Reminder) {
        self.highest = self.highest.max(reminder.id.0);
        let Some(times) = times_of(reminder) else {
            return;
        };
        let state = ReminderState {
            reminder: reminder.clone(),
            turn,
            at,
            times,
            // The first time is none that is over, whatever the clock says.
            done_until: reminder.first.minus(Duration::from_millis(1)),
            last: None,
        };
        self.known.insert(reminder.id, state);
    }

    pub(super) fn cancel(&mut self, cancelled: &ReminderCancelled) {
        self.known.remove(&cancelled.reminder);
    }

    /// Those that are over are listed for a while; only the latest stay.
    fn forget_old(&mut self) {
        let mut over: Vec<_> = self
            .known
            .iter()
            .filter(|(_, state)| state.next().is_none())
            .map(|(id, state)| (state.last.as_ref().map(|(_, at, _)| *at), *id))
            .collect();
        over.sort_unstable();
        let surplus = over.len().saturating_sub(MOST_OVER);
        for (_, id) in &over[..surplus] {
            self.known.remove(id);
        }
    }

    /// The number of the next one.
    pub(super) const fn next_id(&self) -> ReminderId {
        ReminderId(self.highest + 1)
    }

    /// A reminder that is set or over.
    pub(super) fn find(&self, id: ReminderId) -> Option<&ReminderState> {
        self.known.get(&id)
    }

    /// The reminders that have a time to come.
    pub(crate) fn open(&self) -> impl Iterator<Item = &ReminderState> {
        self.known.values().filter(|state| state.next().is_some())
    }

    /// All that are known, those that are due next first, those that are over behind them, the latest first.
    fn in_order(&self) -> Vec<&ReminderState> {
        let mut all: Vec<_> = self.known.values().collect();
        all.sort_by_key(|state| {
            let next = state.next();
            let over = state.last.as_ref().map(|(_, at, _)| std::cmp::Reverse(*at));
            (next.is_none(), next, over)
        });
        all
    }

    /// All that are known, without what only the journal tells.
    pub(super) fn lines(&self) -> Vec<ReminderLine> {
        self.in_order().into_iter().map(line).collect()
    }
}

/// A reminder as it is listed; how its latest delivery ended is not known here.
pub(super) fn line(state: &ReminderState) -> ReminderLine {
    let reminder = &state.reminder;
    let last = state.last.clone();
    ReminderLine {
        id: reminder.id,
        text: reminder.text.clone(),
        rule: rule_in_words(reminder),
        zone: reminder.zone.clone(),
        channel: reminder.origin.channel.clone(),
        chat: reminder.origin.chat.clone(),
        chat_type: reminder.origin.chat_type,
        thread: reminder.origin.thread.clone(),
        set_in: reminder.set_in.clone(),
        chat_name: reminder.chat_name.clone(),
        requester: reminder.requester.clone(),
        turn: state.turn,
        at: state.at,
        next: state.next(),
        last: last.map(|(turn, at, due)| ReminderRun {
            turn,
            at,
            due,
            terminal: None,
        }),
        waits: None,
    }
}

/// Adds to lines how their latest deliveries ended.
pub(super) async fn with_ends(
    journal: &dyn Journal,
    mut lines: Vec<ReminderLine>,
) -> Result<Vec<ReminderLine>, StoreError> {
    let wanted = Selection {
        turns: Some(
            lines
                .iter()
                .filter_map(|line| Some(line.last.as_ref()?.turn))
                .collect(),
        ),
        ..Selection::kinds(["turn_ended"])
    };
    let ends = journal
        .select(&wanted, Seq(0), journal.head(), usize::MAX)
        .await?;
    let ends: BTreeMap<TurnId, Terminal> = ends
        .into_iter()
        .filter_map(|event| match event.kind {
            Kind::TurnEnded { terminal } => Some((event.turn?, terminal)),
            _ => None,
        })
        .collect();
    for run in lines.iter_mut().filter_map(|line| line.last.as_mut()) {
        run.terminal = ends.get(&run.turn).cloned();
    }
    Ok(lines)
}
