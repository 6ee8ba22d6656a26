//! A Letta server goes on with a run when nobody listens any more, and answers one message of an agent at a time.

use super::{
    begin, fine,
    letta::{API, assistant, stop},
};
use crate::{
    openai::{Bench, agent_of, detail, fault},
    support::{Running, answer, request, said, start},
};
use foldback_agents::{
    HttpConfig, Step, Timeouts,
    strict_server::{Gate, Insists, Piece, Reply, event},
};
use foldback_wire::{AgentFault, StopReason};
use serde_json::{Value, json};
use std::time::Duration;

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
