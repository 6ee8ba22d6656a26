//! A turn that an earlier process left before all of its answer was in the outbox, read from the journal.
//!
//! The journal has every byte of the answer and what was decided about it, so that the clean text of each assistant
//! message can be put together again. It also has what was intended of that text: the messages that are complete, each
//! with the bytes that it shows, and the preview that was edited last. What is behind those bytes is left to be said.
//!
//! An example: an answer of 5,000 bytes in two messages; the process is killed while the first is sent.
//!
//! ```text
//!    0 ms  chunks 0..5000, message 0 ended, run ended
//!    5 ms  op 7 intended: clean text 0..3990
//!    9 ms  op 7 attempted                       <- killed
//!          start: op 7 is settled (sent again under its key, else unknown)
//!          then:  clean text 3991..5000 is intended, as nothing of it was
//! ```
//!
//! It can be read again after another kill: whatever was intended meanwhile is not left any more.

mod placeholder;
mod reading;
mod run_end;

pub(crate) use placeholder::unfinished_placeholder;
pub(crate) use run_end::RunEnd;

use super::{
    arrival::{arrived, may_stand},
    begun::{BegunMessage, ShownMessage},
    message_quota::is_left_out,
    tally::Tally,
    text_parts::TextParts,
};
use crate::output::is_unreadable;
use foldback_wire::{
    Body, CleanPlace, Clock, Directive, DirectiveRef, Event, Header, Inbound, Intent, Kind, OpId, OpKind,
    Stage, Target,
};
use reading::{LiveEdit, MessageReader, left_of};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A turn of which not everything is in the outbox.
#[derive(Debug)]
pub(crate) struct UnfinishedTurn {
    pub(crate) inbound: Inbound,
    pub(crate) run: RunEnd,
    /// In order.
    pub(crate) messages: Vec<UnfinishedMessage>,
    /// The messages in the chat that were intended of its answer.
    pub(crate) answer: TextParts,
    /// The count of it so far.
    pub(crate) tally: Tally,
    /// Words of Foldback's own were intended after the run: a notice, or the text of an empty answer.
    pub(crate) has_own_words: bool,
    /// The notice of an answer that is too long was intended, with the file where there is one.
    pub(crate) truncated: bool,
    /// Something else than text of the answer had no message in the chat.
    pub(crate) left_out: bool,
    /// Messages that stand in the chat, or may, beside the answer: of directives, tool calls, reasoning, questions.
    pub(crate) others: u32,
    /// A message of the turn stands in its chat, or may.
    pub(crate) spoke: bool,
    /// A tool call of its run had an action carried out.
    pub(crate) has_acted: bool,
    /// An action began that a tool call of its run asked for, and has no end: its agent is told of it, and answers.
    pub(crate) has_begun: bool,
    /// Stands on the screen as it was put there.
    pub(crate) placeholder: Option<ShownMessage>,
}

/// An assistant message of such a turn.
#[derive(Debug, Default)]
pub(crate) struct UnfinishedMessage {
    pub(crate) number: u32,
    /// The text to show, as far as it was decided.
    pub(crate) clean: String,
    pub(crate) header: Header,
    /// Those that nothing was done about.
    pub(crate) directives: Vec<(DirectiveRef, Directive)>,
    /// The number behind those of its directives.
    pub(crate) next_index: u32,
    /// A directive of it says what is to be heard.
    pub(crate) has_voice: bool,
    /// Its text was spoken, or was to be.
    pub(crate) is_spoken: bool,
    pub(crate) narration: bool,
    /// All its text is decided.
    pub(crate) ended: bool,
    pub(crate) begun: BegunMessage,
}

/// True where a tool call had an action carried out. Actions in text begin when the run has ended.
fn has_acted(events: &[Event]) -> bool {
    let mut of_run = events.iter().take_while(|event| !is_end_of_run(&event.kind));
    of_run.any(|event| matches!(event.kind, Kind::ActionEnded(_)))
}

/// True where an action began that a tool call asked for, and has no end.
fn has_begun(events: &[Event]) -> bool {
    let of_run = events.iter().take_while(|event| !is_end_of_run(&event.kind));
    let mut open = BTreeSet::new();
    for event in of_run {
        match &event.kind {
            Kind::ActionStarted(begun) => drop(open.insert(begun.index)),
            Kind::ActionEnded(ended) => drop(open.remove(&ended.index)),
            _ => {}
        }
    }
    !open.is_empty()
}

/// True where an earlier process left something of a turn that is not in the outbox. A turn that a gate stopped, or whose
/// run had not begun, is not one of them.
pub(crate) fn is_unfinished(events: &[Event]) -> bool {
    let began = events.iter().any(|e| matches!(e.kind, Kind::RunStarted { .. }));
    let over = |event: &Event| {
        matches!(
            event.kind,
            Kind::TurnEnded { .. }
                | Kind::Stopping { .. }
                | Kind::Passed {
                    stage: Stage::Dispatch,
                    ..
                }
        )
    };
    began && !events.iter().any(over)
}

impl UnfinishedTurn {
    /// Reads a turn whose operations have all ended; `None` where nothing of it is left to be said. `acts` is true where some
    /// action is on.
    pub(crate) fn read(events: &[Event], acts: bool, clock: &dyn Clock) -> Option<Self> {
        let inbound = inbound_of(events).filter(|_| is_unfinished(events))?;
        Some(Self::of(inbound, events, acts, clock))
    }

    /// Reads a turn of which everything is said and that has no end yet, down to its final edits that a live edit without an
    /// answer may undo; `None` where there are none.
    pub(crate) fn read_doubtful(events: &[Event], acts: bool, clock: &dyn Clock) -> Option<Self> {
        let mut turn = Self::read_said(events, acts, clock)?;
        turn.messages.retain(|message| !message.begun.doubtful.is_empty());
        Some(turn).filter(|turn| !turn.messages.is_empty())
    }

    /// Reads a turn of which everything is said and that has no end yet; `None` where it is no such turn.
    pub(crate) fn read_said(events: &[Event], acts: bool, clock: &dyn Clock) -> Option<Self> {
        let dispatched = |event: &Event| {
            matches!(
                event.kind,
                Kind::Passed {
                    stage: Stage::Dispatch,
                    ..
                }
            )
        };
        let ended = |event: &Event| matches!(event.kind, Kind::TurnEnded { .. });
        let is_left = events.iter().any(dispatched) && !events.iter().any(ended);
        let inbound = inbound_of(events).filter(|_| is_left)?;
        Some(Self::of(inbound, events, acts, clock))
    }

    fn of(inbound: Inbound, events: &[Event], acts: bool, clock: &dyn Clock) -> Self {
        let own_chat = Target {
            chat: inbound.chat.clone(),
            thread: inbound.thread.clone(),
        };
        let mut readings: BTreeMap<u32, MessageReader> = BTreeMap::new();
        let mut intents: BTreeMap<OpId, &Intent> = BTreeMap::new();
        let (mut done, mut put) = (HashSet::new(), BTreeSet::new());
        let mut tally = Tally::of(events);
        let mut answer = TextParts::default();
        let mut blocks: BTreeSet<OpId> = BTreeSet::new();
        let (mut over, mut has_own_words, mut spoke, mut chunked) = (false, false, false, false);
        let mut others = 0;
        for event in events {
            if let Some(number) = message_of(&event.kind) {
                let reading = readings.entry(number).or_default();
                reading.message.number = number;
                reading.fold_kind(&event.kind);
                chunked = true;
            }
            match &event.kind {
                Kind::Directive { .. } => tally.directives += 1,
                // Nothing was said, but something was to be done.
                kind if acts && is_unreadable(kind) => tally.directives += 1,
                Kind::Action { outcome, .. } => {
                    tally.directives += 1;
                    tally.skipped += u32::from(outcome.is_some());
                }
                Kind::Skipped { at, .. } => {
                    tally.skipped += 1;
                    done.insert(*at);
                }
                Kind::Intended { op, intent } => {
                    done.extend(intent.directive);
                    if let (Some(at), Some(_)) = (intent.directive, &intent.reply_to) {
                        let begun = &mut readings.entry(at.message).or_default().message.begun;
                        begun.file_answered = true;
                    }
                    if intent.live && !chunked {
                        // The placeholder stands there before the agent has said anything.
                        put.insert(*op);
                    }
                    intents.insert(*op, intent);
                    has_own_words |= over && is_own_words(intent);
                    if let Some(CleanPlace { message, span }) = place_of(intent).filter(|_| !intent.live) {
                        let begun = &mut readings.entry(message).or_default().message.begun;
                        // A text that is written once more, or in the place of another operation, is no other message.
                        begun.parts += u32::from(span.end > begun.said);
                        begun.said = begun.said.max(span.end);
                        answer.add(*op);
                        blocks.extend(intent.block.map(|_| *op));
                    }
                }
                Kind::Ended { op, outcome } => {
                    let Some(intent) = intents.get(op) else { continue };
                    let may_stand = may_stand(outcome);
                    let here = intent.channel.is_none() && intent.target == own_chat;
                    let stands = may_stand && here && makes_message(intent.kind);
                    spoke |= stands && !put.contains(op);
                    others += u32::from(stands && is_beside(intent));
                    if let Some(CleanPlace { message, span }) = place_of(intent).filter(|_| !intent.live) {
                        let reading = readings.entry(message).or_default();
                        answer.end(*op, outcome);
                        reading.settle_edit(intent, arrived(outcome));
                        if blocks.remove(op) {
                            // What is done in its place is that block.
                            blocks.extend(outcome.replaced_by);
                            if reading.take_back(span, outcome) {
                                answer = TextParts::default();
                            }
                        }
                    }
                    if let Some(CleanPlace { message, span }) = place_of(intent).filter(|_| intent.live) {
                        let reading = readings.entry(message).or_default();
                        if arrived(outcome) {
                            let id = outcome.message.as_ref().or(intent.message.as_ref());
                            reading.live_edit = id.map(|id| LiveEdit {
                                id: id.clone(),
                                start: span.start,
                                body: intent.body.clone(),
                                at: clock.steady_of(event.at),
                            });
                        } else if may_stand {
                            reading.note_doubt(intent);
                        }
                    }
                }
                kind => over |= is_end_of_run(kind),
            }
        }
        Self {
            placeholder: unfinished_placeholder(events, clock),
            has_acted: has_acted(events),
            has_begun: has_begun(events),
            truncated: events.iter().any(|e| matches!(e.kind, Kind::Truncated { .. })),
            left_out: events.iter().any(|event| is_left_out(&event.kind)),
            others,
            inbound,
            run: RunEnd::of(events),
            messages: left_of(readings, &done),
            answer,
            tally,
            has_own_words,
            spoke,
        }
    }
}

fn inbound_of(events: &[Event]) -> Option<Inbound> {
    events.iter().find_map(|event| match &event.kind {
        Kind::Received { message } => Some((**message).clone()),
        _ => None,
    })
}

/// True once nothing more of the agent comes: its run ended, or an earlier start went on without it.
fn is_end_of_run(kind: &Kind) -> bool {
    match kind {
        Kind::RunEnded { .. } => true,
        Kind::Passed {
            stage: Stage::Preview,
            detail,
        } => detail == TAKEN_UP,
        _ => false,
    }
}

/// Told before the rest of such a turn is said.
pub(crate) const TAKEN_UP: &str =
    "taken up again: the process ended before all of the answer was in the outbox";

/// The assistant message that an event of the run is about.
const fn message_of(kind: &Kind) -> Option<u32> {
    match kind {
        Kind::Chunk { message, .. }
        | Kind::Decided { message, .. }
        | Kind::HeaderRead { message, .. }
        | Kind::MessageEnded { message, .. } => Some(*message),
        Kind::Directive { at, .. } => Some(at.message),
        _ => None,
    }
}

/// The bytes of an assistant message that an operation shows, none of a directive's.
fn place_of(intent: &Intent) -> Option<CleanPlace> {
    let body = intent.body.as_ref().filter(|_| intent.directive.is_none());
    body.and_then(Body::place)
}

fn is_own_words(intent: &Intent) -> bool {
    let literal = matches!(intent.body, Some(Body::Literal { place: None, .. }));
    intent.kind == OpKind::SendText && !intent.live && intent.directive.is_none() && literal
}

/// True for what is no text of the answer: a directive's, or beside it.
const fn is_beside(intent: &Intent) -> bool {
    intent.directive.is_some() || matches!(intent.body, Some(Body::Aside { .. }))
}

const fn makes_message(kind: OpKind) -> bool {
    matches!(kind, OpKind::SendText | OpKind::SendFile | OpKind::SendVoice)
}
