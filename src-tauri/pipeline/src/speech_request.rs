//! The words behind `/tts`, read.

use foldback_wire::SpeechMode;

/// The request of a `/tts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpeechRequest<'t> {
    /// To be told how the bot speaks.
    Status,
    /// To be told what can be written.
    Help,
    /// To have other answers spoken, or with `None` those of the configuration.
    Mode(Option<SpeechMode>),
    /// To change what the configuration alone decides, by its word.
    Configured(&'t str),
    /// To hear a text.
    Text(&'t str),
}

impl<'t> SpeechRequest<'t> {
    /// Reads what stands behind `/tts`. A word that means something does so alone, so that a text may begin with it;
    /// behind `audio` everything is text.
    pub(crate) fn read(written: &'t str) -> Self {
        let written = written.trim();
        let (first, rest) = written.split_once(char::is_whitespace).unwrap_or((written, ""));
        let is_text = || Self::Text(written);
        match (first.to_ascii_lowercase().as_str(), rest.trim_start()) {
            ("" | "status", "") => Self::Status,
            ("help" | "audio", "") => Self::Help,
            ("audio", text) => Self::Text(text),
            ("default" | "inherit", "") => Self::Mode(None),
            // With a value, such as `limit 500`.
            ("provider" | "limit" | "summary", value) if !value.contains(char::is_whitespace) => {
                Self::Configured(first)
            }
            (word, "") => SpeechMode::from_code(word).map_or_else(is_text, |mode| Self::Mode(Some(mode))),
            _ => is_text(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SpeechMode, SpeechRequest};

    #[test]
    fn a_word_means_something_alone_and_is_text_among_others() {
        for (written, read) in [
            ("", SpeechRequest::Status),
            (" Status ", SpeechRequest::Status),
            ("help", SpeechRequest::Help),
            ("audio", SpeechRequest::Help),
            ("ALWAYS", SpeechRequest::Mode(Some(SpeechMode::Always))),
            ("off", SpeechRequest::Mode(Some(SpeechMode::Off))),
            ("default", SpeechRequest::Mode(None)),
            ("limit 500", SpeechRequest::Configured("limit")),
            ("summary", SpeechRequest::Configured("summary")),
            ("audio off", SpeechRequest::Text("off")),
            ("off we go", SpeechRequest::Text("off we go")),
            ("limit your words", SpeechRequest::Text("limit your words")),
            ("hello", SpeechRequest::Text("hello")),
        ] {
            assert_eq!(SpeechRequest::read(written), read, "{written:?}");
        }
    }
}
