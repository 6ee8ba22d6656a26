//! A Letta server's stream.

use super::{fine, told};
use crate::{
    openai::{detail, fault},
    support::{answer, request, said},
};
use foldback_agents::{
    Api, Step,
    strict_server::{Piece, Reply, event, named},
};
use foldback_wire::{AgentFault, SessionStart, StopReason, ToolCall, ToolStatus, Usage};
use serde_json::{Value, json};

pub(super) const API: Api = Api::Letta;

/// Whoever begins is told whose memory it is.
fn session(start: SessionStart) -> Step {
    let detail = match start {
        SessionStart::New => "its memory is that of all chats which this agent answers",
        SessionStart::Resumed | SessionStart::Lost => "",
    };
    Step::Session {
        id: "m".to_owned(),
        start,
        detail: detail.to_owned(),
    }
}

fn text(message: &str, text: &str) -> Step {
    Step::Text {
        message: Some(message.to_owned()),
        text: text.to_owned(),
    }
}

fn call(status: ToolStatus, arguments: Option<&str>, result: Option<&str>) -> Step {
    Step::Tool(ToolCall {
        id: "call_1".into(),
        name: "find".to_owned(),
        status,
        arguments: arguments.map(str::to_owned),
        result: result.map(str::to_owned),
    })
}

pub(super) fn assistant(id: &str, content: &str) -> Value {
    json!({"message_type": "assistant_message", "id": id, "date": "2026-01-01T00:00:00Z", "content": content})
}

pub(super) fn stop(reason: &str) -> Value {
    json!({"message_type": "stop_reason", "stop_reason": reason})
}

#[tokio::test]
async fn pings_reasoning_tools_and_their_results_and_two_messages() {
    let tool = |tool_call: Value| json!({"message_type": "tool_call_message", "id": "message-2", "tool_call": tool_call});
    let bench = super::bench(API).await;
    let events = [
        json!({"message_type": "ping"}),
        json!({"message_type": "reasoning_message", "id": "message-1", "reasoning": "Hm", "signature": null}),
        json!({"message_type": "reasoning_message", "id": "message-1", "reasoning": "."}),
        assistant("message-1", "Let me "),
        json!({"message_type": "ping"}),
        assistant("message-1", "look."),
        tool(json!({"name": "find", "arguments": "{\"q\"", "tool_call_id": "call_1"})),
        tool(json!({"name": null, "arguments": ":1}", "tool_call_id": null})),
        json!({"message_type": "tool_return_message", "id": "message-3", "tool_call_id": "call_1", "status": "success",
            "tool_return": "Two huts.", "stdout": null}),
        json!({"message_type": "something_new", "content": {"deep": 1}}),
        assistant("message-4", "Found."),
        stop("end_turn"),
        json!({"message_type": "usage_statistics", "prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13,
            "step_count": 2}),
    ];
    let pieces = events
        .iter()
        .map(|data| event(&data.to_string()))
        .chain([event("[DONE]")]);
    assert_eq!(
        bench.answer(Reply::stream(pieces)).await,
        [
            session(SessionStart::New),
            Step::Reasoning("Hm".to_owned()),
            Step::Reasoning(".".to_owned()),
            text("message-1", "Let me "),
            text("message-1", "look."),
            call(ToolStatus::Pending, None, None),
            call(ToolStatus::Pending, Some(r#"{"q":1}"#), None),
            call(ToolStatus::Completed, Some(r#"{"q":1}"#), Some("Two huts.")),
            text("message-4", "Found."),
            Step::Usage(Usage { input: 9, output: 4 }),
            Step::Done(StopReason::End),
        ]
    );
}

#[tokio::test]
async fn a_long_result_of_a_tool_is_told_whole() {
    let steps = told(
        API,
        &[
            json!({"message_type": "tool_return_message", "tool_call_id": "call_1", "status": "error",
                "tool_return": "é".repeat(100_000)}),
            stop("end_turn"),
        ],
    )
    .await;
    let Step::Tool(call) = &steps[1] else {
        panic!("{steps:?}")
    };
    assert_eq!(call.status, ToolStatus::Failed);
    let result = call.result.as_deref().expect("a result");
    assert_eq!(result, "é".repeat(100_000));
}

#[tokio::test]
async fn every_stop_reason_is_understood() {
    for (reason, expected) in [
        ("end_turn", StopReason::End),
        ("tool_rule", StopReason::End),
        ("max_steps", StopReason::Length),
        ("cancelled", StopReason::Cancelled),
        ("news", StopReason::End),
    ] {
        let steps = told(API, &[assistant("message-1", "a"), stop(reason)]).await;
        assert_eq!(steps.last(), Some(&Step::Done(expected)), "{reason}");
    }
    for reason in [
        "error",
        "llm_api_error",
        "invalid_tool_call",
        "no_tool_call",
        "invalid_llm_response",
    ] {
        let steps = told(API, &[assistant("message-1", "a"), stop(reason)]).await;
        assert_eq!(
            (fault(&steps), said(&steps).as_str()),
            (Some(AgentFault::Internal), "a")
        );
        assert!(detail(&steps).contains(reason), "{steps:?}");
    }
}

/// HTTP 200 and then an error, with and without the stop reason before it; it is told in the server's words.
#[tokio::test]
async fn an_error_inside_a_good_stream_fails_the_run_and_keeps_what_was_said() {
    let error = r#"{"error": {"type": "llm_error", "message": "The model is down"}}"#;
    let detailed = r#"{"error": {"type": "internal_error", "detail": "The model is down"}}"#;
    let message =
        r#"{"message_type": "error_message", "error_type": "llm_error", "message": "The model is down"}"#;
    let a = || event(&assistant("message-1", "a").to_string());
    let failed = || event(&stop("llm_api_error").to_string());
    for pieces in [
        vec![a(), named("error", error)],
        vec![a(), failed(), named("error", error)],
        vec![a(), failed(), named("error", detailed), event("[DONE]")],
        vec![a(), named("error", message), event("[DONE]")],
        vec![a(), event(message)],
        vec![a(), event(error)],
        vec![a(), failed(), named("error", error), Piece::Hang],
    ] {
        let bench = super::bench(API).await;
        let steps = bench.answer(Reply::stream(pieces.clone())).await;
        assert_eq!(
            (fault(&steps), said(&steps).as_str()),
            (Some(AgentFault::Internal), "a"),
            "{pieces:?}"
        );
        assert_eq!(
            detail(&steps),
            "the backend reported: The model is down",
            "{pieces:?}"
        );
    }
}

#[tokio::test]
async fn a_tool_that_waits_for_an_approval_is_named() {
    let request = json!({"message_type": "approval_request_message", "id": "message-1",
        "tool_call": {"name": "find", "arguments": "{}", "tool_call_id": "call_1"}});
    let steps = told(API, &[request, stop("requires_approval")]).await;
    assert_eq!(fault(&steps), Some(AgentFault::Rejected));
    assert!(detail(&steps).contains("wanted an approval of find"), "{steps:?}");
    assert!(
        steps.contains(&call(ToolStatus::Pending, Some("{}"), None)),
        "{steps:?}"
    );
}

#[tokio::test]
async fn the_session_is_the_agents_and_none_is_lost_when_another_answers() {
    let bench = super::bench(API).await;
    for (resume, start) in [
        (None, session(SessionStart::New)),
        (Some("m"), session(SessionStart::Resumed)),
        (
            Some("agent-7"),
            Step::Session {
                id: "m".to_owned(),
                start: SessionStart::New,
                detail: "agent-7 answered before; now it is m: its memory is that of all chats which this agent answers"
                    .to_owned(),
            },
        ),
    ] {
        bench.server.reply(fine(API, &["ok"]));
        let mut request = request(1, "hi");
        request.resume = resume
            .map(|id: &str| ("letta".to_owned(), id.to_owned()))
            .into_iter()
            .collect();
        assert_eq!(answer(&bench.agent, request).await[0], start);
    }
    let steps = bench
        .answer(Reply::json(404, &json!({"detail": "Agent m not found"})))
        .await;
    assert_eq!(
        (steps.len(), fault(&steps)),
        (1, Some(AgentFault::NoModel)),
        "{steps:?}"
    );
}

#[tokio::test]
async fn an_answer_that_is_not_streamed_is_understood() {
    let whole = json!({"messages": [
        {"message_type": "reasoning_message", "id": "message-1", "reasoning": "Hm."},
        assistant("message-1", "At once."), {"no": "type"}],
        "stop_reason": {"message_type": "stop_reason", "stop_reason": "max_steps"},
        "usage": {"message_type": "usage_statistics", "prompt_tokens": 2, "completion_tokens": 1}});
    let bench = super::bench(API).await;
    assert_eq!(
        bench.answer(Reply::json(200, &whole)).await[1..],
        [
            Step::Reasoning("Hm.".to_owned()),
            text("message-1", "At once."),
            Step::Usage(Usage { input: 2, output: 1 }),
            Step::Done(StopReason::Length),
        ]
    );
}

/// As the code of Letta 0.11.7 cuts `He said "hi" to me.` out of the arguments of a tool call.
#[tokio::test]
async fn text_that_an_older_server_says_escaped_and_once_more_is_said_once() {
    let pieces = ["He said ", "\\\"h", "i\\\"", " to me.", "He said \"hi\" to me."];
    let mut events: Vec<Value> = pieces.iter().map(|piece| assistant("m1", piece)).collect();
    events.push(assistant("m2", "C:\\new"));
    events.push(stop("end_turn"));
    let steps = told(API, &events).await;
    let texts = [
        text("m1", "He said "),
        text("m1", "\"hi\" to me."),
        text("m2", "C:"),
        text("m2", "\\new"),
    ];
    assert_eq!(&steps[1..5], texts);
    assert_eq!(steps[5], Step::Done(StopReason::End));
}

#[tokio::test]
async fn text_that_was_kept_back_is_said_where_the_stream_breaks_off() {
    let steps = told(API, &[assistant("m1", "in C:"), assistant("m1", "\\new")]).await;
    assert_eq!(said(&steps), "in C:\\new");
    assert_eq!(fault(&steps), Some(AgentFault::Disconnected));
}
