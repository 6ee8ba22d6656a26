//! Actions that an agent asks for, in each of the three ways, through the whole bot: `foldback serve`, a person who writes in a chat and
//! confirms, real commands, real time, and the journal as the bot prints it.
//!
//! | | a command | a reminder that comes due | two corrections |
//! |---|---|---|---|
//! | JSON in its text, the script agent | [`text`] | [`text`] | [`text`] |
//! | a call of a tool, a strict server of chat completions | [`native`] | [`native`] | [`native`] |
//! | a tool of its session's server, the scripted ACP agent | [`mcp`] | [`mcp`] | [`mcp`] |
//! | the same, the real opencode, opt-in | [`opencode`] | [`opencode`] | [`opencode`] |
//!
//! [`called`] has what is the same for every agent that calls tools, [`evidence`] how the journal is read.

mod called;
mod evidence;
mod mcp;
mod native;
#[cfg(feature = "test-peers")]
mod opencode;
mod text;

use serde_json::{Value, json};

/// The person's question, and the agent's wording of the answer.
const QUESTION: &str = "How full is the disk?";
const HALF_FULL: &str = "It is half full.";
/// A command that no list names, and one that a list allows.
const CONFIRMED: &str = "df -h";
const ALLOWED: &str = "echo still-up";
/// The agent's words once a reminder is set, once it is due, once a correction was right and once none was.
const NOTED: &str = "I will remind you.";
const REMINDED: &str = "You wanted to call Bob.";
const CORRECTED: &str = "It is still up.";
const GAVE_UP: &str = "I could not find out.";
/// The sentence that the person reads of actions that were wrong to the end.
const NOT_DONE: &str = "⚠️ Something that the agent wanted to do was not done.";

/// The configuration of a bot with this agent, whose owner is everybody and whose commands need a confirmation but for one.
fn settings(agent: &str) -> String {
    format!(
        "{agent}\n[channels.telegram]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n\
         [commands]\nowner_allow_from = [\"*\"]\n\
         [actions.bash]\nenabled = true\nfolder = \"work\"\nallow = [\"echo [a-z-]+\"]\n[actions.event]\nenabled = true\n"
    )
}

/// The payload of a reminder that is due at once.
fn soon() -> Value {
    json!({"description": "Call Bob", "send_in": "1 second"})
}
