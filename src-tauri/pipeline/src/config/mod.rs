//! `foldback.toml`, as types with defaults. Every key has one; unknown keys are errors.

mod access;
mod access_in_words;
mod acp;
mod actions;
mod alternative;
mod attachments;
mod bounds;
mod channel;
mod channel_kind;
mod command_template;
mod commands;
mod connection;
mod credentials;
mod custom_command;
mod deliveries;
mod disable;
mod hooks;
pub mod keyring;
mod level_defaults;
mod links;
mod load;
mod log;
mod memory_flush;
mod model_alias;
mod output;
mod permissions;
mod places;
mod plain_http;
mod quantity;
mod queue;
mod replies;
mod schedules;
mod secret;
mod sender_schema;
mod session;
mod setting_names;
mod speech;
mod template;
mod template_names;
mod template_pieces;
mod time_of_day;
mod understanding;
mod written;

pub use access::{DmPolicy, GroupPolicy, MentionPattern};
pub(crate) use access::{ListEntry, names_id};
pub use acp::{AcpConfig, EnvValue, ProgramError};
pub use actions::{ActionsConfig, BashConfig, CommandPattern, EventConfig, TerminalConfig};
pub use alternative::Alternative;
pub use attachments::{AttachmentKind, AttachmentsConfig};
pub use bounds::OutOfBounds;
pub use channel::ChannelConfig;
pub use channel_kind::ChannelKind;
pub use command_template::CommandTemplate;
pub use commands::CommandsConfig;
pub(crate) use commands::is_provider;
pub use credentials::CredentialReader;
pub(crate) use custom_command::CustomAnswer;
pub use custom_command::CustomCommand;
pub use deliveries::DeliveriesConfig;
pub use disable::Disable;
pub(crate) use disable::reduce;
pub use hooks::{HookConfig, HookFilter};
pub use level_defaults::LevelDefaults;
pub use links::{LinkMode, LinksConfig};
pub use load::{ConfigError, check_connections, load, parse};
pub use log::LogConfig;
pub use memory_flush::MemoryFlush;
pub use output::{Narration, OutputConfig, ReasoningDisplay, ToolDisplay};
pub use permissions::{PermissionPolicy, PermissionsConfig, ToolKind};
pub use quantity::{ByteSize, Interval};
pub use queue::{ChannelQueueConfig, QueueConfig};
pub use replies::{BlocksConfig, PauseConfig, TypingMode};
pub use schedules::{HeartbeatConfig, ScheduleConfig};
pub use secret::{Secret, SecretError};
pub use sender_schema::SenderSchema;
pub use session::{CarriedSetting, ResetConfig, SessionConfig, SessionScope};
pub use setting_names::setting_names;
pub use speech::{SpeechBackend, SpeechConfig, TranscriptionBackend, TranscriptionConfig};
pub use template::Template;
pub(crate) use template_names::PrefixName;
pub use template_names::{TEMPLATE_NAMES, TemplateNameRow, TemplateText};
pub use time_of_day::{TimeOfDay, Zone};
pub use understanding::{DescriptionsConfig, DocumentsConfig};
pub use written::WrittenKeys;

use foldback_channels::platform::{self, WEB_CHAT};
use foldback_directives::redact::RedactSettings;
use foldback_wire::{ChannelId, Platform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf};

/// The whole configuration.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The agent that answers, and the settings of each backend.
    pub agent: AgentConfig,
    /// The channels, by name.
    pub channels: BTreeMap<ChannelId, ChannelConfig>,
    /// Directives and commands in the text of users.
    pub commands: CommandsConfig,
    /// Actions that an agent may ask for beside its words.
    pub actions: ActionsConfig,
    /// Settings by which an agent's output is read and delivered, where a channel does not say otherwise.
    pub output: OutputConfig,
    /// Secrets that are masked in what is sent and kept.
    pub redact: RedactSettings,
    /// Settings of the files that may be sent.
    pub files: FilesConfig,
    /// Settings of the files from people that the agent is given.
    pub attachments: AttachmentsConfig,
    /// Settings by which `<voice>` is spoken.
    pub speech: SpeechConfig,
    /// Settings by which voice messages of people are written down.
    pub transcription: TranscriptionConfig,
    /// Links in the messages of people.
    pub links: LinksConfig,
    /// Settings by which messages are put into conversations.
    pub session: SessionConfig,
    /// Messages that wait for a running turn.
    pub queue: QueueConfig,
    /// Operations that wait for a channel or are tried again.
    pub outbox: OutboxConfig,
    /// Programs and addresses that are told of events.
    pub hooks: Vec<HookConfig>,
    /// Turns that a clock begins.
    pub schedule: Vec<ScheduleConfig>,
    /// Settings of the schedules that are heartbeats.
    pub heartbeat: HeartbeatConfig,
    /// What is delivered to the agent beside messages: results of actions, events and errors.
    pub deliveries: DeliveriesConfig,
    /// Showing that an answer is being written.
    pub typing: TypingConfig,
    /// The place where the journal is kept.
    pub store: StoreConfig,
    /// Settings of the app's own log.
    pub log: LogConfig,
    /// The keys that are written; none of a configuration that was read from elsewhere than a file.
    #[serde(skip)]
    pub written: WrittenKeys,
}

impl Config {
    /// Opens a web chat at an address, beside the other channels: the one that a table `web_chat` describes, else one that
    /// everybody who reaches the address may write to.
    pub fn open_web_chat(&mut self, listen: SocketAddr) {
        let name = ChannelId::new(WEB_CHAT.code());
        let own = self.channels.remove(&name).filter(|own| !own.is_simulated(&name));
        let channel = self.channels.entry(name).or_insert_with(|| {
            own.unwrap_or_else(|| ChannelConfig {
                armed: true,
                allow_from: vec!["*".to_owned()],
                ..ChannelConfig::default()
            })
        });
        channel.kind = ChannelKind::from_code(WEB_CHAT.code());
        channel.enabled = true;
        channel.listen = Some(listen);
    }

    /// The channels on which an operator lets people in.
    pub fn pairing_channels(&self) -> Vec<ChannelId> {
        let asks = self
            .channels
            .iter()
            .filter(|(_, c)| c.dm_policy == DmPolicy::Pairing);
        asks.map(|(id, _)| id.clone()).collect()
    }
}

/// The address at which the backend `anthropic` listens when nothing else is said.
pub const ANTHROPIC: &str = "https://api.anthropic.com";

/// The agent that answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentConfig {
    /// The backend, where a channel does not name another.
    pub backend: Backend,
    /// The agent's name, for `{identity}` in `response_prefix`; `Foldback` when absent.
    pub name: Option<String>,
    /// The backends that step in where the backend cannot answer, in this order: a backend, or with `openai/gpt-5-mini`
    /// another model of one. Only before the first word, and not where the request or the key is refused.
    pub fallback: Vec<Alternative>,
    /// A run that says nothing for this long has failed.
    pub idle_timeout: Interval,
    /// Most runs at once, in all conversations together; others wait in the queue, the oldest is the next.
    pub max_runs: usize,
    /// Decisions about its requests for permission.
    pub permissions: PermissionsConfig,
    /// Tokens of a conversation that a backend without a memory of its own is given at most: its context, less what an
    /// answer and the next message need. What is older is left out, or summarised before.
    pub context_tokens: u32,
    /// The share of `context_tokens` from which on the model summarises all but the last answers, before the next run: above 0, at most
    /// 1. A person does the same with `/compact`.
    pub compact_at: f64,
    /// Gives the agent one silent run before its conversation is compacted, in which it may write its memory down with its
    /// tools: `true`, or the words in which it is asked. The compaction waits for it, at most `idle_timeout`.
    pub memory_flush: MemoryFlush,
    /// Levels where neither the message nor its session sets one.
    pub defaults: LevelDefaults,
    /// The schema of the data about the sender that stands before a message: `openab.sender.v1` for an agent that was made
    /// for openab.
    pub sender_schema: SenderSchema,
    /// Short names of models, such as `opus = "anthropic/claude-opus-4-5"`: `/opus` and `/model opus` choose it.
    pub models: BTreeMap<String, String>,
    /// The backend `script`.
    pub script: ScriptConfig,
    /// The backend `openai`: any OpenAI-compatible endpoint.
    pub openai: EndpointConfig,
    /// The backend `anthropic`.
    pub anthropic: EndpointConfig,
    /// The backend `acp`.
    pub acp: AcpConfig,
    /// The backend `letta`.
    pub letta: EndpointConfig,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            backend: Backend::Script,
            name: None,
            fallback: Vec::new(),
            idle_timeout: Interval::minutes(5),
            max_runs: 64,
            permissions: PermissionsConfig::default(),
            context_tokens: 100_000,
            compact_at: 0.8,
            memory_flush: MemoryFlush::default(),
            defaults: LevelDefaults::default(),
            sender_schema: SenderSchema::default(),
            models: BTreeMap::new(),
            script: ScriptConfig::default(),
            openai: EndpointConfig::default(),
            anthropic: EndpointConfig::default(),
            acp: AcpConfig::default(),
            letta: EndpointConfig::default(),
        }
    }
}

/// Agent backends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// Answers from a file or the built-in demonstration.
    Script,
    /// An OpenAI-compatible endpoint.
    Openai,
    /// The Anthropic Messages API.
    Anthropic,
    /// A program that speaks the Agent Client Protocol.
    Acp,
    /// A Letta server.
    Letta,
}

impl Backend {
    /// Its name in the configuration.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Acp => "acp",
            Self::Letta => "letta",
        }
    }
}

/// A scripted agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptConfig {
    /// The script; the built-in demonstration when absent.
    pub file: Option<PathBuf>,
}

/// An HTTP endpoint that answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EndpointConfig {
    /// The address at which it listens, such as `http://127.0.0.1:8080/v1`; for `anthropic` its public address when
    /// absent.
    pub base_url: Option<String>,
    /// The one of its protocols that is spoken; only for `openai`.
    pub api: Option<OpenaiApi>,
    /// The model, or the agent id.
    pub model: Option<String>,
    /// The key, by reference.
    pub api_key: Option<Secret>,
    /// Lets the key travel unencrypted: to an `http://` address on another machine.
    pub allow_plain_http: bool,
    /// The text that the model is given before everything else.
    pub system_prompt: Option<String>,
    /// Longest answer in tokens; the endpoint's default when absent.
    pub max_tokens: Option<u32>,
    /// Longest wait for the next bytes of a stream.
    pub timeout: Option<Interval>,
    /// Shows the model the pictures that people send; when absent, only to `anthropic`.
    pub images: Option<bool>,
    /// More fields of each request, such as `temperature`, as the endpoint's reference names them.
    pub extra: serde_json::Map<String, serde_json::Value>,
}

/// Protocols of `OpenAI`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpenaiApi {
    /// Chat completions, which most endpoints speak.
    #[default]
    Chat,
    /// Responses.
    Responses,
}

/// Settings of the files that may be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FilesConfig {
    /// Only files below this folder are sent. Relative: below the configuration file's folder, else the data
    /// folder.
    pub send_dir: PathBuf,
    /// Largest file, inclusive.
    pub max_size: ByteSize,
    /// Lets `cleanup="true"` delete a sent file.
    pub allow_cleanup: bool,
}

impl Default for FilesConfig {
    fn default() -> Self {
        Self {
            send_dir: PathBuf::from("data/outbound"),
            max_size: ByteSize(50_000_000),
            allow_cleanup: false,
        }
    }
}

/// Operations that wait for a channel or are tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OutboxConfig {
    /// Time after which a person is asked: an operation that was held for longer goes out, and a message that waited for
    /// longer over a stop goes to the agent, only when a person agrees.
    pub max_age: Interval,
    /// Most platform calls for one operation. Those that its platform wants later and those that never left this
    /// machine do not count.
    pub attempts: u32,
    /// First pause before a passing fault is tried again; doubles, with jitter.
    pub backoff: Interval,
    /// Longest pause; where a platform asks for a longer one, what waits for it is held.
    pub backoff_max: Interval,
    /// The fate of an operation that a front end of the platform answers with 502, 503 or 504.
    pub gateway_errors: GatewayErrors,
}

/// The fate of an operation that a front end answers in the platform's place, with 502, 503 or 504 and no word of the
/// platform's own. It almost never has passed the call on, and nobody can know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GatewayErrors {
    /// It is tried again. A message may stand in the chat twice where the platform has it all the same.
    #[default]
    Retry,
    /// It ends as `unknown`, and a person decides. A message may be missing.
    Unknown,
}

impl Default for OutboxConfig {
    fn default() -> Self {
        Self {
            max_age: Interval::minutes(10),
            attempts: 10,
            backoff: Interval::millis(500),
            backoff_max: Interval::minutes(5),
            gateway_errors: GatewayErrors::Retry,
        }
    }
}

/// Showing that an answer is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TypingConfig {
    /// Shows it at all.
    pub enabled: bool,
    /// The interval at which it is shown again.
    pub every: Interval,
    /// The time after the agent's last sign of life at which it stops.
    pub stop_after: Interval,
}

impl Default for TypingConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            every: Interval::seconds(6),
            stop_after: Interval::minutes(2),
        }
    }
}

/// The place where the journal is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StoreConfig {
    /// The database file; in the OS data folder when absent.
    pub file: Option<PathBuf>,
    /// Largest file; when it is full the bot stops and says so. As large as the disk when absent.
    pub max_size: Option<ByteSize>,
    /// Age at which events are deleted; 0 keeps them for ever. Turns that are open or have something left to send stay,
    /// however old, and so do approvals of people.
    pub keep: Interval,
    /// Keeps text and names, of files and of the sender, also of messages that no gate let to the bot, such as those of
    /// people who may not talk to it and of groups that do not mention it. Otherwise the journal has the id of who wrote,
    /// the length and the gate.
    pub keep_unaddressed: bool,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            file: None,
            max_size: None,
            keep: Interval::days(90),
            keep_unaddressed: false,
        }
    }
}

/// The JSON Schema of `foldback.toml`, from the same types.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Config)
}

/// The configuration of a start without a file: a loopback channel for every platform, opened explicitly to
/// people and bots, and the script agent.
pub fn embedded() -> Config {
    let open = |platform: &Platform| {
        let channel = ChannelConfig {
            kind: Some(ChannelKind::Loopback),
            platform: Some(*platform),
            armed: true,
            allow_from: vec!["*".to_owned()],
            allow_bots: true,
            ..ChannelConfig::default()
        };
        (ChannelId::new(platform.code()), channel)
    };
    Config {
        channels: platform::ALL.iter().map(open).collect(),
        ..Config::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_agents::demo;

    #[test]
    fn the_demonstration_is_on_channels_of_a_start_without_a_file() {
        let demo = demo::load().expect("the embedded text is valid");
        let channels = embedded().channels;
        for turn in &demo.turns {
            assert!(channels.contains_key(&turn.channel), "{}", turn.channel);
        }
    }

    #[test]
    fn a_web_chat_is_opened_by_its_address_alone_and_keeps_what_a_table_says() {
        let address = "127.0.0.1:8095".parse().unwrap();
        let name = ChannelId::new("web_chat");
        let table = |text: &str| parse(text, std::path::Path::new("foldback.toml")).unwrap();
        let written =
            table("[channels.web_chat]\nallow_from = []\nlisten = \"127.0.0.1:1\"\nenabled = false\n");
        for (mut config, allow_from, armed) in [
            (embedded(), vec!["*".to_owned()], true),
            (Config::default(), vec!["*".to_owned()], true),
            (written, Vec::new(), false),
        ] {
            let others = config.channels.keys().filter(|other| **other != name).count();
            config.open_web_chat(address);
            assert_eq!(config.channels.len(), others + 1);
            let channel = &config.channels[&name];
            assert!(channel.enabled && !channel.is_simulated(&name));
            assert_eq!(
                (channel.listen, &channel.allow_from),
                (Some(address), &allow_from)
            );
            assert_eq!(channel.armed, armed);
            assert_eq!(channel.missing_key(&name), None);
        }
    }
}
