//! Actions as tools of a server that the agent's session is given.

use super::Bench;
use crate::support::{Running, request, resuming, said, start};
use foldback_agents::{ActionAnswer, ActionCall, OfferedAction, Step, TurnRequest};
use serde_json::json;
use std::fs;

fn with_tools() -> Bench {
    Bench::with("opencode", |config| {
        config.env.insert("TOOLS".to_owned(), "1".to_owned());
    })
}

fn offering(request: TurnRequest) -> TurnRequest {
    TurnRequest {
        actions: vec![OfferedAction {
            name: "bash".to_owned(),
            about: "Runs a command.".to_owned(),
            payload: json!({"type": "object", "properties": {"command": {"type": "string"}}}),
            is_permitted: false,
        }],
        ..request
    }
}

fn begin(bench: &Bench, run: u64, prompt: &str) -> Running {
    start(&bench.agent, offering(request(run, prompt)))
}

async fn asked(bench: &Bench, run: u64, prompt: &str) -> String {
    said(&begin(bench, run, prompt).rest().await)
}

async fn next_call(running: &mut Running) -> ActionCall {
    loop {
        if let Step::Action(call) = running.next().await {
            return call;
        }
    }
}

fn ok(text: &str) -> ActionAnswer {
    ActionAnswer {
        text: text.to_owned(),
        is_error: false,
        is_last: false,
    }
}

#[tokio::test]
async fn a_call_goes_to_the_run_and_its_result_back_to_the_agent() {
    let bench = with_tools();
    assert!(bench.agent.takes_actions());
    let mut running = begin(&bench, 1, r#"server call bash {"command":"df -h"}"#);
    let call = next_call(&mut running).await;
    assert_eq!((call.action.kind.as_str(), call.answer), ("bash", 0));
    assert_eq!(call.action.payload, r#"{"command":"df -h"}"#);
    assert!(call.is_open());
    call.answer(ok("50 percent"));
    assert_eq!(said(&running.rest().await), "error false: 50 percent");

    let mut running = begin(&bench, 2, "server call bash");
    let call = next_call(&mut running).await;
    assert_eq!(call.action.payload, "{}");
    call.answer(ActionAnswer {
        is_error: true,
        ..ok("not_permitted")
    });
    assert_eq!(said(&running.rest().await), "error true: not_permitted");
    bench.end().await;
}

#[tokio::test]
async fn the_agent_is_told_of_every_action_that_is_on_with_its_schema() {
    let bench = with_tools();
    let told = asked(&bench, 1, "server tools").await;
    assert!(told.starts_with("tools: bash {"), "{told}");
    assert!(told.contains("\"command\""), "{told}");
    bench.end().await;
}

#[tokio::test]
async fn a_session_that_is_taken_up_has_them_too() {
    let bench = with_tools();
    let first = begin(&bench, 1, "say hi").rest().await;
    let Step::Session { id, .. } = &first[0] else {
        panic!("{first:?}")
    };
    let other = with_tools();
    let taken_up = offering(resuming(2, "server tools", "acp", id));
    let told = said(&start(&other.agent, taken_up).rest().await);
    assert!(told.contains("tools: bash {"), "{told}");
    bench.end().await;
    other.end().await;
}

#[tokio::test]
async fn an_endpoint_answers_to_its_key_only_and_has_nothing_else() {
    let bench = with_tools();
    for key in ["", "0000", "x"] {
        let told = asked(&bench, 1, &format!("server key {key}")).await;
        assert_eq!(told, "status 401", "{key}");
    }
    for method in ["status", "compose_send", "resources/list", "permission_decide"] {
        let told = asked(&bench, 1, &format!("server method {method}")).await;
        assert!(told.ends_with("code -32601"), "{method}: {told}");
    }
    bench.end().await;
}

#[tokio::test]
async fn a_call_while_no_run_goes_on_is_refused() {
    let bench = with_tools();
    let steps = begin(&bench, 1, "server-late call bash").rest().await;
    assert!(
        !steps.iter().any(|step| matches!(step, Step::Action(_))),
        "{steps:?}"
    );
    bench.until("asked").await;
    let told = fs::read_to_string(bench.folder.path().join("asked")).unwrap();
    assert!(
        told.starts_with("error true: No action is carried out now"),
        "{told}"
    );
    bench.end().await;
}

#[tokio::test]
async fn a_run_that_is_stopped_while_its_call_waits_ends_and_the_agent_hears_of_it() {
    let bench = with_tools();
    let mut running = begin(&bench, 1, "server-note call bash");
    let call = next_call(&mut running).await;
    running.cancel.cancel();
    drop(call);
    let steps = running.rest().await;
    assert_eq!(
        steps.last(),
        Some(&Step::Done(foldback_wire::StopReason::Cancelled))
    );
    bench.until("asked").await;
    let heard = fs::read_to_string(bench.folder.path().join("asked")).unwrap();
    assert_eq!(
        heard,
        "error true: The message is not answered any more; the action was stopped."
    );
    bench.end().await;
}

#[tokio::test]
async fn a_call_whose_client_hangs_up_is_closed() {
    let bench = with_tools();
    let mut running = begin(&bench, 1, "server give-up bash");
    let call = next_call(&mut running).await;
    assert!(call.is_open());
    fs::write(bench.folder.path().join("leave"), "").unwrap();
    call.closed().await;
    assert!(!call.is_open());
    assert_eq!(said(&running.rest().await), "gave it up");
    bench.end().await;
}

#[tokio::test]
async fn a_call_that_its_client_cancels_is_closed_although_it_does_not_hang_up() {
    let bench = with_tools();
    let mut running = begin(&bench, 1, "server cancel bash");
    let call = next_call(&mut running).await;
    assert!(call.is_open());
    fs::write(bench.folder.path().join("leave"), "").unwrap();
    call.closed().await;
    assert_eq!(said(&running.rest().await), "cancelled it");
    bench.end().await;
}

#[tokio::test]
async fn an_agent_without_such_servers_is_given_none_and_says_so_from_then_on() {
    let bench = Bench::new("opencode");
    assert!(
        bench.agent.takes_actions(),
        "nobody knows before its first session"
    );
    assert_eq!(asked(&bench, 1, "server tools").await, "no server");
    assert!(!bench.agent.takes_actions());
    bench.end().await;
}

#[tokio::test]
async fn without_an_action_that_is_on_there_is_no_server() {
    let bench = with_tools();
    let steps = start(&bench.agent, request(1, "server tools")).rest().await;
    assert_eq!(said(&steps), "no server");
    bench.end().await;
}
