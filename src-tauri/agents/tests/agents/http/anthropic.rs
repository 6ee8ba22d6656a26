//! The Messages API as it is documented, and as gateways speak it.

use super::told;
use crate::{
    openai::{Bench, detail, fault},
    support::said,
};
use foldback_agents::{
    Api, Secret, Step,
    strict_server::{Insists, Reply, named},
};
use foldback_wire::{AgentFault, StopReason, ToolCall, ToolStatus, Usage};
use serde_json::{Value, json};

const API: Api = Api::Anthropic;

fn started() -> Value {
    json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": [],
        "model": "m", "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 25,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 5, "output_tokens": 1}}})
}

fn block(index: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn stopped(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": 89}})
}

fn text(text: &str) -> Step {
    Step::Text {
        message: Some("msg_1".to_owned()),
        text: text.to_owned(),
    }
}

fn call(id: &str, name: &str, arguments: Option<&str>) -> Step {
    Step::Tool(ToolCall {
        id: id.into(),
        name: name.to_owned(),
        status: ToolStatus::Pending,
        arguments: arguments.map(str::to_owned),
        result: None,
    })
}

#[tokio::test]
async fn thinking_text_and_tools_are_told_apart_and_nothing_is_lost() {
    let events = [
        started(),
        block(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
        json!({"type": "ping"}),
        delta(0, &json!({"type": "thinking_delta", "thinking": "Hm"})),
        delta(0, &json!({"type": "thinking_delta", "thinking": "."})),
        delta(0, &json!({"type": "signature_delta", "signature": "EqQBCg=="})),
        stop(0),
        block(1, &json!({"type": "redacted_thinking", "data": "Ax"})),
        stop(1),
        block(2, &json!({"type": "text", "text": ""})),
        delta(2, &json!({"type": "text_delta", "text": "Let me "})),
        delta(2, &json!({"type": "text_delta", "text": "look."})),
        delta(
            2,
            &json!({"type": "citations_delta", "citation": {"type": "char_location"}}),
        ),
        stop(2),
        block(
            3,
            &json!({"type": "tool_use", "id": "toolu_1", "name": "find", "input": {}}),
        ),
        delta(3, &json!({"type": "input_json_delta", "partial_json": ""})),
        delta(
            3,
            &json!({"type": "input_json_delta", "partial_json": "{\"q\": \"hu"}),
        ),
        delta(3, &json!({"type": "input_json_delta", "partial_json": "ts\"}"})),
        stop(3),
        block(
            4,
            &json!({"type": "tool_use", "id": "toolu_2", "name": "ask", "input": {}}),
        ),
        stop(4),
        json!({"type": "something_new", "delta": {"deep": [1]}}),
        stopped("tool_use"),
        json!({"type": "message_stop"}),
    ];
    assert_eq!(
        told(API, &events).await,
        [
            Step::Reasoning("Hm".to_owned()),
            Step::Reasoning(".".to_owned()),
            text("Let me "),
            text("look."),
            call("toolu_1", "find", None),
            call("toolu_1", "find", Some(r#"{"q": "huts"}"#)),
            call("toolu_2", "ask", None),
            call("toolu_2", "ask", Some("")),
            Step::Usage(Usage {
                input: 30,
                output: 89
            }),
            Step::Done(StopReason::End),
        ]
    );
}

#[tokio::test]
async fn every_stop_reason_is_understood() {
    for (reason, expected) in [
        ("end_turn", StopReason::End),
        ("stop_sequence", StopReason::End),
        ("tool_use", StopReason::End),
        ("pause_turn", StopReason::End),
        ("max_tokens", StopReason::Length),
        ("model_context_window_exceeded", StopReason::Length),
        ("refusal", StopReason::Refusal),
        ("news", StopReason::End),
    ] {
        let steps = told(
            API,
            &[started(), stopped(reason), json!({"type": "message_stop"})],
        )
        .await;
        assert_eq!(steps.last(), Some(&Step::Done(expected)), "{reason}");
    }
}

#[tokio::test]
async fn errors_in_the_stream_are_known_by_their_type() {
    for (kind, expected) in [
        ("overloaded_error", AgentFault::Overloaded),
        ("rate_limit_error", AgentFault::RateLimited),
        ("api_error", AgentFault::Internal),
        ("authentication_error", AgentFault::Unauthorized),
        ("invalid_request_error", AgentFault::Rejected),
    ] {
        let error = json!({"type": "error", "error": {"type": kind, "message": "Because"}});
        let said_before = delta(0, &json!({"type": "text_delta", "text": "a"}));
        for events in [
            vec![started(), said_before.clone(), error.clone()],
            // From a gateway, without a type of the event.
            vec![started(), said_before, json!({"error": error["error"]})],
        ] {
            let steps = told(API, &events).await;
            assert_eq!(
                (fault(&steps), said(&steps).as_str()),
                (Some(expected), "a"),
                "{kind}"
            );
            assert_eq!(detail(&steps), "the backend reported: Because");
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_not_streamed_is_understood() {
    let bench = super::bench(API).await;
    let whole = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "x"}, {"type": "text", "text": "All at once."},
        {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"q": 1}}],
        "stop_reason": "max_tokens", "usage": {"input_tokens": 2, "output_tokens": 1}});
    assert_eq!(
        bench.answer(Reply::json(200, &whole)).await,
        [
            Step::Reasoning("Hm.".to_owned()),
            text("All at once."),
            call("toolu_1", "find", None),
            call("toolu_1", "find", Some(r#"{"q":1}"#)),
            Step::Usage(Usage { input: 2, output: 1 }),
            Step::Done(StopReason::Length),
        ]
    );
}

#[tokio::test]
async fn what_follows_the_last_event_does_not_count() {
    let bench = super::bench(API).await;
    let steps = bench
        .answer(Reply::stream([
            super::say(API, "a"),
            named("message_stop", r#"{"type":"message_stop"}"#),
            super::say(API, "b"),
        ]))
        .await;
    assert_eq!(
        (said(&steps).as_str(), steps.last()),
        ("a", Some(&Step::Done(StopReason::End)))
    );
}

#[tokio::test]
async fn the_request_carries_what_is_configured() {
    let insists = Insists {
        api_key: Some(Secret::new("sk-ant")),
        ..Insists::on(API, "m")
    };
    let bench = Bench::insisting(insists, |config| {
        config.api_key = Some(Secret::new("sk-ant"));
        config.system = Some("Be brief.".to_owned());
        config.extra.insert(
            "thinking".to_owned(),
            json!({"type": "enabled", "budget_tokens": 1024}),
        );
    })
    .await;
    bench.answer(super::fine(API, &["ok"])).await;
    assert_eq!(
        bench.server.requests(),
        [
            json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": true, "max_tokens": 8192,
            "system": "Be brief.", "thinking": {"type": "enabled", "budget_tokens": 1024}})
        ]
    );
    let headers = &bench.server.headers()[0];
    assert_eq!(
        (
            headers["x-api-key"].as_str(),
            headers["anthropic-version"].as_str()
        ),
        ("sk-ant", "2023-06-01")
    );
}
