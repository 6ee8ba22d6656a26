//! Who steps in, when, and how it is told.

use crate::{
    contract::{self, Script, Subject},
    http::{APIS, bench, fine, say},
    openai::{Bench, HandClock, agent_of, fault},
    support::{PausedClock, answer, message, request, resuming, said, start},
};
use foldback_agents::{
    Accepts, Agent, Api, Fallback, HistoryLimits, HttpAgent, HttpConfig, Memory, PictureLimits, ScriptAgent,
    ScriptStep, Steer, SteerInput, Step,
    strict_server::{Insists, Piece, Reply, StrictServer},
};
use foldback_wire::{
    AgentFault, Answerer, ModelOverride, RunId, RunLevels, SessionStart, StopReason, ThinkLevel,
};
use serde_json::json;
use std::{sync::Arc, time::Duration};

/// A chain whose first agent answers itself.
pub(crate) struct First;

impl Subject for First {
    async fn new() -> Self {
        Self
    }

    fn agent(&self, pieces: &[&str], endless: bool) -> Arc<dyn Agent> {
        chain(Script.agent(pieces, endless), vec![failing("internal")])
    }
}

contract::contract!(first_keeps, crate::fallback::First, #[tokio::test(start_paused = true)]);

fn chain(first: Arc<dyn Agent>, others: Vec<Arc<dyn Agent>>) -> Arc<dyn Agent> {
    Arc::new(Fallback::new(first, others))
}

fn scripted(yaml: &str) -> Arc<dyn Agent> {
    let agent = ScriptAgent::new(PausedClock::new());
    let steps: Vec<ScriptStep> = serde_saphyr::from_str(yaml).expect("steps");
    agent.queue(None, steps);
    Arc::new(agent)
}

fn failing(code: &str) -> Arc<dyn Agent> {
    scripted(&format!("[{{error: {code}}}]"))
}

fn script() -> Answerer {
    Answerer {
        backend: "script".to_owned(),
        model: None,
    }
}

#[tokio::test(start_paused = true)]
async fn the_next_one_steps_in_for_faults_that_say_nothing_about_the_question() {
    for fault_of in AgentFault::ALL {
        let agent = chain(failing(fault_of.code()), vec![scripted("[here]")]);
        let steps = answer(&agent, request(1, "hi")).await;
        if Fallback::steps_in(*fault_of) {
            let retry = Step::Retry {
                attempt: 2,
                after_ms: 0,
                detail: format!("script: {fault_of}: {}", fault_of.about()),
                next: Some(script()),
            };
            assert_eq!((&steps[0], said(&steps).as_str()), (&retry, "here"));
            assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
        } else {
            assert_eq!((steps.len(), fault(&steps)), (1, Some(*fault_of)));
        }
    }
    let left = AgentFault::ALL.iter().filter(|fault| Fallback::steps_in(**fault));
    assert_eq!(left.count(), 7);
}

#[tokio::test(start_paused = true)]
async fn after_a_word_or_a_tool_the_failure_stands() {
    for begun in ["a", "{tool: {id: t, name: f, status: running}}"] {
        let first = scripted(&format!("[{begun}, {{error: overloaded}}]"));
        let steps = answer(&chain(first, vec![scripted("[never]")]), request(1, "hi")).await;
        assert_eq!(
            (steps.len(), fault(&steps)),
            (2, Some(AgentFault::Overloaded)),
            "{steps:?}"
        );
    }
    let first = scripted("[{reasoning: hm}, {error: overloaded}]");
    let steps = answer(&chain(first, vec![scripted("[here]")]), request(1, "hi")).await;
    assert_eq!(
        (steps.len(), said(&steps).as_str()),
        (4, "here"),
        "thoughts are no answer: {steps:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_chain_is_gone_through_once_and_the_last_failure_stands() {
    let others = vec![failing("rate_limited"), failing("unreachable")];
    let steps = answer(&chain(failing("overloaded"), others), request(1, "hi")).await;
    let attempts: Vec<u32> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Retry { attempt, .. } => Some(*attempt),
            _ => None,
        })
        .collect();
    assert_eq!(
        (attempts, fault(&steps)),
        (vec![2, 3], Some(AgentFault::Unreachable))
    );
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_before_the_next_one_is_asked() {
    let [first, second] = [bench(Api::Anthropic).await, bench(Api::Chat).await];
    for _ in 0..3 {
        first
            .server
            .reply(Reply::json(429, &json!({"error": {"message": "busy"}})));
    }
    second.server.reply(fine(Api::Chat, &["ok"]));
    let agent = chain(Arc::clone(&first.agent), vec![Arc::clone(&second.agent)]);
    assert_eq!(agent.answering(&request(1, "hi")), ("anthropic", Some("m")));
    let mut running = start(&agent, request(1, "hi"));
    let mut told = Vec::new();
    while let Some(event) = running.steps.recv().await {
        if let Step::Retry {
            attempt,
            after_ms,
            next,
            ..
        } = &event.step
        {
            told.push((*attempt, *after_ms, next.as_ref().map(ToString::to_string)));
            first.clock.advance(Duration::from_millis(*after_ms));
        }
        if let Step::Text { text, .. } = &event.step {
            assert_eq!(text, "ok");
        }
    }
    assert_eq!(
        told,
        [
            (2, 250, None),
            (3, 500, None),
            (4, 0, Some("openai m".to_owned()))
        ]
    );
    assert_eq!(
        (first.server.requests().len(), second.server.requests().len()),
        (3, 1)
    );
}

#[tokio::test]
async fn a_model_that_is_not_there_is_stepped_in_for_by_another_of_the_same_backend() {
    let server = StrictServer::start(Insists::on(Api::Chat, "there"))
        .await
        .expect("a port");
    let of = |model: &str| {
        agent_of(
            Api::Chat,
            HttpConfig::new(server.base_url(), model),
            HandClock::new(),
        )
    };
    server.reply(fine(Api::Chat, &["ok"]));
    let steps = answer(&chain(of("gone"), vec![of("there")]), request(1, "hi")).await;
    let Step::Retry { detail, next, .. } = &steps[0] else {
        panic!("{steps:?}")
    };
    assert_eq!(
        detail,
        "openai gone: no_model: HTTP 404: no such model; this is there"
    );
    assert_eq!(
        next.as_ref().map(ToString::to_string).as_deref(),
        Some("openai there")
    );
    assert_eq!(said(&steps), "ok");
}

/// With one memory, who steps in knows what was said, and whom they step in for knows what they answered.
#[tokio::test]
async fn who_steps_in_knows_the_conversation() {
    let memory = Memory::new(HistoryLimits::default());
    let of = async |api: Api| {
        let server = StrictServer::start(Insists::on(api, "m")).await.expect("a port");
        let mut config = HttpConfig::new(server.base_url(), "m");
        config.retries = 0;
        let agent = HttpAgent::new(api, config, HandClock::new(), Arc::new(crate::openai::Fixed(0)));
        let agent: Arc<dyn Agent> = Arc::new(agent.expect("an agent").with_memory(memory.clone()));
        (server, agent)
    };
    let (one, first) = of(Api::Anthropic).await;
    let (two, second) = of(Api::Responses).await;
    let agent = chain(first, vec![second]);
    one.reply(fine(Api::Anthropic, &["by one"]));
    answer(&agent, request(1, "a")).await;
    one.reply(Reply::json(529, &json!({"error": {"message": "busy"}})));
    two.reply(fine(Api::Responses, &["by two"]));
    assert_eq!(said(&answer(&agent, request(2, "b")).await), "by two");
    assert!(two.requests()[0]["input"].to_string().contains("by one"));
    one.reply(fine(Api::Anthropic, &["by one again"]));
    answer(&agent, request(3, "c")).await;
    assert!(one.requests()[2]["messages"].to_string().contains("by two"));
    agent.forget(&"s1".into());
    one.reply(fine(Api::Anthropic, &["anew"]));
    answer(&agent, request(4, "d")).await;
    assert_eq!(one.requests()[3]["messages"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn who_steps_in_tells_and_takes_up_a_session_of_its_own() {
    let [first, second] = [bench(Api::Chat).await, bench(Api::Letta).await];
    first
        .server
        .reply(Reply::json(404, &json!({"error": {"code": "model_not_found"}})));
    second.server.reply(fine(Api::Letta, &["ok"]));
    let agent = chain(Arc::clone(&first.agent), vec![Arc::clone(&second.agent)]);
    let mut request = resuming(1, "hi", "acp", "somebody-else");
    request.resume.insert("letta".to_owned(), "m".to_owned());
    let steps = answer(&agent, request).await;
    let Step::Retry { next, .. } = &steps[0] else {
        panic!("{steps:?}")
    };
    assert_eq!(
        next.as_ref().map(|next| next.backend.as_str()),
        Some("letta"),
        "whose the session is"
    );
    let own = Step::Session {
        id: "m".to_owned(),
        start: SessionStart::Resumed,
        detail: String::new(),
    };
    assert_eq!((&steps[1], said(&steps).as_str()), (&own, "ok"));
}

#[tokio::test]
async fn cancelling_reaches_the_agent_that_answers() {
    for api in APIS {
        let [first, second] = [bench(Api::Chat).await, bench(api).await];
        first
            .server
            .reply(Reply::json(404, &json!({"error": {"code": "model_not_found"}})));
        let endless = crate::http::begin(api)
            .into_iter()
            .chain([say(api, "a"), Piece::Hang]);
        second.server.reply(Reply::stream(endless));
        let agent = chain(Arc::clone(&first.agent), vec![Arc::clone(&second.agent)]);
        let mut running = start(&agent, request(1, "hi"));
        while said(&[running.next().await]) != "a" {}
        running.cancel.cancel();
        assert_eq!(running.rest().await, [Step::Done(StopReason::Cancelled)]);
        second.server.until(|counts| counts.dropped == 1).await;
    }
}

#[tokio::test]
async fn it_takes_what_all_of_them_take() {
    let of = async |images: bool| {
        Bench::insisting(Insists::on(Api::Chat, "m"), |config| config.images = images)
            .await
            .agent
    };
    for (one, other) in [(true, true), (true, false), (false, true)] {
        let agent = chain(of(one).await, vec![of(other).await]);
        assert_eq!(
            agent.accepts(),
            Accepts {
                images: one && other,
                files: false,
                pictures: PictureLimits {
                    bytes: 3_932_160,
                    number: 6
                }
            }
        );
    }
    let small = |bytes, number| {
        let pictures = PictureLimits { bytes, number };
        let agent = ScriptAgent::new(PausedClock::new()).with_accepts(Accepts {
            images: true,
            files: false,
            pictures,
        });
        Arc::new(agent) as Arc<dyn Agent>
    };
    let agent = chain(small(10, 3), vec![small(20, 2)]);
    let both = PictureLimits { bytes: 10, number: 2 };
    assert_eq!(agent.accepts().pictures, both);
}

fn given() -> Arc<dyn Agent> {
    scripted(r#"[{given: "{think} {model}"}]"#)
}

fn asking(run: u64, model: &str) -> foldback_agents::TurnRequest {
    let mut request = request(run, "hi");
    request.levels = RunLevels {
        think: Some(ThinkLevel::High),
        model: ModelOverride::parse(model),
        ..RunLevels::default()
    };
    request
}

#[tokio::test(start_paused = true)]
async fn who_steps_in_answers_with_its_own_model_at_the_same_level() {
    let agent = chain(failing("no_model"), vec![given()]);
    let steps = answer(&agent, asking(1, "gpt-5")).await;
    assert_eq!(said(&steps), "high default");
}

#[tokio::test]
async fn a_model_that_names_a_backend_of_the_chain_is_asked_of_it() {
    let bench = Bench::insisting(Insists::on(Api::Chat, "gpt-5"), |_| {}).await;
    let agent = chain(given(), vec![Arc::clone(&bench.agent)]);
    bench.server.reply(fine(Api::Chat, &["from the server"]));
    let asked = asking(1, "openai/gpt-5");
    assert_eq!(agent.answering(&asked), ("openai", Some("gpt-5")));
    assert_eq!(agent.level_supports(&asked.levels).answerer.backend, "openai");
    assert_eq!(said(&answer(&agent, asked).await), "from the server");
    // The others step in for it.
    let steps = answer(&agent, asking(2, "openai/other")).await;
    assert!(
        steps
            .iter()
            .any(|step| matches!(step, Step::Retry { next: Some(next), .. } if *next == script())),
        "{steps:?}"
    );
    assert_eq!(said(&steps), "high default");
}

#[tokio::test(start_paused = true)]
async fn whoever_runs_it_takes_what_is_steered_in() {
    let first = failing("overloaded");
    let waits = scripted(r#"["?", {steered: {then: [{given: "{steered}"}]}}]"#);
    let agent = chain(first, vec![waits]);
    let input = SteerInput {
        prompt: "more".to_owned(),
        message: message("m2", "more"),
        files: Vec::new(),
    };
    let mut running = start(&agent, request(1, "hi"));
    while said(&[running.next().await]) != "?" {}
    assert_eq!(agent.steer(RunId(1), input.clone()).await, Steer::Taken);
    assert_eq!(said(&running.rest().await), "more");
    let why = "script: the run has ended".to_owned();
    assert_eq!(agent.steer(RunId(1), input).await, Steer::NotNow { why });
}
