//! Says whether a fixture holds, by the journal of its run.

use crate::{
    case::Case,
    compare::compare,
    deliveries::{Run, fold},
    ends::ends,
    fixture::Fixture,
    lines::side_by_side,
    update::Came,
};
use foldback_pipeline::invariants::{Extent, check};
use foldback_wire::{
    ChannelId, Code, Delivery, Event, OpKind, OutcomeCode, Platform,
    rpc::{Mismatch, Verdict},
};
use std::path::Path;

/// A case with everything it left behind.
#[derive(Debug)]
pub struct Played {
    /// The case.
    pub case: Case,
    /// What came, to take as an expectation.
    pub came: Came,
    /// The journal of the run.
    pub events: Vec<Event>,
}

/// Compares what came with what was expected.
pub(crate) fn judge(path: &Path, fixture: &Fixture, platform: Platform, events: Vec<Event>) -> Played {
    let Run { deliveries, turns } = fold(&events, &ChannelId::from(platform.code()));
    let ends = ends(&deliveries);
    let codes: Vec<Code> = turns
        .iter()
        .flat_map(|turn| turn.diagnostics.iter().copied())
        .collect();
    let mut mismatches = compare(&fixture.expect, platform, &ends, &codes);
    mismatches.extend(visible(fixture, &deliveries));
    mismatches.extend(
        fixture
            .turns
            .iter()
            .enumerate()
            .flat_map(|(index, expected)| expected.compare(index, turns.get(index))),
    );
    if let Some(reason) = fixture.suppressed {
        let found = turns.iter().rev().find_map(|turn| turn.suppressed);
        if found != Some(reason) {
            mismatches.push(Mismatch {
                at: "suppressed".to_owned(),
                expected: reason.code().to_owned(),
                actual: found.map_or("nothing", |reason| reason.code()).to_owned(),
                message: "another reason".to_owned(),
            });
        }
        if let Some(end) = ends.iter().find(|end| end.thing.is_text()) {
            mismatches.push(Mismatch {
                at: "suppressed".to_owned(),
                expected: "no text".to_owned(),
                actual: format!("{:?}", end.thing),
                message: "text was delivered".to_owned(),
            });
        }
    }
    mismatches.extend(
        check(&events, Extent::Running)
            .into_iter()
            .map(|violation| Mismatch {
                at: "journal".to_owned(),
                expected: String::new(),
                actual: violation.to_string(),
                message: "the journal breaks an invariant".to_owned(),
            }),
    );
    let verdict = if mismatches.is_empty() {
        Verdict::Pass
    } else {
        Verdict::Fail
    };
    let case = Case {
        fixture: fixture.name.clone(),
        path: path.to_owned(),
        channel: platform.code().to_owned(),
        verdict,
        deliveries,
        turns,
        mismatches,
        updated: false,
        notes: Vec::new(),
        comparison: side_by_side(&fixture.expect, platform, &ends),
    };
    Played {
        case,
        came: Came {
            platform,
            ends,
            codes,
        },
        events,
    }
}

/// Frames that show what must never be visible.
fn visible(fixture: &Fixture, deliveries: &[Delivery]) -> Vec<Mismatch> {
    let shown = |delivery: &&Delivery| {
        matches!(delivery.op, OpKind::SendText | OpKind::EditText)
            && !matches!(
                delivery.outcome,
                OutcomeCode::Failed | OutcomeCode::Cancelled | OutcomeCode::Unsupported
            )
    };
    let frames: Vec<&str> = deliveries
        .iter()
        .filter(shown)
        .filter_map(|d| d.text.as_deref())
        .collect();
    let mut mismatches = Vec::new();
    for (index, forbidden) in fixture.never_visible.iter().enumerate() {
        if let Some(frame) = frames.iter().find(|frame| frame.contains(forbidden.as_str())) {
            mismatches.push(Mismatch {
                at: format!("never_visible[{index}]"),
                expected: format!("no frame with {forbidden:?}"),
                actual: format!("{frame:?}"),
                message: "it was visible".to_owned(),
            });
        }
    }
    mismatches
}
