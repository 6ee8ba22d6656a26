//! Actions as tools of a model: what is offered, how a call goes out as an action, and what the model is told of its result,
//! in each protocol's own form. The server refuses a request in which a call has no result or a result no call.

use super::{Bench, begin, bench, end, fine, piece, say};
use crate::support::{Running, ms, request, said, start};
use foldback_agents::{
    ActionAnswer, ActionCall, Api, MOST_ROUNDS, OfferedAction, Step, TurnRequest,
    strict_server::{Insists, Piece, Reply},
};
use foldback_wire::{AgentFault, StopReason, ToolCall, ToolStatus};
use serde_json::{Value, json};

/// The protocols with tools.
const APIS: [Api; 3] = [Api::Chat, Api::Responses, Api::Anthropic];

fn offering(run: u64, text: &str) -> TurnRequest {
    TurnRequest {
        actions: vec![OfferedAction {
            name: "bash".to_owned(),
            about: "Runs a command.".to_owned(),
            payload: json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}),
            is_permitted: true,
        }],
        ..request(run, text)
    }
}

/// An answer that says this and calls `bash` with each of these payloads.
fn calling(api: Api, text: &str, calls: &[(&str, &str)]) -> Reply {
    let calls: Vec<_> = calls
        .iter()
        .map(|(id, payload)| (*id, "bash", *payload))
        .collect();
    calling_tools(api, text, &calls)
}

/// The same with calls of tools by name.
fn calling_tools(api: Api, text: &str, calls: &[(&str, &str, &str)]) -> Reply {
    let mut pieces = begin(api);
    if !text.is_empty() {
        pieces.push(say(api, text));
    }
    for (index, (id, name, payload)) in (1..).zip(calls) {
        pieces.extend(called(api, index, id, name, payload));
    }
    Reply::stream(pieces.into_iter().chain(end(api)))
}

fn called(api: Api, index: u64, id: &str, name: &str, payload: &str) -> Vec<Piece> {
    let (first, rest) = payload.split_at(payload.len() / 2);
    let data: Vec<Value> = match api {
        Api::Chat => {
            let piece = |function: Value| {
                json!({"id": "c1", "choices": [{"index": 0, "delta": {"tool_calls": [
                    {"index": index, "id": id, "type": "function", "function": function}]}}]})
            };
            vec![
                piece(json!({"name": name, "arguments": first})),
                piece(json!({"arguments": rest})),
            ]
        }
        Api::Responses => {
            let item = |arguments: &str| {
                json!({"type": "function_call", "id": format!("fc_{index}"), "call_id": id, "name": name,
                    "arguments": arguments})
            };
            let delta = |delta: &str| json!({"type": "response.function_call_arguments.delta", "output_index": index, "delta": delta});
            vec![
                json!({"type": "response.output_item.added", "output_index": index, "item": item("")}),
                delta(first),
                delta(rest),
                json!({"type": "response.output_item.done", "output_index": index, "item": item(payload)}),
            ]
        }
        Api::Anthropic => {
            let delta = |delta: &str| {
                json!({"type": "content_block_delta", "index": index,
                    "delta": {"type": "input_json_delta", "partial_json": delta}})
            };
            vec![
                json!({"type": "content_block_stop", "index": index - 1}),
                json!({"type": "content_block_start", "index": index,
                    "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}}),
                delta(first),
                delta(rest),
            ]
        }
        Api::Letta => unreachable!("it has tools of its own"),
    };
    data.iter().map(|data| piece(api, data)).collect()
}

fn ok(text: &str) -> ActionAnswer {
    ActionAnswer {
        text: text.to_owned(),
        is_error: false,
        is_last: false,
    }
}

/// The next call of an action, and the steps before it.
async fn next_call(running: &mut Running) -> (Vec<Step>, ActionCall) {
    let mut before = Vec::new();
    loop {
        match running.next().await {
            Step::Action(call) => return (before, call),
            step => before.push(step),
        }
    }
}

fn tools(steps: &[Step]) -> Vec<&ToolCall> {
    fn tool(step: &Step) -> Option<&ToolCall> {
        match step {
            Step::Tool(call) => Some(call),
            _ => None,
        }
    }
    steps.iter().filter_map(tool).collect()
}

#[tokio::test]
async fn a_call_is_answered_and_the_model_goes_on_in_the_same_run() {
    for api in APIS {
        let bench = bench(api).await;
        assert!(bench.agent.takes_actions());
        let payload = r#"{"command":"df -h"}"#;
        bench
            .server
            .reply(calling(api, "I look.", &[("call_a", payload)]));
        bench.server.reply(fine(api, &["Half full."]));
        let mut running = start(&bench.agent, offering(1, "How full is the disk?"));
        let (before, call) = next_call(&mut running).await;
        assert_eq!(said(&before), "I look.", "{api:?}");
        let announced = tools(&before);
        assert_eq!(
            announced.last().unwrap().arguments.as_deref(),
            Some(payload),
            "{api:?}"
        );
        assert_eq!((call.call.as_ref().unwrap().as_str(), call.answer), ("call_a", 0));
        assert_eq!(
            (call.action.kind.as_str(), call.action.payload.as_str()),
            ("bash", payload)
        );
        call.answer(ok("50 percent"));
        let steps = running.rest().await;
        let ended = tools(&steps)[0];
        assert_eq!(
            (ended.id.as_str(), ended.status),
            ("call_a", ToolStatus::Completed)
        );
        assert_eq!(ended.result.as_deref(), Some("50 percent"));
        assert_eq!(said(&steps), "Half full.", "{api:?}");
        assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)), "{api:?}");
        assert_eq!(bench.server.refusals(), [""; 0], "{api:?}");
        let asked = bench.server.requests();
        assert_eq!(asked.len(), 2);
        for asked in &asked {
            let told = asked["tools"].to_string();
            assert!(
                told.contains("Runs a command.") && told.contains("\"command\""),
                "{told}"
            );
            assert_eq!(asked.get("tool_choice"), None);
        }
        let second = asked[1].to_string();
        assert!(
            second.contains("50 percent") && second.contains("I look."),
            "{api:?} {second}"
        );
    }
}

#[tokio::test]
async fn several_calls_of_an_answer_are_carried_out_in_order_and_each_has_its_own_result() {
    for api in APIS {
        let bench = bench(api).await;
        bench.server.reply(calling(
            api,
            "",
            &[("call_a", r#"{"command":"one"}"#), ("call_b", r#"{"command":"#)],
        ));
        bench.server.reply(fine(api, &["Done."]));
        let mut running = start(&bench.agent, offering(1, "Both."));
        let (_, first) = next_call(&mut running).await;
        assert_eq!(first.action.payload, r#"{"command":"one"}"#, "{api:?}");
        first.answer(ok("did one"));
        let (_, second) = next_call(&mut running).await;
        assert_eq!(
            (second.action.payload.as_str(), second.answer),
            (r#"{"command":"#, 0)
        );
        second.answer(ActionAnswer {
            is_error: true,
            ..ok("payload_malformed")
        });
        let steps = running.rest().await;
        assert_eq!(
            tools(&steps).last().unwrap().status,
            ToolStatus::Failed,
            "{api:?}"
        );
        assert_eq!(bench.server.refusals(), [""; 0], "{api:?}");
        let told = bench.server.requests()[1].to_string();
        assert!(
            told.find("did one") < told.find("payload_malformed"),
            "{api:?} {told}"
        );
    }
}

#[tokio::test]
async fn after_the_last_call_the_model_is_asked_for_an_answer_without_one() {
    for api in APIS {
        let bench = bench(api).await;
        bench
            .server
            .reply(calling(api, "", &[("call_a", r#"{"command":"one"}"#)]));
        bench
            .server
            .reply(calling(api, "I try.", &[("call_b", r#"{"command":"two"}"#)]));
        bench.server.reply(fine(api, &["That is all."]));
        let mut running = start(&bench.agent, offering(1, "One."));
        let (_, call) = next_call(&mut running).await;
        call.answer(ActionAnswer {
            is_last: true,
            ..ok("no more")
        });
        let steps = running.rest().await;
        assert!(
            !steps.iter().any(|step| matches!(step, Step::Action(_))),
            "{api:?}"
        );
        assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
        assert_eq!(said(&steps), "I try.That is all.", "{api:?}");
        let refused = tools(&steps).last().copied().unwrap();
        assert_eq!(
            (refused.id.as_str(), refused.status),
            ("call_b", ToolStatus::Failed)
        );
        let told = bench.server.requests()[2].to_string();
        assert!(told.contains("Answer now, with what is known."), "{api:?} {told}");
        let none = match api {
            Api::Anthropic => json!({"type": "none"}),
            _ => json!("none"),
        };
        assert_eq!(bench.server.requests()[1]["tool_choice"], none, "{api:?}");
        assert_eq!(bench.server.refusals(), [""; 0], "{api:?}");
    }
}

#[tokio::test]
async fn a_model_that_always_calls_again_is_asked_so_many_times() {
    for api in APIS {
        let bench = bench(api).await;
        let ids: Vec<_> = (0..MOST_ROUNDS + 2)
            .map(|round| format!("call_{round}"))
            .collect();
        for id in &ids {
            bench
                .server
                .reply(calling(api, "", &[(id, r#"{"command":"again"}"#)]));
        }
        let mut running = start(&bench.agent, offering(1, "Again."));
        for round in 0..MOST_ROUNDS {
            let (_, call) = next_call(&mut running).await;
            assert_eq!(call.answer, round);
            call.answer(ok("did again"));
        }
        let steps = running.rest().await;
        let Some(Step::Failed { fault, detail }) = steps.last() else {
            panic!("{api:?} {steps:?}")
        };
        assert_eq!(*fault, AgentFault::Malformed, "{api:?}");
        assert!(detail.contains("tool_choice"), "{detail}");
        assert!(!steps.iter().any(|step| matches!(step, Step::Action(_))));
        assert_eq!(bench.server.requests().len(), ids.len(), "{api:?}");
        assert_eq!(bench.server.refusals(), [""; 0], "{api:?}");
    }
}

#[tokio::test]
async fn a_later_request_of_a_run_that_is_refused_in_passing_is_tried_again() {
    for api in APIS {
        let bench = bench(api).await;
        bench
            .server
            .reply(calling(api, "I look.", &[("call_a", r#"{"command":"df"}"#)]));
        bench
            .server
            .reply(Reply::json(503, &json!({"error": {"message": "busy"}})));
        bench.server.reply(fine(api, &["Half full."]));
        let mut running = start(&bench.agent, offering(1, "How full?"));
        let (_, call) = next_call(&mut running).await;
        call.answer(ok("50 percent"));
        let wait = loop {
            if let Step::Retry { after_ms, .. } = running.next().await {
                break after_ms;
            }
        };
        bench.clock.advance(ms(wait));
        let steps = running.rest().await;
        assert!(
            !steps.iter().any(|step| matches!(step, Step::Action(_))),
            "it is not called again"
        );
        assert_eq!(said(&steps), "Half full.", "{api:?}");
    }
}

#[tokio::test]
async fn a_run_that_is_stopped_while_its_call_waits_ends() {
    for api in APIS {
        let bench = bench(api).await;
        bench
            .server
            .reply(calling(api, "", &[("call_a", r#"{"command":"sleep"}"#)]));
        let mut running = start(&bench.agent, offering(1, "Sleep."));
        let (_, call) = next_call(&mut running).await;
        running.cancel.cancel();
        let steps = running.rest().await;
        call.answer(ok("too late"));
        assert_eq!(steps, [Step::Done(StopReason::Cancelled)], "{api:?}");
        assert_eq!(bench.server.requests().len(), 1);
    }
}

#[tokio::test]
async fn without_an_offer_a_request_has_no_tools_and_a_call_is_told_as_it_is() {
    for api in APIS {
        let bench = bench(api).await;
        let steps = bench.answer(calling(api, "", &[("call_a", "{}")])).await;
        assert!(
            !steps.iter().any(|step| matches!(step, Step::Action(_))),
            "{api:?}"
        );
        assert_eq!(tools(&steps).last().unwrap().status, ToolStatus::Pending);
        assert_eq!(bench.server.requests()[0].get("tools"), None, "{api:?}");
    }
}

#[tokio::test]
async fn what_a_model_thought_before_its_call_goes_back_with_its_signature() {
    let api = Api::Anthropic;
    let bench = bench(api).await;
    let delta =
        |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let events = [
        json!({"type": "message_start", "message": {"id": "c1", "type": "message", "role": "assistant", "content": []}}),
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        delta(0, json!({"type": "thinking_delta", "thinking": "The disk?"})),
        delta(0, json!({"type": "signature_delta", "signature": "c2ln"})),
        json!({"type": "content_block_stop", "index": 0}),
    ];
    let call = called(api, 1, "call_a", "bash", r#"{"command":"df"}"#);
    let events = events
        .iter()
        .map(|data| piece(api, data))
        .chain(call)
        .chain(end(api));
    bench.server.reply(Reply::stream(events));
    bench.server.reply(fine(api, &["Half full."]));
    let mut running = start(&bench.agent, offering(1, "How full?"));
    let (_, call) = next_call(&mut running).await;
    call.answer(ok("50 percent"));
    running.rest().await;
    assert_eq!(bench.server.refusals(), [""; 0]);
    let told = &bench.server.requests()[1]["messages"][1]["content"];
    assert_eq!(
        told[0],
        json!({"type": "thinking", "thinking": "The disk?", "signature": "c2ln"})
    );
    assert_eq!(told[1]["input"], json!({"command": "df"}));
}

#[tokio::test]
async fn what_the_sender_may_not_have_carried_out_is_no_tool() {
    for api in APIS {
        let bench = bench(api).await;
        bench.server.reply(fine(api, &["Hello."]));
        let mut request = offering(1, "hi");
        request.actions[0].is_permitted = false;
        crate::support::answer(&bench.agent, request).await;
        assert_eq!(bench.server.requests()[0].get("tools"), None, "{api:?}");
    }
}

/// A bench whose operator configured the tool `lookup`.
async fn with_lookup(api: Api) -> Bench {
    let (name, about, schema) = ("lookup", "Looks a word up.", json!({"type": "object"}));
    let tool = match api {
        Api::Chat => {
            json!({"type": "function", "function": {"name": name, "description": about, "parameters": schema}})
        }
        Api::Responses => {
            json!({"type": "function", "name": name, "description": about, "parameters": schema, "strict": false})
        }
        _ => json!({"name": name, "description": about, "input_schema": schema}),
    };
    Bench::insisting(Insists::on(api, "m"), |config| {
        config.extra.insert("tools".to_owned(), json!([tool]));
    })
    .await
}

#[tokio::test]
async fn calls_of_a_configured_tool_alone_stay_pending() {
    for api in APIS {
        let bench = with_lookup(api).await;
        bench
            .server
            .reply(calling_tools(api, "I look.", &[("call_a", "lookup", "{}")]));
        let steps = crate::support::answer(&bench.agent, offering(1, "hi")).await;
        assert!(
            !steps.iter().any(|step| matches!(step, Step::Action(_))),
            "{api:?}"
        );
        assert_eq!(
            tools(&steps).last().unwrap().status,
            ToolStatus::Pending,
            "{api:?}"
        );
        assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)), "{api:?}");
        assert_eq!(bench.server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_configured_tool_beside_an_action_gets_an_error_and_does_not_count() {
    for api in APIS {
        let bench = with_lookup(api).await;
        let calls = [
            ("call_a", "lookup", "{}"),
            ("call_b", "bash", r#"{"command":"df"}"#),
        ];
        bench.server.reply(calling_tools(api, "", &calls));
        bench.server.reply(fine(api, &["Half full."]));
        let mut running = start(&bench.agent, offering(1, "hi"));
        let (before, call) = next_call(&mut running).await;
        assert_eq!(call.action.kind, "bash", "{api:?}");
        let refused = tools(&before).last().copied().unwrap();
        assert_eq!(
            (refused.name.as_str(), refused.status),
            ("lookup", ToolStatus::Failed)
        );
        call.answer(ok("50 percent"));
        assert_eq!(said(&running.rest().await), "Half full.", "{api:?}");
        assert_eq!(bench.server.refusals(), [""; 0], "{api:?}");
    }
}

#[tokio::test]
async fn an_id_that_comes_again_in_a_later_answer_is_replaced() {
    for api in APIS {
        let bench = bench(api).await;
        for command in ["one", "two"] {
            let payload = json!({"command": command}).to_string();
            bench.server.reply(calling(api, "", &[("call-2", &payload)]));
        }
        bench.server.reply(fine(api, &["Done."]));
        let mut running = start(&bench.agent, offering(1, "Both."));
        let (_, first) = next_call(&mut running).await;
        first.answer(ok("did one"));
        let (_, second) = next_call(&mut running).await;
        assert_eq!(second.action.payload, r#"{"command":"two"}"#, "{api:?}");
        let ids = [&first, &second].map(|call| call.call.as_ref().unwrap().as_str());
        assert_eq!(ids, ["call-2", "call-3"], "{api:?}");
        second.answer(ok("did two"));
        let steps = running.rest().await;
        assert_eq!(tools(&steps)[0].id.as_str(), "call-3", "{api:?}");
        assert_eq!(said(&steps), "Done.", "{api:?}");
        assert_eq!(bench.server.refusals(), [""; 0], "{api:?}");
    }
}

#[tokio::test]
async fn reasoning_and_unknown_fields_of_a_call_go_back_in_chat_completions() {
    let api = Api::Chat;
    let bench = bench(api).await;
    let delta = |delta: Value| {
        piece(
            api,
            &json!({"id": "c1", "choices": [{"index": 0, "delta": delta}]}),
        )
    };
    let signature = json!({"google": {"thought_signature": "c2ln"}});
    let call = json!({"index": 0, "id": "call_a", "type": "function", "extra_content": signature,
        "function": {"name": "bash", "arguments": r#"{"command":"df"}"#}});
    let pieces = [
        delta(json!({"role": "assistant", "reasoning_content": "The "})),
        delta(json!({"reasoning_content": "disk?"})),
        delta(json!({"tool_calls": [call]})),
    ];
    bench
        .server
        .reply(Reply::stream(pieces.into_iter().chain(end(api))));
    bench
        .server
        .reply(calling(api, "", &[("call_b", r#"{"command":"df"}"#)]));
    bench.server.reply(fine(api, &["Half full."]));
    let mut running = start(&bench.agent, offering(1, "How full?"));
    for _ in 0..2 {
        let (_, call) = next_call(&mut running).await;
        call.answer(ok("50 percent"));
    }
    assert_eq!(said(&running.rest().await), "Half full.");
    assert_eq!(bench.server.refusals(), [""; 0]);
    let told = &bench.server.requests()[2]["messages"];
    assert_eq!(told[1]["reasoning_content"], "The disk?");
    assert_eq!(told[1]["tool_calls"][0]["extra_content"], signature);
    assert_eq!(told[3].get("reasoning_content"), None, "only what came goes back");
    assert_eq!(told[3]["tool_calls"][0].get("extra_content"), None);
}
