//! What the operator may change about the grammar.

use crate::{closed::closed_set, guard::GuardRow, rules::Rules};

closed_set! {
    /// The parts of the grammar, each of which can be switched off.
    pub enum Dialect {
        Actions = "actions": "<actions> blocks and bare directives.",
        Silence = "silence": "<no-reply/>, NO_REPLY and HEARTBEAT_OK.",
        Header = "header": "[[key:value]] at the start of a message.",
        Guard = "guard": "Scaffolding that models leak.",
        Json = "json": "{\"actions\":[…]}, or one action by itself: {\"type\":…,\"payload\":{…}}.",
    }
}

closed_set! {
    /// Where blocks and bare directives are executed.
    pub enum Placement {
        Anywhere = "anywhere": "Also after text.",
        Start = "start": "Only before the first text; elsewhere stripped and reported.",
    }
}

closed_set! {
    /// What happens to a directive outside a block.
    pub enum Bare {
        Execute = "execute": "It is executed and reported.",
        Strip = "strip": "It is stripped and reported, not executed.",
        Text = "text": "It is text, and reported.",
    }
}

closed_set! {
    /// What a `NO_REPLY` after text does.
    pub enum TrailingSilence {
        Deliver = "deliver": "The token is stripped, the text delivered.",
        Suppress = "suppress": "The whole reply is suppressed, so nothing is shown before the message ends.",
    }
}

/// The form of a platform's message id in `[[reply_to:ID]]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ReplyToForm {
    /// Characters beside ASCII letters, digits, `.`, `_` and `-`.
    pub also: String,
    /// Most characters in an id.
    pub max: usize,
}

impl Default for ReplyToForm {
    fn default() -> Self {
        Self {
            also: String::new(),
            max: 64,
        }
    }
}

impl ReplyToForm {
    /// Whether `id` is an id of this form.
    pub fn accepts(&self, id: &str) -> bool {
        let fits =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') || self.also.contains(c);
        !id.is_empty() && id.chars().count() <= self.max && id.chars().all(fits)
    }
}

/// The settings of one scanner. The default is the grammar page's default.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// The dialects that are read; everything of the others is text.
    pub dialects: Vec<Dialect>,
    /// Where blocks are executed.
    pub placement: Placement,
    /// What happens to directives outside blocks.
    pub bare: Bare,
    /// Execute directives that repeat the user's own message.
    pub allow_echo: bool,
    /// What `NO_REPLY` after text does.
    pub trailing_silence: TrailingSilence,
    /// Whether this is a heartbeat turn, in which `HEARTBEAT_OK` counts.
    pub heartbeat: bool,
    /// In heartbeat turns: a regular expression; a reply that matches it as a whole is dropped.
    pub all_clear: Option<String>,
    /// Scaffolding elements beside the built-in ones.
    pub guard: Vec<GuardRow>,
    /// The form of message ids on this channel.
    pub reply_to: ReplyToForm,
    /// The names of the actions that the host has, for the dialect `json`: an object whose first key is `type` with one of
    /// them, and which has a payload, is an action, and malformed where it is not written as one. Empty in a scanner alone.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub action_names: Vec<String>,
    /// The rules that are on: all, unless a test switches some off. Always there, so that the feature `mutants`
    /// adds no field.
    #[doc(hidden)]
    #[cfg_attr(feature = "serde", serde(skip))]
    pub rules: Rules,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dialects: vec![
                Dialect::Actions,
                Dialect::Silence,
                Dialect::Header,
                Dialect::Guard,
            ],
            placement: Placement::Anywhere,
            bare: Bare::Execute,
            allow_echo: false,
            trailing_silence: TrailingSilence::Deliver,
            heartbeat: false,
            all_clear: None,
            guard: Vec::new(),
            reply_to: ReplyToForm::default(),
            action_names: Vec::new(),
            rules: Rules::default(),
        }
    }
}

/// Why a setting cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingError {
    /// The key as it was given.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl std::fmt::Display for SettingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

impl std::error::Error for SettingError {}

impl Settings {
    /// The keys that [`Settings::set`] takes, without `output.`.
    pub const KEYS: &'static [&'static str] = &[
        "dialects",
        "placement",
        "bare",
        "allow_echo",
        "trailing_silence",
        "heartbeat",
        "all_clear",
        "guard",
        "reply_to.also",
        "reply_to.max",
    ];

    /// Switches rules off by their ids, to prove that some test notices.
    #[cfg(feature = "mutants")]
    #[doc(hidden)]
    pub fn switch_off(&mut self, ids: &[String]) {
        self.rules = Rules::without(ids);
    }

    /// Whether a dialect is read.
    pub fn has(&self, dialect: Dialect) -> bool {
        self.dialects.contains(&dialect)
    }

    /// Takes one `output.KEY=VALUE` as it stands on a command line (`output.` may be left out). Lists are
    /// separated by commas; a guard name may say how it is read: `scratch`, `plan:reasoning`, `out:unwrap`.
    ///
    /// # Errors
    /// When there is no such key, or it does not take the value; the message says what it takes. Nothing is
    /// changed then.
    pub fn set_pair(&mut self, pair: &str) -> Result<(), SettingError> {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(SettingError {
                key: pair.to_owned(),
                message: "expected output.KEY=VALUE".to_owned(),
            });
        };
        self.set(key.trim(), value)
    }

    /// Sets one of [`Settings::KEYS`].
    ///
    /// # Errors
    /// As [`Settings::set_pair`].
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        let fail = |message: String| SettingError {
            key: key.to_owned(),
            message,
        };
        match key.strip_prefix("output.").unwrap_or(key) {
            "dialects" => {
                self.dialects = list(value, Dialect::from_code, Dialect::ALL, Dialect::code).map_err(fail)?;
            }
            "placement" => {
                self.placement =
                    one(value, Placement::from_code, Placement::ALL, Placement::code).map_err(fail)?;
            }
            "bare" => self.bare = one(value, Bare::from_code, Bare::ALL, Bare::code).map_err(fail)?,
            "allow_echo" => self.allow_echo = truth(value).map_err(fail)?,
            "trailing_silence" => {
                self.trailing_silence = one(
                    value,
                    TrailingSilence::from_code,
                    TrailingSilence::ALL,
                    TrailingSilence::code,
                )
                .map_err(fail)?;
            }
            "heartbeat" => self.heartbeat = truth(value).map_err(fail)?,
            "all_clear" => {
                let pattern = (!value.is_empty()).then(|| value.to_owned());
                all_clear(pattern.as_deref()).map_err(|e| fail(e.to_string()))?;
                self.all_clear = pattern;
            }
            "guard" => {
                self.guard = value
                    .split(',')
                    .map(str::trim)
                    .filter(|row| !row.is_empty())
                    .map(GuardRow::parse)
                    .collect::<Result<_, _>>()
                    .map_err(fail)?;
            }
            "reply_to.also" => value.clone_into(&mut self.reply_to.also),
            "reply_to.max" => {
                self.reply_to.max = value
                    .trim()
                    .parse()
                    .map_err(|_| fail("expected a number".to_owned()))?;
            }
            _ => {
                return Err(fail(format!(
                    "no such setting; there are {}",
                    Self::KEYS.join(", ")
                )));
            }
        }
        Ok(())
    }
}

fn truth(value: &str) -> Result<bool, String> {
    value
        .trim()
        .parse()
        .map_err(|_| "expected true or false".to_owned())
}

fn one<T: Copy>(
    value: &str,
    read: fn(&str) -> Option<T>,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, String> {
    let names = || all.iter().map(|v| name(*v)).collect::<Vec<_>>().join(", ");
    read(value.trim()).ok_or_else(|| format!("expected one of {}, not {value:?}", names()))
}

fn list<T: Copy>(
    value: &str,
    read: fn(&str) -> Option<T>,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<Vec<T>, String> {
    value
        .split(',')
        .filter(|v| !v.trim().is_empty())
        .map(|v| one(v, read, all, name))
        .collect()
}

/// The operator's pattern, made to match the whole text.
pub(crate) fn all_clear(pattern: Option<&str>) -> Result<Option<regex::Regex>, regex::Error> {
    pattern
        .map(|p| regex::Regex::new(&format!(r"\A(?:{p})\z")))
        .transpose()
}
