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
    /// Kinds of tools, as agents name them (`read`, `edit`, `delete`, `move`, `search`, `execute`, `think`,
    /// `fetch`, `other`), of which every single call is allowed.
    pub allow_once: Vec<String>,
    /// Kinds of tools whose calls are rejected, also where the list above has them.
    pub reject: Vec<String>,
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
        let names = |kinds: &[String]| !does.is_empty() && kinds.iter().any(|kind| kind == does);
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
        let kinds = |kinds: &[&str]| kinds.iter().map(|&kind| kind.to_owned()).collect();
        let config = PermissionsConfig {
            allow_once: kinds(&["read", "delete"]),
            reject: kinds(&["delete"]),
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
}
