//! The people who may talk on a channel, in the words of its settings for an operator.

use super::{ChannelConfig, DmPolicy, GroupPolicy};
use crate::id::ANYBODY;

impl ChannelConfig {
    /// The people that may write directly, in words; begins with `nobody` where nobody may.
    pub fn direct_in_words(&self) -> String {
        match self.dm_policy {
            DmPolicy::Disabled => "nobody: direct messages are switched off".to_owned(),
            DmPolicy::Open => "everybody".to_owned(),
            DmPolicy::Allowlist => listed(&self.allow_from),
            DmPolicy::Pairing if self.allow_from.is_empty() => {
                "whom an operator approved; others get a code".to_owned()
            }
            DmPolicy::Pairing if self.allow_from.iter().any(|entry| entry == ANYBODY) => {
                "everybody".to_owned()
            }
            DmPolicy::Pairing => format!(
                "{}, and whom an operator approved; others get a code",
                listed(&self.allow_from)
            ),
        }
    }

    /// The people that may write in groups, and when the bot is meant, in words; begins with `nobody` where nobody may.
    pub fn groups_in_words(&self) -> String {
        let who = match self.group_policy {
            GroupPolicy::Disabled => "nobody: groups are switched off".to_owned(),
            GroupPolicy::Open => "everybody".to_owned(),
            GroupPolicy::Allowlist => listed(self.group_list().0),
        };
        if who.starts_with("nobody") {
            return who;
        }
        let place = match self.groups.as_deref() {
            None => String::new(),
            Some([]) => return "nobody: the list of groups is empty".to_owned(),
            Some(groups) => format!(" in {}", groups.join(", ")),
        };
        let when = if self.require_mention {
            "when the bot is mentioned"
        } else {
            "whether the bot is mentioned or not"
        };
        format!("{who}{place}, {when}")
    }

    /// The settings that an operator may not have meant: lists that let nobody in, though the policy asks them.
    /// Each names its setting.
    pub fn closed(&self, channel: &str) -> Vec<String> {
        let (in_groups, key) = self.group_list();
        let direct = self.dm_policy == DmPolicy::Allowlist && self.allow_from.is_empty();
        let groups = self.group_policy == GroupPolicy::Allowlist && in_groups.is_empty();
        let named = format!("channels.{channel}");
        match (direct, groups) {
            (true, true) if key == "allow_from" => {
                vec![format!("{named}.allow_from is empty: nobody may write there")]
            }
            _ => [
                (direct, "allow_from", "nobody may write there directly"),
                (groups, key, "nobody may write there in groups"),
            ]
            .into_iter()
            .filter(|(closed, ..)| *closed)
            .map(|(_, key, what)| format!("{named}.{key} is empty: {what}"))
            .collect(),
        }
    }
}

fn listed(list: &[String]) -> String {
    if list.is_empty() {
        "nobody: the allow list is empty".to_owned()
    } else if list.iter().any(|entry| entry == ANYBODY) {
        "everybody".to_owned()
    } else {
        list.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_talk_in_words() {
        let people = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let closed = ChannelConfig::default();
        assert_eq!(closed.direct_in_words(), "nobody: the allow list is empty");
        assert_eq!(closed.groups_in_words(), "nobody: the allow list is empty");
        assert_eq!(
            closed.closed("slack"),
            ["channels.slack.allow_from is empty: nobody may write there"]
        );
        let paired = ChannelConfig {
            dm_policy: DmPolicy::Pairing,
            allow_from: people(&["U1"]),
            group_allow_from: Some(Vec::new()),
            ..ChannelConfig::default()
        };
        assert_eq!(
            paired.direct_in_words(),
            "U1, and whom an operator approved; others get a code"
        );
        assert_eq!(
            paired.closed("slack"),
            ["channels.slack.group_allow_from is empty: nobody may write there in groups"]
        );
        let open = ChannelConfig {
            group_policy: GroupPolicy::Open,
            groups: Some(people(&["C1", "C2"])),
            ..ChannelConfig::default()
        };
        assert_eq!(
            open.groups_in_words(),
            "everybody in C1, C2, when the bot is mentioned"
        );
        assert_eq!(
            open.closed("slack"),
            ["channels.slack.allow_from is empty: nobody may write there directly"]
        );
    }
}
