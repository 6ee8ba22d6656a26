//! What a script shows of its levels, and of messages that are steered into its run.

use crate::support::{PausedClock, Running, answer, message, ms, request, said, start};
use foldback_agents::{Agent, LevelSupport, Rule, ScriptAgent, ScriptStep, Steer, SteerInput, Step};
use foldback_wire::{AgentFault, ModelOverride, RunId, RunLevels, StopReason, ThinkLevel};
use std::sync::Arc;

fn agent(queued: &[(Option<&str>, &str)]) -> Arc<dyn Agent> {
    let agent = ScriptAgent::new(PausedClock::new());
    for (id, yaml) in queued {
        let steps: Vec<ScriptStep> = serde_saphyr::from_str(yaml).expect("a list of steps");
        agent.queue(id.map(Into::into), steps);
    }
    Arc::new(agent)
}

fn input(id: &str, text: &str) -> SteerInput {
    SteerInput {
        prompt: text.to_owned(),
        message: message(id, text),
        files: Vec::new(),
    }
}

async fn until_said(running: &mut Running, text: &str) {
    assert_eq!(said(&[running.next().await]), text);
}

#[tokio::test(start_paused = true)]
async fn a_script_shows_the_levels_it_was_given() {
    let yaml = r#"[{given: "think {think}, {model}, {profile}, on {host} {node}: {text} {unknown}"}]"#;
    let agent = agent(&[(None, yaml), (None, yaml)]);
    let mut asked = request(1, "hi {model}");
    asked.levels = RunLevels {
        think: Some(ThinkLevel::High),
        model: ModelOverride::parse("openai/gpt-5@work"),
        host: Some("gateway".to_owned()),
        node: None,
    };
    assert_eq!(agent.answering(&asked), ("script", Some("openai/gpt-5")));
    let supports = agent.level_supports(&asked.levels);
    assert_eq!(
        (supports.think.options().len(), supports.model),
        (7, LevelSupport::Any)
    );
    let steps = answer(&agent, asked).await;
    assert_eq!(
        said(&steps),
        "think high, openai/gpt-5, work, on gateway default: hi {model} {unknown}"
    );
    assert_eq!(steps.len(), 2, "nothing is ignored");
    let steps = answer(&agent, request(2, "hi")).await;
    assert_eq!(
        said(&steps),
        "think default, default, default, on default default: hi {unknown}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_script_waits_for_what_is_steered_in() {
    let yaml = r#"["a", {steered: {within_ms: 500, then: [{given: "+{steered}"}], otherwise: ["-"]}}, "b"]"#;
    let agent = agent(&[(None, yaml), (None, yaml)]);
    let mut running = start(&agent, request(1, "hi"));
    until_said(&mut running, "a").await;
    assert_eq!(agent.steer(RunId(1), input("m2", "more")).await, Steer::Taken);
    assert_eq!(said(&running.rest().await), "+moreb");
    let began = tokio::time::Instant::now();
    assert_eq!(said(&answer(&agent, request(2, "hi")).await), "a-b");
    assert_eq!(began.elapsed(), ms(500));
    let why = "script: the run has ended".to_owned();
    assert_eq!(
        agent.steer(RunId(2), input("m3", "x")).await,
        Steer::NotNow { why }
    );
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_it_waits_as_long_as_it_may_be_silent() {
    let agent = agent(&[(None, "[{steered: {}}]")]);
    let steps = answer(&agent, request(1, "hi")).await;
    assert_eq!(
        steps,
        [Step::Failed {
            fault: AgentFault::Timeout,
            detail: "no message was steered in for 120000 ms".to_owned()
        }]
    );
}

#[tokio::test(start_paused = true)]
async fn what_no_step_waits_for_is_answered_in_the_same_run() {
    let agent = agent(&[
        (Some("m1"), r#"["one", {text: ".", after_ms: 100}]"#),
        (Some("m2"), r#"[" two"]"#),
    ]);
    let mut running = start(&agent, request(1, "hi"));
    until_said(&mut running, "one").await;
    assert_eq!(agent.steer(RunId(1), input("m2", "and?")).await, Steer::Taken);
    assert_eq!(
        agent.steer(RunId(1), input("m3", "nobody knows")).await,
        Steer::Taken
    );
    let steps = running.rest().await;
    assert_eq!(said(&steps), ". two");
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
}

#[tokio::test(start_paused = true)]
async fn a_rule_fills_what_follows_a_steered_message() {
    let rules: Vec<Rule> = serde_saphyr::from_str(
        r#"[{agent: ["?", {steered: {then: ["{sender} ", {given: "said {steered}"}]}}]}]"#,
    )
    .expect("rules");
    let agent: Arc<dyn Agent> = Arc::new(
        ScriptAgent::new(PausedClock::new())
            .with_rules(rules)
            .expect("patterns that compile"),
    );
    let mut running = start(&agent, request(1, "hi"));
    until_said(&mut running, "?").await;
    assert_eq!(agent.steer(RunId(1), input("m2", "yes")).await, Steer::Taken);
    assert_eq!(said(&running.rest().await), "Alice said yes");
}

#[test]
fn steered_steps_are_written_as_they_are_read() {
    let yaml = r#"[{"steered":{"within_ms":5,"then":["a"]}},{"given":"{think}"},{"steered":{}}]"#;
    let steps: Vec<ScriptStep> = serde_saphyr::from_str(yaml).expect("steps");
    assert_eq!(serde_json::to_string(&steps).expect("JSON"), yaml);
}
