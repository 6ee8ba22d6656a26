//! Who answers: the configured agents, each behind what a person types in its place.

use super::{
    acp::{self, Surroundings},
    endpoint,
    typed::Typed,
};
use foldback_agents::{Agent, Fallback, Faulty, HistoryLimits, HttpAgent, Memory, Rule, ScriptAgent, demo};
use foldback_pipeline::{
    Agents,
    config::{Alternative, Backend, Config},
};
use foldback_wire::{ChannelId, Clock, Rng};
use std::{collections::BTreeMap, path::Path, sync::Arc};

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
        memory: Memory::new(HistoryLimits::of_context(config.agent.context_tokens.into())),
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
                Some(model) => {
                    let agent = self.agent(*other, Some(model.as_str()))?;
                    others.push(Arc::new(self.typed.before(agent, self.clock)));
                }
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use foldback_agents::{Step, TurnRequest};
    use foldback_pipeline::config::CredentialReader;
    use foldback_store::MemoryJournal;
    use foldback_wire::{AgentFault, Fault, RunFault, RunId};
    use tokio_util::sync::CancellationToken;

    pub(in super::super) fn request(id: &str) -> TurnRequest {
        TurnRequest {
            run: RunId(1),
            session: "s".into(),
            prompt: String::new(),
            remembered: None,
            message: serde_json::from_value(serde_json::json!({
                "channel": "telegram", "chat": "c", "chat_type": "direct", "message": id, "text": "hi",
                "sender": {"id": "a", "name": "a", "display_name": "A", "is_bot": false},
                "mentioned": true, "files": [], "at": "2026-01-01T00:00:00.000Z"
            }))
            .unwrap(),
            levels: foldback_wire::RunLevels::default(),
            resume: BTreeMap::new(),
            files: Vec::new(),
            actions: Vec::new(),
        }
    }

    /// The agents where these step in for the first one.
    fn made(fallback: &str, typed: &Typed) -> Made {
        let text = format!(
            "[agent]\nbackend = \"openai\"\nfallback = {fallback}\n[agent.openai]\n\
            base_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n\
            [channels.slack]\nkind = \"loopback\"\nbackend = \"script\"\n"
        );
        let config = foldback_pipeline::config::parse(&text, Path::new("foldback.toml")).unwrap();
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
        build(&config, &around, typed, &clock, &rng).unwrap()
    }

    /// The agents that step in where a planned fault hits the first one.
    async fn who_steps_in(made: &Made) -> Vec<String> {
        let fault = RunFault {
            fail: Some(AgentFault::Overloaded),
            ..RunFault::nth(1)
        };
        made.faulty["openai"].deck().plan(1, Fault::Run(fault));
        let (sink, mut steps) = tokio::sync::mpsc::channel(64);
        let run = made
            .agents
            .default
            .run(request("m1"), sink, CancellationToken::new());
        let told = async {
            let mut next = Vec::new();
            while let Some(event) = steps.recv().await {
                if let Step::Retry { next: Some(who), .. } = event.step {
                    next.push(who.to_string());
                }
            }
            next
        };
        tokio::join!(run, told).1
    }

    fn nothing_typed() -> Typed {
        Typed::new(Arc::new(MemoryJournal::new()))
    }

    #[tokio::test(start_paused = true)]
    async fn who_steps_in_is_shown_by_a_planned_fault_of_the_first() {
        let made = made("[\"openai\", \"script\", \"openai/other\"]", &nothing_typed());
        assert_eq!(
            made.faulty.keys().copied().collect::<Vec<_>>(),
            ["openai", "script"]
        );
        let by_channel = &made.agents.by_channel[&ChannelId::new("slack")];
        assert_eq!(by_channel.answering(&request("m1")), ("script", None));
        let default = &made.agents.default;
        assert_eq!(default.answering(&request("m1")), ("openai", Some("m")));
        // The script has an answer to everything: the last one is not asked.
        assert_eq!(who_steps_in(&made).await, ["script"]);
    }

    #[tokio::test(start_paused = true)]
    async fn another_model_that_steps_in_is_not_asked_where_a_person_typed_the_answer() {
        let typed = nothing_typed();
        typed.answer(&"telegram".into(), &"m1".into(), "typed".to_owned());
        let made = made("[\"openai/other\"]", &typed);
        assert_eq!(who_steps_in(&made).await, ["typed"]);
    }
}
