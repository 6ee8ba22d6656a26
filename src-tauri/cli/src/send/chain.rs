//! The turn of a message, and the delivery turns that its actions lead to: three at most, one after the other.

use super::Requests;
use crate::{
    end::Stop,
    running::{failed, wrong},
};
use foldback_api::{Backend, Commands as _};
use foldback_wire::{Event, Kind, Seq, TurnId, rpc::ComposeSend};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Sends the message and waits for the end of its turn, then, at most this long, for those that follow from it. Answers
/// the turns with their events, in the order in which they followed.
pub(super) async fn follow(
    backend: &Backend,
    order: ComposeSend,
    most: Duration,
    requests: &mut Requests,
) -> Result<Vec<(TurnId, Vec<Event>)>, Stop> {
    let journal = backend.journal();
    let mut head = journal.watch();
    let mut seen = journal.head();
    let first = backend.compose_send(order).await.map_err(failed)?.turn;
    let mut events = Vec::new();
    let mut until: Option<Instant> = None;
    loop {
        let new = journal
            .read(Seq(seen.0 + 1), usize::MAX >> 1)
            .await
            .map_err(wrong)?;
        seen = new.last().map_or(seen, |event| event.seq);
        let from = events.len();
        events.extend(new);
        let turns = chain(first, &events);
        for event in &events[from..] {
            if let Some(turn) = event.turn.filter(|turn| turns.contains(turn)) {
                requests.tell(turn, event);
            }
        }
        let is_over = |turn: &TurnId| {
            let ends =
                |event: &Event| event.turn == Some(*turn) && matches!(event.kind, Kind::TurnEnded { .. });
            events.iter().any(ends)
        };
        let is_late = until.is_some_and(|until| until <= Instant::now());
        if turns.iter().all(is_over) || is_late {
            let of = |turn: TurnId| events.iter().filter(move |event| event.turn == Some(turn));
            return Ok(turns
                .iter()
                .map(|turn| (*turn, of(*turn).cloned().collect()))
                .collect());
        }
        if is_over(&first) {
            until.get_or_insert_with(|| Instant::now() + most);
        }
        let deadline = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            grown = head.wait_for(|head| *head > seen) => drop(grown.map_err(wrong)?),
            why = journal.ended() => return Err(wrong(why)),
            () = deadline => {}
        }
    }
}

/// The turn, and the delivery turns that followed from it so far.
fn chain(first: TurnId, events: &[Event]) -> Vec<TurnId> {
    let mut turns = vec![first];
    for event in events {
        if let (Some(turn), Kind::DeliveryAccepted(accepted)) = (event.turn, &event.kind)
            && turns.contains(&turn)
            && !turns.contains(&accepted.turn)
        {
            turns.push(accepted.turn);
        }
    }
    turns
}
