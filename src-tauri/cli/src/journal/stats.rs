//! `foldback journal stats`: how much there is of what.

use super::Wanted;
use crate::end::{End, Verdict, stdout};
use foldback_store::row;
use foldback_wire::{Event, Kind, Timestamp};
use serde::Serialize;
use std::{collections::BTreeMap, io::Write as _};

/// Count the events that pass a filter
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    wanted: Wanted,
}

/// The counts, as they are printed.
#[derive(Debug, Default, Serialize)]
struct Stats {
    events: u64,
    /// When the first and the last were decided.
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// Messages that came in.
    turns: u64,
    /// How turns ended.
    terminals: BTreeMap<String, u64>,
    /// How operations ended.
    outcomes: BTreeMap<&'static str, u64>,
    channels: BTreeMap<String, u64>,
    kinds: BTreeMap<String, u64>,
}

impl Stats {
    fn count(&mut self, event: &Event) {
        self.events += 1;
        self.first.get_or_insert(event.at);
        self.last = Some(event.at);
        *self.kinds.entry(row(event, None).kind).or_default() += 1;
        if let Some(channel) = &event.channel {
            *self.channels.entry(channel.to_string()).or_default() += 1;
        }
        match &event.kind {
            Kind::Received { .. } => self.turns += 1,
            Kind::TurnEnded { terminal } => {
                let state = terminal.to_string();
                // Without the words of a failure: they are as many as there are failures.
                let state = state.split('(').next().unwrap_or_default().to_owned();
                *self.terminals.entry(state).or_default() += 1;
            }
            Kind::Ended { outcome, .. } => *self.outcomes.entry(outcome.code.code()).or_default() += 1,
            _ => {}
        }
    }
}

pub(super) async fn run(args: &Args) -> End {
    let mut stats = Stats::default();
    args.wanted
        .each(|event, _, _| {
            stats.count(event);
            Ok(())
        })
        .await?;
    let mut out = stdout();
    serde_json::to_writer_pretty(&mut out, &stats)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(Verdict::Holds)
}
