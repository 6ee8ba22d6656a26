//! Lines of a list of turns. All lines of a window are read together: those of turns that ended from outlines, with a few
//! questions to the journal however many lines and events there are, and only others from all of their events.

use super::{Backend, Shared, lock, turns::Turns};
use crate::{OutlinedLine, TurnFold, live::SummaryReader};
use async_trait::async_trait;
use foldback_store::{Journal, Selection, StoreError};
use foldback_wire::{Event, Kind, Seq, TurnId, rpc::TurnSummary};
use std::collections::{BTreeMap, BTreeSet};

/// Summaries kept, of turns that cannot change any more; about 500 bytes each.
const SUMMARIES: usize = 4_096;
/// Events of an answer's text that are read first. A line shows 200 characters, which are 50 deltas of a model and what
/// was decided about each.
const TEXTS: usize = 128;
/// Factor by which more are read where those were hidden from the reader, as a model's reasoning is.
const MORE_TEXTS: usize = 8;

/// A line that was read.
struct ReadLine {
    summary: TurnSummary,
    /// The place of the turn's first event.
    first: Seq,
    settled: bool,
}

#[async_trait]
impl SummaryReader for Backend {
    async fn read_summaries(
        &self,
        turns: &[(TurnId, Seq)],
    ) -> Result<BTreeMap<TurnId, TurnSummary>, StoreError> {
        let Shared {
            turns: known,
            journal,
            replayed,
            ..
        } = &*self.shared;
        // What is folded anyway is there in a moment; read here, all of each turn that runs would be decoded, in every frame.
        if let Some(until) = turns.iter().map(|(_, until)| *until).max() {
            known.grow_to(until).await;
        }
        let mut found = BTreeMap::new();
        let mut unread = BTreeSet::new();
        for (turn, until) in turns {
            match known.summary(*turn, *until, *replayed) {
                Some(summary) => drop(found.insert(*turn, summary)),
                None => drop(unread.insert(*turn)),
            }
        }
        if unread.is_empty() {
            return Ok(found);
        }
        let head = journal.head();
        let mut lines = read_lines(journal.as_ref(), unread, head).await?;
        if *replayed {
            for line in lines.values_mut() {
                line.summary.replayed = true;
            }
        } else {
            mark_replayed(journal.as_ref(), &mut lines).await?;
        }
        known.keep_summaries(&lines, head);
        found.extend(lines.into_iter().map(|(turn, line)| (turn, line.summary)));
        Ok(found)
    }
}

impl Turns {
    /// The line of a turn without reading; `None` where nothing is kept that tells all up to `until`.
    fn summary(&self, turn: TurnId, until: Seq, replayed: bool) -> Option<TurnSummary> {
        if self.grown() < until {
            return None;
        }
        let folded = self.with(turn, TurnFold::summary).flatten();
        let folded = folded.map(|summary| TurnSummary { replayed, ..summary });
        folded.or_else(|| lock(&self.summaries).get(&turn).cloned())
    }

    /// Keeps the lines of turns that can change no more, which were read when the journal ended at `head`.
    fn keep_summaries(&self, lines: &BTreeMap<TurnId, ReadLine>, head: Seq) {
        let mut summaries = lock(&self.summaries);
        // Events that came meanwhile may have changed them.
        if self.grown() > head {
            return;
        }
        let settled = lines.iter().filter(|(_, line)| line.settled);
        summaries.extend(settled.map(|(turn, line)| (*turn, line.summary.clone())));
        while summaries.len() > SUMMARIES {
            summaries.pop_first();
        }
    }
}

/// Reads the lines of turns from the journal.
async fn read_lines(
    journal: &dyn Journal,
    turns: BTreeSet<TurnId>,
    head: Seq,
) -> Result<BTreeMap<TurnId, ReadLine>, StoreError> {
    let mut lines = BTreeMap::new();
    let mut whole = BTreeSet::new();
    let (mut unread, mut texts) = (turns, TEXTS);
    while !unread.is_empty() {
        let mut without_outline = unread.clone();
        let mut lacking = BTreeSet::new();
        for outline in journal.outlines(&unread, texts).await? {
            let first = outline.events.first().map(|event| event.seq);
            let Some((line, first)) = OutlinedLine::of(&outline).zip(first) else {
                continue;
            };
            without_outline.remove(&outline.turn);
            if line.lacks_text {
                lacking.insert(outline.turn);
                continue;
            }
            let read = ReadLine {
                summary: line.summary,
                first,
                settled: line.settled,
            };
            lines.insert(outline.turn, read);
        }
        whole.append(&mut without_outline);
        (unread, texts) = (lacking, texts.saturating_mul(MORE_TEXTS));
    }
    lines.extend(read_whole(journal, whole, head).await?);
    Ok(lines)
}

/// Reads the lines of turns that have no outline from all of their events.
async fn read_whole(
    journal: &dyn Journal,
    turns: BTreeSet<TurnId>,
    head: Seq,
) -> Result<Vec<(TurnId, ReadLine)>, StoreError> {
    if turns.is_empty() {
        return Ok(vec![]);
    }
    let wanted = Selection {
        turns: Some(turns),
        ..Selection::ALL
    };
    let mut events: BTreeMap<TurnId, Vec<Event>> = BTreeMap::new();
    for event in journal.select(&wanted, Seq(0), head, usize::MAX).await? {
        if let Some(turn) = event.turn {
            events.entry(turn).or_default().push(event);
        }
    }
    let line = |(turn, events): (TurnId, Vec<Event>)| {
        let fold = TurnFold::of(turn, &events);
        let read = ReadLine {
            summary: fold.summary()?,
            first: events.first()?.seq,
            settled: fold.settled(),
        };
        Some((turn, read))
    };
    Ok(events.into_iter().filter_map(line).collect())
}

/// Marks the lines of turns that come from a file: the start before such a turn is that of a replay.
async fn mark_replayed(
    journal: &dyn Journal,
    lines: &mut BTreeMap<TurnId, ReadLine>,
) -> Result<(), StoreError> {
    let Some(last) = lines.values().map(|line| line.first).max() else {
        return Ok(());
    };
    let starts = Selection::kinds(["started"]);
    let starts = journal.select(&starts, Seq(0), last, usize::MAX).await?;
    for line in lines.values_mut() {
        let before = starts.partition_point(|start| start.seq <= line.first);
        line.summary.replayed = starts[..before]
            .last()
            .is_some_and(|start| matches!(start.kind, Kind::Started { replayed: true, .. }));
    }
    Ok(())
}
