//! Runs that are written down beforehand: each prompt has a line of the file `next`, also where it is another process that is
//! asked.

use super::{
    Done,
    line::{say, tool},
    servers::Server,
};
use serde_json::{Value, json};
use std::fs;

/// Does what the first line of the file says, and takes the line out: a JSON list of `{"call": NAME, "arguments": {…}}` for a
/// tool of the session's first server, which is announced and ended as agents do it, and `{"say": TEXT}`.
pub(super) fn do_next(servers: &[Server], session: &Value) -> Done {
    let lines = fs::read_to_string("next")?;
    let (line, rest) = lines.split_once('\n').ok_or("nothing is left to do")?;
    fs::write("next", rest)?;
    let acts: Vec<Value> = serde_json::from_str(line)?;
    for (number, act) in acts.iter().enumerate() {
        if let Some(text) = act["say"].as_str() {
            say(session, text)?;
            continue;
        }
        let name = act["call"].as_str().ok_or("neither words nor a call")?;
        let server = servers.first().ok_or("the session has no server")?;
        let id = format!("next-{number}");
        let begun = json!({"title": format!("foldback_{name}"), "status": "in_progress", "rawInput": act["arguments"]});
        tool(session, "tool_call", &id, begun)?;
        let result = server.call(name, &act["arguments"])?;
        let status = if result.is_error == true {
            "failed"
        } else {
            "completed"
        };
        let content = json!([{"type": "content", "content": {"type": "text", "text": result.text}}]);
        let ended = json!({"status": status, "content": content});
        tool(session, "tool_call_update", &id, ended)?;
    }
    Ok(())
}
