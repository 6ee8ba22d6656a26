//! One channel's table.

use super::{
    Backend, BlocksConfig, ChannelKind, ChannelQueueConfig, Config, Disable, DmPolicy, GroupPolicy, Interval,
    MentionPattern, Narration, OutputConfig, ReasoningDisplay, Secret, Template, ToolDisplay, TypingMode,
    access, reduce,
};
use foldback_channels::{
    Mention, VisitorLimits, channel_kind,
    platform::{self, known, known::KnownPlatform},
    profile,
};
use foldback_directives::{Bare, Dialect, Placement, Settings, TrailingSilence};
use foldback_wire::{Capabilities, ChannelId, Platform, SendPolicy, SpeechMode};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::{net::SocketAddr, num::NonZeroU32};

/// One channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChannelConfig {
    /// The kind of platform at the other end; by default the platform of the channel's name.
    pub kind: Option<ChannelKind>,
    /// Whose rules a loopback channel follows; by default the platform of the channel's name.
    #[serde(deserialize_with = "known::option")]
    #[schemars(with = "Option<KnownPlatform>")]
    pub platform: Option<Platform>,
    /// Switches the channel on at the start.
    pub enabled: bool,
    /// Sends for real where true; else every call is a dry run.
    pub armed: bool,
    /// The people who may write to the bot: ids, `provider:id`, `*`. Empty: nobody.
    #[serde(deserialize_with = "access::ids")]
    pub allow_from: Vec<String>,
    /// The people who may write directly.
    pub dm_policy: DmPolicy,
    /// The people who may write in groups.
    pub group_policy: GroupPolicy,
    /// The people who may write in groups, where it is not `allow_from`.
    #[serde(deserialize_with = "access::some_ids")]
    pub group_allow_from: Option<Vec<String>>,
    /// In which groups the bot listens, by their ids; in all of them when absent.
    #[serde(deserialize_with = "access::some_ids")]
    pub groups: Option<Vec<String>>,
    /// Lets the bot answer in a group only where a message mentions or answers it.
    pub require_mention: bool,
    /// Whether `/activation` may change for a group what `require_mention` says.
    pub activation_command: bool,
    /// Whether the agent runs for messages of this channel at all, where `/send` says nothing: commands work all the same.
    pub send_policy: SendPolicy,
    /// Words that count as a mention, as regular expressions, in capitals or not.
    pub mention_patterns: Vec<MentionPattern>,
    /// Most messages of a group that are not for the bot and are given to the agent, once, with the next one that is: at
    /// most 50. 0 keeps none.
    #[serde(deserialize_with = "group_history")]
    #[schemars(range(max = 50))]
    pub group_history: u32,
    /// Most messages of a thread that are read from its platform for the first turn of a conversation in it, beside the one
    /// that began the thread: at most 20, which is the default on Discord and Slack. 0 reads none. The other platforms have
    /// no call for it.
    #[serde(deserialize_with = "thread_history")]
    #[schemars(range(max = 20))]
    pub thread_history: Option<u32>,
    /// Puts the bot's commands into the platform's own menu when it connects, where the channel is armed (Telegram, Discord).
    pub menu: bool,
    /// How long a message for the agent waits for more of its sender, with which it is answered: each one that comes begins the
    /// wait anew, up to five times as long. At most 1m; 0ms does not wait.
    #[serde(deserialize_with = "debounce")]
    pub debounce: Interval,
    /// Lets other bots write; they must be on the list like everybody.
    pub allow_bots: bool,
    /// Whether only owners (`commands.owner_allow_from`) may use directives and commands here.
    pub enforce_owner: bool,
    /// Most turns that bots get in a row in one chat, until a person writes there.
    pub bot_turns: u32,
    /// The bot's credentials, by reference (on Reddit and X the refresh token).
    pub token: Option<Secret>,
    /// A second credential, where the platform has one (Slack's app token).
    pub app_token: Option<Secret>,
    /// The address at which webhooks of the platform arrive, such as `127.0.0.1:8090`, or at which a web chat has its page; a
    /// tunnel or proxy with https stands before it.
    pub listen: Option<SocketAddr>,
    /// The public address of a web chat's page and the sites that show it in a frame, such as `https://www.example.org`. Needed
    /// where other machines reach `listen`.
    pub origins: Vec<String>,
    /// Bounds of the visitors of a web chat.
    pub limits: Option<VisitorLimits>,
    /// The secret that the platform signs its webhooks with (Slack's signing secret, `WhatsApp`'s app secret).
    pub signing_secret: Option<Secret>,
    /// The word a platform must know to register a webhook (`WhatsApp`).
    pub verify_token: Option<Secret>,
    /// The id of the app that the bot acts through (Reddit, X; for a person's account on Telegram its `api_id`).
    pub client_id: Option<String>,
    /// The secret of that app (Reddit; on X that of a confidential client; for a person's account on Telegram its `api_hash`).
    pub client_secret: Option<Secret>,
    /// The password of the bot's own account, in the place of a token (script apps of Reddit).
    pub password: Option<Secret>,
    /// The platform's endpoint; can be pointed elsewhere for tests and self-hosting. For a loopback channel:
    /// the simulated platform in another process, such as `tcp://127.0.0.1:4000`. For Signal: the daemon of
    /// signal-cli, `tcp://127.0.0.1:7583` or `unix:///path`. For a person's account on Telegram: the first data centre.
    pub api_root: Option<String>,
    /// The bot's own account, where the platform has several or is told it (a phone number, a phone number id, a name on
    /// Reddit).
    pub account: Option<String>,
    /// The owner's word that a risk is taken without which the channel does not run: on a person's own account on Telegram
    /// (`telegram_user`), that Telegram ends it (<https://core.telegram.org/api/terms>).
    pub accept_risk: bool,
    /// The people whom a mention in an agent's text notifies (Discord): `users`, `roles`, `everyone`. By default
    /// nobody: it is only shown.
    pub mentions: Vec<Mention>,
    /// The agent that answers here.
    pub backend: Option<Backend>,
    /// Operations this channel must not use, beside `output.disable`.
    pub disable: Vec<Disable>,
    /// Messages that wait for a running turn here.
    pub queue: ChannelQueueConfig,
    /// The moment from which it is shown that an answer is being written; how often and for how long, `typing` says.
    pub typing: TypingMode,
    /// Words before the first text of an answer, such as `[{model}]`; `{provider}`, `{identity}` and `{think}` are filled in,
    /// too. None when empty. They are no part of what the agent remembers.
    pub response_prefix: Template,
    /// Sending answers in blocks while they grow.
    pub blocks: BlocksConfig,
    /// The answers that are spoken, beside their text.
    pub speech_auto: SpeechMode,
    /// See `output`.
    pub dialects: Option<Vec<Dialect>>,
    /// See `output`.
    pub placement: Option<Placement>,
    /// See `output`.
    pub bare: Option<Bare>,
    /// See `output`.
    pub allow_echo: Option<bool>,
    /// See `output`.
    pub trailing_silence: Option<TrailingSilence>,
    /// See `output`.
    pub narration: Option<Narration>,
    /// See `output`.
    pub tools: Option<ToolDisplay>,
    /// See `output`.
    pub reasoning: Option<ReasoningDisplay>,
    /// See `output`.
    pub placeholder: Option<String>,
    /// See `output`.
    pub empty_text: Option<String>,
    /// See `output`.
    pub max_messages: Option<NonZeroU32>,
}

impl Default for ChannelConfig {
    fn default() -> Self {
        Self {
            kind: None,
            platform: None,
            enabled: true,
            armed: false,
            allow_from: Vec::new(),
            dm_policy: DmPolicy::default(),
            group_policy: GroupPolicy::default(),
            group_allow_from: None,
            groups: None,
            require_mention: true,
            activation_command: true,
            send_policy: SendPolicy::Allow,
            mention_patterns: Vec::new(),
            group_history: 0,
            thread_history: None,
            menu: true,
            debounce: Interval::millis(0),
            allow_bots: false,
            enforce_owner: false,
            bot_turns: 4,
            token: None,
            app_token: None,
            listen: None,
            origins: Vec::new(),
            limits: None,
            signing_secret: None,
            verify_token: None,
            client_id: None,
            client_secret: None,
            password: None,
            api_root: None,
            account: None,
            accept_risk: false,
            mentions: Vec::new(),
            backend: None,
            disable: Vec::new(),
            queue: ChannelQueueConfig::default(),
            typing: TypingMode::default(),
            response_prefix: Template::default(),
            blocks: BlocksConfig::default(),
            speech_auto: SpeechMode::Tagged,
            dialects: None,
            placement: None,
            bare: None,
            allow_echo: None,
            trailing_silence: None,
            narration: None,
            tools: None,
            reasoning: None,
            placeholder: None,
            empty_text: None,
            max_messages: None,
        }
    }
}

impl ChannelConfig {
    /// The same without what says where its platform is and how to get in.
    #[must_use]
    pub fn without_place(self) -> Self {
        Self {
            token: None,
            app_token: None,
            listen: None,
            origins: Vec::new(),
            limits: None,
            signing_secret: None,
            verify_token: None,
            client_id: None,
            client_secret: None,
            password: None,
            api_root: None,
            account: None,
            ..self
        }
    }

    /// The list of those who may write in groups, and the key it stands at.
    pub(crate) fn group_list(&self) -> (&[String], &'static str) {
        match &self.group_allow_from {
            Some(list) => (list, "group_allow_from"),
            None => (&self.allow_from, "allow_from"),
        }
    }

    /// The kind of platform at the other end of the channel of this name; `None` when neither key nor name says.
    pub fn kind(&self, name: &ChannelId) -> Option<ChannelKind> {
        self.kind
            .or_else(|| channel_kind(name.as_str()).map(ChannelKind::Real))
    }

    /// Whose rules the channel of this name follows; `None` when neither keys nor name say.
    pub fn platform(&self, name: &ChannelId) -> Option<Platform> {
        match self.kind(name)? {
            ChannelKind::Loopback => self.platform.or_else(|| platform::from_code(name.as_str())),
            ChannelKind::Real(row) => Some(row.platform),
        }
    }
}

impl Config {
    /// The settings of delivery on this channel: its own keys where it has them, else those of `output`.
    pub fn output_of(&self, channel: &ChannelId) -> OutputConfig {
        let own = self.channels.get(channel);
        self.output_speaking(channel, own.map_or(SpeechMode::Tagged, |own| own.speech_auto))
    }

    /// The same for a session that says itself which answers are spoken.
    pub(crate) fn output_speaking(&self, channel: &ChannelId, speech: SpeechMode) -> OutputConfig {
        let mut output = self.output.clone();
        let Some(own) = self.channels.get(channel) else {
            return output;
        };
        own.dialects.clone_into_some(&mut output.dialects);
        own.placement.clone_into_some(&mut output.placement);
        own.bare.clone_into_some(&mut output.bare);
        own.allow_echo.clone_into_some(&mut output.allow_echo);
        own.trailing_silence.clone_into_some(&mut output.trailing_silence);
        own.placeholder.clone_into_some(&mut output.placeholder);
        own.empty_text.clone_into_some(&mut output.empty_text);
        own.max_messages.clone_into_some(&mut output.max_messages);
        output.tools = own.tools.unwrap_or(output.tools);
        output.reasoning = own.reasoning.unwrap_or(output.reasoning);
        output.narration = own.narration.or(output.narration);
        output.disable.extend(&own.disable);
        if speech == SpeechMode::Off {
            output.disable.push(Disable::Voice);
        }
        output
    }

    /// The settings of a scanner for this channel: message ids have the form of its platform.
    pub fn settings_of(&self, channel: &ChannelId) -> Settings {
        let platform = self.channels.get(channel).and_then(|own| own.platform(channel));
        let mut settings = self.output_of(channel).settings();
        if let Some(platform) = platform {
            settings.reply_to = platform::reply_to_form(platform);
        }
        settings
    }

    /// The capabilities of this channel: those of its platform, less what is disabled. `None` for an unknown platform.
    pub fn capabilities_of(&self, channel: &ChannelId) -> Option<Capabilities> {
        let platform = self.channels.get(channel)?.platform(channel)?;
        Some(reduce(profile(platform), &self.output_of(channel).disable))
    }

    /// Most messages of a thread that are read for the first turn in it on this channel.
    pub(crate) fn thread_history(&self, channel: &ChannelId) -> u32 {
        let Some(own) = self.channels.get(channel) else {
            return 0;
        };
        let has_call = own
            .platform(channel)
            .is_some_and(|platform| platform::row(platform).reads_threads);
        own.thread_history
            .unwrap_or(if has_call { MOST_THREAD } else { 0 })
    }

    /// The backend that answers on this channel.
    pub fn backend_of(&self, channel: &ChannelId) -> Backend {
        self.channels
            .get(channel)
            .and_then(|c| c.backend)
            .unwrap_or(self.agent.backend)
    }
}

/// Most messages of a group that may be kept.
const MOST_HISTORY: u32 = 50;

fn group_history<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let most = u32::deserialize(deserializer)?;
    if most > MOST_HISTORY {
        return Err(D::Error::custom(format_args!("must be from 0 to {MOST_HISTORY}")));
    }
    Ok(most)
}

/// Most messages of a thread that may be read.
const MOST_THREAD: u32 = 20;

fn thread_history<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let most = Option::<u32>::deserialize(deserializer)?;
    if most > Some(MOST_THREAD) {
        return Err(D::Error::custom(format_args!("must be from 0 to {MOST_THREAD}")));
    }
    Ok(most)
}

/// The longest wait for more of a sender.
const LONGEST_DEBOUNCE: Interval = Interval::minutes(1);

fn debounce<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Interval, D::Error> {
    let wait = Interval::deserialize(deserializer)?;
    if wait > LONGEST_DEBOUNCE {
        return Err(D::Error::custom(format_args!(
            "must be at most {LONGEST_DEBOUNCE}"
        )));
    }
    Ok(wait)
}

/// Overwrites a value only by one that is there.
trait CloneIntoSome<T> {
    fn clone_into_some(&self, target: &mut T);
}

impl<T: Clone> CloneIntoSome<T> for Option<T> {
    fn clone_into_some(&self, target: &mut T) {
        if let Some(value) = self {
            target.clone_from(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    fn config(text: &str) -> Config {
        parse(text, std::path::Path::new("foldback.toml")).unwrap()
    }

    #[test]
    fn a_channel_overrides_the_output_and_can_do_less() {
        let config = config(
            "[output]\nempty_text = \"-\"\ndisable = [\"voice\"]\n\
             [channels.telegram]\nplacement = \"start\"\ndisable = [\"react\", \"preview\"]\n",
        );
        let telegram = ChannelId::new("telegram");
        let output = config.output_of(&telegram);
        assert_eq!(
            (output.placement, output.empty_text.as_str()),
            (Placement::Start, "-")
        );
        let can = config.capabilities_of(&telegram).unwrap();
        assert_eq!(
            (can.voice, can.react, can.edit_interval_ms, can.edit),
            (None, None, None, true)
        );
        assert_eq!(
            config.output_of(&ChannelId::new("slack")).placement,
            Placement::Anywhere
        );
    }

    #[test]
    fn of_a_group_no_more_messages_are_kept_than_fifty() {
        let parsed = |count| {
            let text = format!("[channels.slack]\ngroup_history = {count}\n");
            parse(&text, std::path::Path::new("foldback.toml"))
        };
        assert_eq!(ChannelConfig::default().group_history, 0);
        assert!(parsed(50).is_ok());
        let error = parsed(51).unwrap_err().to_string();
        assert!(error.contains("must be from 0 to 50"), "{error}");
    }

    #[test]
    fn of_a_thread_twenty_messages_are_read_where_its_platform_has_a_call() {
        let parsed = |text: &str| parse(text, std::path::Path::new("foldback.toml"));
        let config = parsed(
            "[channels.slack]\n[channels.discord]\nthread_history = 0\n[channels.telegram]\n\
             [channels.play]\nkind = \"loopback\"\nplatform = \"discord\"\n",
        )
        .unwrap();
        for (channel, most) in [
            ("slack", 20),
            ("discord", 0),
            ("telegram", 0),
            ("play", 20),
            ("lost", 0),
        ] {
            assert_eq!(config.thread_history(&ChannelId::new(channel)), most, "{channel}");
        }
        let error = parsed("[channels.slack]\nthread_history = 21\n").unwrap_err();
        assert!(error.to_string().contains("must be from 0 to 20"), "{error}");
    }

    #[test]
    fn a_message_waits_for_more_of_its_sender_a_minute_at_most() {
        let parsed = |wait: &str| {
            let text = format!("[channels.slack]\ndebounce = \"{wait}\"\n");
            parse(&text, std::path::Path::new("foldback.toml"))
        };
        assert_eq!(ChannelConfig::default().debounce, Interval::millis(0));
        assert!(parsed("60s").is_ok());
        let error = parsed("61s").unwrap_err().to_string();
        assert_eq!(
            error,
            "foldback.toml:2:12: channels.slack.debounce: must be at most 1m"
        );
    }

    #[test]
    fn the_name_tells_the_platform_unless_a_key_does() {
        let config = config(
            "[channels.signal]\n[channels.work]\nkind = \"discord\"\n\
             [channels.play]\nkind = \"loopback\"\nplatform = \"slack\"\n",
        );
        let platform = |name: &str| {
            let name = ChannelId::new(name);
            config.channels[&name].platform(&name)
        };
        assert_eq!(platform("signal"), Some(platform::SIGNAL));
        assert_eq!(platform("work"), Some(platform::DISCORD));
        assert_eq!(platform("play"), Some(platform::SLACK));
        assert_eq!(ChannelConfig::default().platform(&ChannelId::new("lost")), None);
    }
}
