//! The seam of the interfaces, which carry actions out.

use crate::{ActionRow, ResultSink};
use async_trait::async_trait;
use foldback_wire::{ActionRefusalCode, PayloadFinding, SessionId, TurnId, TurnKind, UserId};
use serde_json::{Map, Value};

/// An action that is to be carried out. It says who asked and what for, and has no address: the interface answers nobody.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionOrder {
    /// The action's name; one of the interface's rows.
    pub action: String,
    /// Its payload, which fits the schema of the row.
    pub payload: Map<String, Value>,
    /// The person who asked, by the platform's id.
    pub requester: UserId,
    /// The conversation, for an interface that keeps something between two orders.
    pub session: SessionId,
    /// The turn whose answer asks for it, for an interface that shows what it does.
    pub turn: TurnId,
}

/// The decision of an interface about one payload, by its own settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionDecision {
    /// The confirmation of the row counts.
    AsDeclared,
    /// It is carried out without a confirmation, by this setting.
    Allowed(&'static str),
    /// A person confirms it, for this reason in words.
    Confirmed(String),
    /// The payload fits the schema and cannot be all the same, at these places, of which there is one at least.
    Unfit(Vec<PayloadFinding>),
    /// It is not carried out, for this reason in words, by this setting.
    Denied {
        /// The reason.
        why: String,
        /// The setting.
        setting: &'static str,
    },
}

/// The person at whose word an action is asked for, and the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionAsker {
    /// The person whose message began the chain of turns is an owner of the bot.
    pub is_owner: bool,
    /// That person is in `actions.senders`.
    pub is_listed: bool,
    /// The kind of the turn.
    pub turn: TurnKind,
    /// The kind of the turn that began the chain; the turn's own where nothing led to it.
    pub root: TurnKind,
    /// Delivery turns so far in that chain: 0 in the turn of the message.
    pub depth: u32,
    /// Most delivery turns that it may have.
    pub most_depth: u32,
}

/// The circumstances in which an action is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionCircumstances {
    /// The person at whose word it is asked for.
    pub asker: ActionAsker,
    /// The turn whose answer asks for it.
    pub turn: TurnId,
}

/// The refusal of a payload for what it names, such as a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedRefusal {
    /// The agent can mend it at these places, of which there is one at least.
    Unfit(Vec<PayloadFinding>),
    /// It is not carried out at this word or in this turn.
    NotPermitted {
        /// The reason: [`ActionRefusalCode::NotPermitted`] or [`ActionRefusalCode::TurnNotPermitted`].
        code: ActionRefusalCode,
        /// The reason in words.
        why: String,
        /// The setting that would change it, where there is one.
        setting: Option<&'static str>,
    },
}

/// Carries out the actions of its rows.
///
/// Invariants: it never answers anybody; a future that is dropped leaves nothing running; one order is carried out
/// once. A crash is the caller's matter: the order is durable before, its result after.
#[async_trait]
pub trait ActionInterface: Send + Sync {
    /// The actions that it carries out. They stay as they are for as long as it lives.
    fn rows(&self) -> Vec<ActionRow>;

    /// The decision of its settings about a payload that fits the schema.
    fn decide(&self, _action: &str, _payload: &Map<String, Value>) -> ActionDecision {
        ActionDecision::AsDeclared
    }

    /// Looks up what a payload names, such as a chat, once [`Self::decide`] let it pass.
    ///
    /// # Errors
    /// The reason for which it is not carried out.
    async fn look_up(
        &self,
        _action: &str,
        _payload: &Map<String, Value>,
        _asked: ActionCircumstances,
    ) -> Result<(), NamedRefusal> {
        Ok(())
    }

    /// The words by which people and the journal know what is carried out, such as the command line.
    fn command(&self, _action: &str, _payload: &Map<String, Value>) -> Option<String> {
        None
    }

    /// Carries out an order, and completes or fails `results`.
    async fn perform(&self, order: ActionOrder, results: ResultSink);
}
