//! Turns a child's tag into the directive that its row says.

use super::{ChildRow, Makes, Part};
use crate::lex::{Source, attribute::Attribute, trimmed};
use crate::{
    Code, Directive, FileKind, Span,
    rules::{Rule as G, Rules},
};
use std::borrow::Cow;

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

/// What a tag gives for one part of the directive.
#[derive(Debug, Clone, Copy, Default)]
struct Given<'a> {
    /// The attribute's name, where the child has one for it.
    name: Option<&'static str>,
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
    given: [Given<'a>; Part::ALL.len()],
    problems: &'a mut Vec<Problem>,
}

impl<'a> Reading<'a> {
    /// The directive, if everything it requires is there.
    fn directive(&mut self) -> Option<Directive> {
        let span = self.span;
        Some(match self.row.makes {
            Makes::React => Directive::React {
                emoji: self.required(Part::Emoji)?,
                message: self.trimmed(Part::Message),
                span,
            },
            Makes::SendFile => {
                let path = self.required(Part::Path)?;
                Directive::SendFile {
                    kind: self.kind().unwrap_or_else(|| kind_of(&path, self.rules)),
                    path,
                    caption: self.value(Part::Caption),
                    cleanup: self.cleanup(),
                    channel: self.trimmed(Part::Channel),
                    chat: self.trimmed(Part::Chat),
                    span,
                }
            }
            Makes::Voice => Directive::Voice {
                text: self.content_or_text()?,
                span,
            },
            Makes::SendMessage => {
                // All that is missing is said at once.
                let (channel, chat) = (self.required(Part::Channel), self.required(Part::Chat));
                let text = self.content_or_text();
                Directive::SendMessage {
                    channel: channel?,
                    chat: chat?,
                    text: text?,
                    span,
                }
            }
        })
    }

    fn given(&self, part: Part) -> Given<'a> {
        self.given[part as usize]
    }

    fn content_or_text(&mut self) -> Option<String> {
        self.content.take().or_else(|| self.required(Part::Text))
    }

    /// The value; an empty one counts as absent.
    fn value(&self, part: Part) -> Option<String> {
        let text = |a: Option<&Attribute>| Some(a?.text(self.source)).filter(|text| !text.is_empty());
        let given = self.given(part);
        text(given.attribute)
            .or_else(|| text(given.or_else))
            .map(Cow::into_owned)
    }

    /// The same without white space at its edges.
    fn trimmed(&self, part: Part) -> Option<String> {
        let text = |a: Option<&Attribute>| {
            let text = a?.text(self.source);
            let trimmed = self.trim(&text);
            (!trimmed.is_empty()).then(|| trimmed.to_owned())
        };
        let given = self.given(part);
        text(given.attribute).or_else(|| text(given.or_else))
    }

    fn trim<'b>(&self, value: &'b str) -> &'b str {
        if self.rules.on(G::TrimValues) {
            trimmed(value).1
        } else {
            value
        }
    }

    fn required(&mut self, part: Part) -> Option<String> {
        let value = self.trimmed(part);
        if value.is_none() {
            let what = self.given(part).name.unwrap_or(part.code());
            let message = format!("<{}> needs {what}", self.row.name);
            self.problem(Code::MissingAttribute, self.span, message);
        }
        value
    }

    fn wrong(&mut self, given: Given<'a>, a: &Attribute, takes: &str) {
        let (text, name) = (a.text(self.source), given.name.unwrap_or_default());
        let message = format!("{name} takes {takes}, not {text:?}; it is ignored");
        self.problem(Code::InvalidValue, a.span(self.source), message);
    }

    fn problem(&mut self, code: Code, span: Span, message: String) {
        self.problems.push(Problem { code, span, message });
    }

    fn kind(&mut self) -> Option<FileKind> {
        let given = self.given(Part::Kind);
        let a = given.attribute?;
        let text = a.text(self.source);
        let written = self.trim(&text);
        let kind = FileKind::from_code(&written.to_ascii_lowercase());
        if kind.is_none() && !written.is_empty() && self.rules.on(G::WrongKind) {
            self.wrong(given, a, "image, file or audio");
        }
        kind
    }

    fn cleanup(&mut self) -> bool {
        let given = self.given(Part::Cleanup);
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
            self.wrong(given, a, "true or false");
        }
        yes
    }

    /// Takes what the tag gives for each part; attributes that the child does not have are ignored.
    fn read(&mut self, attributes: &'a [Attribute]) {
        for row in self.row.attributes {
            self.given[row.gives as usize].name = Some(row.name);
        }
        for a in attributes {
            for row in self.row.attributes {
                let given = &mut self.given[row.gives as usize];
                let slot = if a.is_named(self.source, row.name) {
                    &mut given.attribute
                } else if row.or_else.is_some_and(|name| a.is_named(self.source, name)) {
                    &mut given.or_else
                } else {
                    continue;
                };
                let again = slot.is_some();
                if !again || self.rules.on(G::LastWins) {
                    *slot = Some(a);
                }
                if again && self.rules.on(G::DuplicateReported) {
                    let name = self.source.str(a.name);
                    let message = format!("{name} is given more than once; the last wins");
                    self.problem(Code::DuplicateAttribute, a.span(self.source), message);
                }
                break;
            }
        }
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
        given: Default::default(),
        problems,
    };
    reading.read(attributes);
    reading.directive()
}
