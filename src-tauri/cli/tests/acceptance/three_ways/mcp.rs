//! By tools of the server that a session is given (Model Context Protocol): the scripted ACP agent calls them as a client does.

use super::{
    called::{self, Act, CallingAgent},
    evidence::of,
    settings,
};
use crate::{
    acp::scripted_agent,
    bot::{Home, is},
};
use serde_json::{Value, json};
use std::fs;

/// The scripted agent, and the home of its bot.
struct Mcp {
    home: Home,
}

impl CallingAgent for Mcp {
    fn doing(runs: &[&[Act]]) -> Self {
        let home = Home::with(&settings(&format!(
            "[agent]\nbackend = \"acp\"\n[agent.acp]\ncommand = [\"{}\", \"opencode\"]\n\
             env = {{ ACT = \"next\", TOOLS = \"1\" }}",
            scripted_agent().display()
        )));
        let act = |act: &Act| match act {
            Act::Call(action, payload) => json!({"call": action, "arguments": payload}),
            Act::Say(text) => json!({"say": text}),
        };
        let run = |run: &&[Act]| Value::from(run.iter().map(act).collect::<Vec<_>>()).to_string() + "\n";
        // The agent works there, as no other folder is named.
        let folder = home.path("state/foldback-agent/foldback");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("next"), runs.iter().map(run).collect::<String>()).unwrap();
        Self { home }
    }

    fn home(&self) -> &Home {
        &self.home
    }

    /// As it tells them itself, each with an end that says whether the result was an error.
    fn results(&self, seen: &[Value]) -> Vec<String> {
        let calls = seen.iter().filter(|line| is("tool")(line));
        let calls = calls.map(|line| &line["kind"]["call"]);
        let over = calls.filter(|call| call["result"].is_string());
        let result = |call: &Value| {
            let text = call["result"].as_str().unwrap();
            let is_error = text.contains("\"outcome\":\"error\"");
            assert_eq!(
                call["status"],
                if is_error { "failed" } else { "completed" },
                "{call}"
            );
            text.to_owned()
        };
        over.map(result).collect()
    }
}

#[test]
fn a_confirmed_command_runs_and_is_worded_as_a_reply() {
    let (_, bot) = called::a_confirmed_command::<Mcp>();
    let sessions = of(&bot.seen, 1, "agent_session");
    assert_eq!((sessions.len(), &sessions[0]["backend"]), (1, &json!("acp")));
}

#[test]
fn a_reminder_that_comes_due_is_told_in_the_words_of_the_agent() {
    called::a_reminder_that_comes_due::<Mcp>();
}

#[test]
fn the_second_correction_is_carried_out_and_worded_as_a_reply() {
    called::a_second_correction_that_is_right::<Mcp>();
}

#[test]
fn after_two_corrections_the_person_reads_that_it_was_not_done() {
    called::two_corrections_that_are_wrong::<Mcp>();
}
