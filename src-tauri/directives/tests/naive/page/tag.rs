//! Tags.

use foldback_directives::Span;

use super::value;

/// An attribute: its name in lower case, its decoded value, and its bytes within the tag.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) span: Span,
}

#[derive(Debug, Clone)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) closing: bool,
    /// `<name/>`
    pub(super) empty: bool,
    pub(super) attributes: Vec<Attribute>,
    pub(super) len: usize,
}

pub(super) enum Read {
    Whole(Tag),
    /// The text ended in the tag and nothing in it forbids completion.
    CutOff {
        name: String,
    },
    /// It cannot be completed.
    Malformed {
        name: String,
    },
    No,
}

enum Stop {
    /// The text ended.
    Ended,
    /// What stands there is in no tag.
    Forbidden,
}

pub(super) const LONGEST_TAG: usize = 8_192;
const LONGEST_VALUE: usize = 4_096;

/// Inside tags.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

/// The length of a name at the start of `text`, or 0.
pub(super) fn name_len(text: &str) -> usize {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-');
    if text.starts_with(first) {
        text.find(|c| !rest(c)).unwrap_or(text.len())
    } else {
        0
    }
}

pub(super) fn space_len(text: &str) -> usize {
    text.len() - text.trim_start_matches(is_space).len()
}

/// Reads the tag at the start of `text`, which begins with `<` and ends where the message or the block ends.
pub(super) fn read(text: &str) -> Read {
    let closing = text.starts_with("</");
    let from = if closing { 2 } else { 1 };
    let len = name_len(&text[from..]);
    let name = text[from..from + len].to_ascii_lowercase();
    if len == 0 {
        return Read::No;
    }
    if closing {
        let end = from + len + space_len(&text[from + len..]);
        return match text[end..].chars().next() {
            Some('>') if end < LONGEST_TAG => Read::Whole(Tag {
                name,
                closing,
                empty: false,
                attributes: Vec::new(),
                len: end + 1,
            }),
            None if end < LONGEST_TAG => Read::CutOff { name },
            // With anything else in it, it is no tag.
            _ => Read::No,
        };
    }
    let mut attributes = Vec::new();
    let mut assigned = false;
    match inside(text, from + len, &mut attributes, &mut assigned) {
        Ok((len, empty)) if len <= LONGEST_TAG => Read::Whole(Tag {
            name,
            closing,
            empty,
            attributes,
            len,
        }),
        Err(Stop::Ended) if text.len() < LONGEST_TAG && !text.contains('>') => {
            if assigned || attributes.is_empty() {
                Read::CutOff { name }
            } else {
                Read::Malformed { name }
            }
        }
        _ => Read::Malformed { name },
    }
}

/// Attributes and the end of the tag; gives its length and whether it is empty.
fn inside(
    text: &str,
    mut at: usize,
    attributes: &mut Vec<Attribute>,
    assigned: &mut bool,
) -> Result<(usize, bool), Stop> {
    let mut apart = false;
    loop {
        let space = space_len(&text[at..]);
        apart |= space > 0;
        at += space;
        match text[at..].chars().next() {
            None => return Err(Stop::Ended),
            Some('>') => return Ok((at + 1, false)),
            Some('/') => {
                at += 1;
                at += space_len(&text[at..]);
                return match text[at..].chars().next() {
                    None => Err(Stop::Ended),
                    Some('>') => Ok((at + 1, true)),
                    Some(_) => Err(Stop::Forbidden),
                };
            }
            Some(_) => {}
        }
        let len = name_len(&text[at..]);
        if len == 0 || !apart {
            return Err(Stop::Forbidden);
        }
        let start = at;
        let name = text[at..at + len].to_ascii_lowercase();
        at += len;
        let before = at + space_len(&text[at..]);
        let mut value = String::new();
        apart = false;
        if text[before..].starts_with('=') {
            *assigned = true;
            at = before + 1;
            at += space_len(&text[at..]);
            let (len, quoted, decoded) = assignment(&text[at..])?;
            at += len;
            value = decoded;
            apart = quoted;
        }
        attributes.push(Attribute {
            name,
            value,
            span: Span::new(start, at),
        });
    }
}

/// The value at the start of `text`: its length, whether it was quoted, and what it means.
fn assignment(text: &str) -> Result<(usize, bool, String), Stop> {
    const QUOTES: &[(&str, &str)] = &[
        ("\\\"", "\\\""),
        ("\\'", "\\'"),
        ("\"", "\""),
        ("'", "'"),
        ("“", "”"),
        ("‘", "’"),
    ];
    if text.is_empty() || text == "\\" {
        return Err(Stop::Ended);
    }
    for (open, close) in QUOTES {
        let Some(rest) = text.strip_prefix(open) else {
            continue;
        };
        let plain = open.len() == 1;
        let mut at = 0;
        let end = loop {
            let tail = &rest[at..];
            if plain && tail.starts_with('\\') && tail[1..].starts_with(close) {
                at += 2;
            } else if tail.starts_with(close) {
                break Some(at);
            } else {
                match tail.chars().next() {
                    Some(c) => at += c.len_utf8(),
                    None => break None,
                }
            }
        };
        let value = &rest[..end.unwrap_or(rest.len())];
        if value.len() > LONGEST_VALUE || value::has_blank_line(value) {
            return Err(Stop::Forbidden);
        }
        let Some(end) = end else { return Err(Stop::Ended) };
        return Ok((open.len() + end + close.len(), true, value::decode(value)));
    }
    let mut len = text
        .find(|c| is_space(c) || matches!(c, '<' | '>' | '"' | '\'' | '`' | '='))
        .unwrap_or(text.len());
    let after = text[len..].trim_start_matches(is_space);
    if text[..len].ends_with('/') && after.starts_with('>') {
        len -= 1;
    }
    match text[len..].chars().next() {
        _ if len == 0 => Err(Stop::Forbidden),
        None => Err(Stop::Ended),
        Some(c) if is_space(c) || matches!(c, '>' | '/') => Ok((len, false, value::decode(&text[..len]))),
        Some(_) => Err(Stop::Forbidden),
    }
}
