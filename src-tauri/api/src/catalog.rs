//! The closed sets as data, ready-made directives, and the actions that are known.

mod actions;

use actions::actions;
use foldback_actions::ActionTable;
use foldback_directives::{CHILDREN, ChildRow};
use foldback_pipeline::{command_menu, config::Config};
use foldback_store::FIELDS;
use foldback_wire::{
    Code, Gate, HoldReason, OutcomeCode, RangeReason, Stage,
    rpc::{Catalog, CatalogEntry},
};

/// What can be inserted beside the children of `<actions>`, and what it does.
const TEMPLATES: &[(&str, &str)] = &[
    ("<no-reply/>", "Says nothing."),
    ("NO_REPLY", "Says nothing, as a token."),
    ("[[reply_to_current]]\n", "Answers the message that came in."),
    ("[[reply_to:ID]]\n", "Answers the message with this id."),
];

/// The closed sets, templates and actions; `table` has the actions that are on.
pub(crate) fn catalog(config: &Config, table: &ActionTable) -> Catalog {
    Catalog {
        hold_reasons: entries(HoldReason::ALL.iter().map(|v| (v.code(), v.about()))),
        diagnostics: entries(Code::ALL.iter().map(|v| (v.code(), v.about()))),
        range_reasons: entries(RangeReason::ALL.iter().map(|v| (v.code(), v.about()))),
        outcomes: entries(OutcomeCode::ALL.iter().map(|v| (v.code(), v.about()))),
        stages: entries(Stage::ALL.iter().map(|v| (v.code(), v.about()))),
        gates: entries(Gate::ALL.iter().map(|v| (v.code(), v.about()))),
        filter_fields: entries(FIELDS.iter().map(|field| (field.code, field.about))),
        templates: templates(CHILDREN),
        commands: commands(config),
        actions: actions(config, table),
    }
}

/// The commands and directives behind a slash, by name.
fn commands(config: &Config) -> Vec<CatalogEntry> {
    let menu = command_menu(config).into_iter();
    let mut all: Vec<_> = menu.map(|command| entry(&command.name, &command.about)).collect();
    all.sort_by(|one, other| one.code.cmp(&other.code));
    all
}

fn entry(name: &str, about: &str) -> CatalogEntry {
    CatalogEntry {
        code: format!("/{name}"),
        about: about.to_owned(),
    }
}

/// Ready-made directives: every child in a block of its own, then the rest.
fn templates(children: &[ChildRow]) -> Vec<CatalogEntry> {
    let blocks = children.iter().map(|row| CatalogEntry {
        code: format!("<actions>\n  {}\n</actions>\n", row.example),
        about: row.about.to_owned(),
    });
    blocks.chain(entries(TEMPLATES.iter().copied())).collect()
}

fn entries(set: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<CatalogEntry> {
    set.map(|(code, about)| CatalogEntry {
        code: code.to_owned(),
        about: about.to_owned(),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_directives::{Settings, parse};

    #[test]
    fn every_command_and_directive_is_there_once() {
        let all = commands(&Config::default());
        for name in ["/status", "/think", "/whoami"] {
            assert_eq!(all.iter().filter(|entry| entry.code == name).count(), 1, "{name}");
        }
        let mut config = Config::default();
        config.commands.enabled = false;
        assert_eq!(commands(&config), []);
    }

    /// A row of the table is all that is needed: docs/adding-a-directive.md.
    #[test]
    fn a_new_child_has_its_template_by_its_row() {
        let sticker = ChildRow {
            example: r#"<sticker file="wave.webp" />"#,
            ..CHILDREN[1]
        };
        let more = templates(&[&[sticker], CHILDREN].concat());
        assert_eq!(
            more[0].code,
            "<actions>\n  <sticker file=\"wave.webp\" />\n</actions>\n"
        );
        assert_eq!(more[1..], templates(CHILDREN));
    }

    #[test]
    fn every_template_is_a_directive_without_a_finding() {
        let templates = templates(CHILDREN);
        assert_eq!(templates.len(), CHILDREN.len() + TEMPLATES.len());
        for CatalogEntry { code: text, .. } in &templates {
            let alone = parse(text, &Settings::default(), None);
            assert_eq!(alone.diagnostics, [], "{text}");
            let read = !alone.directives.is_empty() || !alone.header.is_empty() || alone.suppressed.is_some();
            assert!(read && alone.clean_text.is_empty(), "{text}: {alone:?}");
        }
    }
}
