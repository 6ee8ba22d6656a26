//! Deliveries and turns, folded from the events of a run.

use crate::case::CaseTurn;
use foldback_wire::{
    Body, Delivery, Diagnostic, Event, Fate, Intent, Kind, MessageId, OpId, OpKind, Outcome, Range,
    Timestamp, TurnId,
};
use std::collections::HashMap;

/// What a run came to.
#[derive(Debug, Default)]
pub struct Run {
    /// Every operation that ended, in the order in which they were intended.
    pub deliveries: Vec<Delivery>,
    /// Every message that came in, in order.
    pub turns: Vec<CaseTurn>,
}

/// Folds events from the beginning of a run.
pub fn fold(events: &[Event]) -> Run {
    let mut texts: HashMap<(TurnId, u32), Text> = HashMap::new();
    let mut open: Vec<(OpId, Option<TurnId>, &Intent)> = Vec::new();
    let mut ended: HashMap<OpId, (&Outcome, Timestamp)> = HashMap::new();
    let mut turns: Vec<CaseTurn> = Vec::new();
    let mut begun: HashMap<TurnId, Timestamp> = HashMap::new();
    let mut findings: HashMap<TurnId, Vec<(u32, &Diagnostic)>> = HashMap::new();
    for event in events {
        let text = event.turn.map(|turn| move |message: u32| (turn, message));
        let turn = event
            .turn
            .and_then(|turn| turns.iter_mut().find(|t| t.turn == turn));
        let turn = turn.map(|turn| {
            let began = *begun.entry(turn.turn).or_insert(event.at);
            turn.lasted_ms = event.at.since(began).as_millis() as u64;
            turn
        });
        match (&event.kind, text) {
            (Kind::Received { message }, _) => turns.extend(event.turn.map(|turn| {
                begun.insert(turn, event.at);
                CaseTurn {
                    turn,
                    message: message.message.clone(),
                    terminal: None,
                    suppressed: None,
                    diagnostics: Vec::new(),
                    holds: Vec::new(),
                    typing: 0,
                    edits: 0,
                    lasted_ms: 0,
                    prompt: None,
                }
            })),
            (Kind::Chunk { message, text, .. }, Some(key)) => {
                texts.entry(key(*message)).or_default().raw.push_str(text);
            }
            (Kind::Decided { message, range }, Some(key)) => {
                texts.entry(key(*message)).or_default().decide(range);
            }
            (Kind::Diagnosed { message, diagnostic }, _) => {
                if let Some(turn) = event.turn {
                    findings.entry(turn).or_default().push((*message, diagnostic));
                }
            }
            (Kind::Held { hold, .. }, _) => {
                if let Some(turn) = turn
                    && turn.holds.last() != Some(&hold.reason)
                {
                    turn.holds.push(hold.reason);
                }
            }
            (Kind::Suppressed { reason, .. }, _) => {
                if let Some(turn) = turn {
                    turn.suppressed = Some(*reason);
                }
            }
            (Kind::TurnEnded { terminal }, _) => {
                if let Some(turn) = turn {
                    turn.terminal = Some(terminal.clone());
                }
            }
            (Kind::Prepared { prompt }, _) => {
                if let Some(turn) = turn {
                    turn.prompt = Some(prompt.clone());
                }
            }
            (Kind::Intended { op, intent }, _) => {
                open.push((*op, event.turn, intent));
                if let Some(turn) = turn {
                    match intent.kind {
                        OpKind::Typing => turn.typing += 1,
                        OpKind::EditText => turn.edits += 1,
                        _ => {}
                    }
                }
            }
            (Kind::Ended { op, outcome }, _) => {
                ended.insert(*op, (outcome, event.at));
            }
            _ => {}
        }
    }
    for turn in &mut turns {
        let mut found = findings.remove(&turn.turn).unwrap_or_default();
        // As `parse` prints them; when they were found depends on how the text was cut.
        found.sort_by_key(|(message, diagnostic)| (*message, diagnostic.span.start, diagnostic.code.code()));
        turn.diagnostics = found.into_iter().map(|(_, diagnostic)| diagnostic.code).collect();
    }
    let start = events.first().map(|event| event.at).unwrap_or_default();
    let deliveries = open
        .into_iter()
        .filter_map(|(op, turn, intent)| {
            let (outcome, at) = ended.get(&op)?;
            let text = intent.body.as_ref().map(|body| match body {
                Body::Literal { text } => text.clone(),
                Body::Clean { message, span } => turn
                    .and_then(|turn| texts.get(&(turn, *message)))
                    .and_then(|text| text.clean.get(span.start..span.end))
                    .unwrap_or_default()
                    .to_owned(),
            });
            Some(delivery(
                intent,
                outcome,
                text,
                at.since(start).as_millis() as u64,
            ))
        })
        .collect();
    Run { deliveries, turns }
}

fn delivery(intent: &Intent, outcome: &Outcome, text: Option<String>, at_ms: u64) -> Delivery {
    let made: Option<MessageId> = outcome.message.clone();
    Delivery {
        op: intent.kind,
        message: made.or_else(|| intent.message.clone()),
        text,
        emoji: intent.emoji.clone(),
        emoji_sent: intent.emoji_sent.clone(),
        reply_to: intent.reply_to.clone(),
        path: intent.path.clone(),
        kind: intent.file_kind,
        outcome: outcome.code,
        at_ms,
    }
}

/// Raw and clean text of one assistant message.
#[derive(Debug, Default)]
struct Text {
    raw: String,
    clean: String,
}

impl Text {
    fn decide(&mut self, range: &Range) {
        if range.fate == Fate::Show {
            let raw = self.raw.get(range.span.start..range.span.end).unwrap_or_default();
            self.clean.push_str(range.shown_as.as_deref().unwrap_or(raw));
        }
    }
}
