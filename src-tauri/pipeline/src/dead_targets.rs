//! Chats that their platform takes nothing more for: the bot was blocked, removed, or the chat is gone. The adapters' own
//! refusals say so, no words of theirs.
//!
//! ```text
//! forbidden      of a text: the chat is dead. Of a file or a voice note: a chat may forbid only those
//! chat_gone      the chat is dead
//! gone           of what answers no message: the chat is dead. Else it may be the answered message
//! unauthorized   the token or the account: of no chat, and over with a new token
//! ```
//!
//! An answer to a person costs one call, as they may have let the bot in again. What nobody waits for, a delivery, is not
//! tried again and again: it is refused here, until a message arrives there, somebody writes there, or an operator
//! revives the chat.

use foldback_store::{DEAD_TARGET_KINDS, Journal, Selection, StoreError};
use foldback_wire::{
    ChannelId, DeadTarget, Kind, OpKind, Operation, Outcome, OutcomeCode, RefusalCode, Seq, Target, Timestamp,
};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Most of them that are remembered. Of more, those of long ago are forgotten, and cost a call again.
const MOST: usize = 10_000;

/// The chats that take nothing more.
#[derive(Debug, Default)]
pub(crate) struct DeadTargets(Mutex<BTreeMap<(ChannelId, Target), DeadTarget>>);

impl DeadTargets {
    /// Reads those that the journal has.
    pub(crate) async fn read(journal: &dyn Journal) -> Result<Self, StoreError> {
        let dead = Self::default();
        let wanted = Selection::kinds(DEAD_TARGET_KINDS);
        for event in journal
            .select(&wanted, Seq(0), journal.head(), usize::MAX)
            .await?
        {
            if let Some(channel) = &event.channel {
                dead.fold(channel, event.at, &event.kind);
            }
        }
        Ok(dead)
    }

    /// Takes in what an event tells of them.
    pub(crate) fn fold(&self, channel: &ChannelId, at: Timestamp, kind: &Kind) {
        let mut known = self.lock();
        match kind {
            Kind::TargetDead {
                target,
                refusal,
                detail,
            } => {
                let dead = DeadTarget {
                    channel: channel.clone(),
                    target: target.clone(),
                    refusal: *refusal,
                    detail: detail.clone(),
                    since: at,
                    refused: 0,
                };
                known.insert((channel.clone(), target.clone()), dead);
                while known.len() > MOST {
                    let oldest = known.iter().min_by_key(|(_, dead)| dead.since);
                    let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                        break;
                    };
                    known.remove(&key);
                }
            }
            Kind::TargetRevived { target, .. } => {
                known.remove(&(channel.clone(), target.clone()));
            }
            _ => {}
        }
    }

    /// The dead chat that a place lies in: that of its thread, or the whole chat.
    pub(crate) fn find(&self, channel: &ChannelId, target: &Target) -> Option<DeadTarget> {
        let known = self.lock();
        let keys = keys(channel, target);
        keys.iter().find_map(|key| known.get(key)).cloned()
    }

    /// Counts a delivery request that is refused because of the dead chat that its place lies in.
    pub(crate) fn count_refused(&self, channel: &ChannelId, target: &Target) {
        let mut known = self.lock();
        let keys = keys(channel, target);
        let Some(key) = keys.iter().find(|key| known.contains_key(*key)) else {
            return;
        };
        if let Some(dead) = known.get_mut(key) {
            dead.refused = dead.refused.saturating_add(1);
        }
    }

    /// True where this chat, or this thread, itself is dead.
    pub(crate) fn is_dead(&self, channel: &ChannelId, target: &Target) -> bool {
        let known = self.lock();
        // Nearly always empty: a message that comes in asks.
        !known.is_empty() && known.contains_key(&(channel.clone(), target.clone()))
    }

    /// All of them, by channel and chat.
    pub(crate) fn list(&self) -> Vec<DeadTarget> {
        self.lock().values().cloned().collect()
    }

    /// The event that the end of an operation makes: a chat takes nothing more, or something again.
    pub(crate) fn judge(
        &self,
        channel: &ChannelId,
        target: &Target,
        operation: &Operation,
        outcome: &Outcome,
    ) -> Option<Kind> {
        let answers = match operation {
            Operation::SendText { reply_to, .. }
            | Operation::SendFile { reply_to, .. }
            | Operation::SendVoice { reply_to, .. } => reply_to.is_some(),
            _ => return None,
        };
        let known = self.lock().contains_key(&(channel.clone(), target.clone()));
        let is_text = operation.kind() == OpKind::SendText;
        let refusal = outcome.refusal.filter(|refusal| match refusal {
            // Files and voice notes are a right of their own, as on Telegram and Discord.
            RefusalCode::Forbidden => is_text,
            // Of an answer, the message that it answers may be gone.
            RefusalCode::ChatGone => true,
            RefusalCode::Gone => !answers,
            _ => false,
        });
        match (outcome.code, refusal) {
            (OutcomeCode::Failed, Some(refusal)) if !known && outcome.replaced_by.is_none() => {
                Some(Kind::TargetDead {
                    target: target.clone(),
                    refusal,
                    detail: outcome.detail.clone().unwrap_or_default(),
                })
            }
            (OutcomeCode::Sent, _) if known => Some(Kind::TargetRevived {
                target: target.clone(),
                by: foldback_wire::Actor::Pipeline,
            }),
            _ => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(ChannelId, Target), DeadTarget>> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The places of which one may be dead: that of its thread, then the whole chat.
fn keys(channel: &ChannelId, target: &Target) -> [(ChannelId, Target); 2] {
    let whole = Target {
        thread: None,
        ..target.clone()
    };
    [target.clone(), whole].map(|target| (channel.clone(), target))
}

/// The reason for which nothing is sent to a chat, in words.
pub(crate) fn dead_in_words(dead: &DeadTarget) -> String {
    let DeadTarget {
        channel,
        target,
        refusal,
        detail,
        since,
        ..
    } = dead;
    let why = if detail.is_empty() {
        refusal.about()
    } else {
        detail.as_str()
    };
    format!(
        "{channel} takes nothing more for chat {} since {since} ({refusal}): {why}",
        target.chat
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::{FileKind, MessageFlags};

    fn target(chat: &str, thread: Option<&str>) -> Target {
        Target {
            chat: chat.into(),
            thread: thread.map(Into::into),
        }
    }

    fn judged(
        dead: &DeadTargets,
        reply_to: Option<&str>,
        code: OutcomeCode,
        refusal: Option<RefusalCode>,
    ) -> bool {
        let text = Operation::SendText {
            text: "hi".to_owned(),
            reply_to: reply_to.map(Into::into),
            flags: MessageFlags::default(),
        };
        judged_of(dead, &text, code, refusal)
    }

    fn judged_of(
        dead: &DeadTargets,
        operation: &Operation,
        code: OutcomeCode,
        refusal: Option<RefusalCode>,
    ) -> bool {
        let outcome = Outcome {
            refusal,
            ..Outcome::new(code)
        };
        let (channel, chat) = ("telegram".into(), target("c1", None));
        let kind = dead.judge(&channel, &chat, operation, &outcome);
        if let Some(kind) = &kind {
            dead.fold(&channel, Timestamp(7), kind);
        }
        kind.is_some()
    }

    #[test]
    fn only_a_refusal_of_the_chat_makes_it_dead_and_an_arrival_revives_it() {
        let dead = DeadTargets::default();
        let failed = OutcomeCode::Failed;
        assert!(!judged(&dead, None, failed, Some(RefusalCode::Transient)));
        assert!(!judged(&dead, None, failed, Some(RefusalCode::Rejected)));
        assert!(!judged(&dead, Some("m1"), failed, Some(RefusalCode::Gone)));
        assert!(!judged(
            &dead,
            None,
            OutcomeCode::Unknown,
            Some(RefusalCode::Gone)
        ));
        assert!(dead.list().is_empty());
        assert!(judged(
            &DeadTargets::default(),
            Some("m1"),
            failed,
            Some(RefusalCode::ChatGone)
        ));
        assert!(judged(&dead, Some("m1"), failed, Some(RefusalCode::Forbidden)));
        assert!(!judged(&dead, None, failed, Some(RefusalCode::Gone)), "told once");
        assert_eq!(dead.list().len(), 1);
        assert!(dead.find(&"telegram".into(), &target("c1", Some("t1"))).is_some());
        assert!(dead.find(&"telegram".into(), &target("c2", None)).is_none());
        assert!(dead.find(&"slack".into(), &target("c1", None)).is_none());
        assert!(judged(&dead, None, OutcomeCode::Sent, None));
        assert!(dead.list().is_empty());
    }

    #[test]
    fn a_token_that_is_refused_is_no_end_of_a_chat() {
        let dead = DeadTargets::default();
        let unauthorized = Some(RefusalCode::Unauthorized);
        for reply_to in [None, Some("m1")] {
            assert!(!judged(&dead, reply_to, OutcomeCode::Failed, unauthorized));
        }
        assert!(dead.list().is_empty());
    }

    #[test]
    fn a_chat_that_takes_no_files_and_no_voice_notes_is_alive() {
        let dead = DeadTargets::default();
        let (failed, forbidden) = (OutcomeCode::Failed, Some(RefusalCode::Forbidden));
        let file = Operation::SendFile {
            path: "a.png".to_owned(),
            kind: FileKind::Image,
            caption: None,
            reply_to: None,
            checked: None,
            flags: MessageFlags::default(),
        };
        let voice = Operation::SendVoice {
            path: "a.ogg".to_owned(),
            text: "hi".to_owned(),
            reply_to: None,
            checked: None,
            flags: MessageFlags::default(),
        };
        for operation in [&file, &voice] {
            assert!(!judged_of(&dead, operation, failed, forbidden), "{operation:?}");
        }
        assert!(judged(&dead, None, failed, forbidden));
        assert!(
            judged_of(&dead, &file, OutcomeCode::Sent, None),
            "what arrives revives"
        );
    }

    #[test]
    fn a_dead_thread_leaves_its_chat_alive() {
        let dead = DeadTargets::default();
        let kind = Kind::TargetDead {
            target: target("c1", Some("t1")),
            refusal: RefusalCode::Gone,
            detail: String::new(),
        };
        dead.fold(&"slack".into(), Timestamp(1), &kind);
        assert!(dead.find(&"slack".into(), &target("c1", Some("t1"))).is_some());
        assert!(dead.find(&"slack".into(), &target("c1", None)).is_none());
    }
}
