//! People, groups and supergroups as the API writes them, and as clients name them:
//! <https://core.telegram.org/api/peers>.

use super::answers::{CallRefusal, wrong};
use super::rules::PEER;
use super::state::{Room, State, bare, is_supergroup};
use grammers_tl_types::{Deserializable as _, enums, types};

/// A value with nothing in it but zeros, of a type whose every part may be one: these types have no default.
pub(super) fn blank<T: grammers_tl_types::Deserializable>() -> Option<T> {
    T::from_bytes(&[0; 512]).ok()
}

/// The peer of a chat's id.
pub(super) fn peer(chat: i64) -> enums::Peer {
    match chat {
        user_id @ 1.. => types::PeerUser { user_id }.into(),
        chat if is_supergroup(chat) => types::PeerChannel {
            channel_id: bare(chat),
        }
        .into(),
        chat => types::PeerChat { chat_id: -chat }.into(),
    }
}

impl State {
    /// The chat that a client names, whether it may write there or not.
    pub(super) fn named(&self, peer: &enums::InputPeer) -> Result<i64, CallRefusal> {
        let invalid = || wrong(PEER, 400, "PEER_ID_INVALID");
        let (chat, hash) = match peer {
            enums::InputPeer::PeerSelf => return Ok(self.account.id),
            enums::InputPeer::User(user) => (user.user_id, Some(user.access_hash)),
            enums::InputPeer::Chat(chat) => (-chat.chat_id, None),
            enums::InputPeer::Channel(channel) => (bare(channel.channel_id), Some(channel.access_hash)),
            _ => return Err(invalid()),
        };
        if chat == self.account.id {
            return Ok(chat);
        }
        let known = match chat {
            1.. => self.people.get(&chat).map(|person| person.hash),
            _ => self.rooms.get(&chat).map(|room| room.hash),
        };
        match (known, hash) {
            (Some(known), Some(hash)) if known == hash => Ok(chat),
            (Some(_), None) if !is_supergroup(chat) => Ok(chat),
            _ if is_supergroup(chat) => Err(wrong(PEER, 400, "CHANNEL_INVALID")),
            _ => Err(invalid()),
        }
    }

    /// The supergroup that a client names.
    pub(super) fn named_channel(&self, channel: &enums::InputChannel) -> Result<i64, CallRefusal> {
        let enums::InputChannel::Channel(channel) = channel else {
            return Err(wrong(PEER, 400, "CHANNEL_INVALID"));
        };
        let peer = types::InputPeerChannel {
            channel_id: channel.channel_id,
            access_hash: channel.access_hash,
        };
        self.named(&peer.into())
    }

    /// A person, or the account itself.
    pub(super) fn user(&self, id: i64) -> Option<enums::User> {
        let blank: types::User = blank()?;
        if id == self.account.id {
            return Some(
                types::User {
                    is_self: true,
                    id,
                    access_hash: Some(id ^ 0x77),
                    first_name: Some("Robin".into()),
                    username: Some(self.account.username.clone()),
                    phone: Some(self.account.phone.trim_start_matches('+').to_owned()),
                    ..blank
                }
                .into(),
            );
        }
        let person = self.people.get(&id)?;
        Some(
            types::User {
                id,
                access_hash: Some(person.hash),
                first_name: Some(person.name.clone()),
                username: Some(person.username.clone()).filter(|name| !name.is_empty()),
                bot: person.is_bot,
                bot_info_version: person.is_bot.then_some(1),
                ..blank
            }
            .into(),
        )
    }

    /// A group or a supergroup.
    pub(super) fn room(&self, chat: i64) -> Option<enums::Chat> {
        let Room { title, hash, .. } = self.rooms.get(&chat)?.clone();
        if !is_supergroup(chat) {
            return Some(
                types::Chat {
                    creator: false,
                    left: false,
                    deactivated: false,
                    call_active: false,
                    call_not_empty: false,
                    noforwards: false,
                    id: -chat,
                    title,
                    photo: enums::ChatPhoto::Empty,
                    participants_count: 3,
                    date: 0,
                    version: 1,
                    migrated_to: None,
                    admin_rights: None,
                    default_banned_rights: None,
                }
                .into(),
            );
        }
        // Flags, a second time flags, id, hash, title, no picture, date: a supergroup without anything else.
        let mut bytes = (1_u32 << 8 | 1 << 13).to_le_bytes().to_vec();
        bytes.extend(0_u32.to_le_bytes());
        bytes.extend(bare(chat).to_le_bytes());
        bytes.extend(hash.to_le_bytes());
        bytes.extend(grammers_tl_types::Serializable::to_bytes(&title));
        bytes.extend(grammers_tl_types::Serializable::to_bytes(
            &enums::ChatPhoto::Empty,
        ));
        bytes.extend(0_i32.to_le_bytes());
        types::Channel::from_bytes(&bytes).ok().map(enums::Chat::Channel)
    }
}
