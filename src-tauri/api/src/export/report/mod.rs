//! The shift report: what happened in a time range, as Markdown and as a page.
//!
//! Events are read once, in order, and masked like those of an export. A message counts where it came in, an end where it
//! came: a turn that began before the range and ended in it counts among the ends alone. A report is a list of tables, so
//! that both forms say the same.

mod acted;
mod changes;
mod failures;
mod figures;
mod traffic;

use super::{
    Exporter,
    markdown::{cell, table},
    page::page,
    words::moment,
};
use crate::failure;
use acted::Acted;
use changes::Changes;
use failures::Failures;
use figures::Figures;
use foldback_store::Selection;
use foldback_wire::{
    Event, Kind, Seq, Timestamp,
    rpc::{Failure, ReportFormat},
};
use serde::Serialize;
use std::fmt::Write as _;
use traffic::Traffic;

/// The script that draws the page.
const SCRIPT: &str = include_str!("report.js");

/// Events read at a time.
const BATCH: usize = 4_096;

/// A report, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShiftReport {
    /// Its title: the range.
    title: String,
    sections: Vec<Section>,
}

/// A table of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Section {
    heading: &'static str,
    /// What it says where it has no row.
    empty: &'static str,
    columns: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

impl Exporter<'_> {
    /// Reads the report of the events from `since` on, before `until`.
    ///
    /// # Errors
    /// `cannot_export` where the range ends before it begins; `journal` when it cannot be read.
    pub async fn report(&self, since: Timestamp, until: Timestamp) -> Result<ShiftReport, Failure> {
        if since >= until {
            return Err(failure::cannot_report());
        }
        let wanted = Selection {
            since: Some(since),
            before: Some(until),
            ..Selection::ALL
        };
        let redaction = self.redaction();
        let head = self.journal.head();
        let (mut traffic, mut failures) = (Traffic::default(), Failures::default());
        let (mut changes, mut figures) = (Changes::default(), Figures::default());
        let mut acted = Acted::default();
        let mut after = Seq(0);
        loop {
            let batch = self.journal.select(&wanted, after, head, BATCH).await;
            let mut events = batch.map_err(failure::journal)?;
            let Some(last) = events.last() else { break };
            after = last.seq;
            let timed = |event: &&Event| matches!(event.kind, Kind::Held { .. } | Kind::Waiting { .. });
            let places: Vec<_> = events.iter().filter(timed).map(|event| event.seq).collect();
            let lasted = self.journal.durations(&places).await.map_err(failure::journal)?;
            for event in &mut events {
                if let Some(redaction) = &redaction {
                    redaction.event(&mut event.kind);
                }
                traffic.see(event);
                failures.see(event);
                changes.see(event);
                acted.see(event);
                figures.see(event, &lasted);
            }
        }
        let mut sections = vec![traffic.section()];
        sections.extend(failures.sections());
        sections.push(acted.section());
        sections.push(changes.section());
        sections.extend(figures.sections());
        Ok(ShiftReport {
            title: format!("Shift report, {} to {}", moment(since), moment(until)),
            sections,
        })
    }
}

impl ShiftReport {
    /// The file's text.
    ///
    /// # Errors
    /// `internal` where it cannot be written as JSON, which does not happen.
    pub fn text(&self, format: ReportFormat) -> Result<String, Failure> {
        match format {
            ReportFormat::Markdown => Ok(self.markdown()),
            ReportFormat::Html => page(&format!("{} · Foldback", self.title), SCRIPT, self),
        }
    }

    fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n", cell(&self.title));
        for section in &self.sections {
            if section.rows.is_empty() {
                // Writing to a String cannot fail.
                let _ = writeln!(text, "### {}\n\n{}\n", section.heading, section.empty);
            } else {
                let rows = section
                    .rows
                    .iter()
                    .map(|row| row.iter().map(|text| cell(text)).collect());
                table(&mut text, section.heading, section.columns, rows);
            }
        }
        text
    }
}

/// The channel and the turn of an event, as cells; empty where it has none.
fn place(event: &Event) -> [String; 2] {
    let channel = event.channel.as_ref().map(ToString::to_string);
    let turn = event.turn.map(|turn| turn.to_string());
    [channel.unwrap_or_default(), turn.unwrap_or_default()]
}
