//! The agents over HTTP against a server by somebody else, to find what our own server and our own agent get wrong
//! in the same way. Opt-in: `tests/peers/run` installs the server (npm `@copilotkit/aimock`) and runs this.

use crate::{
    openai::fault,
    peer_process::PeerProcess,
    support::{answer, request, said},
};
use foldback_agents::{Agent, Api, HttpAgent, HttpConfig, Secret, Step};
use foldback_wire::{AgentFault, Clock, Rng, Sleep, StopReason, Timestamp, ToolCall};
use std::{process::Command, sync::Arc, time::SystemTime};

/// The system's time: a real server has its own.
pub(crate) struct System;

impl Clock for System {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Timestamp(0).plus(since.unwrap_or_default())
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        Box::pin(tokio::time::sleep(until.since(self.now())))
    }
}

impl Rng for System {
    fn next(&self) -> u64 {
        0
    }
}

/// The server as a process; ends with the test.
pub(crate) struct Aimock {
    _process: PeerProcess,
    root: String,
}

impl Aimock {
    async fn start(key: &str) -> Self {
        Self::with(
            key,
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/aimock.json"),
        )
        .await
    }

    /// The server with these fixtures.
    pub(crate) async fn with(key: &str, fixtures: &str) -> Self {
        let program =
            std::env::var("FOLDBACK_AIMOCK").expect("FOLDBACK_AIMOCK names the program; see tests/peers/run");
        let mut command = Command::new(program);
        command
            .args([
                "-p",
                "0",
                "-h",
                "127.0.0.1",
                "--strict",
                "--validate-on-load",
                "-f",
            ])
            .arg(fixtures)
            .env("AIMOCK_API_KEYS", key);
        let process = PeerProcess::start(command, "listening on http://127.0.0.1:").await;
        let process = process.expect("the server listens");
        Self {
            root: format!("http://127.0.0.1:{}/v1", process.port),
            _process: process,
        }
    }

    /// Where it listens.
    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    fn agent(&self, api: Api, key: &str) -> Arc<dyn Agent> {
        let mut config = HttpConfig::new(&self.root, "gpt-test");
        config.api_key = Some(Secret::new(key));
        config.retries = 0;
        let agent = HttpAgent::new(api, config, Arc::new(System), Arc::new(System));
        Arc::new(agent.expect("a valid configuration"))
    }
}

async fn ask(agent: &Arc<dyn Agent>, prompt: &str) -> Vec<Step> {
    let mut request = request(1, prompt);
    // Each question in a session of its own: the server's fixtures know single questions only.
    request.session = prompt.into();
    answer(agent, request).await
}

fn calls(steps: &[Step]) -> Vec<&ToolCall> {
    let mut calls = Vec::new();
    for step in steps {
        if let Step::Tool(call) = step {
            calls.push(call);
        }
    }
    calls
}

#[tokio::test]
async fn aimock_speaks_chat_completions() {
    answers(Api::Chat).await;
}

#[tokio::test]
async fn aimock_speaks_responses() {
    answers(Api::Responses).await;
}

#[tokio::test]
async fn aimock_speaks_messages_of_anthropic() {
    answers(Api::Anthropic).await;
}

async fn answers(api: Api) {
    let server = Aimock::start("sk-peer").await;
    let agent = server.agent(api, "sk-peer");

    let steps = ask(&agent, "greet").await;
    assert_eq!(said(&steps), "Grüße 😀 aus <actions> und `Code`.");
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
    assert!(
        steps
            .iter()
            .any(|step| matches!(step, Step::Usage(usage) if usage.input == 11 && usage.output == 7)),
        "{steps:?}"
    );

    let steps = ask(&agent, "think").await;
    assert!(
        steps.contains(&Step::Reasoning("Six by nine.".to_owned())),
        "{steps:?}"
    );
    assert_eq!(said(&steps), "Forty-two.");

    let steps = ask(&agent, "tools").await;
    let whole: Vec<_> = calls(&steps)
        .into_iter()
        .filter_map(|call| Some((call.name.as_str(), call.arguments.as_deref()?)))
        .collect();
    let expected = [
        ("search", r#"{"q":"huts"}"#),
        ("weather", r#"{"day":"Saturday"}"#),
    ];
    assert_eq!(whole, expected, "{steps:?}");

    let steps = ask(&agent, "long").await;
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::Length)));

    let steps = ask(&agent, "cut").await;
    assert!(
        "This sentence is never ended.".starts_with(&said(&steps)) && !said(&steps).is_empty(),
        "{steps:?}"
    );
    assert_eq!(fault(&steps), Some(AgentFault::Disconnected), "{steps:?}");

    assert_eq!(fault(&ask(&agent, "busy").await), Some(AgentFault::RateLimited));
    assert_eq!(fault(&ask(&agent, "overflow").await), Some(AgentFault::Rejected));
    let stranger = server.agent(api, "sk-wrong");
    assert_eq!(
        fault(&ask(&stranger, "greet").await),
        Some(AgentFault::Unauthorized)
    );
}

/// The gateway `litellm` with a model of aimock behind it; ends with the test.
struct Litellm {
    _gateway: PeerProcess,
    root: String,
    _settings: tempfile::TempDir,
    _model: Aimock,
}

impl Litellm {
    async fn start() -> Self {
        let program = std::env::var("FOLDBACK_LITELLM")
            .expect("FOLDBACK_LITELLM names the program; see tests/peers/run");
        let model = Aimock::with("x", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/acp.json")).await;
        let settings = tempfile::tempdir().expect("a folder");
        let file = settings.path().join("litellm.yaml");
        let behind = model.root();
        let known = format!(
            "model_list:\n- model_name: gpt-test\n  litellm_params:\n    model: openai/gpt-test\n    api_base: {behind}\n    \
             api_key: x\nlitellm_settings:\n  num_retries: 0\ngeneral_settings:\n  master_key: sk-gateway\n"
        );
        std::fs::write(&file, known).expect("its settings");
        let mut command = Command::new(program);
        command
            .arg("--config")
            .arg(&file)
            .args(["--host", "127.0.0.1", "--port", "0", "--telemetry", "False"])
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True");
        let gateway = PeerProcess::start(command, "running on http://127.0.0.1:").await;
        let gateway = gateway.expect("the gateway listens");
        Self {
            root: format!("http://127.0.0.1:{}/v1", gateway.port),
            _gateway: gateway,
            _settings: settings,
            _model: model,
        }
    }

    fn agent(&self, model: &str, key: &str) -> Arc<dyn Agent> {
        let mut config = HttpConfig::new(&self.root, model);
        config.api_key = Some(Secret::new(key));
        config.retries = 0;
        let agent = HttpAgent::new(Api::Chat, config, Arc::new(System), Arc::new(System));
        Arc::new(agent.expect("a valid configuration"))
    }
}

#[tokio::test]
async fn litellm_passes_chat_completions_on() {
    let gateway = Litellm::start().await;
    let agent = gateway.agent("gpt-test", "sk-gateway");
    let steps = ask(&agent, "answer with directives").await;
    let answer = "<actions><react emoji=\"thumbsup\" /></actions>\nGreat idea!";
    assert_eq!(said(&steps), answer, "{steps:?}");
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));

    let steps = ask(&agent, "run bash").await;
    let whole: Vec<_> = calls(&steps)
        .into_iter()
        .filter(|call| call.arguments.is_some())
        .map(|call| call.name.as_str())
        .collect();
    assert_eq!(whole, ["bash"], "{steps:?}");

    assert_eq!(fault(&ask(&agent, "breaks").await), Some(AgentFault::Internal));
    let unknown = gateway.agent("other", "sk-gateway");
    assert_eq!(fault(&ask(&unknown, "again").await), Some(AgentFault::NoModel));
    // Without a database it answers 400 to a key that it does not know.
    let stranger = gateway.agent("gpt-test", "sk-wrong");
    assert_eq!(fault(&ask(&stranger, "again").await), Some(AgentFault::Rejected));
}
