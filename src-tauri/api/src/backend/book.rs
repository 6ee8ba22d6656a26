//! The delivery ledger of a channel, and dead letters that a person sends again.

use super::{
    Backend, Resends,
    dead_letter::{
        DeadLetterGroup, again, edited_by, find_dead_letter, is_dead_letter, is_sent_with_rest, output_of,
    },
};
use crate::{TurnFold, failure};
use foldback_store::{OutboxEntry, Selection};
use foldback_wire::{
    Body, ChannelId, ChatType, Event, Inbound, Kind, OpId, OpKind, OutcomeCode, Seq, Timestamp, TurnId,
    rpc::{Book, BookLine, BookOf, Failure, LedgerEntry, Resend, SendResult},
};
use std::collections::{BTreeMap, HashMap, HashSet, btree_map::Entry};

/// Intents and outcomes that are looked at, the latest ones.
const EVENTS: usize = 40_000;
/// Events read at once.
const PAGE: usize = 2_000;
/// Most lines of a part.
const LINES: u32 = 100;
/// An operation that ended.
struct Outcome {
    op: OpId,
    turn: TurnId,
    code: OutcomeCode,
}

/// What ended lately, and what became of it.
#[derive(Default)]
struct Outcomes {
    /// The earliest first.
    all: Vec<Outcome>,
    /// Since when was looked; `None` when everything was.
    since: Option<Timestamp>,
    /// What was sent again, and in which turn.
    resent: HashMap<OpId, TurnId>,
    /// Operations that wait to be sent again, with the turn of each.
    waiting: HashMap<OpId, TurnId>,
    /// Number of messages that asked for an operation again.
    asked: HashMap<OpId, u32>,
    texts: Texts,
}

impl Outcomes {
    /// Takes what was or waits to be sent again together with the first dead letter of its text. `firsts` has the first
    /// message of each text that takes several, by the others.
    fn resend_groups(&mut self, firsts: &HashMap<OpId, OpId>) {
        let group = |op: OpId| firsts.get(&op).copied().unwrap_or(op);
        let failed = || self.all.iter().filter(|o| o.code == OutcomeCode::Failed);
        for again in [&mut self.resent, &mut self.waiting] {
            let turns = failed().filter_map(|o| Some((group(o.op), *again.get(&o.op)?)));
            let groups: HashMap<OpId, TurnId> = turns.collect();
            for o in failed() {
                if let Some(turn) = groups.get(&group(o.op)) {
                    again.entry(o.op).or_insert(*turn);
                }
            }
        }
    }
}

/// Texts of turns: a live frame is overtaken once the whole text that it began is out, and a block that did not arrive once
/// it was sent again with what follows it.
#[derive(Default)]
struct Texts {
    frames: HashMap<OpId, TurnId>,
    /// The other texts, and whether the platform acknowledged them.
    whole: HashMap<TurnId, BTreeMap<OpId, bool>>,
    /// Blocks, by the place that each begins at.
    blocks: HashMap<OpId, TextPlace>,
    /// The last text that begins at a place.
    said: HashMap<TextPlace, OpId>,
}

/// A turn, an assistant message of it, and a place in the clean text of that.
type TextPlace = (TurnId, u32, usize);

impl Texts {
    fn see(&mut self, turn: TurnId, kind: &Kind) {
        match kind {
            Kind::Intended { op, intent } if matches!(intent.kind, OpKind::SendText | OpKind::EditText) => {
                if intent.live {
                    self.frames.insert(*op, turn);
                } else {
                    self.whole.entry(turn).or_default().insert(*op, false);
                    if let Some(place) = intent.body.as_ref().and_then(Body::place) {
                        let place = (turn, place.message, place.span.start);
                        self.blocks.extend(intent.block.map(|_| (*op, place)));
                        self.said.insert(place, *op);
                    }
                }
            }
            // What was done in its place says how it ended.
            Kind::Ended { op, outcome } if outcome.replaced_by.is_some() => {
                self.whole.entry(turn).or_default().remove(op);
            }
            Kind::Ended { op, outcome } => {
                let arrived = matches!(outcome.code, OutcomeCode::Sent | OutcomeCode::Unchanged);
                self.end(turn, *op, arrived);
            }
            Kind::Undelivered { op, .. } => self.end(turn, *op, false),
            _ => {}
        }
    }

    fn end(&mut self, turn: TurnId, op: OpId, arrived: bool) {
        if let Some(text) = self.whole.get_mut(&turn).and_then(|texts| texts.get_mut(&op)) {
            *text = arrived;
        }
    }

    fn is_overtaken(&self, op: OpId) -> bool {
        if let Some(place) = self.blocks.get(&op) {
            return self.said.get(place).is_some_and(|last| *last > op);
        }
        let texts = self.frames.get(&op).and_then(|turn| self.whole.get(turn));
        texts.is_some_and(|texts| !texts.is_empty() && texts.values().all(|arrived| *arrived))
    }
}

impl Backend {
    pub(super) async fn book(&self, of: BookOf) -> Result<Book, Failure> {
        if let Some(channel) = &of.channel {
            self.known(channel)?;
        }
        let limit = of.limit.min(LINES) as usize;
        let Outcomes {
            all,
            since,
            resent,
            waiting,
            texts,
            ..
        } = self.outcomes(of.channel.as_ref()).await?;
        let mut folds = Folds::default();
        let (dead, mut settled): (Vec<_>, Vec<_>) = all.into_iter().rev().partition(|o| is_dead(o.code));
        let filter = |kinds: &str, outcomes: &str| {
            let channel = of
                .channel
                .as_ref()
                .map_or_else(String::new, |c| format!("channel:{c} "));
            let after = since.map_or_else(String::new, |since| format!(" after:{since}"));
            format!("{channel}kind:{kinds} outcome:{outcomes} -kind:typing{after}")
        };
        let outbox = self.shared.journal.outbox().await.map_err(failure::journal)?;
        let wanted = |entry: &&OutboxEntry| {
            of.channel.as_ref().is_none_or(|c| *c == entry.channel)
                && entry.operation.kind() != OpKind::Typing
        };
        let open: Vec<_> = outbox
            .iter()
            .filter(wanted)
            .map(|entry| (entry.turn, entry.op))
            .collect();
        let lost: HashSet<_> = dead.iter().map(|o| o.op).collect();
        let (done, dead): (Vec<_>, Vec<_>) = dead
            .iter()
            .map(|o| (o.turn, o.op))
            .partition(|(_, op)| resent.contains_key(op) || texts.is_overtaken(*op));
        let settled_total = settled.len() as u32;
        settled.retain(|o| !lost.contains(&o.op));
        let settled: Vec<_> = settled.iter().map(|o| (o.turn, o.op)).collect();
        Ok(Book {
            open_total: open.len() as u32,
            open: self.lines(&mut folds, &open, limit, &resent, &waiting).await?,
            dead_total: dead.len() as u32,
            dead_filter: format!("{} is:error", filter("ended,undelivered", "failed,unknown")),
            dead: self.lines(&mut folds, &dead, limit, &resent, &waiting).await?,
            done_total: done.len() as u32,
            done: self.lines(&mut folds, &done, limit, &resent, &waiting).await?,
            settled_total,
            settled_filter: filter(
                "ended",
                "sent,unchanged,dry_run,unsupported,not_allowed,cancelled",
            ),
            settled: self.lines(&mut folds, &settled, limit, &resent, &waiting).await?,
        })
    }

    async fn outcomes(&self, channel: Option<&ChannelId>) -> Result<Outcomes, Failure> {
        let journal = &self.shared.journal;
        let wanted = Selection {
            channels: channel.map(|c| [c.clone()].into()),
            ..Selection::kinds(["intended", "ended", "undelivered", "received", "turn_ended"])
        };
        let places = journal
            .places(&wanted, Seq(0), journal.head(), usize::MAX)
            .await
            .map_err(failure::journal)?;
        let cut = places.len().saturating_sub(EVENTS);
        let mut found = Outcomes::default();
        let mut typing = HashSet::new();
        let mut resends = Resends::default();
        let mut firsts: HashMap<OpId, OpId> = HashMap::new();
        for page in places[cut..].chunks(PAGE) {
            for Event { at, turn, kind, .. } in journal.pick(page).await.map_err(failure::journal)? {
                // Everything was looked at: then no time says so.
                found.since = found.since.or(Some(at).filter(|_| cut > 0));
                if let Some(turn) = turn {
                    found.texts.see(turn, &kind);
                    found
                        .resent
                        .extend(resends.push(turn, &kind).map(|op| (op, turn)));
                }
                if let Kind::Intended { op, intent } = &kind {
                    firsts.extend(intent.part_of.map(|first| (*op, first)));
                }
                match (kind, turn) {
                    (Kind::Intended { op, intent }, _) if intent.kind == OpKind::Typing => {
                        typing.insert(op);
                    }
                    // What was done in its place has an outcome of its own.
                    (Kind::Ended { outcome, .. }, _) if outcome.replaced_by.is_some() => {}
                    (Kind::Ended { op, outcome }, Some(turn)) if !typing.remove(&op) => {
                        let code = outcome.code;
                        found.all.push(Outcome { op, turn, code });
                    }
                    // Its acknowledgement stays an outcome of its own, as its row does.
                    (Kind::Undelivered { op, .. }, Some(turn)) => {
                        let code = OutcomeCode::Failed;
                        found.all.push(Outcome { op, turn, code });
                    }
                    (Kind::Received { message }, _) => {
                        if let Some(op) = again(&message.message) {
                            *found.asked.entry(op).or_default() += 1;
                        }
                    }
                    _ => {}
                }
            }
        }
        found.waiting.extend(resends.waiting());
        found.resend_groups(&firsts);
        Ok(found)
    }

    async fn lines(
        &self,
        folds: &mut Folds,
        ops: &[(TurnId, OpId)],
        limit: usize,
        resent: &HashMap<OpId, TurnId>,
        waiting: &HashMap<OpId, TurnId>,
    ) -> Result<Vec<BookLine>, Failure> {
        let mut lines = Vec::new();
        for (turn, op) in ops.iter().take(limit) {
            let (began, channel, entries) = folds.of(self, *turn).await?;
            let Some(entry) = entries.iter().find(|entry| entry.op == *op) else {
                continue;
            };
            lines.push(BookLine {
                channel: entry.intent.channel.as_ref().unwrap_or(channel).clone(),
                chat: entry.intent.target.chat.clone(),
                turn: *turn,
                at: began.plus(std::time::Duration::from_millis(entry.at_ms)),
                can_resend: !resent.contains_key(op)
                    && !waiting.contains_key(op)
                    && is_dead_letter(entry)
                    && !is_sent_with_rest(entries, entry)
                    && output_of(entry).is_ok(),
                resent: resent.get(op).copied(),
                resend_waits: waiting.get(op).copied(),
                entry: entry.clone(),
            });
        }
        Ok(lines)
    }

    /// Sends a dead letter again: a turn whose message a person at the console wrote, and whose answer is the letter.
    /// An edit is written into its message again.
    pub(super) async fn send_again(&self, wish: Resend) -> Result<SendResult, Failure> {
        let Resend { turn, op } = wish;
        let fold = self.fold_of(turn).await?;
        let lost = fold.detail().ok_or_else(|| failure::no_turn(turn))?;
        let entry = find_dead_letter(&lost, op).ok_or_else(|| failure::no_dead_letter(turn, op))?;
        // Where it was to go, which need not be where the turn was.
        let own = lost.inbound.channel.clone();
        let channel = entry.intent.channel.clone().unwrap_or_else(|| own.clone());
        let Outcomes {
            resent,
            waiting,
            asked,
            ..
        } = self.outcomes(Some(&channel)).await?;
        if let Some(turn) = resent.get(&op) {
            return Err(failure::resent_already(op, *turn));
        }
        if let Some(turn) = waiting.get(&op) {
            return Err(failure::resend_waits(op, *turn));
        }
        let group = DeadLetterGroup::of(&lost, entry).map_err(|why| failure::cannot_resend(op, why))?;
        let target = &entry.intent.target;
        let here = channel == own && lost.inbound.chat == target.chat;
        let first = group.first;
        let behind = match group.letters {
            0 | 1 => String::new(),
            letters => format!(" and {} behind it", letters - 1),
        };
        let text = format!("Operation {first} of turn {turn}{behind}, sent again by a person.");
        let inbound = Inbound {
            chat: target.chat.clone(),
            chat_type: if here {
                lost.inbound.chat_type
            } else {
                ChatType::Direct
            },
            thread: target.thread.clone(),
            ..self.inbound(
                &channel,
                group.message(asked.get(&first).copied().unwrap_or_default()),
                text,
            )
        };
        self.submit(inbound, Some(group.output), edited_by(first, &lost.ledger))
            .await
    }

    async fn fold_of(&self, turn: TurnId) -> Result<TurnFold, Failure> {
        let events = self.shared.journal.turn(turn).await.map_err(failure::journal)?;
        Ok(TurnFold::of(turn, &events))
    }
}

/// Ledgers of turns, each folded once.
#[derive(Default)]
struct Folds(BTreeMap<TurnId, (Timestamp, ChannelId, Vec<LedgerEntry>)>);

impl Folds {
    async fn of(
        &mut self,
        backend: &Backend,
        turn: TurnId,
    ) -> Result<&(Timestamp, ChannelId, Vec<LedgerEntry>), Failure> {
        match self.0.entry(turn) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let detail = backend.fold_of(turn).await?.detail();
                let detail = detail.ok_or_else(|| failure::no_turn(turn))?;
                Ok(place.insert((detail.summary.at, detail.inbound.channel, detail.ledger)))
            }
        }
    }
}

const fn is_dead(code: OutcomeCode) -> bool {
    matches!(code, OutcomeCode::Failed | OutcomeCode::Unknown)
}
