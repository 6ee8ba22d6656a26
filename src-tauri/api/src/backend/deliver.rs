//! Delivery requests from outside, and chats that take nothing more.

use super::Backend;
use crate::{delivery_call::read_delivery, failure};
use foldback_pipeline::Rejected;
use foldback_wire::{
    Actor, DeadTarget, Target,
    rpc::{DeadTargetRef, DeliveryAnswer, DeliveryCall, DeliveryOrder, Failure},
};
use serde_json::Value;

impl Backend {
    pub(super) async fn deliver_call(&self, call: &DeliveryCall) -> Result<DeliveryAnswer, Failure> {
        let engine = &self.shared.engine;
        let channels: Vec<_> = engine.config().channels.keys().cloned().collect();
        let request =
            read_delivery(&call.request, &channels).map_err(|error| failure::unreadable_call(&error))?;
        let id = request.id.clone();
        match engine.deliver(request).await {
            Ok(accepted) => Ok(DeliveryAnswer::Accepted {
                id,
                turn: accepted.turn,
                before: accepted.begun.is_none(),
            }),
            Err(Rejected::Refused(refused)) => Ok(DeliveryAnswer::Refused(refused)),
            Err(Rejected::Store(error)) => Err(failure::journal(error)),
        }
    }

    pub(super) fn revive_dead_target(
        &self,
        which: DeadTargetRef,
        by: Actor,
    ) -> Result<Vec<DeadTarget>, Failure> {
        let DeadTargetRef {
            channel,
            chat,
            thread,
        } = which;
        let engine = &self.shared.engine;
        let target = Target { chat, thread };
        let revived = engine.revive_target(&channel, &target, by);
        if !revived.map_err(failure::journal)? {
            return Err(failure::not_dead(&channel, &target.chat));
        }
        Ok(engine.dead_targets())
    }

    /// Carries an order of another process out.
    pub(super) async fn order_delivery(&self, order: DeliveryOrder) -> Result<Value, Failure> {
        let answer = match order {
            DeliveryOrder::Deliver(call) => serde_json::to_value(self.deliver_call(&call).await?),
            DeliveryOrder::DeadTargets => serde_json::to_value(self.shared.engine.dead_targets()),
            DeliveryOrder::Revive(which) => serde_json::to_value(self.revive_dead_target(which, Actor::Cli)?),
        };
        answer.map_err(|error| failure::internal(&error))
    }
}
