//! Schedules, as an operator sees, begins and pauses them.

use super::Backend;
use crate::failure;
use foldback_wire::{
    Actor, ScheduleLine,
    rpc::{Failure, ScheduleOrder, SchedulePause, ScheduleRef},
};

impl Backend {
    pub(super) async fn list_schedules(&self) -> Result<Vec<ScheduleLine>, Failure> {
        self.shared.engine.schedules().await.map_err(failure::journal)
    }

    pub(super) async fn run_schedule(&self, which: &ScheduleRef) -> Result<Vec<ScheduleLine>, Failure> {
        self.begin_schedule(&which.name, self.shared.actor.clone()).await
    }

    pub(super) async fn pause_schedule(&self, wish: &SchedulePause) -> Result<Vec<ScheduleLine>, Failure> {
        self.set_schedule_paused(&wish.name, wish.paused, self.shared.actor.clone())
            .await
    }

    pub(super) async fn order_schedules(&self, order: &ScheduleOrder) -> Result<Vec<ScheduleLine>, Failure> {
        match order {
            ScheduleOrder::List => self.list_schedules().await,
            ScheduleOrder::Run { name } => self.begin_schedule(name, Actor::Cli).await,
            ScheduleOrder::Pause { name } => self.set_schedule_paused(name, true, Actor::Cli).await,
            ScheduleOrder::Resume { name } => self.set_schedule_paused(name, false, Actor::Cli).await,
        }
    }

    async fn begin_schedule(&self, name: &str, by: Actor) -> Result<Vec<ScheduleLine>, Failure> {
        let begun = self.shared.engine.run_schedule(name, by).await;
        begun.map_err(|fault| failure::schedule(&fault))?;
        self.list_schedules().await
    }

    async fn set_schedule_paused(
        &self,
        name: &str,
        paused: bool,
        by: Actor,
    ) -> Result<Vec<ScheduleLine>, Failure> {
        let set = self.shared.engine.pause_schedule(name, paused, by);
        set.map_err(|fault| failure::schedule(&fault))?;
        self.list_schedules().await
    }
}
