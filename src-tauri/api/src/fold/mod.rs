//! A turn, folded from its events. Everything the window shows about a turn comes from here, at any moment
//! of it: state is what the events up to that moment say, nothing else.

mod asked;
mod chat;
mod decisions;
mod directives;
mod explain;
mod holding;
mod lanes;
mod ledger;
mod messages;
mod moment;
mod outlined;
mod reading;
mod ruler;
mod sketch;
mod understood;
mod when;
mod work;

use asked::AskedActions;
pub(crate) use asked::is_answer;
use chat::Typing;
pub(crate) use chat::quoted;
use directives::Directives;
use foldback_store::one_line;
use foldback_wire::{
    ChannelId, Delivery, DeliveryAccepted, DeliveryRequest, Event, GroupMessage, Inbound, Kind, OutcomeCode,
    ReadThread, SessionId, Terminal, Timestamp, TurnId, UnderstoodFile,
    rpc::{BubbleAttachment, Decision, FaultMark, LaneStrokes, LedgerEntry, TurnDetail, TurnSummary},
    visible,
};
use lanes::Phases;
use ledger::Ledger;
use messages::Messages;
pub(crate) use outlined::OutlinedLine;
use sketch::{Bar, HoldBar};
use std::collections::BTreeMap;
use understood::transcript;
use when::{When, millis};
use work::Work;

/// Characters of a text that stand for it in a list.
const LINE: usize = 200;

/// The state of a turn after the events pushed so far.
#[derive(Debug, Clone)]
pub struct TurnFold {
    turn: TurnId,
    inbound: Option<Inbound>,
    delivery: Option<Box<DeliveryRequest>>,
    delivered_in: Vec<DeliveryAccepted>,
    group_history: Vec<GroupMessage>,
    thread: Option<ReadThread>,
    began: Timestamp,
    last: Timestamp,
    head: u64,
    session: Option<SessionId>,
    channel: Option<ChannelId>,
    /// Its agent asked for actions, or a delivery links it to another turn.
    has_chain: bool,
    asked: AskedActions,
    /// What came of the files of the message.
    files: BTreeMap<u32, BubbleAttachment>,
    prompt: Option<String>,
    agent: Option<String>,
    reasoning: String,
    work: Work,
    terminal: Option<Terminal>,
    /// It waits for the turn before it.
    queued: bool,
    /// A person stopped its run.
    stopped: bool,
    messages: Messages,
    directives: Directives,
    ledger: Ledger,
    phases: Phases,
    decisions: Vec<Decision>,
    /// What the last decision was.
    latest: Option<Event>,
    faults: Vec<FaultMark>,
    typing: Typing,
}

impl TurnFold {
    /// A turn of which nothing is known yet.
    pub fn new(turn: TurnId) -> Self {
        Self {
            turn,
            inbound: None,
            delivery: None,
            delivered_in: Vec::new(),
            group_history: Vec::new(),
            thread: None,
            began: Timestamp::default(),
            last: Timestamp::default(),
            head: 0,
            session: None,
            channel: None,
            has_chain: false,
            asked: AskedActions::default(),
            files: BTreeMap::new(),
            prompt: None,
            agent: None,
            reasoning: String::new(),
            work: Work::default(),
            terminal: None,
            queued: false,
            stopped: false,
            messages: Messages::default(),
            directives: Directives::default(),
            ledger: Ledger::default(),
            phases: Phases::default(),
            decisions: Vec::new(),
            latest: None,
            faults: Vec::new(),
            typing: Typing::default(),
        }
    }

    /// The turn after these events; `None` when they do not begin with a message.
    pub fn of<'a>(turn: TurnId, events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut fold = Self::new(turn);
        for event in events {
            fold.push(event);
        }
        fold
    }

    /// Folds one more event in. Events of other turns, and events folded in already, change nothing.
    pub fn push(&mut self, event: &Event) {
        let Some(when) = self.reach_event(event) else {
            return;
        };
        if let Some(mut decision) = decisions::decision(when, event, &self.messages, self.stopped) {
            if let Kind::TurnEnded { terminal } = &event.kind
                && let Some(verdict) = self.asked.verdict(terminal, self.ledger.bare())
            {
                decision.text = verdict;
            }
            self.decisions.push(decision);
            self.latest = Some(event.clone());
        }
        self.fold_event(when, &event.kind);
    }

    /// Goes on to an event, and says where it stands; `None` for one that changes nothing.
    fn reach_event(&mut self, event: &Event) -> Option<When> {
        if event.turn != Some(self.turn) || event.seq.0 <= self.head {
            return None;
        }
        if self.head == 0 {
            self.began = event.at;
        }
        self.head = event.seq.0;
        let after_end = event.kind.is_late() && self.terminal.is_some();
        if !after_end {
            self.last = self.last.max(event.at);
        }
        if event.session.is_some() {
            self.session.clone_from(&event.session);
        }
        if event.channel.is_some() && self.channel.is_none() {
            self.channel.clone_from(&event.channel);
        }
        Some(When::of(event, after_end, self.began, self.last))
    }

    fn fold_event(&mut self, when: When, kind: &Kind) {
        self.messages.push(when, kind);
        self.directives.push(when, kind);
        self.ledger.push(when, kind);
        self.phases.push(when.seq, when.ms, kind);
        self.work.push(when.seq, when.ms, kind);
        self.asked.push(kind);
        self.typing.push(when.ms, kind, self.ended_op(kind));
        match kind {
            Kind::Received { message } => {
                self.channel = Some(message.channel.clone());
                let mut message = message.as_ref().clone();
                message.forget_handles();
                self.inbound = Some(message);
            }
            Kind::DeliveryDue(request) => {
                self.has_chain = true;
                self.delivery = Some(request.clone());
            }
            Kind::DeliveryAccepted(accepted) => {
                self.has_chain = true;
                self.delivered_in.push(accepted.clone());
            }
            Kind::Action { .. } | Kind::ActionRefused(_) | Kind::ActionStarted(_) => self.has_chain = true,
            Kind::GroupHistory { messages } => self.group_history.clone_from(messages),
            Kind::ThreadRead(read) => self.thread = Some(read.clone()),
            Kind::Gathered {
                index,
                name,
                media_type,
                bytes,
                fate,
                why,
                heard,
                ..
            } => {
                let file = BubbleAttachment {
                    name: visible(name).into_owned(),
                    media_type: visible(media_type).into_owned(),
                    bytes: *bytes,
                    fate: Some(*fate),
                    why: why.clone(),
                    understood: heard.as_ref().map(|heard| transcript(*index, name, heard)),
                };
                self.files.insert(*index, file);
            }
            Kind::Understood(file) => {
                if let Some(known) = self.files.get_mut(&file.index) {
                    known.understood = Some(UnderstoodFile {
                        name: visible(&file.name).into_owned(),
                        ..file.clone()
                    });
                }
            }
            Kind::Queued { .. } => self.queued = true,
            Kind::Dequeued { .. } => self.queued = false,
            Kind::Prepared { prompt } => {
                // A turn that an earlier process had let wait is taken up without a `dequeued`.
                self.queued = false;
                self.prompt = Some(prompt.clone());
            }
            Kind::RunStarted { backend, model, .. } => {
                self.agent = Some(match model {
                    Some(model) => format!("{backend} {model}"),
                    None => backend.clone(),
                });
            }
            Kind::Retrying { next: Some(next), .. } => self.agent = Some(next.to_string()),
            Kind::Reasoning { text } => self.reasoning.push_str(text),
            Kind::RunCancelled { .. } => self.stopped = true,
            Kind::TurnEnded { terminal } => {
                self.queued = false;
                self.terminal = Some(terminal.clone());
            }
            Kind::Faulted { number, op, fault } => self.faults.push(FaultMark {
                seq: when.seq,
                at_ms: when.ms,
                number: *number,
                op: *op,
                about: fault.to_string(),
            }),
            _ => {}
        }
    }

    fn ended_op(&self, kind: &Kind) -> Option<foldback_wire::OpKind> {
        match kind {
            Kind::Ended { op, .. } => self.ledger.get(*op).map(|entry| entry.intent.kind),
            _ => None,
        }
    }

    /// Last event folded in; 0 before the first.
    pub const fn head(&self) -> u64 {
        self.head
    }

    /// How the turn ended; `None` while it runs.
    pub const fn terminal(&self) -> Option<&Terminal> {
        self.terminal.as_ref()
    }

    /// The sentence, without its end, about a turn that is over and whose answer its actions are, or would have been; `None`
    /// where it is another one, or where there are none.
    pub(crate) fn verdict(&self) -> Option<String> {
        self.asked.verdict(self.terminal.as_ref()?, self.ledger.bare())
    }

    /// The message that began it.
    pub const fn inbound(&self) -> Option<&Inbound> {
        self.inbound.as_ref()
    }

    /// Decisions so far.
    pub const fn decision_count(&self) -> usize {
        self.decisions.len()
    }

    /// Whether it ended and every operation has its outcome: no later event can change it, but one that says what
    /// became of an operation after it was acknowledged.
    pub fn settled(&self) -> bool {
        self.terminal.is_some() && self.ledger.bare().iter().all(|e| e.outcome.is_some())
    }

    /// From the message to the last event, in milliseconds.
    pub fn took_ms(&self) -> u64 {
        millis(self.began, self.last)
    }

    /// One line about the turn; `None` as long as no message is known.
    pub fn summary(&self) -> Option<TurnSummary> {
        let holds = self.messages.all().iter().flat_map(|message| &message.holds);
        self.line(&holds.map(HoldBar::of).collect::<Vec<_>>())
    }

    /// The line, with these holds of the scanner.
    fn line(&self, holds: &[HoldBar]) -> Option<TurnSummary> {
        let inbound = self.inbound.as_ref()?;
        let shown = self.messages.all().iter().filter(|m| m.suppressed.is_none());
        let clean: Vec<_> = shown.map(|m| m.clean.as_str()).collect();
        let sender = &inbound.sender;
        let ended = |codes: &[OutcomeCode]| {
            let last = |entry: &&LedgerEntry| {
                let last = entry.outcome.as_ref().filter(|o| o.replaced_by.is_none());
                last.is_some_and(|o| codes.contains(&o.code))
            };
            self.ledger.bare().iter().filter(last).count() as u32
        };
        Some(TurnSummary {
            turn: self.turn,
            at: self.began,
            channel: self.channel.clone(),
            session: self.session.clone(),
            sender: visible(sender.readable_name()).into_owned(),
            user_text: one_line(&inbound.readable_text(), LINE),
            answer: one_line(&clean.join(" "), LINE),
            terminal: self.terminal.clone(),
            queued: self.queued,
            stopped: self.stopped,
            cause: self.delivery.as_ref().and_then(|request| request.cause),
            // A turn's own events do not tell; whoever has the journal does.
            replayed: false,
            took_ms: self.took_ms(),
            directives: self.directives.len() as u32,
            diagnostics: self
                .messages
                .all()
                .iter()
                .map(|m| m.diagnostics.len() as u32)
                .sum(),
            failed_ops: ended(&[OutcomeCode::Failed, OutcomeCode::NotAllowed, OutcomeCode::Missing]),
            unknown_ops: ended(&[OutcomeCode::Unknown]),
            actions: self.asked.counts(self.terminal.is_some()),
            latency_ms: sketch::latency_ms(self.ledger.bare()),
            longest_hold: sketch::longest_hold(holds, self.took_ms()),
            strokes: self.strokes(holds),
        })
    }

    /// The waterfall in small. Cheap enough for every row of a list at every frame: no text is resolved.
    fn strokes(&self, holds: &[HoldBar]) -> Vec<LaneStrokes> {
        let until = self.took_ms();
        let bars = self.phases.bars().iter().map(Bar::of);
        let work: Vec<_> = self.work.bars().collect();
        let work = work.iter().map(Bar::of);
        let bars = bars
            .chain(work)
            .chain(holds.iter().map(Bar::of_hold))
            .chain(self.ledger.bare().iter().map(Bar::of_operation));
        sketch::strokes(bars, until)
    }

    /// Everything about the turn; `None` as long as no message is known.
    pub fn detail(&self) -> Option<TurnDetail> {
        let mut ledger = self.ledger.entries(&self.messages);
        let directives = self.directives.entries(&self.ledger);
        let lanes = lanes::lanes(
            &self.phases,
            &self.work,
            self.messages.all(),
            &directives,
            &ledger,
        );
        let deliveries = ledger.iter().filter_map(delivery).collect();
        // Stable: both halves stay in the order of their intents.
        ledger.sort_by_key(|entry| entry.outcome.is_some());
        Some(TurnDetail {
            summary: self.summary()?,
            inbound: self.inbound.clone()?,
            delivery: self.delivery.clone(),
            delivered_in: self.delivered_in.clone(),
            has_chain: self.has_chain,
            group_history: self.group_history.clone(),
            thread: self.thread.clone(),
            understood: self
                .files
                .values()
                .filter_map(|file| file.understood.clone())
                .collect(),
            prompt: self.prompt.clone(),
            agent: self.agent.clone(),
            reasoning: self.reasoning.clone(),
            tools: self.work.tools(),
            head: self.head,
            messages: self.messages.all().to_vec(),
            directives,
            ledger,
            decisions: self.decisions.clone(),
            lanes,
            faults: self.faults.clone(),
            deliveries,
        })
    }
}

/// A settled operation as replay prints it.
fn delivery(entry: &LedgerEntry) -> Option<Delivery> {
    let outcome = entry.outcome.as_ref()?;
    let intent = &entry.intent;
    Some(Delivery {
        op: intent.kind,
        channel: intent.channel.clone(),
        message: outcome.message.clone().or_else(|| intent.message.clone()),
        text: entry.text.clone(),
        emoji: intent.emoji.clone(),
        emoji_sent: intent.emoji_sent.clone(),
        reply_to: intent.reply_to.clone(),
        path: intent.path.clone(),
        kind: intent.file_kind,
        outcome: outcome.code,
        at_ms: entry.at_ms + entry.took_ms.unwrap_or(0),
    })
}
