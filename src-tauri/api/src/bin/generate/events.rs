//! The page of the journal's events, from the table that the filter reads.

use foldback_api::typescript::File;
use foldback_store::KINDS;
use foldback_wire::rpc::RowFlag;
use std::fmt::Write as _;

const HEAD: &str = include_str!("events/head.md");
const TEXT: &str = include_str!("events/text.md");

/// The page.
pub(crate) fn page() -> File {
    let mut text = HEAD.to_owned();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(text, "\n| `kind:` | `stage:` | tells |\n|---|---|---|");
    for kind in KINDS {
        let stage = kind.stage.map_or_else(
            || "that of what it is about".to_owned(),
            |stage| format!("`{stage}`"),
        );
        let _ = writeln!(text, "| `{}` | {stage} | {} |", kind.code, kind.about);
    }
    let _ = writeln!(text, "\n## Flags\n\n| `is:` | means |\n|---|---|");
    for flag in RowFlag::ALL {
        let _ = writeln!(text, "| `{flag}` | {} |", flag.about());
    }
    text += TEXT;
    File {
        name: "events.md",
        text,
    }
}
