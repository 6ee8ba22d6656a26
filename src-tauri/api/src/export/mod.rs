//! Exports: turns of a journal as a file that leaves it.
//!
//! There is one way out. [`Exporter::read`] finds the turns, reads their events and masks those as `[redact]` says, also
//! where redaction is off for the bot or keeps what users write: a file goes to people who are no operators. Every form
//! (recording, fixture, Markdown, HTML) is then made from the masked events alone, with the fold that the window uses, so
//! that no form can show what another one masks. What was masked is counted on the way, by comparing both.

mod file;
mod fixture;
mod html;
mod markdown;
mod masks;
mod page;
mod recording;
mod report;
mod scope;
mod words;

pub use file::{check_target, write_export};
pub(crate) use fixture::{Script, fixture_of};
pub use report::ShiftReport;

use crate::{TurnFold, failure};
use foldback_channels::{platform, profile};
use foldback_directives::redact::{InboundSecrets, RedactSettings};
use foldback_pipeline::config::Config;
use foldback_store::Journal;
use foldback_wire::{
    Capabilities, ChannelId, Event, Timestamp, TurnId,
    redact::Redaction,
    rpc::{ExportFormat, ExportMask, ExportScope, Failure},
};
use std::{collections::BTreeMap, path::Path};

/// Where exports come from.
#[derive(Clone, Copy)]
pub struct Exporter<'a> {
    /// The journal.
    pub journal: &'a dyn Journal,
    /// The configuration: its channels, and what it masks.
    pub config: &'a Config,
    /// The folder that relative paths of the configuration lie below.
    pub base: &'a Path,
    /// The moment from which a filter such as `after:-5m` counts.
    pub now: Timestamp,
    /// True to leave secrets in.
    pub unredacted: bool,
}

/// Turns that were read for an export, masked.
pub struct Export<'a> {
    config: &'a Config,
    /// The turns with their events, in the order of their numbers.
    turns: BTreeMap<TurnId, Vec<Event>>,
    /// What happened between the first and the last of them to process and channels, and decides how they play.
    around: Vec<Event>,
    masks: Vec<ExportMask>,
    masked_before: u32,
}

impl Exporter<'_> {
    /// What is masked: `None` only where secrets are to stay in.
    fn redaction(&self) -> Option<Redaction> {
        if self.unredacted {
            return None;
        }
        let settings = RedactSettings {
            enabled: true,
            ..self.config.redact.clone()
        };
        Redaction::knowing(&settings, &self.config.credentials(self.base))
            .map(|redaction| redaction.with_inbound(InboundSecrets::Journal))
    }
}

impl<'a> Exporter<'a> {
    /// Reads the turns of a scope.
    ///
    /// # Errors
    /// `not_found` where a turn does not exist or none is in the scope; `bad_filter`; `journal` when it cannot be read.
    pub async fn read(&self, scope: &ExportScope) -> Result<Export<'a>, Failure> {
        let turns = scope::turns(self, scope).await?;
        let (events, around) = scope::events(self.journal, turns).await?;
        let mut export = Export {
            config: self.config,
            turns: BTreeMap::new(),
            around: Vec::new(),
            masks: Vec::new(),
            masked_before: 0,
        };
        let (events, around) = match self.redaction() {
            None => (events, around),
            Some(redaction) => {
                let (masked, told) = masks::mask(&events, &redaction, &self.config.redact);
                (export.masks, export.masked_before) = (told.masks(), told.masked_before);
                (masked, masks::mask(&around, &redaction, &self.config.redact).0)
            }
        };
        for event in events {
            if let Some(turn) = event.turn {
                export.turns.entry(turn).or_default().push(event);
            }
        }
        export.around = around;
        Ok(export)
    }
}

impl Export<'_> {
    /// The turns, in order.
    pub fn turns(&self) -> Vec<TurnId> {
        self.turns.keys().copied().collect()
    }

    /// What was masked in them, by kind and place.
    pub fn masks(&self) -> &[ExportMask] {
        &self.masks
    }

    /// Secrets in them that the journal had masked when it was written.
    pub const fn masked_before(&self) -> u32 {
        self.masked_before
    }

    /// The file's text in this form.
    ///
    /// # Errors
    /// `cannot_export` where the form cannot hold these turns.
    pub fn text(&self, format: ExportFormat) -> Result<String, Failure> {
        match format {
            ExportFormat::Recording => recording::recording(self),
            ExportFormat::Fixture => fixture::fixture(self).map(|made| made.text),
            ExportFormat::Markdown => Ok(markdown::markdown(self)),
            ExportFormat::Html => html::html(self),
        }
    }

    /// A name for the file.
    pub fn file_name(&self, format: ExportFormat) -> String {
        let extension = format.extension();
        let mut numbers = self.turns.keys();
        match (numbers.next(), numbers.next_back()) {
            (Some(first), Some(last)) => format!("turns-{first}-{last}.{extension}"),
            (Some(only), None) => format!("turn-{only}.{extension}"),
            (None, _) => format!("turns.{extension}"),
        }
    }

    fn folds(&self) -> impl Iterator<Item = TurnFold> + '_ {
        self.turns
            .iter()
            .map(|(turn, events)| TurnFold::of(*turn, events))
    }
}

/// What a channel can do. One that is not configured any more is measured by the platform of its name.
pub(crate) fn capabilities_of(config: &Config, channel: &ChannelId) -> Capabilities {
    config
        .capabilities_of(channel)
        .unwrap_or_else(|| profile(platform::from_code(channel.as_str()).unwrap_or(platform::SIGNAL)))
}

/// Fails where a form would hold more turns than it can.
fn check_count(export: &Export<'_>, most: usize, form: &str) -> Result<(), Failure> {
    let count = export.turns.len();
    if count > most {
        return Err(failure::cannot_export(&format!(
            "These are {count} turns, and {form} holds at most {most}."
        )));
    }
    Ok(())
}
