//! A recording of the turns, which `foldback replay` plays again.

use super::{Export, check_count};
use crate::failure;
use foldback_replay::recording::Head;
use foldback_wire::{Event, rpc::Failure};

/// Most turns of a recording: it is made in memory. `foldback journal export` writes larger ones.
const MOST: usize = 20_000;

/// The first line, then the events in their order, a line each.
pub(super) fn recording(export: &Export<'_>) -> Result<String, Failure> {
    check_count(export, MOST, "a recording")?;
    let mut events: Vec<&Event> = export.turns.values().flatten().chain(&export.around).collect();
    events.sort_by_key(|event| event.seq);
    let json = |error| failure::internal(&error);
    let head = Head {
        events: Some(events.len() as u64),
        ..Head::of(export.config)
    };
    let mut text = serde_json::to_string(&head).map_err(json)?;
    text.push('\n');
    for event in events {
        text += &serde_json::to_string(event).map_err(json)?;
        text.push('\n');
    }
    Ok(text)
}
