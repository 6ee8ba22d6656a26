//! Turns that an earlier process left before all of their answer was in the outbox are finished here.

use crate::{
    context::TurnContext,
    deliver::{
        delivery_queue::DeliveryQueues,
        footer::Footer,
        lead::Lead,
        operation_sender::OperationSender,
        turn_delivery::TurnDelivery,
        unfinished::{UnfinishedTurn, is_unfinished},
    },
    leaks::LeakWatch,
    recorder::Recorder,
};
use foldback_store::StoreError;
use foldback_wire::{Event, Kind, SessionId, SpeechMode, TurnId};
use std::sync::Arc;

/// The conversation of a turn that has to be finished; `None` where nothing is left to be said.
pub(crate) fn unfinished_session(events: &[Event]) -> Option<SessionId> {
    session_of(events).filter(|_| is_unfinished(events))
}

/// Says what is left of a turn whose operations have all ended: the rest of its answer or, where its run was cut
/// off, that it was; where all was said, only the final edits again that a live edit without an answer may undo.
/// [`StoreError::Closed`] where the process ends first; the next start goes on from there.
pub(crate) async fn finish_turn(
    context: &TurnContext,
    delivery_queues: &Arc<DeliveryQueues>,
    turn: TurnId,
    recorder: &Recorder,
) -> Result<(), StoreError> {
    let events = recorder.journal.turn(turn).await?;
    let clock = context.recorder.clock.as_ref();
    let acts = !context.actions.is_empty();
    if let Some(unfinished) = UnfinishedTurn::read(&events, acts, clock) {
        if let Some(mut delivery) =
            delivery_of((context, delivery_queues), turn, recorder, &events, &unfinished)
        {
            // On the heap: what is left can be a whole answer, and what waits here holds its future.
            Box::pin(delivery.finish(unfinished)).await?;
            delivery.collect_elsewhere().await?;
        }
    } else if let Some(doubtful) = UnfinishedTurn::read_doubtful(&events, acts, clock)
        && let Some(mut delivery) =
            delivery_of((context, delivery_queues), turn, recorder, &events, &doubtful)
    {
        Box::pin(delivery.confirm_left(doubtful.messages)).await?;
    }
    Ok(())
}

/// Tells the person of a turn in which everything else is said that something was not done.
pub(crate) async fn tell_not_done(
    context: &TurnContext,
    delivery_queues: &Arc<DeliveryQueues>,
    turn: TurnId,
    recorder: &Recorder,
) -> Result<(), StoreError> {
    let events = recorder.journal.turn(turn).await?;
    let acts = !context.actions.is_empty();
    let clock = context.recorder.clock.as_ref();
    if let Some(said) = UnfinishedTurn::read_said(&events, acts, clock)
        && let Some(mut delivery) = delivery_of((context, delivery_queues), turn, recorder, &events, &said)
    {
        Box::pin(delivery.tell_not_done(said)).await?;
    }
    Ok(())
}

/// The delivery of such a turn; `None` where its session or its channel is gone.
fn delivery_of(
    (context, delivery_queues): (&TurnContext, &Arc<DeliveryQueues>),
    turn: TurnId,
    recorder: &Recorder,
    events: &[Event],
    unfinished: &UnfinishedTurn,
) -> Option<TurnDelivery> {
    let session = session_of(events)?;
    let channel = &unfinished.inbound.channel;
    let port = match speech_of(events) {
        Some(speech) => context.ports.port_speaking(channel, speech)?,
        None => context.ports.port(channel)?,
    };
    let recorder = recorder.in_session(&session);
    // Only the text that the scanner let through then may be shown now.
    let leaks = Arc::new(LeakWatch::default());
    for message in &unfinished.messages {
        leaks.add_clean_text(message.number, &message.clean);
    }
    for event in events {
        leaks.check_decision(&event.kind);
    }
    let (on, of) = ((delivery_queues, &context.ids), (turn, &session));
    let sender = OperationSender::of_turn(on, of, &recorder, &port.channel, &unfinished.inbound, &leaks);
    let (cancel, busy) = (context.shutdown.cancel_runs.child_token(), context.busy.token());
    let lead = Lead::read(&context.ports.config, &unfinished.inbound.channel, events);
    let mut delivery = TurnDelivery::new(
        sender,
        port,
        (context.files.clone(), context.speech.clone()),
        Arc::clone(&context.ports),
        context.rules,
        unfinished.inbound.clone(),
        (cancel, busy),
    );
    delivery.operations.lead = lead.map(Arc::new);
    delivery.operations.footer = Footer::read(&session, events);
    let blocks = context.ports.settings(&unfinished.inbound.channel).blocks;
    delivery.operations.stream_blocks(blocks);
    Some(delivery)
}

/// The answers that its session wanted spoken, where it said so.
fn speech_of(events: &[Event]) -> Option<SpeechMode> {
    events.iter().rev().find_map(|event| match &event.kind {
        Kind::SettingsResolved { settings } => {
            let set = settings.iter().find(|set| set.setting == "speech")?;
            SpeechMode::from_code(&set.value)
        }
        _ => None,
    })
}

fn session_of(events: &[Event]) -> Option<SessionId> {
    events.iter().rev().find_map(|event| event.session.clone())
}
