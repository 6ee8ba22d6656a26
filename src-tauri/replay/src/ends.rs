//! What the user ends up with: a fold over the deliveries that the platform acknowledged.

use foldback_wire::{ChannelId, Delivery, FileKind, MessageId, OpKind, OutcomeCode};

/// Something that is there when all is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// What.
    pub thing: Thing,
    /// The channel it arrived on, where that is another one than the run's own.
    pub channel: Option<ChannelId>,
    /// The delivery (by index) that first showed it. A message is first shown when it first says what it says
    /// in the end, or a beginning of it: a placeholder does not count.
    pub shown: usize,
}

/// What can be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thing {
    /// A message after its last edit.
    Send {
        /// Its id.
        message: Option<MessageId>,
        /// Its text.
        text: String,
        /// The message it answers.
        reply_to: Option<MessageId>,
    },
    /// A reaction.
    React {
        /// The Unicode emoji.
        emoji: String,
        /// What the platform was given.
        emoji_sent: Option<String>,
        /// To which message.
        message: Option<MessageId>,
    },
    /// A file.
    File {
        /// Its path.
        path: String,
        /// How it went.
        kind: Option<FileKind>,
        /// Text beside it.
        caption: Option<String>,
        /// The message it answers.
        reply_to: Option<MessageId>,
    },
    /// A voice note.
    Voice {
        /// What is said.
        text: String,
    },
}

impl Thing {
    /// Whether it is text, as opposed to the effect of a directive.
    pub const fn is_text(&self) -> bool {
        matches!(self, Self::Send { .. })
    }
}

/// A message that a channel without deletion blanks.
const BLANK: char = '\u{200b}';

/// Folds deliveries into what is there in the end, in the order in which it was first shown.
pub fn ends(deliveries: &[Delivery]) -> Vec<End> {
    let mut ends: Vec<(End, Option<MessageId>)> = Vec::new();
    for (index, delivery) in deliveries.iter().enumerate() {
        if !matches!(
            delivery.outcome,
            OutcomeCode::Sent | OutcomeCode::Unchanged | OutcomeCode::DryRun
        ) {
            continue;
        }
        let text = || delivery.text.clone().unwrap_or_default();
        let thing = match delivery.op {
            OpKind::SendText => Thing::Send {
                message: delivery.message.clone(),
                text: text(),
                reply_to: delivery.reply_to.clone(),
            },
            OpKind::EditText => {
                let edited = |end: &&mut (End, Option<MessageId>)| {
                    end.0.thing.is_text()
                        && end.0.channel == delivery.channel
                        && end.1.is_some()
                        && end.1 == delivery.message
                };
                if let Some((end, _)) = ends.iter_mut().find(edited)
                    && let Thing::Send { text: old, .. } = &mut end.thing
                {
                    let new = text();
                    if !begins(&new, old) {
                        end.shown = index;
                    }
                    *old = new;
                }
                continue;
            }
            OpKind::Delete => {
                ends.retain(|(end, id)| {
                    id.is_none() || *id != delivery.message || end.channel != delivery.channel
                });
                continue;
            }
            OpKind::React => Thing::React {
                emoji: delivery.emoji.clone().unwrap_or_default(),
                emoji_sent: delivery.emoji_sent.clone(),
                message: delivery.message.clone(),
            },
            OpKind::SendFile => Thing::File {
                path: delivery.path.clone().unwrap_or_default(),
                kind: delivery.kind,
                caption: delivery.text.clone(),
                reply_to: delivery.reply_to.clone(),
            },
            OpKind::SendVoice => Thing::Voice { text: text() },
            OpKind::Typing => continue,
        };
        // A reaction names the message it is on; removing that message is not removing the reaction's end.
        let id = if matches!(thing, Thing::React { .. }) {
            None
        } else {
            delivery.message.clone()
        };
        let channel = delivery.channel.clone();
        ends.push((
            End {
                thing,
                channel,
                shown: index,
            },
            id,
        ));
    }
    let mut ends: Vec<End> = ends
        .into_iter()
        .map(|(end, _)| end)
        .filter(|end| !is_blank(&end.thing))
        .collect();
    ends.sort_by_key(|end| end.shown);
    ends
}

/// Whether `old` already showed a beginning of `new`.
fn begins(new: &str, old: &str) -> bool {
    let old = old.trim_end();
    !old.is_empty() && new.starts_with(old)
}

fn is_blank(thing: &Thing) -> bool {
    matches!(thing, Thing::Send { text, .. } if text.chars().all(|c| c == BLANK))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery(op: OpKind, message: &str, text: &str) -> Delivery {
        Delivery {
            op,
            channel: None,
            message: Some(MessageId::from(message)),
            text: Some(text.to_owned()),
            emoji: (op == OpKind::React).then(|| "👍".to_owned()),
            emoji_sent: None,
            reply_to: None,
            path: None,
            kind: None,
            outcome: OutcomeCode::Sent,
            at_ms: 0,
        }
    }

    fn texts(deliveries: &[Delivery]) -> Vec<(String, usize)> {
        let text = |end: End| match end.thing {
            Thing::Send { text: words, .. }
            | Thing::React { emoji: words, .. }
            | Thing::File { path: words, .. }
            | Thing::Voice { text: words } => (words, end.shown),
        };
        ends(deliveries).into_iter().map(text).collect()
    }

    #[test]
    fn the_last_edit_counts_and_a_deleted_message_does_not() {
        let all = [
            delivery(OpKind::SendText, "1", "…"),
            delivery(OpKind::React, "m", ""),
            delivery(OpKind::EditText, "1", "Great"),
            delivery(OpKind::EditText, "1", "Great idea!"),
            delivery(OpKind::SendText, "2", "gone"),
            delivery(OpKind::Delete, "2", ""),
        ];
        assert_eq!(texts(&all), [("👍".to_owned(), 1), ("Great idea!".to_owned(), 2)]);
    }

    #[test]
    fn a_blanked_placeholder_is_gone() {
        let all = [
            delivery(OpKind::SendText, "1", "…"),
            delivery(OpKind::EditText, "1", "\u{200b}"),
        ];
        assert_eq!(texts(&all), []);
    }

    #[test]
    fn what_failed_is_not_there() {
        let mut failed = delivery(OpKind::SendText, "1", "lost");
        failed.outcome = OutcomeCode::Failed;
        assert_eq!(texts(&[failed]), []);
    }
}
