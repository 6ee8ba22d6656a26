//! Turns that an earlier process left before all of their answer was in the outbox are finished here.

use crate::{
    deliver::{
        courier::Courier,
        desk::Desk,
        finish::finish,
        unfinished::{UnfinishedTurn, is_unfinished},
    },
    engine::Core,
    leaks::Watch,
    recorder::Recorder,
};
use foldback_store::StoreError;
use foldback_wire::{Event, SessionId, TurnId};
use std::sync::Arc;

/// A conversation in which an earlier process left a turn: no other begins there before this one is finished.
pub(crate) struct Occupied {
    core: Arc<Core>,
    session: SessionId,
}

impl Drop for Occupied {
    fn drop(&mut self) {
        if let Some(next) = self.core.next_turn(&self.session) {
            let core = Arc::clone(&self.core);
            self.core.context.tasks.spawn(core.converse(next, true));
        }
    }
}

impl Core {
    /// Keeps the conversation of a turn that has to be finished from going on. `None` where nothing is left to be said,
    /// or another turn of it is finished already.
    pub(crate) fn occupy(self: &Arc<Self>, events: &[Event]) -> Option<Occupied> {
        let session = session_of(events).filter(|_| is_unfinished(events))?;
        self.conversations.occupy(&session).then(|| Occupied {
            core: Arc::clone(self),
            session,
        })
    }

    /// Says what is left of a turn whose operations have all ended: the rest of its answer or, where its run was cut
    /// off, that it was; where all was said, only the final edits again that a live edit without an answer may undo.
    /// [`StoreError::Closed`] where the process ends first; the next start goes on from there.
    pub(crate) async fn finish(&self, turn: TurnId, recorder: &Recorder) -> Result<(), StoreError> {
        let events = recorder.journal.turn(turn).await?;
        let clock = self.context.recorder.clock.as_ref();
        if let Some(unfinished) = UnfinishedTurn::read(&events, clock) {
            if let Some(mut desk) = self.desk_of(turn, recorder, &events, &unfinished) {
                // On the heap: what is left can be a whole answer, and what waits here holds its future.
                Box::pin(finish(&mut desk, unfinished)).await?;
                desk.collect_elsewhere().await?;
            }
        } else if let Some(doubtful) = UnfinishedTurn::read_doubtful(&events, clock)
            && let Some(mut desk) = self.desk_of(turn, recorder, &events, &doubtful)
        {
            Box::pin(desk.confirm_left(doubtful.messages)).await?;
            desk.collect_held().await?;
        }
        Ok(())
    }

    /// What the delivery of such a turn works with; `None` where its session or its channel is gone.
    fn desk_of(
        &self,
        turn: TurnId,
        recorder: &Recorder,
        events: &[Event],
        unfinished: &UnfinishedTurn,
    ) -> Option<Desk> {
        let session = session_of(events)?;
        let port = self.context.ports.port(&unfinished.inbound.channel)?;
        let recorder = recorder.in_session(&session);
        // Only the text that the scanner let through then may be shown now.
        let leaks = Arc::new(Watch::default());
        for message in &unfinished.messages {
            leaks.wrote(message.number, &message.clean);
        }
        for event in events {
            leaks.decided(&event.kind);
        }
        let (on, of) = ((&self.lanes, &self.context.ids), (turn, &session));
        let courier = Courier::of_turn(on, of, &recorder, &port.channel, &unfinished.inbound, &leaks);
        let mut desk = Desk::new(
            courier,
            port,
            (self.context.files.clone(), self.context.speech.clone()),
            Arc::clone(&self.context.ports),
            self.context.rules,
            unfinished.inbound.clone(),
        );
        desk.busy = Some(self.context.busy.token());
        desk.cancel = self.context.shutdown.cancel_runs.child_token();
        Some(desk)
    }
}

fn session_of(events: &[Event]) -> Option<SessionId> {
    events.iter().rev().find_map(|event| event.session.clone())
}
