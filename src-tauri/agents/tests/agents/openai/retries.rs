//! When the backend is asked again, and how long it is left alone first.

use super::{Bench, END, Fixed, HandClock, detail, fault, finish, say, text};
use crate::support::{request, start};
use foldback_agents::{
    Agent, Api, HttpAgent, HttpConfig, Step,
    strict_server::{Insists, Piece, Reply, StrictServer, event},
};
use foldback_wire::AgentFault;
use serde_json::json;
use std::{sync::Arc, time::Duration};

fn refusal(status: u16) -> Reply {
    Reply::json(status, &json!({"error": {"message": "busy"}}))
}

fn fine() -> Reply {
    Reply::events([say("ok").as_str(), finish("stop").as_str()])
}

/// Runs a turn, lets every announced wait pass and gives the waits with everything else that was said.
async fn waits(bench: &Bench) -> (Vec<u64>, Vec<Step>) {
    let mut running = start(&bench.agent, request(1, "hi"));
    let (mut waits, mut steps) = (Vec::new(), Vec::new());
    while let Some(event) = running.steps.recv().await {
        match event.step {
            Step::Retry {
                attempt, after_ms, ..
            } => {
                waits.push(after_ms);
                assert_eq!(attempt as usize, waits.len() + 1);
                // One millisecond less is not enough: nothing may be asked yet.
                let Some(almost) = after_ms.checked_sub(1) else {
                    continue;
                };
                let asked = bench.server.requests().len();
                bench.clock.advance(Duration::from_millis(almost));
                for _ in 0..50 {
                    tokio::task::yield_now().await;
                }
                assert_eq!(bench.server.requests().len(), asked);
                bench.clock.advance(Duration::from_millis(1));
            }
            step => steps.push(step),
        }
    }
    (waits, steps)
}

#[tokio::test]
async fn passing_faults_are_tried_again_with_growing_waits() {
    for status in [429, 500, 502, 503, 529] {
        let bench = Bench::new().await;
        for reply in [refusal(status), refusal(status), fine()] {
            bench.server.reply(reply);
        }
        assert_eq!(
            waits(&bench).await,
            (vec![250, 500], vec![text("ok"), END]),
            "{status}"
        );
    }
}

#[tokio::test]
async fn chance_spreads_the_waits_between_half_and_all() {
    for (chance, expected) in [(0, 250), (1, 251), (250, 500), (251, 250)] {
        let server = StrictServer::start(Insists::on_model("m")).await.expect("a port");
        let config = HttpConfig::new(server.base_url(), "m");
        let clock = HandClock::new();
        let agent =
            HttpAgent::new(Api::Chat, config, clock.clone(), Arc::new(Fixed(chance))).expect("an agent");
        let agent: Arc<dyn Agent> = Arc::new(agent);
        let bench = Bench { server, clock, agent };
        bench.server.reply(refusal(500));
        bench.server.reply(fine());
        assert_eq!(waits(&bench).await.0, [expected], "chance {chance}");
    }
}

#[tokio::test]
async fn the_number_of_attempts_is_bounded() {
    let bench = Bench::new().await;
    for _ in 0..4 {
        bench.server.reply(refusal(503));
    }
    let (waits, steps) = waits(&bench).await;
    assert_eq!(waits.len(), 2);
    assert_eq!(fault(&steps), Some(AgentFault::Overloaded));
    assert_eq!(detail(&steps), "HTTP 503: busy");
    assert_eq!(bench.server.requests().len(), 3);
}

#[tokio::test]
async fn a_backend_that_says_how_long_is_believed() {
    for (name, value, expected) in [
        ("Retry-After", "7", 7000),
        ("Retry-After", "0", 0),
        ("retry-after-ms", "1234", 1234),
        ("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT", 30_000),
    ] {
        let bench = Bench::new().await;
        bench.server.reply(refusal(429).header(name, value));
        bench.server.reply(fine());
        assert_eq!(
            waits(&bench).await,
            (vec![expected], vec![text("ok"), END]),
            "{value}"
        );
    }
}

#[tokio::test]
async fn a_wait_too_long_for_a_person_is_a_failure() {
    let bench = Bench::new().await;
    let steps = bench.answer(refusal(429).header("Retry-After", "61")).await;
    assert_eq!(
        (steps.len(), fault(&steps)),
        (1, Some(AgentFault::RateLimited)),
        "{steps:?}"
    );
}

#[tokio::test]
async fn a_stream_that_breaks_before_its_first_word_is_asked_for_again() {
    for broken in [
        Reply::events([r#"{"error":{"message":"down","type":"server_error"}}"#]),
        Reply::stream([Piece::Cut]),
        Reply::stream([]),
        Reply::stream([event(r#"{"id":"c1","choices":[]}"#), Piece::Cut]),
        Reply::bare([Piece::Cut]),
    ] {
        let bench = Bench::new().await;
        bench.server.reply(broken.clone());
        bench.server.reply(fine());
        let (waits, steps) = waits(&bench).await;
        assert_eq!((waits.len(), steps), (1, vec![text("ok"), END]), "{broken:?}");
    }
}

#[tokio::test]
async fn nothing_is_asked_again_after_the_first_word() {
    for broken in [Piece::Cut, event(r#"{"error":{"message":"down"}}"#)] {
        let bench = Bench::new().await;
        let steps = bench.answer(Reply::stream([event(&say("a")), broken])).await;
        assert_eq!((steps.len(), &steps[0]), (2, &text("a")));
        assert!(fault(&steps).is_some());
        assert_eq!(bench.server.requests().len(), 1);
    }
}

#[tokio::test]
async fn cancelling_ends_the_wait() {
    let bench = Bench::new().await;
    bench.server.reply(refusal(500));
    let mut running = start(&bench.agent, request(1, "hi"));
    assert!(matches!(running.next().await, Step::Retry { .. }));
    running.cancel.cancel();
    let cancelled = Step::Done(foldback_wire::StopReason::Cancelled);
    assert_eq!(running.rest().await, [cancelled]);
}
