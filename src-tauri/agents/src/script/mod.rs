//! Answers from a script: what fixtures say, and the embedded demonstration.

mod agent;
mod fields;
mod inbox;
mod rule;
mod step;

pub use agent::ScriptAgent;
#[cfg(feature = "strict-server")]
pub(crate) use rule::{Asked, Prepared};

pub use rule::{Rule, RuleError, When};
pub use step::{Act, PermissionStep, ScriptStep, SessionStep, SteeredStep, ToolStep};
