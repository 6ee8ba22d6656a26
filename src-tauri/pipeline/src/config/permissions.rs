//! What becomes of an agent's requests for permission.

use super::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of an agent's requests for permission. An answer is chosen by what it means; where the agent
/// offers none that fits, the request is cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PermissionsConfig {
    /// What becomes of a request that neither list names.
    pub policy: PermissionPolicy,
    /// Kinds of tools of which every single call is allowed.
    pub allow_once: Vec<ToolKind>,
    /// Kinds of tools whose calls are rejected, also where the list above has them.
    pub reject: Vec<ToolKind>,
    /// How long a person may take; then the request is rejected.
    pub timeout: Interval,
    /// Whether the sender of the message is asked in the chat, too. Nobody else's answer there counts.
    pub in_chat: bool,
}

impl Default for PermissionsConfig {
    fn default() -> Self {
        Self {
            policy: PermissionPolicy::Ask,
            allow_once: Vec::new(),
            reject: Vec::new(),
            timeout: Interval::minutes(5),
            in_chat: false,
        }
    }
}

/// What a tool does, as agents say it (<https://agentclientprotocol.com/protocol/tool-calls>).
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

/// What becomes of a request for permission.
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
    /// What becomes of a tool of this kind, and the setting that says so.
    pub fn about(&self, does: &str) -> (PermissionPolicy, &'static str) {
        let names = |kinds: &[ToolKind]| kinds.iter().any(|kind| kind.code() == does);
        if names(&self.reject) {
            (PermissionPolicy::Reject, "agent.permissions.reject")
        } else if names(&self.allow_once) {
            (PermissionPolicy::AllowOnce, "agent.permissions.allow_once")
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
    fn a_kind_is_written_as_agents_write_it() {
        for code in [
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
        ] {
            let kind: ToolKind = serde_json::from_value(code.into()).unwrap();
            assert_eq!(kind.code(), code);
        }
    }
}
