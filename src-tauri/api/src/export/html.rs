//! Turns as one page with chat, hold map and scrubber.
//!
//! A page holds every decision of a turn with what the fold says of that instant, so that its script shows and derives
//! nothing. As one decision changes little, maps and chats stand in pools, each once, and decisions name them by number.

use super::{Export, capabilities_of, check_count, page::page, words};
use crate::TurnFold;
use foldback_pipeline::config::Config;
use foldback_wire::{
    Event, Range, RangeReason, Span,
    rpc::{Bubble, ChannelPreview, DecisionInput, Failure, LeakedBytes, Moment, MomentMessage},
};
use serde::Serialize;
use std::collections::HashMap;

/// The script that draws the page.
const SCRIPT: &str = include_str!("turns.js");

/// Most turns of a page: each takes some 100 kB.
const MOST: usize = 200;

/// Everything that the page shows.
#[derive(Debug, Serialize)]
struct TurnsPage {
    turns: Vec<TurnPart>,
}

/// A turn on the page.
#[derive(Debug, Serialize)]
struct TurnPart {
    turn: u64,
    channel: String,
    session: String,
    sender: String,
    began: String,
    ending: String,
    took: String,
    agent: String,
    user_text: String,
    answer: String,
    /// Raw texts of the assistant messages.
    raw: Vec<String>,
    maps: Vec<Vec<MessageMap>>,
    chats: Vec<Chat>,
    steps: Vec<Step>,
    leaked: Vec<LeakedBytes>,
}

/// A hold map at an instant. Places are bytes.
#[derive(Debug, Serialize)]
struct MessageMap {
    came: usize,
    ranges: Vec<MapRange>,
    held: Option<MapHold>,
    suppressed: Option<String>,
}

#[derive(Debug, Serialize)]
struct MapRange {
    span: Span,
    fate: String,
    about: String,
}

#[derive(Debug, Serialize)]
struct MapHold {
    span: Span,
    reason: String,
    because: String,
    releases: String,
}

/// The chat at an instant.
#[derive(Debug, Serialize)]
struct Chat {
    bubbles: Vec<Bubble>,
    typing: bool,
    notes: Vec<String>,
}

/// A decision, and the instant right after it.
#[derive(Debug, Serialize)]
struct Step {
    at_ms: u64,
    kind: String,
    text: String,
    error: bool,
    message: Option<u32>,
    span: Option<Span>,
    rule: String,
    about: String,
    inputs: Vec<DecisionInput>,
    effect: String,
    /// Places in the pools.
    map: usize,
    chat: usize,
}

/// The page of all turns.
pub(super) fn html(export: &Export<'_>) -> Result<String, Failure> {
    check_count(export, MOST, "a page")?;
    let turns: Vec<_> = export
        .turns
        .iter()
        .filter_map(|(turn, events)| part(export.config, TurnFold::new(*turn), events))
        .collect();
    let title = match turns.as_slice() {
        [only] => format!("Turn {}", only.turn),
        turns => format!("{} turns", turns.len()),
    };
    page(&format!("{title} · Foldback"), SCRIPT, &TurnsPage { turns })
}

/// A turn, folded event by event; `None` where no message began it.
fn part(config: &Config, mut fold: TurnFold, events: &[Event]) -> Option<TurnPart> {
    let (mut maps, mut chats) = (Pool::default(), Pool::default());
    let mut steps = Vec::new();
    let mut decided = 0;
    for event in events {
        fold.push(event);
        let Some(channel) = fold.inbound().map(|inbound| inbound.channel.clone()) else {
            continue;
        };
        if fold.decision_count() == decided {
            continue;
        }
        decided = fold.decision_count();
        if let Some(moment) = fold.moment(&capabilities_of(config, &channel)) {
            steps.extend(step(moment, &mut maps, &mut chats));
        }
    }
    let detail = fold.detail()?;
    let summary = &detail.summary;
    let text = |value: Option<String>| value.unwrap_or_default();
    Some(TurnPart {
        turn: summary.turn.0,
        channel: text(summary.channel.as_ref().map(ToString::to_string)),
        session: text(summary.session.as_ref().map(ToString::to_string)),
        sender: summary.sender.clone(),
        began: words::moment(summary.at),
        ending: words::ending(summary, fold.verdict()),
        took: words::duration(summary.took_ms),
        agent: text(detail.agent.clone()),
        user_text: detail.inbound.readable_text().into_owned(),
        answer: summary.answer.clone(),
        raw: detail.messages.into_iter().map(|message| message.raw).collect(),
        maps: maps.values,
        chats: chats.values,
        steps,
        leaked: detail.ledger.into_iter().flat_map(|entry| entry.leaked).collect(),
    })
}

fn step(moment: Moment, maps: &mut Pool<Vec<MessageMap>>, chats: &mut Pool<Chat>) -> Option<Step> {
    let told = moment.decision?;
    let ChannelPreview {
        bubbles,
        typing,
        notes,
        ..
    } = moment.seen;
    Some(Step {
        at_ms: told.decision.at_ms,
        kind: told.decision.kind.code().to_owned(),
        text: told.decision.text,
        error: told.decision.error,
        message: told.decision.message,
        span: told.decision.span,
        rule: told.rule.code,
        about: told.rule.about,
        inputs: told.inputs,
        effect: told.effect,
        map: maps.place(moment.messages.into_iter().map(map).collect()),
        chat: chats.place(Chat {
            bubbles,
            typing,
            notes,
        }),
    })
}

fn map(message: MomentMessage) -> MessageMap {
    let range = |range: &Range| MapRange {
        span: range.span,
        fate: match range.reason {
            Some(RangeReason::Redacted) => "redacted".to_owned(),
            _ => range.fate.code().to_owned(),
        },
        about: words::fate(range),
    };
    MessageMap {
        came: message.raw_bytes,
        ranges: message.ranges.iter().map(range).collect(),
        held: message.hold.map(|hold| MapHold {
            span: hold.span,
            reason: hold.reason.code().to_owned(),
            because: hold.because,
            releases: hold.releases,
        }),
        suppressed: message.suppressed.map(|why| why.about().to_owned()),
    }
}

/// Values, each once, by what they say in JSON.
struct Pool<T> {
    values: Vec<T>,
    places: HashMap<String, usize>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            places: HashMap::new(),
        }
    }
}

impl<T: Serialize> Pool<T> {
    /// The place of this value.
    fn place(&mut self, value: T) -> usize {
        let text = serde_json::to_string(&value).unwrap_or_default();
        *self.places.entry(text).or_insert_with(|| {
            self.values.push(value);
            self.values.len() - 1
        })
    }
}
