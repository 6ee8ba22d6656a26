//! A turn as it was at a moment, by event or by byte.

use super::{
    TurnFold, chat,
    decisions::{classify, describe},
    explain::{Scene, explain, explain_latest},
    holding::hold_of,
    messages::came,
    reading::{Reading, read},
    when::{When, millis},
};
use foldback_directives::Settings;
use foldback_wire::{
    Capabilities, Event, Inbound, JoinKind, Kind, TurnId,
    rpc::{DecisionDetail, DirectiveEntry, LedgerEntry, MessageDetail, Moment, MomentMessage},
};

impl TurnFold {
    /// The turn right after a place of the journal. Which bytes of directives were shown is told at its end; what had
    /// shown them by then has them.
    pub fn until(turn: TurnId, events: &[Event], seq: u64) -> Self {
        let later = events.partition_point(|event| event.seq.0 <= seq);
        let (before, after) = events.split_at(later);
        let mut fold = Self::of(turn, before);
        for event in after {
            fold.ledger.foresee(event);
        }
        fold
    }

    /// The moment after the last event folded in; `None` when no message is known then.
    pub fn moment(&self, capabilities: &Capabilities) -> Option<Moment> {
        let inbound = self.inbound.as_ref()?;
        let ledger = self.ledger.entries(&self.messages);
        let directives = self.directives.entries(&self.ledger);
        let at_ms = millis(self.began, self.last);
        let typing_until_ms = self.typing.until_ms(at_ms);
        Some(Moment {
            seq: self.head,
            at: self.last,
            at_ms,
            decision: self.latest_decision(&directives, &ledger),
            messages: self.messages.all().iter().map(message).collect(),
            directives,
            seen: chat::seen(
                inbound,
                &self.files,
                capabilities,
                &ledger,
                typing_until_ms.is_some(),
            ),
            ledger,
            typing_until_ms,
            lengths: self.ruler(&inbound.channel, capabilities),
            waiting: self.ledger.waiting().cloned(),
            tools: self.work.tools(),
            reasoning_bytes: self.reasoning.len(),
        })
    }

    fn latest_decision(
        &self,
        directives: &[DirectiveEntry],
        ledger: &[LedgerEntry],
    ) -> Option<DecisionDetail> {
        let scene = Scene {
            messages: &self.messages,
            directives,
            ledger,
            verdict: self.verdict(),
        };
        Some(explain_latest(
            self.decisions.last()?,
            self.latest.as_ref()?,
            &scene,
        ))
    }

    /// The same, with one assistant message as it was when exactly `bytes` of it had come: the scanner reads
    /// them again. `events` are all of the turn, since the byte may lie in a chunk that ends later.
    pub fn moment_at_byte(
        &self,
        capabilities: &Capabilities,
        events: &[Event],
        (number, bytes): (u32, usize),
        settings: &Settings,
    ) -> Option<Moment> {
        let mut moment = self.moment(capabilities)?;
        let whole = Self::of(self.turn, events);
        let Some(source) = whole.messages.get(number) else {
            return Some(moment);
        };
        let bytes = source.raw.floor_char_boundary(bytes.min(source.raw.len()));
        let inbound = self.inbound.as_ref().map(|message| written(message, events));
        let read = read(source, events, bytes, settings, inbound.as_deref());
        moment
            .directives
            .retain(|entry| entry.message != number || (entry.index as usize) < read.directives.len());
        let known = moment.directives.iter().filter(|e| e.message == number).count();
        let new = read
            .directives
            .iter()
            .enumerate()
            .skip(known)
            .map(|(index, directive)| DirectiveEntry {
                seq: moment.seq,
                message: number,
                index: index as u32,
                at_ms: moment.at_ms,
                directive: directive.clone(),
                op: None,
                outcome: None,
                took_ms: None,
            });
        moment.directives.extend(new);
        let place = number as usize;
        moment.messages.truncate(place + 1);
        while moment.messages.len() <= place {
            let next = moment.messages.len() as u32;
            moment.messages.push(whole.messages.get(next).map(message)?);
        }
        if let Some(decision) = whole.decision_at_byte(&moment, &read, events) {
            moment.decision = Some(decision);
        }
        // What delivery found, such as a file that is too large, the scanner does not know of.
        let mut told = std::mem::take(&mut moment.messages[place].diagnostics);
        told.retain(|diagnostic| diagnostic.span.end <= bytes);
        let new = read.message.diagnostics.iter().filter(|new| !told.contains(new));
        let new: Vec<_> = new.cloned().collect();
        told.extend(new);
        moment.messages[place] = MomentMessage {
            diagnostics: told,
            ..read.message
        };
        Some(moment)
    }

    /// What the scanner decided last, when it had read so many bytes. `self` is the whole turn.
    fn decision_at_byte(&self, moment: &Moment, read: &Reading, events: &[Event]) -> Option<DecisionDetail> {
        let kind = read.latest.clone()?;
        let chunk = events.iter().find(|event| event.seq.0 == moment.seq)?;
        // No hold stands before it, so that each is a decision.
        let about = classify(&kind, &super::Messages::default())?;
        let event = Event {
            kind,
            ..chunk.clone()
        };
        let when = When {
            seq: moment.seq,
            at: moment.at,
            ms: moment.at_ms,
            after_end: false,
        };
        let scene = Scene {
            messages: &self.messages,
            directives: &moment.directives,
            ledger: &moment.ledger,
            // A chunk is no end.
            verdict: None,
        };
        let mut told = explain(describe(when, &event, about), &event.kind, &scene);
        if let (Kind::Held { .. }, Some(since)) = (&event.kind, read.message.held_since_ms) {
            told.decision.at_ms = since;
        }
        Some(told)
    }
}

fn message(detail: &MessageDetail) -> MomentMessage {
    let (hold, held_since_ms) = hold_of(detail).unzip();
    MomentMessage {
        message: detail.message,
        raw_bytes: came(detail),
        ranges: detail.ranges.clone(),
        hold,
        held_since_ms,
        released: detail.clean.clone(),
        header: detail.header.clone(),
        diagnostics: detail.diagnostics.clone(),
        suppressed: detail.suppressed,
        ended: detail.ended,
    }
}

/// The words of people that the agent was given as its run began: none of them is carried out where it repeats them.
fn written(message: &Inbound, events: &[Event]) -> String {
    let mut texts = vec![message.text.as_str()];
    texts.extend(message.quoted_texts());
    for event in events {
        match &event.kind {
            Kind::TakenIn {
                how: JoinKind::Collected | JoinKind::Summarised,
                text,
                ..
            } => texts.push(text),
            Kind::LinkRead { text, .. } => texts.extend(text.as_deref()),
            Kind::Understood(file) => texts.extend(file.text.as_deref()),
            Kind::ThreadRead(read) => texts.extend(read.thread.texts()),
            Kind::GroupHistory { messages } => {
                texts.extend(
                    messages
                        .iter()
                        .flat_map(|said| [said.sender.as_str(), &said.text]),
                );
            }
            _ => {}
        }
    }
    texts.join("\n")
}
