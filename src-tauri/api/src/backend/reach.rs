//! What arming a channel would let loose, counted in the journal and the outbox.

use super::{Backend, again, compose::CHAT};
use crate::failure;
use foldback_channels::is_dry;
use foldback_store::{OutboxEntry, Selection, one_line};
use foldback_wire::{
    ChannelId, ChatId, Event, Inbound, Kind, OpId, OpKind, Operation, OutcomeCode, Seq, Timestamp, TurnId,
    rpc::{ChannelReach, Failure, ReachRate, ReachedChat, WaitingFate, WaitingOperation},
    visible,
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
};

/// Messages that are looked at, the latest ones: a few hundred milliseconds of reading.
const MESSAGES: usize = 20_000;
/// Events read at once.
const PAGE: usize = 2_000;
/// Chats and operations in an answer.
const LISTED: usize = 50;
/// Characters of a text in a list.
const LINE: usize = 120;
/// How far back a rate looks, in hours.
const HOURS: [u32; 2] = [1, 24];

/// What is known about a chat.
struct Chat {
    /// The last message, with its place in the journal: more than one can come in a millisecond.
    latest: (Seq, Timestamp, Option<TurnId>, Inbound),
    people: BTreeSet<String>,
    messages: u64,
    stopped: u64,
}

impl Backend {
    pub(super) async fn reach(&self, id: &ChannelId) -> Result<ChannelReach, Failure> {
        self.known(id)?;
        let (messages, since, chats) = self.chats(id).await?;
        let answered = chats.values().filter(|chat| chat.stopped < chat.messages).count();
        let chats_total = chats.len() as u32;
        let mut chats: Vec<(ChatId, Chat)> = chats.into_iter().collect();
        chats.sort_by_key(|(_, chat)| Reverse(chat.latest.0));
        chats.truncate(LISTED);
        let mut waiting = self.waiting_on(id).await?;
        let waiting_total = waiting.len() as u32;
        let sends_total = waiting.iter().filter(|w| w.fate == WaitingFate::Sends).count() as u32;
        waiting.truncate(LISTED);
        Ok(ChannelReach {
            channel: id.clone(),
            chats: chats.into_iter().map(|(id, chat)| reached(id, chat)).collect(),
            chats_total,
            answered_total: answered as u32,
            messages,
            since,
            rates: self.rates(id).await?,
            waiting,
            waiting_total,
            sends_total,
        })
    }

    /// The chats of the latest messages, how many messages these are, and when the first of them came.
    async fn chats(
        &self,
        id: &ChannelId,
    ) -> Result<(u64, Option<Timestamp>, BTreeMap<ChatId, Chat>), Failure> {
        let journal = &self.shared.journal;
        let head = journal.head();
        let received = of(id, ["received"], None);
        let places = journal
            .places(&received, Seq(0), head, usize::MAX)
            .await
            .map_err(failure::journal)?;
        let latest = &places[places.len().saturating_sub(MESSAGES)..];
        let mut stopped = BTreeSet::new();
        if let Some(first) = latest.first() {
            self.read_all(&of(id, ["stopping"], None), Seq(first.0 - 1), |event| {
                stopped.extend(event.turn);
            })
            .await?;
        }
        let (mut chats, mut messages, mut since) = (BTreeMap::<ChatId, Chat>::new(), 0, None);
        for page in latest.chunks(PAGE) {
            for event in journal.pick(page).await.map_err(failure::journal)? {
                let Kind::Received { message } = event.kind else {
                    continue;
                };
                // Compose writes in a chat that no platform knows; nobody wrote what a person sends again.
                if message.chat.as_str() == CHAT || again(&message.message).is_some() {
                    continue;
                }
                messages += 1;
                since.get_or_insert(event.at);
                let is_stopped = event.turn.is_some_and(|turn| stopped.contains(&turn));
                let chat = chats.entry(message.chat.clone()).or_insert_with(|| Chat {
                    latest: (event.seq, event.at, event.turn, (*message).clone()),
                    people: BTreeSet::new(),
                    messages: 0,
                    stopped: 0,
                });
                chat.people.insert(message.sender.id.to_string());
                chat.messages += 1;
                chat.stopped += u64::from(is_stopped);
                chat.latest = (event.seq, event.at, event.turn, *message);
            }
        }
        Ok((messages, since, chats))
    }

    async fn rates(&self, id: &ChannelId) -> Result<Vec<ReachRate>, Failure> {
        let now = self.shared.clock.now();
        let since = |hours: u32| Timestamp(now.0 - i64::from(hours) * 3_600_000);
        let mut rates: Vec<ReachRate> = HOURS
            .iter()
            .map(|hours| ReachRate {
                hours: *hours,
                turns: 0,
                turns_filter: format!("channel:{id} kind:received after:{}", since(*hours)),
                sent: 0,
                sent_filter: format!(
                    "channel:{id} kind:send_text,send_file,send_voice outcome:sent,dry_run after:{}",
                    since(*hours)
                ),
            })
            .collect();
        let longest = HOURS.iter().copied().max().unwrap_or_default();
        let mut kinds: HashMap<OpId, OpKind> = HashMap::new();
        let mut strangers: Vec<(OpId, Option<TurnId>, Timestamp)> = Vec::new();
        let lately = of(id, ["received", "intended", "ended"], Some(since(longest)));
        let count = |rates: &mut Vec<ReachRate>, at: Timestamp, of: fn(&mut ReachRate) -> &mut u64| {
            for rate in rates.iter_mut().filter(|rate| at >= since(rate.hours)) {
                *of(rate) += 1;
            }
        };
        self.read_all(&lately, Seq(0), |event| match event.kind {
            Kind::Received { .. } => count(&mut rates, event.at, |rate| &mut rate.turns),
            Kind::Intended { op, intent } => drop(kinds.insert(op, intent.kind)),
            Kind::Ended { op, outcome }
                if matches!(outcome.code, OutcomeCode::Sent | OutcomeCode::DryRun) =>
            {
                match kinds.remove(&op) {
                    Some(kind) if is_message(kind) => count(&mut rates, event.at, |rate| &mut rate.sent),
                    Some(_) => {}
                    None => strangers.push((op, event.turn, event.at)),
                }
            }
            _ => {}
        })
        .await?;
        // What was intended before the time began and ended within it.
        for (op, turn, at) in strangers {
            let Some(turn) = turn else { continue };
            let events = self.shared.journal.turn(turn).await.map_err(failure::journal)?;
            let kind = events.iter().find_map(|event| match &event.kind {
                Kind::Intended { op: other, intent } if *other == op => Some(intent.kind),
                _ => None,
            });
            if kind.is_some_and(is_message) {
                count(&mut rates, at, |rate| &mut rate.sent);
            }
        }
        Ok(rates)
    }

    /// How many operations go out on each channel as soon as it is armed and open.
    pub(super) async fn outgoing(&self) -> Result<BTreeMap<ChannelId, u64>, Failure> {
        let mut outgoing = BTreeMap::new();
        let mut asking = BTreeMap::new();
        for entry in self.shared.journal.outbox().await.map_err(failure::journal)? {
            if matches!(entry.operation, Operation::Typing) {
                continue;
            }
            let asking = asking
                .entry(entry.channel.clone())
                .or_insert_with(|| self.shared.engine.asking(&entry.channel));
            if fate(&entry, asking.contains(&entry.op)) == WaitingFate::Sends {
                *outgoing.entry(entry.channel).or_default() += 1;
            }
        }
        Ok(outgoing)
    }

    async fn waiting_on(&self, id: &ChannelId) -> Result<Vec<WaitingOperation>, Failure> {
        let asking = self.shared.engine.asking(id);
        let outbox = self.shared.journal.outbox().await.map_err(failure::journal)?;
        Ok(outbox
            .into_iter()
            .filter(|entry| entry.channel == *id && !matches!(entry.operation, Operation::Typing))
            .map(|entry| {
                let asks = asking.contains(&entry.op);
                waiting(entry, asks)
            })
            .collect())
    }

    /// Reads all that is wanted after a place, a page at a time.
    async fn read_all(
        &self,
        wanted: &Selection,
        after: Seq,
        mut take: impl FnMut(Event),
    ) -> Result<(), Failure> {
        let journal = &self.shared.journal;
        let (mut after, head) = (after, journal.head());
        loop {
            let page = journal
                .select(wanted, after, head, PAGE)
                .await
                .map_err(failure::journal)?;
            let full = page.len() == PAGE;
            for event in page {
                after = event.seq;
                take(event);
            }
            if !full {
                return Ok(());
            }
        }
    }
}

fn of(id: &ChannelId, kinds: impl IntoIterator<Item = &'static str>, since: Option<Timestamp>) -> Selection {
    Selection {
        channels: Some([id.clone()].into()),
        since,
        ..Selection::kinds(kinds)
    }
}

const fn is_message(kind: OpKind) -> bool {
    matches!(kind, OpKind::SendText | OpKind::SendFile | OpKind::SendVoice)
}

fn reached(id: ChatId, chat: Chat) -> ReachedChat {
    let (_, last_at, last_turn, message) = chat.latest;
    let last_text = one_line(&message.readable_text(), LINE);
    let sender = message.sender;
    ReachedChat {
        chat: id,
        chat_type: message.chat_type,
        name: visible(sender.readable_name()).into_owned(),
        people: chat.people.len() as u32,
        messages: chat.messages,
        stopped: chat.stopped,
        last_at,
        last_text,
        last_turn,
    }
}

fn waiting(entry: OutboxEntry, asks: bool) -> WaitingOperation {
    let fate = fate(&entry, asks);
    let kind = entry.operation.kind();
    let about = match entry.operation {
        Operation::SendText { text, .. }
        | Operation::SendVoice { text, .. }
        | Operation::EditText { text, .. } => text,
        Operation::Delete { message } => message.to_string(),
        Operation::React {
            message, emoji_sent, ..
        } => format!("{emoji_sent} → {message}"),
        Operation::SendFile { path, .. } => path,
        Operation::Typing => String::new(),
    };
    WaitingOperation {
        op: entry.op,
        turn: entry.turn,
        kind,
        chat: entry.target.chat,
        about: one_line(&about, LINE),
        at: entry.at,
        fate,
    }
}

/// What becomes of a waiting operation when its channel is armed; `asks` when it waited too long.
fn fate(entry: &OutboxEntry, asks: bool) -> WaitingFate {
    let of_a_test = match &entry.operation {
        Operation::EditText { message, .. }
        | Operation::Delete { message }
        | Operation::React { message, .. } => is_dry(message),
        Operation::SendText { .. }
        | Operation::SendVoice { .. }
        | Operation::SendFile { .. }
        | Operation::Typing => false,
    };
    if of_a_test || entry.dry_run {
        WaitingFate::Stays
    } else if asks {
        WaitingFate::Asks
    } else {
        WaitingFate::Sends
    }
}
