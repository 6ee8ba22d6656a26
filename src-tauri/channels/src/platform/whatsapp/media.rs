//! The files that can be sent, to the real platform and to the simulated one:
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#supported-media-types>.

use crate::Refusal;
use foldback_wire::RefusalCode;
use std::path::Path;

/// As what a file is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Image,
    Video,
    Audio,
    Document,
}

impl Class {
    /// The type of its message, and the field that holds it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Document => "document",
        }
    }

    /// Most bytes.
    pub(crate) const fn limit(self) -> u64 {
        match self {
            Self::Image => 5_000_000,
            Self::Video | Self::Audio => 16_000_000,
            Self::Document => 100_000_000,
        }
    }
}

/// What a file is, as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Media {
    pub(crate) class: Class,
    pub(crate) mime: &'static str,
}

/// The media types, with the extensions of their files. What is only text goes as that.
const TYPES: &[(Class, &str, &[&str])] = &[
    (Class::Image, "image/jpeg", &["jpg", "jpeg"]),
    (Class::Image, "image/png", &["png"]),
    (Class::Audio, "audio/aac", &["aac"]),
    (Class::Audio, "audio/amr", &["amr"]),
    (Class::Audio, "audio/mpeg", &["mp3"]),
    (Class::Audio, "audio/mp4", &["m4a"]),
    (Class::Audio, OGG, &["ogg", "oga", "opus"]),
    (Class::Video, "video/mp4", &["mp4"]),
    (Class::Video, "video/3gpp", &["3gp"]),
    (Class::Document, "application/pdf", &["pdf"]),
    (Class::Document, "application/msword", &["doc"]),
    (Class::Document, "application/vnd.ms-excel", &["xls"]),
    (Class::Document, "application/vnd.ms-powerpoint", &["ppt"]),
    (
        Class::Document,
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        &["docx"],
    ),
    (
        Class::Document,
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        &["xlsx"],
    ),
    (
        Class::Document,
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        &["pptx"],
    ),
    (
        Class::Document,
        "text/plain",
        &[
            "txt", "csv", "tsv", "md", "log", "json", "jsonl", "yaml", "yml", "toml", "ini", "xml", "html",
            "css", "js", "ts", "py", "rs", "sh", "sql", "diff", "patch",
        ],
    ),
];

/// Voice notes are of this type only:
/// <https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/audio-messages#voice-messages>.
const OGG: &str = "audio/ogg";

impl Media {
    /// What the file of this path is.
    pub(crate) fn of(path: &str) -> Result<Self, Refusal> {
        let extension = Path::new(path)
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default();
        let is = |known: &&str| known.eq_ignore_ascii_case(extension);
        let found = TYPES.iter().find(|(.., extensions)| extensions.iter().any(is));
        found
            .map(|(class, mime, _)| Self { class: *class, mime })
            .ok_or_else(|| {
                Refusal::new(
                    RefusalCode::Unsupported,
                    format!(
                        "WhatsApp takes no files like {path}: only JPEG and PNG, MP4 and 3GP, AAC, AMR, MP3, M4A and \
                         Ogg/Opus, PDF, Office documents and text"
                    ),
                )
            })
    }

    /// Refuses a file of this kind that is larger than the platform takes.
    pub(crate) fn check_size(self, bytes: u64) -> Result<(), Refusal> {
        let (class, limit) = (self.class, self.class.limit());
        if bytes <= limit {
            return Ok(());
        }
        Err(Refusal::new(
            RefusalCode::TooLong,
            format!("{bytes} bytes; WhatsApp takes {limit} of {}", class.name()),
        ))
    }

    /// Whether it can be a voice note.
    pub(crate) fn is_voice(self) -> bool {
        self.mime == OGG
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_a_file_is() {
        for (path, class, mime) in [
            ("a/b.PNG", Class::Image, "image/png"),
            ("voice.opus", Class::Audio, "audio/ogg"),
            ("x.tar.pdf", Class::Document, "application/pdf"),
            ("data.csv", Class::Document, "text/plain"),
            ("clip.mp4", Class::Video, "video/mp4"),
        ] {
            assert_eq!(Media::of(path).unwrap(), Media { class, mime }, "{path}");
        }
        for path in ["x.zip", "x.gif", "x", ".png", "x.png.exe", ""] {
            let refusal = Media::of(path).unwrap_err();
            assert_eq!(refusal.code, RefusalCode::Unsupported, "{path}");
        }
    }
}
