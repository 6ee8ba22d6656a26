//! How the messages of a turn fill what its channel takes, and where they were cut from one another. From the
//! operations themselves: there is no second splitter that could disagree with delivery.

use super::TurnFold;
use crate::shown::{Sent, free_markup};
use foldback_store::one_line;
use foldback_wire::{
    Body, Capabilities, ChannelId, MessageId, OpKind, OutcomeCode, RefusalCode, Span,
    rpc::{CutPlace, LedgerEntry, RuledMessage, Ruler},
};

/// Characters of a message that tell which one it is.
const WORDS: usize = 32;

/// A message as it stands in the chat.
struct Standing {
    id: Option<MessageId>,
    text: String,
    body: Body,
}

/// What an operation's text is in the clean text of an assistant message.
struct Place {
    message: u32,
    span: Span,
    /// Text of the operation that is not in the clean text, before and after what is: fence lines, the head of a
    /// table.
    put_in: (String, String),
}

impl TurnFold {
    /// The messages of the turn in its own chat, measured.
    pub fn ruler(&self, channel: &ChannelId, can: &Capabilities) -> Ruler {
        let standing = self.standing();
        let mut places: Vec<Option<Place>> = Vec::new();
        for message in &standing {
            let last = places.iter().rev().flatten().next();
            places.push(self.place(message, last));
        }
        let mut messages = Vec::new();
        for (at, Standing { text, .. }) in standing.iter().enumerate() {
            let place = places[at].as_ref();
            let next = places.get(at + 1).and_then(Option::as_ref);
            let sent = Sent::of(text, can);
            let (opened, closed) = place.map_or((0, 0), |p| {
                (can.unit.measure(&p.put_in.0), can.unit.measure(&p.put_in.1))
            });
            messages.push(RuledMessage {
                span: place.map(|p| p.span),
                written: (can.unit.measure(text) - opened - closed) as u32,
                opened: opened as u32,
                closed: closed as u32,
                shown: sent.letters as u32,
                markup: sent.whole.saturating_sub(sent.letters + sent.escapes) as u32,
                escapes: sent.escapes as u32,
                counts: sent.counts as u32,
                cut: self.cut(place, next),
                begins: one_line(text.trim().lines().next().unwrap_or_default(), WORDS),
                ends: last_words(self.said(place).unwrap_or(text)),
            });
        }
        Ruler {
            channel: channel.clone(),
            platform: can.platform,
            unit: can.unit,
            limit: can.text_limit as u32,
            markup: can.markup,
            free_markup: free_markup(can.markup),
            messages,
        }
    }

    /// The texts that stand in the chat, in their order, and those that were refused as too long.
    fn standing(&self) -> Vec<Standing> {
        let mut standing: Vec<Standing> = Vec::new();
        let chat = self.inbound.as_ref().map(|inbound| &inbound.chat);
        for entry in self.ledger.entries(&self.messages) {
            let LedgerEntry {
                intent,
                outcome: Some(outcome),
                text,
                ..
            } = entry
            else {
                continue;
            };
            let arrived = matches!(
                outcome.code,
                OutcomeCode::Sent | OutcomeCode::Unchanged | OutcomeCode::DryRun
            );
            let too_long = outcome.refusal == Some(RefusalCode::TooLong);
            if !(arrived || too_long) || Some(&intent.target.chat) != chat || intent.directive.is_some() {
                continue;
            }
            let known = |id: &Option<MessageId>| standing.iter().position(|s| id.is_some() && s.id == *id);
            match (intent.kind, text.zip(intent.body)) {
                (OpKind::SendText, Some((text, body))) => {
                    let id = outcome.message;
                    standing.push(Standing { id, text, body });
                }
                (OpKind::EditText, Some((text, body))) => match known(&intent.message) {
                    Some(at) => (standing[at].text, standing[at].body) = (text, body),
                    None => standing.push(Standing {
                        id: intent.message,
                        text,
                        body,
                    }),
                },
                (OpKind::Delete, _) => {
                    if let Some(at) = known(&intent.message) {
                        standing.remove(at);
                    }
                }
                _ => {}
            }
        }
        standing
    }

    /// Where a message lies in the clean text. The journal tells of one that is nothing but its bytes; one that
    /// lines were added to is found behind the one before it.
    fn place(&self, message: &Standing, before: Option<&Place>) -> Option<Place> {
        match &message.body {
            Body::Clean { message, span } => Some(Place {
                message: *message,
                span: *span,
                put_in: Default::default(),
            }),
            Body::Literal { text, .. } | Body::Aside { text } => {
                let (from, of) = before.map_or((0, 0), |place| (place.span.end, place.message));
                let clean = &self.messages.get(of)?.clean;
                let left = clean.get(from..)?;
                // Of lines that were put before it there are at most two: the head of a table.
                let heads = text.split_inclusive('\n').take(2).scan(0, |at, line| {
                    *at += line.len();
                    Some(*at)
                });
                let tail = text.rfind('\n').unwrap_or(text.len());
                let cores = [0]
                    .into_iter()
                    .chain(heads)
                    .flat_map(|start| [(start, text.len()), (start, tail)]);
                let (start, end, gap) = cores
                    .filter_map(|(start, end)| Some((start, end, text.get(start..end)?)))
                    .filter(|(_, _, core)| !core.trim().is_empty())
                    .find_map(|(start, end, core)| left.find(core).map(|gap| (start, end, gap)))
                    .filter(|(_, _, gap)| left[..*gap].chars().all(is_between))?;
                Some(Place {
                    message: of,
                    span: Span::new(from + gap, from + gap + end - start),
                    put_in: (text[..start].to_owned(), text[end..].to_owned()),
                })
            }
        }
    }

    /// What the agent wrote of a message.
    fn said(&self, place: Option<&Place>) -> Option<&str> {
        let place = place?;
        let clean = &self.messages.get(place.message)?.clean;
        clean.get(place.span.start..place.span.end)
    }

    fn cut(&self, place: Option<&Place>, next: Option<&Place>) -> Option<CutPlace> {
        let (place, next) = place.zip(next).filter(|(a, b)| a.message == b.message)?;
        let clean = &self.messages.get(place.message)?.clean;
        let (said, gap) = (
            clean.get(..place.span.end)?,
            clean.get(place.span.end..next.span.start)?,
        );
        let breaks = gap.matches('\n').count() + usize::from(said.ends_with('\n'));
        Some(match breaks {
            2.. => CutPlace::Paragraph,
            1 => CutPlace::Line,
            _ if gap.is_empty() => CutPlace::Inside,
            _ if said.ends_with(['.', '!', '?', '…']) => CutPlace::Sentence,
            _ => CutPlace::Word,
        })
    }
}

/// The end of the last line, from the beginning of a word on.
fn last_words(text: &str) -> String {
    let line = text
        .trim_end()
        .lines()
        .next_back()
        .unwrap_or_default()
        .trim_start();
    let Some((from, _)) = line
        .char_indices()
        .rev()
        .nth(WORDS - 1)
        .filter(|(from, _)| *from > 0)
    else {
        return one_line(line, WORDS);
    };
    let end = &line[from..];
    let word = end.find(' ').map_or(end, |blank| &end[blank + 1..]);
    format!("…{}", one_line(word, WORDS))
}

/// What the splitter leaves out between two messages: white space and the line that closes a fence.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, '`' | '~' | '>')
}
