//! The waterfall: what went on at the same time.

use super::{decisions::failed, work::Work};
use foldback_wire::{
    Kind,
    rpc::{DirectiveEntry, Lane, LaneSpan, LedgerEntry, MessageDetail, MessageProgress},
};

/// The message's way to the agent, and the agent's runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Phases {
    bars: Vec<LaneSpan>,
}

impl Phases {
    pub(super) fn push(&mut self, seq: u64, ms: u64, kind: &Kind) {
        match kind {
            Kind::Received { .. } => self.begin(Lane::Inbound, seq, ms, "inbound".to_owned()),
            Kind::Stopping { gate, .. } => self.end(Lane::Inbound, ms, Some(gate.code().to_owned())),
            Kind::RunStarted { backend, model, .. } => {
                self.end(Lane::Inbound, ms, None);
                self.begin(Lane::Agent, seq, ms, model.as_ref().unwrap_or(backend).clone());
            }
            Kind::Retrying { next: Some(next), .. } => {
                self.end(Lane::Agent, ms, Some("failed".to_owned()));
                let label = next.model.as_ref().unwrap_or(&next.backend);
                self.begin(Lane::Agent, seq, ms, label.clone());
            }
            Kind::RunFailed { fault, .. } => self.end(Lane::Agent, ms, Some(fault.code().to_owned())),
            Kind::RunEnded { .. } => self.end(Lane::Agent, ms, None),
            Kind::TurnEnded { .. } => {
                self.end(Lane::Inbound, ms, None);
                self.end(Lane::Agent, ms, None);
            }
            _ => {}
        }
    }

    /// Its bars so far, in the order they began.
    pub(super) fn bars(&self) -> &[LaneSpan] {
        &self.bars
    }

    fn begin(&mut self, lane: Lane, seq: u64, ms: u64, label: String) {
        self.bars.push(LaneSpan {
            lane,
            from_ms: ms,
            until_ms: None,
            label,
            seq,
            error: false,
        });
    }

    fn end(&mut self, lane: Lane, ms: u64, failure: Option<String>) {
        let open = self
            .bars
            .iter_mut()
            .rev()
            .find(|bar| bar.lane == lane && bar.until_ms.is_none());
        if let Some(bar) = open {
            bar.until_ms = Some(ms);
            if let Some(failure) = failure {
                bar.label = failure;
                bar.error = true;
            }
        }
    }
}

/// All bars, lane by lane, each lane in time.
pub(super) fn lanes(
    phases: &Phases,
    work: &Work,
    messages: &[MessageDetail],
    directives: &[DirectiveEntry],
    ledger: &[LedgerEntry],
) -> Vec<LaneSpan> {
    let mut bars = phases.bars.clone();
    bars.extend(work.bars());
    bars.extend(messages.iter().flat_map(|m| &m.holds).map(|hold| LaneSpan {
        lane: Lane::Held,
        from_ms: hold.from_ms,
        until_ms: hold.until_ms,
        label: hold.hold.reason.code().to_owned(),
        seq: hold.seq,
        error: false,
    }));
    bars.extend(directives.iter().map(|entry| LaneSpan {
        lane: Lane::Directives,
        from_ms: entry.at_ms,
        until_ms: entry.took_ms.map(|took| entry.at_ms + took),
        label: entry.directive.tag().to_owned(),
        seq: entry.seq,
        error: entry.outcome.as_ref().is_some_and(failed),
    }));
    bars.extend(ledger.iter().map(|entry| LaneSpan {
        lane: Lane::Delivery,
        from_ms: entry.at_ms,
        until_ms: entry.took_ms.map(|took| entry.at_ms + took),
        label: match entry.reached {
            Some(MessageProgress { receipt, .. }) => format!("{}, {receipt}", entry.intent.kind),
            None => entry.intent.kind.code().to_owned(),
        },
        seq: entry.seq,
        error: entry.outcome.as_ref().is_some_and(failed),
    }));
    bars.sort_by_key(|bar| (bar.lane, bar.from_ms, bar.seq));
    bars
}
