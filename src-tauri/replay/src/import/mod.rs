//! Files of other systems and of our own, on their way into a journal: found and read, judged, and made into the events
//! that `foldback import --db` keeps and that a window shows in a workspace of its own.

mod events;
mod files;
mod fixtures;
mod lint;

pub use events::{ImportedEvents, ImportedRun, imported_events};
pub use files::{ImportSource, ImportedFile, RefusedFile, join_job_logs, read_files};
pub use fixtures::{fixture_events, read_fixture};
pub use lint::{FoundTurn, TranscriptLint, lint_transcript};
