//! Tools, calls and results that the APIs refuse.

use super::{HEADERS, LINE, insists, post, right, send};
use foldback_agents::{
    Api,
    strict_server::{Insists, Reply, StrictServer},
};
use serde_json::{Value, json};

/// Sends right requests with this added, and gives how the first that is refused was; none where all are taken.
async fn refused(api: Api, added: &Value) -> Option<String> {
    let (path, headers, body) = right(api);
    let mut body: Value = serde_json::from_str(body).unwrap();
    for (name, value) in added.as_object().unwrap() {
        body[name] = value.clone();
    }
    let server = StrictServer::start(insists(api)).await.unwrap();
    let line = format!("POST {path} HTTP/1.1");
    send(&server, &post(&line, &headers, &body.to_string())).await;
    server.refusals().pop()
}

async fn cases(api: Api, taken: &[Value], refused_for: &[(&str, Value)]) {
    for added in taken {
        assert_eq!(refused(api, added).await, None, "{api:?} {added}");
    }
    for (words, added) in refused_for {
        let told = refused(api, added)
            .await
            .unwrap_or_else(|| panic!("taken: {added}"));
        assert!(told.contains(words), "{api:?} {words}: {told}");
    }
}

fn schema() -> Value {
    json!({"type": "object", "properties": {}})
}

fn user() -> Value {
    json!({"role": "user", "content": "hello"})
}

#[tokio::test]
async fn chat_completions_take_a_result_only_right_behind_its_call() {
    let tools = json!([{"type": "function", "function": {"name": "find", "description": "Finds.", "parameters": schema()}}]);
    let with = |messages: Value| json!({"tools": tools, "messages": messages});
    let call = |id: &str, name: &str, arguments: &str| {
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}]})
    };
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "it"});
    let asked = call("c1", "find", "{}");
    let right = json!([user(), asked, result("c1")]);
    cases(
        Api::Chat,
        &[
            with(right.clone()),
            json!({"tools": tools, "tool_choice": "none", "messages": right}),
            with(json!([
                user(),
                asked,
                result("c1"),
                call("c2", "find", "{}"),
                result("c2")
            ])),
        ],
        &[
            (
                "has no call before it",
                with(json!([user(), asked, result("c2")])),
            ),
            ("has no call before it", with(json!([user(), result("c1")]))),
            (
                "has no call before it",
                with(json!([user(), asked, result("c1"), result("c1")])),
            ),
            ("has no result right behind it", with(json!([user(), asked]))),
            (
                "has no result right behind it",
                with(json!([user(), asked, user(), result("c1")])),
            ),
            (
                "no id of its own",
                with(json!([user(), asked, result("c1"), asked, result("c1")])),
            ),
            (
                "none of the tools",
                with(json!([user(), call("c1", "seek", "{}"), result("c1")])),
            ),
            (
                "no JSON object",
                with(json!([user(), call("c1", "find", "{"), result("c1")])),
            ),
            ("behind no question", with(json!([asked, result("c1")]))),
            (
                "none of the tools",
                json!({"messages": [user(), asked, result("c1")]}),
            ),
            ("unknown tool_choice", json!({"tool_choice": "none"})),
            ("tools is no list, or empty", json!({"tools": []})),
            ("no name of its own", json!({"tools": [tools[0], tools[0]]})),
        ],
    )
    .await;
}

#[tokio::test]
async fn responses_take_a_result_only_with_its_call_and_reasoning_only_encrypted() {
    let tools = json!([{"type": "function", "name": "find", "description": "Finds.", "parameters": schema(), "strict": false}]);
    let with = |input: Value| json!({"tools": tools, "input": input});
    let call = json!({"type": "function_call", "call_id": "c1", "name": "find", "arguments": "{}"});
    let result = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "it"});
    let reasoning = json!({"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "x"});
    let said = json!({"role": "assistant", "content": "I look."});
    let mut encrypted = with(json!([user(), reasoning, said, call, result("c1")]));
    encrypted["include"] = json!(["reasoning.encrypted_content"]);
    cases(
        Api::Responses,
        &[with(json!([user(), call, result("c1")])), encrypted],
        &[
            ("has no call before it", with(json!([user(), call, result("c2")]))),
            ("has no result right behind it", with(json!([user(), call]))),
            (
                "given back encrypted",
                with(json!([user(), reasoning, call, result("c1")])),
            ),
            (
                "none of the tools",
                json!({"input": [user(), call, result("c1")]}),
            ),
            ("include is unknown", json!({"include": ["everything"]})),
        ],
    )
    .await;
}

#[tokio::test]
async fn messages_of_anthropic_take_the_results_of_all_calls_in_the_next_message() {
    let tools = json!([{"name": "find", "description": "Finds.", "input_schema": schema()}]);
    let with = |messages: Value| json!({"tools": tools, "messages": messages});
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "find", "input": {}});
    let assistant = |blocks: Value| json!({"role": "assistant", "content": blocks});
    let result =
        |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "it", "is_error": false});
    let results = |blocks: Value| json!({"role": "user", "content": blocks});
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "x"});
    let both = assistant(json!([call("c1"), call("c2")]));
    let thinking = json!({"type": "enabled", "budget_tokens": 1024});
    let mut thinks = with(json!([
        user(),
        assistant(json!([thought, call("c1")])),
        results(json!([result("c1")]))
    ]));
    thinks["thinking"] = thinking.clone();
    thinks["max_tokens"] = json!(4096);
    let mut forgets = with(json!([
        user(),
        assistant(json!([call("c1")])),
        results(json!([result("c1")]))
    ]));
    forgets["thinking"] = thinking;
    forgets["max_tokens"] = json!(4096);
    cases(
        Api::Anthropic,
        &[
            with(json!([
                user(),
                both,
                results(json!([result("c1"), result("c2")]))
            ])),
            thinks,
        ],
        &[
            (
                "has no result right behind it",
                with(json!([user(), both, results(json!([result("c1")]))])),
            ),
            (
                "has no call before it",
                with(json!([user(), both, results(json!([result("c3")]))])),
            ),
            (
                "has no result right behind it",
                with(json!([user(), both, user()])),
            ),
            ("before a call", forgets),
            (
                "unknown tool_choice",
                json!({"tools": tools, "tool_choice": "none"}),
            ),
        ],
    )
    .await;
}

/// Requests that the API takes, and ours never sends.
#[tokio::test]
async fn a_foreign_client_may_accept_anything_and_have_no_text_beside_a_call() {
    let tool = r#"{"type":"function","function":{"name":"bash","description":"Runs.","parameters":{"type":"object"}}}"#;
    let call = r#"{"id":"c1","type":"function","function":{"name":"bash","arguments":"{}"}}"#;
    let messages = format!(
        r#"{{"role":"user","content":"hello"}},{{"role":"assistant","content":"","tool_calls":[{call}]}},{{"role":"tool","tool_call_id":"c1","content":"done"}}"#
    );
    let body = format!(r#"{{"model":"m","stream":true,"tools":[{tool}],"messages":[{messages}]}}"#);
    let foreign = post(LINE, &HEADERS.replace("text/event-stream", "*/*"), &body);
    let own = post(LINE, HEADERS, &body);
    for (is_foreign, request, status) in [(true, &foreign, 200), (false, &foreign, 400), (false, &own, 400)] {
        let insists = Insists {
            is_foreign,
            ..insists(Api::Chat)
        };
        let server = StrictServer::start(insists).await.expect("a free port");
        server.reply(Reply::events(["[DONE]"]));
        let answer = send(&server, request).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
}
