//! `[[key:value]]` at the start of a message.

use foldback_directives::{Code, RangeReason as Why, Span};

use super::{Page, value::is_blank};

const LONGEST: usize = 256;

enum Key {
    ReplyTo,
    Flag(fn(&mut foldback_directives::Header) -> &mut Option<bool>),
    /// A tag may stand without a value.
    Tag(fn(&mut foldback_directives::Header) -> &mut Option<bool>),
}

fn key(name: &str) -> Option<Key> {
    Some(match name {
        "reply_to" => Key::ReplyTo,
        "ephemeral" => Key::Flag(|header| &mut header.ephemeral),
        "suppress_embeds" => Key::Flag(|header| &mut header.suppress_embeds),
        "silent" => Key::Flag(|header| &mut header.silent),
        "reply_to_current" => Key::Tag(|header| &mut header.reply_to_current),
        "audio_as_voice" => Key::Tag(|header| &mut header.audio_as_voice),
        _ => return None,
    })
}

/// What stands between the brackets at the start of `text`.
fn brackets(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("[[")?;
    let inside = &inside[..inside.find("]]")?];
    (inside.len() <= LONGEST && !inside.contains(['[', ']', '\n'])).then_some(inside)
}

/// Splits at the first colon and trims both sides.
fn split(inside: &str) -> (&str, Option<&str>) {
    match inside.split_once(':') {
        Some((key, value)) => (key.trim(), Some(value.trim())),
        None => (inside.trim(), None),
    }
}

impl Page<'_> {
    pub(super) fn header(&mut self) -> bool {
        let rest = &self.raw[self.at..];
        let Some(inside) = brackets(rest).filter(|_| self.begins()) else {
            return false;
        };
        let span = Span::new(self.at, self.at + inside.len() + 4);
        let (name, value) = split(inside);
        let underscored = name.to_ascii_lowercase().replace('-', "_");
        match (key(&underscored), value) {
            (Some(Key::ReplyTo | Key::Flag(_)) | None, None) => false,
            (Some(key), value) => {
                if self.echoed(span) {
                    self.report(Code::EchoedFromInput, span);
                    self.strip_to(span.end, Why::Echo);
                    return true;
                }
                if name.contains('-') {
                    self.report(Code::UnknownKey, span);
                }
                self.set(&key, value.unwrap_or("true"), span);
                self.strip_to(span.end, Why::Header);
                true
            }
            (None, Some(value)) => {
                let after = &rest[inside.len() + 4..];
                let alone = {
                    let next = after.trim_start_matches(is_blank);
                    next.is_empty()
                        || next.starts_with(['\n'])
                        || next.starts_with("\r\n")
                        || next.starts_with("[[")
                };
                let named = name.starts_with(|c: char| c.is_ascii_lowercase())
                    && name
                        .chars()
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'));
                if !named || !alone || value.starts_with("//") || value.starts_with(':') {
                    return false;
                }
                self.report(Code::UnknownKey, span);
                self.strip_to(span.end, Why::Header);
                true
            }
        }
    }

    fn set(&mut self, key: &Key, value: &str, span: Span) {
        let flag = match value.to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        let header = &mut self.out.header;
        let valid = match key {
            Key::ReplyTo => {
                let valid = self.settings.reply_to.accepts(value);
                if valid {
                    header.reply_to = Some(value.to_owned());
                }
                valid
            }
            Key::Flag(field) => {
                if flag.is_some() {
                    *field(header) = flag;
                }
                flag.is_some()
            }
            // `:false` clears a tag.
            Key::Tag(field) => {
                if let Some(flag) = flag {
                    *field(header) = flag.then_some(true);
                }
                flag.is_some()
            }
        };
        if !valid {
            self.report(Code::InvalidValue, span);
        }
    }
}
