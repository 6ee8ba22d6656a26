//! Resumption after a start: sends, settles or closes what an earlier process left open. Nothing is doubled silently,
//! nothing lost silently.
//!
//! An example: the process is killed at 10.0 s and starts again at 60 s. In one chat turn 7 had begun its answer, and
//! a second message waited as turn 8. In another chat the agent of turn 9 was at work and had said nothing.
//!
//! ```text
//!   left in the outbox by turn 7:
//!     op 21  text        attempted at 9.9 s, no outcome
//!     op 22  text        intended, never attempted
//!     op 23  live edit  intended, never attempted
//!
//!   60.0 s  op 21  the platform may have it. Where it knows a repetition by its key, 21 enters the delivery
//!                  queue again; else it ends as `unknown`, and is not sent again.
//!           op 22  enters the delivery queue, behind 21
//!           op 23  ends as cancelled: the whole text is sent, and nobody needs a live edit of it any more
//!           turn 7, turn 9  their conversations are occupied: no other turn begins there
//!           turn 8  passes the gates again and waits behind turn 7; it is not counted twice
//!           turn 9  is not run again, as nobody knows what its agent did; its chat is told that it was cut off
//!   61.5 s  op 22 has ended: what is left of the answer of turn 7 is said, turn 7 is closed, turn 8 begins
//!   63.0 s  all of them have ended: `idle` of no turn. A later start looks back no further than to this one.
//! ```
//!
//! What must hold:
//! - What was attempted is sent again only where that cannot double it: under a key that the platform still remembers,
//!   or as an edit to a final text.
//! - A turn is closed after its operations have ended, so that another kill on the way leaves it open for the next start.
//! - Operations enter the delivery queues in their old order and before any new message is listened to.
//! - A run that had begun is never begun again; a message that was not given to the agent always is, unless it waited for
//!   longer than `outbox.max_age`: then a person decides.

use super::{
    Core, Turn,
    unfinished::{JoinedTurn, QueuedMessage, UnfinishedWork},
};
use crate::{
    deliver::{
        delivery_queue::{KEY_MEMORY, Origin, PendingOperation, QueuedOperation},
        operation::{FollowUp, left},
        tally::terminal_of,
        text_parts::TextParts,
        unfinished::unfinished_placeholder,
    },
    finish::{finish_turn, unfinished_session},
    flow::terminal_of_gate,
    gates::TurnOrigin,
    queue::OccupiedConversation,
    recorder::Recorder,
    repeats::was_complete,
    rules::Rule,
    supervise::contained,
};
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{
    Actor, Event, Kind, OpId, OpKind, Outcome, OutcomeCode, PermissionId, SteadyTime, Terminal, ToolCall,
    TurnId,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

impl Core {
    /// Sends the operations that were never attempted, in order. One that was in flight is sent again where the platform
    /// knows a repetition by its key, or where it is an edit to a final text; else it ends as `unknown`. A live edit or a
    /// question that was never attempted is not sent: the whole text is, and no run waits for the answer. Turns whose run
    /// had begun are finished once their operations have ended. Those that waited go through the gates again, in the order
    /// in which they came and before any new message; one that waited for longer than `outbox.max_age` then waits for a
    /// person.
    pub(super) async fn resume(self: &Arc<Self>, unfinished: UnfinishedWork) -> Result<(), StoreError> {
        let mut waits: BTreeMap<TurnId, Vec<PendingOperation>> = BTreeMap::new();
        // By the first message of each.
        let mut texts: BTreeMap<OpId, Arc<TextParts>> = BTreeMap::new();
        for entry in unfinished.outbox {
            let recorder = self
                .context
                .recorder
                .of_turn(entry.turn, &entry.channel)
                .in_session(&entry.session);
            let Some(port) = self.context.ports.port(&entry.channel) else {
                recorder.warn(format!(
                    "operation {} stays in the outbox: its channel is gone",
                    entry.op
                ))?;
                continue;
            };
            if entry.live && !entry.in_flight {
                let outcome = Outcome::new(OutcomeCode::Cancelled)
                    .because("the process ended, and what it shows belongs to a run that is over");
                self.settle_unfinished(&recorder, &entry, outcome).await?;
                continue;
            }
            // Where the clock was set back, no one knows how long ago it was.
            let now = self.context.recorder.now();
            let remembered = entry.at <= now && now.since(entry.at) <= KEY_MEMORY;
            let keyed = port.channel.capabilities().idempotency_key && remembered;
            let repeatable = keyed || entry.operation.is_idempotent() && !entry.live;
            if entry.in_flight && !repeatable && self.context.rules.holds(Rule::DeliverUnknown) {
                let outcome = Outcome {
                    attempts: 1,
                    ..Outcome::new(OutcomeCode::Unknown).because("the process ended during the platform call")
                };
                self.settle_unfinished(&recorder, &entry, outcome).await?;
                continue;
            }
            let parts = if let Some(first) = entry.part_of {
                self.parts_of(&mut texts, entry.turn, first).await?
            } else {
                let parts = || Arc::new(TextParts::behind(entry.op));
                Arc::clone(texts.entry(entry.op).or_insert_with(parts))
            };
            // Whether text stands behind a directive's operation is not known any more.
            let is_hurried = matches!(
                entry.operation.kind(),
                OpKind::React | OpKind::SendFile | OpKind::SendVoice
            );
            let turn = entry.turn;
            let pending = self.delivery_queues.enqueue_operation(QueuedOperation {
                not_before: self.not_before(&entry),
                overtaken: is_hurried.then(CancellationToken::new),
                parts: Some(parts),
                ..QueuedOperation::new(entry, port.channel, recorder, Origin::Resumed)
            });
            waits.entry(turn).or_default().push(pending);
        }
        let mut occupied = BTreeMap::new();
        for turn in unfinished.turns.keys() {
            let events = self.context.recorder.journal.turn(*turn).await?;
            self.recall_complete(*turn, &events);
            let session = unfinished_session(&events);
            let conversation = session.and_then(|session| self.queue.occupy(session));
            occupied.extend(conversation.map(|conversation| (*turn, conversation)));
        }
        for joined in unfinished.joined {
            self.close_joined(joined).await?;
        }
        let mut closings = JoinSet::new();
        for (turn, channel) in unfinished.turns {
            let recorder = channel.map_or_else(
                || self.context.recorder.clone(),
                |c| self.context.recorder.of_turn(turn, &c),
            );
            let outcomes = waits.remove(&turn).unwrap_or_default();
            let conversation = occupied.remove(&turn);
            let finishing =
                Arc::clone(self).finish_unfinished(turn, recorder.clone(), outcomes, conversation);
            closings.spawn(async move {
                contained(finishing).await.unwrap_or_else(|panicked| {
                    recorder.tell_panic("the turn stays open", &panicked);
                    Err(StoreError::Closed)
                })
            });
        }
        for (turn, queued) in unfinished.queued {
            let turn = self.begin_queued(turn, queued).await?;
            // Until it has ended, a later start has to look back as far as this one did.
            closings.spawn(async move { turn.ended().await.map(drop).ok_or(StoreError::Closed) });
        }
        let recorder = self.context.recorder.clone();
        self.context.tasks.spawn(async move {
            if closings.join_all().await.into_iter().all(|closed| closed.is_ok())
                && let Err(error) = recorder.note(Kind::Idle)
            {
                tracing::error!(%error, "the next start will look further back than it needs to");
            }
        });
        Ok(())
    }
}

impl Core {
    /// Finishes and closes a turn whose run had begun, once what it left in the outbox has ended. Nothing else is said in
    /// its conversation before.
    async fn finish_unfinished(
        self: Arc<Self>,
        turn: TurnId,
        recorder: Recorder,
        pending: Vec<PendingOperation>,
        _conversation: Option<OccupiedConversation>,
    ) -> Result<(), StoreError> {
        for mut pending in pending {
            loop {
                // The process ends again before this one has an outcome: the turn stays open.
                let completion = self
                    .context
                    .shutdown
                    .deliveries_stopped
                    .run_until_cancelled(pending.ended)
                    .await;
                let completion = completion.and_then(Result::ok).ok_or(StoreError::Closed)?;
                match completion.next {
                    Some(next) => pending = next,
                    None => break,
                }
            }
        }
        finish_turn(&self.context, &self.delivery_queues, turn, &recorder).await?;
        self.deliver_unperformed(turn, &recorder).await?;
        close(&recorder, turn).await
    }

    /// Ends a turn whose message came into the run of another one. Whether a run that was cut off did anything about it,
    /// nobody knows: it is not run again, and a person decides.
    async fn close_joined(&self, joined: JoinedTurn) -> Result<(), StoreError> {
        let JoinedTurn {
            turn,
            channel,
            into,
            how,
        } = joined;
        let journal = &self.context.recorder.journal;
        let session = journal
            .turn(turn)
            .await?
            .iter()
            .rev()
            .find_map(|event| event.session.clone());
        let recorder = self.context.recorder.of_turn(turn, &channel);
        let recorder = session.map_or_else(|| recorder.clone(), |session| recorder.in_session(&session));
        let ended = |event: &Event| matches!(event.kind, Kind::RunEnded { .. });
        let is_answered = journal.turn(into).await?.iter().any(ended);
        let failed = || Terminal::Failed {
            detail: format!("the process ended while the agent of turn {into} was at work on it"),
        };
        let terminal = how.terminal(into).filter(|_| is_answered).unwrap_or_else(failed);
        recorder.note(Kind::TurnEnded { terminal })
    }

    /// Begins a turn that waited. One that waited for longer than `outbox.max_age` waits for a person then.
    async fn begin_queued(self: &Arc<Self>, turn: TurnId, queued: QueuedMessage) -> Result<Turn, StoreError> {
        let QueuedMessage {
            message,
            counted,
            received,
            cause,
        } = queued;
        let waited = self.context.recorder.now().since(received);
        let aged =
            waited > self.context.ports.config.outbox.max_age.0 && self.context.rules.holds(Rule::DeliverOld);
        // No person waits for a schedule's run: it is late, and that is all.
        let aged = aged && cause.schedule().is_none();
        let origin = TurnOrigin::Resumed {
            counted,
            aged_since: aged.then_some(received),
        };
        // On the heap: the future of a start is large enough.
        let name = cause.schedule().map(|due| due.schedule.clone());
        let begun = Box::pin(self.begin_resumed(turn, message, origin, cause)).await?;
        Ok(match name {
            Some(name) => self.watch_scheduled(name, begun),
            None => begun,
        })
    }

    /// Ends an operation that an earlier process left and no later one carries out.
    async fn settle_unfinished(
        &self,
        recorder: &Recorder,
        entry: &OutboxEntry,
        outcome: Outcome,
    ) -> Result<(), StoreError> {
        // It neither arrived nor was refused, for all that is known: nothing is done next.
        let FollowUp { warning, .. } = FollowUp::of(&entry.then, &outcome, self.context.rules);
        let ended = Kind::Ended {
            op: entry.op,
            outcome: outcome.clone(),
        };
        let kinds = std::iter::once(ended).chain(warning.map(|detail| Kind::Warned { detail }));
        let events = kinds.map(|kind| recorder.draft(kind)).collect();
        recorder.journal.settle(entry.op, outcome, events).await?;
        self.context.files.delete_spent(&entry.operation);
        Ok(())
    }

    /// The messages of a text of which the first may have ended before the process did.
    async fn parts_of(
        &self,
        texts: &mut BTreeMap<OpId, Arc<TextParts>>,
        turn: TurnId,
        first: OpId,
    ) -> Result<Arc<TextParts>, StoreError> {
        if let Some(known) = texts.get(&first) {
            return Ok(Arc::clone(known));
        }
        let parts = TextParts::behind(first);
        let events = self.context.recorder.journal.turn(turn).await?;
        let mut of_text = BTreeSet::from([first]);
        for event in &events {
            match &event.kind {
                Kind::Intended { op, intent } if intent.part_of == Some(first) => drop(of_text.insert(*op)),
                Kind::Ended { op, outcome } if of_text.contains(op) => parts.end(*op, outcome),
                _ => {}
            }
        }
        let parts = Arc::new(parts);
        texts.insert(first, Arc::clone(&parts));
        Ok(parts)
    }

    /// The time before which an operation is not to go, as another process noted it; the clock may have been set since.
    fn not_before(&self, entry: &OutboxEntry) -> Option<SteadyTime> {
        let clock = &self.context.recorder.clock;
        let longest = self.context.ports.config.outbox.backoff_max.0;
        let left = entry.not_before?.since(clock.now()).min(longest);
        Some(clock.steady().plus(left))
    }

    /// Remembers the message of a turn whose whole answer is known: a platform that has no confirmation of it delivers
    /// it again.
    fn recall_complete(&self, turn: TurnId, events: &[Event]) {
        if was_complete(events) {
            for event in events {
                if let Kind::Received { message } = &event.kind {
                    self.seen.lock().recall(message, turn, event.at);
                }
            }
        }
    }
}

/// Writes the end of a turn that an earlier process began.
async fn close(recorder: &Recorder, turn: TurnId) -> Result<(), StoreError> {
    // The end is read from what was written a moment ago, too.
    recorder.journal.flush().await?;
    let events = recorder.journal.turn(turn).await?;
    let session = events.iter().rev().find_map(|e| e.session.clone());
    let recorder = session.map_or_else(|| recorder.clone(), |s| recorder.in_session(&s));
    if events.iter().any(|e| matches!(e.kind, Kind::TurnEnded { .. })) {
        return Ok(());
    }
    if let Some(placeholder) = unfinished_placeholder(&events, recorder.clock.as_ref()) {
        recorder.warn(left(
            &placeholder.id,
            "the process ended before the answer replaced it",
        ))?;
    }
    for call in unended(&events) {
        recorder.note(Kind::Tool { call })?;
    }
    for id in undecided(&events) {
        recorder.note(Kind::PermissionDecided {
            id,
            option: None,
            by: Actor::Pipeline,
            why: "the process ended before it was answered".to_owned(),
            decided_by: None,
        })?;
    }
    let stopped = events.iter().find_map(|event| match &event.kind {
        Kind::Stopping { gate, .. } => Some(terminal_of_gate(*gate)),
        _ => None,
    });
    let terminal = stopped.unwrap_or_else(|| terminal_of(&events));
    recorder.note_all(vec![Kind::Idle, Kind::TurnEnded { terminal }])
}

/// The ends of the tool calls without one.
fn unended(events: &[Event]) -> Vec<ToolCall> {
    let mut open: Vec<&ToolCall> = Vec::new();
    for event in events {
        if let Kind::Tool { call } = &event.kind {
            open.retain(|known| known.id != call.id);
            if !call.status.is_over() {
                open.push(call);
            }
        }
    }
    let end = |call: &ToolCall| ToolCall::unfinished(call.id.clone(), call.name.clone());
    open.into_iter().map(end).collect()
}

/// Requests for permission that nobody decided about.
fn undecided(events: &[Event]) -> BTreeSet<PermissionId> {
    let mut asking = BTreeSet::new();
    for event in events {
        match &event.kind {
            Kind::PermissionAsked { request, .. } => drop(asking.insert(request.id.clone())),
            Kind::PermissionDecided { id, .. } => drop(asking.remove(id)),
            _ => {}
        }
    }
    asking
}
