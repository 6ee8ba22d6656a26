//! Decides whether the bot was meant: in groups by a mention, and between bots only so often.

use crate::{
    config::ChannelConfig,
    flow::{Flow, Stop},
    rules::{Rule, Rules},
};
use foldback_wire::{ChannelId, ChatId, ChatType, Gate, GroupActivation, Inbound, Stage, ThreadId};
use std::collections::{HashMap, VecDeque};

/// Chats in which bots wrote last that are remembered; the oldest go first.
const CHATS: usize = 5_000;

type Chat = (ChannelId, ChatId, Option<ThreadId>);

/// The number of turns that bots got in a row, in each chat where a bot wrote last.
#[derive(Debug, Default)]
pub(crate) struct BotTurns {
    chats: HashMap<Chat, u32>,
    /// In the order in which bots began there.
    order: VecDeque<Chat>,
}

impl BotTurns {
    /// The turns that bots had in a row before this one; a person's message ends the row.
    fn count(&mut self, message: &Inbound) -> u32 {
        let chat = (
            message.channel.clone(),
            message.chat.clone(),
            message.thread.clone(),
        );
        if !message.sender.is_bot {
            if self.chats.remove(&chat).is_some() {
                self.order.retain(|known| *known != chat);
            }
            return 0;
        }
        if let Some(before) = self.chats.get_mut(&chat) {
            *before += 1;
            return *before - 1;
        }
        self.order.push_back(chat.clone());
        self.chats.insert(chat, 1);
        while self.order.len() > CHATS {
            if let Some(oldest) = self.order.pop_front() {
                self.chats.remove(&oldest);
            }
        }
        0
    }

    /// A turn that was stopped was none.
    fn take_back(&mut self, message: &Inbound) {
        let chat = (
            message.channel.clone(),
            message.chat.clone(),
            message.thread.clone(),
        );
        if let Some(turns) = self.chats.get_mut(&chat) {
            *turns -= 1;
        }
    }
}

/// The facts that the stage decides from, beside the message.
pub(crate) struct ActivateContext<'a> {
    pub(crate) rules: Rules,
    pub(crate) settings: &'a ChannelConfig,
    /// The activation that is stored on the session, where one is.
    pub(crate) activation: Option<GroupActivation>,
    /// The message answers one of the bot.
    pub(crate) answers_bot: bool,
    pub(crate) bots: &'a mut BotTurns,
}

/// Passes a message that is meant for the bot, and answers why it is.
pub(crate) fn activate(context: ActivateContext<'_>, message: &Inbound) -> Flow<String> {
    let ActivateContext {
        rules,
        settings,
        activation,
        answers_bot,
        bots,
    } = context;
    let setting = |key: &str| format!("channels.{}.{key}", message.channel);
    let Some(why) = meant(rules, (settings, activation), message, answers_bot) else {
        let detail = "it is in a group and neither mentions the bot nor answers it".to_owned();
        let stop = Stop::new(Stage::Activation, Gate::NotMentioned, detail)
            .given("chat", message.chat.as_str())
            .given("mentioned", message.mentioned.to_string());
        return match activation {
            Some(GroupActivation::Mention) => stop.changed_by("/activation always").flow(),
            _ => stop.changed_by(setting("require_mention")).flow(),
        };
    };
    let before = bots.count(message);
    if message.sender.is_bot && before >= settings.bot_turns && rules.holds(Rule::ActivationBots) {
        bots.take_back(message);
        let detail = format!("bots had {before} turns in a row here; a person has to write first");
        return Stop::new(Stage::Activation, Gate::BotTurnLimit, detail)
            .given("sender", message.sender.id.as_str())
            .given("bot_turns", settings.bot_turns.to_string())
            .changed_by(setting("bot_turns"))
            .flow();
    }
    Flow::Continue(why)
}

/// The reason for which the bot is meant, if it is.
fn meant(
    rules: Rules,
    (settings, activation): (&ChannelConfig, Option<GroupActivation>),
    message: &Inbound,
    answers_bot: bool,
) -> Option<String> {
    if message.chat_type == ChatType::Direct {
        return Some("a direct message".to_owned());
    }
    if activation == Some(GroupActivation::Always) {
        return Some("the session answers every message (/activation always)".to_owned());
    }
    let required = settings.require_mention || activation == Some(GroupActivation::Mention);
    if !required || !rules.holds(Rule::ActivationMention) {
        return Some("no mention is required here".to_owned());
    }
    if message.mentioned {
        return Some("the bot is mentioned or answered".to_owned());
    }
    if answers_bot && rules.holds(Rule::ActivationReply) {
        return Some("it answers a message of the bot".to_owned());
    }
    let mut patterns = settings.mention_patterns.iter();
    patterns
        .find(|pattern| rules.holds(Rule::ActivationPattern) && pattern.names(&message.text))
        .map(|pattern| format!("it matches mention_patterns: {}", pattern.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::MentionPattern, testing::inbound};

    fn group(text: &str) -> Inbound {
        Inbound {
            chat_type: ChatType::Group,
            mentioned: false,
            ..inbound(text)
        }
    }

    fn gate(settings: &ChannelConfig, message: &Inbound, answers_bot: bool) -> Option<Gate> {
        let context = ActivateContext {
            rules: Rules::all(),
            settings,
            activation: None,
            answers_bot,
            bots: &mut BotTurns::default(),
        };
        match activate(context, message) {
            Flow::Continue(_) => None,
            Flow::Stop(stop) => Some(stop.gate),
        }
    }

    const fn after<'a>(settings: &'a ChannelConfig, bots: &'a mut BotTurns) -> ActivateContext<'a> {
        ActivateContext {
            rules: Rules::all(),
            settings,
            activation: None,
            answers_bot: false,
            bots,
        }
    }

    #[test]
    fn what_the_session_says_comes_before_the_channel() {
        let passes = |require_mention, activation| {
            let settings = ChannelConfig {
                require_mention,
                ..ChannelConfig::default()
            };
            let mut bots = BotTurns::default();
            let context = ActivateContext {
                activation,
                ..after(&settings, &mut bots)
            };
            matches!(activate(context, &group("hi")), Flow::Continue(_))
        };
        assert!(passes(true, Some(GroupActivation::Always)));
        assert!(!passes(false, Some(GroupActivation::Mention)));
        assert!(passes(false, None) && !passes(true, None));
    }

    #[test]
    fn a_group_has_to_mention_the_bot_or_answer_it() {
        let settings = ChannelConfig::default();
        assert_eq!(gate(&settings, &group("hi all"), false), Some(Gate::NotMentioned));
        assert_eq!(gate(&settings, &group("hi all"), true), None);
        let mentions = Inbound {
            mentioned: true,
            ..group("hi @bot")
        };
        assert_eq!(gate(&settings, &mentions, false), None);
        let direct = Inbound {
            mentioned: false,
            ..inbound("hi")
        };
        assert_eq!(gate(&settings, &direct, false), None);
        let listening = ChannelConfig {
            require_mention: false,
            ..settings
        };
        assert_eq!(gate(&listening, &group("hi all"), false), None);
    }

    #[test]
    fn a_name_of_the_bot_counts_as_a_mention() {
        let settings = ChannelConfig {
            mention_patterns: vec![MentionPattern::new(r"\bfoldback\b").unwrap()],
            ..ChannelConfig::default()
        };
        assert_eq!(gate(&settings, &group("FoldBack, are you there?"), false), None);
        assert_eq!(
            gate(&settings, &group("foldbacks"), false),
            Some(Gate::NotMentioned)
        );
    }

    #[test]
    fn bots_get_so_many_turns_in_a_row_until_a_person_writes() {
        let settings = ChannelConfig {
            bot_turns: 2,
            ..ChannelConfig::default()
        };
        let mut bots = BotTurns::default();
        let mut writes = |is_bot: bool, thread: Option<&str>| {
            let mut message = inbound("hi");
            message.sender.is_bot = is_bot;
            message.thread = thread.map(Into::into);
            matches!(activate(after(&settings, &mut bots), &message), Flow::Continue(_))
        };
        assert!(writes(true, None) && writes(true, None));
        assert!(!writes(true, None) && !writes(true, None));
        assert!(writes(true, Some("t1")), "a thread counts for itself");
        assert!(writes(false, None));
        assert!(writes(true, None) && writes(true, None));
        assert!(!writes(true, None));
    }

    #[test]
    fn what_is_remembered_of_bots_is_bounded() {
        let settings = ChannelConfig::default();
        let mut bots = BotTurns::default();
        for chat in 0..CHATS + 10 {
            let mut message = inbound("hi");
            message.sender.is_bot = true;
            message.chat = chat.to_string().into();
            activate(after(&settings, &mut bots), &message);
        }
        assert_eq!((bots.chats.len(), bots.order.len()), (CHATS, CHATS));
    }
}
