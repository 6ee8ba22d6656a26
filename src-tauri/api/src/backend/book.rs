//! The delivery ledger of a channel, and dead letters that a person sends again.

use super::Backend;
use crate::{TurnFold, failure};
use foldback_directives::parse;
use foldback_store::{OutboxEntry, Selection};
use foldback_wire::{
    Body, ChannelId, ChatType, Event, Inbound, Kind, MessageId, OpId, OpKind, OutcomeCode, Seq, Timestamp,
    TurnId,
    rpc::{Book, BookLine, BookOf, Failure, LedgerEntry, MessageDetail, Resend, Sent},
};
use std::collections::{BTreeMap, HashMap, HashSet, btree_map::Entry};

/// Intents and outcomes that are looked at, the latest ones.
const EVENTS: usize = 40_000;
/// Events read at once.
const PAGE: usize = 2_000;
/// Most lines of a part.
const LINES: u32 = 100;
/// Begins the id of the message that asks for an operation again: the gate for repeated messages lets it in once.
const AGAIN: &str = "again-";

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
    texts: Texts,
}

impl Outcomes {
    /// Takes what was sent again together with the first dead letter of its text. `firsts` has the first message of
    /// each text that takes several, by the others.
    fn resend_groups(&mut self, firsts: &HashMap<OpId, OpId>) {
        let group = |op: OpId| firsts.get(&op).copied().unwrap_or(op);
        let failed = || self.all.iter().filter(|o| o.code == OutcomeCode::Failed);
        let again = failed().filter_map(|o| Some((group(o.op), *self.resent.get(&o.op)?)));
        let groups: HashMap<OpId, TurnId> = again.collect();
        let with = failed().filter_map(|o| Some((o.op, *groups.get(&group(o.op))?)));
        let with: Vec<_> = with.collect();
        for (op, turn) in with {
            self.resent.entry(op).or_insert(turn);
        }
    }
}

/// Texts of turns: a live frame is overtaken once the whole text that it began is out.
#[derive(Default)]
struct Texts {
    frames: HashMap<OpId, TurnId>,
    /// The other texts, and whether the platform acknowledged them.
    whole: HashMap<TurnId, BTreeMap<OpId, bool>>,
}

impl Texts {
    fn see(&mut self, turn: TurnId, kind: &Kind) {
        match kind {
            Kind::Intended { op, intent } if matches!(intent.kind, OpKind::SendText | OpKind::EditText) => {
                if intent.live {
                    self.frames.insert(*op, turn);
                } else {
                    self.whole.entry(turn).or_default().insert(*op, false);
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
            texts,
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
            open: self.lines(&mut folds, &open, limit, &resent).await?,
            dead_total: dead.len() as u32,
            dead_filter: format!("{} is:error", filter("ended,undelivered", "failed,unknown")),
            dead: self.lines(&mut folds, &dead, limit, &resent).await?,
            done_total: done.len() as u32,
            done: self.lines(&mut folds, &done, limit, &resent).await?,
            settled_total,
            settled_filter: filter(
                "ended",
                "sent,unchanged,dry_run,unsupported,not_allowed,cancelled",
            ),
            settled: self.lines(&mut folds, &settled, limit, &resent).await?,
        })
    }

    async fn outcomes(&self, channel: Option<&ChannelId>) -> Result<Outcomes, Failure> {
        let journal = &self.shared.journal;
        let wanted = Selection {
            channels: channel.map(|c| [c.clone()].into()),
            ..Selection::kinds(["intended", "ended", "undelivered", "received"])
        };
        let places = journal
            .places(&wanted, Seq(0), journal.head(), usize::MAX)
            .await
            .map_err(failure::journal)?;
        let cut = places.len().saturating_sub(EVENTS);
        let mut found = Outcomes::default();
        let mut typing = HashSet::new();
        let mut firsts: HashMap<OpId, OpId> = HashMap::new();
        for page in places[cut..].chunks(PAGE) {
            for Event { at, turn, kind, .. } in journal.pick(page).await.map_err(failure::journal)? {
                // Everything was looked at: then no time says so.
                found.since = found.since.or(Some(at).filter(|_| cut > 0));
                if let Some(turn) = turn {
                    found.texts.see(turn, &kind);
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
                    (Kind::Received { message }, Some(turn)) => {
                        found.resent.extend(again(&message.message).map(|op| (op, turn)));
                    }
                    _ => {}
                }
            }
        }
        found.resend_groups(&firsts);
        Ok(found)
    }

    async fn lines(
        &self,
        folds: &mut Folds,
        ops: &[(TurnId, OpId)],
        limit: usize,
        resent: &HashMap<OpId, TurnId>,
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
                can_resend: !resent.contains_key(op) && is_dead_letter(entry) && output_of(entry).is_ok(),
                resent: resent.get(op).copied(),
                entry: entry.clone(),
            });
        }
        Ok(lines)
    }

    /// Sends a dead letter again: a turn whose message a person at the console wrote, and whose answer is the letter. An
    /// edit is written into its message again.
    pub(super) async fn send_again(&self, wish: Resend) -> Result<Sent, Failure> {
        let Resend { turn, op } = wish;
        let fold = self.fold_of(turn).await?;
        let lost = fold.detail().ok_or_else(|| failure::no_turn(turn))?;
        let entry = lost
            .ledger
            .iter()
            .find(|entry| entry.op == op)
            .filter(|entry| is_dead_letter(entry))
            .ok_or_else(|| failure::no_dead_letter(turn, op))?;
        // Where it was to go, which need not be where the turn was.
        let own = lost.inbound.channel.clone();
        let channel = entry.intent.channel.clone().unwrap_or_else(|| own.clone());
        let resent = self.outcomes(Some(&channel)).await?.resent;
        if let Some(turn) = resent.get(&op) {
            return Err(failure::resent_already(op, *turn));
        }
        let letters = group_of(&lost.ledger, entry);
        // By the first one, so that the gate for repeated messages lets the group in once.
        let first = letters.first().map_or(op, |letter| letter.op);
        let output = text_of(&letters, &lost.messages)
            .map_or_else(|| output_of(entry), as_output)
            .map_err(|why| failure::cannot_resend(op, why))?;
        let target = &entry.intent.target;
        let here = channel == own && lost.inbound.chat == target.chat;
        let behind = match letters.len() {
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
            ..self.inbound(&channel, MessageId::new(format!("{AGAIN}{first}")), text)
        };
        self.submit(inbound, Some(output), edited_by(first, &lost.ledger))
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

fn is_dead_letter(entry: &LedgerEntry) -> bool {
    entry
        .outcome
        .as_ref()
        .is_some_and(foldback_wire::Outcome::is_dead)
}

/// The dead letters that are sent again with this one: the messages of its text that were held with each other, in
/// order. One of which nobody knows whether it arrived is sent alone.
fn group_of<'a>(ledger: &'a [LedgerEntry], entry: &'a LedgerEntry) -> Vec<&'a LedgerEntry> {
    if !is_failed_text(entry) {
        return vec![entry];
    }
    let group = first_of(entry);
    let of_group = |other: &&LedgerEntry| first_of(other) == group && is_failed_text(other);
    ledger.iter().filter(of_group).collect()
}

fn is_failed_text(entry: &LedgerEntry) -> bool {
    let failed = entry
        .outcome
        .as_ref()
        .is_some_and(|outcome| outcome.code == OutcomeCode::Failed);
    let text = matches!(entry.intent.kind, OpKind::SendText | OpKind::EditText);
    text && failed && !entry.intent.live && is_dead_letter(entry)
}

/// The first message of the text that an operation is a part of.
fn first_of(entry: &LedgerEntry) -> OpId {
    entry.intent.part_of.unwrap_or(entry.op)
}

/// The message that a dead letter was to edit, or was to take the place of where that could not be edited.
fn edited_by(letter: OpId, ledger: &[LedgerEntry]) -> Option<MessageId> {
    let replaced = |entry: &LedgerEntry| entry.outcome.as_ref().and_then(|outcome| outcome.replaced_by);
    let is_it = |entry: &&LedgerEntry| entry.op == letter || replaced(entry) == Some(letter);
    let mut edits = ledger.iter().filter(is_it).map(|entry| &entry.intent);
    let edit = edits.find(|intent| intent.kind == OpKind::EditText)?;
    edit.message.clone()
}

/// The text of several dead letters, with what lies between them; `None` for a single one.
fn text_of(letters: &[&LedgerEntry], messages: &[MessageDetail]) -> Option<String> {
    let [first, .., last] = letters else { return None };
    let clean = |entry: &LedgerEntry| match entry.intent.body {
        Some(Body::Clean { message, span }) => Some((message, span)),
        _ => None,
    };
    if letters.iter().all(|entry| clean(entry).is_some())
        && let (Some((message, from)), Some((_, to))) = (clean(first), clean(last))
        && let Some(detail) = messages.iter().find(|detail| detail.message == message)
        && let Some(text) = detail.clean.get(from.start..to.end)
    {
        return Some(text.to_owned());
    }
    let texts: Vec<_> = letters.iter().filter_map(|entry| entry.text.as_deref()).collect();
    Some(texts.join("\n"))
}

/// A text as an agent writes it, or why it cannot be.
fn as_output(text: String) -> Result<String, &'static str> {
    let read = parse(&text, &foldback_directives::Settings::default(), None);
    if text.trim().is_empty() {
        return Err("its text is not known");
    }
    if read.clean_text.trim() != text.trim() {
        return Err("its text would be read as markup");
    }
    Ok(text)
}

/// The operation that a message asks for again.
pub(crate) fn again(message: &MessageId) -> Option<OpId> {
    message.as_str().strip_prefix(AGAIN)?.parse().ok().map(OpId)
}

/// What an agent would write for the operation, or why nothing it writes is that.
fn output_of(entry: &LedgerEntry) -> Result<String, &'static str> {
    if entry.intent.live {
        return Err("it was a live frame, and a later one replaced it");
    }
    let text = entry.text.clone().unwrap_or_default();
    let quoted = |value: &str| {
        value
            .replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('<', "&lt;")
    };
    match entry.intent.kind {
        OpKind::SendText | OpKind::EditText => as_output(text),
        OpKind::React => {
            let (Some(emoji), Some(message)) = (&entry.intent.emoji, &entry.intent.message) else {
                return Err("its emoji or its message is not known");
            };
            let (emoji, message) = (quoted(emoji), quoted(message.as_str()));
            Ok(format!(
                "<actions><react emoji=\"{emoji}\" message=\"{message}\" /></actions>"
            ))
        }
        OpKind::SendFile => {
            let path = entry.intent.path.as_deref().ok_or("its file is not known")?;
            let path = quoted(path);
            let caption = entry
                .text
                .as_deref()
                .map_or_else(String::new, |text| format!(" caption=\"{}\"", quoted(text)));
            Ok(format!(
                "<actions><send-file path=\"{path}\"{caption} /></actions>"
            ))
        }
        OpKind::Delete | OpKind::SendVoice | OpKind::Typing => Err("only texts, files and reactions are"),
    }
}
