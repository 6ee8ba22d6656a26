//! The children: what they require and what their attributes mean.

use foldback_directives::{Code, Directive, FileKind, Span};

use super::{
    tag::{Attribute, Tag},
    value,
};

pub(super) const CHILDREN: &[&str] = &["react", "send-file", "voice", "send-message"];
pub(super) const PAIRED: &[&str] = &["voice", "send-message"];

const AUDIO: &[&str] = &[".ogg", ".opus", ".mp3", ".m4a", ".wav", ".aac", ".flac"];
const IMAGES: &[&str] = &[
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg", ".heic", ".avif", ".tif", ".tiff",
];

/// The attributes that a child knows.
fn known(name: &str) -> &'static [&'static str] {
    match name {
        "react" => &["emoji", "message"],
        "send-file" => &[
            "path", "file", "caption", "text", "kind", "cleanup", "channel", "chat",
        ],
        "send-message" => &["channel", "chat", "text"],
        _ => &[],
    }
}

/// A child as it was read: the directive, unless something is missing, and the findings in the order found.
pub(super) struct Child {
    pub(super) directive: Option<Directive>,
    pub(super) findings: Vec<(Code, Span)>,
}

/// Reads a child whose tag begins at `lt` and which ends at `end`, content included.
pub(super) fn read(tag: &Tag, content: Option<&str>, lt: usize, end: usize) -> Child {
    let span = Span::new(lt, end);
    let mut findings = Vec::new();
    let of = |attribute: &Attribute| Span::new(lt + attribute.span.start, lt + attribute.span.end);
    for (at, attribute) in tag.attributes.iter().enumerate() {
        let before = &tag.attributes[..at];
        if known(&tag.name).contains(&attribute.name.as_str())
            && before.iter().any(|a| a.name == attribute.name)
        {
            findings.push((Code::DuplicateAttribute, of(attribute)));
        }
    }
    let last = |name: &str| tag.attributes.iter().rev().find(|a| a.name == name);
    let raw = |name: &str| {
        last(name)
            .map(|a| a.value.clone())
            .filter(|value| !value.is_empty())
    };
    let trimmed = |name: &str| {
        last(name)
            .map(|a| a.value.trim().to_owned())
            .filter(|value| !value.is_empty())
    };
    let said = content
        .map(|text| value::decode(text).trim().to_owned())
        .filter(|text| !text.is_empty());
    let missing = |is: bool, findings: &mut Vec<(Code, Span)>| {
        if is {
            findings.push((Code::MissingAttribute, span));
        }
    };
    let directive = match tag.name.as_str() {
        "react" => {
            let emoji = trimmed("emoji");
            missing(emoji.is_none(), &mut findings);
            emoji.map(|emoji| Directive::React {
                emoji,
                message: trimmed("message"),
                span,
            })
        }
        "send-file" => {
            let path = trimmed("path").or_else(|| trimmed("file"));
            missing(path.is_none(), &mut findings);
            path.map(|path| Directive::SendFile {
                kind: kind(last("kind"), &path, |a| {
                    findings.push((Code::InvalidValue, of(a)));
                }),
                cleanup: cleanup(last("cleanup"), |a| {
                    findings.push((Code::InvalidValue, of(a)));
                }),
                path,
                caption: raw("caption").or_else(|| raw("text")),
                channel: trimmed("channel"),
                chat: trimmed("chat"),
                span,
            })
        }
        "voice" => {
            missing(said.is_none(), &mut findings);
            said.map(|text| Directive::Voice { text, span })
        }
        _ => {
            let (channel, chat, text) = (
                trimmed("channel"),
                trimmed("chat"),
                said.or_else(|| trimmed("text")),
            );
            missing(channel.is_none(), &mut findings);
            missing(chat.is_none(), &mut findings);
            missing(text.is_none(), &mut findings);
            match (channel, chat, text) {
                (Some(channel), Some(chat), Some(text)) => Some(Directive::SendMessage {
                    channel,
                    chat,
                    text,
                    span,
                }),
                _ => None,
            }
        }
    };
    Child { directive, findings }
}

fn kind<'a>(given: Option<&'a Attribute>, path: &str, wrong: impl FnOnce(&'a Attribute)) -> FileKind {
    let value = given
        .map(|a| a.value.trim().to_ascii_lowercase())
        .unwrap_or_default();
    match value.as_str() {
        "image" => return FileKind::Image,
        "file" => return FileKind::File,
        "audio" => return FileKind::Audio,
        "" => {}
        _ => {
            if let Some(given) = given {
                wrong(given);
            }
        }
    }
    let path = path.to_ascii_lowercase();
    let ends = |with: &[&str]| with.iter().any(|extension| path.ends_with(extension));
    if ends(AUDIO) {
        FileKind::Audio
    } else if ends(IMAGES) {
        FileKind::Image
    } else {
        FileKind::File
    }
}

fn cleanup<'a>(given: Option<&'a Attribute>, wrong: impl FnOnce(&'a Attribute)) -> bool {
    let Some(given) = given else { return false };
    match given.value.trim().to_ascii_lowercase().as_str() {
        "true" => true,
        "false" => false,
        _ => {
            wrong(given);
            false
        }
    }
}
