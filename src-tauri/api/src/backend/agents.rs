//! Who answers: the configured agents, and what a person types in their place.

use super::lock;
use async_trait::async_trait;
use foldback_agents::{
    Accepts, Agent, AgentEvent, Faulty, OpenAiAgent, OpenAiConfig, Rule, ScriptAgent, ScriptStep, Secret,
    Step, StepSink, TurnRequest, demo,
};
use foldback_pipeline::{
    Agents,
    config::{Backend, Config, EndpointConfig},
};
use foldback_wire::{ChannelId, Clock, MessageId, PermissionId, PermissionOption, Rng, RunId};
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
    /// This version has no such backend.
    #[error("agent.backend = \"{0}\" is not in this version; there are script and openai")]
    NotYet(&'static str),
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
    base: &Path,
    typed: &Typed,
    clock: &Arc<dyn Clock>,
    rng: &Arc<dyn Rng>,
) -> Result<Made, AgentError> {
    let mut faulty: BTreeMap<&'static str, Arc<Faulty>> = BTreeMap::new();
    let mut get = |backend: Backend| -> Result<Arc<dyn Agent>, AgentError> {
        if let Some(agent) = faulty.get(backend.code()) {
            return Ok(Arc::clone(agent) as _);
        }
        let agent: Arc<dyn Agent> = match backend {
            Backend::Script => Arc::new(typed.before(Arc::new(script(config, base, clock)?), clock)),
            Backend::Openai => {
                Arc::new(typed.before(Arc::new(openai(&config.agent.openai, base, clock, rng)?), clock))
            }
            Backend::Anthropic | Backend::Acp | Backend::Letta => {
                return Err(AgentError::NotYet(backend.code()));
            }
        };
        let agent = Arc::new(Faulty::new(agent, Arc::clone(clock)));
        faulty.insert(backend.code(), Arc::clone(&agent));
        Ok(agent)
    };
    let default = get(config.agent.backend)?;
    let mut by_channel: BTreeMap<ChannelId, Arc<dyn Agent>> = BTreeMap::new();
    for id in config.channels.keys() {
        by_channel.insert(id.clone(), get(config.backend_of(id))?);
    }
    let agents = Agents { default, by_channel };
    Ok(Made { agents, faulty })
}

fn unusable(key: &str, detail: &impl ToString) -> AgentError {
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

fn openai(
    endpoint: &EndpointConfig,
    base: &Path,
    clock: &Arc<dyn Clock>,
    rng: &Arc<dyn Rng>,
) -> Result<OpenAiAgent, AgentError> {
    let needed =
        |value: &Option<String>, key: &str| value.clone().ok_or_else(|| AgentError::Missing(key.to_owned()));
    let mut config = OpenAiConfig::new(
        needed(&endpoint.base_url, "agent.openai.base_url")?,
        needed(&endpoint.model, "agent.openai.model")?,
    );
    if let Some(secret) = &endpoint.api_key {
        let key = secret
            .resolve(base)
            .map_err(|e| unusable("agent.openai.api_key", &e))?;
        config.api_key = Some(Secret::new(key));
    }
    config.system.clone_from(&endpoint.system_prompt);
    if let Some(most) = endpoint.max_tokens {
        config.extra.insert("max_tokens".to_owned(), most.into());
    }
    if let Some(limit) = endpoint.timeout {
        config.timeouts.first_byte = limit.0;
        config.timeouts.silence = limit.0;
    }
    OpenAiAgent::new(config, Arc::clone(clock), Arc::clone(rng)).map_err(|e| unusable("agent.openai", &e))
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

    fn decide(&self, run: RunId, request: &PermissionId, option: Option<&PermissionOption>) {
        self.agent.decide(run, request, option);
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

    fn texts(output: &str) -> Vec<String> {
        let text = |step: ScriptStep| match step.act {
            Act::Text(text) => text,
            other => panic!("{other:?}"),
        };
        pieces(output).map(text).collect()
    }

    #[test]
    fn a_typed_answer_is_not_told_as_the_backends() {
        let clock: Arc<dyn Clock> = Arc::new(foldback_pipeline::TokioClock::system());
        let typed = Typed::default();
        let agent = typed.before(Arc::new(ScriptAgent::new(Arc::clone(&clock))), &clock);
        let request = |id: &str| TurnRequest {
            run: foldback_wire::RunId(1),
            session: "s".into(),
            prompt: String::new(),
            message: serde_json::from_value(serde_json::json!({
                "channel": "telegram", "chat": "c", "chat_type": "direct", "message": id, "text": "hi",
                "sender": {"id": "a", "name": "a", "display_name": "A", "is_bot": false},
                "mentioned": true, "files": [], "at": "2026-01-01T00:00:00.000Z"
            }))
            .unwrap(),
            resume: None,
            files: Vec::new(),
        };
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
