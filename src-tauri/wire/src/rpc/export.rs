//! Exports: turns as a file that leaves the journal, and the shift report. Everything in such a file is masked.

use crate::{SessionId, Timestamp, TurnId, closed::closed_set};
use serde::{Deserialize, Serialize};

/// The turns of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum ExportScope {
    /// These turns.
    Turns {
        /// Their numbers.
        turns: Vec<TurnId>,
    },
    /// All turns of a session.
    Session {
        /// The session.
        session: SessionId,
    },
    /// All turns with an event that passes a filter.
    Filter {
        /// The filter.
        filter: String,
    },
}

closed_set! {
    /// The form of an export.
    pub enum ExportFormat {
        Recording = "recording": "Recording: the events, which foldback replay plays again.",
        Fixture = "fixture": "Fixture: one scenario with the results as its expectations.",
        Markdown = "markdown": "Markdown: text for a ticket or a chat.",
        Html = "html": "HTML: one page with hold map and scrubber, which opens without a server.",
    }
}

impl ExportFormat {
    /// The end of the name of a file in this form.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Recording => "jsonl",
            Self::Fixture => "yaml",
            Self::Markdown => "md",
            Self::Html => "html",
        }
    }
}

/// `export_preview`: what an export would hold, and what redaction takes out of it; writes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ExportOf {
    /// The turns.
    pub scope: ExportScope,
    /// In which form.
    pub format: ExportFormat,
}

/// Secrets of one kind in one sort of place that an export masks. The secrets themselves are not in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ExportMask {
    /// The patterns that found them: ids of [`SecretEntry`](super::SecretEntry), with a space between.
    pub secrets: String,
    /// Their kind, in words.
    pub about: String,
    /// The place where they stand, in words, such as `the prompt`.
    pub place: String,
    /// Their number.
    pub count: u32,
    /// The turns they stand in, in order.
    pub turns: Vec<TurnId>,
}

/// Answer of `export_preview`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ExportPreview {
    /// The turns that it would hold, in order.
    pub turns: Vec<TurnId>,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// A path for it, in the folder for exports.
    pub path: String,
    /// The masks of this export, by turn; empty where there is nothing to mask.
    pub masks: Vec<ExportMask>,
    /// Secrets that the journal had masked when it was written.
    pub masked_before: u32,
}

/// `export`: writes an export to a file, which only its owner can read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ExportTo {
    /// The turns.
    pub scope: ExportScope,
    /// In which form.
    pub format: ExportFormat,
    /// The file; a relative path lies in the folder for exports.
    pub path: String,
}

/// Answer of `export` and `report`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[ts(rename = "Exported")]
pub struct ExportResult {
    /// The file, in full.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

closed_set! {
    /// The form of a report.
    pub enum ReportFormat {
        Markdown = "markdown": "Markdown: text for a ticket or a chat.",
        Html = "html": "HTML: one page, which opens without a server.",
    }
}

/// `report`: writes the shift report of a time range to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReportTo {
    /// From this moment on.
    pub since: Timestamp,
    /// Up to this moment, without it.
    pub until: Timestamp,
    /// In which form.
    pub format: ReportFormat,
    /// The file; a relative path lies in the folder for exports.
    pub path: String,
}
