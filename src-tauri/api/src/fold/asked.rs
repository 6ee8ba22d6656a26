//! The actions that a turn's agent asked for, what became of each, and the one sentence about a turn that has no other
//! answer. The window, the chain and `why` all say that sentence, so that none contradicts another.
//!
//! ```text
//! action_started, action_ended, delivery_accepted 18   It asked for an action; the answer is in turn 18
//! action_refused (denied), a notice in the chat        It asked for an action, which was not carried out (denied); the
//!                                                      user was told so
//! ```
//!
//! A question about a permission, its edit and a notice are in the chat and no answer.

use foldback_pipeline::{ACTION_NOT_DONE, delivery_origin};
use foldback_wire::{
    ActionRefusalCode, Body, DeliveryOutcome, DeliveryRefusal, Kind, OpKind, OutcomeCode, SilentReason,
    Terminal, TurnId,
    rpc::{ActionCounts, ChainOrigin, LedgerEntry},
};
use std::collections::{BTreeMap, BTreeSet};

/// The actions of a turn so far, by their places among them.
#[derive(Debug, Clone, Default)]
pub(crate) struct AskedActions {
    actions: BTreeMap<u32, AskedAction>,
    /// The turn that what came of them went to.
    answered_in: Option<TurnId>,
    not_delivered: Option<DeliveryRefusal>,
}

#[derive(Debug, Clone)]
struct AskedAction {
    name: String,
    fate: ActionFate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ActionFate {
    Refused(ActionRefusalCode),
    Began,
    CarriedOut,
    Unknown,
}

impl AskedActions {
    pub(super) fn push(&mut self, kind: &Kind) {
        match kind {
            Kind::ActionRefused(refusal) => {
                let fate = ActionFate::Refused(refusal.code);
                self.set(refusal.index, &refusal.name, fate);
            }
            Kind::ActionStarted(started) => {
                let name = &started.action.name;
                // The agent wrote it anew, and right.
                self.actions.retain(|_, action| {
                    !matches!(action.fate, ActionFate::Refused(code) if code.is_mendable() && action.name == *name)
                });
                self.set(started.index, name, ActionFate::Began);
            }
            Kind::ActionEnded(ended) => {
                let fate = match ended.outcome {
                    DeliveryOutcome::Error => ActionFate::Unknown,
                    DeliveryOutcome::Output | DeliveryOutcome::Event => ActionFate::CarriedOut,
                };
                self.set(ended.index, &ended.name, fate);
            }
            // A reminder that an action set is delivered later, and is no result of it.
            Kind::DeliveryAccepted(accepted) if delivery_origin(&accepted.id) == ChainOrigin::Actions => {
                self.answered_in.get_or_insert(accepted.turn);
            }
            Kind::DeliveryRefused(refused) => self.not_delivered = Some(refused.reason),
            _ => {}
        }
    }

    fn set(&mut self, index: u32, name: &str, fate: ActionFate) {
        let name = name.to_owned();
        self.actions.insert(index, AskedAction { name, fate });
    }

    fn refused(&self) -> Vec<ActionRefusalCode> {
        let code = |action: &AskedAction| match action.fate {
            ActionFate::Refused(code) => Some(code),
            _ => None,
        };
        self.actions.values().filter_map(code).collect()
    }

    /// Numbers of those that were carried out, refused and unknown; `None` as long as there is no such action. One that began
    /// in a turn that `is_over` and has no end is unknown.
    pub(super) fn counts(&self, is_over: bool) -> Option<ActionCounts> {
        let count = |is_it: &dyn Fn(ActionFate) -> bool| {
            let found = self.actions.values().filter(|action| is_it(action.fate)).count();
            u32::try_from(found).unwrap_or(u32::MAX)
        };
        let counts = ActionCounts {
            carried_out: count(&|fate| fate == ActionFate::CarriedOut),
            refused: self.refused(),
            unknown: count(&|fate| fate == ActionFate::Unknown || is_over && fate == ActionFate::Began),
        };
        (counts != ActionCounts::default()).then_some(counts)
    }

    /// The sentence, without its end, about a turn that ended so; `None` where its answer was another, or where its actions
    /// are not the reason that there is none.
    pub(super) fn verdict(&self, terminal: &Terminal, ledger: &[LedgerEntry]) -> Option<String> {
        let has_no_text = matches!(
            terminal,
            Terminal::Replied
                | Terminal::Silent {
                    reason: SilentReason::DirectivesOnly
                }
        );
        if !has_no_text
            || self.actions.is_empty()
            || ledger.iter().filter(|entry| has_landed(entry)).any(is_answer)
        {
            return None;
        }
        let refused = self.refused();
        let end = match (self.answered_in, self.not_delivered) {
            (Some(turn), _) => format!("the answer is in turn {turn}"),
            (None, Some(reason)) => {
                format!(
                    "what came of it did not go to the agent ({reason}); {}",
                    told(ledger)
                )
            }
            (None, None) if refused.is_empty() => return None,
            (None, None) => told(ledger).to_owned(),
        };
        Some(format!("{}; {end}", asked_for(self.actions.len(), &refused)))
    }
}

/// The actions, with the codes of those that were refused.
fn asked_for(asked: usize, refused: &[ActionRefusalCode]) -> String {
    let codes: BTreeSet<_> = refused.iter().map(|code| code.code()).collect();
    let codes = codes.into_iter().collect::<Vec<_>>().join(", ");
    match (asked, refused.len()) {
        (1, 0) => "It asked for an action".to_owned(),
        (1, _) => format!("It asked for an action, which was not carried out ({codes})"),
        (asked, 0) => format!("It asked for {asked} actions"),
        (asked, none) if asked == none => {
            format!("It asked for {asked} actions, of which none was carried out ({codes})")
        }
        (asked, 1) => format!("It asked for {asked} actions, of which 1 was not carried out ({codes})"),
        (asked, some) => {
            format!("It asked for {asked} actions, of which {some} were not carried out ({codes})")
        }
    }
}

/// True of an operation with which a person gets what the agent said or sent; false of what Foldback says itself.
pub(crate) fn is_answer(entry: &LedgerEntry) -> bool {
    let is_own = matches!(
        entry.intent.body,
        Some(Body::Aside { .. } | Body::Literal { place: None, .. })
    );
    !is_own && !matches!(entry.intent.kind, OpKind::Typing | OpKind::Delete)
}

/// True where it is in the chat, or would be if it were no dry run.
fn has_landed(entry: &LedgerEntry) -> bool {
    let code = entry.outcome.as_ref().map(|outcome| outcome.code);
    matches!(
        code,
        Some(OutcomeCode::Sent | OutcomeCode::Unchanged | OutcomeCode::DryRun)
    )
}

/// The words of a notice of ours, or that there was none. A placeholder that was taken away again is none.
fn told(ledger: &[LedgerEntry]) -> &'static str {
    let message = |entry: &LedgerEntry| {
        let outcome = entry.outcome.as_ref()?;
        outcome.message.clone().or_else(|| entry.intent.message.clone())
    };
    let of = |kind: OpKind| {
        let landed = ledger.iter().filter(|entry| has_landed(entry));
        landed.filter(move |entry| entry.intent.kind == kind)
    };
    let deleted: Vec<_> = of(OpKind::Delete).filter_map(message).collect();
    let is_notice = |entry: &LedgerEntry| {
        let is_ours = match &entry.intent.body {
            Some(Body::Literal { place: None, .. }) => true,
            // A question of a permission is none.
            Some(Body::Aside { text }) => text == ACTION_NOT_DONE,
            _ => false,
        };
        is_ours && message(entry).is_none_or(|message| !deleted.contains(&message))
    };
    if of(OpKind::SendText).chain(of(OpKind::EditText)).any(is_notice) {
        "the user was told so"
    } else {
        "the user was not told"
    }
}
