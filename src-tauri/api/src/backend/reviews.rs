//! Operations whose outcome is unknown ask for a person's look, also over a restart: a look is an event of their turn.

use super::{Backend, dead_letter::message_again};
use crate::{failure, live::UnknownOutcomes};
use foldback_store::{Journal, Mention, Selection, StoreError};
use foldback_wire::{ChannelId, ChatId, Draft, Event, Kind, OpId, Seq, Timestamp, TurnId, rpc::Failure};
use std::collections::BTreeSet;

/// The operations of unknown outcome that earlier processes left, without those that a person looked at or sent again.
/// Reads the turns of those that no person looked at, and the turns in which a person sent one again: as much as there is
/// of both, however long the journal is.
pub(super) async fn unreviewed(journal: &dyn Journal) -> Result<UnknownOutcomes, StoreError> {
    let turns = journal.unknown_turns().await?;
    let turns: BTreeSet<TurnId> = turns.into_iter().map(|(turn, _)| turn).collect();
    let events = events_of(journal, turns.clone()).await?;
    let mut unknown = UnknownOutcomes::default();
    for event in &events {
        let _ = unknown.push(event);
    }
    let mut resends = BTreeSet::new();
    for event in &events {
        if let (Kind::Intended { op, intent }, Some(turn)) = (&event.kind, event.turn)
            && unknown.contains(turn, *op)
            && let Some(channel) = intent.channel.as_ref().or(event.channel.as_ref())
        {
            resends.append(&mut resends_of(journal, *op, channel, &intent.target.chat).await?);
        }
    }
    let unread = resends.difference(&turns).copied().collect();
    for event in events_of(journal, unread).await? {
        let _ = unknown.push(&event);
    }
    Ok(unknown)
}

/// Events of these turns that concern unknown outcomes, in the order of the journal.
async fn events_of(journal: &dyn Journal, turns: BTreeSet<TurnId>) -> Result<Vec<Event>, StoreError> {
    if turns.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = Selection {
        turns: Some(turns),
        ..Selection::kinds(UnknownOutcomes::KINDS)
    };
    journal.select(&wanted, Seq(0), journal.head(), usize::MAX).await
}

/// The turns in which a person asked for this operation again, found by the names of the messages that ask.
async fn resends_of(
    journal: &dyn Journal,
    op: OpId,
    channel: &ChannelId,
    chat: &ChatId,
) -> Result<BTreeSet<TurnId>, StoreError> {
    let mut turns = BTreeSet::new();
    for asked in 0.. {
        let message = Mention {
            channel: channel.clone(),
            chat: Some(chat.clone()),
            message: message_again(op, asked),
        };
        let events = journal.mentions(&message, Timestamp(i64::MIN)).await?;
        if events.is_empty() {
            break;
        }
        turns.extend(events.into_iter().filter_map(|event| event.turn));
    }
    Ok(turns)
}

impl Backend {
    /// Writes down that a person looked at a turn, so that the next start does not ask for it.
    pub(super) fn note_review(&self, turn: TurnId) -> Result<(), Failure> {
        let reviewed = Draft {
            at: self.shared.clock.now(),
            turn: Some(turn),
            session: None,
            channel: None,
            kind: Kind::Reviewed {
                by: self.shared.actor.clone(),
            },
        };
        let appended = self.shared.journal.append(vec![reviewed]);
        appended.map(drop).map_err(failure::journal)
    }
}
