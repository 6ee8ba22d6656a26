//! Ids as newtypes. What a platform gives is a string and stays one (64-bit ids must never pass through a
//! float); what Foldback counts is a number below 2^53, so that it is exact in the window too.

use std::{fmt, sync::Arc};

/// Declares an id that is a platform's or a configuration's string. Its copies share the text: every event carries two.
macro_rules! text_id {
    ($($(#[$meta:meta])* $name:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, schemars::JsonSchema, ts_rs::TS)]
        #[schemars(transparent)]
        #[ts(type = "string")]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id of this text.
            pub fn new(text: impl Into<String>) -> Self {
                Self(Arc::from(Into::<String>::into(text)))
            }

            /// Its text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        // By hand: serde's own way is a feature that would let every shared value through, each as a copy.
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(Self::from)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

/// Declares an id that Foldback counts, from 1.
macro_rules! counted_id {
    ($($(#[$meta:meta])* $name:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize,
            serde::Deserialize, schemars::JsonSchema, ts_rs::TS)]
        #[serde(transparent)]
        #[ts(type = "number")]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

text_id! {
    /// A configured channel, such as `telegram` or `telegram-work`; the name of its table in the configuration.
    ChannelId;
    /// A chat on a channel: a direct conversation, a group, a room.
    ChatId;
    /// A thread or topic inside a chat.
    ThreadId;
    /// A message on a platform.
    MessageId;
    /// A person or bot on a platform.
    UserId;
    /// A conversation with its own context, as the session stage keys it, such as `telegram:42:alice`.
    SessionId;
    /// A tool call, as the agent names it.
    ToolId;
    /// A request for permission within a run, as the agent names it.
    PermissionId;
    /// A delivery request, as whoever makes it names it. One id is delivered once, also over restarts.
    DeliveryRequestId;
}

counted_id! {
    /// Place of an event in the journal; grows by one, never reused.
    Seq;
    /// One inbound message's way through the pipeline.
    TurnId;
    /// One run of an agent; late events of an abandoned run carry its id and are dropped.
    RunId;
    /// A reminder, by the number that people and agents call it by.
    ReminderId;
    /// One intended operation on a platform, from intent to outcome.
    OpId;
}
