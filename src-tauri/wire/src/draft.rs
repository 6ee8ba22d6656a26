//! An event as it stands in the journal, and before it has a place there.

use crate::{ChannelId, Kind, Seq, SessionId, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

/// One decision in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Event {
    /// Place in the journal.
    pub seq: Seq,
    /// The time at which it was decided.
    pub at: Timestamp,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// The session it belongs to.
    pub session: Option<SessionId>,
    /// The channel it belongs to.
    pub channel: Option<ChannelId>,
    /// The decision.
    pub kind: Kind,
}

/// An event that has no place in the journal yet; the store gives it one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The time at which it was decided.
    pub at: Timestamp,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// The session it belongs to.
    pub session: Option<SessionId>,
    /// The channel it belongs to.
    pub channel: Option<ChannelId>,
    /// The decision.
    pub kind: Kind,
}

impl Draft {
    /// The event at this place of the journal.
    pub fn at_seq(self, seq: Seq) -> Event {
        let Self {
            at,
            turn,
            session,
            channel,
            kind,
        } = self;
        Event {
            seq,
            at,
            turn,
            session,
            channel,
            kind,
        }
    }
}

impl Kind {
    /// True where it only tells what became of an operation that had ended, that a person looked at it, or that something is
    /// delivered for it in another turn: it may come after its turn's end, and changes nothing of how long that took.
    pub const fn is_late(&self) -> bool {
        matches!(
            self,
            Self::Undelivered { .. }
                | Self::Receipt { .. }
                | Self::Reviewed { .. }
                | Self::DeliveryAccepted(_)
        )
    }

    /// Forgets what only the process that writes the journal needs: before it is shown or exported.
    pub fn forget_handles(&mut self) {
        if let Self::Received { message } = self {
            message.forget_handles();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A turn has hundreds of events, and each is moved several times on its way into the journal: what is large stands
    /// in a box.
    #[test]
    fn an_event_is_small_enough_to_be_moved() {
        assert!(size_of::<Event>() <= 240, "{} bytes", size_of::<Event>());
    }
}
