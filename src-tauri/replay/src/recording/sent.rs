//! The files that people sent in a recording. Their bytes are nowhere: others of the same size and type take their
//! place, for a voice message its words; and what did not come does not come again.

use super::story::Turn;
use foldback_agents::Accepts;
use foldback_channels::sim::{SimFile, SimPlatform};
use foldback_wire::{Event, FileFate, Inbound, Kind, MessageId, RefusalCode, Understanding};
use std::{collections::HashSet, time::Duration};

/// Longer than any turn waits.
const TOO_LONG: Duration = Duration::from_hours(24);

/// How files of these types begin.
const BEGINNINGS: &[(&str, &[u8])] = &[
    ("image/png", b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", b"\xff\xd8\xff"),
    ("image/gif", b"GIF89a"),
    ("image/webp", b"RIFF\0\0\0\0WEBP"),
    ("application/pdf", b"%PDF-"),
];

/// Puts the files of a turn's message where they can be fetched.
pub(super) fn send(message: &mut Inbound, turn: &Turn<'_>, platform: &mut SimPlatform) {
    for file in &mut message.files {
        file.source = None;
    }
    let understood = |index: u32| {
        turn.events.iter().find_map(|event| match &event.kind {
            Kind::Understood(file) if file.index == index => Some(file),
            _ => None,
        })
    };
    for event in &turn.events {
        let Kind::Gathered {
            index,
            media_type,
            bytes,
            fate,
            heard,
            ..
        } = &event.kind
        else {
            continue;
        };
        let Some(file) = message.files.get_mut(*index as usize) else {
            continue;
        };
        let words = understood(*index)
            .filter(|file| file.how != Understanding::Description)
            .and_then(|file| file.text.as_ref());
        file.source = Some(platform.keep(match words.or(heard.as_ref()) {
            Some(words) => spoken(media_type, words).into(),
            None => stand_in(media_type, *bytes, *fate),
        }));
    }
}

/// A file whose content is its words.
fn spoken(media_type: &str, words: &str) -> Vec<u8> {
    let known = BEGINNINGS.iter().find(|(known, _)| *known == media_type);
    // A replay reads what stands behind the first line.
    let beginning = known.map(|(_, beginning)| [beginning, &b"\n"[..]].concat());
    let mut content = beginning.unwrap_or_default();
    content.extend_from_slice(words.as_bytes());
    content
}

fn stand_in(media_type: &str, bytes: Option<u64>, fate: FileFate) -> SimFile {
    let known = BEGINNINGS.iter().find(|(known, _)| *known == media_type);
    let mut content = known.map_or_else(Vec::new, |(_, beginning)| beginning.to_vec());
    content.resize(
        bytes
            .and_then(|bytes| usize::try_from(bytes).ok())
            .unwrap_or_default(),
        0,
    );
    let (refused, takes) = match (fate, bytes) {
        (FileFate::Unavailable, _) => (Some(RefusalCode::Gone), Duration::ZERO),
        (FileFate::TooLarge, None) => (Some(RefusalCode::TooLong), Duration::ZERO),
        (FileFate::TooSlow | FileFate::Cancelled, _) => (None, TOO_LONG),
        _ => (None, Duration::ZERO),
    };
    SimFile {
        takes,
        refused,
        ..content.into()
    }
}

/// The messages that an agent took while it ran.
pub(super) fn taken_into_runs(events: &[Event]) -> HashSet<MessageId> {
    let is_joined = |event: &&Event| matches!(event.kind, Kind::Joined { .. });
    let joined: HashSet<_> = events
        .iter()
        .filter(is_joined)
        .filter_map(|event| event.turn)
        .collect();
    let message = |event: &Event| match &event.kind {
        Kind::Received { message } => joined.contains(&event.turn?).then(|| message.message.clone()),
        _ => None,
    };
    events.iter().filter_map(message).collect()
}

/// What the agent took: everything but what it is recorded to have refused. What no setting was to blame for, was too
/// much for the agent.
pub(super) fn accepts(events: &[Event]) -> Accepts {
    let mut accepts = Accepts {
        images: true,
        files: true,
        ..Accepts::default()
    };
    // Pictures that the message being gathered has handed over.
    let mut given = 0;
    for event in events {
        let Kind::Gathered {
            index,
            media_type,
            bytes,
            fate,
            setting,
            ..
        } = &event.kind
        else {
            continue;
        };
        let picture =
            media_type.starts_with("image/") && BEGINNINGS.iter().any(|(known, _)| known == media_type);
        if *index == 0 {
            given = 0;
        }
        let most = &mut accepts.pictures;
        match (fate, bytes) {
            (FileFate::NotTaken | FileFate::Described, _) if picture => accepts.images = false,
            (FileFate::NotTaken | FileFate::Read, _) => accepts.files = false,
            (FileFate::Given, _) if picture => given += 1,
            (FileFate::TooLarge, Some(bytes)) if setting.is_none() => {
                most.bytes = most.bytes.min(bytes.saturating_sub(1));
            }
            (FileFate::TooMany, _) if setting.is_none() => most.number = most.number.min(given),
            _ => {}
        }
    }
    accepts
}
