//! The Responses API as it is documented.

use super::told;
use crate::{
    openai::{detail, fault},
    support::said,
};
use foldback_agents::{Api, Step, strict_server::Reply};
use foldback_wire::{AgentFault, StopReason, ToolCall, ToolStatus, Usage};
use serde_json::{Value, json};

const API: Api = Api::Responses;

fn text(message: &str, text: &str) -> Step {
    Step::Text {
        message: Some(message.to_owned()),
        text: text.to_owned(),
    }
}

fn call(arguments: Option<&str>) -> Step {
    Step::Tool(ToolCall {
        id: "call_1".into(),
        name: "find".to_owned(),
        status: ToolStatus::Pending,
        arguments: arguments.map(str::to_owned),
        result: None,
    })
}

fn saying(item: &str, delta: &str) -> Value {
    json!({"type": "response.output_text.delta", "item_id": item, "output_index": 1, "content_index": 0,
        "delta": delta, "sequence_number": 9, "logprobs": []})
}

fn ended(kind: &str, response: &Value) -> Value {
    json!({"type": format!("response.{kind}"), "response": response})
}

#[tokio::test]
async fn reasoning_text_and_tools_are_told_apart_and_nothing_is_lost() {
    let tool =
        json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "find", "arguments": ""});
    let events = [
        json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1",
            "summary": []}}),
        json!({"type": "response.reasoning_summary_part.added", "item_id": "rs_1", "summary_index": 0}),
        json!({"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "summary_index": 0, "delta": "One."}),
        json!({"type": "response.reasoning_summary_text.done", "item_id": "rs_1", "text": "One."}),
        json!({"type": "response.reasoning_summary_part.added", "item_id": "rs_1", "summary_index": 1}),
        json!({"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "summary_index": 1, "delta": "Two."}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "id": "msg_1",
            "role": "assistant", "content": []}}),
        saying("msg_1", "Let me "),
        saying("msg_1", "look."),
        json!({"type": "response.output_text.done", "item_id": "msg_1", "output_index": 1, "text": "Let me look."}),
        json!({"type": "response.output_item.added", "output_index": 2, "item": tool}),
        json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 2, "delta": "{\"q\""}),
        json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 2, "delta": ":1}"}),
        json!({"type": "response.function_call_arguments.done", "item_id": "fc_1", "output_index": 2,
            "arguments": "{\"q\":1}"}),
        json!({"type": "response.output_item.done", "output_index": 2, "item": tool}),
        json!({"type": "response.something_new", "delta": {"deep": 1}}),
        saying("msg_2", "Found."),
        ended(
            "completed",
            &json!({"status": "completed", "usage": {"input_tokens": 7, "output_tokens": 5}}),
        ),
    ];
    assert_eq!(
        told(API, &events).await,
        [
            Step::Reasoning("One.".to_owned()),
            Step::Reasoning("\n\n".to_owned()),
            Step::Reasoning("Two.".to_owned()),
            text("msg_1", "Let me "),
            text("msg_1", "look."),
            call(None),
            call(Some(r#"{"q":1}"#)),
            text("msg_2", "Found."),
            Step::Usage(Usage { input: 7, output: 5 }),
            Step::Done(StopReason::End),
        ]
    );
}

#[tokio::test]
async fn the_reason_of_the_end_is_kept() {
    let incomplete = |reason: &str| {
        let details = json!({"status": "incomplete", "incomplete_details": {"reason": reason}});
        ended("incomplete", &details)
    };
    let refusal = json!({"type": "response.refusal.delta", "item_id": "msg_1", "delta": "I can't."});
    let completed = ended("completed", &json!({"status": "completed"}));
    for (events, words, expected) in [
        (vec![saying("m", "a"), completed.clone()], "a", StopReason::End),
        (
            vec![saying("m", "a"), incomplete("max_output_tokens")],
            "a",
            StopReason::Length,
        ),
        (
            vec![saying("m", "a"), incomplete("content_filter")],
            "a",
            StopReason::Refusal,
        ),
        (vec![refusal, completed.clone()], "I can't.", StopReason::Refusal),
        (vec![completed.clone(), saying("m", "late")], "", StopReason::End),
    ] {
        let steps = told(API, &events).await;
        assert_eq!(
            (said(&steps).as_str(), steps.last()),
            (words, Some(&Step::Done(expected))),
            "{events:?}"
        );
    }
}

#[tokio::test]
async fn errors_keep_what_was_said() {
    let failed = |code: &str| {
        ended(
            "failed",
            &json!({"status": "failed", "error": {"code": code, "message": "Because"}}),
        )
    };
    for (error, expected) in [
        (failed("server_error"), AgentFault::Internal),
        (failed("rate_limit_exceeded"), AgentFault::RateLimited),
        (
            json!({"type": "error", "code": "server_error", "message": "Because", "param": null}),
            AgentFault::Internal,
        ),
        (
            json!({"type": "error", "error": {"type": "invalid_request_error", "code": "context_length_exceeded",
                "message": "Because"}}),
            AgentFault::Rejected,
        ),
    ] {
        let steps = told(API, &[saying("m", "a"), error.clone()]).await;
        assert_eq!(
            (said(&steps).as_str(), fault(&steps)),
            ("a", Some(expected)),
            "{error}"
        );
        assert_eq!(detail(&steps), "the backend reported: Because");
    }
    let steps = told(
        API,
        &[saying("m", "a"), ended("failed", &json!({"status": "failed"}))],
    )
    .await;
    assert_eq!(fault(&steps), Some(AgentFault::Internal));
}

#[tokio::test]
async fn an_answer_that_is_not_streamed_is_understood() {
    let whole = json!({"id": "resp_1", "object": "response", "status": "completed", "error": null, "output": [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "At once."}]},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "find", "arguments": "{}"}],
        "usage": {"input_tokens": 2, "output_tokens": 1}});
    let bench = super::bench(API).await;
    assert_eq!(
        bench.answer(Reply::json(200, &whole)).await,
        [
            text("msg_1", "At once."),
            call(None),
            call(Some("{}")),
            Step::Usage(Usage { input: 2, output: 1 }),
            Step::Done(StopReason::End),
        ]
    );
}

#[tokio::test]
async fn calls_that_come_at_once_end_one_by_one() {
    let item = |id: &str| json!({"type": "function_call", "call_id": id, "name": id});
    let added = |at: u64, id: &str| json!({"type": "response.output_item.added", "output_index": at, "item": item(id)});
    let done = |at: u64, id: &str| json!({"type": "response.output_item.done", "output_index": at, "item": item(id)});
    let more = |at: u64, delta: &str| json!({"type": "response.function_call_arguments.delta", "output_index": at, "delta": delta});
    let events = [
        added(0, "a"),
        added(1, "b"),
        more(0, "{}"),
        more(1, "[1"),
        done(0, "a"),
        saying("msg_1", "Meanwhile."),
        more(1, "]"),
        done(1, "b"),
        ended("completed", &json!({"status": "completed"})),
    ];
    let steps = told(API, &events).await;
    let calls: Vec<(&str, Option<&str>)> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Tool(call) => Some((call.name.as_str(), call.arguments.as_deref())),
            _ => None,
        })
        .collect();
    assert_eq!(
        calls,
        [("a", None), ("b", None), ("a", Some("{}")), ("b", Some("[1]"))]
    );
}
