//! The section that tells the agent which actions it may ask for, from their rows.

use foldback_actions::{ActionRow, MOST_ACTIONS};
use foldback_wire::ActionConfirmation;
use std::fmt::Write as _;

/// The heading of the section.
pub(super) const ACTIONS: &str = "## Actions\n\n";
/// The form of actions in text.
pub(super) const SHAPE: &str = r#"{"actions":[{"type":"NAME","payload":{}}]}"#;

/// The actions that a turn's agent may ask for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ActionOffer<'a> {
    /// None: no action is on, its sender may have none carried out, or nothing reads them.
    Nothing,
    /// These, as JSON in its text.
    Text(&'a [&'a ActionRow]),
    /// Some, as tools of its own.
    Tools,
}

/// The section; empty where nothing is written as text.
pub(super) fn actions_section(offer: ActionOffer<'_>) -> String {
    let ActionOffer::Text(rows) = offer else {
        return String::new();
    };
    if rows.is_empty() {
        return String::new();
    }
    let mut section = format!(
        "{ACTIONS}These actions can be carried out at the word of the sender. To ask for them, make this JSON your whole \
         answer, with at most {MOST_ACTIONS} actions in the list:\n\n`{SHAPE}`\n\nIt is not shown. What comes of it is given to \
         you afterwards, and then you answer. Ask for an action only where the sender's message needs it.\n\n"
    );
    for row in rows {
        let confirmed = match row.confirmation {
            ActionConfirmation::Always => " A person confirms it each time.",
            ActionConfirmation::Listed => " A person may be asked to confirm it.",
            ActionConfirmation::Never => "",
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            section,
            "- `{}`: {}{confirmed} JSON Schema of its payload: {}",
            row.name, row.about, row.payload
        );
    }
    section.push('\n');
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;

    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct LookUp {
        /// The place.
        city: String,
    }

    #[test]
    fn each_row_is_told_with_its_purpose_its_schema_and_the_one_form() {
        let always = ActionRow::of::<LookUp>("look_up", "Looks the weather up.");
        let never = ActionRow {
            name: "weather".to_owned(),
            confirmation: ActionConfirmation::Never,
            ..always.clone()
        };
        let section = actions_section(ActionOffer::Text(&[&always, &never]));
        assert!(
            section.starts_with(ACTIONS) && section.ends_with("\n\n"),
            "{section}"
        );
        assert_eq!(section.matches(SHAPE).count(), 1, "{section}");
        let lines: Vec<_> = section.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(lines.len(), 2, "{section}");
        assert!(lines[0].starts_with("- `look_up`: Looks the weather up. A person confirms it each time."));
        assert!(lines[1].starts_with("- `weather`: Looks the weather up. JSON Schema"));
        let schema = lines[1].split_once("payload: ").unwrap().1;
        let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
        assert_eq!(schema, never.payload);
        assert_eq!(schema["properties"]["city"]["description"], "The place.");
    }

    #[test]
    fn nothing_is_told_where_nothing_may_be_asked_for_in_text() {
        for offer in [ActionOffer::Nothing, ActionOffer::Tools, ActionOffer::Text(&[])] {
            assert_eq!(actions_section(offer), "", "{offer:?}");
        }
    }
}
