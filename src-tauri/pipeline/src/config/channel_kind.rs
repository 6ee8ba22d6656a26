//! Kinds of channels, as a configuration names them.

use foldback_channels::{CHANNEL_KINDS, ChannelKindRow, channel_kind};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{borrow::Cow, fmt};

/// The kind of platform at the other end of a channel.
#[derive(Clone, Copy)]
pub enum ChannelKind {
    /// A simulated platform, in this process or in another one.
    Loopback,
    /// A real platform, through the adapter of a row.
    Real(&'static ChannelKindRow),
}

const LOOPBACK: &str = "loopback";

impl ChannelKind {
    /// The kind of a code.
    pub fn from_code(code: &str) -> Option<Self> {
        if code == LOOPBACK {
            return Some(Self::Loopback);
        }
        channel_kind(code).map(Self::Real)
    }

    /// The word of `kind`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Loopback => LOOPBACK,
            Self::Real(row) => row.code,
        }
    }

    fn codes() -> impl Iterator<Item = &'static str> {
        std::iter::once(LOOPBACK).chain(CHANNEL_KINDS.iter().map(|row| row.code))
    }
}

impl PartialEq for ChannelKind {
    fn eq(&self, other: &Self) -> bool {
        self.code() == other.code()
    }
}

impl Eq for ChannelKind {}

impl fmt::Debug for ChannelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for ChannelKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for ChannelKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = Cow::<str>::deserialize(deserializer)?;
        Self::from_code(&code).ok_or_else(|| {
            let known: Vec<_> = Self::codes().map(|code| format!("`{code}`")).collect();
            let known = known.join(", ");
            D::Error::custom(format_args!("unknown variant `{code}`, expected one of {known}"))
        })
    }
}

impl JsonSchema for ChannelKind {
    fn schema_name() -> Cow<'static, str> {
        "ChannelKind".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "The kind of platform at the other end of a channel.",
            "enum": Self::codes().collect::<Vec<_>>(),
        })
    }
}
