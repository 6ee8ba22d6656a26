//! The children of `<actions>`: one table that scanner, lint, completion, envelope and documents read.

use std::borrow::Cow;

use crate::lex::{Source, attribute::Attribute, trimmed};
use crate::{
    Code, Directive, FileKind, Span,
    rules::{Rule as G, Rules},
};

/// One attribute of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeRow {
    /// Its name.
    pub name: &'static str,
    /// Whether the child is nothing without it (an alternative may stand in, see `about`).
    pub required: bool,
    /// The values it takes, where they are few.
    pub values: &'static [&'static str],
    /// What it means.
    pub about: &'static str,
}

const fn attribute(name: &'static str, required: bool, about: &'static str) -> AttributeRow {
    AttributeRow {
        name,
        required,
        values: &[],
        about,
    }
}

/// One child of `<actions>`.
#[derive(Debug, Clone, Copy)]
pub struct ChildRow {
    /// The tag's name.
    pub name: &'static str,
    /// Whether it takes the text up to its closing tag.
    pub paired: bool,
    /// What it does, for a person and for the agent.
    pub about: &'static str,
    /// A correct example.
    pub example: &'static str,
    /// Its attributes.
    pub attributes: &'static [AttributeRow],
    build: fn(&mut Reading<'_>) -> Option<Directive>,
}

/// The children, one row each.
pub const CHILDREN: &[ChildRow] = &[
    ChildRow {
        name: "react",
        paired: false,
        about: "Reacts to a message with an emoji.",
        example: r#"<react emoji="thumbsup" />"#,
        attributes: &[
            attribute("emoji", true, "An alias, :alias: or Unicode emoji."),
            attribute(
                "message",
                false,
                "The message to react to; default is the one being answered.",
            ),
        ],
        build: |r| {
            let emoji = r.required("emoji")?;
            Some(Directive::React {
                emoji,
                message: r.trimmed("message"),
                span: r.span,
            })
        },
    },
    ChildRow {
        name: "send-file",
        paired: false,
        about: "Sends a file.",
        example: r#"<send-file path="report.pdf" caption="The report" />"#,
        attributes: &[
            attribute(
                "path",
                true,
                "The file, below the folder for outgoing files; `file` works too.",
            ),
            attribute("caption", false, "Text beside the file; `text` works too."),
            AttributeRow {
                name: "kind",
                required: false,
                values: &["image", "file", "audio"],
                about: "How it is sent; default is decided by the extension.",
            },
            AttributeRow {
                name: "cleanup",
                required: false,
                values: &["true", "false"],
                about: "Delete the file after it was sent.",
            },
            attribute("channel", false, "Another channel, where allowed."),
            attribute("chat", false, "Another chat, where allowed."),
        ],
        build: |r| {
            let path = r.trimmed("path").or_else(|| r.trimmed("file"));
            let path = path.or_else(|| r.missing("path"))?;
            let kind = r.kind().unwrap_or_else(|| kind_of(&path, r.rules));
            let caption = r
                .value("caption")
                .or_else(|| r.value("text"))
                .map(Cow::into_owned);
            let (cleanup, channel, chat) = (r.cleanup(), r.trimmed("channel"), r.trimmed("chat"));
            Some(Directive::SendFile {
                path,
                caption,
                kind,
                cleanup,
                channel,
                chat,
                span: r.span,
            })
        },
    },
    ChildRow {
        name: "voice",
        paired: true,
        about: "Says a text as a voice note.",
        example: "<voice>Good evening</voice>",
        attributes: &[],
        build: |r| {
            let text = r.content.take().or_else(|| r.missing("text"))?;
            Some(Directive::Voice { text, span: r.span })
        },
    },
    ChildRow {
        name: "send-message",
        paired: true,
        about: "Sends a message to another chat, where allowed.",
        example: r#"<send-message channel="slack" chat="C1">Done</send-message>"#,
        attributes: &[
            attribute("channel", true, "The channel."),
            attribute("chat", true, "The chat."),
            attribute("text", false, "The message, where the tag has no content."),
        ],
        build: |r| {
            let (channel, chat) = (r.required("channel"), r.required("chat"));
            let text = r
                .content
                .take()
                .or_else(|| r.trimmed("text"))
                .or_else(|| r.missing("text"));
            Some(Directive::SendMessage {
                channel: channel?,
                chat: chat?,
                text: text?,
                span: r.span,
            })
        },
    },
];

const AUDIO: &[&str] = &["ogg", "opus", "mp3", "m4a", "wav", "aac", "flac"];
const IMAGE: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "svg", "heic", "avif", "tif", "tiff",
];

/// The kind of a file by its extension.
fn kind_of(path: &str, rules: Rules) -> FileKind {
    let last = path.bytes().rposition(|b| matches!(b, b'/' | b'\\' | b'.'));
    let extension = last
        .filter(|at| path.as_bytes()[*at] == b'.')
        .map_or("", |at| &path[at + 1..]);
    let is_one = |known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(extension));
    if !rules.on(G::KindByExtension) {
        FileKind::File
    } else if is_one(AUDIO) {
        FileKind::Audio
    } else if is_one(IMAGE) {
        FileKind::Image
    } else {
        FileKind::File
    }
}

/// What is wrong with a child, not yet reported.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) code: Code,
    pub(crate) span: Span,
    pub(crate) message: String,
}

/// A child's tag while it is turned into a directive.
pub(crate) struct Reading<'a> {
    source: &'a Source,
    row: &'a ChildRow,
    attributes: &'a [Attribute],
    content: Option<String>,
    span: Span,
    rules: Rules,
    problems: Vec<Problem>,
}

impl<'a> Reading<'a> {
    /// The last attribute of this name.
    #[inline]
    fn attribute(&self, name: &str) -> Option<&'a Attribute> {
        let named = |a: &&Attribute| a.is_named(self.source, name);
        if self.rules.on(G::LastWins) {
            self.attributes.iter().rfind(named)
        } else {
            self.attributes.iter().find(named)
        }
    }

    /// Its value; an empty one counts as absent.
    #[inline]
    fn value(&self, name: &str) -> Option<Cow<'a, str>> {
        let text = self.attribute(name)?.text(self.source);
        (!text.is_empty()).then_some(text)
    }

    #[inline]
    fn trimmed(&self, name: &str) -> Option<String> {
        let value = self.value(name)?;
        let text = self.trim(&value);
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn trim<'b>(&self, value: &'b str) -> &'b str {
        if self.rules.on(G::TrimValues) {
            trimmed(value).1
        } else {
            value
        }
    }

    fn required(&mut self, name: &str) -> Option<String> {
        self.trimmed(name).or_else(|| self.missing(name))
    }

    fn missing(&mut self, what: &str) -> Option<String> {
        let message = format!("<{}> needs {what}", self.row.name);
        self.problems.push(Problem {
            code: Code::MissingAttribute,
            span: self.span,
            message,
        });
        None
    }

    fn wrong(&mut self, name: &str, a: &Attribute, takes: &str) {
        let text = a.text(self.source);
        let message = format!("{name} takes {takes}, not {text:?}; it is ignored");
        self.problems.push(Problem {
            code: Code::InvalidValue,
            span: a.span(),
            message,
        });
    }

    fn kind(&mut self) -> Option<FileKind> {
        let a = self.attribute("kind")?;
        let text = a.text(self.source);
        let written = self.trim(&text);
        let kind = FileKind::from_code(&written.to_ascii_lowercase());
        if kind.is_none() && !written.is_empty() && self.rules.on(G::WrongKind) {
            self.wrong("kind", a, "image, file or audio");
        }
        kind
    }

    fn cleanup(&mut self) -> bool {
        let Some(a) = self.attribute("cleanup") else {
            return false;
        };
        let text = a.text(self.source);
        let written = self.trim(&text);
        let (yes, no) = (
            written.eq_ignore_ascii_case("true"),
            written.eq_ignore_ascii_case("false"),
        );
        if !yes && !no && self.rules.on(G::WrongCleanup) {
            self.wrong("cleanup", a, "true or false");
        }
        yes
    }

    fn duplicates(&mut self) {
        let mut seen = 0_u32;
        for a in self.attributes {
            let rows = &mut self.row.attributes.iter();
            let Some(index) = rows.position(|row| a.is_named(self.source, row.name)) else {
                continue;
            };
            if seen & 1 << index != 0 {
                let name = self.row.attributes[index].name;
                let message = format!("{name} is given more than once; the last wins");
                self.problems.push(Problem {
                    code: Code::DuplicateAttribute,
                    span: a.span(),
                    message,
                });
            }
            seen |= 1 << index;
        }
    }
}

/// Turns a child's tag, and the raw text it wraps, into a directive, if it is valid.
pub(crate) fn build(
    row: &ChildRow,
    source: &Source,
    attributes: &[Attribute],
    content: Option<Span>,
    span: Span,
    rules: Rules,
) -> (Option<Directive>, Vec<Problem>) {
    let content = content.map(|content| {
        let raw = source.str(content);
        let text = if rules.on(G::DecodeContent) {
            crate::lex::decode::decode(raw)
        } else {
            raw.into()
        };
        trimmed(&text).1.to_owned()
    });
    let content = content.filter(|text| !text.is_empty());
    let mut reading = Reading {
        source,
        row,
        attributes,
        content,
        span,
        rules,
        problems: Vec::new(),
    };
    let directive = (row.build)(&mut reading);
    if rules.on(G::DuplicateReported) {
        reading.duplicates();
    }
    (directive, reading.problems)
}
