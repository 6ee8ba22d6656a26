//! Turns children's tags into the directives that their rows say.

use super::{ChildRow, Makes, Part};
use crate::lex::{Source, attribute::Attribute, decode::decode, trimmed};
use crate::{
    Code, Directive, FileKind, Span,
    rules::{Rule as G, Rules},
};

impl FileKind {
    /// The extensions, in any case, that make a file of this kind where its tag does not say which it is. Every other
    /// one makes a [`FileKind::File`].
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Audio => &["ogg", "opus", "mp3", "m4a", "wav", "aac", "flac"],
            Self::Image => &[
                "png", "jpg", "jpeg", "gif", "webp", "bmp", "svg", "heic", "avif", "tif", "tiff",
            ],
            Self::File => &[],
        }
    }
}

/// The kind of a file by its extension.
fn kind_of(path: &str, rules: Rules) -> FileKind {
    let last = path.bytes().rposition(|b| matches!(b, b'/' | b'\\' | b'.'));
    let extension = last
        .filter(|at| path.as_bytes()[*at] == b'.')
        .map_or("", |at| &path[at + 1..]);
    let is_one = |kind: FileKind| {
        let mut known = kind.extensions().iter();
        known.any(|known| known.eq_ignore_ascii_case(extension))
    };
    if !rules.on(G::KindByExtension) {
        FileKind::File
    } else if is_one(FileKind::Audio) {
        FileKind::Audio
    } else if is_one(FileKind::Image) {
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
    /// What mends it when it is taken out, and what that does.
    pub(crate) fix: Option<(Span, &'static str)>,
}

/// Makes directives of children's tags, one at a time, in the same memory: a listener only borrows them.
#[derive(Debug)]
pub(crate) struct Maker {
    rules: Rules,
    /// What is wrong with the child that was read last.
    pub(crate) problems: Vec<Problem>,
    /// What was made last.
    made: Option<Directive>,
    /// The texts of what was made before.
    spare: Vec<String>,
}

impl Maker {
    pub(crate) fn new(rules: Rules) -> Self {
        Self {
            rules,
            problems: Vec::new(),
            made: None,
            spare: Vec::new(),
        }
    }

    /// Turns a child's tag, and the raw text it wraps, into a directive, if it is valid: whether it is.
    /// `problems` then has what is wrong with it.
    pub(crate) fn make(
        &mut self,
        row: &ChildRow,
        source: &Source,
        attributes: &[Attribute],
        content: Option<Span>,
        span: Span,
    ) -> bool {
        self.problems.clear();
        self.take_back();
        let mut reading = Reading {
            source,
            row,
            attributes,
            content,
            span,
            given: Default::default(),
            maker: self,
        };
        reading.read();
        self.made = reading.directive();
        self.made.is_some()
    }

    /// The directive that was made last.
    pub(crate) fn made(&self) -> Option<&Directive> {
        self.made.as_ref()
    }

    /// Keeps the texts of the directive that was made last. No directive has more of them than parts, so no
    /// more are kept.
    fn take_back(&mut self) {
        let spare = &mut self.spare;
        let mut keep = |text: &mut String| {
            if spare.len() < Part::ALL.len() {
                text.clear();
                spare.push(std::mem::take(text));
            }
        };
        match &mut self.made {
            None => {}
            Some(Directive::React { emoji, message, .. }) => {
                keep(emoji);
                message.iter_mut().for_each(keep);
            }
            Some(Directive::SendFile {
                path,
                caption,
                channel,
                chat,
                ..
            }) => {
                keep(path);
                [caption, channel, chat].into_iter().flatten().for_each(keep);
            }
            Some(Directive::Voice { text, .. }) => keep(text),
            Some(Directive::SendMessage {
                channel, chat, text, ..
            }) => [channel, chat, text].into_iter().for_each(keep),
        }
    }

    fn text(&mut self, text: &str) -> String {
        let mut owned = self.spare.pop().unwrap_or_default();
        owned.push_str(text);
        owned
    }
}

/// What a tag gives for one part of the directive.
#[derive(Debug, Clone, Copy, Default)]
struct Given<'a> {
    attribute: Option<&'a Attribute>,
    /// What it gives under the attribute's other name.
    or_else: Option<&'a Attribute>,
}

impl<'a> Given<'a> {
    fn in_order(self) -> impl Iterator<Item = &'a Attribute> {
        [self.attribute, self.or_else].into_iter().flatten()
    }
}

/// A child's tag while it is turned into a directive.
struct Reading<'a> {
    source: &'a Source,
    row: &'a ChildRow,
    attributes: &'a [Attribute],
    content: Option<Span>,
    span: Span,
    given: [Given<'a>; Part::ALL.len()],
    maker: &'a mut Maker,
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
                    kind: self.kind().unwrap_or_else(|| self.kind_of(&path)),
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
        self.content().or_else(|| self.required(Part::Text))
    }

    /// What the tag wraps, decoded and trimmed; nothing counts as absent.
    fn content(&mut self) -> Option<String> {
        let raw = self.source.str(self.content?);
        let text = if self.on(G::DecodeContent) {
            decode(self.source, raw)
        } else {
            raw.into()
        };
        let text = trimmed(&text).1;
        (!text.is_empty()).then(|| self.maker.text(text))
    }

    /// The value; an empty one counts as absent.
    fn value(&mut self, part: Part) -> Option<String> {
        let mut given = self.given(part).in_order().map(|a| a.text(self.source));
        let text = given.find(|text| !text.is_empty())?;
        Some(self.maker.text(&text))
    }

    /// The same without white space at its edges.
    fn trimmed(&mut self, part: Part) -> Option<String> {
        for a in self.given(part).in_order() {
            let text = a.text(self.source);
            let text = self.trim(&text);
            if !text.is_empty() {
                return Some(self.maker.text(text));
            }
        }
        None
    }

    fn trim<'b>(&self, value: &'b str) -> &'b str {
        if self.on(G::TrimValues) {
            trimmed(value).1
        } else {
            value
        }
    }

    fn required(&mut self, part: Part) -> Option<String> {
        let value = self.trimmed(part);
        if value.is_none() {
            let message = format!("<{}> needs {}", self.row.name, self.row.name_of(part));
            self.problem(Code::MissingAttribute, self.span, message, None);
        }
        value
    }

    fn on(&self, rule: G) -> bool {
        self.maker.rules.on(rule)
    }

    /// A value that the attribute does not take. Where an earlier one stands, that would count without it.
    fn wrong(&mut self, part: Part, a: &Attribute, takes: &str) {
        let (text, name) = (a.text(self.source), self.row.name_of(part));
        let message = format!("{name} takes {takes}, not {text:?}; it is ignored");
        let mut others = self.attributes.iter().filter(|b| b.name != a.name);
        let alone = !others.any(|b| b.is_named(self.source, name));
        self.source.spend(self.attributes.len());
        let fix = alone.then(|| (self.extent(a), "Take it out"));
        self.problem(Code::InvalidValue, a.span(self.source), message, fix);
    }

    fn problem(&mut self, code: Code, span: Span, message: String, fix: Option<(Span, &'static str)>) {
        self.maker.problems.push(Problem {
            code,
            span,
            message,
            fix,
        });
    }

    /// An attribute and the white space behind it, so that what follows stands in its place.
    fn extent(&self, a: &Attribute) -> Span {
        let span = a.span(self.source);
        let behind = self.source.bytes(span.end, self.span.end);
        let white = behind.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.source.spend(white + 1);
        Span::new(span.start, span.end + white)
    }

    fn kind_of(&self, path: &str) -> FileKind {
        self.source.spend(path.len());
        kind_of(path, self.maker.rules)
    }

    fn kind(&mut self) -> Option<FileKind> {
        let a = self.given(Part::Kind).attribute?;
        let text = a.text(self.source);
        let written = self.trim(&text);
        let kind = FileKind::from_code(&written.to_ascii_lowercase());
        if kind.is_none() && !written.is_empty() && self.on(G::WrongKind) {
            self.wrong(Part::Kind, a, "image, file or audio");
        }
        kind
    }

    fn cleanup(&mut self) -> bool {
        let Some(a) = self.given(Part::Cleanup).attribute else {
            return false;
        };
        let text = a.text(self.source);
        let written = self.trim(&text);
        let (yes, no) = (
            written.eq_ignore_ascii_case("true"),
            written.eq_ignore_ascii_case("false"),
        );
        if !yes && !no && self.on(G::WrongCleanup) {
            self.wrong(Part::Cleanup, a, "true or false");
        }
        yes
    }

    /// Takes what the tag gives for each part; attributes that the child does not have are ignored.
    fn read(&mut self) {
        for a in self.attributes {
            self.source.spend(self.row.attributes.len());
            for row in self.row.attributes {
                let given = &mut self.given[row.gives as usize];
                let slot = if a.is_named(self.source, row.name) {
                    &mut given.attribute
                } else if row.or_else.is_some_and(|name| a.is_named(self.source, name)) {
                    &mut given.or_else
                } else {
                    continue;
                };
                let before = *slot;
                if before.is_none() || self.maker.rules.on(G::LastWins) {
                    *slot = Some(a);
                }
                if let Some(before) = before.filter(|_| self.maker.rules.on(G::DuplicateReported)) {
                    let name = self.source.str(a.name);
                    let message = format!("{name} is given more than once; the last wins");
                    let fix = Some((self.extent(before), "Take the earlier one out"));
                    self.problem(Code::DuplicateAttribute, a.span(self.source), message, fix);
                }
                break;
            }
        }
    }
}
