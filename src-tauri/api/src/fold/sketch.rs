//! A turn in the numbers that fit into one row of a list: its waterfall in small, its latency, its longest hold.

use super::decisions::failed;
use foldback_wire::{
    HoldReason, OpKind, OutcomeCode,
    rpc::{HoldEntry, Lane, LaneSpan, LaneStroke, LaneStrokes, LedgerEntry, LongestHold},
};
use std::collections::BTreeMap;

/// Parts of a turn's time that a row can tell apart; bars of a lane with less between them are one.
const PARTS: u64 = 120;

/// A bar of the waterfall without its words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bar {
    lane: Lane,
    from_ms: u64,
    until_ms: Option<u64>,
    error: bool,
}

/// A hold of the scanner in a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct HoldBar {
    pub(super) from_ms: u64,
    pub(super) until_ms: Option<u64>,
    pub(super) reason: HoldReason,
}

impl HoldBar {
    pub(super) fn of(hold: &HoldEntry) -> Self {
        Self {
            from_ms: hold.from_ms,
            until_ms: hold.until_ms,
            reason: hold.hold.reason,
        }
    }
}

impl Bar {
    pub(super) fn of(span: &LaneSpan) -> Self {
        Self {
            lane: span.lane,
            from_ms: span.from_ms,
            until_ms: span.until_ms,
            error: span.error,
        }
    }

    pub(super) fn of_hold(hold: &HoldBar) -> Self {
        Self {
            lane: Lane::Held,
            from_ms: hold.from_ms,
            until_ms: hold.until_ms,
            error: false,
        }
    }

    pub(super) fn of_operation(entry: &LedgerEntry) -> Self {
        Self {
            lane: Lane::Delivery,
            from_ms: entry.at_ms,
            until_ms: entry.took_ms.map(|took| entry.at_ms + took),
            error: entry.outcome.as_ref().is_some_and(failed),
        }
    }
}

/// The strokes of a turn that took `took_ms` so far, by lane, each lane in time. At most [`PARTS`] and one of a lane,
/// however long the turn is. Nothing reaches beyond the turn's last event.
pub(super) fn strokes(bars: impl Iterator<Item = Bar>, took_ms: u64) -> Vec<LaneStrokes> {
    let mut lanes: BTreeMap<Lane, Vec<Bar>> = BTreeMap::new();
    for bar in bars {
        lanes.entry(bar.lane).or_default().push(bar);
    }
    lanes
        .into_iter()
        .map(|(lane, bars)| strokes_of(lane, bars, took_ms))
        .collect()
}

/// The strokes of one lane.
fn strokes_of(lane: Lane, mut bars: Vec<Bar>, took_ms: u64) -> LaneStrokes {
    bars.sort_by_key(|bar| bar.from_ms);
    let mut joined: Vec<(LaneStroke, bool)> = Vec::new();
    for bar in bars {
        let from_ms = bar.from_ms.min(took_ms);
        let until_ms = bar.until_ms.unwrap_or(took_ms).clamp(from_ms, took_ms);
        match joined.last_mut() {
            Some((LaneStroke(_, until), error)) if from_ms <= *until + took_ms / PARTS => {
                *until = until_ms.max(*until);
                *error |= bar.error;
            }
            _ => joined.push((LaneStroke(from_ms, until_ms), bar.error)),
        }
    }
    let of = |wanted| joined.iter().filter(move |(_, error)| *error == wanted);
    LaneStrokes {
        lane,
        sound: of(false).map(|(stroke, _)| *stroke).collect(),
        failed: of(true).map(|(stroke, _)| *stroke).collect(),
    }
}

/// Milliseconds from the message to the first part of the answer that was delivered: a text, a file or a voice note. A
/// reaction and the typing indicator are no answer.
pub(super) fn latency_ms(ledger: &[LedgerEntry]) -> Option<u64> {
    let delivered = |entry: &&LedgerEntry| {
        let answers = matches!(
            entry.intent.kind,
            OpKind::SendText | OpKind::EditText | OpKind::SendFile | OpKind::SendVoice
        );
        let taken = |code| {
            matches!(
                code,
                OutcomeCode::Sent | OutcomeCode::Unchanged | OutcomeCode::DryRun
            )
        };
        answers && entry.outcome.as_ref().is_some_and(|outcome| taken(outcome.code))
    };
    let ended = |entry: &LedgerEntry| entry.took_ms.map(|took| entry.at_ms + took);
    ledger.iter().filter(delivered).filter_map(ended).min()
}

/// The longest hold; of those of equal length the first.
pub(super) fn longest_hold(holds: &[HoldBar], took_ms: u64) -> Option<LongestHold> {
    let mut longest: Option<LongestHold> = None;
    for hold in holds {
        let ms = hold.until_ms.unwrap_or(took_ms).saturating_sub(hold.from_ms);
        if longest.is_none_or(|longest| longest.ms < ms) {
            let reason = hold.reason;
            longest = Some(LongestHold { ms, reason });
        }
    }
    longest
}
