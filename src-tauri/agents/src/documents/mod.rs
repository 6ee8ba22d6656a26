//! Reading of the text of documents for an agent: plain text and markup here, PDF by a program.
//!
//! Whoever writes to a bot chooses the bytes, so a document must neither end the bot nor fill its memory. An example: a
//! stranger sends a PDF of 20 MB that unpacks to 20 GB.
//!
//! ```text
//!   pdftotext - -      a process of its own: 1 GiB of memory, no shell, none of the bot's keys
//!   80 kB of output    more is not read, and the program is ended
//!   15 s               the wait of the pipeline; dropped, the program is gone with all that it started
//! ```
//!
//! What must hold:
//! - Of plain text no more bytes are looked at than the most characters can have; of a page of markup the first megabyte.
//! - No PDF is parsed in this process: a stack that overflows there cannot be caught, and would end every conversation.
//! - What is no text is refused by name, and never given as letters without a meaning.

mod kind;
mod plain;

pub use kind::DocumentKind;

use crate::page::Page;
use foldback_programs::Program;
use thiserror::Error;

/// Most bytes of a character.
const CHARACTER: usize = 4;
/// Most bytes of a page of markup that are read.
const MARKUP: usize = 1_000_000;
/// Most memory of the program that reads a PDF, in bytes.
const MEMORY: u64 = 1 << 30;

/// Bounds of the text of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentLimits {
    /// Characters; the rest is left out.
    pub characters: usize,
    /// Pages of a PDF; the rest is left out.
    pub pages: usize,
}

/// Reads documents.
#[derive(Debug, Clone)]
pub struct DocumentReader {
    pdf: PdfReader,
    limits: DocumentLimits,
}

/// The way in which a PDF is read.
#[derive(Debug, Clone)]
enum PdfReader {
    /// Nobody reads it.
    Nobody,
    Program(Vec<String>),
    /// In a replay: the lines behind the first one are the text, and a page of markup is read as it is.
    Plain,
}

/// The text of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentText {
    /// Its text, up to the bounds.
    pub text: String,
    /// Bytes of the whole text; where more stood there than was read, those of the document.
    pub bytes: usize,
    /// True where the rest is left out.
    pub cut: bool,
}

/// Reason for which a document was not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// Its bytes are no text, whatever its type and name say.
    #[error("its bytes are no text")]
    NoText,
    /// There are no words in it, as in a PDF of scanned pictures.
    #[error("there is no text in it")]
    Empty,
    /// The program failed.
    #[error("{program} failed: {detail}")]
    Program {
        /// Its name.
        program: String,
        /// Failure, as the program tells it.
        detail: String,
    },
    /// The reader failed.
    #[error("it could not be read: {0}")]
    Reader(String),
}

impl DocumentError {
    /// Failure in words of ours alone, for a place that other people's words may not reach.
    pub fn kind(&self) -> String {
        match self {
            Self::Program { program, .. } => format!("{program} failed"),
            Self::Reader(_) => "it could not be read".to_owned(),
            other => other.to_string(),
        }
    }
}

impl DocumentReader {
    /// A reader within bounds. PDF is read by this program with its arguments, of which `{pages}` is the most pages; it is
    /// given the document as its input, and its output in UTF-8 is the text. Without a program no PDF is read.
    pub fn new(pdf: Vec<String>, limits: DocumentLimits) -> Self {
        let pdf = if pdf.is_empty() {
            PdfReader::Nobody
        } else {
            PdfReader::Program(pdf)
        };
        Self { pdf, limits }
    }

    /// One for replays, which start no program: the text stands in for a page of markup, and for a PDF behind its first
    /// line.
    pub const fn plain(limits: DocumentLimits) -> Self {
        Self {
            pdf: PdfReader::Plain,
            limits,
        }
    }

    /// The kind of a document of this type and name; `None` for what is not read.
    pub fn takes(&self, name: &str, media_type: &str) -> Option<DocumentKind> {
        let kind = DocumentKind::of(name, media_type)?;
        let has_reader = kind != DocumentKind::Pdf || !matches!(self.pdf, PdfReader::Nobody);
        has_reader.then_some(kind)
    }

    /// Name of the reader of a kind: a program, or a library of ours.
    pub fn reader_of(&self, kind: DocumentKind) -> &str {
        match (kind, &self.pdf) {
            (DocumentKind::Pdf, PdfReader::Program(command)) => command.first().map_or("", String::as_str),
            (DocumentKind::Markup, _) => "html2text",
            _ => "foldback",
        }
    }

    /// The text of a document. Takes as long as its program does; dropped, it ends the program.
    ///
    /// # Errors
    /// The reason for which it was not read.
    pub async fn read(&self, kind: DocumentKind, bytes: &[u8]) -> Result<DocumentText, DocumentError> {
        let whole = bytes.len();
        let (text, cut) = match kind {
            DocumentKind::Markup if matches!(self.pdf, PdfReader::Plain) => {
                plain::decode(bytes, self.most_bytes())?
            }
            DocumentKind::Plain => plain::decode(bytes, self.most_bytes())?,
            DocumentKind::Markup => markup(bytes).await?,
            DocumentKind::Pdf => match &self.pdf {
                PdfReader::Program(command) => self.ask(command, bytes).await?,
                PdfReader::Plain | PdfReader::Nobody => {
                    let behind = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(whole);
                    plain::decode(&bytes[behind..], self.most_bytes())?
                }
            },
        };
        let text = text.trim();
        if text.is_empty() {
            return Err(DocumentError::Empty);
        }
        let fits = text.char_indices().nth(self.limits.characters);
        let end = fits.map_or(text.len(), |(end, _)| end);
        Ok(DocumentText {
            text: text[..end].trim_end().to_owned(),
            bytes: if cut { whole } else { text.len() },
            cut: cut || end < text.len(),
        })
    }

    /// The most bytes that the text can have.
    const fn most_bytes(&self) -> usize {
        self.limits.characters.saturating_mul(CHARACTER)
    }

    /// The text of a PDF, and whether there was more.
    async fn ask(&self, command: &[String], bytes: &[u8]) -> Result<(String, bool), DocumentError> {
        let pages = self.limits.pages.to_string();
        let command: Vec<_> = command
            .iter()
            .map(|part| part.replace("{pages}", &pages))
            .collect();
        let program = Program::of(&command).ok_or(DocumentError::NoText)?;
        let failed = |detail: String| DocumentError::Program {
            program: program.name().to_owned(),
            detail,
        };
        let end = program
            .clone()
            .with_memory(MEMORY)
            .run(bytes, self.most_bytes())
            .await
            .map_err(|error| failed(error.to_string()))?;
        if !end.cut && !end.status.success() {
            return Err(failed(
                format!("{} {}", end.status, end.complaint).trim().to_owned(),
            ));
        }
        // Each page ends with a form feed.
        let text = String::from_utf8_lossy(&end.output).replace('\u{c}', "\n");
        Ok((text, end.cut))
    }
}

/// The words of a page of markup, and whether it is longer than what was read.
async fn markup(bytes: &[u8]) -> Result<(String, bool), DocumentError> {
    let (text, cut) = plain::decode(bytes, MARKUP)?;
    // It takes its time, which is not to be that of every other conversation.
    let read = tokio::task::spawn_blocking(move || Page::Html.text(text.as_bytes())).await;
    let text = read.map_err(|error| DocumentError::Reader(error.to_string()))?;
    Ok((text, cut))
}

#[cfg(test)]
mod tests;
