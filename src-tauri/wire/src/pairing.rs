//! Pairing: somebody unknown writes to the bot directly, gets a code, and an operator lets them in.

use crate::closed::closed_set;

closed_set! {
    /// A step in the pairing of an unknown sender.
    pub enum PairingStep {
        Requested = "requested": "Somebody unknown wrote directly and got a code.",
        Replaced = "replaced": "A newer request took their place on the list of those who wait.",
        Approved = "approved": "An operator let them in.",
        Refused = "refused": "An operator refused them.",
        Revoked = "revoked": "An operator took the approval back.",
    }
}

impl PairingStep {
    /// True of a step that says whether somebody may talk to the bot. It counts for good, whereas a request and what comes
    /// of it end with the code.
    pub const fn decides_approval(self) -> bool {
        matches!(self, Self::Approved | Self::Revoked)
    }
}
