//! What the script agent says, and when.

use crate::support::{PausedClock, answer, ms, request, request_for, said, start};
use foldback_agents::{Act, Agent, Rule, ScriptAgent, ScriptStep, Step, ToolStep};
use foldback_wire::{AgentFault, Clock, StopReason, ToolStatus, Usage};
use std::sync::Arc;

fn steps(yaml: &str) -> Vec<ScriptStep> {
    serde_saphyr::from_str(yaml).expect("a list of steps")
}

fn scripted(yaml: &str) -> Arc<dyn Agent> {
    let agent = ScriptAgent::new(PausedClock::new());
    agent.queue(None, steps(yaml));
    Arc::new(agent)
}

fn ruled(yaml: &str) -> Arc<dyn Agent> {
    let rules: Vec<Rule> = serde_saphyr::from_str(yaml).expect("a list of rules");
    let agent = ScriptAgent::new(PausedClock::new()).with_rules(rules);
    Arc::new(agent.expect("patterns that compile"))
}

fn failed(fault: AgentFault, detail: &str) -> Step {
    Step::Failed {
        fault,
        detail: detail.to_owned(),
    }
}

#[test]
fn reads_the_steps_of_a_fixture() {
    let read = steps(
        r#"
- "<actions>\n  <react em"
- {text: "oji", after_ms: 40}
- {tool: {id: t1, name: search, status: completed, after_ms: 200}}
- {reasoning: "hm"}
- {message: a2}
- {error: "overloaded"}
- {stall_ms: 5}
- {disconnect: true}
- {usage: {input: 3, output: 4}}
- {stop: length}
"#,
    );
    let expected = [
        ScriptStep::text("<actions>\n  <react em"),
        ScriptStep {
            after_ms: 40,
            act: Act::Text("oji".to_owned()),
        },
        Act::Tool(ToolStep {
            id: "t1".into(),
            name: "search".to_owned(),
            status: ToolStatus::Completed,
            after_ms: 200,
            arguments: None,
            result: None,
        })
        .into(),
        Act::Reasoning("hm".to_owned()).into(),
        Act::Message("a2".to_owned()).into(),
        Act::Error("overloaded".to_owned()).into(),
        Act::Stall(5).into(),
        Act::Disconnect.into(),
        Act::Usage(Usage { input: 3, output: 4 }).into(),
        Act::Stop(StopReason::Length).into(),
    ];
    assert_eq!(read, expected);
    let written = serde_json::to_string(&read).expect("steps are written");
    assert!(
        written.starts_with(r#"["<actions>\n  <react em",{"after_ms":40,"text":"oji"}"#),
        "{written}"
    );
    assert_eq!(
        serde_json::from_str::<Vec<ScriptStep>>(&written).expect("and read again"),
        read
    );
}

#[test]
fn a_wrong_step_names_what_is_wrong() {
    let cases = [
        ("- {txet: hi}", "unknown field `txet`"),
        ("- {text: a, reasoning: b}", "one thing only"),
        ("- {after_ms: 4}", "a step needs one of"),
        ("- {disconnect: false}", "left out"),
        ("- {tool: {id: t1, name: n, status: done}}", "done"),
        ("- [a]", "a text or a step"),
    ];
    for (yaml, words) in cases {
        let error = serde_saphyr::from_str::<Vec<ScriptStep>>(yaml)
            .expect_err(yaml)
            .to_string();
        assert!(error.contains(words), "{yaml}: {error}");
        assert!(error.contains("line 1"), "{yaml}: {error}");
    }
}

#[tokio::test(start_paused = true)]
async fn plays_every_kind_of_step() {
    let agent = scripted(
        "[{reasoning: hm}, one, {message: a2}, two, {tool: {id: t1, name: search, status: running}}, \
         {usage: {input: 1, output: 2}}, {stop: length}, never]",
    );
    let text = |message: Option<&str>, text: &str| Step::Text {
        message: message.map(str::to_owned),
        text: text.to_owned(),
    };
    let said = answer(&agent, request(1, "go")).await;
    assert_eq!(
        said[..3],
        [
            Step::Reasoning("hm".to_owned()),
            text(None, "one"),
            text(Some("a2"), "two")
        ]
    );
    assert!(
        matches!(&said[3], Step::Tool(call) if call.id.as_str() == "t1" && call.status == ToolStatus::Running)
    );
    assert_eq!(
        said[4..],
        [
            Step::Usage(Usage { input: 1, output: 2 }),
            Step::Done(StopReason::Length)
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn keeps_the_times_of_its_steps() {
    let clock = PausedClock::new();
    let agent = ScriptAgent::new(clock.clone());
    agent.queue(
        None,
        steps("[a, {text: b, after_ms: 40}, {tool: {id: t, name: n, after_ms: 200}}, {stall_ms: 1000}, c]"),
    );
    let agent: Arc<dyn Agent> = Arc::new(agent);
    let mut running = start(&agent, request(1, "go"));
    let mut at = Vec::new();
    while running.steps.recv().await.is_some() {
        at.push(clock.now().0);
    }
    assert_eq!(at, [0, 40, 240, 1240, 1240]);
}

#[tokio::test(start_paused = true)]
async fn faults_end_the_run_and_keep_what_was_said() {
    let cases = [
        (
            "[a, {error: rate_limited}, b]",
            failed(AgentFault::RateLimited, AgentFault::RateLimited.about()),
        ),
        (
            "[a, {error: \"no more disks\"}, b]",
            failed(AgentFault::Internal, "no more disks"),
        ),
        (
            "[a, {disconnect: true}, b]",
            failed(AgentFault::Disconnected, AgentFault::Disconnected.about()),
        ),
        (
            "[a, {stall_ms: 120000}, b]",
            failed(AgentFault::Timeout, "nothing came for 120000 ms"),
        ),
    ];
    for (yaml, ending) in cases {
        let steps = answer(&scripted(yaml), request(1, "go")).await;
        assert_eq!(said(&steps), "a", "{yaml}");
        assert_eq!(steps.last(), Some(&ending), "{yaml}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_silence_can_be_set() {
    let agent = ScriptAgent::new(PausedClock::new()).with_silence(ms(10));
    agent.queue(None, steps("[{stall_ms: 9}, a, {stall_ms: 10}, b]"));
    let agent: Arc<dyn Agent> = Arc::new(agent);
    assert_eq!(said(&answer(&agent, request(1, "go")).await), "a");
}

#[tokio::test(start_paused = true)]
async fn an_answer_has_a_greatest_length() {
    let agent = ScriptAgent::new(PausedClock::new()).with_max_bytes(4);
    agent.queue(None, steps("[ab, {reasoning: cd}, e, f]"));
    let agent: Arc<dyn Agent> = Arc::new(agent);
    let steps = answer(&agent, request(1, "go")).await;
    assert_eq!(said(&steps), "ab");
    let ending = failed(AgentFault::TooLarge, "the answer is longer than 4 bytes");
    assert_eq!(steps.last(), Some(&ending));
}

#[tokio::test(start_paused = true)]
async fn a_queued_answer_is_used_once_and_its_own_message_comes_first() {
    let agent = ScriptAgent::new(PausedClock::new());
    agent.queue(None, steps("[any]"));
    agent.queue(Some("m2".into()), steps("[for m2]"));
    assert_eq!(agent.queued(), 2);
    let agent: Arc<dyn Agent> = Arc::new(agent);
    assert_eq!(said(&answer(&agent, request_for("m2", "go")).await), "for m2");
    assert_eq!(said(&answer(&agent, request_for("m2", "go")).await), "any");
    assert_eq!(
        answer(&agent, request_for("m2", "go")).await,
        [failed(
            AgentFault::Internal,
            "the script has no answer to message m2"
        )]
    );
}

#[tokio::test(start_paused = true)]
async fn the_first_rule_that_holds_answers() {
    let agent = ruled(
        r#"
- {when: {message: m9}, agent: [by id]}
- {when: {channel: slack}, agent: [by channel]}
- {when: {contains: Hello, matches: "d$"}, agent: [by both]}
- {when: {contains: HELLO}, agent: [by text]}
- {agent: ["{sender} wrote {text} ({message_id}) {nothing}"]}
"#,
    );
    let mut slack = request(1, "hello");
    slack.message.channel = "slack".into();
    for (request, expected) in [
        (request_for("m9", "hello"), "by id"),
        (slack, "by channel"),
        (request(1, "hello world"), "by both"),
        (request(1, "oh, hello"), "by text"),
        (
            request(1, "{message_id}"),
            "Alice wrote {message_id} (m1) {nothing}",
        ),
    ] {
        assert_eq!(said(&answer(&agent, request).await), expected);
    }
}

#[test]
fn a_broken_pattern_is_refused_with_its_place() {
    let rules: Vec<Rule> =
        serde_saphyr::from_str(r#"[{agent: [a]}, {when: {matches: "("}, agent: [b]}]"#).expect("rules");
    let Err(error) = ScriptAgent::new(Arc::new(Never)).with_rules(rules) else {
        panic!("a broken pattern was accepted");
    };
    assert_eq!((error.number, error.pattern.as_str()), (2, "("));
}

struct Never;

impl Clock for Never {
    fn now(&self) -> foldback_wire::Timestamp {
        foldback_wire::Timestamp(0)
    }

    fn sleep_until(&self, _: foldback_wire::Timestamp) -> foldback_wire::Sleep {
        Box::pin(std::future::pending())
    }
}
