//! What a turn's delivery works with, and the count it keeps.

use super::{
    bubble::{Shown, is_text},
    courier::{Courier, Outgoing, Posted},
    lanes::Carried,
    tally::Tally,
};
use crate::{
    config::{Narration, OutputConfig},
    files::SendDir,
    ports::{Port, Ports},
    rules::{Rule, Rules},
    split::Repairs,
};
use foldback_store::StoreError;
use foldback_wire::{
    Capabilities, Directive, DirectiveRef, Inbound, Kind, MessageId, Operation, Outcome, Timestamp,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::oneshot;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Text that looks like none, for a message that can be edited but not removed.
const BLANK: &str = "\u{200b}";

/// Everything a turn's delivery works with.
pub(crate) struct Desk {
    pub(crate) courier: Courier,
    pub(crate) can: Capabilities,
    pub(crate) output: OutputConfig,
    pub(crate) narration: Narration,
    pub(crate) files: SendDir,
    pub(crate) ports: Arc<Ports>,
    pub(crate) rules: Rules,
    pub(crate) inbound: Inbound,
    pub(crate) placeholder: Option<Shown>,
    pub(crate) tally: Tally,
    /// The message that an answer without text of its own still answers.
    pub(super) answers: Option<MessageId>,
    /// Dropped when there is nothing left to say: what is held keeps no process from ending.
    pub(crate) busy: Option<TaskTrackerToken>,
    pub(super) held: Vec<(bool, oneshot::Receiver<Carried>)>,
    /// Directives that wait for the end of their message; only with that rule switched off.
    pub(super) late: Vec<(DirectiveRef, Directive)>,
    /// Raw text, shown instead of the clean one; only with that rule switched off.
    pub(super) raw: String,
}

impl Desk {
    pub(crate) fn new(
        courier: Courier,
        port: Port,
        files: SendDir,
        ports: Arc<Ports>,
        rules: Rules,
        inbound: Inbound,
    ) -> Self {
        let Port { can, output, .. } = port;
        let default = if can.edit {
            Narration::Show
        } else {
            Narration::Hide
        };
        let narration = if rules.holds(Rule::ScanNarration) {
            output.narration.unwrap_or(default)
        } else {
            Narration::Show
        };
        Self {
            courier,
            can,
            narration,
            output,
            files,
            ports,
            rules,
            inbound,
            placeholder: None,
            answers: None,
            tally: Tally::default(),
            busy: None,
            held: Vec::new(),
            late: Vec::new(),
            raw: String::new(),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.courier.recorder.now()
    }

    pub(crate) fn note(&self, kind: Kind) -> Result<(), StoreError> {
        self.courier.recorder.note(kind)
    }

    pub(crate) fn warn(&self, detail: String) -> Result<(), StoreError> {
        tracing::warn!(text = %detail, "a warning is in the journal");
        self.courier.recorder.warn(detail)
    }

    pub(crate) const fn repairs(&self) -> Repairs {
        Repairs {
            fences: self.rules.holds(Rule::SplitFence),
            tables: self.rules.holds(Rule::SplitTable),
        }
    }

    /// Posts an operation to the turn's chat; `None` when it is held, and its outcome comes later.
    pub(crate) async fn post(
        &mut self,
        outgoing: Outgoing,
    ) -> Result<Option<(Outcome, Option<Duration>)>, StoreError> {
        let courier = self.courier.clone();
        self.post_by(&courier, outgoing).await
    }

    /// Posts an operation to any chat.
    pub(crate) async fn post_by(
        &mut self,
        courier: &Courier,
        mut outgoing: Outgoing,
    ) -> Result<Option<(Outcome, Option<Duration>)>, StoreError> {
        if let (false, Some(text)) = (self.raw.is_empty(), outgoing.shown_text()) {
            text.clone_from(&self.raw);
        }
        let counts = is_text(&outgoing.operation) && outgoing.directive.is_none() && outgoing.body.is_some();
        let live = outgoing.live;
        match courier.post(outgoing).await? {
            Posted::Ended(Carried { outcome, retry_after }) => {
                if counts {
                    self.tally.count(&outcome, live);
                }
                Ok(Some((outcome, retry_after)))
            }
            // Nobody waits for a live frame: it is dropped when its lane goes on.
            Posted::Held(_) if live => Ok(None),
            Posted::Held(outcome) => {
                self.held.push((counts, outcome));
                Ok(None)
            }
        }
    }

    /// Takes back the failure counted last: something else was done instead.
    pub(crate) fn forgive(&mut self) {
        self.tally.failures.pop();
    }

    /// Whether an operation would go out now.
    pub(crate) fn is_open(&self) -> bool {
        let Courier {
            lanes,
            channel,
            target,
            ..
        } = &self.courier;
        channel.status().open().is_ok() && !lanes.is_held(channel.id(), target)
    }

    /// Takes a message off the screen, as far as the channel can.
    pub(crate) async fn discard(&mut self, message: MessageId) -> Result<(), StoreError> {
        let operation = if self.can.delete {
            Operation::Delete { message }
        } else if self.can.edit {
            Operation::EditText {
                message,
                text: BLANK.to_owned(),
            }
        } else {
            return Ok(());
        };
        self.post(Outgoing::new(operation)).await.map(drop)
    }

    /// Removes the placeholder, once everything that was to replace it has arrived.
    pub(crate) async fn remove_placeholder(&mut self) -> Result<(), StoreError> {
        if self.held.is_empty()
            && self.rules.holds(Rule::DeliverPlaceholder)
            && let Some(placeholder) = self.placeholder.take()
        {
            self.discard(placeholder.id).await?;
        }
        Ok(())
    }

    pub(super) async fn put_placeholder(&mut self) -> Result<(), StoreError> {
        let live = self.can.edit && self.can.edit_interval_ms.is_some() && self.narration == Narration::Show;
        let text = self.output.placeholder.clone();
        if !live || text.is_empty() || !self.is_open() {
            return Ok(());
        }
        // By the courier: it is no answer yet and must not count as one.
        let outgoing = Outgoing::own_text(&text).live(true);
        if let Posted::Ended(Carried { outcome, .. }) = self.courier.post(outgoing).await?
            && let Some(id) = outcome.message
        {
            self.placeholder = Some(Shown {
                id,
                text,
                at: self.now(),
            });
        }
        Ok(())
    }

    /// Waits for the outcomes of what is held.
    pub(super) async fn collect_held(&mut self) -> Result<(), StoreError> {
        for (counts, outcome) in std::mem::take(&mut self.held) {
            let Carried { outcome, .. } = outcome.await.map_err(|_| StoreError::Closed)?;
            if counts {
                self.tally.count(&outcome, false);
            }
        }
        Ok(())
    }
}
