//! What people did: switched, armed, muted, sent again, approved, stopped; when, and who.

use super::{super::words::moment, Section, place};
use crate::backend::again;
use foldback_store::row;
use foldback_wire::{Event, Kind};

/// The changes so far.
#[derive(Default)]
pub(super) struct Changes(Vec<Vec<String>>);

impl Changes {
    pub(super) fn see(&mut self, event: &Event) {
        let Some((by, what)) = change(event) else { return };
        let [channel, turn] = place(event);
        self.0.push(vec![moment(event.at), by, channel, turn, what]);
    }

    pub(super) fn section(self) -> Section {
        Section {
            heading: "What people changed",
            empty: "Nothing was switched, armed, muted or sent again.",
            columns: &["At", "Who", "Channel", "Turn", "What"],
            rows: self.0,
        }
    }
}

/// Who changed something, and what; `None` for what no person did.
fn change(event: &Event) -> Option<(String, String)> {
    let by = match &event.kind {
        Kind::Received { message } => {
            let op = again(&message.message)?;
            let sender = message.sender.readable_name().to_owned();
            return Some((sender, format!("sent operation {op} again")));
        }
        Kind::Started { .. } | Kind::Stopped => return Some((String::new(), row(event, None).summary)),
        Kind::ChannelState { by, .. }
        | Kind::Armed { by, .. }
        | Kind::Muted { by, .. }
        | Kind::HeldSettled { by, .. }
        | Kind::FaultPlanned { by, .. }
        | Kind::FaultRemoved { by, .. }
        | Kind::Pairing { by, .. }
        | Kind::PermissionDecided { by, .. }
        | Kind::RunCancelled { by, .. }
        | Kind::QueueReordered { by, .. }
        | Kind::SessionReset { by, .. }
        | Kind::HistoryCompacted { by, .. }
        | Kind::Reviewed { by } => by,
        _ => return None,
    };
    by.is_person().then(|| (by.to_string(), row(event, None).summary))
}
