//! What is written to the client, line by line, and read from it.

use super::Done;
use serde_json::{Value, json};
use std::{
    error::Error,
    io::{self, BufRead as _, Write as _},
};

pub(super) fn chunk(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
}

pub(super) fn say(session: &Value, text: &str) -> Done {
    update(session, &chunk(text))
}

pub(super) fn tool(session: &Value, kind: &str, id: &str, mut about: Value) -> Done {
    about["sessionUpdate"] = json!(kind);
    about["toolCallId"] = json!(id);
    update(session, &about)
}

pub(super) fn update(session: &Value, update: &Value) -> Done {
    tell(&notification(session, update))
}

pub(super) fn notification(session: &Value, update: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})
}

pub(super) fn refuse(id: &Value, code: i32, message: &str) -> Done {
    tell(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
}

pub(super) fn tell(message: &Value) -> Done {
    let mut out = io::stdout().lock();
    writeln!(out, "{message}")?;
    out.flush()?;
    Ok(())
}

pub(super) fn hear() -> Result<Option<Value>, Box<dyn Error>> {
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(serde_json::from_str(&line)?))
}
