//! At whose word the actions of a turn are carried out.

use crate::{
    config::{ListEntry, is_provider, names_id},
    id::sender_ids,
    recorder::Recorder,
    rules::Rule,
    stages::command_access::{AccessContext, command_access},
    turn_cause::TurnCause,
    turn_chain::{ChainRoot, TurnChain, joined},
};
use foldback_actions::ActionAsker;
use foldback_store::StoreError;
use foldback_wire::{DELIVERY_DEPTH, Inbound, TurnId, TurnKind};

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

/// The asker of a message that began a turn into which nobody else wrote.
pub(crate) fn asker_of_message(
    access: AccessContext<'_>,
    senders: &[String],
    message: &Inbound,
) -> ActionAsker {
    let rights = rights(access, senders, message);
    let is_anyone = !access.rules.holds(Rule::ActionsAccess);
    ActionAsker {
        is_owner: rights.is_owner || is_anyone,
        is_listed: rights.is_listed || is_anyone,
        turn: TurnKind::Message,
        root: TurnKind::Message,
        depth: 0,
        most_depth: DELIVERY_DEPTH,
    }
}

/// The asker of a turn's actions: the person whose message began its chain. Where others wrote into its run, or into that of
/// a turn that led to it, each of them has to be allowed, as any of them may be the one whom the agent obeys.
pub(crate) async fn asker_of(
    context: AskerContext<'_>,
    recorder: &Recorder,
) -> Result<ActionAsker, StoreError> {
    let written = joined(&[context.turn], recorder).await?;
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
    let rights_of = |message: &Inbound| rights(context.access, context.senders, message);
    let mut led = Vec::new();
    let (turn, root, depth, mut rights) = match context.cause {
        TurnCause::Message => {
            let rights = rights_of(context.message);
            (TurnKind::Message, TurnKind::Message, 0, rights)
        }
        TurnCause::Schedule(_) => (TurnKind::Schedule, TurnKind::Schedule, 0, nobody),
        TurnCause::Delivery(delivery) => {
            let chain = TurnChain::of(delivery, recorder).await?;
            led = chain.joined(recorder).await?;
            let (root, rights) = match &chain.root {
                ChainRoot::Message(message) => (TurnKind::Message, rights_of(message)),
                _ if !rules.holds(Rule::ActionsChain) => (TurnKind::Message, rights_of(context.message)),
                ChainRoot::Schedule => (TurnKind::Schedule, nobody),
                ChainRoot::Reminder | ChainRoot::Elsewhere => (TurnKind::Delivery, nobody),
            };
            let depth = delivery.depth;
            let depth = if rules.holds(Rule::ActionsDepth) { depth } else { 0 };
            (TurnKind::Delivery, root, depth, rights)
        }
    };
    let others = joining.iter().copied().chain(&led);
    for other in others.filter(|_| rules.holds(Rule::ActionsOthers)) {
        let of_other = rights_of(other);
        rights.is_owner &= of_other.is_owner;
        rights.is_listed &= of_other.is_listed || of_other.is_owner;
    }
    let is_anyone = !rules.holds(Rule::ActionsAccess);
    Ok(ActionAsker {
        is_owner: rights.is_owner || is_anyone,
        is_listed: rights.is_listed || is_anyone,
        turn,
        root,
        depth,
        most_depth: match context.cause {
            TurnCause::Delivery(delivery) => delivery.limits.depth(),
            TurnCause::Message | TurnCause::Schedule(_) => DELIVERY_DEPTH,
        },
    })
}

fn rights(access: AccessContext<'_>, senders: &[String], message: &Inbound) -> Rights {
    let AccessContext { platform, .. } = access;
    let own = |provider: &str| is_provider(provider, &message.channel, platform);
    let is_named = |id: &str| {
        let mut senders = senders.iter();
        senders.any(|entry| names_id(ListEntry::of(entry), id, own))
    };
    Rights {
        is_owner: command_access(access, message).is_owner,
        is_listed: sender_ids(message).any(is_named),
    }
}
