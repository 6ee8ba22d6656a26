//! Finds the conversation a message belongs to.

use crate::{
    config::{SessionConfig, SessionScope},
    rules::{Rule, Rules},
};
use foldback_wire::{ChatType, Inbound, SessionId};

/// The key of the message's session: by sender, by chat, or one for everything; a thread is a conversation
/// of its own. A direct chat has one sender, so both scopes give it the same key, unless `session.main` names one for all.
pub(crate) fn key(rules: Rules, config: &SessionConfig, message: &Inbound) -> SessionId {
    let scope = config.scope;
    if let Some(main) = &config.main
        && is_shared(rules, config, message)
        && scope != SessionScope::Global
    {
        return SessionId::new(escape(main.trim()));
    }
    let mut parts = match scope {
        SessionScope::Global => return SessionId::new("global"),
        SessionScope::PerChat | SessionScope::PerSender => {
            vec![message.channel.as_str(), message.chat.as_str()]
        }
    };
    if scope == SessionScope::PerSender
        && message.chat_type == ChatType::Group
        && rules.holds(Rule::SessionSender)
    {
        parts.push(message.sender.id.as_str());
    }
    let mut key = parts.iter().map(|p| escape(p)).collect::<Vec<_>>().join(":");
    if let Some(thread) = &message.thread
        && rules.holds(Rule::SessionThread)
    {
        key.push('#');
        key.push_str(&escape(thread.as_str()));
    }
    SessionId::new(key)
}

/// The key of what counts in a group for everybody who writes there, such as `/send off`: that of its chat, where each sender
/// has a session of their own; else the session's.
pub(crate) fn group_key(rules: Rules, config: &SessionConfig, message: &Inbound) -> SessionId {
    if config.scope != SessionScope::PerSender {
        return key(rules, config, message);
    }
    let of_chat = SessionConfig {
        scope: SessionScope::PerChat,
        ..config.clone()
    };
    key(rules, &of_chat, message)
}

/// The keys under which a message finds what is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKeys {
    /// That of its session.
    pub own: SessionId,
    /// That of what counts for everybody where it was written; the same, unless each sender of a group has a session.
    pub group: SessionId,
}

impl SessionKeys {
    /// Those of a message.
    pub fn of(config: &SessionConfig, message: &Inbound) -> Self {
        let rules = Rules::all();
        Self {
            own: key(rules, config, message),
            group: group_key(rules, config, message),
        }
    }
}

/// The key of what counts in the group of a session for everybody there; `None` where that is the session's own, or nothing.
pub(crate) fn group_of_session(config: &SessionConfig, session: &SessionId) -> Option<SessionId> {
    let key = session.as_str();
    let (place, thread) = key.split_at(key.find('#').unwrap_or(key.len()));
    match place.split(':').collect::<Vec<_>>()[..] {
        [channel, chat, _] if config.scope == SessionScope::PerSender => {
            Some(SessionId::new(format!("{channel}:{chat}{thread}")))
        }
        _ => None,
    }
}

/// Whether the message's session is not of its chat alone: that of the scope `global`, and the one that direct chats share.
/// A thread of a direct chat stays apart.
pub(crate) fn is_shared(rules: Rules, config: &SessionConfig, message: &Inbound) -> bool {
    let is_main = config.main.is_some()
        && message.chat_type == ChatType::Direct
        && message.thread.is_none()
        && rules.holds(Rule::SessionMain);
    is_main || config.scope == SessionScope::Global
}

/// Keeps `:` and `#` of a platform's ids apart from the key's own, so that no two conversations share one.
fn escape(part: &str) -> String {
    part.replace('%', "%25").replace(':', "%3A").replace('#', "%23")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;

    fn message(chat_type: ChatType, thread: Option<&str>) -> Inbound {
        let mut message = inbound("hi");
        message.chat = "c1".into();
        message.chat_type = chat_type;
        message.thread = thread.map(Into::into);
        message
    }

    fn keyed(scope: SessionScope, message: &Inbound) -> String {
        keyed_with(None, scope, message)
    }

    fn keyed_with(main: Option<&str>, scope: SessionScope, message: &Inbound) -> String {
        let config = SessionConfig {
            scope,
            main: main.map(str::to_owned),
            ..SessionConfig::default()
        };
        key(Rules::all(), &config, message).to_string()
    }

    #[test]
    fn direct_chats_may_share_one_but_not_their_threads_and_no_group() {
        let main = |scope, chat_type, thread| keyed_with(Some("ma:in"), scope, &message(chat_type, thread));
        let (sender, direct) = (SessionScope::PerSender, ChatType::Direct);
        assert_eq!(main(sender, direct, None), "ma%3Ain");
        assert_eq!(main(SessionScope::PerChat, direct, None), "ma%3Ain");
        assert_eq!(main(sender, direct, Some("t9")), "telegram:c1#t9");
        assert_eq!(main(sender, ChatType::Group, None), "telegram:c1:alice");
        assert_eq!(main(SessionScope::Global, direct, None), "global");
    }

    #[test]
    fn scopes_and_threads() {
        let direct = message(ChatType::Direct, None);
        let group = message(ChatType::Group, None);
        let thread = message(ChatType::Group, Some("t9"));
        assert_eq!(keyed(SessionScope::PerSender, &direct), "telegram:c1");
        assert_eq!(keyed(SessionScope::PerSender, &group), "telegram:c1:alice");
        assert_eq!(keyed(SessionScope::PerSender, &thread), "telegram:c1:alice#t9");
        assert_eq!(keyed(SessionScope::PerChat, &group), "telegram:c1");
        assert_eq!(keyed(SessionScope::PerChat, &thread), "telegram:c1#t9");
        assert_eq!(keyed(SessionScope::Global, &thread), "global");
    }

    #[test]
    fn what_counts_for_a_group_has_a_key_of_its_own() {
        let of = |scope, message: &Inbound| {
            let config = SessionConfig {
                scope,
                ..SessionConfig::default()
            };
            group_key(Rules::all(), &config, message).to_string()
        };
        let group = message(ChatType::Group, None);
        assert_eq!(of(SessionScope::PerSender, &group), "telegram:c1");
        assert_eq!(of(SessionScope::PerChat, &group), "telegram:c1");
        assert_eq!(of(SessionScope::Global, &group), "global");
        let thread = message(ChatType::Group, Some("t9"));
        assert_eq!(of(SessionScope::PerSender, &thread), "telegram:c1#t9");
        let direct = message(ChatType::Direct, None);
        assert_eq!(of(SessionScope::PerSender, &direct), "telegram:c1");
    }

    #[test]
    fn ids_with_separators_stay_apart() {
        let mut odd = message(ChatType::Direct, None);
        odd.chat = "c1:alice#t9".into();
        assert_eq!(keyed(SessionScope::PerSender, &odd), "telegram:c1%3Aalice%23t9");
    }
}
