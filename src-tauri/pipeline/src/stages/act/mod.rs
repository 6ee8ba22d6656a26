//! Carries out the actions of an answer, once its run has ended, and has what came of them delivered to the agent.
//!
//! An example: the owner asks "how full is the disk?", and the agent of turn 7 asks for `bash` with `df -h`.
//!
//! ```text
//!   09:00:00  the run of turn 7 ends; `action` was written as it was read
//!   09:00:00  no list allows `df -h`: the owner is asked in the permission queue, and says yes at 09:00:04
//!   09:00:04  `action_started` is durable; only then the interface is called
//!   09:00:05  it hands over its result. `action_ended` of turn 7, and `received` and `delivery_due` of turn 8, are one
//!             append: all of them are there, or nothing is
//!   09:00:05  turn 7 ends, turn 8 begins: its agent words the result
//! ```
//!
//! What must hold:
//! - Whether an action may be carried out is asked of the person whose message began the chain of turns: never of the
//!   agent, and of nobody who is quoted. Where somebody else wrote into the run, both have to be allowed.
//! - `action_started` without `action_ended` is never begun again: the next start delivers that nobody knows whether it
//!   ran ([`unperformed`]).
//! - An answer leads to one delivery at most, whatever it asks for.
//! - An agent corrects an answer that cannot be read twice at most; then the person is told.

mod asked_by;
mod called;
mod confirm;
mod dry_run;
mod request;
mod unperformed;

pub(crate) use asked_by::{AskerContext, asker_of_message, first_asker_of};
pub(crate) use called::{CallEnd, Calls};
pub(crate) use dry_run::dry_run;
pub(crate) use unperformed::{LeftActing, unperformed};

use super::permit::Permits;
use crate::{
    crash::{self, CrashPoint},
    delivery_orders::{DeliveryOrders, NotDelivered},
    output::OutputEvent,
    recorder::Recorder,
    rules::Rule,
    user_text::UserText,
};
use asked_by::asker_of;
use called::spent;
use confirm::Confirmation;
use foldback_actions::{ActionAsker, ActionCircumstances, ActionResult, ActionTable, CheckedAction};
use foldback_channels::Channel;
use foldback_store::StoreError;
use foldback_wire::{
    ActionEnded, ActionRefusal, ActionRefusalCode, ActionStarted, DeliveryOutcome, DeliveryRequest,
    JsonAction, Kind, PerformedAction, ReplyAddress, Sender, SessionId, TurnId,
};
use request::delivery_request;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Corrections of an answer that are read.
pub(crate) const CORRECTIONS: u32 = 2;

/// The name in a delivery about actions of which none has a name.
const ACTIONS: &str = "actions";

/// Most bytes of an error that stands as the note of an end.
const NOTE_BYTES: usize = 200;

/// An action that an answer asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AskedAction {
    /// One that was read.
    Read(JsonAction),
    /// JSON that holds actions and cannot be read.
    Unreadable,
}

impl AskedAction {
    /// Its name; empty where it cannot be read.
    fn name(&self) -> &str {
        match self {
            Self::Read(action) => &action.kind,
            Self::Unreadable => "",
        }
    }
}

/// Everything that the actions of a turn are carried out with.
pub(crate) struct Acting<'a> {
    pub(crate) table: &'a ActionTable,
    pub(crate) orders: &'a DeliveryOrders,
    pub(crate) turn: TurnId,
    pub(crate) session: &'a SessionId,
    pub(crate) origin: ReplyAddress,
    /// The channel of its message.
    pub(crate) channel: &'a Channel,
    pub(crate) requester: &'a Sender,
    /// The delivery that began the turn, where one did.
    pub(crate) delivery: Option<&'a DeliveryRequest>,
    pub(crate) asker: AskerContext<'a>,
    /// The process ends: what goes on is left for the next start.
    pub(crate) no_new_turns: &'a CancellationToken,
    pub(crate) cancel: &'a CancellationToken,
}

/// The way in which the actions of an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActingEnd {
    /// All that was to be done is done.
    Done,
    /// A person stopped it.
    Stopped,
}

/// The fate of one action.
#[derive(Debug)]
enum ActionFate {
    Performed(CheckedAction, ActionResult),
    Refused(ActionRefusal),
}

impl Acting<'_> {
    /// Carries out the actions of an answer, in order, and has what came of them delivered. Those that tool calls of the run
    /// asked for stand before these, and count with them, as their corrections do.
    pub(crate) async fn carry_out(
        &self,
        calls: &Calls,
        asked: Vec<AskedAction>,
        recorder: &Recorder,
        permits: &mut Permits<'_>,
        output: &mpsc::Sender<OutputEvent>,
    ) -> Result<ActingEnd, StoreError> {
        if asked.is_empty() {
            return Ok(ActingEnd::Done);
        }
        if calls.are_spent() {
            return self.refuse_behind_last(calls, &asked, recorder);
        }
        let asker = asker_of(self.asker, recorder).await?;
        let mut fates = Vec::new();
        for (index, action) in (calls.count()..).zip(&asked) {
            let checked = match self.check(index, action, asker).await {
                Ok(checked) => checked,
                Err(refusal) => {
                    fates.push(self.refuse(refusal, recorder)?);
                    continue;
                }
            };
            match self.confirm(&checked, None, recorder, permits, output).await? {
                Confirmation::Given => {}
                Confirmation::Refused(refusal) => {
                    fates.push(self.refuse(refusal, recorder)?);
                    continue;
                }
                // Nobody gives up what stands in a text.
                Confirmation::Stopped | Confirmation::GivenUp => return self.stop(&fates, recorder),
            }
            let Some(result) = self.perform(&checked, recorder).await? else {
                let stopped = ActionResult::failed("a person stopped it");
                fates.push(ActionFate::Performed(checked, stopped));
                return self.stop(&fates, recorder);
            };
            fates.push(ActionFate::Performed(checked, result));
        }
        self.deliver(calls, fates, asker, recorder, output).await
    }

    /// Refuses what an answer asks for in its text once its calls were corrected as often as may be. The person was told then.
    fn refuse_behind_last(
        &self,
        calls: &Calls,
        asked: &[AskedAction],
        recorder: &Recorder,
    ) -> Result<ActingEnd, StoreError> {
        for (index, action) in (calls.count()..).zip(asked) {
            self.refuse(spent(index, action.name()), recorder)?;
        }
        Ok(ActingEnd::Done)
    }

    /// Reads an action, and looks up what its payload names.
    async fn check(
        &self,
        index: u32,
        action: &AskedAction,
        asker: ActionAsker,
    ) -> Result<CheckedAction, ActionRefusal> {
        let checked = self.read(index, action, asker)?;
        let turn = self.turn;
        self.table
            .look_up(&checked, ActionCircumstances { asker, turn })
            .await?;
        Ok(checked)
    }

    fn read(
        &self,
        index: u32,
        action: &AskedAction,
        asker: ActionAsker,
    ) -> Result<CheckedAction, ActionRefusal> {
        match action {
            AskedAction::Unreadable => Err(ActionRefusal::of(index, "", ActionRefusalCode::Unreadable)),
            AskedAction::Read(action) => {
                let checked = self.table.read(index, action, asker)?;
                match self.dry_run(index, &checked.performed.name) {
                    Some(refusal) => Err(refusal),
                    None => Ok(checked),
                }
            }
        }
    }

    /// The refusal of an action, where this is a dry run.
    fn dry_run(&self, index: u32, name: &str) -> Option<ActionRefusal> {
        let rules = self.asker.access.rules;
        dry_run(rules, self.channel, self.origin.dry_run, index, name)
    }

    fn holds(&self, rule: Rule) -> bool {
        self.asker.access.rules.holds(rule)
    }

    fn refuse(&self, refusal: ActionRefusal, recorder: &Recorder) -> Result<ActionFate, StoreError> {
        tracing::info!(turn = %self.turn, code = %refusal.code, "an action is refused");
        recorder.note(Kind::ActionRefused(refusal.clone()))?;
        Ok(ActionFate::Refused(refusal))
    }

    /// Performs one action; `None` where a person stopped it. [`StoreError::Closed`] where the process ends meanwhile: the
    /// next start finds that it began.
    async fn perform(
        &self,
        checked: &CheckedAction,
        recorder: &Recorder,
    ) -> Result<Option<ActionResult>, StoreError> {
        crash::point(CrashPoint::BeforeAction);
        recorder.note(Kind::ActionStarted(ActionStarted {
            index: checked.index,
            action: checked.performed.clone(),
            allowed_by: checked.allowed_by.map(str::to_owned),
        }))?;
        // Before anything runs: what is not known to have begun could begin twice.
        recorder.journal.flush().await?;
        crash::point(CrashPoint::ActionBegun);
        let clock = recorder.clock.as_ref();
        let (requester, session) = (self.requester.id.clone(), self.session.clone());
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => {
                if self.no_new_turns.is_cancelled() {
                    return Err(StoreError::Closed);
                }
                Ok(None)
            }
            result = self.table.perform(checked, requester, session, self.turn, clock) => {
                crash::point(CrashPoint::AfterAction);
                Ok(Some(result))
            }
        }
    }

    /// A person stopped it: what ended is written down, and nothing is delivered.
    fn stop(&self, fates: &[ActionFate], recorder: &Recorder) -> Result<ActingEnd, StoreError> {
        if self.no_new_turns.is_cancelled() {
            return Err(StoreError::Closed);
        }
        recorder.note_all(ended(fates))?;
        Ok(ActingEnd::Stopped)
    }

    /// Has what came of the actions delivered, where it may be; else the person is told that something was not done.
    async fn deliver(
        &self,
        calls: &Calls,
        fates: Vec<ActionFate>,
        asker: ActionAsker,
        recorder: &Recorder,
        output: &mpsc::Sender<OutputEvent>,
    ) -> Result<ActingEnd, StoreError> {
        let mut events = ended(&fates);
        let corrections = match self.corrections(calls, &fates) {
            Ok(left) => left,
            Err(why) => {
                events.push(Kind::Warned { detail: why });
                recorder.note_all(events)?;
                return self.tell_not_done(output).await;
            }
        };
        let request = delivery_request(self, &fates, asker.depth + 1, corrections);
        let beside = events.iter().cloned().map(|kind| recorder.draft(kind)).collect();
        match self.orders.order(request, beside).await {
            Ok(_) => Ok(ActingEnd::Done),
            Err(NotDelivered::Store(error)) => Err(error),
            Err(NotDelivered::Refused(refused)) => {
                // The channel tells of one within an hour; the turn of each.
                events.push(Kind::DeliveryRefused(refused));
                recorder.note_all(events)?;
                self.tell_not_done(output).await
            }
        }
    }

    async fn tell_not_done(&self, output: &mpsc::Sender<OutputEvent>) -> Result<ActingEnd, StoreError> {
        // The delivery may have ended early, on a store that failed.
        let _ = output.send(OutputEvent::Aside(UserText::ActionNotDone)).await;
        Ok(ActingEnd::Done)
    }

    /// The corrections that are still read after these; none where the agent can mend nothing.
    ///
    /// # Errors
    /// In words, where as many were read as are.
    fn corrections(&self, calls: &Calls, fates: &[ActionFate]) -> Result<Option<u32>, String> {
        let is_mendable =
            |fate: &ActionFate| matches!(fate, ActionFate::Refused(refusal) if refusal.code.is_mendable());
        if outcome(fates) == DeliveryOutcome::Output || !fates.iter().any(is_mendable) {
            return Ok(None);
        }
        let left = calls.corrections_left().saturating_sub(1);
        if left == 0 && self.holds(Rule::ActionsCorrections) {
            return Err(format!(
                "the agent corrected its answer {CORRECTIONS} times, and its actions are still not as they must be"
            ));
        }
        Ok(Some(left))
    }
}

/// The outcome of all: carried out where one was.
fn outcome(fates: &[ActionFate]) -> DeliveryOutcome {
    let is_output = |fate: &ActionFate| matches!(fate, ActionFate::Performed(_, result) if result.outcome == DeliveryOutcome::Output);
    if fates.iter().any(is_output) {
        DeliveryOutcome::Output
    } else {
        DeliveryOutcome::Error
    }
}

/// The ends of those that began.
fn ended(fates: &[ActionFate]) -> Vec<Kind> {
    let ends = fates.iter().filter_map(|fate| match fate {
        ActionFate::Performed(checked, result) => Some(Kind::ActionEnded(ActionEnded {
            index: checked.index,
            name: checked.performed.name.clone(),
            outcome: result.outcome,
            exit: result.items.iter().find_map(|item| item.exit),
            note: note(result),
            bytes: result.items.iter().map(|item| item.bytes).sum(),
        })),
        ActionFate::Refused(_) => None,
    });
    ends.collect()
}

/// The end of an action in words, where there are any. An error without a note says itself how it ended, unless it is long.
fn note(result: &ActionResult) -> Option<String> {
    let note = result.items.iter().find_map(|item| item.note.clone());
    let error = result.items.first().filter(|item| {
        result.outcome == DeliveryOutcome::Error && item.tail.is_empty() && item.text.len() <= NOTE_BYTES
    });
    note.or_else(|| error.map(|item| item.text.trim().to_owned()))
}

/// The action that a delivery is about: the one that was asked for, or the first of several.
fn subject(fates: &[ActionFate]) -> PerformedAction {
    let named = |name: &str| PerformedAction {
        name: if name.is_empty() { ACTIONS } else { name }.to_owned(),
        command: None,
    };
    match fates {
        [ActionFate::Performed(checked, _)] => checked.performed.clone(),
        [ActionFate::Performed(checked, _), ..] => named(&checked.performed.name),
        [ActionFate::Refused(refusal), ..] => named(&refusal.name),
        [] => named(""),
    }
}
