//! What is asked: the conversation so far, the prompt, and the pictures that came with it.

use super::{exchange::Exchange, history::Remembered};
use crate::{AgentFile, PictureLimits};
use base64::{Engine as _, engine::general_purpose::STANDARD};

/// What every protocol here takes of the pictures of a message: of each 5 MiB as base64, which is the least of what
/// they take (<https://docs.anthropic.com/en/docs/build-with-claude/vision>,
/// <https://platform.openai.com/docs/guides/images-vision>), and as many as stay within the 32 MB of a request to
/// Anthropic.
pub(crate) const PICTURES: PictureLimits = PictureLimits {
    bytes: 5 * 1024 * 1024 / 4 * 3,
    number: 6,
};

/// What stands before a summary of what was said, and behind it.
const SUMMARY: &str = "[Summary of what was said before]";
const SUMMARY_END: &str = "[End of the summary]";

/// One question.
pub(crate) struct Ask<'a> {
    /// The model that is asked, where the request names one.
    pub(crate) model: &'a str,
    /// What was said before, oldest first.
    pub(crate) history: Vec<Exchange>,
    /// The prompt.
    pub(crate) prompt: String,
    /// The pictures.
    pub(crate) images: Vec<Image>,
}

/// A picture.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) media_type: String,
    pub(crate) base64: String,
}

impl Image {
    fn of(file: &AgentFile) -> Self {
        Self {
            media_type: file.media_type.clone(),
            base64: STANDARD.encode(&file.bytes),
        }
    }

    /// The picture as a URL (RFC 2397).
    pub(crate) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.base64)
    }
}

impl<'a> Ask<'a> {
    /// Puts a question together. The files are those that the agent takes: pictures, within [`PICTURES`].
    /// A summary stands before the first prompt that is still there: no protocol has a place of its own for it.
    pub(crate) fn new(model: &'a str, before: Remembered, prompt: &str, files: &[AgentFile]) -> Self {
        let Remembered { summary, exchanges } = before;
        let (mut history, mut prompt) = (exchanges, prompt.to_owned());
        if let Some(summary) = summary {
            let first = history
                .first_mut()
                .map_or(&mut prompt, |exchange| &mut exchange.prompt);
            first.insert_str(0, &format!("{SUMMARY}\n{summary}\n{SUMMARY_END}\n\n"));
        }
        Self {
            model,
            history,
            prompt,
            images: files.iter().map(Image::of).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_pictures_of_a_message_fit_into_a_request() {
        let most = usize::try_from(PICTURES.bytes).expect("small");
        let file = AgentFile {
            name: "a.gif".to_owned(),
            media_type: "image/gif".to_owned(),
            bytes: vec![b'a'; most].into(),
        };
        let ask = Ask::new("m", Remembered::default(), "Look.", &vec![file; PICTURES.number]);
        let sizes: Vec<usize> = ask.images.iter().map(|image| image.base64.len()).collect();
        assert_eq!(sizes, [5 * 1024 * 1024; 6]);
        assert!(sizes.iter().sum::<usize>() < 32_000_000);
        assert!(ask.images[0].data_url().starts_with("data:image/gif;base64,YWFh"));
    }
}
