//! By calls of tools: a strict server of chat completions is the model.

use super::{
    HALF_FULL,
    called::{self, Act, CallingAgent},
    evidence::of,
    settings,
};
use crate::bot::Home;
use foldback_agents::strict_server::{Insists, Piece, Reply, StrictServer, event};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A model that calls tools, and the home of the bot that asks it.
struct Native {
    /// Serves while it lives.
    _runtime: Runtime,
    server: StrictServer,
    home: Home,
}

fn chunk(delta: &Value, finish: Option<&str>) -> Piece {
    let chunk = json!({
        "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "test-model",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    });
    event(&chunk.to_string())
}

/// The answer of a model of chat completions, which names its calls by their number.
pub(super) fn reply(number: usize, tools: &str, act: &Act) -> Reply {
    let (delta, finish) = match act {
        Act::Say(text) => (json!({"content": text}), "stop"),
        Act::Call(action, payload) => {
            let function = json!({"name": format!("{tools}{action}"), "arguments": payload.to_string()});
            let call =
                json!({"index": 0, "id": format!("call_{number}"), "type": "function", "function": function});
            (json!({"tool_calls": [call]}), "tool_calls")
        }
    };
    Reply::stream([
        chunk(&delta, None),
        chunk(&json!({}), Some(finish)),
        event("[DONE]"),
    ])
}

/// The contents of the results in a conversation, in their order.
pub(super) fn results_in(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().unwrap();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    results
        .map(|result| result["content"].as_str().unwrap().to_owned())
        .collect()
}

/// A server that insists on this, on a runtime of its own.
pub(super) fn serving(insists: Insists) -> (Runtime, StrictServer) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let server = runtime.block_on(StrictServer::start(insists)).unwrap();
    (runtime, server)
}

impl CallingAgent for Native {
    fn doing(runs: &[&[Act]]) -> Self {
        let (runtime, server) = serving(Insists::on_model("test-model"));
        for (number, act) in runs.iter().copied().flatten().enumerate() {
            server.reply(reply(number, "", act));
        }
        let home = Home::with(&settings(&format!(
            "[agent]\nbackend = \"openai\"\n[agent.openai]\nbase_url = \"{}\"\nmodel = \"test-model\"",
            server.base_url()
        )));
        Self {
            _runtime: runtime,
            server,
            home,
        }
    }

    fn home(&self) -> &Home {
        &self.home
    }

    fn results(&self, _: &[Value]) -> Vec<String> {
        assert_eq!(self.server.refusals(), [""; 0]);
        // The request whose answer is the last text of the run that calls.
        let requests = self.server.requests();
        let all = requests.iter().map(|request| results_in(&request["messages"]));
        all.max_by_key(Vec::len).unwrap()
    }
}

#[test]
fn a_confirmed_command_runs_and_is_worded_as_a_reply() {
    let (agent, bot) = called::a_confirmed_command::<Native>();
    let requests = agent.server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0]["tools"][0]["function"]["name"], "bash");
    let result = requests[1]["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&result["role"], &result["tool_call_id"]),
        (&json!("tool"), &json!("call_0"))
    );
    assert_eq!(
        of(&bot.seen, 1, "permission_asked")[0]["request"]["tool"],
        "call_0"
    );
    let said: String = of(&bot.seen, 1, "chunk")
        .iter()
        .filter_map(|chunk| chunk["text"].as_str())
        .collect();
    assert_eq!(said, HALF_FULL);
}

#[test]
fn a_reminder_that_comes_due_is_told_in_the_words_of_the_model() {
    called::a_reminder_that_comes_due::<Native>();
}

#[test]
fn the_second_correction_is_carried_out_and_worded_as_a_reply() {
    called::a_second_correction_that_is_right::<Native>();
}

#[test]
fn after_two_corrections_the_person_reads_that_it_was_not_done() {
    called::two_corrections_that_are_wrong::<Native>();
}
