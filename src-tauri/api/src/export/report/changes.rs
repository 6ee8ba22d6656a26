//! What people did: switched, armed, muted, sent again, approved, stopped; when, and who.

use super::{super::words::moment, Section, place};
use crate::backend::again;
use foldback_store::row;
use foldback_wire::{Event, Kind, PermissionId, TurnId, visible};
use std::collections::BTreeMap;

/// The changes so far.
#[derive(Default)]
pub(super) struct Changes {
    rows: Vec<Vec<String>>,
    /// The command or the words of each question of an agent, by turn and question.
    asked: BTreeMap<(Option<TurnId>, PermissionId), String>,
}

impl Changes {
    pub(super) fn see(&mut self, event: &Event) {
        if let Kind::PermissionAsked { request, .. } = &event.kind {
            let title = visible(&request.title).into_owned();
            self.asked.insert((event.turn, request.id.clone()), title);
        }
        let Some((by, what)) = change(event) else { return };
        let what = match &event.kind {
            Kind::PermissionDecided { id, .. } => match self.asked.remove(&(event.turn, id.clone())) {
                Some(title) => format!("{what}: {title}"),
                None => what,
            },
            _ => what,
        };
        let [channel, turn] = place(event);
        self.rows.push(vec![moment(event.at), by, channel, turn, what]);
    }

    pub(super) fn section(self) -> Section {
        Section {
            heading: "What people changed",
            empty: "Nothing was switched, armed, muted or sent again.",
            columns: &["At", "Who", "Channel", "Turn", "What"],
            rows: self.rows,
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

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::{Actor, PermissionKind, PermissionOption, PermissionRequest, Seq, Timestamp};

    #[test]
    fn a_confirmation_names_what_was_confirmed() {
        let mut changes = Changes::default();
        let option = PermissionOption {
            id: "allow_once".to_owned(),
            name: "Carry it out".to_owned(),
            kind: PermissionKind::AllowOnce,
        };
        let mut see = |kind| {
            changes.see(&Event {
                seq: Seq(1),
                at: Timestamp(0),
                turn: Some(TurnId(7)),
                session: None,
                channel: Some("telegram".into()),
                kind,
            });
        };
        let request = serde_json::json!({
            "id": PermissionRequest::id_of_action(0), "tool": null, "title": "bash: df -h", "does": "",
            "arguments": null, "options": [],
        });
        see(Kind::PermissionAsked {
            request: serde_json::from_value(request).unwrap(),
            until: None,
        });
        see(Kind::PermissionDecided {
            id: PermissionRequest::id_of_action(0),
            option: Some(option),
            by: Actor::Console,
            why: "a person".to_owned(),
            decided_by: None,
        });
        let rows = changes.section().rows;
        assert!(rows[0][4].ends_with(": bash: df -h"), "{rows:?}");
    }
}
