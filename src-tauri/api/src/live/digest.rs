//! What the events since the start add up to: figures, counters, errors, alarms.

use super::{
    trouble::{alarm, trouble, words},
    unknown::UnknownOutcomes,
};
use foldback_wire::{
    ChannelId, ChannelState, Event, Kind, MessageId, OpId, OpKind, OutcomeCode, Range, RangeReason,
    Timestamp, TurnId,
    rpc::{Alarm, AlarmKind, ChannelError, Counters},
};
use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    time::Duration,
};

/// Turns that the 95th percentile looks at.
const TURNS: usize = 200;
/// Errors a channel's card shows.
const ERRORS: usize = 5;
/// Operations of one error that are remembered, to notice that a person sent one again.
const LOST: usize = 1_000;
/// Over how long events are counted.
const SECOND: Duration = Duration::from_secs(1);

/// The sums. Fed with every event, in order.
#[derive(Debug, Default)]
pub(crate) struct Digest {
    channels: BTreeMap<ChannelId, ChannelSums>,
    /// Turns that have begun and neither ended nor wait in a queue.
    running: HashMap<TurnId, Run>,
    took_ms: VecDeque<u64>,
    /// Operations without an outcome, and where they go. Typing is left out everywhere: it comes and goes,
    /// and nobody misses it.
    open: HashMap<OpId, Option<ChannelId>>,
    /// What the operations of running turns are, for an alarm that names one.
    intents: BTreeMap<OpId, Named>,
    leaks: u32,
    masked: u32,
    typing: HashSet<OpId>,
    unknown: UnknownOutcomes,
    since: Option<Timestamp>,
    /// How many events came at which time, of the last second.
    rate: VecDeque<(Timestamp, u32)>,
}

#[derive(Debug, Default)]
struct ChannelSums {
    /// It went down and has not been up since.
    down: bool,
    counters: Counters,
    errors: VecDeque<Known>,
}

/// An error of a channel, and the operations it is about.
#[derive(Debug)]
struct Known {
    error: ChannelError,
    /// The latest ones that nobody has sent again.
    lost: VecDeque<OpId>,
}

/// An operation as an alarm names it.
#[derive(Debug, Clone)]
struct Named {
    turn: Option<TurnId>,
    kind: OpKind,
    /// The message it edits or made.
    message: Option<MessageId>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    began: Timestamp,
    last_outcome: Option<Timestamp>,
    queued: bool,
    /// A person stopped it.
    stopped: bool,
}

impl ChannelSums {
    /// Puts an error first; one of the same words is counted with it.
    fn fail(&mut self, mut error: ChannelError, op: Option<OpId>) {
        let same = |known: &Known| (&known.error.message, &known.error.hint) == (&error.message, &error.hint);
        let known = self.errors.iter().position(same);
        let known = known.and_then(|at| self.errors.remove(at));
        let mut lost = VecDeque::new();
        if let Some(known) = known {
            error.count += known.error.count;
            lost = known.lost;
        }
        lost.extend(op);
        if lost.len() > LOST {
            lost.pop_front();
        }
        self.errors.truncate(ERRORS - 1);
        self.errors.push_front(Known { error, lost });
    }

    /// A person sent an operation again: its error asks nothing of anybody any more.
    fn mend(&mut self, op: OpId) {
        self.errors.retain_mut(|known| {
            let at = known.lost.iter().position(|lost| *lost == op);
            if at.and_then(|at| known.lost.remove(at)).is_some() {
                known.error.count -= 1;
            }
            known.error.count > 0
        });
    }
}

impl Digest {
    /// The sums at a start; what waits in the outbox was intended before, and what is unknown of earlier processes still
    /// asks for a look.
    pub(crate) fn resume(
        outbox: impl IntoIterator<Item = (OpId, ChannelId)>,
        unknown: UnknownOutcomes,
    ) -> Self {
        let mut digest = Self {
            unknown,
            ..Self::default()
        };
        for (op, channel) in outbox {
            digest.sums(Some(&channel), |sums| sums.counters.held += 1);
            digest.open.insert(op, Some(channel));
        }
        digest
    }

    /// Adds an event; answers the alarm it raises.
    pub(crate) fn push(&mut self, event: &Event) -> Option<Alarm> {
        self.since.get_or_insert(event.at);
        self.count(event.at);
        if self.is_typing(event) {
            return None;
        }
        let news = self.is_news(event);
        self.follow_turn(event);
        self.follow_ops(event);
        self.follow_intents(event);
        if let Some(op) = self.unknown.push(event) {
            self.sums(event.channel.as_ref(), |sums| sums.mend(op));
        }
        self.masked += u32::from(is_masked(&event.kind));
        let alarm = self.leak(event).or_else(|| alarm(event).filter(|_| news));
        if let Some((message, hint)) = trouble(event) {
            let error = ChannelError {
                at: event.at,
                count: 1,
                message,
                hint,
                seq: event.seq.0,
            };
            let lost = match event.kind {
                Kind::Ended { op, .. } | Kind::Undelivered { op, .. } => Some(op),
                _ => None,
            };
            self.sums(event.channel.as_ref(), |sums| sums.fail(error, lost));
        }
        alarm
    }

    fn count(&mut self, at: Timestamp) {
        match self.rate.back_mut() {
            Some((last, count)) if *last == at => *count += 1,
            _ => self.rate.push_back((at, 1)),
        }
        // By the events' own times, so that memory stays bounded also when nobody asks.
        while self
            .rate
            .front()
            .is_some_and(|(first, _)| at.since(*first) >= SECOND)
        {
            self.rate.pop_front();
        }
    }

    /// Whether an event is worth an alarm: a channel that stays down says so at every try, and is one outage; who
    /// stopped a turn knows that it ended early.
    fn is_news(&mut self, event: &Event) -> bool {
        let to = match event.kind {
            Kind::ChannelState { to, .. } => to,
            Kind::TurnEnded { .. } => {
                let run = event.turn.and_then(|turn| self.running.get(&turn));
                return !run.is_some_and(|run| run.stopped);
            }
            _ => return true,
        };
        let mut news = true;
        self.sums(event.channel.as_ref(), |sums| match to {
            ChannelState::Down => news = !std::mem::replace(&mut sums.down, true),
            ChannelState::Up | ChannelState::Off => sums.down = false,
            ChannelState::Connecting | ChannelState::Degraded | ChannelState::RateLimited => {}
        });
        news
    }

    fn is_typing(&mut self, event: &Event) -> bool {
        match &event.kind {
            Kind::Intended { op, intent } if intent.kind == OpKind::Typing => self.typing.insert(*op),
            Kind::Ended { op, .. } => self.typing.remove(op),
            _ => false,
        }
    }

    /// Counts a leak and names what showed it: which operation, on which message, of which channel.
    fn leak(&mut self, event: &Event) -> Option<Alarm> {
        let Kind::Leaked { op, message, span } = &event.kind else {
            return None;
        };
        self.leaks += 1;
        let named = self.intents.get(op);
        let what = named.map_or_else(
            || format!("Operation {op}"),
            |named| match &named.message {
                Some(shown) => format!("{} (operation {op}) of message {shown}", words(named.kind)),
                None => format!("{} (operation {op})", words(named.kind)),
            },
        );
        let channel = event
            .channel
            .as_ref()
            .map_or_else(String::new, |channel| format!(" on {channel}"));
        Some(Alarm {
            kind: AlarmKind::Leak,
            message: format!(
                "{what}{channel} showed bytes {}\u{2013}{} of message {}, which are markup.",
                span.start,
                span.end,
                message + 1
            ),
            seq: event.seq.0,
            turn: event.turn,
        })
    }

    /// Remembers the operations of a turn until it ends: its leaks are found before that.
    fn follow_intents(&mut self, event: &Event) {
        match &event.kind {
            Kind::Intended { op, intent } if event.turn.is_some() => {
                let named = Named {
                    turn: event.turn,
                    kind: intent.kind,
                    message: intent.message.clone(),
                };
                self.intents.insert(*op, named);
            }
            Kind::Ended { op, outcome } => {
                if let Some(named) = self.intents.get_mut(op) {
                    named.message = named.message.take().or_else(|| outcome.message.clone());
                }
            }
            Kind::TurnEnded { .. } => self.intents.retain(|_, named| named.turn != event.turn),
            _ => {}
        }
    }

    fn follow_turn(&mut self, event: &Event) {
        let Some(turn) = event.turn else { return };
        match &event.kind {
            Kind::Received { .. } => {
                let run = Run {
                    began: event.at,
                    last_outcome: None,
                    queued: false,
                    stopped: false,
                };
                self.running.insert(turn, run);
                self.sums(event.channel.as_ref(), |sums| sums.counters.received += 1);
            }
            Kind::Stopping { .. } => {
                self.sums(event.channel.as_ref(), |sums| sums.counters.stopped += 1);
            }
            Kind::Queued { .. } | Kind::Dequeued { .. } => {
                if let Some(run) = self.running.get_mut(&turn) {
                    run.queued = matches!(event.kind, Kind::Queued { .. });
                }
            }
            Kind::RunCancelled { .. } => {
                if let Some(run) = self.running.get_mut(&turn) {
                    run.stopped = true;
                }
            }
            Kind::Ended { .. } => {
                if let Some(run) = self.running.get_mut(&turn) {
                    run.last_outcome = Some(event.at);
                }
            }
            Kind::TurnEnded { .. } => {
                let run = self.running.remove(&turn);
                if let Some(Run {
                    began,
                    last_outcome: Some(end),
                    ..
                }) = run
                {
                    if self.took_ms.len() == TURNS {
                        self.took_ms.pop_front();
                    }
                    self.took_ms
                        .push_back(u64::try_from(end.since(began).as_millis()).unwrap_or(u64::MAX));
                }
            }
            _ => {}
        }
    }

    fn follow_ops(&mut self, event: &Event) {
        match &event.kind {
            Kind::Intended { op, .. } => {
                self.open.insert(*op, event.channel.clone());
                self.sums(event.channel.as_ref(), |sums| sums.counters.held += 1);
            }
            Kind::Ended { op, outcome } => {
                let channel = self.open.remove(op).unwrap_or_else(|| event.channel.clone());
                self.sums(channel.as_ref(), |sums| {
                    let counters = &mut sums.counters;
                    counters.held = counters.held.saturating_sub(1);
                    if outcome.replaced_by.is_none() {
                        add(counters, outcome.code);
                    }
                });
            }
            // That the platform acknowledged it stays true, and stays counted: each figure is the sum of its own events.
            Kind::Undelivered { .. } => {
                self.sums(event.channel.as_ref(), |sums| {
                    add(&mut sums.counters, OutcomeCode::Failed);
                });
            }
            Kind::Skipped { outcome, .. }
            | Kind::Action {
                outcome: Some(outcome),
                ..
            } => {
                self.sums(event.channel.as_ref(), |sums| {
                    add(&mut sums.counters, outcome.code);
                });
            }
            _ => {}
        }
    }

    fn sums(&mut self, channel: Option<&ChannelId>, change: impl FnOnce(&mut ChannelSums)) {
        if let Some(channel) = channel {
            change(self.channels.entry(channel.clone()).or_default());
        }
    }

    /// What a channel did.
    pub(crate) fn counters(&self, channel: &ChannelId) -> Counters {
        self.channels
            .get(channel)
            .map(|sums| sums.counters)
            .unwrap_or_default()
    }

    /// What went wrong on a channel, newest first.
    pub(crate) fn errors(&self, channel: &ChannelId) -> Vec<ChannelError> {
        self.channels
            .get(channel)
            .map(|sums| sums.errors.iter().map(|known| known.error.clone()).collect())
            .unwrap_or_default()
    }

    /// Turns running now; those that wait in a queue do not count.
    pub(crate) fn running(&self) -> u32 {
        self.running.values().filter(|run| !run.queued).count() as u32
    }

    /// Times a byte of a directive reached a channel.
    pub(crate) const fn leaks(&self) -> u32 {
        self.leaks
    }

    /// Stretches of answers that were masked as secrets.
    pub(crate) const fn masked(&self) -> u32 {
        self.masked
    }

    /// Operations without an outcome.
    pub(crate) fn waiting(&self) -> u32 {
        self.open.len() as u32
    }

    /// The operations of unknown outcome that ask for a look.
    pub(crate) const fn unknown(&self) -> &UnknownOutcomes {
        &self.unknown
    }

    /// When the first event came: everything is counted from there. `None` while nothing was counted.
    pub(crate) const fn since(&self) -> Option<Timestamp> {
        self.since
    }

    /// Somebody looked at a turn; answers whether that changed a figure.
    pub(crate) fn looked_at(&mut self, turn: TurnId) -> bool {
        self.unknown.look_at(turn)
    }

    /// Events of the last second before `now`.
    pub(crate) fn events_per_second(&self, now: Timestamp) -> u32 {
        let recent = self
            .rate
            .iter()
            .rev()
            .take_while(|(at, _)| now.since(*at) < SECOND);
        recent.map(|(_, count)| count).sum()
    }

    /// 95th percentile of the last turns, from message to last outcome.
    pub(crate) fn p95_turn_ms(&self) -> Option<u64> {
        let mut sorted: Vec<_> = self.took_ms.iter().copied().collect();
        sorted.sort_unstable();
        // Nearest rank: the smallest value that at least 95 % do not exceed.
        sorted
            .get((sorted.len() * 95).div_ceil(100).checked_sub(1)?)
            .copied()
    }
}

const fn is_masked(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Decided {
            range: Range {
                reason: Some(RangeReason::Redacted),
                ..
            },
            ..
        }
    )
}

fn add(counters: &mut Counters, outcome: OutcomeCode) {
    match outcome {
        OutcomeCode::Sent | OutcomeCode::Unchanged => counters.sent += 1,
        OutcomeCode::DryRun => counters.dry_run += 1,
        OutcomeCode::Failed | OutcomeCode::NotAllowed | OutcomeCode::Missing => counters.failed += 1,
        OutcomeCode::Unsupported => counters.unsupported += 1,
        OutcomeCode::Unknown => counters.unknown += 1,
        OutcomeCode::Cancelled => {}
    }
}

#[cfg(test)]
mod tests;
