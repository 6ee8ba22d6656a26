//! Actions: what an agent may ask for beside its words, and why one is not carried out.

use crate::{DecidingSetting, DeliveryOutcome, PerformedAction, closed::closed_set};
use serde::{Deserialize, Serialize};

closed_set! {
    /// The people at whose word an agent may ask for an action.
    pub enum ActionAccess {
        Owner = "owner": "Owners of the bot only (commands.owner_allow_from).",
        Listed = "listed": "Owners, and the senders in actions.senders.",
        Anyone = "anyone": "Everyone who may write to the bot.",
    }
}

closed_set! {
    /// The kinds of turns, by what begins them.
    pub enum TurnKind {
        Message = "message": "A person's message begins it.",
        Delivery = "delivery": "The result of an action, a due event or an error begins it.",
        Schedule = "schedule": "A clock begins it.",
    }
}

closed_set! {
    /// The confirmation that an action needs before it is carried out.
    pub enum ActionConfirmation {
        Always = "always": "A person confirms each one.",
        Listed = "listed": "The lists of its settings decide; a person confirms what no list names.",
        Never = "never": "It is carried out without a confirmation.",
    }
}

closed_set! {
    /// The reason for which an action is not carried out.
    pub enum ActionRefusalCode {
        Unreadable = "unreadable": "The JSON of the actions cannot be read.",
        UnknownAction = "unknown_action": "There is no action of this name.",
        PayloadTooLarge = "payload_too_large": "The payload has more bytes than the action takes.",
        PayloadMalformed = "payload_malformed": "The payload is no JSON object.",
        PayloadInvalid = "payload_invalid": "The payload does not fit the action's schema.",
        NotPermitted = "not_permitted": "The sender may not have this action carried out.",
        TurnNotPermitted = "turn_not_permitted": "The action is not carried out in a turn of this kind.",
        DepthLimit = "depth_limit": "As many delivery turns as one message may cause have been.",
        DryRun = "dry_run": "It is a dry run, in which nothing is carried out.",
        TooMany = "too_many": "The answer asks for more actions than are carried out.",
        Denied = "denied": "A list of the settings denies it.",
        Rejected = "rejected": "A person did not confirm it.",
        Unconfirmed = "unconfirmed": "It was not confirmed in time.",
    }
}

impl ActionRefusalCode {
    /// True where its payload is what is wrong.
    pub const fn is_of_payload(self) -> bool {
        matches!(
            self,
            Self::PayloadTooLarge | Self::PayloadMalformed | Self::PayloadInvalid
        )
    }

    /// True where the agent can mend it by writing the action anew.
    pub const fn is_mendable(self) -> bool {
        matches!(
            self,
            Self::Unreadable
                | Self::UnknownAction
                | Self::PayloadTooLarge
                | Self::PayloadMalformed
                | Self::PayloadInvalid
        )
    }
}

/// A place of a payload that does not fit, with what to change there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PayloadFinding {
    /// The place, as a JSON Pointer (RFC 6901); empty for the whole payload.
    pub at: String,
    /// The problem, in words.
    pub problem: String,
    /// The change that mends it, in words.
    pub change: String,
}

/// An action that is not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ActionRefusal {
    /// Its place among the actions of its answer, from 0.
    pub index: u32,
    /// Its name, as the agent wrote it: at most 256 bytes.
    pub name: String,
    /// The reason.
    pub code: ActionRefusalCode,
    /// The reason in words, and what to change where that is one thing.
    pub detail: String,
    /// The places of the payload that do not fit: at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<PayloadFinding>>")]
    pub findings: Vec<PayloadFinding>,
    /// The setting that would change it, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub setting: Option<String>,
    /// The setting as it was then; the journal adds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub decided_by: Option<Box<DecidingSetting>>,
}

impl ActionRefusal {
    /// A refusal in the words of its code.
    pub fn of(index: u32, name: &str, code: ActionRefusalCode) -> Self {
        Self {
            index,
            name: name.to_owned(),
            code,
            detail: code.about().to_owned(),
            findings: Vec::new(),
            setting: None,
            decided_by: None,
        }
    }

    /// Hands over every text in it that may have words of an agent.
    pub(crate) fn each_text(&mut self, mut each: impl FnMut(&mut String)) {
        each(&mut self.name);
        each(&mut self.detail);
        for finding in &mut self.findings {
            let PayloadFinding { at, problem, change } = finding;
            [at, problem, change].into_iter().for_each(&mut each);
        }
    }
}

/// An action begins. Written before its interface is called: one that has no end is never begun again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ActionStarted {
    /// Its place among the actions of its answer, from 0.
    pub index: u32,
    /// Its name, and the command by which people know it.
    pub action: PerformedAction,
    /// The setting whose list allows it without a confirmation, such as `actions.bash.allow`; `None` where a person confirmed
    /// it, where its row asks for none, and in records of versions that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub allowed_by: Option<String>,
}

impl ActionStarted {
    /// Hands over every text in it that may have words of an agent.
    pub(crate) fn each_text(&mut self, each: impl FnMut(&mut String)) {
        let action = &mut self.action;
        std::iter::once(&mut action.name)
            .chain(&mut action.command)
            .for_each(each);
    }
}

/// An action has ended. What came of it is told in the request that delivers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ActionEnded {
    /// Its place among the actions of its answer, from 0.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// `output` where it was carried out, whatever came of it; `error` where it was not, or nobody knows.
    pub outcome: DeliveryOutcome,
    /// The exit status, where a program ended with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub exit: Option<i32>,
    /// How it ended, in words, where the exit status does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
    /// Bytes of all that it produced.
    pub bytes: u64,
}

/// The result of an action that a tool call asked for, as it went back to the agent within the run. What answers in text ask for
/// has none: its result is delivered in a turn of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ActionAnswered {
    /// Its place among the actions of its turn, from 0.
    pub index: u32,
    /// The data that the agent was given, in full.
    pub text: String,
    /// True where it was not carried out, or failed.
    pub is_error: bool,
}
