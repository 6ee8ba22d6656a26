//! A run that failed, was stopped, was not allowed something or had nothing to say.

use super::{ask, end, noes, received, running, text};
use foldback_wire::{
    Actor, AgentFault, Answerer, DecidingSetting, Kind, OpId, Outcome, OutcomeCode, PermissionKind,
    PermissionOption, RunId, SettingSource, StopReason, Terminal,
};

fn asked() -> Kind {
    let request = serde_json::json!({
        "id": "p1", "tool": null, "title": "rm -r build", "does": "execute", "arguments": null, "options": [],
    });
    Kind::PermissionAsked {
        request: serde_json::from_value(request).unwrap(),
        until: None,
    }
}

fn decided(kind: Option<PermissionKind>, by: Actor, why: &str) -> Kind {
    Kind::PermissionDecided {
        id: "p1".into(),
        option: kind.map(|kind| PermissionOption {
            id: "o1".into(),
            name: "As you like".into(),
            kind,
        }),
        why: why.into(),
        decided_by: matches!(by, Actor::Config).then(|| {
            Box::new(DecidingSetting {
                setting: "agent.permissions.reject".into(),
                value: "[execute]".into(),
                source: SettingSource::Global,
            })
        }),
        by,
    }
}

#[test]
fn a_turn_that_waits_for_a_permission_says_which() {
    let mut story = running();
    story.at(20, asked());
    let why = ask(&story);
    assert_eq!(
        why.answer,
        "Still running: a person is asked to allow rm -r build."
    );
    story.at(
        30,
        decided(Some(PermissionKind::AllowOnce), Actor::Console, "a person"),
    );
    let why = ask(&story);
    assert_eq!(noes(&why), []);
    assert_eq!(why.answer, "Still running: the agent is at work.");
}

#[test]
fn what_was_not_allowed_is_named_with_why() {
    for kind in [Some(PermissionKind::RejectOnce), None] {
        let mut story = running();
        story.at(20, asked());
        story.at(
            30,
            decided(kind, Actor::Config, "agent.permissions.reject rejects it"),
        );
        story.sent(40, 1, text("Then not."), Some("9001"));
        let why = end(story, Terminal::Replied);
        let step = why.steps.iter().find(|step| step.no).unwrap();
        assert_eq!(
            (step.setting.as_deref(), step.source, step.change.as_deref()),
            (
                Some("agent.permissions.reject"),
                Some(SettingSource::Global),
                Some("Take its kind of tool out of agent.permissions.reject.")
            )
        );
        let input = |name: &str| {
            step.inputs
                .iter()
                .find(|input| input.name == name)
                .map(|input| input.value.as_str())
        };
        assert_eq!(input("agent.permissions.reject"), Some("[execute]"));
        assert_eq!(
            (input("asks"), input("does")),
            (Some("rm -r build"), Some("execute"))
        );
        assert_eq!(
            why.answer,
            "Answered on telegram, but rm -r build was not allowed (agent.permissions.reject rejects it)."
        );
    }
}

#[test]
fn a_run_that_a_person_stopped_names_them_once() {
    let mut story = running();
    story.at(
        20,
        Kind::RunCancelled {
            by: Actor::Console,
            interrupted_by: None,
        },
    );
    story.at(
        30,
        Kind::RunEnded {
            run: RunId(1),
            reason: StopReason::Cancelled,
        },
    );
    let why = end(story, Terminal::Failed { detail: "x".into() });
    assert_eq!(why.answer, "Stopped by the console.");
}

#[test]
fn who_stepped_in_is_a_step_of_the_way() {
    let mut story = running();
    story.at(
        20,
        Kind::Retrying {
            attempt: 2,
            after_ms: 0,
            detail: "openai small: overloaded".into(),
            next: Some(Answerer {
                backend: "script".into(),
                model: None,
            }),
        },
    );
    let why = ask(&story);
    let step = why.steps.last().unwrap();
    assert_eq!(
        (step.text.as_str(), step.no),
        ("attempt 2, now script: openai small: overloaded", true)
    );
    assert_eq!(
        why.answer, "Still running: the agent is at work.",
        "it decided nothing"
    );
    story.at(
        50,
        Kind::Intended {
            op: OpId(1),
            intent: Box::new(text("Hi")),
        },
    );
    story.at(
        60,
        Kind::Ended {
            op: OpId(1),
            outcome: Outcome::new(OutcomeCode::Sent),
        },
    );
    assert_eq!(
        end(story, Terminal::Replied).answer,
        "Answered on telegram by script, which stepped in: 1 operation acknowledged."
    );
}

#[test]
fn an_agent_that_failed_is_named_with_what_to_set() {
    let mut story = running();
    story.at(
        50,
        Kind::RunFailed {
            fault: AgentFault::Unauthorized,
            detail: "401 from the endpoint".into(),
            decided_by: None,
        },
    );
    let why = end(
        story,
        Terminal::Failed {
            detail: "the agent failed".into(),
        },
    );
    assert_eq!(
        why.answer,
        "Failed: the backend refused the credentials (401 from the endpoint). Setting: agent.openai.api_key"
    );
}

#[test]
fn a_fault_without_details_of_its_own_is_named_once() {
    for (fault, sentence) in [
        (AgentFault::Disconnected, "Failed: the agent's stream broke off."),
        (AgentFault::Overloaded, "Failed: the backend has too much to do."),
    ] {
        let mut story = running();
        let detail = fault.about().to_owned();
        story.at(
            50,
            Kind::RunFailed {
                fault,
                detail,
                decided_by: None,
            },
        );
        let detail = "the agent failed".into();
        assert_eq!(end(story, Terminal::Failed { detail }).answer, sentence);
    }
}

#[test]
fn a_turn_that_failed_without_a_no_says_what_it_ended_with() {
    let detail = "the session could not be read".into();
    assert_eq!(
        end(running(), Terminal::Failed { detail }).answer,
        "Failed: the session could not be read."
    );
}

/// The setting that `why` names for a run of this backend that failed so.
fn setting_for(backend: &str, fault: AgentFault, detail: &str) -> Option<String> {
    let mut story = received();
    let backend = backend.into();
    let (run, model) = (RunId(1), None);
    story.at(10, Kind::RunStarted { run, backend, model });
    let detail = detail.into();
    story.at(
        50,
        Kind::RunFailed {
            fault,
            detail,
            decided_by: None,
        },
    );
    let detail = "the agent failed".into();
    let why = end(story, Terminal::Failed { detail });
    why.steps.into_iter().find_map(|step| step.setting)
}

const DETAILS: [&str; 9] = [
    "no answer for 120000 ms",
    "nothing came for 120000 ms; it said: starting up",
    "the agent was not ready within 60000 ms",
    "the run took longer than 1800000 ms",
    "the agent gave no sign of life for 300000 ms",
    "the agent has no way to sign in `x`, only y",
    "HTTP 404: Not Found; the server has nothing at http://127.0.0.1/responses. A server without /responses is asked \
     with agent.openai.api = \"chat\".",
    "HTTP 404: Not Found; the server has nothing at http://127.0.0.1/chat. base_url is the root of the API.",
    "something else",
];

#[test]
fn every_setting_that_is_named_for_a_run_exists() {
    let schema = serde_json::to_value(schemars::schema_for!(foldback_pipeline::config::Config)).unwrap();
    let named = |setting: &str| {
        let mut at = &schema;
        for key in setting.split('.') {
            let table = at["$ref"].as_str().map(|name| name.trim_start_matches('#'));
            at = &table.map_or(at, |name| schema.pointer(name).unwrap())["properties"][key];
        }
        !at.is_null()
    };
    assert!(named("agent.openai.api_key") && !named("agent.acp.api_key"));
    let mut count = 0;
    for backend in ["openai", "anthropic", "letta", "acp", "script"] {
        for fault in AgentFault::ALL {
            for detail in DETAILS {
                if let Some(setting) = setting_for(backend, *fault, detail) {
                    count += 1;
                    assert!(named(&setting), "{setting} ({backend}, {fault}: {detail})");
                }
            }
        }
    }
    assert!(count > 50, "{count}");
}

#[test]
fn a_limit_of_time_is_named_by_its_own_setting() {
    for (backend, detail, setting) in [
        ("openai", DETAILS[0], Some("agent.openai.timeout")),
        ("letta", DETAILS[1], Some("agent.letta.timeout")),
        ("openai", DETAILS[3], None),
        ("openai", DETAILS[4], Some("agent.idle_timeout")),
        ("acp", DETAILS[0], Some("agent.acp.first_byte_timeout")),
        ("acp", DETAILS[1], Some("agent.acp.silence_timeout")),
        ("acp", DETAILS[2], Some("agent.acp.start_timeout")),
        ("acp", DETAILS[3], Some("agent.acp.total_timeout")),
        ("acp", DETAILS[4], Some("agent.idle_timeout")),
    ] {
        let named = setting_for(backend, AgentFault::Timeout, detail);
        assert_eq!(named.as_deref(), setting, "{backend}: {detail}");
    }
    let named = setting_for(
        "acp",
        AgentFault::Unauthorized,
        "session/prompt: API key not valid (401)",
    );
    assert_eq!(named.as_deref(), Some("agent.acp.env"));
}

#[test]
fn a_run_without_a_word_says_whether_the_model_refused_or_reached_its_limit() {
    for (reason, said) in [
        (StopReason::Refusal, "the model refused and said nothing"),
        (
            StopReason::Length,
            "the model reached its limit of length before it said anything",
        ),
    ] {
        let mut story = running();
        let run = RunId(1);
        story.at(20, Kind::RunEnded { run, reason });
        story.sent(40, 1, text("In place of an answer."), Some("9001"));
        let why = end(story, Terminal::Replied);
        assert_eq!(why.answer, format!("Answered on telegram, but {said}."));
    }
}
