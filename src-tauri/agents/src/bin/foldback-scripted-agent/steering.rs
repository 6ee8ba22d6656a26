//! Prompts that come while one goes on, as claude-agent-acp takes them: the prompt before ends when the next one begins.

use super::{
    Done, Scripted,
    line::{hear, refuse, say},
};
use serde_json::Value;

impl Scripted {
    /// Says something and waits for another prompt. Then it ends the first one and says the other's text; `stay` ends
    /// neither before somebody cancels, and `rejects` refuses the other one.
    pub(super) fn joins(&self, id: &Value, session: &Value, how: &str) -> Done {
        say(session, "early ")?;
        let Some(next) = await_method("session/prompt")? else {
            return Err("the input ended in the middle of a prompt".into());
        };
        let text = next["params"]["prompt"][0]["text"].as_str().unwrap_or_default();
        match how {
            "rejects" => {
                refuse(&next["id"], -32602, "no second prompt")?;
                say(session, "alone")?;
                self.end(id, "end_turn")
            }
            "stay" => {
                say(session, text)?;
                await_method("session/cancel")?;
                self.end(id, "cancelled")?;
                say(session, " LATE")?;
                self.end(&next["id"], "cancelled")
            }
            _ => {
                self.end(id, "end_turn")?;
                say(session, text)?;
                self.end(&next["id"], "end_turn")
            }
        }
    }
}

/// The next message of this method, whatever comes before it.
fn await_method(method: &str) -> Result<Option<Value>, Box<dyn std::error::Error>> {
    loop {
        match hear()? {
            Some(message) if message["method"] != method => {}
            message => return Ok(message),
        }
    }
}
