//! Recordings, played again.

use super::Ran;
use foldback_replay::{
    Options,
    recording::{Recording, play},
};
use foldback_wire::Platform;
use std::path::PathBuf;

/// Plays every channel of every recording; only the one, where one is named.
pub(super) fn play_all(
    recordings: &[(PathBuf, Recording)],
    only: Option<Platform>,
    options: &Options,
) -> Vec<Ran> {
    let mut ran = Vec::new();
    for (path, recording) in recordings {
        for channel in recording.channels() {
            if only.is_some_and(|platform| platform.code() != channel.as_str()) {
                continue;
            }
            let (case, events) = match play(path, recording, channel, options) {
                Ok(played) => played,
                Err(case) => (*case, Vec::new()),
            };
            ran.push(Ran {
                case,
                came: None,
                events,
            });
        }
    }
    ran
}
