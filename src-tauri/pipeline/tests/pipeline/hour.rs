//! An hour of traffic on every channel that takes so much at once, with everything platforms do wrong, in virtual time: in the
//! end every message and every operation is accounted for.

use crate::bot::{Bot, World};
use async_trait::async_trait;
use foldback_agents::{Agent, AgentEvent, ScriptAgent, Step, StepSink, TurnRequest};
use foldback_channels::platform;
use foldback_channels::sim::{Author, CallFailure, CallFault, Content};
use foldback_pipeline::{
    Rules, SeededRng,
    invariants::{self, Extent},
};
use foldback_store::Journal as _;
use foldback_wire::{
    ChatId, ChatType, Clock as _, Event, Inbound, Kind, MessageId, OpId, OpKind, OutcomeCode, Platform,
    Rng as _, Sender, Seq, StopReason, Terminal, TurnId,
};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// The platforms that take an answer a second. Reddit takes 100 calls in a minute, X 100 posts in 15 minutes.
fn platforms() -> impl Iterator<Item = &'static Platform> {
    let slow = [platform::REDDIT, platform::X];
    platform::ALL
        .iter()
        .filter(move |platform| !slow.contains(platform))
}

/// Messages of people, on each channel.
const MESSAGES: usize = 4_000;
/// Conversations on each channel.
const CHATS: usize = 40;

/// Words of an answer that takes several messages.
const AT_LENGTH: usize = 600;

/// Answers every message with its own words, sometimes as a reply, with a reaction, a file, or so much that it takes
/// several messages.
struct Echo;

impl Echo {
    /// A word that stands in no other answer.
    fn word(text: &str) -> String {
        format!("on-{text}")
    }

    fn number(text: &str) -> usize {
        text.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or(0)
    }

    /// How often its word stands in the answer to a message.
    fn words(text: &str) -> usize {
        if Self::number(text).is_multiple_of(29) {
            AT_LENGTH
        } else {
            0
        }
    }

    fn answer(text: &str) -> Vec<String> {
        let number = Self::number(text);
        let mut directives = String::new();
        if number.is_multiple_of(5) {
            directives.push_str("<react emoji=\"eyes\"/>");
        }
        if number.is_multiple_of(11) {
            directives.push_str("<send-file path=\"report.txt\"/>");
        }
        let header = if number.is_multiple_of(7) {
            "[[reply_to_current]]"
        } else {
            ""
        };
        let mut chunks = vec![format!("{header}<actions>{directives}</actions>[{text}] is")];
        chunks.push(" answered".to_owned());
        chunks.push(format!(" {}", Self::word(text)).repeat(Self::words(text)));
        chunks.push(" .".to_owned());
        chunks
    }
}

#[async_trait]
impl Agent for Echo {
    fn backend(&self) -> &'static str {
        "echo"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, _: CancellationToken) {
        let run = request.run;
        for text in Self::answer(&request.message.text) {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let step = Step::Text { message: None, text };
            if sink.send(AgentEvent { run, step }).await.is_err() {
                return;
            }
        }
        let step = Step::Done(StopReason::End);
        let _ = sink.send(AgentEvent { run, step }).await;
    }
}

/// Chance, the same in every run.
struct Chance(SeededRng);

impl Chance {
    fn below(&self, end: usize) -> usize {
        usize::try_from(self.0.next() % end as u64).unwrap()
    }

    fn percent(&self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// What goes wrong with one call, one time in twelve.
fn mishap(op: OpKind, nth: u32, chance: &Chance) -> Option<CallFault> {
    let (fail, wait) = match chance.below(1_200) {
        0..40 => (Some(CallFailure::RateLimited), Some(500 + chance.below(8_000))),
        40..80 => (Some(CallFailure::Transient), None),
        80..85 => (Some(CallFailure::LostAck), None),
        85..87 => (Some(CallFailure::Disconnect), Some(1_000 + chance.below(20_000))),
        87..100 => (None, None),
        _ => return None,
    };
    Some(CallFault {
        nth,
        fail,
        retry_after_ms: wait.map(|ms| ms as u64),
        latency_ms: chance.below(800) as u64,
        ..CallFault::first(op, CallFailure::Transient)
    })
}

fn plan_faults(bot: &Bot, chance: &Chance) {
    for loopback in bot.loopbacks.values() {
        let mut platform = loopback.platform();
        for op in [
            OpKind::SendText,
            OpKind::EditText,
            OpKind::React,
            OpKind::SendFile,
        ] {
            for fault in (1..=9_000).filter_map(|nth| mishap(op, nth, chance)) {
                platform.plan(fault);
            }
        }
    }
}

/// A conversation on a channel.
type Place = (Platform, usize);

fn chat(number: usize) -> ChatId {
    format!("c{number}").into()
}

fn message(bot: &Bot, (platform, number): Place, text: String) -> Inbound {
    let (loopback, chat) = (&bot.loopbacks[&platform], chat(number));
    Inbound {
        channel: platform.code().into(),
        account: None,
        message: loopback.mint(&chat),
        chat,
        chat_type: ChatType::Direct,
        thread: None,
        reply_to: None,
        sender: Sender {
            id: format!("u{number}").as_str().into(),
            name: format!("u{number}"),
            display_name: format!("User {number}"),
            is_bot: false,
        },
        text,
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at: bot.clock.now(),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    }
}

/// What people wrote: the texts of each conversation in the order they arrived in, and how many arrivals there
/// were, repeated ones included.
#[derive(Default)]
struct Written {
    texts: BTreeMap<Place, Vec<String>>,
    arrivals: usize,
}

impl Written {
    fn inject(&mut self, bot: &Bot, place: Place, message: Inbound) {
        self.texts.entry(place).or_default().push(message.text.clone());
        self.again(bot, place.0, message);
    }

    fn again(&mut self, bot: &Bot, platform: Platform, message: Inbound) {
        self.arrivals += 1;
        bot.loopbacks[&platform].inject(message).unwrap();
    }
}

/// An hour of messages; some arrive twice, some before those that were written earlier, and now and then a
/// connection breaks.
async fn write(bot: &Bot, chance: &Chance) -> Written {
    let mut written = Written::default();
    let mut late = Vec::new();
    let pause = Duration::from_hours(1) / u32::try_from(MESSAGES).unwrap();
    for number in 0..MESSAGES {
        for platform in platforms() {
            let place = (*platform, number % CHATS);
            let text = |part: &str| format!("{}{part}-{number}", place.1);
            if chance.percent(3) {
                let (first, second) = (message(bot, place, text("a")), message(bot, place, text("b")));
                written.inject(bot, place, second);
                written.inject(bot, place, first);
            } else {
                let message = message(bot, place, text("a"));
                if chance.percent(5) {
                    // Up to ten minutes later: a platform that redelivers does so within the time that is remembered.
                    late.push((number + chance.below(MESSAGES / 6), *platform, message.clone()));
                }
                written.inject(bot, place, message);
            }
            if chance.below(1_000) == 0 {
                let outage = Duration::from_secs(1 + chance.below(60) as u64);
                bot.loopbacks[platform].disconnect(outage);
            }
        }
        let due = |(at, ..): &mut (usize, Platform, Inbound)| *at <= number;
        for (_, platform, message) in late.extract_if(.., due) {
            written.again(bot, platform, message);
        }
        tokio::time::sleep(pause).await;
    }
    for (_, platform, message) in late {
        written.again(bot, platform, message);
    }
    written
}

/// The journal's side of the ledger.
#[derive(Default)]
struct Ledger {
    /// The message of each turn.
    received: BTreeMap<TurnId, (String, ChatId, MessageId)>,
    ended: BTreeMap<TurnId, Terminal>,
    turns: BTreeMap<OpId, TurnId>,
    /// How many operations of a turn ended so.
    outcomes: BTreeMap<(TurnId, OutcomeCode), usize>,
}

impl Ledger {
    fn of(events: &[Event]) -> Self {
        let mut ledger = Self::default();
        for event in events {
            let Some(turn) = event.turn else { continue };
            match &event.kind {
                Kind::Received { message, .. } => {
                    let from = (
                        message.channel.to_string(),
                        message.chat.clone(),
                        message.message.clone(),
                    );
                    ledger.received.insert(turn, from);
                }
                Kind::TurnEnded { terminal } => {
                    ledger.ended.insert(turn, terminal.clone());
                }
                Kind::Intended { op, .. } => {
                    ledger.turns.insert(*op, turn);
                }
                Kind::Ended { op, outcome } => {
                    let turn = ledger.turns[op];
                    *ledger.outcomes.entry((turn, outcome.code)).or_default() += 1;
                }
                _ => {}
            }
        }
        ledger
    }

    fn count(&self, turn: TurnId, code: OutcomeCode) -> usize {
        self.outcomes.get(&(turn, code)).copied().unwrap_or_default()
    }

    fn all(&self, code: OutcomeCode) -> usize {
        let ended = self.outcomes.iter().filter(|((_, ended), _)| *ended == code);
        ended.map(|(_, count)| count).sum()
    }
}

/// What the bot shows in a conversation now, oldest first.
fn shown(bot: &Bot, (platform, number): Place) -> Vec<String> {
    let platform = bot.loopbacks[&platform].platform();
    let Some(chat) = platform.chat(&chat(number)) else {
        return Vec::new();
    };
    let by_bot = chat
        .messages()
        .filter(|m| m.author == Author::Bot && m.deleted.is_none());
    by_bot
        .filter_map(|m| match &m.content {
            Content::Text(text) => Some(text.clone()),
            _ => None,
        })
        .collect()
}

async fn all_events(bot: &Bot) -> Vec<Event> {
    bot.journal.read(Seq(1), usize::MAX).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn nothing_is_lost_or_doubled_and_the_order_is_kept() {
    let chance = Chance(SeededRng::new(7));
    let script = Arc::new(ScriptAgent::new(Arc::new(World::new().clock)));
    let bot = Bot::behind(World::new(), "", Rules::all(), script, Arc::new(Echo)).await;
    std::fs::write(bot.send_dir.join("report.txt"), "42").unwrap();
    plan_faults(&bot, &chance);
    let written = write(&bot, &chance).await;
    // The last answers, waits and outages.
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert!(bot.now_ms() >= 3_600_000 && written.arrivals >= 20_000);

    let events = all_events(&bot).await;
    let violations = invariants::check(&events, Extent::Ended);
    assert!(violations.is_empty(), "{violations:#?}");
    assert!(bot.left().await.is_empty());

    let ledger = Ledger::of(&events);
    assert_eq!(ledger.received.len(), written.arrivals, "every arrival is a turn");
    assert_eq!(ledger.ended.len(), written.arrivals, "and every turn has an end");
    let mut answered: BTreeMap<_, TurnId> = BTreeMap::new();
    for (turn, from) in &ledger.received {
        if ledger.ended[turn] == Terminal::Duplicate {
            continue;
        }
        assert_eq!(answered.insert(from, *turn), None, "{from:?} is taken once");
    }
    let texts: usize = written.texts.values().map(Vec::len).sum();
    assert_eq!(answered.len(), texts, "each message is taken");
    for code in [OutcomeCode::Sent, OutcomeCode::Unknown] {
        assert!(ledger.all(code) > 0, "{code} happened");
    }
    balance(&bot, &written, &ledger, &events);
}

/// Holds the platforms' screens against the ledger.
fn balance(bot: &Bot, written: &Written, ledger: &Ledger, events: &[Event]) {
    let mut turns: BTreeMap<(String, &str), TurnId> = BTreeMap::new();
    for event in events {
        if let (Some(turn), Kind::Received { message, .. }) = (event.turn, &event.kind)
            && ledger.ended[&turn] != Terminal::Duplicate
        {
            turns.insert((message.channel.to_string(), &message.text), turn);
        }
    }
    let (mut missing, mut twice) = (0, 0);
    for (place, texts) in &written.texts {
        let shown = shown(bot, *place);
        let words: Vec<_> = shown.iter().flat_map(|text| text.split_whitespace()).collect();
        let mut order: Vec<usize> = Vec::new();
        let mut order_of_words: Vec<usize> = Vec::new();
        for text in texts {
            let turn = turns[&(place.0.code().to_owned(), text.as_str())];
            let mark = format!("[{text}]");
            let at: Vec<usize> = (0..shown.len()).filter(|at| shown[*at].contains(&mark)).collect();
            let unsure = ledger.count(turn, OutcomeCode::Unknown);
            let failed = ledger.count(turn, OutcomeCode::Failed);
            missing += usize::from(at.is_empty());
            twice += usize::from(at.len() > 1);
            assert!(
                !at.is_empty() || unsure + failed > 0,
                "{place:?} {text}: lost without a word"
            );
            assert!(at.len() <= 1 + unsure, "{place:?} {text}: doubled without a word");
            order.extend(at.first());

            let (word, wanted) = (Echo::word(text), Echo::words(text));
            let at: Vec<usize> = (0..words.len()).filter(|at| words[*at] == word).collect();
            assert!(
                at.len() >= wanted || unsure + failed > 0,
                "{place:?} {text}: a part is lost without a word"
            );
            assert!(
                at.len() <= wanted * (1 + unsure),
                "{place:?} {text}: a part is doubled without a word"
            );
            if unsure + failed == 0 {
                order_of_words.extend(at);
            }
        }
        assert!(order.is_sorted(), "{place:?}: {order:?}");
        assert!(order_of_words.is_sorted(), "{place:?}: parts are out of order");
    }
    println!(
        "{} arrivals, {} operations, {} unknown, {} failed; texts missing {missing}, twice {twice}, all of them told",
        written.arrivals,
        ledger.outcomes.values().sum::<usize>(),
        ledger.all(OutcomeCode::Unknown),
        ledger.all(OutcomeCode::Failed),
    );
}
