//! Readers of what comes with a message: pages behind links, and documents.

use crate::config::{Config, DocumentsConfig, LinkMode, LinksConfig};
use foldback_agents::{
    documents::{DocumentLimits, DocumentReader},
    links::{LinkReader, LinkText, Reach},
};
use std::collections::BTreeMap;

/// The readers of a bot.
#[derive(Debug, Clone, Default)]
pub enum Readers {
    /// As the configuration says.
    #[default]
    Configured,
    /// Those of a replay, which reaches nobody and starts no program: of these links it is known what was read, or why
    /// nothing was, and the content of a PDF is its text.
    Replayed(BTreeMap<String, Result<LinkText, String>>),
}

impl Readers {
    /// The reader of links; `None` where they are text.
    ///
    /// # Errors
    /// The reason, in words, where no HTTP client can be made.
    pub(crate) fn links(&self, config: &LinksConfig) -> Result<Option<LinkReader>, String> {
        let most = usize::try_from(config.max_size.0).unwrap_or(usize::MAX);
        Ok(match (self, config.mode) {
            (_, LinkMode::Off) => None,
            (Self::Replayed(known), _) => Some(LinkReader::knowing(known.clone())),
            (Self::Configured, LinkMode::Fetch) => Some(LinkReader::fetching(most, Reach::Public)?),
            (Self::Configured, LinkMode::Program) => {
                Some(LinkReader::of_program(config.command.clone(), most))
            }
        })
    }

    /// The reader of documents; `None` where none is read.
    pub(crate) fn documents(&self, config: &Config) -> Option<DocumentReader> {
        let DocumentsConfig {
            enabled,
            max_chars,
            max_pages,
            pdf,
            ..
        } = &config.attachments.documents;
        let limits = DocumentLimits {
            characters: *max_chars,
            pages: *max_pages,
        };
        enabled.then(|| match self {
            Self::Configured => DocumentReader::new(pdf.clone(), limits),
            Self::Replayed(_) if pdf.is_empty() => DocumentReader::new(Vec::new(), limits),
            Self::Replayed(_) => DocumentReader::plain(limits),
        })
    }
}
