//! Chats and messages by their ids: <https://core.telegram.org/api/bots/ids>, <https://core.telegram.org/api/peers>.

use super::session::AccountSession;
use crate::Refusal;
use foldback_wire::{MessageId, RefusalCode, Target};
use grammers_client::session::types::{PeerAuth, PeerId, PeerInfo, PeerKind, PeerRef};
use grammers_client::tl;

/// A chat of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chat(PeerId);

impl Chat {
    /// The chat that something goes to.
    pub(super) fn of(target: &Target) -> Result<Self, Refusal> {
        let gone = |why: String| Err(Refusal::new(RefusalCode::ChatGone, why));
        if let Some(thread) = &target.thread {
            return gone(format!("{thread} is no thread: Telegram accounts have none here"));
        }
        let id = target.chat.as_str();
        // As it is written by Telegram, and in no other way.
        let number = id.parse::<i64>().ok().filter(|number| number.to_string() == id);
        match number.and_then(Self::of_number) {
            Some(chat) => Ok(chat),
            None => gone(format!("{id} is no chat of Telegram")),
        }
    }

    /// The chat of an id as bots see it.
    pub(super) fn of_number(id: i64) -> Option<Self> {
        PeerId::from_bot_api_dialog_id(id).map(Self)
    }

    /// The chat as Telegram wants it named. Without an access hash that it told, it knows no such peer.
    pub(super) fn named(self, session: &AccountSession) -> tl::enums::InputPeer {
        self.reference(session).into()
    }

    fn reference(self, session: &AccountSession) -> PeerRef {
        let mut named = self.0.to_ambient_ref();
        named.auth = PeerAuth::from_hash(session.hash(self.0));
        named
    }

    /// The supergroup, as calls name it; `None` of any other chat.
    pub(super) fn supergroup(self, session: &AccountSession) -> Option<tl::enums::InputChannel> {
        (self.0.kind() == PeerKind::Channel).then(|| self.reference(session).into())
    }
}

/// The number of a message.
pub(super) fn number(message: &MessageId) -> Result<i32, Refusal> {
    let id = message.as_str();
    let number = id.parse::<i32>().ok();
    let number = number.filter(|number| *number > 0 && number.to_string() == id);
    number.ok_or_else(|| Refusal::new(RefusalCode::Gone, format!("{id} is no message of Telegram")))
}

/// A person as the session keeps them, to write to them later. The hash of one who is only mentioned
/// (<https://core.telegram.org/api/min>) is of no use elsewhere.
pub(super) fn person(user: &tl::types::User) -> Option<PeerInfo> {
    let hash = user.access_hash.filter(|_| !user.min)?;
    Some(PeerInfo::User {
        id: user.id,
        auth: Some(PeerAuth::from_hash(hash)),
        bot: Some(user.bot),
        is_self: Some(user.is_self),
    })
}

/// A supergroup as the session keeps it, to write to it later.
pub(super) fn supergroup(channel: &tl::types::Channel) -> Option<PeerInfo> {
    let hash = channel.access_hash.filter(|_| !channel.min)?;
    Some(PeerInfo::Channel {
        id: channel.id,
        auth: Some(PeerAuth::from_hash(hash)),
        kind: None,
    })
}
