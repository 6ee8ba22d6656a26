//! Orders of an operator about schedules.

use super::{Core, Engine, Turn};
use crate::{
    config::ScheduleConfig,
    schedule_prompt::{SchedulePrompt, schedule_prompt},
};
use foldback_store::StoreError;
use foldback_wire::{Actor, ChannelState, Kind, ScheduleLine, SchedulePaused};

/// A schedule cannot be run or paused.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleFault {
    /// There is none of this name.
    #[error("there is no schedule {0:?}")]
    Unknown(String),
    /// Its earlier run goes on.
    #[error("the schedule {0:?} runs already")]
    Running(String),
    /// Its channel is off.
    #[error("the channel of the schedule {0:?} is off")]
    ChannelOff(String),
    /// It has no prompt now.
    #[error("the schedule {0:?} has nothing to run for: {1}")]
    NoPrompt(String, String),
    /// The journal cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Engine {
    /// The schedules of the configuration, with what comes next and what each said.
    ///
    /// # Errors
    /// Where the journal cannot be read.
    pub async fn schedules(&self) -> Result<Vec<ScheduleLine>, StoreError> {
        let Core { context, .. } = self.core.as_ref();
        let journal = context.recorder.journal.as_ref();
        journal.flush().await?;
        let history = self.core.schedules.history().clone();
        let now = context.recorder.now();
        let mut lines = history.lines(&context.ports.config, journal, now).await?;
        for line in &mut lines {
            let channel = context.ports.board.channel(&line.channel);
            line.channel_off = channel.is_none_or(|channel| channel.status().state == ChannelState::Off);
        }
        Ok(lines)
    }

    /// Begins a schedule now. Its times stay as they are.
    ///
    /// # Errors
    /// With the reason for which it does not run.
    pub async fn run_schedule(&self, name: &str, by: Actor) -> Result<Turn, ScheduleFault> {
        let schedule = self.find_schedule(name)?;
        if self.core.is_off(schedule) {
            return Err(ScheduleFault::ChannelOff(name.to_owned()));
        }
        let config = &self.core.context.ports.config;
        let text = match schedule_prompt(config, schedule, &self.core.schedules.base) {
            SchedulePrompt::Text(text) => text,
            SchedulePrompt::NoTask(why) | SchedulePrompt::Empty(why) | SchedulePrompt::Unreadable(why) => {
                return Err(ScheduleFault::NoPrompt(name.to_owned(), why));
            }
        };
        let claim = self.core.schedules.claim(name);
        let _claim = claim.ok_or_else(|| ScheduleFault::Running(name.to_owned()))?;
        let due = self.core.due(schedule, self.core.context.recorder.now(), by);
        Ok(self.core.begin_scheduled(schedule, due, text).await?)
    }

    /// Pauses a schedule, or lets it go on: what came due meanwhile is not made up for. False when it was so already.
    ///
    /// # Errors
    /// Where there is no such schedule, or the journal cannot be written.
    pub fn pause_schedule(&self, name: &str, paused: bool, by: Actor) -> Result<bool, ScheduleFault> {
        self.find_schedule(name)?;
        let schedules = &self.core.schedules;
        if schedules.history().state(name).paused == paused {
            return Ok(false);
        }
        let kind = Kind::SchedulePaused(SchedulePaused {
            schedule: name.to_owned(),
            paused,
            by,
        });
        let recorder = &self.core.context.recorder;
        recorder.note(kind.clone())?;
        schedules.history().fold(recorder.now(), None, &kind);
        schedules.changed.notify_one();
        Ok(true)
    }

    fn find_schedule(&self, name: &str) -> Result<&ScheduleConfig, ScheduleFault> {
        let all = &self.core.context.ports.config.schedule;
        let found = all.iter().find(|schedule| schedule.name == name);
        found.ok_or_else(|| ScheduleFault::Unknown(name.to_owned()))
    }
}
