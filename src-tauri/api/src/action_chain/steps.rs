//! One turn of a chain: what began it, its steps, its end.

use super::{actions::Actions, given, messages::messages};
use crate::TurnFold;
use foldback_pipeline::{delivery_data, delivery_origin};
use foldback_store::one_line;
use foldback_wire::{
    DeliveryRefusal, DeliveryRequest, Event, Kind, PerformedAction, TurnId,
    rpc::{ChainBeginning, ChainStep, ChainStepKind, ChainTurn, TurnDetail},
    visible,
};

/// Most steps of a turn.
const MOST_STEPS: usize = 40;
/// Characters of a text that stand for it.
const LINE: usize = 200;

/// A turn of a chain; `None` where its events have no beginning.
pub(super) fn chain_turn(turn: TurnId, events: &[Event]) -> Option<ChainTurn> {
    let detail = TurnFold::of(turn, events).detail()?;
    let received = find(events, |kind| matches!(kind, Kind::Received { .. }))?;
    let due = find(events, |kind| matches!(kind, Kind::DeliveryDue(_)));
    let prompt = events.iter().rev().find_map(|event| match &event.kind {
        Kind::Prepared { prompt } => Some((event, delivery_data(prompt)?)),
        _ => None,
    });
    let mut steps = steps(&detail, events);
    steps.sort_by_key(|step| step.seq);
    let steps_omitted = steps.len().saturating_sub(MOST_STEPS);
    steps.truncate(MOST_STEPS);
    let inbound = &detail.inbound;
    Some(ChainTurn {
        turn,
        at: detail.summary.at,
        seq: due.unwrap_or(received).seq.0,
        beginning: beginning(&detail, events),
        channel: inbound.channel.clone(),
        chat: inbound.chat.clone(),
        chat_type: inbound.chat_type,
        thread: inbound.thread.clone(),
        given: prompt
            .filter(|_| due.is_some())
            .map(|(event, data)| given(event, data)),
        steps,
        steps_omitted: u32::try_from(steps_omitted).unwrap_or(u32::MAX),
        terminal: detail.summary.terminal.clone(),
        end_seq: find(events, |kind| matches!(kind, Kind::TurnEnded { .. })).map(|event| event.seq.0),
        queued: detail.summary.queued,
    })
}

fn find(events: &[Event], is_it: impl Fn(&Kind) -> bool) -> Option<&Event> {
    events.iter().find(|event| is_it(&event.kind))
}

fn beginning(detail: &TurnDetail, events: &[Event]) -> ChainBeginning {
    if let Some(request) = &detail.delivery {
        return delivery(request);
    }
    let schedule = events.iter().find_map(|event| match &event.kind {
        Kind::ScheduleDue(due) => Some(due.schedule.clone()),
        _ => None,
    });
    match schedule {
        Some(schedule) => ChainBeginning::Schedule { schedule },
        None => ChainBeginning::Message {
            sender: visible(detail.inbound.sender.readable_name()).into_owned(),
            text: one_line(&detail.inbound.readable_text(), LINE),
        },
    }
}

fn delivery(request: &DeliveryRequest) -> ChainBeginning {
    let PerformedAction { name, command } = &request.action;
    ChainBeginning::Delivery {
        origin: delivery_origin(&request.id),
        outcome: request.outcome,
        action: PerformedAction {
            name: visible(name).into_owned(),
            command: command.as_deref().map(|command| visible(command).into_owned()),
        },
        requester: visible(request.requester.readable_name()).into_owned(),
        depth: request.depth,
        corrections: request.corrections,
        cause: request.cause,
    }
}

fn steps(detail: &TurnDetail, events: &[Event]) -> Vec<ChainStep> {
    let mut actions = Actions::default();
    let mut steps = Vec::new();
    let mut has_ended = false;
    for event in events {
        actions.push(event);
        let step = match &event.kind {
            Kind::DeliveryAccepted(accepted) => ChainStepKind::Delivered { turn: accepted.turn },
            Kind::DeliveryRefused(refused) => ChainStepKind::NotDelivered {
                reason: refused.reason,
                detail: visible(&refused.detail).into_owned(),
                setting: setting_of(refused.reason).map(str::to_owned),
            },
            Kind::Stopping {
                gate,
                detail,
                setting,
                ..
            } => ChainStepKind::Stopped {
                gate: *gate,
                detail: visible(detail).into_owned(),
                setting: setting.clone(),
            },
            // Before an action is asked for, a warning is about something else.
            Kind::Warned { detail } if !has_ended && !actions.is_empty() => ChainStepKind::Warned {
                detail: visible(detail).into_owned(),
            },
            Kind::TargetDead {
                target,
                refusal,
                detail,
            } => ChainStepKind::TargetDead {
                target: target.clone(),
                refusal: *refusal,
                detail: visible(detail).into_owned(),
            },
            Kind::TurnEnded { .. } => {
                has_ended = true;
                continue;
            }
            _ => continue,
        };
        let (seq, at) = (event.seq.0, event.at);
        steps.push(ChainStep { seq, at, step });
    }
    steps.extend(actions.steps());
    steps.extend(messages(detail, events));
    steps
}

/// The setting that would have a request of this refusal accepted.
pub(crate) const fn setting_of(reason: DeliveryRefusal) -> Option<&'static str> {
    match reason {
        DeliveryRefusal::TotalBudget => Some("deliveries.total"),
        DeliveryRefusal::RequesterBudget => Some("deliveries.per_requester"),
        DeliveryRefusal::Invalid
        | DeliveryRefusal::ReservedId
        | DeliveryRefusal::UnknownChannel
        | DeliveryRefusal::DeadTarget
        | DeliveryRefusal::DepthLimit => None,
    }
}
