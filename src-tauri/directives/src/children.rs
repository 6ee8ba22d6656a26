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
    /// Another name, which counts where the first is not given.
    pub or_else: Option<&'static str>,
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
        or_else: None,
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
    /// Makes the directive of what the tag gives for each attribute, in the order of `attributes`.
    build: for<'a> fn(&mut Reading<'a>, &[Given<'a>; MOST]) -> Option<Directive>,
}

/// Most attributes of a child.
const MOST: usize = 6;

const _: () = {
    let mut index = 0;
    while index < CHILDREN.len() {
        assert!(CHILDREN[index].attributes.len() <= MOST, "each has its place");
        index += 1;
    }
};

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
        build: |r, [emoji, message, ..]| {
            Some(Directive::React {
                emoji: r.required(emoji)?,
                message: r.trimmed(message),
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
            AttributeRow {
                or_else: Some("file"),
                ..attribute(
                    "path",
                    true,
                    "The file, below the folder for outgoing files; `file` works too.",
                )
            },
            AttributeRow {
                or_else: Some("text"),
                ..attribute("caption", false, "Text beside the file; `text` works too.")
            },
            AttributeRow {
                name: "kind",
                or_else: None,
                required: false,
                values: &["image", "file", "audio"],
                about: "How it is sent; default is decided by the extension.",
            },
            AttributeRow {
                name: "cleanup",
                or_else: None,
                required: false,
                values: &["true", "false"],
                about: "Delete the file after it was sent.",
            },
            attribute("channel", false, "Another channel, where allowed."),
            attribute("chat", false, "Another chat, where allowed."),
        ],
        build: |r, [path, caption, kind, cleanup, channel, chat]| {
            let path = r.required(path)?;
            Some(Directive::SendFile {
                kind: r.kind(kind).unwrap_or_else(|| kind_of(&path, r.rules)),
                path,
                caption: r.value(caption).map(Cow::into_owned),
                cleanup: r.cleanup(cleanup),
                channel: r.trimmed(channel),
                chat: r.trimmed(chat),
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
        build: |r, _| {
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
        build: |r, [channel, chat, text, ..]| {
            let (channel, chat) = (r.required(channel), r.required(chat));
            let content = r.content.take();
            let text = content.or_else(|| r.required(text));
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

/// What a tag gives for one attribute.
#[derive(Debug, Clone, Copy, Default)]
struct Given<'a> {
    name: &'static str,
    attribute: Option<&'a Attribute>,
    /// What it gives under the attribute's other name.
    or_else: Option<&'a Attribute>,
}

/// A child's tag while it is turned into a directive.
struct Reading<'a> {
    source: &'a Source,
    row: &'a ChildRow,
    content: Option<String>,
    span: Span,
    rules: Rules,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Reading<'a> {
    /// The value; an empty one counts as absent.
    fn value(&self, given: &Given<'a>) -> Option<Cow<'a, str>> {
        let text = |a: Option<&Attribute>| Some(a?.text(self.source)).filter(|text| !text.is_empty());
        text(given.attribute).or_else(|| text(given.or_else))
    }

    /// The same without white space at its edges.
    fn trimmed(&self, given: &Given<'a>) -> Option<String> {
        let text = |a: Option<&Attribute>| {
            let text = a?.text(self.source);
            let trimmed = self.trim(&text);
            (!trimmed.is_empty()).then(|| trimmed.to_owned())
        };
        text(given.attribute).or_else(|| text(given.or_else))
    }

    fn trim<'b>(&self, value: &'b str) -> &'b str {
        if self.rules.on(G::TrimValues) {
            trimmed(value).1
        } else {
            value
        }
    }

    fn required(&mut self, given: &Given<'a>) -> Option<String> {
        self.trimmed(given).or_else(|| self.missing(given.name))
    }

    fn missing(&mut self, what: &str) -> Option<String> {
        let message = format!("<{}> needs {what}", self.row.name);
        self.problem(Code::MissingAttribute, self.span, message);
        None
    }

    fn wrong(&mut self, name: &str, a: &Attribute, takes: &str) {
        let text = a.text(self.source);
        let message = format!("{name} takes {takes}, not {text:?}; it is ignored");
        self.problem(Code::InvalidValue, a.span(self.source), message);
    }

    fn problem(&mut self, code: Code, span: Span, message: String) {
        self.problems.push(Problem { code, span, message });
    }

    fn kind(&mut self, given: &Given<'a>) -> Option<FileKind> {
        let a = given.attribute?;
        let text = a.text(self.source);
        let written = self.trim(&text);
        let kind = FileKind::from_code(&written.to_ascii_lowercase());
        if kind.is_none() && !written.is_empty() && self.rules.on(G::WrongKind) {
            self.wrong(given.name, a, "image, file or audio");
        }
        kind
    }

    fn cleanup(&mut self, given: &Given<'a>) -> bool {
        let Some(a) = given.attribute else {
            return false;
        };
        let text = a.text(self.source);
        let written = self.trim(&text);
        let (yes, no) = (
            written.eq_ignore_ascii_case("true"),
            written.eq_ignore_ascii_case("false"),
        );
        if !yes && !no && self.rules.on(G::WrongCleanup) {
            self.wrong(given.name, a, "true or false");
        }
        yes
    }

    /// What the tag gives for each attribute of the child; other attributes are ignored.
    fn given(&mut self, attributes: &'a [Attribute]) -> [Given<'a>; MOST] {
        let mut all = [Given::default(); MOST];
        for (given, row) in all.iter_mut().zip(self.row.attributes) {
            given.name = row.name;
        }
        for a in attributes {
            for (given, row) in all.iter_mut().zip(self.row.attributes) {
                let slot = if a.is_named(self.source, row.name) {
                    &mut given.attribute
                } else if row.or_else.is_some_and(|name| a.is_named(self.source, name)) {
                    &mut given.or_else
                } else {
                    continue;
                };
                if slot.is_some() && self.rules.on(G::DuplicateReported) {
                    let name = self.source.str(a.name);
                    let message = format!("{name} is given more than once; the last wins");
                    self.problem(Code::DuplicateAttribute, a.span(self.source), message);
                }
                if slot.is_none() || self.rules.on(G::LastWins) {
                    *slot = Some(a);
                }
                break;
            }
        }
        all
    }
}

/// Turns a child's tag, and the raw text it wraps, into a directive, if it is valid. What is wrong with it
/// is added to `problems`.
pub(crate) fn build(
    row: &ChildRow,
    source: &Source,
    attributes: &[Attribute],
    content: Option<Span>,
    span: Span,
    rules: Rules,
    problems: &mut Vec<Problem>,
) -> Option<Directive> {
    let content = content.map(|content| {
        let raw = source.str(content);
        let text = if rules.on(G::DecodeContent) {
            crate::lex::decode::decode(raw)
        } else {
            raw.into()
        };
        match text {
            Cow::Owned(text) if trimmed(&text).1.len() == text.len() => text,
            text => trimmed(&text).1.to_owned(),
        }
    });
    let mut reading = Reading {
        source,
        row,
        content: content.filter(|text| !text.is_empty()),
        span,
        rules,
        problems,
    };
    let given = reading.given(attributes);
    (row.build)(&mut reading, &given)
}
