//! Which files of a message are understood for the agent, and how.

use super::media;
use foldback_agents::{
    AgentFile, PictureLimits,
    documents::{DocumentKind, DocumentReader},
    speech::Transcriber,
};
use foldback_wire::FileFate;

/// The way in which a file is to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnderstandingPlan {
    /// It is a voice message, to be written down.
    Transcribe,
    /// It is a picture, to be described.
    Describe,
    /// It is a document, whose text is to be read.
    Read(DocumentKind),
}

impl UnderstandingPlan {
    /// The fate of a file that the agent is given only so.
    pub(super) const fn fate(self) -> FileFate {
        match self {
            Self::Transcribe => FileFate::Transcribed,
            Self::Describe => FileFate::Described,
            Self::Read(_) => FileFate::Read,
        }
    }
}

/// A file that is to be understood.
#[derive(Debug)]
pub(crate) struct FileToUnderstand {
    /// Its place in the message.
    pub(crate) place: usize,
    pub(crate) plan: UnderstandingPlan,
    pub(crate) file: AgentFile,
}

/// The means by which files can be understood.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct UnderstandingMeans<'a> {
    /// True where voice messages are written down for the agent, which then need not take them.
    pub(crate) transcribes: bool,
    /// Reads documents.
    pub(crate) documents: Option<&'a DocumentReader>,
    /// The pictures that the agent's model describes; none where the agent is given them, or nobody describes any.
    pub(crate) describes: Option<PictureLimits>,
}

impl UnderstandingMeans<'_> {
    /// The way in which a file of this name and type is understood.
    pub(crate) fn plan(&self, name: &str, media_type: &str) -> Option<UnderstandingPlan> {
        let media_type = media::essence(media_type);
        let media_type = media_type.as_str();
        if self.transcribes && Transcriber::takes(media_type) {
            return Some(UnderstandingPlan::Transcribe);
        }
        if media::is_picture(media_type) {
            return self.describes.map(|_| UnderstandingPlan::Describe);
        }
        let kind = self.documents?.takes(name, media_type)?;
        Some(UnderstandingPlan::Read(kind))
    }
}
