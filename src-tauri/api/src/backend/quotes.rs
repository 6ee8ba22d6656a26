//! Words of messages of earlier turns, where a turn answers them: the events of the turn have their ids alone.

use super::Backend;
use crate::{failure, fold::quoted};
use foldback_store::Mention;
use foldback_wire::{
    ChannelId, ChatId, Kind, MessageId, Timestamp,
    rpc::{Failure, Moment},
};
use std::collections::BTreeSet;

impl Backend {
    /// Puts the words of messages that came in before this turn in place of their ids, where a bubble answers them. Costs a
    /// look-up by key for each of them. An id of which the journal knows nothing stays.
    pub(super) async fn quote_earlier(
        &self,
        moment: &mut Moment,
        channel: &ChannelId,
        chat: &ChatId,
    ) -> Result<(), Failure> {
        let shown: BTreeSet<_> = moment
            .seen
            .bubbles
            .iter()
            .filter_map(|b| b.message.clone())
            .collect();
        let answered = moment
            .ledger
            .iter()
            .filter_map(|entry| entry.intent.reply_to.clone());
        let earlier: BTreeSet<_> = answered.filter(|id| !shown.contains(id)).collect();
        for id in earlier {
            let Some(words) = self.words_of(channel, chat, &id).await? else {
                continue;
            };
            let bubbles = moment.seen.bubbles.iter_mut();
            for bubble in bubbles.filter(|bubble| bubble.quote.as_deref() == Some(id.as_str())) {
                bubble.quote = Some(quoted(&words));
            }
        }
        Ok(())
    }

    /// The text of a message that came in; `None` where none of this id did.
    async fn words_of(
        &self,
        channel: &ChannelId,
        chat: &ChatId,
        message: &MessageId,
    ) -> Result<Option<String>, Failure> {
        let mention = Mention {
            channel: channel.clone(),
            chat: Some(chat.clone()),
            message: message.clone(),
        };
        let since = Timestamp(i64::MIN);
        let journal = &self.shared.journal;
        let events = journal
            .mentions(&mention, since)
            .await
            .map_err(failure::journal)?;
        let mut texts = events.iter().filter_map(|event| match &event.kind {
            Kind::Received { message } => Some(message.readable_text().into_owned()),
            _ => None,
        });
        Ok(texts.next_back().filter(|text| !text.is_empty()))
    }
}
