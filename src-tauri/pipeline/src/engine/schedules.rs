//! Turns that a clock begins.
//!
//! An example: `every = "1h"`, and the process is killed at 09:00:02 and starts again at 12:30.
//!
//! ```text
//!   09:00:00  due. `received` and `schedule_due` (due 09:00) are one append: the turn is there, or nothing is
//!   09:00:02  killed
//!   12:30:00  the journal says that 09:00 is accounted for, and its turn is taken up like any other.
//!             10:00, 11:00 and 12:00 were missed; the earlier run has not ended: skipped, `still_running`
//!   13:00:00  due
//!
//!   killed before the append: 09:00 to 12:00 were missed, and one run at 12:30 stands for all four, marked late
//! ```
//!
//! What must hold:
//! - A time that the journal has as due or skipped never runs again.
//! - One run of a schedule at a time. Times that were missed are one run.
//! - Nothing runs while its channel is off, or while a person has it paused.

use super::{Core, Turn};
use crate::{
    config::ScheduleConfig,
    id::OF_SCHEDULE,
    schedule_history::{ScheduleHistory, ScheduleState},
    schedule_prompt::{SchedulePrompt, schedule_prompt},
    schedule_times::{MissedTimes, ScheduleTimes},
    supervise::contained,
    turn_cause::TurnCause,
};
use foldback_store::StoreError;
use foldback_wire::{
    Actor, ChannelState, ChatType, Inbound, Kind, ScheduleDue, ScheduleSkip, ScheduleSkipped, Sender,
    Timestamp,
};
use std::{sync::Arc, time::Duration};

/// Longest wait between two looks: a machine that slept, a clock that was set and a channel that is on again are seen after
/// it.
const LOOK: Duration = Duration::from_secs(30);

/// A run that begins so much after its time is late; so is one whose time was before the start.
const LATE: Duration = Duration::from_mins(1);

impl Core {
    /// Reads what the journal has of the schedules, and notes where the configuration has others.
    pub(super) async fn take_up_schedules(&self) -> Result<(), StoreError> {
        let config = &self.context.ports.config;
        if config.schedule.is_empty() {
            return Ok(());
        }
        let recorder = &self.context.recorder;
        let mut history = ScheduleHistory::read(recorder.journal.as_ref()).await?;
        let times = config.schedule.iter().filter_map(|schedule| {
            let times = schedule.times(&config.heartbeat).ok()?;
            Some((schedule.name.clone(), times.to_string()))
        });
        let now = recorder.now();
        for set in history.changes(&times.collect()) {
            let kind = Kind::ScheduleSet(set);
            history.fold(now, None, &kind);
            recorder.note(kind)?;
        }
        *self.schedules.history() = history;
        Ok(())
    }

    /// Begins what is due, until the process ends.
    pub(super) async fn run_schedules(self: Arc<Self>) {
        let config = Arc::clone(&self.context.ports.config);
        let all: Vec<_> = config
            .schedule
            .iter()
            .filter_map(|schedule| Some((schedule, schedule.times(&config.heartbeat).ok()?)))
            .collect();
        let ends = &self.context.shutdown.no_new_turns;
        while !all.is_empty() && !ends.is_cancelled() {
            for (schedule, times) in &all {
                let (core, due, times) = (Arc::clone(&self), (*schedule).clone(), times.clone());
                // A panic in one of them leaves the others their times.
                let begun = contained(async move { core.begin_due(&due, &times).await }).await;
                match begun {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => {
                        tracing::error!(schedule = %schedule.name, %error, "a schedule does not run");
                    }
                    Err(panicked) => {
                        let fate = format!("the schedule {} did not run", schedule.name);
                        self.context.recorder.tell_panic(&fate, &panicked);
                    }
                }
            }
            let clock = &self.context.recorder.clock;
            let now = clock.now();
            let latest = now.plus(LOOK);
            let next = all.iter().filter_map(|(schedule, times)| {
                let state = self.schedules.history().state(&schedule.name);
                state.next(times, now).filter(|next| *next > now)
            });
            let next = next.min().map_or(latest, |next| next.min(latest));
            tokio::select! {
                () = clock.sleep_until(next) => {}
                () = self.schedules.changed.notified() => {}
                () = ends.cancelled() => {}
            }
        }
    }

    /// Begins a schedule where a time of it is due, or notes why it does not run.
    async fn begin_due(
        self: &Arc<Self>,
        schedule: &ScheduleConfig,
        times: &ScheduleTimes,
    ) -> Result<(), StoreError> {
        let now = self.context.recorder.now();
        let ScheduleState {
            paused, done_until, ..
        } = self.schedules.history().state(&schedule.name);
        let Some(MissedTimes { latest, before }) = times.missed(done_until.unwrap_or(now), now) else {
            return Ok(());
        };
        if paused || self.is_off(schedule) {
            return Ok(());
        }
        let Some(_claim) = self.schedules.claim(&schedule.name) else {
            let why = "its earlier run has not ended".to_owned();
            return self.skip(schedule, latest, ScheduleSkip::StillRunning, why);
        };
        let prompt = schedule_prompt(&self.context.ports.config, schedule, &self.schedules.base);
        match prompt {
            SchedulePrompt::NoTask(why) => self.skip(schedule, latest, ScheduleSkip::NoTask, why),
            SchedulePrompt::Empty(why) => self.skip(schedule, latest, ScheduleSkip::NoPrompt, why),
            SchedulePrompt::Unreadable(why) => self.skip(schedule, latest, ScheduleSkip::Unreadable, why),
            SchedulePrompt::Text(text) => {
                let due = ScheduleDue {
                    late: before > 0 || latest < self.schedules.began || now.since(latest) > LATE,
                    missed: before,
                    ..self.due(schedule, latest, Actor::Config)
                };
                self.begin_scheduled(schedule, due, text).await.map(drop)
            }
        }
    }

    pub(super) fn is_off(&self, schedule: &ScheduleConfig) -> bool {
        let channel = self.context.ports.board.channel(&schedule.channel);
        channel.is_none_or(|channel| channel.status().state == ChannelState::Off)
    }

    fn skip(
        &self,
        schedule: &ScheduleConfig,
        due: Timestamp,
        reason: ScheduleSkip,
        detail: String,
    ) -> Result<(), StoreError> {
        let kind = Kind::ScheduleSkipped(ScheduleSkipped {
            schedule: schedule.name.clone(),
            due,
            reason,
            detail,
        });
        let recorder = self.context.recorder.on_channel(&schedule.channel);
        recorder.note(kind.clone())?;
        self.schedules.history().fold(recorder.now(), None, &kind);
        Ok(())
    }

    pub(super) fn due(&self, schedule: &ScheduleConfig, due: Timestamp, by: Actor) -> ScheduleDue {
        let heartbeat = &self.context.ports.config.heartbeat;
        let default = heartbeat.model.as_ref().filter(|_| schedule.heartbeat);
        ScheduleDue {
            schedule: schedule.name.clone(),
            due,
            late: false,
            missed: 0,
            heartbeat: schedule.heartbeat,
            model: schedule.model.as_ref().or(default).cloned(),
            by,
        }
    }

    /// Begins the turn of a schedule.
    pub(super) async fn begin_scheduled(
        self: &Arc<Self>,
        schedule: &ScheduleConfig,
        due: ScheduleDue,
        text: String,
    ) -> Result<Turn, StoreError> {
        let now = self.context.recorder.now();
        let message = scheduled_message(schedule, &due, text, now);
        let kind = Kind::ScheduleDue(due.clone());
        let cause = TurnCause::Schedule(due);
        let begun = self.begin_caused(message, cause, |_| Vec::new()).await?;
        self.schedules.history().fold(now, Some(begun.id), &kind);
        Ok(self.watch_scheduled(schedule.name.clone(), begun))
    }
}

/// The message that the agent is given in a schedule's turn.
fn scheduled_message(schedule: &ScheduleConfig, due: &ScheduleDue, text: String, now: Timestamp) -> Inbound {
    let name = &schedule.name;
    // Two of one time are the same one; what a person begins has its own.
    let by = if due.by.is_person() { "now" } else { "due" };
    Inbound {
        channel: schedule.channel.clone(),
        account: None,
        chat: schedule.chat.as_str().into(),
        chat_type: ChatType::Direct,
        thread: None,
        message: format!("{OF_SCHEDULE}{name}:{by}:{}", due.due.0).into(),
        reply_to: None,
        sender: Sender {
            id: format!("{OF_SCHEDULE}{name}").into(),
            name: name.clone(),
            display_name: name.clone(),
            is_bot: false,
        },
        text,
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at: now,
        at_by_device: false,
        dry_run: false,
        omitted: None,
        context: None,
    }
}
