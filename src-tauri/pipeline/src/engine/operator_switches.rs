//! Switches that an operator had set by hand when an earlier process ended. They last until a person sets them again.

use foldback_wire::{Actor, ChannelId, ChannelState, Event, Kind};
use std::collections::BTreeMap;

/// The operator who muted the bot, and the one who switched each channel off, read backwards from the journal.
#[derive(Debug, Default)]
pub(super) struct OperatorSwitches {
    /// The last change: muted or not, and by whom.
    muted: Option<(bool, Actor)>,
    /// The operator who switched each channel off; `None` where it was on, or off for another reason.
    off: BTreeMap<ChannelId, Option<Actor>>,
}

impl OperatorSwitches {
    /// Folds in the event before those folded so far: the later one counts.
    pub(super) fn fold_event(&mut self, event: &Event) {
        match (&event.kind, &event.channel) {
            (Kind::Muted { muted, by }, _) => {
                self.muted.get_or_insert_with(|| (*muted, by.clone()));
            }
            (
                Kind::ChannelState {
                    to: ChannelState::Off,
                    by,
                    ..
                },
                Some(channel),
            ) if by.is_person() => {
                self.off
                    .entry(channel.clone())
                    .or_insert_with(|| Some(by.clone()));
            }
            // A process that ends switches its channels off; that says nothing about before.
            (
                Kind::ChannelState {
                    from: ChannelState::Off,
                    ..
                },
                Some(channel),
            ) => {
                self.off.entry(channel.clone()).or_default();
            }
            _ => {}
        }
    }

    /// The operator who muted the bot, where it was left muted.
    pub(super) fn muted_by(&self) -> Option<&Actor> {
        self.muted.as_ref().filter(|(muted, _)| *muted).map(|(_, by)| by)
    }

    /// The operator who switched a channel off, where it was left so.
    pub(super) fn switched_off_by(&self, channel: &ChannelId) -> Option<&Actor> {
        self.off.get(channel)?.as_ref()
    }
}
