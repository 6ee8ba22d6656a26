//! Three witnesses, compared: the bot's journal, the file that the commands wrote, and the platform's log.

use super::{ANSWER, Asking};
use crate::simulated_platform::op_of;
use foldback_channels::read_log;
use foldback_pipeline::invariants::{self, Extent};
use foldback_store::{Journal as _, SqliteJournal};
use foldback_wire::{
    ActionEnded, Event, Kind, MessageId, OpId, Operation, OutcomeCode, Seq, StopReason, Terminal, TurnId,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
};

/// The sum of their evidence.
#[derive(Default)]
pub(super) struct Figures {
    messages: usize,
    answered: usize,
    /// Messages whose person was told that the answer was cut off.
    told: usize,
    /// Messages of whose answer nobody knows whether it arrived.
    unknown: usize,
    commands: usize,
    /// Commands of which nobody knows whether they ran, that did.
    doubtful_ran: usize,
    /// Such commands that did not.
    doubtful_did_not: usize,
    /// Answers whose actions were never begun.
    not_begun: usize,
}

impl Figures {
    /// Lists the events that a series of kills has to meet and did not.
    pub(super) fn missing(&self, asking: Asking) -> Vec<&'static str> {
        let all_begun = usize::from(asking == Asking::ByCalls);
        let met = [
            ("an answer in doubt", self.unknown),
            ("a person who was told", self.told),
            ("a command in doubt that ran", self.doubtful_ran),
            ("a command in doubt that did not run", self.doubtful_did_not),
            // A called action begins within its run; none is asked for and left.
            ("an action that was not begun", self.not_begun + all_begun),
        ];
        met.into_iter()
            .filter(|(_, times)| *times == 0)
            .map(|(name, _)| name)
            .collect()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            messages,
            answered,
            told,
            unknown,
            commands,
            doubtful_ran,
            doubtful_did_not,
            not_begun,
        } = self;
        // Where run twice or answered twice were not 0, this would not be reached.
        write!(
            f,
            "{messages} messages: {answered} answered, {told} told that they were cut off, {unknown} unknown, answered twice = 0; \
             {commands} commands begun: {doubtful_ran} in doubt ran, {doubtful_did_not} in doubt did not, run twice = 0; \
             {not_begun} answers whose actions were not begun"
        )
    }
}

/// A message and the turns that followed from it.
#[derive(Default)]
struct Chain {
    /// Deliveries that the turn of its message led to.
    deliveries: usize,
    /// The run of its message ended in order: its actions were asked for.
    asked: bool,
    begun: usize,
    /// Of one of them nobody knows whether it ran.
    in_doubt: bool,
    /// An operation of one of its turns is unknown.
    unknown: bool,
    answers: usize,
    notices: usize,
}

pub(super) fn compare(
    journal: &Path,
    log: &Path,
    runs: &str,
    written: &BTreeSet<String>,
    asking: Asking,
) -> Figures {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (events, left) = runtime.block_on(async {
        let journal = SqliteJournal::open(journal).await.unwrap();
        let events = journal.read(Seq(1), usize::MAX >> 1).await.unwrap();
        (events, journal.outbox().await.unwrap())
    });
    let violations = invariants::check(&events, Extent::Ended);
    assert!(violations.is_empty(), "{violations:#?}");
    assert!(left.is_empty(), "something is left in the outbox: {left:#?}");
    let mut figures = Figures::default();
    commands(&events, runs, &mut figures);
    answers(&events, log, written, asking, &mut figures);
    figures
}

/// No command ran twice, none ran that was not begun, and each has an end: it ran, or nobody knows.
fn commands(events: &[Event], runs: &str, figures: &mut Figures) {
    let mut ran: BTreeMap<&str, usize> = BTreeMap::new();
    for word in runs.lines() {
        *ran.entry(word).or_default() += 1;
    }
    let mut begun: BTreeMap<(Option<TurnId>, u32), String> = BTreeMap::new();
    let mut ended: BTreeMap<(Option<TurnId>, u32), &ActionEnded> = BTreeMap::new();
    for event in events {
        match &event.kind {
            Kind::ActionStarted(action) => {
                let command = action.action.command.as_deref().unwrap_or_default();
                let word = command.strip_prefix("./count ").unwrap().to_owned();
                let before = begun.insert((event.turn, action.index), word);
                assert_eq!(before, None, "an action of turn {:?} began twice", event.turn);
            }
            Kind::ActionEnded(end) => {
                let before = ended.insert((event.turn, end.index), end);
                assert!(before.is_none(), "an action of turn {:?} ended twice", event.turn);
            }
            _ => {}
        }
    }
    figures.commands = begun.len();
    let mut words: BTreeSet<&str> = BTreeSet::new();
    for ((turn, _), word) in &begun {
        if !words.insert(word) {
            let told = events.iter().filter(|event| begun_in(&begun, word, event.turn));
            let told: Vec<_> = told.map(told_as_line).collect();
            panic!(
                "{word} was begun in two turns, again in {turn:?}\n{}",
                told.join("\n")
            );
        }
    }
    for (word, times) in &ran {
        assert_eq!(*times, 1, "{word} ran {times} times");
        assert!(words.contains(word), "{word} ran and was never begun");
    }
    for (action, word) in &begun {
        let end = ended
            .get(action)
            .unwrap_or_else(|| panic!("{word} has no end in the journal"));
        let did_run = ran.contains_key(word.as_str());
        match (end.exit, end.note.as_deref()) {
            (Some(0), None) => assert!(did_run, "{word} ended and did not run"),
            (None, Some("nobody knows whether it ran")) if did_run => figures.doubtful_ran += 1,
            (None, Some("nobody knows whether it ran")) => figures.doubtful_did_not += 1,
            other => panic!("{word} ended as {other:?}"),
        }
    }
}

/// True where a turn began this command.
fn begun_in(begun: &BTreeMap<(Option<TurnId>, u32), String>, word: &str, turn: Option<TurnId>) -> bool {
    begun.iter().any(|((of, _), begun)| *of == turn && begun == word)
}

/// Every message has one answer or one word about what became of it, unless an operation of its turns is unknown; and what
/// its agent asked for led to one delivery.
fn answers(events: &[Event], log: &Path, written: &BTreeSet<String>, asking: Asking, figures: &mut Figures) {
    let mut of_message: BTreeMap<TurnId, String> = BTreeMap::new();
    let mut root: BTreeMap<TurnId, TurnId> = BTreeMap::new();
    let mut turn_of: BTreeMap<OpId, TurnId> = BTreeMap::new();
    let mut chains: BTreeMap<TurnId, Chain> = BTreeMap::new();
    for event in events {
        let Some(turn) = event.turn else { continue };
        let first = root.get(&turn).copied().unwrap_or(turn);
        let chain = chains.entry(first).or_default();
        match &event.kind {
            Kind::Received { message } if written.contains(message.message.as_str()) => {
                of_message.insert(turn, message.message.to_string());
            }
            Kind::DeliveryDue(request) => {
                let cause = request.cause.unwrap();
                let first = root.get(&cause).copied().unwrap_or(cause);
                root.insert(turn, first);
                chains.get_mut(&first).unwrap().deliveries += 1;
            }
            Kind::RunEnded {
                reason: StopReason::End,
                ..
            } if first == turn => chain.asked = true,
            Kind::ActionStarted(_) => chain.begun += 1,
            Kind::ActionEnded(ended) => chain.in_doubt |= ended.note.is_some(),
            Kind::Intended { op, .. } => drop(turn_of.insert(*op, turn)),
            Kind::Ended { outcome, .. } => chain.unknown |= outcome.code == OutcomeCode::Unknown,
            // The platform gave it again, as it had not heard that it arrived.
            Kind::TurnEnded {
                terminal: Terminal::Duplicate,
            } => drop(of_message.remove(&turn)),
            _ => {}
        }
    }
    for (op, text) in screen(log) {
        let turn = turn_of[&op];
        let chain = chains
            .get_mut(root.get(&turn).unwrap_or(&turn))
            .unwrap_or_else(|| panic!("operation {op} belongs to no message"));
        chain.answers += usize::from(text == ANSWER);
        chain.notices += usize::from(text.starts_with(['⚠', '⏹']));
    }
    let answered: BTreeSet<&String> = of_message.values().collect();
    let lost: Vec<_> = written.iter().filter(|id| !answered.contains(id)).collect();
    assert!(lost.is_empty(), "messages that have no turn: {lost:?}");
    assert_eq!(answered.len(), of_message.len(), "a message has two turns");
    for (turn, id) in &of_message {
        let chain = &chains[turn];
        let story = || story(events, *turn, &root);
        let is_delivered = match asking {
            Asking::InText => chain.asked,
            Asking::ByCalls => chain.in_doubt,
        };
        assert_eq!(
            chain.deliveries,
            usize::from(is_delivered),
            "{id}: deliveries of turn {turn}\n{}",
            story()
        );
        figures.messages += 1;
        figures.not_begun += usize::from(is_delivered && chain.begun == 0);
        if chain.unknown {
            figures.unknown += 1;
            assert!(
                chain.answers + chain.notices <= 2,
                "{id} is answered again and again\n{}",
                story()
            );
            continue;
        }
        assert_eq!(
            (chain.answers + chain.notices, chain.answers <= 1),
            (1, true),
            "{id}: {} answers, {} notices\n{}",
            chain.answers,
            chain.notices,
            story()
        );
        figures.answered += chain.answers;
        figures.told += chain.notices;
    }
}

/// The texts that the platform shows in the end, each with the operation that sent it.
fn screen(log: &Path) -> Vec<(OpId, String)> {
    let mut shown: Vec<(Option<MessageId>, OpId, String)> = Vec::new();
    let mut applied: BTreeSet<OpId> = BTreeSet::new();
    for record in read_log(log).unwrap() {
        if !record.applied || record.repeated {
            continue;
        }
        let op = op_of(&record);
        assert!(applied.insert(op), "operation {op} happened twice");
        match &record.call.operation {
            Operation::SendText { text, .. } => {
                let id = record.answer.as_ref().ok().and_then(|ack| ack.message.clone());
                shown.push((id, op, text.clone()));
            }
            Operation::EditText { message, text, .. } => {
                let edited =
                    |(id, _, _): &&mut (Option<MessageId>, OpId, String)| id.as_ref() == Some(message);
                if let Some((_, _, shown)) = shown.iter_mut().find(edited) {
                    shown.clone_from(text);
                }
            }
            Operation::Delete { message } => shown.retain(|(id, _, _)| id.as_ref() != Some(message)),
            _ => {}
        }
    }
    shown.into_iter().map(|(_, op, text)| (op, text)).collect()
}

/// The events of a message's turns, for whoever has to find out what happened.
fn story(events: &[Event], first: TurnId, root: &BTreeMap<TurnId, TurnId>) -> String {
    let of_chain = |turn: TurnId| turn == first || root.get(&turn) == Some(&first);
    let told = events
        .iter()
        .filter(|event| event.turn.is_some_and(of_chain) || matches!(event.kind, Kind::Started { .. }));
    told.map(told_as_line).collect::<Vec<_>>().join("\n")
}

fn told_as_line(event: &Event) -> String {
    format!("{} {} {:?} {:?}", event.seq, event.at, event.turn, event.kind)
}
