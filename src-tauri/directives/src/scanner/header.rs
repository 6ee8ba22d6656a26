//! `[[key:value]]` at the start of a message.

use super::{Next, Scanner, report};
use crate::lex::is_blank;
use crate::names::nearest;
use crate::rules::Rule as G;
use crate::{Code, Diagnostic, Fate, HoldReason, RangeReason, Sink, Span, Step};

/// Most bytes between the brackets.
pub(crate) const MAX_HEADER: usize = 256;

/// The known keys. A tag stands alone or with `:true` or `:false`; the others need a value.
pub const HEADER_KEYS: &[(&str, &str)] = &[
    ("reply_to", "The message to reply to."),
    (
        "ephemeral",
        "true: in a chat of several people only the sender sees the answer.",
    ),
    ("suppress_embeds", "true: no link previews."),
    ("silent", "true: no notification sound."),
    (
        "reply_to_current",
        "Reply to the message that triggered the turn.",
    ),
    ("audio_as_voice", "Audio files go out as voice notes."),
];

const TAGS: &[&str] = &["reply_to_current", "audio_as_voice"];

/// What stands between the brackets.
enum Inner<'a> {
    Known {
        key: &'static str,
        dashed: bool,
        value: Option<&'a str>,
    },
    Unknown,
    Text,
}

fn read(inner: &str) -> Inner<'_> {
    let (name, value) = match inner.split_once(':') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (inner.trim(), None),
    };
    let plain = name.replace('-', "_");
    let known = HEADER_KEYS
        .iter()
        .map(|(key, _)| *key)
        .find(|key| key.eq_ignore_ascii_case(&plain));
    match (known, value) {
        (Some(key), None) if !TAGS.contains(&key) => Inner::Text,
        (Some(key), value) => Inner::Known {
            key,
            dashed: name.contains('-'),
            value,
        },
        (None, Some(value)) if is_key(name) && !value.starts_with("//") && !value.starts_with(':') => {
            Inner::Unknown
        }
        _ => Inner::Text,
    }
}

fn is_key(name: &str) -> bool {
    let rest = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-');
    name.as_bytes().first().is_some_and(u8::is_ascii_lowercase) && name.bytes().all(rest)
}

/// `true` or `false`, in any case.
fn truth(value: &str) -> Option<bool> {
    [("true", true), ("false", false)]
        .iter()
        .find_map(|(word, truth)| value.eq_ignore_ascii_case(word).then_some(*truth))
}

/// Where the key stands in `text`, which is what is between the brackets.
fn name_in(inner: Span, text: &str) -> Span {
    let start = inner.start + text.len() - text.trim_start().len();
    let name = text.split(':').next().unwrap_or_default().trim();
    Span::new(start, start + name.len())
}

/// How far a header has arrived.
enum Bracket {
    /// The bytes between the brackets.
    Closed(Span),
    Text,
    Open,
}

impl Scanner {
    /// A `[` before the first text.
    pub(super) fn header(&mut self, sink: &mut dyn Sink) -> Next {
        let start = self.at;
        let until = Some(start + MAX_HEADER + 4);
        let inner = match self.bracket() {
            Bracket::Closed(inner) => inner,
            Bracket::Open if !self.source.ended => {
                return self.wait(HoldReason::HeaderOpen, G::HeaderForm, "[[", until);
            }
            Bracket::Open | Bracket::Text => return self.no_header(sink),
        };
        let span = Span::new(start, inner.end + 2);
        let text = self.source.str(inner).to_owned();
        match read(&text) {
            Inner::Text => return self.no_header(sink),
            Inner::Unknown => match self.alone_on_line(span.end) {
                None => return self.wait(HoldReason::HeaderOpen, G::UnknownKey, "[[", None),
                Some(alone) if !alone || !self.rules.on(G::UnknownKey) => return self.no_header(sink),
                Some(_) => {
                    self.hide(span, Fate::Strip, RangeReason::Header, sink);
                    self.unknown_key(span, inner, &text, sink);
                }
            },
            Inner::Known { key, dashed, value } => {
                let echo = self.echo.repeats_header(self.source.str(span));
                self.hide(
                    span,
                    Fate::Strip,
                    if echo {
                        RangeReason::Echo
                    } else {
                        RangeReason::Header
                    },
                    sink,
                );
                if echo {
                    let message = format!("[[{key}]] repeats the user's message; it does not count");
                    report(Code::EchoedFromInput, span, message, sink);
                    return Next::On;
                }
                if dashed && self.rules.on(G::DashedKey) {
                    let found = Diagnostic::new(Code::UnknownKey, span, format!("the key is written {key}"));
                    let found = found.with_fix(name_in(inner, &text), key, format!("Write {key}"));
                    sink.step(Step::Diagnostic(&found));
                }
                if self.apply(key, value) {
                    self.out.header_stands(span);
                } else if self.rules.on(G::InvalidKeyReported) {
                    let value = value.unwrap_or_default();
                    report(
                        Code::InvalidValue,
                        span,
                        format!("{key} does not take {value:?}; it is ignored"),
                        sink,
                    );
                }
            }
        }
        Next::On
    }

    /// A `[` that begins the text.
    fn no_header(&mut self, sink: &mut dyn Sink) -> Next {
        self.left_as_text(self.at + 2 * MAX_HEADER);
        self.show_one(sink)
    }

    /// `[[`, at most [`MAX_HEADER`] bytes without bracket or line break, `]]`.
    fn bracket(&mut self) -> Bracket {
        let (start, end) = (self.at, self.source.end());
        match self.source.byte(start + 1) {
            None => return Bracket::Open,
            Some(b'[') => {}
            Some(_) => return Bracket::Text,
        }
        let from = start + 2;
        if self.search.bracket.0 != from {
            self.search.bracket = (from, from);
        }
        let cap = from + MAX_HEADER + 1;
        let rest = self
            .source
            .bytes(self.search.bracket.1, end.min(cap).max(self.search.bracket.1));
        let skip = rest.iter().position(|b| matches!(b, b'[' | b']' | b'\n'));
        self.source.spend(skip.unwrap_or(rest.len()) + 1);
        self.search.bracket.1 += skip.unwrap_or(rest.len());
        let at = self.search.bracket.1;
        match (skip.and_then(|_| self.source.byte(at)), self.source.byte(at + 1)) {
            (Some(b']'), Some(b']')) => Bracket::Closed(Span::new(from, at)),
            (Some(b']'), None) => Bracket::Open,
            (Some(_), _) => Bracket::Text,
            (None, _) if at >= cap => Bracket::Text,
            (None, _) => Bracket::Open,
        }
    }

    /// Whether nothing but blanks, or another `[[`, follows on the line; `None` when it is not known yet.
    fn alone_on_line(&mut self, from: usize) -> Option<bool> {
        if self.search.white.0 != from {
            self.search.white = (from, from);
        }
        let rest = self.source.bytes(self.search.white.1, self.source.end());
        let blanks = rest.iter().take_while(|b| is_blank(**b)).count();
        self.source.spend(blanks + 2);
        self.search.white.1 += blanks;
        match &rest[blanks..] {
            [b'\n', ..] | [b'\r', b'\n', ..] | [b'[', b'[', ..] => Some(true),
            [] if self.source.ended => Some(true),
            [] | [b'\r' | b'['] if !self.source.ended => None,
            _ => Some(false),
        }
    }

    /// Reports a key that nobody knows, with the known one it is most like, if that takes its value.
    fn unknown_key(&self, span: Span, inner: Span, text: &str, sink: &mut dyn Sink) {
        let name = text.split(':').next().unwrap_or_default().trim();
        let mut found = Diagnostic::new(
            Code::UnknownKey,
            span,
            format!("{name} is no key of a header; it is ignored"),
        );
        let value = text.split_once(':').map(|(_, value)| value.trim());
        let keys = HEADER_KEYS.iter().map(|(key, _)| *key);
        if let Some(key) = nearest(&self.source, name, keys) {
            found.message = format!("{name} is no key of a header; did you mean {key}?");
            if self.takes(key, value) {
                found = found.with_fix(name_in(inner, text), key, format!("Write {key}"));
            }
        }
        sink.step(Step::Diagnostic(&found));
    }

    /// Whether a known key takes a value.
    fn takes(&self, key: &str, value: Option<&str>) -> bool {
        match key {
            "reply_to" => {
                self.settings.reply_to.accepts(value.unwrap_or_default()) || !self.rules.on(G::ReplyToForm)
            }
            _ => value.is_none_or(|value| truth(value).is_some()),
        }
    }

    /// Takes a known key; `false` when its value is invalid. An invalid value changes nothing.
    fn apply(&mut self, key: &str, value: Option<&str>) -> bool {
        let valid = self.takes(key, value);
        let header = &mut self.out.header;
        if key == "reply_to" {
            let id = value.unwrap_or_default();
            if valid && (header.reply_to.is_none() || self.rules.on(G::RepeatedKey)) {
                header.reply_to = Some(id.to_owned());
            }
            return valid;
        }
        let Some(truth) = value.map_or(Some(true), truth) else {
            return false;
        };
        match key {
            "ephemeral" => header.ephemeral = Some(truth),
            "suppress_embeds" => header.suppress_embeds = Some(truth),
            "silent" => header.silent = Some(truth),
            "reply_to_current" => header.reply_to_current = truth.then_some(true),
            "audio_as_voice" => header.audio_as_voice = truth.then_some(true),
            _ => return false,
        }
        true
    }
}
