//! Decisions about an agent's requests for permission.

use super::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Decisions about an agent's requests for permission. An answer is chosen by what it means; where the agent
/// offers none that fits, the request is cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PermissionsConfig {
    /// Decides about a request that neither list names. One that does not say its kind is not allowed by this
    /// where `reject` names any: a person decides.
    pub policy: PermissionPolicy,
    /// Kinds of tools of which every single call is allowed.
    pub allow_once: Vec<ToolKind>,
    /// Kinds of tools about whose calls a person decides, also where the list above has them.
    pub ask: Vec<ToolKind>,
    /// Kinds of tools whose calls are rejected, also where a list above has them.
    pub reject: Vec<ToolKind>,
    /// The time that a person may take; then the request is rejected.
    pub timeout: Interval,
    /// Asks the sender of the message in the chat, too. Nobody else's answer there counts.
    pub in_chat: bool,
}

impl Default for PermissionsConfig {
    fn default() -> Self {
        Self {
            policy: PermissionPolicy::Ask,
            allow_once: Vec::new(),
            ask: Vec::new(),
            reject: Vec::new(),
            timeout: Interval::minutes(5),
            in_chat: false,
        }
    }
}

/// The kind of work that a tool does, as agents say it (<https://agentclientprotocol.com/protocol/tool-calls>).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Reads files or data.
    Read,
    /// Changes files or data.
    Edit,
    /// Removes files or data.
    Delete,
    /// Moves or renames files.
    Move,
    /// Looks for something.
    Search,
    /// Runs commands or code.
    Execute,
    /// Only thinks or plans.
    Think,
    /// Gets data from elsewhere.
    Fetch,
    /// Changes the mode in which the agent works.
    SwitchMode,
    /// Anything else.
    Other,
}

impl ToolKind {
    /// Every kind there is.
    pub const ALL: [Self; 10] = [
        Self::Read,
        Self::Edit,
        Self::Delete,
        Self::Move,
        Self::Search,
        Self::Execute,
        Self::Think,
        Self::Fetch,
        Self::SwitchMode,
        Self::Other,
    ];

    /// As agents write it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::Search => "search",
            Self::Execute => "execute",
            Self::Think => "think",
            Self::Fetch => "fetch",
            Self::SwitchMode => "switch_mode",
            Self::Other => "other",
        }
    }
}

/// The decision about a request for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionPolicy {
    /// A person decides.
    #[default]
    Ask,
    /// It is allowed, this once.
    AllowOnce,
    /// It is rejected, this once.
    Reject,
}

impl PermissionsConfig {
    /// The decision about a tool of this kind, and the setting that makes it. A kind that is not told, or that nobody
    /// knows, may be one of `reject`: where that list names any, a person decides about it.
    pub fn about(&self, does: &str) -> (PermissionPolicy, &'static str) {
        let names = |kinds: &[ToolKind]| kinds.iter().any(|kind| kind.code() == does);
        let unknown = !names(&ToolKind::ALL);
        if names(&self.reject) {
            (PermissionPolicy::Reject, "agent.permissions.reject")
        } else if names(&self.ask) {
            (PermissionPolicy::Ask, "agent.permissions.ask")
        } else if names(&self.allow_once) {
            (PermissionPolicy::AllowOnce, "agent.permissions.allow_once")
        } else if unknown && self.policy == PermissionPolicy::AllowOnce && !self.reject.is_empty() {
            (PermissionPolicy::Ask, "agent.permissions.reject")
        } else {
            (self.policy, "agent.permissions.policy")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rejected_is_whatever_else_is_said() {
        let config = PermissionsConfig {
            allow_once: vec![ToolKind::Read, ToolKind::Delete],
            reject: vec![ToolKind::Delete],
            ..PermissionsConfig::default()
        };
        assert_eq!(config.about("read").0, PermissionPolicy::AllowOnce);
        assert_eq!(config.about("delete").0, PermissionPolicy::Reject);
        assert_eq!(config.about("execute").0, PermissionPolicy::Ask);
        assert_eq!(
            config.about("").0,
            PermissionPolicy::Ask,
            "a kind nobody told is in no list"
        );
    }

    #[test]
    fn a_kind_that_nobody_can_read_is_not_allowed_where_some_kind_is_rejected() {
        let mut config = PermissionsConfig {
            policy: PermissionPolicy::AllowOnce,
            allow_once: vec![ToolKind::Read],
            reject: vec![ToolKind::Delete],
            ..PermissionsConfig::default()
        };
        for unreadable in ["", "erase"] {
            assert_eq!(config.about(unreadable).0, PermissionPolicy::Ask, "{unreadable}");
        }
        assert_eq!(config.about("execute").0, PermissionPolicy::AllowOnce);
        assert_eq!(config.about("other").0, PermissionPolicy::AllowOnce);
        config.policy = PermissionPolicy::Reject;
        assert_eq!(config.about("").0, PermissionPolicy::Reject);
        config.policy = PermissionPolicy::AllowOnce;
        config.reject.clear();
        assert_eq!(config.about("").0, PermissionPolicy::AllowOnce);
    }

    #[test]
    fn a_kind_is_written_as_agents_write_it() {
        let codes = [
            "read",
            "edit",
            "delete",
            "move",
            "search",
            "execute",
            "think",
            "fetch",
            "switch_mode",
            "other",
        ];
        assert_eq!(ToolKind::ALL.map(ToolKind::code), codes);
        for code in codes {
            let kind: ToolKind = serde_json::from_value(code.into()).unwrap();
            assert_eq!(kind.code(), code);
        }
    }
}
