//! The closed sets as data, and ready-made directives.

use foldback_store::FIELDS;
use foldback_wire::{
    Code, Gate, HoldReason, OutcomeCode, RangeReason, Stage,
    rpc::{Catalog, CatalogEntry},
};

/// A directive to insert, and what it does.
const TEMPLATES: &[(&str, &str)] = &[
    (
        "<actions>\n  <react emoji=\"thumbsup\" />\n</actions>\n",
        "Reacts to the message.",
    ),
    (
        "<actions>\n  <send-file path=\"route.svg\" caption=\"The route\" />\n</actions>\n",
        "Sends a file.",
    ),
    (
        "<actions>\n  <voice>Hello there</voice>\n</actions>\n",
        "Says something as a voice note.",
    ),
    (
        "<actions>\n  <send-message channel=\"slack\" chat=\"C1\">Done</send-message>\n</actions>\n",
        "Sends a message to another chat that is on the allow list.",
    ),
    ("<no-reply/>", "Says nothing."),
    ("NO_REPLY", "Says nothing, as a token."),
    ("[[reply_to_current]]\n", "Answers the message that came in."),
    ("[[reply_to:ID]]\n", "Answers the message with this id."),
];

/// The closed sets and templates.
pub(crate) fn catalog() -> Catalog {
    Catalog {
        hold_reasons: entries(HoldReason::ALL.iter().map(|v| (v.code(), v.about()))),
        diagnostics: entries(Code::ALL.iter().map(|v| (v.code(), v.about()))),
        range_reasons: entries(RangeReason::ALL.iter().map(|v| (v.code(), v.about()))),
        outcomes: entries(OutcomeCode::ALL.iter().map(|v| (v.code(), v.about()))),
        stages: entries(Stage::ALL.iter().map(|v| (v.code(), v.about()))),
        gates: entries(Gate::ALL.iter().map(|v| (v.code(), v.about()))),
        filter_fields: entries(FIELDS.iter().map(|field| (field.code, field.about))),
        templates: entries(TEMPLATES.iter().copied()),
    }
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
    fn every_template_is_a_directive_without_a_finding() {
        for (text, _) in TEMPLATES {
            let alone = parse(text, &Settings::default(), None);
            assert_eq!(alone.diagnostics, [], "{text}");
            let read = !alone.directives.is_empty() || !alone.header.is_empty() || alone.suppressed.is_some();
            assert!(read && alone.clean_text.is_empty(), "{text}: {alone:?}");
        }
    }
}
