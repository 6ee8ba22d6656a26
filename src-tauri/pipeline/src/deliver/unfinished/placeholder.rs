//! The placeholder that an earlier process left.

use crate::deliver::{arrival::arrived, begun::ShownMessage};
use foldback_wire::{Body, Clock, Event, Kind, MessageId, OpId, OpKind};
use std::collections::BTreeMap;

/// The placeholder of a turn, where it stands on the screen as it was put there: nothing replaced or removed it.
pub(crate) fn unfinished_placeholder(events: &[Event], clock: &dyn Clock) -> Option<ShownMessage> {
    let mut put = None;
    let mut touched: BTreeMap<OpId, &MessageId> = BTreeMap::new();
    let mut standing: Option<ShownMessage> = None;
    for event in events {
        match &event.kind {
            // It stands there before the agent has said anything.
            Kind::Chunk { .. } if put.is_none() => return None,
            // An aside is live, too, and replaced by nothing.
            Kind::Intended { op, intent }
                if put.is_none()
                    && intent.live
                    && intent.kind == OpKind::SendText
                    && !matches!(intent.body, Some(Body::Aside { .. })) =>
            {
                put = Some((*op, intent.body.as_ref()));
            }
            Kind::Intended { op, intent } => {
                touched.extend(intent.message.as_ref().map(|message| (*op, message)));
            }
            Kind::Ended { op, outcome } => match put {
                Some((placeholder, body)) if placeholder == *op => {
                    let text = match body {
                        Some(Body::Literal { text, .. }) => text.clone(),
                        _ => String::new(),
                    };
                    standing = outcome.message.clone().map(|id| ShownMessage {
                        id,
                        text,
                        at: clock.steady_of(event.at),
                    });
                }
                _ => {
                    let on = touched.get(op).copied();
                    standing.take_if(|shown| arrived(outcome) && on == Some(&shown.id));
                }
            },
            _ => {}
        }
    }
    standing
}
