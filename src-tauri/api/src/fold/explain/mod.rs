//! A decision in full, for the card of the Turn view: the bytes it is about, the rule behind it, what it was made from,
//! and what it changes for the user. Everything is read from the events up to it.

mod action;
mod agent;
mod delivery;
mod gate;
mod history;
mod queue;
mod scan;

use super::{
    decisions::describe,
    holding::hold_of,
    messages::{Messages, same_wait},
    when::When,
};
use crate::step_decision::StepDecision;
use foldback_store::one_line;
use foldback_wire::{
    DirectiveRef, Event, Hold, Kind, Span,
    rpc::{Decision, DecisionDetail, DecisionInput, DecisionRule, DirectiveEntry, LedgerEntry},
};

/// Bytes of raw text that stand in a card.
const RAW: usize = 2_000;
/// Characters of an input.
const VALUE: usize = 200;
/// Characters of a text that an effect quotes.
const QUOTE: usize = 80;

/// The turn as it was right after a decision.
pub(super) struct Scene<'a> {
    pub(super) messages: &'a Messages,
    pub(super) directives: &'a [DirectiveEntry],
    pub(super) ledger: &'a [LedgerEntry],
    /// The sentence about a turn that is over, where its actions are its answer.
    pub(super) verdict: Option<String>,
}

/// What is to be said of a decision.
struct Explanation {
    rule: DecisionRule,
    inputs: Vec<DecisionInput>,
    effect: String,
}

impl Explanation {
    fn new(code: &str, about: &str, effect: impl Into<String>) -> Self {
        Self {
            rule: DecisionRule {
                code: code.to_owned(),
                about: about.to_owned(),
            },
            inputs: Vec::new(),
            effect: effect.into(),
        }
    }

    /// Adds what it was made from; empty values say nothing.
    fn with(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        let value = one_line(value.to_string().trim(), VALUE);
        if !value.is_empty() {
            let name = name.to_owned();
            self.inputs.push(DecisionInput { name, value });
        }
        self
    }

    /// Adds the setting behind a no, its value and where that comes from, and what would change the decision. What else
    /// the no was made from stands here already, in this card's words.
    fn with_decision(self, decision: &StepDecision) -> Self {
        let setting = decision.setting.as_deref();
        let value = decision
            .inputs
            .iter()
            .find(|input| Some(input.name.as_str()) == setting);
        self.with_known("setting", setting)
            .with_known("its value", value.map(|value| &value.value))
            .with_known("comes from", decision.source)
            .with_known("what changes it", decision.change.as_ref())
    }

    /// The same, where it is known.
    fn with_known(self, name: &str, value: Option<impl std::fmt::Display>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

/// The decision `event` as it stands in its scene. A hold that grew, or of which part was decided, is told as the hold
/// map shows it.
pub(super) fn explain_latest(decision: &Decision, event: &Event, scene: &Scene<'_>) -> DecisionDetail {
    let Some((message, hold)) = held_still(&event.kind, scene) else {
        return explain(decision.clone(), &event.kind, scene);
    };
    let about = (decision.kind, decision.message, Some(hold.span));
    let now = Event {
        kind: Kind::Held { message, hold },
        ..event.clone()
    };
    let when = When {
        seq: decision.seq,
        at: event.at,
        ms: decision.at_ms,
        after_end: false,
    };
    explain(describe(when, &now, about), &now.kind, scene)
}

/// The hold that a decision began, and its message, as it is now, where it lasts and is another one by now.
fn held_still(kind: &Kind, scene: &Scene<'_>) -> Option<(u32, Hold)> {
    let Kind::Held { message, hold } = kind else {
        return None;
    };
    let detail = scene.messages.get(*message)?;
    let last = detail.holds.last()?;
    if last.until_seq.is_some() || !same_wait(&last.hold, hold) {
        return None;
    }
    let (now, _) = hold_of(detail)?;
    Some((*message, now))
}

/// A decision in full.
pub(super) fn explain(mut decision: Decision, kind: &Kind, scene: &Scene<'_>) -> DecisionDetail {
    decision.span = decision.span.or_else(|| span_of(kind, scene));
    let explanation = gate::explain(kind)
        .or_else(|| queue::explain(kind))
        .or_else(|| agent::explain(kind, scene.verdict.as_deref()))
        .or_else(|| action::explain(kind))
        .or_else(|| scan::explain(kind, decision.at_ms, scene))
        .or_else(|| delivery::explain(kind, scene))
        .unwrap_or_else(|| {
            Explanation::new(
                "process",
                "Something that is no part of a turn.",
                "Nothing changes for the user.",
            )
        });
    let explanation = match StepDecision::of(kind, None) {
        Some(decision) => explanation.with_decision(&decision),
        None => explanation,
    };
    let raw = decision.message.zip(decision.span).and_then(|(message, span)| {
        let raw = scene.messages.get(message)?.raw.as_str();
        let end = raw.floor_char_boundary(span.end.min(span.start + RAW).min(raw.len()));
        raw.get(span.start..end).map(str::to_owned)
    });
    let mut inputs = explanation.inputs;
    inputs.retain(|input| !repeats(&decision.text, &input.value));
    DecisionDetail {
        decision,
        raw: raw.filter(|raw| !raw.is_empty()),
        rule: explanation.rule,
        inputs,
        effect: explanation.effect,
    }
}

/// Repetition of a decision's one line by an input: the words that the line is, or those behind its code. A single word
/// is no repetition, since a number or an id may stand in any line.
fn repeats(line: &str, value: &str) -> bool {
    let is_line = match value.strip_suffix('…') {
        Some(beginning) => line.starts_with(beginning),
        None => line == value,
    };
    value.contains(' ') && (is_line || line.contains(&format!(": {}", value.trim_end_matches('…'))))
}

/// The raw bytes of what a decision is about, where its step does not name them.
fn span_of(kind: &Kind, scene: &Scene<'_>) -> Option<Span> {
    let of = |at: DirectiveRef| scene.directive(at).map(|entry| entry.directive.span());
    match kind {
        Kind::HeaderRead { span, .. } => Some(*span).filter(|span| span.end > span.start),
        Kind::Skipped { at, .. } => of(*at),
        Kind::Spoken(spoken) => of(spoken.at),
        Kind::Intended { intent, .. } => intent.directive.and_then(of),
        _ => None,
    }
}

impl Scene<'_> {
    fn directive(&self, at: DirectiveRef) -> Option<&DirectiveEntry> {
        self.directives
            .iter()
            .find(|entry| (entry.message, entry.index) == (at.message, at.index))
    }
}

/// A text as an effect quotes it.
fn quoted(text: &str) -> String {
    format!("“{}”", one_line(text.trim(), QUOTE))
}

/// A number of bytes.
fn bytes(count: impl std::fmt::Display) -> String {
    format!("{count} B")
}
