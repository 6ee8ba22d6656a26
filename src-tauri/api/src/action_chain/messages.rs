//! The messages of a turn of a chain, as they stand in the chat at last.

use foldback_store::one_line;
use foldback_wire::{
    Body, Event, OpKind, OutcomeCode,
    rpc::{ChainMessage, ChainStep, ChainStepKind, LedgerEntry, TurnDetail},
    visible,
};

/// Characters of a text that stand for it.
const LINE: usize = 200;

/// The messages, files, voice notes and reactions of a turn, without those that another operation replaced and those that were
/// removed.
pub(super) fn messages(detail: &TurnDetail, events: &[Event]) -> Vec<ChainStep> {
    let mut ledger: Vec<&LedgerEntry> = detail.ledger.iter().collect();
    ledger.sort_by_key(|entry| entry.seq);
    let is_told = |entry: &&&LedgerEntry| {
        let outcome = entry.outcome.as_ref();
        let is_replaced = outcome.is_some_and(|outcome| outcome.replaced_by.is_some());
        let made = matches!(
            entry.intent.kind,
            OpKind::SendText | OpKind::SendFile | OpKind::SendVoice | OpKind::React
        );
        made && !is_replaced && !changed(entry, &ledger).any(|later| later.intent.kind == OpKind::Delete)
    };
    let told: Vec<&&LedgerEntry> = ledger.iter().filter(is_told).collect();
    told.into_iter()
        .filter_map(|entry| step(entry, &ledger, events))
        .collect()
}

/// The operations that changed a message and arrived, in order.
fn changed<'a>(
    entry: &'a LedgerEntry,
    ledger: &'a [&LedgerEntry],
) -> impl DoubleEndedIterator<Item = &'a LedgerEntry> {
    let id = entry
        .outcome
        .as_ref()
        .and_then(|outcome| outcome.message.as_ref());
    let arrived = |later: &LedgerEntry| {
        let code = later.outcome.as_ref().map(|outcome| outcome.code);
        matches!(code, Some(OutcomeCode::Sent | OutcomeCode::DryRun))
    };
    ledger.iter().copied().filter(move |later| {
        let kind = later.intent.kind;
        matches!(kind, OpKind::EditText | OpKind::Delete)
            && id.is_some()
            && later.intent.message.as_ref() == id
            && arrived(later)
    })
}

fn step(entry: &LedgerEntry, ledger: &[&LedgerEntry], events: &[Event]) -> Option<ChainStep> {
    let intent = &entry.intent;
    let edited = changed(entry, ledger).rfind(|later| later.intent.kind == OpKind::EditText);
    let text = edited
        .and_then(|later| later.text.as_ref())
        .or(entry.text.as_ref());
    let named = intent.emoji.as_ref().or(intent.path.as_ref());
    let text = text.filter(|text| !text.is_empty()).or(named);
    let outcome = entry.outcome.as_ref();
    let detail = match outcome {
        Some(outcome) => outcome.detail.as_deref(),
        None => entry.waiting.as_deref(),
    };
    let place = events
        .binary_search_by_key(&entry.seq, |event| event.seq.0)
        .ok()?;
    Some(ChainStep {
        seq: entry.seq,
        at: events[place].at,
        step: ChainStepKind::Message(ChainMessage {
            op: entry.op,
            operation: intent.kind,
            text: one_line(text.map_or("", String::as_str), LINE),
            is_aside: matches!(
                intent.body,
                Some(Body::Aside { .. } | Body::Literal { place: None, .. })
            ),
            outcome: outcome.map(|outcome| outcome.code),
            detail: detail.map(|detail| visible(detail).into_owned()),
            setting: outcome.and_then(|outcome| outcome.decided_by.as_ref().map(|by| by.setting.clone())),
        }),
    })
}
