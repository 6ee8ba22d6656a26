//! A channel's calls: an operation on its way to the platform, or to a dry run.

use super::channel::Channel;
use super::dry::{about_dry_message, take_dry_reply};
use super::faults::lost_ack;
use super::line::Line;
use super::state::Closed;
use crate::{Ack, Call, Refusal, ThreadPart, ThreadQuery};
use foldback_wire::{Attachment, CallFailure, CallFault, ChannelState, ChatId, OutcomeCode, RefusalCode};

/// An operation that went through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// What was acknowledged; in a dry run what would have been, with a message id of its own.
    pub ack: Ack,
    /// Nothing reached the platform.
    pub dry_run: bool,
}

impl Delivered {
    /// How it counts.
    pub const fn code(&self) -> OutcomeCode {
        if self.dry_run {
            OutcomeCode::DryRun
        } else if self.ack.unchanged {
            OutcomeCode::Unchanged
        } else {
            OutcomeCode::Sent
        }
    }
}

/// An operation that did not go through.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotDelivered {
    /// It never left: hold it as `channel_off` until the channel is open again.
    #[error(transparent)]
    Closed(#[from] Closed),
    /// The platform, or the way to it, refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

impl Channel {
    /// Acts as if it performed an operation, also where the channel is armed, unless it is closed. It goes wrong
    /// as the planned fault of this number says all the same.
    pub async fn rehearse(
        &self,
        call: Call,
        planned: Option<&(u64, CallFault)>,
    ) -> Result<Delivered, NotDelivered> {
        self.go(call, true, planned).await
    }

    /// Performs one operation, unless the channel is closed. Does not retry. With the planned fault of this number it
    /// goes wrong: on its way to the platform, or on the way back.
    pub async fn perform(
        &self,
        call: Call,
        planned: Option<&(u64, CallFault)>,
    ) -> Result<Delivered, NotDelivered> {
        self.go(call, false, planned).await
    }

    async fn go(
        &self,
        call: Call,
        rehearsal: bool,
        planned: Option<&(u64, CallFault)>,
    ) -> Result<Delivered, NotDelivered> {
        let line = &self.line;
        let (armed, _busy) = {
            let status = line.status.borrow();
            status.open_for(rehearsal)?;
            (status.armed, line.busy.token())
        };
        let armed = match planned {
            None => armed,
            Some((number, fault)) => {
                line.hinder(*number, fault).await?;
                // Somebody may have closed or disarmed it during a planned delay. What set out as a dry run stays one.
                let status = line.status.borrow();
                status.open_for(rehearsal)?;
                armed && status.armed
            }
        };
        let done = if rehearsal || !armed || about_dry_message(&call.operation) {
            line.answer_dry(&call)
        } else {
            line.call(call).await?
        };
        match planned {
            Some((_, fault)) if fault.fail == Some(CallFailure::LostAck) => Err(lost_ack().into()),
            _ => Ok(done),
        }
    }

    /// Fetches a file that came with a message, unless the channel is off. Nothing is changed by it, so that a
    /// channel that is muted or not armed does it too.
    pub async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        if self.line.state() == ChannelState::Off {
            return Err(Refusal::new(RefusalCode::Transient, "the channel is off"));
        }
        self.line.adapter.fetch(chat, file, limit).await
    }

    /// Reads the thread that a message stands in, unless the channel is off; `None` where its platform has no call for
    /// it. Nothing is changed by it, so that a channel that is muted or not armed does it too.
    pub async fn read_thread(&self, query: &ThreadQuery) -> Result<Option<ThreadPart>, Refusal> {
        if self.line.state() == ChannelState::Off {
            return Err(Refusal::new(RefusalCode::Transient, "the channel is off"));
        }
        self.line.adapter.read_thread(query).await
    }
}

impl Line {
    async fn call(&self, mut call: Call) -> Result<Delivered, Refusal> {
        let dropped = take_dry_reply(&mut call);
        let answer = self.adapter.perform(call).await;
        self.learn(&answer);
        let mut ack = answer?;
        if let Some(to) = dropped {
            ack.warning
                .get_or_insert_with(|| format!("sent without its reply: {to} was a dry run"));
        }
        Ok(Delivered { ack, dry_run: false })
    }

    /// What a dry run answers.
    fn answer_dry(&self, call: &Call) -> Delivered {
        let ack = self
            .shared
            .dry_run
            .answer(self.shared.clock.as_ref(), &call.operation);
        Delivered { ack, dry_run: true }
    }
}
