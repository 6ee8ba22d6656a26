//! Readers of what comes with a message: pages behind links, documents, and the thread that it stands in.

use crate::config::{Config, DocumentsConfig, LinkMode, LinksConfig};
use foldback_agents::{
    documents::{DocumentLimits, DocumentReader},
    links::{LinkReader, LinkText, Reach},
};
use foldback_wire::{MessageId, ReadThread};
use std::collections::BTreeMap;

/// The readers of a bot.
#[derive(Debug, Clone, Default)]
pub enum Readers {
    /// As the configuration says.
    #[default]
    Configured,
    /// Those of a replay, which reaches nobody and starts no program: the content of a PDF is its text.
    Replayed {
        /// What was read of links, or why nothing was.
        links: BTreeMap<String, Result<LinkText, String>>,
        /// What was read of the threads of these messages, and of no others; `None` where the simulated platform tells.
        threads: Option<BTreeMap<MessageId, ReadThread>>,
    },
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
            (Self::Replayed { links, .. }, _) => Some(LinkReader::knowing(links.clone())),
            (Self::Configured, LinkMode::Fetch) => Some(LinkReader::fetching(most, Reach::Public)?),
            (Self::Configured, LinkMode::Program) => {
                Some(LinkReader::of_program(config.command.clone(), most))
            }
        })
    }

    /// What was read of threads, by message; `None` where a channel is asked.
    pub(crate) fn threads(&self) -> Option<BTreeMap<MessageId, ReadThread>> {
        match self {
            Self::Configured => None,
            Self::Replayed { threads, .. } => threads.clone(),
        }
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
            Self::Replayed { .. } if pdf.is_empty() => DocumentReader::new(Vec::new(), limits),
            Self::Replayed { .. } => DocumentReader::plain(limits),
        })
    }
}
