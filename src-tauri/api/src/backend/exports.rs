//! Exports of turns to files, and what redaction takes out of them.

use super::{Backend, fixtures::off_thread};
use crate::{
    export::{Exporter, fixture_of, write_export},
    failure,
};
use foldback_replay::{Case, report};
use foldback_wire::{
    TurnId,
    rpc::{ExportOf, ExportPreview, ExportResult, ExportTo, Failure, FixtureJunit, FixtureText, ReportTo},
};
use std::{fs, path::Path};

impl Backend {
    /// A fixture of one turn, as the journal has it; not stored yet.
    pub(super) async fn fixture_from(&self, turn: TurnId) -> Result<FixtureText, Failure> {
        let events = self.shared.journal.turn(turn).await.map_err(failure::journal)?;
        let received = events.iter().find_map(|event| event.channel.as_ref());
        let channel = received.ok_or_else(|| failure::no_turn(turn))?;
        fixture_of(&[(turn, &events)], self.capabilities(channel).platform)
    }

    fn exporter(&self) -> Exporter<'_> {
        let shared = &self.shared;
        Exporter {
            journal: shared.journal.as_ref(),
            config: &shared.config,
            base: &shared.base,
            now: shared.clock.now(),
            unredacted: false,
        }
    }

    pub(super) async fn preview_export(&self, of: ExportOf) -> Result<ExportPreview, Failure> {
        let export = self.exporter().read(&of.scope).await?;
        let text = export.text(of.format)?;
        let path = self.shared.exports.join(export.file_name(of.format));
        Ok(ExportPreview {
            turns: export.turns(),
            bytes: text.len() as u64,
            path: path.display().to_string(),
            masks: export.masks().to_vec(),
            masked_before: export.masked_before(),
        })
    }

    pub(super) async fn export_to(&self, to: ExportTo) -> Result<ExportResult, Failure> {
        let text = self.exporter().read(&to.scope).await?.text(to.format)?;
        self.write_out(to.path, text).await
    }

    pub(super) async fn report_to(&self, to: ReportTo) -> Result<ExportResult, Failure> {
        let report = self.exporter().report(to.since, to.until).await?;
        let text = report.text(to.format)?;
        self.write_out(to.path, text).await
    }

    /// Writes cases of a run as JUnit XML.
    pub(super) async fn write_junit(&self, junit: FixtureJunit) -> Result<ExportResult, Failure> {
        let FixtureJunit { mut cases, path } = junit;
        // A suite is a fixture: its cases stand together, wherever in the run they ended.
        cases.sort_by(|a, b| (&a.path, &a.channel).cmp(&(&b.path, &b.channel)));
        let cases: Vec<Case> = cases.into_iter().map(Case::from).collect();
        let mut text = Vec::new();
        report::junit(&mut text, &cases).map_err(|error| failure::internal(&error))?;
        let text = String::from_utf8(text).map_err(|error| failure::internal(&error))?;
        self.write_out(path, text).await
    }

    /// Writes an export. A relative path lies in the folder for exports.
    pub(super) async fn write_out(&self, path: String, text: String) -> Result<ExportResult, Failure> {
        let folder = self.shared.exports.clone();
        let configuration = self.shared.configuration.clone();
        off_thread(move || {
            if path.trim().is_empty() {
                return Err(failure::bad_path(&path));
            }
            let file = folder.join(path.trim());
            let wrong = |error| failure::cannot_write(&file.display().to_string(), &error);
            if file.starts_with(&folder) {
                fs::create_dir_all(file.parent().unwrap_or(Path::new("/"))).map_err(wrong)?;
            }
            write_export(&file, configuration.as_deref(), &text).map_err(wrong)?;
            Ok(ExportResult {
                path: file.display().to_string(),
                bytes: text.len() as u64,
            })
        })
        .await
    }
}
