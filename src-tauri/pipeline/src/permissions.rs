//! Requests for permission that wait for a person, at the console or in the chat.

use crate::user_text::{Decider, NoDecision};
use foldback_channels::Delivered;
use foldback_wire::{
    Actor, Inbound, PermissionId, PermissionKind, PermissionOption, PermissionRequest, ThreadId, Timestamp,
    TurnId, UserId, rpc::PendingPermission,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// An answer on its way to the run that asked.
#[derive(Debug, Clone)]
pub(crate) struct PermissionAnswer {
    pub(crate) id: PermissionId,
    /// None where the request is cancelled.
    pub(crate) option: Option<PermissionOption>,
    pub(crate) by: Actor,
    /// The reason, for the journal.
    pub(crate) why: String,
    /// The setting that decided, where one did.
    pub(crate) setting: Option<&'static str>,
    /// The reason for which the pipeline decides in the place of a person, for the chat.
    pub(crate) undecided: Option<NoDecision>,
}

impl PermissionAnswer {
    /// The pipeline's, in the place of a person.
    pub(crate) fn by_pipeline(id: PermissionId, option: Option<PermissionOption>, why: NoDecision) -> Self {
        Self {
            id,
            option,
            by: Actor::Pipeline,
            why: why.for_operator(),
            setting: why.setting(),
            undecided: Some(why),
        }
    }

    /// The author of the decision.
    pub(crate) fn decider(&self) -> Decider<'_> {
        self.undecided.map_or(Decider::Actor(&self.by), Decider::Pipeline)
    }
}

/// The way of a request's question into the chat, shared by the request and the operation that asks it.
#[derive(Debug, Clone, Default)]
pub(crate) struct QuestionDelivery {
    /// Cancelled once the request is decided.
    decided: CancellationToken,
    asked: Arc<OnceLock<AskState>>,
}

/// The state of a question in its chat.
#[derive(Debug, Clone, Copy)]
enum AskState {
    /// The platform sent it at this time by its own clock; by ours, at which it acknowledged it, where it tells none.
    At(Timestamp),
    /// Nothing, and never will: it was a dry run.
    Never,
}

impl QuestionDelivery {
    /// True once the question needs no answer any more.
    pub(crate) fn is_decided(&self) -> bool {
        self.decided.is_cancelled()
    }

    /// Waits until the question needs no answer any more.
    pub(crate) async fn decided(&self) {
        self.decided.cancelled().await;
    }

    /// Decides the question when it is dropped.
    pub(crate) fn decided_by_drop(&self) -> DropGuard {
        self.decided.clone().drop_guard()
    }

    /// Notes that the operation that asks went through.
    pub(crate) fn delivered(&self, delivered: &Delivered, now: Timestamp) {
        let asked = if delivered.dry_run {
            AskState::Never
        } else {
            AskState::At(delivered.ack.sent_at.unwrap_or(now))
        };
        // The first word of the platform counts.
        let _ = self.asked.set(asked);
    }

    /// True where this message, which comes in now, was written when the question could be seen. It comes behind the
    /// acknowledgement, but may have been on its way for longer. A platform that tells whole seconds may have the message
    /// before the question within one: it counts only from the next. Where the platform tells no time of the question, the
    /// message is to be later than its acknowledgement by our clock; one that a clock apart from ours makes look older can
    /// be written again. The clock of a sender's device proves nothing.
    fn was_asked_before(&self, message: &Inbound) -> bool {
        if message.at_by_device {
            return false;
        }
        match self.asked.get() {
            Some(AskState::At(since)) => *since < message.at,
            Some(AskState::Never) | None => false,
        }
    }

    fn was_never_asked(&self) -> bool {
        matches!(self.asked.get(), Some(AskState::Never))
    }
}

/// A question for the chat.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) id: PermissionId,
    pub(crate) text: String,
    pub(crate) delivery: QuestionDelivery,
}

impl PartialEq for Question {
    /// True where both ask for one request in equal words.
    fn eq(&self, other: &Self) -> bool {
        (&self.id, &self.text) == (&other.id, &other.text)
    }
}

impl Eq for Question {}

/// A request that waits.
#[derive(Debug)]
pub(crate) struct OpenRequest {
    /// As people see it: secrets are masked.
    pub(crate) shown: PendingPermission,
    /// The thread of the turn: a conversation of its own in the chat.
    pub(crate) thread: Option<ThreadId>,
    /// The person who may answer in the chat.
    pub(crate) asker: UserId,
    /// None where the chat is not asked.
    pub(crate) question: Option<QuestionDelivery>,
    /// The question leaves out nothing of what would be done.
    pub(crate) shown_whole: bool,
    /// The request whole and without masks, where it is shown in part or masked. What it holds is bounded by what an agent
    /// may write in a run.
    pub(crate) whole: Option<PermissionRequest>,
    /// Some of it is left out where it is shown, and no operator has seen it whole yet.
    pub(crate) unseen: bool,
    pub(crate) answers: mpsc::UnboundedSender<PermissionAnswer>,
}

impl OpenRequest {
    /// True where it is asked in the chat and thread of this message.
    fn is_where(&self, message: &Inbound) -> bool {
        self.shown.channel == message.channel
            && self.shown.chat == message.chat
            && self.thread == message.thread
    }

    /// True where a message of this time, with this number or none, can be meant for it. Its number is known only from
    /// the question, or from the console. A word without one may be about anything: it counts only where the question
    /// was there to be read.
    fn is_meant(&self, message: &Inbound, number: Option<&str>) -> bool {
        let Some(question) = &self.question else {
            return false;
        };
        match number {
            Some(number) => self.shown.number == number && !question.was_never_asked(),
            None => self.asker == message.sender.id && question.was_asked_before(message),
        }
    }
}

/// All requests that wait. Whoever takes one out decides it: nobody else can any more.
#[derive(Debug, Default)]
pub(crate) struct Permissions {
    waiting: Mutex<BTreeMap<(TurnId, PermissionId), OpenRequest>>,
}

/// The reason for which a person's answer does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PermissionFault {
    /// It was decided already, or never asked.
    #[error("no such request for permission waits; it may have been decided, or its turn has ended")]
    Gone,
    /// The agent offers no such answer.
    #[error("the agent offers no answer `{0}`")]
    NoOption(String),
    /// No operator has seen the request of this number whole, so that it cannot be allowed.
    #[error("request {0} is too long to be shown at once, and nobody has seen all of it yet")]
    Unseen(String),
}

impl Permissions {
    pub(crate) fn add_request(&self, waiting: OpenRequest) {
        let key = (waiting.shown.turn, waiting.shown.request.id.clone());
        self.lock().insert(key, waiting);
    }

    /// Takes a request out, if it still waits.
    pub(crate) fn take_request(&self, turn: TurnId, id: &PermissionId) -> Option<OpenRequest> {
        self.lock().remove(&(turn, id.clone()))
    }

    /// The requests that wait, the oldest first.
    pub(crate) fn list_requests(&self) -> Vec<PendingPermission> {
        let mut shown: Vec<_> = self
            .lock()
            .values()
            .map(|waiting| waiting.shown.clone())
            .collect();
        shown.sort_by_key(|pending| (pending.since, pending.turn));
        shown
    }

    /// A request as its agent made it, for the operator, who may allow it from then on. Where nothing in it is masked or left
    /// out, that is how it is shown.
    pub(crate) fn reveal_request(
        &self,
        turn: TurnId,
        id: &PermissionId,
    ) -> Result<PermissionRequest, PermissionFault> {
        let mut all = self.lock();
        let waiting = all.get_mut(&(turn, id.clone())).ok_or(PermissionFault::Gone)?;
        waiting.unseen = false;
        let shown = &waiting.shown.request;
        Ok(waiting.whole.as_ref().unwrap_or(shown).clone())
    }

    /// A person chooses an option by its id, or cancels.
    pub(crate) fn decide_request(
        &self,
        turn: TurnId,
        id: &PermissionId,
        option: Option<&str>,
        by: Actor,
        why: &str,
    ) -> Result<(), PermissionFault> {
        let key = (turn, id.clone());
        let mut all = self.lock();
        let waiting = all.get(&key).ok_or(PermissionFault::Gone)?;
        let options = &waiting.shown.request.options;
        let option = match option {
            None => None,
            Some(wanted) => {
                let found = options.iter().find(|option| option.id == wanted);
                Some(
                    found
                        .ok_or_else(|| PermissionFault::NoOption(wanted.to_owned()))?
                        .clone(),
                )
            }
        };
        let allows = |option: &PermissionOption| {
            matches!(
                option.kind,
                PermissionKind::AllowOnce | PermissionKind::AllowAlways
            )
        };
        if waiting.unseen && option.as_ref().is_some_and(allows) {
            return Err(PermissionFault::Unseen(waiting.shown.number.clone()));
        }
        let waiting = all.remove(&key).ok_or(PermissionFault::Gone)?;
        drop(all);
        waiting.send_answer(option, by, why.to_owned());
        Ok(())
    }

    /// The requests that a message answers where it stands: the request of this number, or without one those that its
    /// sender was asked before it was written, the oldest first.
    pub(crate) fn asked_in_chat(&self, message: &Inbound, wanted: Option<&str>) -> Vec<ChatQuestion> {
        let all = self.lock();
        let here = all.values().filter(|waiting| waiting.is_where(message));
        let mut found: Vec<_> = here.filter(|waiting| waiting.is_meant(message, wanted)).collect();
        found.sort_by_key(|waiting| (waiting.shown.since, waiting.shown.turn));
        let found = found.into_iter().map(|waiting| ChatQuestion {
            turn: waiting.shown.turn,
            id: waiting.shown.request.id.clone(),
            number: waiting.shown.number.clone(),
            asker: waiting.asker.clone(),
            shown_whole: waiting.shown_whole,
        });
        found.collect()
    }

    /// The sender's answer.
    pub(crate) fn answer_request(
        &self,
        of: &ChatQuestion,
        allow: bool,
        by: Actor,
    ) -> Result<(), PermissionFault> {
        let waiting = self.take_request(of.turn, &of.id).ok_or(PermissionFault::Gone)?;
        let option = choose(&waiting.shown.request, allow);
        waiting.send_answer(option, by, "the sender's answer in the chat".to_owned());
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(TurnId, PermissionId), OpenRequest>> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenRequest {
    fn send_answer(self, option: Option<PermissionOption>, by: Actor, why: String) {
        let id = self.shown.request.id;
        // A run that has just ended closes its requests itself.
        let _ = self.answers.send(PermissionAnswer {
            id,
            option,
            by,
            why,
            setting: None,
            undecided: None,
        });
    }
}

/// A request that was asked in a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChatQuestion {
    turn: TurnId,
    id: PermissionId,
    pub(crate) number: String,
    pub(crate) asker: UserId,
    /// The chat was shown all of it.
    pub(crate) shown_whole: bool,
}

/// The answer that allows this one call, or rejects it; none where the agent offers none. What lasts longer than
/// the call is a person's to choose.
pub(crate) fn choose(request: &PermissionRequest, allow: bool) -> Option<PermissionOption> {
    let kind = if allow {
        PermissionKind::AllowOnce
    } else {
        PermissionKind::RejectOnce
    };
    request.options.iter().find(|option| option.kind == kind).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;
    use foldback_channels::Ack;

    /// A question that was acknowledged when our clock told this second.
    fn asked(sent_at: Option<i64>, acknowledged: i64) -> QuestionDelivery {
        let question = QuestionDelivery::default();
        let ack = Ack {
            sent_at: sent_at.map(second),
            ..Ack::default()
        };
        question.delivered(&Delivered { ack, dry_run: false }, second(acknowledged));
        question
    }

    fn second(at: i64) -> Timestamp {
        Timestamp(at * 1_000)
    }

    /// A message of this second.
    fn written(at: i64) -> Inbound {
        let mut message = inbound("yes");
        message.at = second(at);
        message
    }

    #[test]
    fn the_platform_tells_what_was_written_after_the_question_wherever_our_clock_stands() {
        for ours in [0, 70, 100, 130, 10_000] {
            let question = asked(Some(100), ours);
            assert!(!question.was_asked_before(&written(99)), "{ours}");
            assert!(
                !question.was_asked_before(&written(100)),
                "{ours}: within one second"
            );
            assert!(question.was_asked_before(&written(101)), "{ours}");
        }
    }

    #[test]
    fn where_the_platform_tells_no_time_of_the_question_its_acknowledgement_counts() {
        let question = asked(None, 100);
        assert!(question.was_asked_before(&written(101)));
        assert!(!question.was_asked_before(&written(100)) && !question.was_asked_before(&written(99)));
    }

    #[test]
    fn a_time_of_the_senders_device_proves_nothing() {
        for question in [asked(None, 100), asked(Some(100), 100)] {
            let mut message = written(130);
            message.at_by_device = true;
            assert!(!question.was_asked_before(&message));
        }
    }
}
