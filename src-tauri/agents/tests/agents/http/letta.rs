//! A Letta server's stream.

use super::{begin, fine, told};
use crate::{
    openai::{Bench, agent_of, detail, fault},
    support::{Running, answer, request, said, start},
};
use foldback_agents::{
    Api, HttpConfig, Step, Timeouts,
    strict_server::{Gate, Insists, Piece, Reply, event, named},
};
use foldback_wire::{AgentFault, SessionStart, StopReason, ToolCall, ToolStatus, Usage};
use serde_json::{Value, json};
use std::time::Duration;

const API: Api = Api::Letta;

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

fn assistant(id: &str, content: &str) -> Value {
    json!({"message_type": "assistant_message", "id": id, "date": "2026-01-01T00:00:00Z", "content": content})
}

fn stop(reason: &str) -> Value {
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
async fn a_long_result_of_a_tool_is_shortened() {
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
    assert!(
        result.len() <= 16 * 1024 + 3 && result.ends_with('…'),
        "{}",
        result.len()
    );
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

/// A turn that the agent has begun to answer, and does not end.
async fn endless(bench: &Bench, first: Value) -> Running {
    let pieces = begin(API)
        .into_iter()
        .chain([event(&first.to_string()), Piece::Hang]);
    bench.server.reply(Reply::stream(pieces));
    let mut running = start(&bench.agent, request(1, "hi"));
    while said(&[running.next().await]) != "a" {}
    running
}

/// The server goes on with a run whose client hung up, and takes no other question meanwhile.
#[tokio::test]
async fn a_run_that_nobody_wants_any_more_is_stopped_at_the_server() {
    let mut first = assistant("message-1", "a");
    for (run, body) in [
        (Value::Null, json!({})),
        (json!("run-7"), json!({"run_ids": ["run-7"]})),
    ] {
        first["run_id"] = run;
        // Cancelled, dropped, silent for too long, and cut off.
        for end in ["cancelled", "closed", "dropped", "late"] {
            let bench = super::bench(API).await;
            let mut running = endless(&bench, first.clone()).await;
            match end {
                "cancelled" => {
                    running.cancel.cancel();
                    assert_eq!(running.rest().await, [Step::Done(StopReason::Cancelled)]);
                }
                "closed" => running.steps.close(),
                "dropped" => running.task.abort(),
                _ => {
                    bench.clock.advance(Duration::from_mins(2));
                    assert_eq!(fault(&running.rest().await), Some(AgentFault::Timeout));
                }
            }
            let stopped = bench.server.until(|counts| counts.stopped == 1);
            tokio::time::timeout(Duration::from_secs(10), stopped)
                .await
                .unwrap_or_else(|_| panic!("{end}: it runs on"));
            assert_eq!(bench.server.stops(), std::slice::from_ref(&body), "{end}");
            let steps = bench.answer(fine(API, &["ok"])).await;
            assert_eq!(said(&steps), "ok", "{end}: {steps:?}");
            assert_eq!(bench.server.requests().len(), 2, "{end}");
        }
    }
}

/// Before the head too: the server sends it with the first word of the model.
#[tokio::test]
async fn a_run_that_is_cancelled_before_the_first_word_is_stopped() {
    let bench = super::bench(API).await;
    bench.server.reply(Reply::bare([Piece::Hang]));
    let running = start(&bench.agent, request(1, "hi"));
    bench.server.until(|counts| counts.accepted == 1).await;
    running.cancel.cancel();
    running.rest().await;
    bench.server.until(|counts| counts.stopped == 1).await;
}

#[tokio::test]
async fn a_run_that_ended_by_itself_or_was_never_taken_is_not_stopped() {
    let bench = super::bench(API).await;
    bench.answer(fine(API, &["ok"])).await;
    bench.answer(Reply::json(400, &json!({"detail": "no"}))).await;
    bench
        .answer(Reply::stream([event(&stop("llm_api_error").to_string())]))
        .await;
    let running = start(&bench.agent, request(1, "hi"));
    running.cancel.cancel();
    running.rest().await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(bench.server.stops(), [Value::Null; 0]);
}

/// A turn of another chat.
fn another(bench: &Bench, run: u64) -> Running {
    let mut request = request(run, "hi");
    request.session = "s2".into();
    start(&bench.agent, request)
}

fn is_wait(step: &Step) -> bool {
    matches!(step, Step::Retry { after_ms: 0, detail, .. } if detail.contains("waits for its turn"))
}

/// The server answers one message of an agent at a time, however many chats it has.
#[tokio::test]
async fn chats_of_one_agent_take_turns_and_say_so() {
    let bench = super::bench(API).await;
    let gate = Gate::default();
    let mut pieces = begin(API);
    pieces.extend([
        event(&assistant("message-1", "a").to_string()),
        Piece::Wait(gate.clone()),
    ]);
    pieces.extend(super::end(API));
    bench.server.reply(Reply::stream(pieces));
    let mut first = start(&bench.agent, request(1, "hi"));
    while said(&[first.next().await]) != "a" {}
    let mut second = another(&bench, 2);
    assert!(is_wait(&second.next().await));
    let mut third = another(&bench, 3);
    assert!(is_wait(&third.next().await));
    // Longer than any attempt is tried again.
    bench.clock.advance(Duration::from_mins(1));
    third.cancel.cancel();
    assert_eq!(third.rest().await, [Step::Done(StopReason::Cancelled)]);
    assert_eq!(bench.server.requests().len(), 1);
    bench.server.reply(fine(API, &["b"]));
    gate.open();
    assert_eq!(first.rest().await, [Step::Done(StopReason::End)]);
    assert_eq!(said(&second.rest().await), "b");
}

#[tokio::test]
async fn a_chat_does_not_wait_longer_than_a_run_may_take() {
    let bench = Bench::insisting(Insists::on(API, "m"), |config| {
        config.timeouts.silence = Duration::from_hours(1);
    })
    .await;
    let _first = endless(&bench, assistant("message-1", "a")).await;
    bench.clock.advance(Duration::from_mins(20));
    let mut second = another(&bench, 2);
    assert!(is_wait(&second.next().await));
    bench.clock.advance(Duration::from_mins(9));
    assert!(second.steps.is_empty() && !second.task.is_finished());
    // The first is at its own end now, which leaves its place free: so the second asks.
    bench.server.reply(fine(API, &["b"]));
    bench.clock.advance(Duration::from_mins(1));
    assert_eq!(said(&second.rest().await), "b");
    // And where the first is not, the wait has its end.
    let bench = Bench::insisting(Insists::on(API, "m"), |config| {
        config.timeouts.total = Duration::from_mins(3);
    })
    .await;
    let other = HttpConfig {
        timeouts: Timeouts {
            silence: Duration::from_hours(1),
            ..Timeouts::default()
        },
        ..HttpConfig::new(bench.server.base_url(), "m")
    };
    let patient = Bench {
        agent: agent_of(API, other, bench.clock.clone()),
        ..bench
    };
    let _first = endless(&patient, assistant("message-1", "a")).await;
    let impatient = HttpConfig {
        timeouts: Timeouts {
            total: Duration::from_mins(3),
            ..Timeouts::default()
        },
        ..HttpConfig::new(patient.server.base_url(), "m")
    };
    // Of another backend in this process.
    let agent = agent_of(API, impatient, patient.clock.clone());
    let mut second = start(&agent, request(2, "hi"));
    assert!(is_wait(&second.next().await));
    patient.clock.advance(Duration::from_mins(3));
    let steps = second.rest().await;
    assert_eq!(
        (fault(&steps), detail(&steps)),
        (
            Some(AgentFault::Overloaded),
            "the agent answered other chats for 180000 ms"
        )
    );
}

/// Another program speaks to the agent: its messages are answered in seconds.
#[tokio::test]
async fn an_agent_that_answers_somebody_else_is_asked_again_for_two_minutes() {
    let bench = super::bench(API).await;
    let busy = || {
        Reply::json(
            409,
            &json!({"detail": "Cannot send a new message: Another request is currently being processed."}),
        )
    };
    for _ in 0..6 {
        bench.server.reply(busy());
    }
    bench.server.reply(fine(API, &["ok"]));
    let (waits, steps) = waits(&bench).await;
    assert_eq!(waits, [250, 500, 1_000, 2_000, 4_000, 5_000]);
    assert_eq!(said(&steps), "ok");
    for _ in 0..40 {
        bench.server.reply(busy());
    }
    let (waits, steps) = self::waits(&bench).await;
    assert_eq!(fault(&steps), Some(AgentFault::Overloaded));
    let waited: u64 = waits.iter().sum();
    assert!((110_000..120_000).contains(&waited), "{waits:?}");
}

/// Lets every announced wait pass, and gives them.
async fn waits(bench: &Bench) -> (Vec<u64>, Vec<Step>) {
    let mut running = start(&bench.agent, request(1, "hi"));
    let (mut waits, mut steps) = (Vec::new(), Vec::new());
    while let Some(event) = running.steps.recv().await {
        match event.step {
            Step::Retry { after_ms, .. } => {
                waits.push(after_ms);
                bench.clock.advance(Duration::from_millis(after_ms));
            }
            step => steps.push(step),
        }
    }
    (waits, steps)
}

/// The request stays open at the server otherwise, and no chat could say anything any more.
#[tokio::test]
async fn a_tool_that_needs_an_approval_is_refused_at_the_server() {
    let bench = super::bench(API).await;
    let asks = |ids: [&str; 2]| {
        let calls = ids.map(|id| json!({"name": "find", "arguments": "{}", "tool_call_id": id}));
        json!({"message_type": "approval_request_message", "id": "message-1", "tool_call": calls[0],
            "tool_calls": calls})
    };
    let waiting = |ids| {
        let end = stop("requires_approval");
        Reply::stream([asks(ids), end].map(|data| event(&data.to_string())))
    };
    bench.server.reply(waiting(["call_1", "call_2"]));
    // Refused, it asks for another one, and then says something.
    bench.server.reply(waiting(["call_3", "call_3"]));
    bench.server.reply(fine(API, &["Then not."]));
    let steps = answer(&bench.agent, request(1, "hi")).await;
    assert_eq!(fault(&steps), Some(AgentFault::Rejected));
    let words = "the agent wanted an approval of find, which nobody can give here: it was refused";
    assert_eq!(detail(&steps), words);
    // Whoever comes next is answered after it.
    bench.server.reply(fine(API, &["ok"]));
    let steps = answer(&bench.agent, request(2, "hi")).await;
    assert_eq!(said(&steps), "ok", "{steps:?}");
    let refused = |id: &str| {
        json!({"type": "approval", "tool_call_id": id, "approve": false,
            "reason": "Nobody can approve a tool call in this chat."})
    };
    let asked = bench.server.requests();
    assert_eq!(asked.len(), 4, "{asked:?}");
    for (request, ids) in asked[1..3].iter().zip([vec!["call_1", "call_2"], vec!["call_3"]]) {
        let approvals: Vec<Value> = ids.into_iter().map(refused).collect();
        assert_eq!(
            request["messages"],
            json!([{"type": "approval", "approvals": approvals}])
        );
    }
    assert_eq!(
        (bench.server.refusals(), bench.server.stops()),
        (Vec::new(), Vec::new())
    );
}

#[tokio::test]
async fn an_approval_that_somebody_else_owes_is_told_in_words_and_not_asked_about_again() {
    let message = "CONFLICT: Cannot send a new message: The agent is waiting for approval on a tool call. \
        Please approve or deny the pending request before continuing.";
    for body in [
        json!({"detail": {"code": "PENDING_APPROVAL", "message": message, "pending_request_id": "message-1"}}),
        json!({"detail": message}),
    ] {
        let bench = super::bench(API).await;
        let steps = bench.answer(Reply::json(409, &body)).await;
        let words = "the agent waits until somebody approves or denies a tool call at the Letta server, and takes no message before";
        assert_eq!(
            (steps.len(), fault(&steps), detail(&steps)),
            (1, Some(AgentFault::Rejected), words)
        );
    }
}
