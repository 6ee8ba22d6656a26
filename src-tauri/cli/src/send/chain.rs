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
    let mut chain = Chain::of(first);
    let mut until: Option<Instant> = None;
    loop {
        let new = journal
            .read(Seq(seen.0 + 1), usize::MAX >> 1)
            .await
            .map_err(wrong)?;
        seen = new.last().map_or(seen, |event| event.seq);
        for event in chain.take(new) {
            if let Some(turn) = event.turn {
                requests.tell(turn, event);
            }
        }
        let is_late = until.is_some_and(|until| until <= Instant::now());
        if chain.is_over() || is_late {
            return Ok(chain.turns);
        }
        if chain.is_over_in(first) {
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

/// The turn, and the delivery turns that followed from it so far, each with its events. Those of other turns are not kept: what
/// a busy bot does meanwhile, for up to ten minutes, takes no memory.
struct Chain {
    turns: Vec<(TurnId, Vec<Event>)>,
}

impl Chain {
    fn of(first: TurnId) -> Self {
        Self {
            turns: vec![(first, Vec::new())],
        }
    }

    /// Keeps those of the next events that are of the chain, and gives them. An event of a delivery turn may stand before the one
    /// that joins the turn to the chain, but never in another append: all that are read at once count.
    fn take(&mut self, new: Vec<Event>) -> impl Iterator<Item = &Event> {
        for event in &new {
            if let (Some(turn), Kind::DeliveryAccepted(accepted)) = (event.turn, &event.kind)
                && self.has(turn)
                && !self.has(accepted.turn)
            {
                self.turns.push((accepted.turn, Vec::new()));
            }
        }
        let before: Vec<_> = self.turns.iter().map(|(_, events)| events.len()).collect();
        for event in new {
            let of = self.turns.iter_mut().find(|(turn, _)| event.turn == Some(*turn));
            if let Some((_, events)) = of {
                events.push(event);
            }
        }
        let kept = self.turns.iter().zip(before);
        kept.flat_map(|((_, events), before)| events.iter().skip(before))
    }

    fn has(&self, turn: TurnId) -> bool {
        self.turns.iter().any(|(known, _)| *known == turn)
    }

    fn is_over_in(&self, turn: TurnId) -> bool {
        let ends = |event: &Event| matches!(event.kind, Kind::TurnEnded { .. });
        let of = self.turns.iter().find(|(known, _)| *known == turn);
        of.is_some_and(|(_, events)| events.iter().any(ends))
    }

    fn is_over(&self) -> bool {
        self.turns.iter().all(|(turn, _)| self.is_over_in(*turn))
    }
}

#[cfg(test)]
mod tests {
    use super::Chain;
    use foldback_wire::{DeliveryAccepted, Event, Kind, Seq, Terminal, Timestamp, TurnId};

    fn event(seq: u64, turn: u64, kind: Kind) -> Event {
        Event {
            seq: Seq(seq),
            at: Timestamp(0),
            turn: Some(TurnId(turn)),
            session: None,
            channel: None,
            kind,
        }
    }

    fn accepted(seq: u64, turn: u64, next: u64) -> Event {
        let accepted = DeliveryAccepted {
            id: format!("d{next}").into(),
            turn: TurnId(next),
        };
        event(seq, turn, Kind::DeliveryAccepted(accepted))
    }

    fn ended(seq: u64, turn: u64) -> Event {
        let terminal = Terminal::Replied;
        event(seq, turn, Kind::TurnEnded { terminal })
    }

    fn idle(seq: u64, turn: u64) -> Event {
        event(seq, turn, Kind::Idle)
    }

    fn kept(chain: &Chain) -> Vec<u64> {
        let all = chain.turns.iter().flat_map(|(_, events)| events);
        all.map(|event| event.seq.0).collect()
    }

    #[test]
    fn only_events_of_the_chain_are_kept_whatever_else_goes_on() {
        let mut chain = Chain::of(TurnId(1));
        let others = |from: u64| (from..from + 1000).map(|seq| idle(seq, 7 + seq));
        let mut new: Vec<_> = others(100).collect();
        new.extend([accepted(2000, 7, 8), ended(2001, 8)]);
        assert_eq!(chain.take(new).count(), 0);
        assert_eq!(kept(&chain), [0_u64; 0]);
        // The delivery turn begins before the event that joins it, in the same append.
        let told: Vec<_> = chain
            .take(vec![idle(3000, 2), accepted(3001, 1, 2), ended(3002, 1)])
            .map(|event| event.seq.0)
            .collect();
        assert_eq!(told, [3001, 3002, 3000]);
        assert!(chain.is_over_in(TurnId(1)) && !chain.is_over());
        assert_eq!(chain.take(others(4000).collect()).count(), 0);
        assert_eq!(
            chain
                .take(vec![accepted(6000, 2, 3), ended(6001, 2), idle(6002, 3)])
                .count(),
            3
        );
        assert!(!chain.is_over());
        assert_eq!(chain.take(vec![ended(6003, 3)]).count(), 1);
        assert!(chain.is_over());
        assert_eq!(kept(&chain), [3001, 3002, 3000, 6000, 6001, 6002, 6003]);
    }
}
