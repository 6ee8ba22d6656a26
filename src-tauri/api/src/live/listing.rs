//! What a view lists: events, or turns.

use foldback_store::{StoreError, TurnView, View};
use foldback_wire::Seq;

/// A view, by what its rows are.
pub(crate) enum Listing {
    /// Events.
    Events(View),
    /// Turns.
    Turns(TurnView),
}

/// What a view is made of: while it is as before, the view is, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The last place that was looked at.
    pub(crate) examined: Seq,
    /// Events that the journal has deleted, as far as the view knows.
    deleted: u64,
}

impl Listing {
    pub(crate) async fn catch_up(&self) -> Result<bool, StoreError> {
        match self {
            Self::Events(view) => view.catch_up().await,
            Self::Turns(view) => view.catch_up().await,
        }
    }

    pub(crate) async fn changed(&self) -> Result<(), StoreError> {
        match self {
            Self::Events(view) => view.changed().await,
            Self::Turns(view) => view.changed().await,
        }
    }

    /// Stands still, or goes on.
    pub(crate) fn stand_still(&self, still: bool) {
        match self {
            Self::Events(view) => view.stand_still(still),
            Self::Turns(view) => view.stand_still(still),
        }
    }

    pub(crate) fn extent(&self) -> Extent {
        match self {
            Self::Events(view) => Extent {
                examined: view.examined(),
                deleted: 0,
            },
            Self::Turns(view) => Extent {
                examined: view.examined(),
                deleted: view.deleted(),
            },
        }
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Events(view) => view.len(),
            Self::Turns(view) => view.len(),
        }
    }

    pub(crate) fn total(&self) -> u64 {
        match self {
            Self::Events(view) => view.total(),
            Self::Turns(view) => view.total(),
        }
    }

    /// Events that the view could not keep up with; one of turns leaves none out.
    pub(crate) fn dropped(&self) -> u64 {
        match self {
            Self::Events(view) => view.dropped(),
            Self::Turns(_) => 0,
        }
    }
}
