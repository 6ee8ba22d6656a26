//! What can be seen of a bot: on the screen, at the platform, in the journal and in the outbox.

use super::Bot;
use foldback_channels::sim::{Author, Content, Record};
use foldback_pipeline::invariants::{self, Extent};
use foldback_store::{Journal as _, OutboxEntry};
use foldback_wire::{Event, Kind, MessageId, OpId, OpKind, Outcome, OutcomeCode, Platform, Seq, Terminal};

impl Bot {
    /// What the user has on the screen of a chat, without their own messages.
    pub(crate) fn screen(&self, platform: Platform) -> Vec<String> {
        self.screen_of(platform, "c1")
    }

    /// The same in another chat.
    pub(crate) fn screen_of(&self, platform: Platform, chat: &str) -> Vec<String> {
        let platform = self.loopbacks[&platform].platform();
        let Some(chat) = platform.chat(&chat.into()) else {
            return Vec::new();
        };
        let mine = chat
            .messages()
            .filter(|m| m.author == Author::Bot && m.deleted.is_none());
        mine.map(|m| {
            let reply = m
                .reply_to
                .as_ref()
                .map(|id| format!("[to {id}] "))
                .unwrap_or_default();
            match &m.content {
                Content::Text(text) => format!("{reply}{text}"),
                Content::File { path, caption, kind } => {
                    format!("{reply}{kind:?} {path} {}", caption.clone().unwrap_or_default())
                }
                Content::Voice { text, .. } => format!("{reply}voice {text}"),
            }
        })
        .collect()
    }

    /// Every text that was ever on the screen, live frames included.
    pub(crate) fn ever_shown(&self, platform: Platform) -> Vec<String> {
        let platform = self.loopbacks[&platform].platform();
        let Some(chat) = platform.chat(&"c1".into()) else {
            return Vec::new();
        };
        let mine = chat.messages().filter(|m| m.author == Author::Bot);
        mine.flat_map(|m| {
            let now = match &m.content {
                Content::Text(text) => Some(text.clone()),
                _ => None,
            };
            m.history
                .iter()
                .map(|h| h.text.clone())
                .chain(now)
                .collect::<Vec<_>>()
        })
        .collect()
    }

    /// The reactions on a message.
    pub(crate) fn reactions(&self, platform: Platform, message: &MessageId) -> Vec<String> {
        let platform = self.loopbacks[&platform].platform();
        let chat = platform.chat(&"c1".into()).expect("a chat");
        let message = chat.messages().find(|m| m.id == *message);
        message.expect("the message").reactions.clone()
    }

    /// The platform's own log of calls of one kind.
    pub(crate) fn calls(&self, platform: Platform, op: OpKind) -> Vec<Record> {
        let platform = self.loopbacks[&platform].platform();
        platform
            .log()
            .filter(|r| r.call.operation.kind() == op)
            .cloned()
            .collect()
    }

    /// What the platform was called for, in order, without typing.
    pub(crate) fn operations(&self, platform: Platform) -> Vec<OpKind> {
        let platform = self.loopbacks[&platform].platform();
        let kinds = platform.log().map(|r| r.call.operation.kind());
        kinds.filter(|kind| *kind != OpKind::Typing).collect()
    }

    pub(crate) async fn events(&self) -> Vec<Event> {
        self.journal.read(Seq(1), 1_000_000).await.unwrap()
    }

    pub(crate) async fn kinds(&self) -> Vec<Kind> {
        self.events().await.into_iter().map(|e| e.kind).collect()
    }

    /// How every operation ended, in the order of the ends.
    pub(crate) async fn outcomes(&self) -> Vec<(OpId, Outcome)> {
        let ended = |kind| match kind {
            Kind::Ended { op, outcome } => Some((op, outcome)),
            _ => None,
        };
        self.kinds().await.into_iter().filter_map(ended).collect()
    }

    /// How many operations nobody knows the end of.
    pub(crate) async fn unknown(&self) -> usize {
        let outcomes = self.outcomes().await.into_iter();
        let unknown = outcomes.filter(|(_, outcome)| outcome.code == OutcomeCode::Unknown);
        unknown.count()
    }

    /// How every turn ended, in the order of the ends.
    pub(crate) async fn terminals(&self) -> Vec<Terminal> {
        let ended = |kind| match kind {
            Kind::TurnEnded { terminal } => Some(terminal),
            _ => None,
        };
        self.kinds().await.into_iter().filter_map(ended).collect()
    }

    /// What is in the outbox, in its order.
    pub(crate) async fn left(&self) -> Vec<OutboxEntry> {
        self.journal.outbox().await.unwrap()
    }

    /// How many warnings say this.
    pub(crate) async fn warnings(&self, words: &str) -> usize {
        let told = |kind: &Kind| matches!(kind, Kind::Warned { detail } if detail.contains(words));
        self.kinds().await.iter().filter(|kind| told(kind)).count()
    }

    /// Everything has ended and every invariant holds.
    pub(crate) async fn check(&self) {
        let violations = invariants::check(&self.events().await, Extent::Ended);
        assert!(violations.is_empty(), "{violations:#?}");
        let left = self.left().await;
        assert!(left.is_empty(), "{left:#?}");
    }
}
