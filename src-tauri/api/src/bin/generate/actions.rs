//! The page of actions, from the rows that the bot reads.

use foldback_actions::{ActionRow, known_actions};
use foldback_api::typescript::File;
use foldback_pipeline::config::BashConfig;
use foldback_wire::{ActionAccess, ActionConfirmation, ActionRefusalCode, TurnKind, duration_in_words};
use std::fmt::Write as _;

const HEAD: &str = include_str!("actions/head.md");
const TAIL: &str = include_str!("actions/tail.md");

/// The page.
pub(crate) fn page() -> File {
    let mut text = HEAD.to_owned();
    // Writing to a String cannot fail, here and below.
    for code in ActionRefusalCode::ALL {
        let _ = writeln!(text, "| `{code}` | {} |", code.about());
    }
    text += "\n## The words of a row\n\n| word | meaning |\n|---|---|\n";
    for access in ActionAccess::ALL {
        let _ = writeln!(text, "| access `{access}` | {} |", access.about());
    }
    for turn in TurnKind::ALL {
        let _ = writeln!(text, "| turn `{turn}` | {} |", turn.about());
    }
    for confirmation in ActionConfirmation::ALL {
        let _ = writeln!(
            text,
            "| confirmation `{confirmation}` | {} |",
            confirmation.about()
        );
    }
    text += "\n## The actions\n";
    let bash = BashConfig::default();
    for known in known_actions(bash.timeout.0, bash.most_output()) {
        text += &action(&known.row);
    }
    text += TAIL;
    File {
        name: "actions.md",
        text,
    }
}

fn action(row: &ActionRow) -> String {
    let turns: Vec<_> = row.turns.iter().map(|turn| format!("`{turn}`")).collect();
    let limits = row.limits;
    let schema = serde_json::to_string_pretty(&row.payload).unwrap_or_default();
    format!(
        "\n### `{}`\n\n{}\n\n| | |\n|---|---|\n| access | `{}` |\n| turns | {} |\n| confirmation | `{}` |\n\
         | payload | at most {} bytes |\n| time | at most {}, unless it is set |\n\
         | output | {} bytes of each result, unless it is set |\n\nThe payload:\n\n```json\n{schema}\n```\n",
        row.name,
        row.about,
        row.access,
        turns.join(", "),
        row.confirmation,
        limits.payload_bytes,
        duration_in_words(limits.time),
        limits.output_bytes,
    )
}
