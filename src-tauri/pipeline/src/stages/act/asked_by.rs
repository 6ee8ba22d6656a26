//! At whose word the actions of a turn are carried out.

use super::request::request_id;
use crate::{
    config::{ListEntry, is_provider, names_id},
    id::sender_ids,
    recorder::Recorder,
    rules::Rule,
    stages::command_access::{AccessContext, command_access},
    turn_cause::TurnCause,
};
use foldback_actions::ActionAsker;
use foldback_store::{Selection, StoreError};
use foldback_wire::{DeliveryRequest, Event, Inbound, Kind, Seq, TurnId, TurnKind};

/// The facts from which the rights of whoever asks are read.
#[derive(Clone, Copy)]
pub(crate) struct AskerContext<'a> {
    pub(crate) access: AccessContext<'a>,
    /// The setting `actions.senders`.
    pub(crate) senders: &'a [String],
    pub(crate) turn: TurnId,
    /// The message that began the turn.
    pub(crate) message: &'a Inbound,
    pub(crate) cause: &'a TurnCause,
}

/// Rights of one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rights {
    is_owner: bool,
    is_listed: bool,
}

/// The asker of a turn's actions: the person whose message began its chain. Where others wrote into its run, each of
/// them has to be allowed, as any of them may be the one whom the agent obeys.
pub(crate) async fn asker_of(
    context: AskerContext<'_>,
    recorder: &Recorder,
) -> Result<ActionAsker, StoreError> {
    let written = others(context.turn, recorder).await?;
    let written: Vec<&Inbound> = written.iter().collect();
    first_asker_of(context, &written, recorder).await
}

/// The asker as the run of a turn begins, into which these messages come.
pub(crate) async fn first_asker_of(
    context: AskerContext<'_>,
    joining: &[&Inbound],
    recorder: &Recorder,
) -> Result<ActionAsker, StoreError> {
    let nobody = Rights {
        is_owner: false,
        is_listed: false,
    };
    let rules = context.access.rules;
    let (turn, depth, mut rights) = match (context.cause, context.cause.delivery()) {
        (TurnCause::Message, _) => (TurnKind::Message, 0, rights(context, context.message)),
        (TurnCause::Schedule(_), _) => (TurnKind::Schedule, 0, nobody),
        (TurnCause::Delivery(_), None) => (TurnKind::Delivery, 0, nobody),
        (TurnCause::Delivery(_), Some(delivery)) => {
            let is_ours = is_of_chain(delivery, recorder).await? || !rules.holds(Rule::ActionsChain);
            let rights = if is_ours {
                rights(context, context.message)
            } else {
                nobody
            };
            let depth = delivery.depth;
            let depth = if rules.holds(Rule::ActionsDepth) { depth } else { 0 };
            (TurnKind::Delivery, depth, rights)
        }
    };
    for other in joining.iter().filter(|_| rules.holds(Rule::ActionsOthers)) {
        let of_other = self::rights(context, other);
        rights.is_owner &= of_other.is_owner;
        rights.is_listed &= of_other.is_listed || of_other.is_owner;
    }
    let is_anyone = !rules.holds(Rule::ActionsAccess);
    Ok(ActionAsker {
        is_owner: rights.is_owner || is_anyone,
        is_listed: rights.is_listed || is_anyone,
        turn,
        depth,
    })
}

fn rights(context: AskerContext<'_>, message: &Inbound) -> Rights {
    let AccessContext { platform, .. } = context.access;
    let own = |provider: &str| is_provider(provider, &message.channel, platform);
    let is_named = |id: &str| {
        let mut senders = context.senders.iter();
        senders.any(|entry| names_id(ListEntry::of(entry), id, own))
    };
    Rights {
        is_owner: command_access(context.access, message).is_owner,
        is_listed: sender_ids(message).any(is_named),
    }
}

/// True where the delivery is what actions of an earlier turn led to, asked for by the person who wrote that turn's message.
/// Whoever delivers something else may name anybody as its requester: nobody's rights come with it.
async fn is_of_chain(delivery: &DeliveryRequest, recorder: &Recorder) -> Result<bool, StoreError> {
    let Some(cause) = delivery.cause.filter(|cause| delivery.id == request_id(*cause)) else {
        return Ok(false);
    };
    let events = of_turn(cause, &["received", "action_started", "action_refused"], recorder).await?;
    let acted = events
        .iter()
        .any(|event| matches!(event.kind, Kind::ActionStarted(_) | Kind::ActionRefused(_)));
    let asked = events.iter().any(|event| {
        matches!(&event.kind, Kind::Received { message }
            if message.sender.id == delivery.requester.id && message.channel == delivery.origin.channel)
    });
    Ok(acted && asked)
}

/// The messages of other turns that came into the run of this one.
async fn others(turn: TurnId, recorder: &Recorder) -> Result<Vec<Inbound>, StoreError> {
    let mut messages = Vec::new();
    for event in of_turn(turn, &["taken_in"], recorder).await? {
        let Kind::TakenIn { turn: other, .. } = event.kind else {
            continue;
        };
        for event in of_turn(other, &["received"], recorder).await? {
            if let Kind::Received { message } = event.kind {
                messages.push(*message);
            }
        }
    }
    Ok(messages)
}

async fn of_turn(
    turn: TurnId,
    kinds: &[&'static str],
    recorder: &Recorder,
) -> Result<Vec<Event>, StoreError> {
    let journal = &recorder.journal;
    journal.flush().await?;
    let wanted = Selection {
        turns: Some([turn].into()),
        ..Selection::kinds(kinds.iter().copied())
    };
    journal.select(&wanted, Seq(0), journal.head(), usize::MAX).await
}
