//! The delivery request of what came of an answer's actions.

use super::{Acting, ActionFate, outcome, subject};
use crate::{turn_cause::TurnCause, turn_chain::request_id};
use foldback_wire::{ActionRefusal, DeliveryLimits, DeliveryRequest, ResultItem};
use serde_json::json;

pub(super) fn delivery_request(
    acting: &Acting<'_>,
    fates: &[ActionFate],
    depth: u32,
    corrections: Option<u32>,
) -> DeliveryRequest {
    let is_one = fates.len() == 1;
    let mut items: Vec<ResultItem> = Vec::new();
    let mut items_omitted = 0_u32;
    for (number, fate) in (1..).zip(fates) {
        let labelled = |name: &str, label: &str| {
            if is_one {
                label.to_owned()
            } else {
                format!("{number}. {name}: {label}")
            }
        };
        match fate {
            ActionFate::Performed(checked, result) => {
                let name = &checked.performed.name;
                if let Some(command) = checked.performed.command.as_ref().filter(|_| !is_one) {
                    items.push(ResultItem::new(labelled(name, "command"), command));
                }
                items.extend(result.items.iter().cloned().map(|item| ResultItem {
                    label: labelled(name, &item.label),
                    ..item
                }));
                items_omitted = items_omitted.saturating_add(result.items_omitted);
            }
            ActionFate::Refused(refusal) => {
                let words = in_words(refusal, acting.table.row(&refusal.name).map(|row| &row.payload));
                items.push(ResultItem::new(labelled(&refusal.name, "refused"), words));
            }
        }
    }
    DeliveryRequest {
        id: request_id(acting.turn),
        origin: acting.origin.clone(),
        requester: acting.requester.clone(),
        action: subject(fates),
        outcome: outcome(fates),
        items,
        items_omitted,
        depth,
        limits: match acting.asker.cause {
            TurnCause::Delivery(delivery) => delivery.limits,
            _ => DeliveryLimits::default(),
        },
        corrections,
        cause: Some(acting.turn),
    }
}

/// A refusal for the agent: its place, its code, what to change, and the schema where that helps.
pub(super) fn in_words(refusal: &ActionRefusal, schema: Option<&serde_json::Value>) -> String {
    let findings = refusal
        .findings
        .iter()
        .map(|finding| json!({"at": finding.at, "problem": finding.problem, "change": finding.change}));
    let mut told = json!({
        "index": refusal.index,
        "code": refusal.code.code(),
        "detail": refusal.detail,
    });
    if let Some(all) = told.as_object_mut() {
        let findings: Vec<_> = findings.collect();
        if !findings.is_empty() {
            all.insert("findings".to_owned(), findings.into());
        }
        if let Some(schema) = schema.filter(|_| refusal.code.is_mendable()) {
            all.insert("schema".to_owned(), schema.clone());
        }
    }
    told.to_string()
}
