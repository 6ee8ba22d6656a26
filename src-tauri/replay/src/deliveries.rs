//! Deliveries and turns, folded from the events of a run.

use crate::case::CaseTurn;
use foldback_wire::{
    Body, ChannelId, Delivery, Diagnostic, Event, Fate, Intent, Kind, MessageId, OpId, OpKind, Outcome,
    Range, Timestamp, ToolCall, TurnId,
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

/// Folds events from the beginning of a run on the channel `own`.
pub fn fold(events: &[Event], own: &ChannelId) -> Run {
    let mut fold = Fold::default();
    for event in events {
        fold.take(event);
    }
    fold.end(events.first().map(|event| event.at).unwrap_or_default(), own)
}

#[derive(Default)]
struct Fold<'a> {
    texts: HashMap<(TurnId, u32), Text>,
    intents: Vec<(OpId, &'a Event, &'a Intent)>,
    ended: HashMap<OpId, (&'a Outcome, Timestamp)>,
    turns: Vec<Turn<'a>>,
}

/// A turn as far as it was folded.
struct Turn<'a> {
    case: CaseTurn,
    began: Timestamp,
    findings: Vec<(u32, &'a Diagnostic)>,
    /// The tool calls as they were told of last, in the order in which they began.
    calls: Vec<&'a ToolCall>,
}

impl<'a> Fold<'a> {
    fn take(&mut self, event: &'a Event) {
        match &event.kind {
            Kind::Received { message } => {
                self.turns.extend(
                    event
                        .turn
                        .map(|turn| Turn::begin(turn, &message.message, event.at)),
                );
            }
            Kind::Chunk { message, text, .. } => {
                if let Some(turn) = event.turn {
                    self.texts.entry((turn, *message)).or_default().raw.push_str(text);
                }
            }
            Kind::Decided { message, range } => {
                if let Some(turn) = event.turn {
                    self.texts.entry((turn, *message)).or_default().decide(range);
                }
            }
            Kind::Intended { op, intent } => self.intents.push((*op, event, intent)),
            Kind::Ended { op, outcome } => {
                self.ended.insert(*op, (outcome, event.at));
            }
            _ => {}
        }
        if let Some(turn) = self
            .turns
            .iter_mut()
            .find(|turn| Some(turn.case.turn) == event.turn)
        {
            turn.take(event);
        }
    }

    fn end(self, start: Timestamp, own: &ChannelId) -> Run {
        let Self {
            texts,
            intents,
            ended,
            turns,
        } = self;
        let deliveries = intents
            .into_iter()
            .filter_map(|(op, event, intent)| {
                let (outcome, at) = ended.get(&op)?;
                let channel = intent.channel.as_ref().or(event.channel.as_ref());
                let channel = channel.filter(|channel| *channel != own);
                let text = intent.body.as_ref().map(|body| resolve(body, event.turn, &texts));
                let at_ms = at.since(start).as_millis() as u64;
                Some(delivery(channel, intent, outcome, text, at_ms))
            })
            .collect();
        Run {
            deliveries,
            turns: turns.into_iter().map(Turn::end).collect(),
        }
    }
}

impl<'a> Turn<'a> {
    fn begin(turn: TurnId, message: &MessageId, began: Timestamp) -> Self {
        let case = CaseTurn {
            turn,
            message: message.clone(),
            terminal: None,
            suppressed: None,
            diagnostics: Vec::new(),
            holds: Vec::new(),
            typing: 0,
            edits: 0,
            tools: Vec::new(),
            lasted_ms: 0,
            prompt: None,
        };
        Self {
            case,
            began,
            calls: Vec::new(),
            findings: Vec::new(),
        }
    }

    fn take(&mut self, event: &'a Event) {
        let turn = &mut self.case;
        turn.lasted_ms = event.at.since(self.began).as_millis() as u64;
        match &event.kind {
            Kind::Prepared { prompt } => turn.prompt = Some(prompt.clone()),
            Kind::Diagnosed { message, diagnostic } => self.findings.push((*message, diagnostic)),
            Kind::Held { hold, .. } if turn.holds.last() != Some(&hold.reason) => {
                turn.holds.push(hold.reason);
            }
            Kind::Tool { call } => match self.calls.iter_mut().find(|known| known.id == call.id) {
                Some(known) => *known = call,
                None => self.calls.push(call),
            },
            Kind::Suppressed { reason, .. } => turn.suppressed = Some(*reason),
            Kind::Intended { intent, .. } => match intent.kind {
                OpKind::Typing => turn.typing += 1,
                OpKind::EditText => turn.edits += 1,
                _ => {}
            },
            Kind::TurnEnded { terminal } => turn.terminal = Some(terminal.clone()),
            _ => {}
        }
    }

    fn end(mut self) -> CaseTurn {
        // As `parse` prints them; when they were found depends on how the text was cut.
        self.findings
            .sort_by_key(|(message, finding)| (*message, finding.span.start, finding.code.code()));
        let calls = self.calls.iter();
        self.case.tools = calls
            .map(|call| format!("{} {}", call.name, call.status))
            .collect();
        self.case.diagnostics = self
            .findings
            .into_iter()
            .map(|(_, finding)| finding.code)
            .collect();
        self.case
    }
}

/// The text that a body stands for.
fn resolve(body: &Body, turn: Option<TurnId>, texts: &HashMap<(TurnId, u32), Text>) -> String {
    match body {
        Body::Literal { text, .. } | Body::Aside { text } => text.clone(),
        Body::Clean { message, span } => turn
            .and_then(|turn| texts.get(&(turn, *message)))
            .and_then(|text| text.clean.get(span.start..span.end))
            .unwrap_or_default()
            .to_owned(),
    }
}

fn delivery(
    channel: Option<&ChannelId>,
    intent: &Intent,
    outcome: &Outcome,
    text: Option<String>,
    at_ms: u64,
) -> Delivery {
    let made: Option<MessageId> = outcome.message.clone();
    Delivery {
        op: intent.kind,
        channel: channel.cloned(),
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
