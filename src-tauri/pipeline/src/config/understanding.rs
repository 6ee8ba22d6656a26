//! What the agent is given of files that it does not take itself, or not as text.

use super::{ByteSize, Interval};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings by which the agent is given the text of documents: plain text, source, CSV, JSON, HTML and PDF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentsConfig {
    /// Has documents read. An agent that takes files is given them as well.
    pub enabled: bool,
    /// Most characters of a document that the agent is given; the rest is left out, and it is told.
    pub max_chars: usize,
    /// Most pages of a PDF that are read.
    pub max_pages: usize,
    /// The longest wait for the text of a document.
    pub timeout: Interval,
    /// The program that reads PDF, with its arguments; without one no PDF is read. It is given the document as its input,
    /// and its output in UTF-8 is the text. `{pages}` in an argument is `max_pages`. No shell reads any of it.
    pub pdf: Vec<String>,
}

impl Default for DocumentsConfig {
    fn default() -> Self {
        let pdf = ["pdftotext", "-q", "-enc", "UTF-8", "-l", "{pages}", "-", "-"];
        Self {
            enabled: false,
            max_chars: 20_000,
            max_pages: 50,
            timeout: Interval::seconds(15),
            pdf: pdf.map(str::to_owned).to_vec(),
        }
    }
}

/// Settings by which an agent that is not given pictures has its own model describe them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DescriptionsConfig {
    /// Has pictures described, each in a request of its own. `openai` and `anthropic` can; an agent that takes pictures is
    /// given them instead.
    pub enabled: bool,
    /// Another model of the backend than the one that answers; that one when absent.
    pub model: Option<String>,
    /// Most pictures of one message.
    pub max_pictures: usize,
    /// Largest picture, inclusive.
    pub max_size: ByteSize,
    /// Most bytes of a description; the rest is left out, and the agent is told.
    pub max_length: usize,
    /// The longest wait for the description of a picture.
    pub timeout: Interval,
}

impl Default for DescriptionsConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            model: None,
            max_pictures: 3,
            max_size: ByteSize(3_000_000),
            max_length: 4_000,
            timeout: Interval::seconds(30),
        }
    }
}
