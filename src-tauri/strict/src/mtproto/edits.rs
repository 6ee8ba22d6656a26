//! Changes to messages: edits, removals and reactions.

use super::answers::{CallRefusal, CallResult, answered, refused, wrong};
use super::messages::{checked, entities};
use super::rules::{DELETED, OWN, REACTION};
use super::state::{State, is_supergroup};
use grammers_tl_types::{enums, functions, types};

/// The reactions that every chat allows, of those that Telegram has: <https://core.telegram.org/api/reactions>.
const REACTIONS: &[&str] = &[
    "👍", "👎", "❤", "🔥", "🎉", "👀", "🤔", "😁", "😢", "🙏", "👌", "💯",
];

impl State {
    fn found(&self, chat: i64, id: i32) -> Result<usize, CallRefusal> {
        // The account asks for what was deleted meanwhile.
        self.message(chat, id)
            .ok_or_else(|| refused(400, "MESSAGE_ID_INVALID"))
    }

    pub(super) fn edit_message(&mut self, asked: &functions::messages::EditMessage) -> CallResult {
        let chat = self.named(&asked.peer)?;
        let at = self.found(chat, asked.id)?;
        if self.messages[at].from != self.account.id {
            return Err(wrong(OWN, 403, "MESSAGE_AUTHOR_REQUIRED"));
        }
        let text = asked.message.as_deref().unwrap_or_default();
        checked(text)?;
        let entities = entities(asked.entities.as_ref(), text)?;
        let stored = &mut self.messages[at];
        if stored.text == text && stored.entities == entities {
            // Who repeats an edit that may have arrived breaks no rule.
            return Err(refused(400, "MESSAGE_NOT_MODIFIED"));
        }
        text.clone_into(&mut stored.text);
        stored.entities = entities;
        stored.edits += 1;
        stored.has_no_preview = asked.no_webpage;
        let stored = stored.clone();
        let pts = self.count(chat);
        let updates = self.update(&stored, pts, true).into_iter().collect();
        answered(&self.updates(&stored, updates))
    }

    pub(super) fn delete_messages(&mut self, asked: &functions::messages::DeleteMessages) -> CallResult {
        let own = |id: &i32| {
            self.messages
                .iter()
                .any(|stored| stored.id == *id && is_supergroup(stored.chat))
        };
        let common = |id: &i32| {
            self.messages
                .iter()
                .any(|stored| stored.id == *id && !is_supergroup(stored.chat))
        };
        if asked.id.iter().any(|id| own(id) && !common(id)) {
            return Err(wrong(DELETED, 400, "MESSAGE_ID_INVALID"));
        }
        let before = self.messages.len();
        self.messages
            .retain(|stored| is_supergroup(stored.chat) || !asked.id.contains(&stored.id));
        let gone = i32::try_from(before - self.messages.len()).unwrap_or_default();
        self.pts += gone;
        let affected = types::messages::AffectedMessages {
            pts: self.pts,
            pts_count: gone,
        };
        answered(&enums::messages::AffectedMessages::Messages(affected))
    }

    pub(super) fn delete_channel_messages(
        &mut self,
        asked: &functions::channels::DeleteMessages,
    ) -> CallResult {
        let chat = self.named_channel(&asked.channel)?;
        let before = self.messages.len();
        self.messages
            .retain(|stored| stored.chat != chat || !asked.id.contains(&stored.id));
        let gone = i32::try_from(before - self.messages.len()).unwrap_or_default();
        let Some(room) = self.rooms.get_mut(&chat) else {
            return Err(refused(400, "CHANNEL_INVALID"));
        };
        room.pts += gone;
        let affected = types::messages::AffectedMessages {
            pts: room.pts,
            pts_count: gone,
        };
        answered(&enums::messages::AffectedMessages::Messages(affected))
    }

    pub(super) fn send_reaction(&mut self, asked: &functions::messages::SendReaction) -> CallResult {
        let chat = self.named(&asked.peer)?;
        let at = self.found(chat, asked.msg_id)?;
        let reaction = match asked.reaction.as_deref() {
            None | Some([]) => None,
            Some([enums::Reaction::Emoji(emoji)]) if REACTIONS.contains(&emoji.emoticon.as_str()) => {
                Some(emoji.emoticon.clone())
            }
            Some(_) => return Err(wrong(REACTION, 400, "REACTION_INVALID")),
        };
        let stored = &mut self.messages[at];
        if stored.reaction == reaction {
            return Err(refused(400, "MESSAGE_NOT_MODIFIED"));
        }
        stored.reaction = reaction;
        let stored = stored.clone();
        answered(&self.updates(&stored, Vec::new()))
    }
}
