//! The filter language: one parser for the console, for highlight rules and for `--where`.
//!
//! ```text
//! channel:discord,telegram reason:partial_tag -kind:edit dur>1.5s (is:error or /time.?out/i) not "try again"
//! ```
//!
//! Tests side by side must all hold; `or` binds less tightly, `-` and `not` more. A word without a field is
//! looked for anywhere in the event, in any case. What is not in the language is an error with its place and,
//! where possible, what was meant: a slip never shows as "no rows".

mod check;
mod complete;
mod fields;
mod operations;
mod parse;
mod tree;
mod values;

pub use complete::complete;
pub use fields::{FIELDS, Field, Value, Values};

use crate::{EventDuration, Scene, Selection};
use check::{Answerable, Check, Seen};
use foldback_wire::{ChannelId, Event, Timestamp, rpc::FilterError};
use operations::OpenOperations;
use std::{fmt, str::FromStr};
use tree::Node;

/// A filter, read. Its `Display` is a filter that means the same.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    node: Option<Node>,
}

impl Filter {
    /// The filter that lets everything pass.
    pub const ALL: Self = Self { node: None };

    /// Reads a filter. A text without a test lets everything pass.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        parse::parse(text, None).map(|node| Self { node })
    }

    /// Reads a filter for a journal with these channels; another channel in it is an error, too.
    pub fn parse_for(text: &str, channels: &[ChannelId]) -> Result<Self, FilterError> {
        parse::parse(text, Some(channels)).map(|node| Self { node })
    }

    /// Whether it lets everything pass.
    pub fn is_everything(&self) -> bool {
        self.node.is_none()
    }

    /// The filter of what passes both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let nodes = self.node.iter().chain(&other.node).cloned().collect();
        Self {
            node: Node::all(nodes),
        }
    }

    /// Makes it ready; `now` is what `after:-5m` counts from.
    pub fn matcher(&self, now: Timestamp) -> Matcher {
        let check = self.node.as_ref().map(|node| Check::new(node, now));
        let open = check
            .as_ref()
            .filter(|check| check.needs_past())
            .map(|_| OpenOperations::default());
        let everything = Answerable {
            selection: Selection::ALL,
            exact: true,
        };
        let answerable = check.as_ref().map_or(everything, Check::answerable);
        let Answerable { selection, exact } = if open.is_some() {
            answerable.with_past()
        } else {
            answerable
        };
        let needs_durations = check.as_ref().is_some_and(Check::needs_durations);
        Matcher {
            check,
            open,
            selection,
            exact,
            needs_durations,
        }
    }
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        Self::parse(text)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.as_ref().map_or(Ok(()), |node| node.fmt(f))
    }
}

/// A filter at work. Some tests (of operations) need what came before an event: show it every event that
/// [`Self::selection`] admits, in the order of the journal. One of a hold or a wait comes again when that is over, where
/// the filter [changes with its end](Self::changes_with_end).
#[derive(Debug)]
pub struct Matcher {
    check: Option<Check>,
    open: Option<OpenOperations>,
    selection: Selection,
    exact: bool,
    needs_durations: bool,
}

impl Matcher {
    /// Whether the event passes; `lasted` is what [`crate::Journal::durations`] knows of it now.
    pub fn matches(&mut self, event: &Event, scene: &Scene, lasted: Option<&EventDuration>) -> bool {
        let operation = self.open.as_mut().and_then(|open| open.see(event));
        let seen = Seen {
            event,
            scene,
            operation,
            lasted,
        };
        self.check.as_ref().is_none_or(|check| check.passes(&seen))
    }

    /// True where it must see what was before an event, from the first that its selection admits.
    pub fn needs_past(&self) -> bool {
        self.open.is_some()
    }

    /// True where it must be told the duration of what an event began or ended, as far as that is known.
    pub fn needs_durations(&self) -> bool {
        self.needs_durations
    }

    /// True where it asks how long something lasted: the same event may pass once that is over, or pass no longer.
    pub fn changes_with_end(&self) -> bool {
        self.check.as_ref().is_some_and(Check::changes_with_end)
    }

    /// The events that it needs to see; no other can pass.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Whether every event of the selection passes, so that none needs to be read.
    pub fn is_exact(&self) -> bool {
        self.exact
    }
}
