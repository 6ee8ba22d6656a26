//! What people had switched off by hand when an earlier process ended: it lasts until a person says otherwise.

use foldback_wire::{Actor, ChannelId, ChannelState, Event, Kind};
use std::collections::BTreeMap;

/// Who muted the bot, and who switched which channel off. Learnt on the way back through the journal.
#[derive(Debug, Default)]
pub(super) struct ByHand {
    /// Whether the bot was muted last, and by whom.
    muted: Option<(bool, Actor)>,
    /// Who switched each channel off; `None` where it was on, or off for another reason.
    off: BTreeMap<ChannelId, Option<Actor>>,
}

impl ByHand {
    /// Takes the event before those taken so far: what came later counts.
    pub(super) fn take(&mut self, event: &Event) {
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

    /// Who muted the bot, where it was left muted.
    pub(super) fn muted(&self) -> Option<&Actor> {
        self.muted.as_ref().filter(|(muted, _)| *muted).map(|(_, by)| by)
    }

    /// Who switched a channel off, where it was left so.
    pub(super) fn off(&self, channel: &ChannelId) -> Option<&Actor> {
        self.off.get(channel)?.as_ref()
    }
}
