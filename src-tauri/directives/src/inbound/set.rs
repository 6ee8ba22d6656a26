//! What the directives of one message set.

use super::words::{
    Elevated, ExecAsk, ExecHost, ExecSecurity, QueueDrop, QueueMode, Reasoning, Think, Verbose,
};

macro_rules! fields {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[$fmeta:meta])* pub $field:ident: Option<$type:ty> ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
        pub struct $name {
            $(
                $(#[$fmeta])*
                #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
                pub $field: Option<$type>,
            )+
        }
    };
}

fields! {
    /// The directives of a message. A directive that is there without a value is a question for the current one.
    pub struct Directives {
        /// `/think`.
        pub think: Option<Level<Think>>,
        /// `/verbose`.
        pub verbose: Option<Level<Verbose>>,
        /// `/reasoning`.
        pub reasoning: Option<Level<Reasoning>>,
        /// `/elevated`.
        pub elevated: Option<Level<Elevated>>,
        /// `/exec`.
        pub exec: Option<Exec>,
        /// `/status`.
        pub status: Option<Status>,
        /// `/model`, or the name of a model's alias.
        pub model: Option<Model>,
        /// `/queue`.
        pub queue: Option<Queue>,
    }
}

/// The value of a directive that takes one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
pub struct Level<T> {
    /// The value; `None` asks for it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub level: Option<T>,
}

impl<T> Default for Level<T> {
    fn default() -> Self {
        Self { level: None }
    }
}

/// `/status` asks and sets nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
pub struct Status {}

fields! {
    /// Where and how commands run. What is absent stays as it is.
    pub struct Exec {
        /// Where.
        pub host: Option<ExecHost>,
        /// Which.
        pub security: Option<ExecSecurity>,
        /// Whether a person is asked.
        pub ask: Option<ExecAsk>,
        /// The id of the paired machine.
        pub node: Option<String>,
    }
}

/// Which model answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
pub struct Model {
    /// `provider/model`, a model, an alias, or a number of the list that was shown last; `None` asks for it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub model: Option<String>,
    /// Whose credentials are used.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub profile: Option<String>,
    /// Whether it is for the session, even beside text (`--session`).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_false"))]
    pub session: bool,
}

/// How messages wait while a run is active. What is absent stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
pub struct Queue {
    /// What happens to a message.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub mode: Option<QueueMode>,
    /// How long it must be quiet before what was collected runs, in milliseconds; 0 does not wait.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub debounce_ms: Option<u64>,
    /// Most messages that wait, at least 1.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub cap: Option<u64>,
    /// Which one goes when there are more.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub drop: Option<QueueDrop>,
    /// Whether everything set before is cleared; then nothing else is set.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_false"))]
    pub reset: bool,
}

#[cfg(feature = "serde")]
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_false(value: &bool) -> bool {
    !*value
}
