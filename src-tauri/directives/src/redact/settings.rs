//! What the operator may say about redaction.

use super::{compile::PatternError, window::check};
use crate::{SettingError, closed::closed_set};

closed_set! {
    /// What happens to secrets in a user's own message.
    pub enum InboundSecrets {
        Journal = "journal": "The agent reads them; the journal does not keep them.",
        Agent = "agent": "Neither the agent nor the journal sees them.",
        Keep = "keep": "The agent reads them, and the journal keeps them.",
    }
}

/// A pattern of the operator: a regular expression over bytes (`\b`, `\d`, `\w` and `\s` are ASCII) of which
/// at most 512 bytes pass until it is certain. Its groups, or else all of it, are masked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
#[cfg_attr(feature = "serde", schemars(with = "String"))]
pub struct SecretPattern(String);

impl SecretPattern {
    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SecretPattern {
    type Error = PatternError;

    fn try_from(pattern: String) -> Result<Self, PatternError> {
        check(&pattern)?;
        Ok(Self(pattern))
    }
}

impl From<SecretPattern> for String {
    fn from(pattern: SecretPattern) -> Self {
        pattern.0
    }
}

/// A kind of secret that the operator knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ExtraSecret {
    /// What it is, for people.
    #[cfg_attr(feature = "serde", serde(default))]
    pub about: String,
    /// How it looks.
    pub pattern: SecretPattern,
}

/// Masking secrets in what is sent and kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct RedactSettings {
    /// Whether anything is masked.
    pub enabled: bool,
    /// Mask e-mail addresses too.
    pub email: bool,
    /// Mask phone numbers too.
    pub phone: bool,
    /// What happens to secrets in a user's own message.
    pub inbound: InboundSecrets,
    /// Texts that are never masked, such as a key that the documentation shows. Exactly as they stand.
    pub allow: Vec<String>,
    /// Secrets beside the known ones.
    pub extra: Vec<ExtraSecret>,
}

impl Default for RedactSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            email: false,
            phone: false,
            inbound: InboundSecrets::Journal,
            allow: Vec::new(),
            extra: Vec::new(),
        }
    }
}

impl RedactSettings {
    /// The keys that [`RedactSettings::set`] takes.
    pub const KEYS: &'static [&'static str] = &[
        "redact.enabled",
        "redact.email",
        "redact.phone",
        "redact.allow",
        "redact.extra",
    ];

    /// Sets one key, as it stands on a command line; `allow` and `extra` add one to the list.
    ///
    /// # Errors
    /// When there is no such key, or it does not take this value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        let fail = |message: String| SettingError {
            key: key.to_owned(),
            message,
        };
        let truth = || {
            value
                .trim()
                .parse()
                .map_err(|_| fail("expected true or false".to_owned()))
        };
        match key {
            "redact.enabled" => self.enabled = truth()?,
            "redact.email" => self.email = truth()?,
            "redact.phone" => self.phone = truth()?,
            "redact.allow" => self.allow.push(value.to_owned()),
            "redact.extra" => {
                let pattern =
                    SecretPattern::try_from(value.to_owned()).map_err(|error| fail(error.to_string()))?;
                self.extra.push(ExtraSecret {
                    about: String::new(),
                    pattern,
                });
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
