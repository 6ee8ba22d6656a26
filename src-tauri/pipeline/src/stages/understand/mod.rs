//! Files that came with a message, understood for the agent before it runs: voice messages are written down, pictures
//! described by the agent's own model, and the text of documents read.
//!
//! An example, for an agent that takes text only:
//!
//! ```text
//!   voice.ogg   gathered: transcribed   understood: transcript by whisper-1, 31 B in 1.2 s
//!   tide.png    gathered: described     understood: description by openai gpt-4o, 210 B in 2.9 s
//!   notes.pdf   gathered: unavailable   understood: no text by pdftotext after 15.0 s: it was not read within 15 s
//! ```
//!
//! What must hold:
//! - What was understood is data in the prompt, and never read for commands or directives, nor carried out where the agent
//!   repeats it.
//! - What was not is told to the agent by the file's name; the words of services and programs about it are for the journal.

mod prompt;

use super::gather::{FileToUnderstand, GatheredFiles, UnderstandingPlan};
use crate::{config::DescriptionsConfig, deadline::Deadline};
use foldback_agents::{
    Agent, AgentFile, DescriptionOrder,
    documents::{DocumentKind, DocumentReader},
    speech::Transcriber,
};
use foldback_wire::{Clock, FileFate, Inbound, Kind, Understanding, UnderstoodFile, redact::Redaction};
use futures::{StreamExt as _, stream};
use prompt::{entry, failed, file_section, voice_line, voice_section};
use std::{borrow::Cow, fmt::Write as _, time::Duration};
use tokio_util::sync::CancellationToken;

/// Files of a message that are understood at once.
const AT_ONCE: usize = 3;

/// The stage.
pub(crate) struct UnderstandStage<'a> {
    /// Writes voice messages down; `None` where nobody does.
    pub(crate) transcriber: Option<&'a Transcriber>,
    /// Reads documents; `None` where nobody does.
    pub(crate) documents: Option<&'a DocumentReader>,
    /// The longest wait for the text of a document.
    pub(crate) document_wait: Duration,
    pub(crate) descriptions: &'a DescriptionsConfig,
    /// The agent whose model describes pictures.
    pub(crate) agent: &'a dyn Agent,
    pub(crate) clock: &'a dyn Clock,
    /// Masks of secrets, where they are kept from the agent.
    pub(crate) masks: Option<&'a Redaction>,
    pub(crate) cancel: &'a CancellationToken,
}

/// What was understood of the files of a message.
#[derive(Debug, Default)]
pub(crate) struct UnderstoodFiles {
    /// One for each that was tried, in their order.
    pub(crate) files: Vec<UnderstoodFile>,
    /// The sections of the prompt; empty where none was.
    pub(crate) sections: String,
}

impl UnderstoodFiles {
    /// The words for the journal.
    pub(crate) fn events(&self) -> Vec<Kind> {
        self.files.iter().cloned().map(Kind::Understood).collect()
    }

    /// The texts that the agent is given.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &String> {
        self.files.iter().filter_map(|file| file.text.as_ref())
    }
}

/// A text, and where it comes from.
struct Words {
    text: String,
    /// Bytes of the whole text.
    bytes: usize,
    cut: bool,
}

/// The reason for which there are none.
struct NoWords {
    /// For the journal.
    why: String,
    /// For the agent.
    told: String,
}

impl NoWords {
    fn new(why: impl Into<String>) -> Self {
        let why = why.into();
        Self {
            told: why.clone(),
            why,
        }
    }
}

impl UnderstandStage<'_> {
    /// Understands the files that are to be, several at a time, and notes of each that could not be that it did not reach
    /// the agent, unless the agent is given it all the same.
    pub(crate) async fn understand(
        &self,
        message: &Inbound,
        gathered: &mut GatheredFiles,
    ) -> UnderstoodFiles {
        let mut asks = Vec::new();
        for file in std::mem::take(&mut gathered.to_understand) {
            asks.push(self.understand_one(file));
        }
        // In their order, whichever is understood first.
        let mut asks = stream::iter(asks).buffered(AT_ONCE);
        let (mut files, mut voices, mut others) = (Vec::new(), String::new(), Vec::new());
        while let Some((place, mut file, told)) = asks.next().await {
            if let Some(attachment) = message.files.get(place) {
                file.name.clone_from(&attachment.name);
            }
            if let Some(told) = &told
                && let Some(note) = gathered.notes.get_mut(place)
                && note.fate != FileFate::Given
            {
                note.fate = FileFate::Unavailable;
                note.why = format!("{}: {}", failed(file.how), file.why);
                note.told = Some(format!("{}: {told}", failed(file.how)));
            }
            match file.how {
                // Writing into a string cannot fail.
                Understanding::Transcript => drop(writeln!(voices, "{}", voice_line(&file, told.as_deref()))),
                _ => others.push(entry(&file, told)),
            }
            files.push(file);
        }
        let sections = voice_section(&voices) + &file_section(others);
        UnderstoodFiles { files, sections }
    }

    /// What is understood of one file, without its name; with the words for the agent where that is nothing.
    async fn understand_one(&self, file: FileToUnderstand) -> (usize, UnderstoodFile, Option<String>) {
        let FileToUnderstand { place, plan, file } = file;
        let began = self.clock.steady();
        let (how, mut by) = match plan {
            UnderstandingPlan::Transcribe => {
                let model = self.transcriber.map_or("", Transcriber::model);
                (Understanding::Transcript, model.to_owned())
            }
            UnderstandingPlan::Describe => (Understanding::Description, self.describer()),
            UnderstandingPlan::Read(_) => (Understanding::Text, String::new()),
        };
        let words = match plan {
            UnderstandingPlan::Transcribe => self.transcribe(&file.media_type, &file.bytes).await,
            UnderstandingPlan::Describe => {
                let limit = self.descriptions.timeout.0;
                let words = self.within(limit, self.describe(&file, &mut by));
                words.await
            }
            UnderstandingPlan::Read(kind) => {
                let words = self.within(self.document_wait, self.read(kind, &file.bytes, &mut by));
                words.await
            }
        };
        let took = self.clock.steady().since(began).as_millis();
        let mut understood = UnderstoodFile {
            index: u32::try_from(place).unwrap_or(u32::MAX),
            name: String::new(),
            how,
            by,
            took_ms: u64::try_from(took).unwrap_or(u64::MAX),
            text: None,
            bytes: 0,
            cut: false,
            why: String::new(),
        };
        let told = match words {
            Ok(Words { text, bytes, cut }) => {
                understood.text = Some(self.masked(text));
                understood.bytes = bytes as u64;
                understood.cut = cut;
                None
            }
            Err(NoWords { why, told }) => {
                understood.why = why;
                Some(told)
            }
        };
        (place, understood, told)
    }

    /// Words that are waited for no longer than this, and not for a turn that is cancelled.
    async fn within(
        &self,
        limit: Duration,
        words: impl Future<Output = Result<Words, NoWords>>,
    ) -> Result<Words, NoWords> {
        let words = Deadline::after(self.clock, limit).within(self.clock, words);
        match self.cancel.run_until_cancelled(words).await {
            None => Err(NoWords::new("the turn was cancelled first")),
            Some(None) => Err(NoWords::new(format!(
                "it was not done within {} s",
                limit.as_secs_f32()
            ))),
            Some(Some(words)) => words,
        }
    }

    async fn transcribe(&self, media_type: &str, bytes: &[u8]) -> Result<Words, NoWords> {
        let Some(transcriber) = self.transcriber else {
            return Err(NoWords::new("nobody writes it down"));
        };
        let text = transcriber
            .transcribe(media_type, bytes.to_vec(), self.cancel)
            .await;
        let text = text.map_err(|error| NoWords {
            why: error.to_string(),
            told: error.kind(),
        })?;
        Ok(Words {
            bytes: text.len(),
            cut: false,
            text,
        })
    }

    /// The backend and the model that are asked first.
    fn describer(&self) -> String {
        let model = self.descriptions.model.as_deref().or_else(|| self.agent.model());
        let model = model.map(|model| format!(" {model}")).unwrap_or_default();
        format!("{}{model}", self.agent.backend())
    }

    async fn describe(&self, picture: &AgentFile, by: &mut String) -> Result<Words, NoWords> {
        let order = DescriptionOrder {
            model: self.descriptions.model.clone(),
            most: self.descriptions.max_length,
        };
        let description = self.agent.describe(picture, &order, self.cancel.clone()).await;
        let description = description.map_err(|error| NoWords {
            why: error.to_string(),
            told: error.kind(),
        })?;
        *by = description.by;
        Ok(Words {
            cut: description.bytes > order.most,
            bytes: description.bytes,
            text: description.text,
        })
    }

    async fn read(&self, kind: DocumentKind, bytes: &[u8], by: &mut String) -> Result<Words, NoWords> {
        let Some(documents) = self.documents else {
            return Err(NoWords::new("nobody reads it"));
        };
        documents.reader_of(kind).clone_into(by);
        let text = documents.read(kind, bytes).await.map_err(|error| NoWords {
            why: error.to_string(),
            told: error.kind(),
        })?;
        Ok(Words {
            text: text.text,
            bytes: text.bytes,
            cut: text.cut,
        })
    }

    fn masked(&self, text: String) -> String {
        // Whole, before it is quoted: what is escaped is not recognised.
        match self.masks.map(|masks| masks.text(&text)) {
            Some(Cow::Owned(masked)) => masked,
            _ => text,
        }
    }
}

#[cfg(test)]
mod tests;
