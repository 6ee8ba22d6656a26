//! A platform acknowledges a message, and says later that it did not arrive.

use crate::bot::World;
use crate::late::{Place, second};
use foldback_channels::{Refusal, Signal};
use foldback_pipeline::invariants::{self, Extent};
use foldback_wire::{Event, Kind, MessageId, OpId, RefusalCode, TurnId};
use std::time::Duration;

impl Place {
    /// The platform says that it did not arrive; whether that was written down.
    async fn lose(&self, message: &MessageId) -> bool {
        let refusal = Refusal::new(RefusalCode::Forbidden, "the window is closed");
        let message = message.clone();
        self.tell(|kept| Signal::Undelivered {
            message,
            refusal,
            kept: Some(kept),
        })
        .await
    }

    async fn lost(&self) -> Vec<(Option<TurnId>, OpId, RefusalCode, String)> {
        let lost = |event: Event| match event.kind {
            Kind::Undelivered {
                op, refusal, detail, ..
            } => Some((event.turn, op, refusal, detail)),
            _ => None,
        };
        self.events().await.into_iter().filter_map(lost).collect()
    }
}

fn told(turn: TurnId, op: OpId) -> Vec<(Option<TurnId>, OpId, RefusalCode, String)> {
    vec![(
        Some(turn),
        op,
        RefusalCode::Forbidden,
        "the window is closed".to_owned(),
    )]
}

#[tokio::test(start_paused = true)]
async fn what_did_not_arrive_is_a_failure_of_its_operation_said_once() {
    let place = Place::open(World::new()).await;
    let (turn, made) = place.answer().await;
    let (op, message) = &made[0];
    tokio::time::sleep(Duration::from_hours(1)).await;
    for _ in 0..3 {
        assert!(place.lose(message).await);
        assert_eq!(place.lost().await, told(turn, *op));
    }
    let events = place.events().await;
    let session = events.iter().find_map(|event| event.session.clone());
    let lost = events
        .iter()
        .find(|event| matches!(event.kind, Kind::Undelivered { .. }))
        .unwrap();
    assert_eq!(
        (&lost.session, lost.channel.as_ref().unwrap().as_str()),
        (&session, "whatsapp")
    );
    place.engine.shutdown(Duration::from_secs(5)).await.unwrap();
    let violations = invariants::check(&place.events().await, Extent::Ended);
    assert!(violations.is_empty(), "{violations:#?}");
}

#[tokio::test(start_paused = true)]
async fn everything_that_an_operation_made_belongs_to_it_and_it_fails_once() {
    for first in [0, 1] {
        let place = Place::open(World::new()).await;
        let (turn, made) = place.answer().await;
        let (op, message) = &made[0];
        let both = [second(message), message.clone()];
        for lost in [&both[first], &both[1 - first], &both[first]] {
            assert!(place.lose(lost).await);
            assert_eq!(place.lost().await, told(turn, *op));
        }
        place.engine.shutdown(Duration::from_secs(5)).await.unwrap();
        let violations = invariants::check(&place.events().await, Extent::Ended);
        assert!(violations.is_empty(), "{violations:#?}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_known_after_a_restart_too() {
    let place = Place::open(World::new()).await;
    let (turn, made) = place.answer().await;
    let (op, message) = &made[0];
    place.engine.shutdown(Duration::from_secs(5)).await.unwrap();
    let place = Place::open(place.world).await;
    assert!(place.lose(message).await);
    assert!(place.lose(message).await);
    assert_eq!(place.lost().await, told(turn, *op));
}

#[tokio::test(start_paused = true)]
async fn an_unknown_message_stays_a_warning() {
    let place = Place::open(World::new()).await;
    place.answer().await;
    assert!(place.lose(&"wamid.another".into()).await);
    assert!(place.lost().await.is_empty());
    let warned = place
        .events()
        .await
        .into_iter()
        .find_map(|event| match event.kind {
            Kind::Warned { detail } => Some((event.channel?.to_string(), event.turn, detail)),
            _ => None,
        });
    let detail = "wamid.another was acknowledged, but did not arrive: the window is closed".to_owned();
    assert_eq!(warned, Some(("whatsapp".to_owned(), None, detail)));
}
