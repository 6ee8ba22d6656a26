//! What the queue decided about a message, as events and stops.

use crate::{conversations::TurnWait, flow::Stop, queue_settings::QueueSettings};
use foldback_wire::{Actor, Gate, Kind, Stage, TurnId};

/// The stop of a message that a person dropped while it waited.
pub(crate) fn dropped(by: &Actor) -> Stop {
    let who = format!("{by:#}");
    Stop::new(
        Stage::Queue,
        Gate::Dropped,
        format!("{who} dropped it while it waited"),
    )
    .given("by", who)
}

/// The event that a turn waits, and for what.
pub(super) fn queued(wait: TurnWait) -> Kind {
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let (position, runs) = match wait {
        TurnWait::Conversation(place) => (place, None),
        TurnWait::Run { place, runs } => (place, Some(number(runs))),
    };
    Kind::Queued {
        position: number(position),
        runs,
        needs_consent: false,
    }
}

/// The stop of the oldest message that waits, for a newer one.
pub(super) fn displaced_by(turn: TurnId, settings: &QueueSettings) -> Stop {
    let cap = settings.cap.value;
    let detail = format!("it waited longest of {cap}, as many as may wait, and turn {turn} came");
    Stop::new(Stage::Queue, Gate::Displaced, detail)
        .given("waiting", cap.to_string())
        .given("drop", settings.drop.value.to_string())
        .changed_by(settings.drop_is_set_at())
        .set_by(settings.drop.source)
}

/// The event that only a summary of a message goes to the agent.
pub(super) fn evicted(settings: &QueueSettings) -> Kind {
    Kind::Evicted {
        cap: u32::try_from(settings.cap.value).unwrap_or(u32::MAX),
        setting: settings.drop_is_set_at(),
        source: Some(settings.drop.source),
    }
}
