//! What the agent asks before it uses a tool.

use super::{
    Done, Manner, Scripted,
    line::{hear, say, tell, tool},
};
use serde_json::{Value, json};

/// The method of a request for permission.
pub(super) const PERMISSION: &str = "session/request_permission";

impl Scripted {
    /// Wants so many permissions at once, and tells how many were answered as cancelled before one was not. With
    /// `after N` it asks once, behind so many calls that only read.
    pub(super) fn greedy(&mut self, session: &Value, wanted: &str) -> Done {
        if let Some(calls) = wanted.strip_prefix("after ") {
            return self.after(session, calls.parse()?);
        }
        let wanted: usize = wanted.parse()?;
        for number in 0..wanted {
            let params = wish(session, &format!("g{number}"));
            tell(&json!({"jsonrpc": "2.0", "id": self.own_ids, "method": PERMISSION, "params": params}))?;
            self.own_ids += 1;
        }
        say(session, "asked")?;
        let mut cancelled = 0;
        while let Some(answer) = hear()? {
            if answer["result"]["outcome"]["outcome"] != "cancelled" {
                break;
            }
            cancelled += 1;
        }
        say(session, &format!(" {cancelled} cancelled"))
    }

    pub(super) fn hides(&mut self, id: &Value, session: &Value, bytes: usize) -> Done {
        let command = format!("echo {}; rm -rf ~", "y".repeat(bytes));
        let mut wish = wish(session, "h1");
        wish["toolCall"]["rawInput"] = json!({"command": command});
        self.ask(PERMISSION, &wish)?;
        self.end(id, "cancelled")
    }

    pub(super) fn odd(&mut self, session: &Value) -> Done {
        for wish in [
            json!({"sessionId": session, "toolCall": {"toolCallId": "o1", "title": "build"}, "options": [
                {"optionId": "x", "name": "Perhaps", "kind": "allow_perhaps"}, 7, {"name": "No id", "kind": "allow_once"},
                {"optionId": "once", "kind": "allow_once"}]}),
            json!({"sessionId": session, "toolCall": 7, "options": {"optionId": "once"}}),
            json!([]),
        ] {
            let answer = self.ask(PERMISSION, &wish)?;
            let outcome = &answer["result"]["outcome"];
            let chosen = outcome["optionId"].as_str().or(outcome["outcome"].as_str());
            say(session, chosen.unwrap_or("nothing"))?;
        }
        Ok(())
    }

    pub(super) fn terse(&mut self, session: &Value) -> Done {
        let change = json!([{"type": "diff", "path": "/etc/motd", "oldText": "a\n", "newText": "b\n"}]);
        let call = json!({"title": "Write motd", "kind": "edit", "status": "pending", "content": change,
            "locations": [{"path": "/etc/motd"}], "rawInput": {"path": "/etc/motd"}});
        tool(session, "tool_call", "w1", call)?;
        let mut wish = wish(session, "w1");
        wish["toolCall"] = json!({"toolCallId": "w1"});
        self.ask(PERMISSION, &wish).map(drop)
    }

    /// Announces so many calls that only read, then wants to delete something, in a call that it never announced.
    fn after(&mut self, session: &Value, calls: usize) -> Done {
        for number in 0..calls {
            let call = json!({"title": "read", "kind": "read", "status": "completed"});
            tool(session, "tool_call", &format!("m{number}"), call)?;
        }
        let mut wish = wish(session, "last");
        wish["toolCall"]["title"] = json!("rm -rf build");
        wish["toolCall"]["kind"] = json!("delete");
        wish["toolCall"]["rawInput"] = json!({"command": "rm -rf build"});
        self.ask(PERMISSION, &wish).map(drop)
    }

    /// A tool that asks, in the manner of the agent.
    pub(super) fn tool(&mut self, id: &Value, session: &Value) -> Done {
        let call = json!({"title": "cat notes", "kind": "execute", "rawInput": {"command": "cat notes"}});
        if self.manner == Manner::Opencode {
            tool(
                session,
                "tool_call",
                "t1",
                json!({"title": "bash", "kind": "execute", "status": "pending", "rawInput": {}}),
            )?;
            for part in 1..4 {
                let input = json!({"command": "cat notes"[..part * 3].to_owned()});
                tool(session, "tool_call_update", "t1", json!({"rawInput": input}))?;
            }
        }
        let mut about = call.clone();
        about["toolCallId"] = json!("t1");
        let options = match self.manner {
            Manner::Opencode => json!([
                {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
                {"optionId": "always", "name": "Always", "kind": "allow_always"},
                {"optionId": "reject", "name": "Reject", "kind": "reject_once"}]),
            Manner::Codex => json!([
                {"optionId": "approved", "name": "Yes", "kind": "allow_once"},
                {"optionId": "approved-execpolicy-amendment", "name": "Yes, always", "kind": "allow_always"},
                {"optionId": "abort", "name": "No", "kind": "reject_once"}]),
            Manner::Other => json!([
                {"optionId": "a", "name": "Always", "kind": "allow_always"},
                {"optionId": "b", "name": "Once", "kind": "allow_once"},
                {"optionId": "c", "name": "No", "kind": "reject_once"}]),
        };
        let request = json!({"sessionId": session, "toolCall": about, "options": options});
        let answer = self.ask(PERMISSION, &request)?;
        let outcome = &answer["result"]["outcome"];
        if outcome["outcome"] == "cancelled" {
            return self.end(id, "cancelled");
        }
        let chosen = outcome["optionId"].as_str().unwrap_or_default();
        if ["reject", "abort", "c"].contains(&chosen) {
            return match self.manner {
                Manner::Opencode => {
                    tool(session, "tool_call_update", "t1", json!({"status": "failed"}))?;
                    self.end(id, "end_turn")
                }
                Manner::Codex => self.end(id, "cancelled"),
                Manner::Other => {
                    say(session, "Then not.")?;
                    self.end(id, "end_turn")
                }
            };
        }
        if self.manner == Manner::Codex {
            let mut begun = call;
            begun["status"] = json!("in_progress");
            tool(session, "tool_call", "t1", begun)?;
        } else {
            tool(
                session,
                "tool_call_update",
                "t1",
                json!({"status": "in_progress"}),
            )?;
        }
        let result = json!([{"type": "content", "content": {"type": "text", "text": "the notes"}}]);
        tool(
            session,
            "tool_call_update",
            "t1",
            json!({"status": "completed", "content": result}),
        )?;
        say(session, &format!("chose {chosen}"))?;
        self.end(id, "end_turn")
    }
}

/// A request for the permission to make a call, with an answer whose name says too much.
pub(super) fn wish(session: &Value, call: &str) -> Value {
    let options = json!([{"optionId": "once", "name": "Allow with the notes once", "kind": "allow_once"}]);
    json!({"sessionId": session, "toolCall": {"toolCallId": call, "title": "build"}, "options": options})
}
