//! What was understood of files and read behind links and in threads in a recording: in a replay nobody is asked again.

use foldback_agents::links::LinkText;
use foldback_wire::{Event, Kind, MessageId, ReadThread, Understanding};
use std::collections::{BTreeMap, HashMap};

/// The words for pictures, by the name of the file, in the order in which they were described.
pub(super) fn descriptions(events: &[Event]) -> Vec<(String, String)> {
    let described = events.iter().filter_map(|event| match &event.kind {
        Kind::Understood(file) if file.how == Understanding::Description => {
            Some((file.name.clone(), file.text.clone()?))
        }
        _ => None,
    });
    described.collect()
}

/// What was read of links, or the reason why nothing was. Of a link that was read several times, the last counts.
pub(super) fn links(events: &[Event]) -> BTreeMap<String, Result<LinkText, String>> {
    let read = events.iter().filter_map(|event| match &event.kind {
        Kind::LinkRead {
            link,
            text,
            bytes,
            why,
        } => {
            let read = text.as_ref().map(|text| LinkText {
                text: text.clone(),
                bytes: usize::try_from(*bytes).unwrap_or(usize::MAX),
            });
            Some((link.clone(), read.ok_or_else(|| why.clone())))
        }
        _ => None,
    });
    read.collect()
}

/// What was read of the threads of messages. Of one that was read again after a kill, the last counts.
pub(super) fn threads(events: &[Event]) -> BTreeMap<MessageId, ReadThread> {
    let mut messages = HashMap::new();
    let mut threads = BTreeMap::new();
    for event in events {
        match (&event.kind, event.turn) {
            (Kind::Received { message }, Some(turn)) => {
                messages.insert(turn, message.message.clone());
            }
            (Kind::ThreadRead(read), Some(turn)) => {
                let message = messages.get(&turn).cloned();
                threads.extend(message.map(|message| (message, read.clone())));
            }
            _ => {}
        }
    }
    threads
}
