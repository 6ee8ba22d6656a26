//! A backend that is asked over HTTP: its client, its memory, and the trait.

use super::{
    ask::{Ask, PICTURES},
    client::client,
    config::{self, ConfigError, HttpConfig},
    exchange::Exchange,
    history::Memory,
    protocol::{Api, Protocol},
    turn::Turn,
    turn_tools::TurnTools,
    upstream::Server,
};
use crate::{
    Accepts, Agent, AgentFile, Compaction, CompactionError, CompactionOrder, ConversationSize, Description,
    DescriptionError, DescriptionOrder, History, HistoryEntry, LevelSupport, LevelSupports, OfferedAction,
    PictureLimits, Step, StepSink, TurnRequest, emitter::Emitter,
};
use async_trait::async_trait;
use foldback_wire::{Answerer, Clock, Rng, RunId, RunLevels, Secret, SessionId, SessionStart, ThinkLevel};
use reqwest::{Client, Url};
use serde_json::{Map, Value};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Longest explanation of a failure, in bytes.
const DETAIL_BYTES: usize = 500;

/// Asks a backend over HTTP and streams its answer.
///
/// It remembers each session's conversation itself where the backend does not.
pub struct HttpAgent {
    pub(crate) protocol: &'static dyn Protocol,
    pub(crate) config: HttpConfig,
    pub(crate) endpoint: Url,
    pub(crate) client: Client,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) rng: Arc<dyn Rng>,
    /// The server that keeps the conversation, where it does.
    pub(crate) server: Option<Arc<Server>>,
    pub(crate) memory: Memory,
}

impl HttpAgent {
    /// Prepares the client; nothing is sent before the first turn.
    pub fn new(
        api: Api,
        config: HttpConfig,
        clock: Arc<dyn Clock>,
        rng: Arc<dyn Rng>,
    ) -> Result<Self, ConfigError> {
        let protocol = api.protocol();
        if config.model.trim().is_empty() {
            return Err(ConfigError::Model);
        }
        check_extra(protocol, &config.extra)?;
        let endpoint = config::endpoint(&config.base_url, &protocol.path(&config.model))?;
        let client = client(&config, &endpoint, protocol.headers(config.api_key.as_ref()))?;
        let server = match protocol.stop_path(&config.model) {
            None => None,
            Some(path) => {
                let stop_at = config::endpoint(&config.base_url, &path)?;
                let clock = Arc::clone(&clock);
                Some(Arc::new(Server::new(
                    protocol,
                    client.clone(),
                    endpoint.clone(),
                    stop_at,
                    clock,
                )))
            }
        };
        Ok(Self {
            protocol,
            client,
            server,
            endpoint,
            memory: Memory::new(config.history),
            config,
            clock,
            rng,
        })
    }

    /// The same with a memory that other agents share.
    #[must_use]
    pub fn with_memory(mut self, memory: Memory) -> Self {
        self.memory = memory;
        self
    }

    /// A backend's words without our secrets, on one line, shortened.
    pub(crate) fn without_secrets(&self, words: &str) -> String {
        let headers = self.config.headers.iter().map(|(_, value)| value);
        let secrets = self.config.api_key.iter().chain(headers);
        let words = secrets.fold(words.to_owned(), |words, secret: &Secret| secret.hide_in(&words));
        let mut line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.len() > DETAIL_BYTES {
            line.truncate(line.floor_char_boundary(DETAIL_BYTES));
            line.push('…');
        }
        line
    }

    /// The body that asks, at this think level where there is one.
    pub(crate) fn body(&self, ask: &Ask<'_>, think: Option<ThinkLevel>) -> Map<String, Value> {
        let mut fields = self.protocol.fields(&self.config, ask);
        for (name, value) in &self.config.extra {
            if value.is_null() {
                fields.remove(name);
            } else {
                fields.insert(name.clone(), value.clone());
            }
        }
        if let Some(level) = think {
            self.protocol.think(level, &self.config, ask.model, &mut fields);
        }
        fields
    }

    /// The model that is asked where another one may be named.
    fn model_of<'a>(&'a self, levels: &'a RunLevels) -> &'a str {
        let named = levels.model.as_ref();
        named.map_or(&self.config.model, |model| self.protocol.model_name(model))
    }

    /// How a turn comes to the conversation that the server keeps. One that another model answered last is not lost:
    /// two of a chain take turns, and each goes on with its own.
    fn session(&self, resume: Option<&str>) -> Option<Step> {
        let id = &self.config.model;
        let (start, detail) = match resume {
            _ if self.server.is_none() => return None,
            None => (SessionStart::New, self.protocol.shared_memory().to_owned()),
            Some(before) if before == id => (SessionStart::Resumed, String::new()),
            Some(before) => (
                SessionStart::New,
                format!(
                    "{before} answered before; now it is {id}: {}",
                    self.protocol.shared_memory()
                ),
            ),
        };
        Some(Step::Session {
            id: id.clone(),
            start,
            detail,
        })
    }
}

/// Refuses extra fields that would break the request.
fn check_extra(protocol: &dyn Protocol, extra: &Map<String, Value>) -> Result<(), ConfigError> {
    match protocol.reserved().iter().find(|name| extra.contains_key(**name)) {
        Some(name) => Err(ConfigError::Reserved {
            name: (*name).to_owned(),
        }),
        None => Ok(()),
    }
}

#[async_trait]
impl Agent for HttpAgent {
    fn backend(&self) -> &str {
        self.protocol.backend()
    }

    fn model(&self) -> Option<&str> {
        Some(&self.config.model)
    }

    /// Of a server that keeps the conversation, the agent answers, whatever its model.
    fn answering<'a>(&'a self, request: &'a TurnRequest) -> (&'a str, Option<&'a str>) {
        let model = match self.server {
            Some(_) => &self.config.model,
            None => self.model_of(&request.levels),
        };
        (self.backend(), Some(model))
    }

    fn level_supports(&self, levels: &RunLevels) -> LevelSupports {
        let (backend, model) = (self.backend(), self.model_of(levels));
        let answerer = Answerer {
            backend: backend.to_owned(),
            model: Some(model.to_owned()),
        };
        LevelSupports {
            think: self.protocol.think_levels(&self.config, model),
            model: LevelSupport::Any,
            profile: LevelSupport::Unsupported(format!(
                "{backend} has one key, that of agent.{backend}.api_key, and no profiles"
            )),
            ..LevelSupports::none(answerer)
        }
    }

    fn takes_actions(&self) -> bool {
        self.protocol.tools().is_some()
    }

    fn accepts(&self) -> Accepts {
        Accepts {
            images: self.config.images,
            files: false,
            pictures: PICTURES,
        }
    }

    /// A server that keeps the conversation would keep the question in it.
    fn describes(&self) -> Option<PictureLimits> {
        self.server.is_none().then_some(PICTURES)
    }

    async fn describe(
        &self,
        picture: &AgentFile,
        order: &DescriptionOrder,
        cancel: CancellationToken,
    ) -> Result<Description, DescriptionError> {
        if self.server.is_some() {
            return Err(DescriptionError::unable(self.backend()));
        }
        self.describe_picture(picture, order, &cancel).await
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let session = request.session.clone();
        let known = self.server.is_none().then(|| self.memory.open().begin(&session));
        let (begun, before) = known.unzip();
        let (levels, refused) = self.level_supports(&request.levels).divide(&request.levels);
        let ask = Ask::new(
            self.model_of(&levels),
            before.unwrap_or_default(),
            &request.prompt,
            &request.files,
        );
        let mut body = self.body(&ask, levels.think);
        let permitted = |action: &&OfferedAction| action.is_permitted;
        let actions: Vec<_> = request.actions.iter().filter(permitted).collect();
        let tools = self.protocol.tools().filter(|_| !actions.is_empty());
        let tools = tools.map(|tools| TurnTools::offer(tools, &actions, ask.model, &mut body));
        let out = Emitter::new(request.run, sink, cancel);
        if let Err(interrupt) = out.ignore(refused).await {
            return out.conclude(Err(interrupt)).await;
        }
        let mut turn = Turn::new(
            self,
            &out,
            self.session(request.session_of(self.backend())),
            tools,
        );
        let ended = turn.run(body).await;
        let reply = turn.into_reply();
        if let (Some(begun), Some(prompt)) = (begun, request.remembered) {
            let mut memory = self.memory.open();
            // Without a word there is no exchange: asked again, it is asked the same.
            if reply.text.trim().is_empty() {
                memory.note_unanswered(&session, begun, request.run);
            } else {
                let exchange = Exchange {
                    run: Some(request.run),
                    prompt,
                    reply: reply.text,
                };
                memory.remember(&session, begun, exchange, reply.usage);
            }
        }
        out.conclude(ended).await;
    }

    fn conversation(&self, session: &SessionId) -> Option<ConversationSize> {
        self.server.is_none().then(|| self.memory.open().size(session))
    }

    fn restore(&self, session: &SessionId, history: &History) -> bool {
        self.server.is_none() && self.memory.open().restore(session, history)
    }

    fn retell(&self, session: &SessionId, run: RunId, turn: &[HistoryEntry]) {
        self.memory.open().retell(session, run, turn);
    }

    fn compactable(&self, session: &SessionId, order: &CompactionOrder) -> usize {
        let plan = self.memory.open().plan(session, order.keep);
        plan.map_or(0, |plan| plan.old.exchanges.len())
    }

    async fn compact(
        &self,
        session: &SessionId,
        order: &CompactionOrder,
        cancel: CancellationToken,
    ) -> Result<Compaction, CompactionError> {
        if self.server.is_some() {
            return Err(CompactionError::not_ours(self.backend()));
        }
        self.compact_session(session, order, &cancel).await
    }

    fn forget(&self, session: &SessionId) {
        self.memory.open().forget(session);
    }
}
