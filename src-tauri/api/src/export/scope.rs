//! Which turns an export holds, and their events.

use super::Exporter;
use crate::failure;
use foldback_store::{Filter, Journal, Scene, Selection};
use foldback_wire::{
    Event, Seq, TurnId,
    rpc::{ExportScope, Failure},
};
use std::collections::{BTreeSet, HashMap};

/// Events read at a time.
const BATCH: usize = 2_048;

/// What happens to process and channels and decides how turns go on.
const AROUND: &[&str] = &["started", "muted", "channel_state", "armed", "held_settled"];

/// The turns of a scope, at least one; each has begun with a message.
pub(super) async fn turns(from: &Exporter<'_>, scope: &ExportScope) -> Result<BTreeSet<TurnId>, Failure> {
    let journal = from.journal;
    let head = journal.head();
    let wanted = match scope {
        ExportScope::Turns { turns } => turns.iter().copied().collect(),
        ExportScope::Session { session } => {
            let of_session = Selection {
                sessions: Some(BTreeSet::from([session.clone()])),
                ..Selection::ALL
            };
            numbers(journal, &of_session).await?
        }
        ExportScope::Filter { filter } => passing(from, filter).await?,
    };
    let begun = Selection {
        turns: Some(wanted.clone()),
        ..Selection::kinds(["received"])
    };
    let found: BTreeSet<TurnId> = journal
        .turns(&begun, Seq(0), head)
        .await
        .map_err(failure::journal)?
        .into_iter()
        .map(|(turn, _)| turn)
        .collect();
    match scope {
        ExportScope::Turns { .. } => match wanted.difference(&found).next() {
            Some(missing) => Err(failure::no_turn(*missing)),
            None if found.is_empty() => Err(failure::nothing_to_export()),
            None => Ok(found),
        },
        _ if found.is_empty() => Err(failure::nothing_to_export()),
        _ => Ok(found),
    }
}

async fn numbers(journal: &dyn Journal, wanted: &Selection) -> Result<BTreeSet<TurnId>, Failure> {
    let turns = journal.turns(wanted, Seq(0), journal.head()).await;
    let turns = turns.map_err(failure::journal)?;
    Ok(turns.into_iter().map(|(turn, _)| turn).collect())
}

/// The turns with an event that passes this filter.
async fn passing(from: &Exporter<'_>, text: &str) -> Result<BTreeSet<TurnId>, Failure> {
    let journal = from.journal;
    let channels: Vec<_> = from.config.channels.keys().cloned().collect();
    let filter = Filter::parse_for(text, &channels).map_err(|error| failure::bad_filter(&error))?;
    let mut matcher = filter.matcher(from.now);
    let selection = matcher.selection().clone();
    if matcher.is_exact() {
        return numbers(journal, &selection).await;
    }
    let head = journal.head();
    let mut scene = Scene::live();
    scene.learn(journal, head).await.map_err(failure::journal)?;
    let mut turns = BTreeSet::new();
    let mut after = Seq(0);
    loop {
        let batch = journal.select(&selection, after, head, BATCH).await;
        let events = batch.map_err(failure::journal)?;
        let Some(last) = events.last() else {
            return Ok(turns);
        };
        after = last.seq;
        let places: Vec<_> = events.iter().map(|event| event.seq).collect();
        let known = journal.durations(&places).await.map_err(failure::journal)?;
        let lasted: HashMap<_, _> = known.into_iter().map(|known| (known.seq, known)).collect();
        for event in &events {
            if matcher.matches(event, &scene, lasted.get(&event.seq)) {
                turns.extend(event.turn);
            }
        }
    }
}

/// The events of these turns, and what happened around them, both in order and without handles to files.
pub(super) async fn events(
    journal: &dyn Journal,
    turns: BTreeSet<TurnId>,
) -> Result<(Vec<Event>, Vec<Event>), Failure> {
    let of_turns = Selection {
        turns: Some(turns),
        ..Selection::ALL
    };
    let mut events = journal
        .select(&of_turns, Seq(0), journal.head(), usize::MAX)
        .await
        .map_err(failure::journal)?;
    for event in &mut events {
        event.kind.forget_handles();
    }
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Ok((events, Vec::new()));
    };
    let around = journal
        .select(
            &Selection::kinds(AROUND.iter().copied()),
            first.seq,
            last.seq,
            usize::MAX,
        )
        .await
        .map_err(failure::journal)?;
    let apart = |event: &Event| event.turn.is_none();
    Ok((events, around.into_iter().filter(apart).collect()))
}
