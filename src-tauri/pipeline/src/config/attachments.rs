//! Settings of the files from people that the agent is given.

use super::{ByteSize, DescriptionsConfig, DocumentsConfig, Interval};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the files from people that the agent is given. What is left out is named to it, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AttachmentsConfig {
    /// Has files fetched.
    pub enabled: bool,
    /// The kinds that are, as far as the agent takes them.
    pub kinds: Vec<AttachmentKind>,
    /// Largest file, inclusive.
    pub max_size: ByteSize,
    /// Most files of one message.
    pub max_files: usize,
    /// Most bytes of one message's files together, inclusive.
    pub max_total: ByteSize,
    /// The time for which a turn waits for its files.
    pub timeout: Interval,
    /// The text of documents.
    pub documents: DocumentsConfig,
    /// Descriptions of pictures.
    pub descriptions: DescriptionsConfig,
}

impl Default for AttachmentsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            kinds: AttachmentKind::ALL.to_vec(),
            max_size: ByteSize(20_000_000),
            max_files: 10,
            max_total: ByteSize(50_000_000),
            timeout: Interval::seconds(30),
            documents: DocumentsConfig::default(),
            descriptions: DescriptionsConfig::default(),
        }
    }
}

/// The kind of a file, by its media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentKind {
    /// Pictures.
    Image,
    /// Sounds and voice notes.
    Audio,
    /// Moving pictures.
    Video,
    /// Everything else.
    Document,
}

impl AttachmentKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Image, Self::Audio, Self::Video, Self::Document];

    /// Its name in the configuration.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::Document => "document",
        }
    }

    /// The kind of files of a media type.
    pub(crate) fn of(media_type: &str) -> Self {
        match media_type.split('/').next() {
            Some("image") => Self::Image,
            Some("audio") => Self::Audio,
            Some("video") => Self::Video,
            _ => Self::Document,
        }
    }
}
