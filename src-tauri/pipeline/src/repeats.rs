//! A message that is not in memory any more, and comes again: the journal knows it.

use crate::{
    flow::Stop,
    recorder::Recorder,
    rules::{Rule, Rules},
    stages::dedupe::{ClaimState, SeenMessages, duplicate, is_same},
};
use foldback_store::{Mention, Selection, StoreError};
use foldback_wire::{Event, Inbound, Kind, Seq, Terminal, Timestamp, TurnId};
use std::time::Duration;

/// The time that the journal is asked about, up to now: Meta repeats a webhook for seven days
/// (<https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview>), no other platform
/// repeats what was answered for longer, and the clocks of two machines may differ by an hour.
const REPEATED_FOR: Duration = Duration::from_hours(7 * 24 + 1);

/// The kinds that tell how far an earlier turn came with its answer.
const TOLD: [&str; 7] = [
    "action_started",
    "command",
    "inline_directives",
    "run_ended",
    "run_failed",
    "run_cancelled",
    "turn_ended",
];

/// Stops a message that an earlier turn answered, or is still in work on. For a new one this is one look into an
/// index, at nobody else's rows.
pub(crate) async fn find_repeated(
    seen: &SeenMessages,
    rules: Rules,
    recorder: &Recorder,
    message: &Inbound,
    turn: TurnId,
) -> Result<Option<Stop>, StoreError> {
    if !rules.holds(Rule::DedupeClaim) {
        return Ok(None);
    }
    let journal = &recorder.journal;
    let mention = Mention {
        channel: message.channel.clone(),
        chat: Some(message.chat.clone()),
        message: message.message.clone(),
    };
    let since = recorder.now().minus(REPEATED_FOR);
    let came = journal.mentions(&mention, since).await?;
    let came: Vec<_> = came
        .iter()
        .filter_map(|event| earlier(event, message, turn))
        .collect();
    if came.is_empty() {
        return Ok(None);
    }
    // A turn that ended a moment ago is in nobody's work, and its end may not be readable yet.
    journal.flush().await?;
    let wanted = Selection {
        turns: Some(came.iter().map(|(turn, _)| *turn).collect()),
        ..Selection::kinds(TOLD)
    };
    let told = journal
        .select(&wanted, Seq(0), journal.head(), usize::MAX)
        .await?;
    for (first, at) in came {
        let of_turn: Vec<_> = told.iter().filter(|e| e.turn == Some(first)).cloned().collect();
        let state = if seen.lock().works_on(first) {
            ClaimState::InWork
        } else if was_answered(&of_turn) {
            ClaimState::Answered
        } else {
            continue;
        };
        return Ok(Some(duplicate(message, first, at, state)));
    }
    Ok(None)
}

/// The other turn that an event began with the same message, and when.
fn earlier(event: &Event, message: &Inbound, turn: TurnId) -> Option<(TurnId, Timestamp)> {
    let first = event.turn.filter(|first| *first != turn)?;
    match &event.kind {
        Kind::Received { message: came } if is_same(came, message) => Some((first, event.at)),
        _ => None,
    }
}

/// True where a turn that nobody works on any more leaves nothing to answer. A stop and a failure do, unless a person
/// stopped the run and does not want it, or an action of it began; what an earlier process left open does unless its whole
/// answer was in the outbox.
fn was_answered(events: &[Event]) -> bool {
    let is_last_run =
        |event: &Event| matches!(event.kind, Kind::RunCancelled { .. } | Kind::ActionStarted(_));
    if events.iter().any(is_last_run) {
        return true;
    }
    let end = events.iter().find_map(|event| match &event.kind {
        Kind::TurnEnded { terminal } => Some(terminal),
        _ => None,
    });
    match end {
        Some(Terminal::Failed { .. } | Terminal::Blocked { .. } | Terminal::Duplicate) => false,
        Some(_) => true,
        None => was_complete(events),
    }
}

/// True where an action of a turn began. The next copy of its message must not have it begin again, however the turn ended.
pub(crate) async fn has_begun_action(recorder: &Recorder, turn: TurnId) -> Result<bool, StoreError> {
    let wanted = Selection {
        turns: Some([turn].into()),
        ..Selection::kinds(["action_started"])
    };
    let journal = &recorder.journal;
    journal.flush().await?;
    let begun = journal.select(&wanted, Seq(0), journal.head(), 1).await?;
    Ok(!begun.is_empty())
}

/// True where everything that the turn had to say was in the journal before the process ended. An answer of our own is written
/// together with its command, and what a command does outside of the bot is written down before it is done.
pub(crate) fn was_complete(events: &[Event]) -> bool {
    let own = |e: &Event| match &e.kind {
        Kind::Command { .. } => true,
        Kind::InlineDirectives(read) => read.scope.answers(),
        _ => false,
    };
    if events.iter().any(own) {
        return true;
    }
    let ended = |e: &Event| matches!(e.kind, Kind::RunEnded { .. });
    let failed = |e: &Event| matches!(e.kind, Kind::RunFailed { .. });
    events.iter().any(ended) && !events.iter().any(failed)
}
