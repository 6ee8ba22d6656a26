//! An interface that is data and little else: it looks facts up.

use async_trait::async_trait;
use foldback_actions::{ActionInterface, ActionOrder, ActionRow, ResultSink};
use foldback_wire::{ActionAccess, ActionConfirmation, ResultItem};
use schemars::JsonSchema;

/// What is known.
const FACTS: [(&str, &str); 2] = [("door", "closed"), ("temperature", "21 °C")];

/// The payload of `look_up`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct LookUp {
    /// What is looked up: `door` or `temperature`.
    name: String,
}

pub(super) struct Facts;

#[async_trait]
impl ActionInterface for Facts {
    fn rows(&self) -> Vec<ActionRow> {
        vec![ActionRow {
            access: ActionAccess::Anyone,
            confirmation: ActionConfirmation::Never,
            ..ActionRow::of::<LookUp>("look_up", "Looks up a fact about the house.")
        }]
    }

    async fn perform(&self, order: ActionOrder, mut results: ResultSink) {
        let wanted = order.payload["name"].as_str().unwrap_or_default();
        match FACTS.iter().find(|(name, _)| *name == wanted) {
            Some((name, fact)) => {
                results.add(ResultItem::new(*name, *fact));
                results.complete();
            }
            None => results.fail(format!("nothing is known about {wanted}")),
        }
    }
}
