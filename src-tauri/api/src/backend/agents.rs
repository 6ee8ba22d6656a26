//! Who answers: the configured agents, and what a person types in their place.

use super::{
    acp::{self, Surroundings},
    endpoint, lock,
};
use async_trait::async_trait;
use foldback_agents::{
    Accepts, Agent, AgentEvent, Fallback, Faulty, HistoryLimits, HttpAgent, Memory, Rule, ScriptAgent,
    ScriptStep, Step, StepSink, TurnRequest, demo,
};
use foldback_pipeline::{
    Agents,
    config::{Alternative, Backend, Config},
};
use foldback_wire::{ChannelId, Clock, MessageId, PermissionId, PermissionOption, Rng, RunId, SessionId};
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// Pieces a typed answer comes in at most, so that a long one does not take minutes.
const PIECES: usize = 120;
/// Least characters of a piece.
const PIECE: usize = 24;
/// Time between two pieces: an answer that is typed streams, as one of an agent does.
const PACE: Duration = Duration::from_millis(20);

/// Why an agent cannot be made. The message names the key.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// A key is missing.
    #[error("{0} is not set")]
    Missing(String),
    /// A value cannot be used.
    #[error("{key}: {detail}")]
    Unusable {
        /// The key.
        key: String,
        /// Why.
        detail: String,
    },
}

/// The agents of a configuration.
pub(super) struct Made {
    /// As the pipeline takes them.
    pub(super) agents: Agents,
    /// By backend, to plan faults.
    pub(super) faulty: BTreeMap<&'static str, Arc<Faulty>>,
}

/// The agents of a configuration, each behind what a person types and what they plan to go wrong.
pub(super) fn build(
    config: &Config,
    around: &Surroundings,
    typed: &Typed,
    clock: &Arc<dyn Clock>,
    rng: &Arc<dyn Rng>,
) -> Result<Made, AgentError> {
    let mut making = Making {
        config,
        around,
        typed,
        clock,
        rng,
        memory: Memory::new(HistoryLimits::default()),
        faulty: BTreeMap::new(),
    };
    let default = making.chain(config.agent.backend)?;
    let mut by_channel: BTreeMap<ChannelId, Arc<dyn Agent>> = BTreeMap::new();
    for id in config.channels.keys() {
        by_channel.insert(id.clone(), making.chain(config.backend_of(id))?);
    }
    let agents = Agents { default, by_channel };
    let faulty = making.faulty;
    let steps_in = config
        .agent
        .fallback
        .iter()
        .any(|other| other.backend == Backend::Letta);
    if steps_in || faulty.contains_key(Backend::Letta.code()) {
        tracing::warn!("all chats share the memory of the Letta agent: one may hear what another told it");
    }
    Ok(Made { agents, faulty })
}

/// Agents being made.
struct Making<'a> {
    config: &'a Config,
    around: &'a Surroundings,
    typed: &'a Typed,
    clock: &'a Arc<dyn Clock>,
    rng: &'a Arc<dyn Rng>,
    /// What the endpoints that remember nothing were asked and answered: one knows it when it steps in for another.
    memory: Memory,
    faulty: BTreeMap<&'static str, Arc<Faulty>>,
}

impl Making<'_> {
    /// A backend with who steps in for it. Planned faults are each agent's own, so that one that is planned for
    /// the first shows who steps in.
    fn chain(&mut self, backend: Backend) -> Result<Arc<dyn Agent>, AgentError> {
        let first = self.backend(backend)?;
        let mut others: Vec<Arc<dyn Agent>> = Vec::new();
        for Alternative {
            backend: other,
            model,
        } in &self.config.agent.fallback
        {
            match model {
                Some(model) => others.push(self.agent(*other, Some(model.as_str()))?),
                None if *other != backend => others.push(self.backend(*other)?),
                None => {}
            }
        }
        if others.is_empty() {
            return Ok(first);
        }
        Ok(Arc::new(Fallback::new(first, others)))
    }

    fn backend(&mut self, backend: Backend) -> Result<Arc<dyn Agent>, AgentError> {
        if let Some(agent) = self.faulty.get(backend.code()) {
            return Ok(Arc::clone(agent) as _);
        }
        let agent = self.typed.before(self.agent(backend, None)?, self.clock);
        let agent = Arc::new(Faulty::new(Arc::new(agent), Arc::clone(self.clock)));
        self.faulty.insert(backend.code(), Arc::clone(&agent));
        Ok(agent)
    }

    fn agent(&self, backend: Backend, model: Option<&str>) -> Result<Arc<dyn Agent>, AgentError> {
        Ok(match backend {
            Backend::Script => Arc::new(script(self.config, &self.around.base, self.clock)?),
            Backend::Openai | Backend::Anthropic | Backend::Letta => {
                let (api, config) =
                    endpoint::config(&self.config.agent, backend, model, &self.around.credentials)?;
                let agent = HttpAgent::new(api, config, Arc::clone(self.clock), Arc::clone(self.rng))
                    .map_err(|e| unusable(&format!("agent.{}", backend.code()), &e))?;
                Arc::new(agent.with_memory(self.memory.clone()))
            }
            Backend::Acp => Arc::new(acp::build(self.config, self.around, self.clock)?),
        })
    }
}

pub(super) fn unusable(key: &str, detail: &impl ToString) -> AgentError {
    AgentError::Unusable {
        key: key.to_owned(),
        detail: detail.to_string(),
    }
}

fn script(config: &Config, base: &Path, clock: &Arc<dyn Clock>) -> Result<ScriptAgent, AgentError> {
    let key = "agent.script.file";
    let rules = match &config.agent.script.file {
        None => demo::load()
            .map_err(|e| unusable("the embedded demonstration", &e))?
            .script(),
        Some(file) => {
            let path = base.join(file);
            let text = std::fs::read_to_string(&path)
                .map_err(|e| unusable(key, &format!("{}: {e}", path.display())))?;
            serde_saphyr::from_str::<Vec<Rule>>(&text)
                .map_err(|e| unusable(key, &format!("{}: {e}", path.display())))?
        }
    };
    ScriptAgent::new(Arc::clone(clock))
        .with_rules(rules)
        .map_err(|e| unusable(key, &e))
}

/// Answers that a person typed, each for one message.
#[derive(Clone, Default)]
pub(super) struct Typed {
    answers: Arc<Mutex<HashMap<(ChannelId, MessageId), String>>>,
}

impl Typed {
    /// The message with this id is answered so, instead of by the agent.
    pub(super) fn answer(&self, channel: &ChannelId, message: &MessageId, output: String) {
        lock(&self.answers).insert((channel.clone(), message.clone()), output);
    }

    /// The message will not be answered any more.
    pub(super) fn forget(&self, channel: &ChannelId, message: &MessageId) {
        lock(&self.answers).remove(&(channel.clone(), message.clone()));
    }

    fn take(&self, request: &TurnRequest) -> Option<String> {
        let key = (request.message.channel.clone(), request.message.message.clone());
        lock(&self.answers).remove(&key)
    }

    fn knows(&self, request: &TurnRequest) -> bool {
        let key = (request.message.channel.clone(), request.message.message.clone());
        lock(&self.answers).contains_key(&key)
    }

    fn before(&self, agent: Arc<dyn Agent>, clock: &Arc<dyn Clock>) -> TypedFirst {
        TypedFirst {
            typed: self.clone(),
            agent,
            clock: Arc::clone(clock),
        }
    }
}

/// An agent whose answer can be typed by a person.
struct TypedFirst {
    typed: Typed,
    agent: Arc<dyn Agent>,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Agent for TypedFirst {
    fn backend(&self) -> &str {
        self.agent.backend()
    }

    fn model(&self) -> Option<&str> {
        self.agent.model()
    }

    fn answering(&self, request: &TurnRequest) -> (&str, Option<&str>) {
        if self.typed.knows(request) {
            ("typed", None)
        } else {
            self.agent.answering(request)
        }
    }

    fn accepts(&self) -> Accepts {
        self.agent.accepts()
    }

    fn shares_machine(&self) -> bool {
        self.agent.shares_machine()
    }

    fn decide(&self, run: RunId, request: &PermissionId, option: Option<&PermissionOption>) {
        self.agent.decide(run, request, option);
    }

    fn forget(&self, session: &SessionId) {
        self.agent.forget(session);
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let Some(output) = self.typed.take(&request) else {
            return self.agent.run(request, sink, cancel).await;
        };
        // The journal must not say that the backend wrote this.
        let note = "This answer was typed by a person; the agent was not asked.".to_owned();
        let script = ScriptAgent::new(Arc::clone(&self.clock));
        script.queue(None, pieces(&output).collect());
        let event = AgentEvent {
            run: request.run,
            step: Step::Reasoning(note),
        };
        if sink.send(event).await.is_ok() {
            script.run(request, sink, cancel).await;
        }
    }
}

/// A typed answer as a stream.
fn pieces(output: &str) -> impl Iterator<Item = ScriptStep> {
    let length = output.chars().count();
    let size = PIECE.max(length.div_ceil(PIECES));
    let mut rest = output;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        let after_ms = u64::try_from(PACE.as_millis()).unwrap_or_default();
        (!piece.is_empty()).then(|| ScriptStep {
            after_ms,
            ..ScriptStep::text(piece)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_agents::Act;
    use foldback_pipeline::config::CredentialReader;
    use foldback_wire::{AgentFault, Fault, RunFault};

    fn texts(output: &str) -> Vec<String> {
        let text = |step: ScriptStep| match step.act {
            Act::Text(text) => text,
            other => panic!("{other:?}"),
        };
        pieces(output).map(text).collect()
    }

    fn request(id: &str) -> TurnRequest {
        TurnRequest {
            run: RunId(1),
            session: "s".into(),
            prompt: String::new(),
            message: serde_json::from_value(serde_json::json!({
                "channel": "telegram", "chat": "c", "chat_type": "direct", "message": id, "text": "hi",
                "sender": {"id": "a", "name": "a", "display_name": "A", "is_bot": false},
                "mentioned": true, "files": [], "at": "2026-01-01T00:00:00.000Z"
            }))
            .unwrap(),
            resume: BTreeMap::new(),
            files: Vec::new(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_steps_in_is_shown_by_a_planned_fault_of_the_first() {
        let text = "[agent]\nbackend = \"openai\"\nfallback = [\"openai\", \"script\", \"openai/other\"]\n\
            [agent.openai]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n[channels.slack]\nkind = \"loopback\"\nbackend = \"script\"\n";
        let config = foldback_pipeline::config::parse(text, Path::new("foldback.toml")).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(foldback_pipeline::TokioClock::system());
        let rng: Arc<dyn Rng> = Arc::new(foldback_pipeline::SeededRng::new(1));
        let around = Surroundings {
            base: "/".into(),
            credentials: CredentialReader::new("/".into(), None),
            file: None,
            workspace: "test".to_owned(),
            data: "/".into(),
            journal: None,
        };
        let made = build(&config, &around, &Typed::default(), &clock, &rng).unwrap();
        assert_eq!(
            made.faulty.keys().copied().collect::<Vec<_>>(),
            ["openai", "script"]
        );
        let by_channel = &made.agents.by_channel[&ChannelId::new("slack")];
        assert_eq!(by_channel.answering(&request("m1")), ("script", None));
        let fault = RunFault {
            fail: Some(AgentFault::Overloaded),
            ..RunFault::nth(1)
        };
        made.faulty["openai"].deck().plan(1, Fault::Run(fault));
        let (sink, mut steps) = tokio::sync::mpsc::channel(64);
        let agent = made.agents.default;
        assert_eq!(agent.answering(&request("m1")), ("openai", Some("m")));
        let run = agent.run(request("m1"), sink, CancellationToken::new());
        let told = async {
            let mut next = Vec::new();
            while let Some(event) = steps.recv().await {
                if let Step::Retry { next: Some(who), .. } = event.step {
                    next.push(who.to_string());
                }
            }
            next
        };
        let ((), told) = tokio::join!(run, told);
        // The script has an answer to everything: the last one is not asked.
        assert_eq!(told, ["script"]);
    }

    #[test]
    fn a_typed_answer_is_not_told_as_the_backends() {
        let clock: Arc<dyn Clock> = Arc::new(foldback_pipeline::TokioClock::system());
        let typed = Typed::default();
        let agent = typed.before(Arc::new(ScriptAgent::new(Arc::clone(&clock))), &clock);
        typed.answer(&"telegram".into(), &"m1".into(), "typed".to_owned());
        assert_eq!(agent.answering(&request("m1")), ("typed", None));
        assert_eq!(agent.answering(&request("m2")), ("script", None));
    }

    #[test]
    fn a_typed_answer_comes_in_pieces_and_whole() {
        let long = "é👍 ".repeat(10_000);
        for output in ["", "short", long.as_str()] {
            let texts = texts(output);
            assert_eq!(texts.concat(), output);
            assert!(texts.len() <= PIECES, "{}", texts.len());
        }
        assert_eq!(texts("short").len(), 1);
        assert_eq!(texts(&"x".repeat(60)).len(), 3);
    }
}
