//! The count of a turn's delivery, and the end that follows from it: counted as it happens or, after a
//! restart, from the journal.

use super::arrival::arrived;
use foldback_wire::{
    Body, Event, Intent, Kind, MessageId, OpId, OpKind, Outcome, OutcomeCode, SilentReason, Stage,
    StopReason, Suppression, Terminal,
};
use std::collections::{BTreeMap, BTreeSet};

/// The facts that the end of a turn is decided from.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Texts that arrived, or may have; a live edit is none as long as another text is to replace it.
    pub(crate) texts: u32,
    /// Texts that did not, with why.
    pub(crate) failures: Vec<String>,
    /// The reason for which nobody knows of a text whether it arrived.
    pub(crate) unknown: Option<String>,
    /// The reason for which nobody knows of a file or a voice note whether it arrived: the answer, where nothing else
    /// is.
    pub(crate) unknown_file: Option<String>,
    /// Texts without an acknowledgement: those that failed, and those of which nobody knows.
    pub(crate) unacknowledged: u32,
    /// Directives that were read.
    pub(crate) directives: u32,
    /// Directives that were not carried out.
    pub(crate) skipped: u32,
    /// Directives whose words were written, as they could not be spoken.
    pub(crate) written: u32,
    /// Narration that was hidden.
    pub(crate) hidden: u32,
    pub(crate) suppressed: Option<Suppression>,
}

/// The part of an operation in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerPart {
    /// Text of it that is to stay.
    Text,
    /// A file or a voice note.
    File,
    /// Nothing that its end is decided from.
    Nothing,
}

impl Tally {
    /// Counts how an operation ended, by what it is to the answer.
    pub(super) fn count_as(&mut self, counted: AnswerPart, outcome: &Outcome) {
        match counted {
            AnswerPart::Text => self.count(outcome),
            AnswerPart::File => self.count_file(outcome),
            AnswerPart::Nothing => {}
        }
    }

    /// Counts how a text of the answer ended; not for live edits.
    fn count(&mut self, outcome: &Outcome) {
        if !arrived(outcome) {
            self.unacknowledged += 1;
        }
        let why = outcome.detail.as_deref().unwrap_or(outcome.code.about());
        if arrived(outcome) {
            self.texts += 1;
        } else if outcome.code == OutcomeCode::Unknown {
            self.texts += 1;
            self.unknown.get_or_insert_with(|| why.to_owned());
        } else {
            self.failures.push(why.to_owned());
        }
    }

    /// Counts how a file or a voice note ended.
    fn count_file(&mut self, outcome: &Outcome) {
        if outcome.code == OutcomeCode::Unknown && outcome.replaced_by.is_none() {
            let why = outcome.detail.as_deref().unwrap_or(outcome.code.about());
            self.unknown_file.get_or_insert_with(|| why.to_owned());
        }
    }

    /// The end of a turn whose run failed so, or did not.
    pub(crate) fn terminal(&self, failure: Option<String>) -> Terminal {
        if let Some(detail) = failure {
            return Terminal::Failed { detail };
        }
        if let Some(detail) = &self.unknown {
            return Terminal::Unknown {
                detail: detail.clone(),
            };
        }
        if self.texts > 0 {
            return Terminal::Replied;
        }
        if let Some(why) = self.failures.first() {
            return Terminal::Failed {
                detail: format!("nothing of the answer could be delivered: {why}"),
            };
        }
        if let Some(detail) = &self.unknown_file {
            return Terminal::Unknown {
                detail: detail.clone(),
            };
        }
        let reason = match self.suppressed {
            Some(Suppression::NoReply) => SilentReason::NoReply,
            Some(Suppression::SilentToken) => SilentReason::SilentToken,
            Some(Suppression::HeartbeatAck) => SilentReason::HeartbeatAck,
            None => SilentReason::DirectivesOnly,
        };
        Terminal::Silent { reason }
    }
}

/// The failure of a run that was cancelled.
pub(crate) const CANCELLED: &str = "it was cancelled";
/// The failure of a run that the end of its process cut off.
pub(crate) const CUT_OFF: &str = "the process ended during this turn";

/// The end of a turn by what the journal has of it, once all its operations have ended.
pub(crate) fn terminal_of(events: &[Event]) -> Terminal {
    if let Some(meant) = meant_terminal(events) {
        return match Tally::of(events).terminal(None) {
            Terminal::Replied | Terminal::Silent { .. } => meant,
            failed => failed,
        };
    }
    let mut failure = None;
    let (mut begun, mut ended, mut complete) = (false, false, false);
    for event in events {
        match &event.kind {
            Kind::RunStarted { .. } => begun = true,
            Kind::RunFailed { fault, detail, .. } => failure = Some(format!("{fault}: {detail}")),
            Kind::RunEnded { reason, .. } => {
                ended = true;
                if *reason == StopReason::Cancelled {
                    failure = Some(CANCELLED.to_owned());
                }
            }
            Kind::Passed {
                stage: Stage::Dispatch,
                ..
            } => complete = true,
            _ => {}
        }
    }
    if !complete || begun && !ended {
        failure.get_or_insert_with(|| CUT_OFF.to_owned());
    }
    Tally::of(events).terminal(failure)
}

/// The end of a turn that Foldback answered itself: as it is meant, unless its text did not arrive.
pub(crate) fn own_terminal(meant: Terminal, outcomes: &[Outcome]) -> Terminal {
    let mut tally = Tally::default();
    for outcome in outcomes {
        tally.count(outcome);
    }
    match tally.terminal(None) {
        Terminal::Replied | Terminal::Silent { .. } => meant,
        failed => failed,
    }
}

/// The end that is meant for a turn that Foldback answers itself; `None` for one of the agent's.
fn meant_terminal(events: &[Event]) -> Option<Terminal> {
    events.iter().find_map(|event| match &event.kind {
        Kind::Command { name, .. } => Some(Terminal::Command { name: name.clone() }),
        Kind::InlineDirectives(read) if read.scope.answers() => Some(Terminal::DirectiveAck),
        _ => None,
    })
}

impl Tally {
    /// Counts the texts of an answer by what the journal has of them.
    pub(crate) fn of(events: &[Event]) -> Self {
        let mut tally = Self::default();
        let mut texts: BTreeMap<OpId, &Intent> = BTreeMap::new();
        // Those that no later text replaced.
        let mut live_edits = Vec::new();
        let mut files = BTreeSet::new();
        let mut began = false;
        for event in events {
            match &event.kind {
                Kind::Chunk { .. } => began = true,
                Kind::Intended { op, intent } if is_file(intent.kind) => drop(files.insert(*op)),
                Kind::Ended { op, outcome } if files.contains(op) => tally.count_file(outcome),
                Kind::Intended { op, intent } if is_answer(intent, began) => {
                    if !intent.live {
                        live_edits.retain(|live_edit: &LiveEdit<'_>| !live_edit.is_replaced_by(intent));
                    }
                    texts.insert(*op, intent);
                }
                Kind::Ended { op, outcome } => match texts.remove(op) {
                    Some(intent) if intent.live && arrived(outcome) => {
                        let live_edit = LiveEdit::of(intent, outcome);
                        live_edits.retain(|earlier| earlier.message != live_edit.message);
                        live_edits.push(live_edit);
                    }
                    Some(intent) if !intent.live && outcome.replaced_by.is_none() => tally.count(outcome),
                    _ => {}
                },
                Kind::Suppressed { reason, .. } => tally.suppressed = Some(*reason),
                _ => {}
            }
        }
        // The text that the last live edit shows of a complete answer is the answer.
        tally.texts += live_edits.len() as u32;
        let left = texts.into_iter().filter(|(_, intent)| !intent.live);
        let left = left.map(|(op, _)| format!("operation {op} is still in the outbox"));
        tally.failures.extend(left);
        tally
    }
}

/// A live edit that arrived.
struct LiveEdit<'a> {
    message: Option<&'a MessageId>,
    body: Option<&'a Body>,
}

impl<'a> LiveEdit<'a> {
    fn of(intent: &'a Intent, outcome: &'a Outcome) -> Self {
        Self {
            message: outcome.message.as_ref().or(intent.message.as_ref()),
            body: intent.body.as_ref(),
        }
    }

    /// True where a text is to stand where the live edit does, or says anew what it says.
    fn is_replaced_by(&self, text: &Intent) -> bool {
        let begin = |body: Option<&Body>| {
            let place = body.and_then(Body::place)?;
            Some((place.message, place.span.start))
        };
        let says = begin(self.body);
        (text.message.is_some() && text.message.as_ref() == self.message)
            || (says.is_some() && says == begin(text.body.as_ref()))
    }
}

/// True of a file or a voice note.
pub(super) const fn is_file(kind: OpKind) -> bool {
    matches!(kind, OpKind::SendFile | OpKind::SendVoice)
}

/// True where an operation puts text of the answer on the screen: neither a directive's nor the placeholder,
/// which stands there before the agent has said anything.
fn is_answer(intent: &Intent, began: bool) -> bool {
    matches!(intent.kind, OpKind::SendText | OpKind::EditText)
        && intent.directive.is_none()
        && intent
            .body
            .as_ref()
            .is_some_and(|body| !matches!(body, Body::Aside { .. }))
        && (began || !intent.live)
}
