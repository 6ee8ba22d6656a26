//! A strict reader of JSON, just enough to take actions out of a value and to refuse what is none.

mod part;

pub(crate) use part::{JsonPart, part_of_json};

use crate::lex::Source;
use crate::{JsonAction, Span};

/// The actions of `{"actions":[{"type":…,"payload":…},…]}`, or `None` when it is malformed.
pub(super) fn actions(source: &Source, span: Span) -> Option<Vec<JsonAction>> {
    let text = source.str(span);
    let mut reader = Reader { source, text, at: 0 };
    let mut actions = None;
    reader.object(|reader, key| {
        if key == "actions" && actions.is_none() {
            let mut list = Vec::new();
            reader.array(|reader| reader.action(span.start).map(|action| list.push(action)))?;
            actions = Some(list);
            Some(())
        } else {
            reader.value()
        }
    })?;
    reader.white();
    actions.filter(|_| reader.at == text.len())
}

/// The action of `{"type":…,"payload":…}`, or `None` when it is malformed.
pub(super) fn one(source: &Source, span: Span) -> Option<JsonAction> {
    let text = source.str(span);
    let mut reader = Reader { source, text, at: 0 };
    let action = reader.action(span.start)?;
    (reader.at == text.len()).then_some(action)
}

struct Reader<'a> {
    /// Counts what was examined.
    source: &'a Source,
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn white(&mut self) {
        let from = self.at;
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.source.spend(self.at - from + 1);
    }

    fn take(&mut self, b: u8) -> Option<()> {
        self.white();
        (self.peek()? == b).then(|| self.at += 1)
    }

    /// Whether `b` comes next; takes it if so.
    fn if_next(&mut self, b: u8) -> bool {
        self.take(b).is_some()
    }

    fn action(&mut self, base: usize) -> Option<JsonAction> {
        self.white();
        let start = self.at;
        let (mut kind, mut payload) = (None, "{}");
        self.object(|reader, key| {
            reader.white();
            let from = reader.at;
            if key == "type" {
                kind = Some(reader.string()?);
                return Some(());
            }
            reader.value()?;
            if key == "payload" {
                payload = &reader.text[from..reader.at];
            }
            Some(())
        })?;
        let span = Span::new(base + start, base + self.at);
        Some(JsonAction {
            kind: kind?,
            payload: payload.to_owned(),
            span,
        })
    }

    fn object(&mut self, mut entry: impl FnMut(&mut Self, &str) -> Option<()>) -> Option<()> {
        self.list(b'{', b'}', |reader| {
            let key = reader.key()?;
            entry(reader, &key)
        })
    }

    fn array(&mut self, item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.list(b'[', b']', item)
    }

    fn list(&mut self, open: u8, close: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(open)?;
        if !self.if_next(close) {
            loop {
                item(self)?;
                if !self.if_next(b',') {
                    break;
                }
            }
            self.take(close)?;
        }
        Some(())
    }

    /// Any value. It may be nested as deeply as it has bytes, so what is open is kept here and not on the stack.
    fn value(&mut self) -> Option<()> {
        let mut open = Vec::new();
        loop {
            self.white();
            match self.peek()? {
                b'{' => {
                    self.at += 1;
                    if !self.if_next(b'}') {
                        self.key()?;
                        open.push(b'}');
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    if !self.if_next(b']') {
                        open.push(b']');
                        continue;
                    }
                }
                b'"' => drop(self.string()?),
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => self.number()?,
            }
            // A value has ended: the next follows, or what holds it ends too.
            loop {
                let Some(close) = open.last().copied() else {
                    return Some(());
                };
                if self.if_next(b',') {
                    if close == b'}' {
                        self.key()?;
                    }
                    break;
                }
                self.take(close)?;
                open.pop();
            }
        }
    }

    fn key(&mut self) -> Option<String> {
        let key = self.string()?;
        self.take(b':')?;
        Some(key)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.text[self.at..]
            .starts_with(word)
            .then(|| self.at += word.len())
    }

    fn digits(&mut self) -> Option<()> {
        let digits = self.text.as_bytes()[self.at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        self.source.spend(digits + 1);
        self.at += digits;
        (digits > 0).then_some(())
    }

    fn number(&mut self) -> Option<()> {
        self.at += usize::from(self.peek() == Some(b'-'));
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Some(())
    }

    fn string(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut text = String::new();
        loop {
            let rest: &'a str = &self.text[self.at..];
            let plain = rest.find(|c: char| c == '"' || c == '\\' || c < ' ');
            self.source.spend(plain.unwrap_or(rest.len()) + 1);
            let plain = plain?;
            text.push_str(&rest[..plain]);
            self.at += plain + 1;
            match rest.as_bytes()[plain] {
                b'"' => return Some(text),
                b'\\' => text.push(self.escape()?),
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let b = self.peek()?;
        self.at += 1;
        Some(match b {
            b'"' | b'\\' | b'/' => char::from(b),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                if (0xD800..0xDC00).contains(&high) && self.text[self.at..].starts_with("\\u") {
                    let back = self.at;
                    self.at += 2;
                    let low = self.hex()?;
                    if (0xDC00..0xE000).contains(&low) {
                        return char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
                    }
                    self.at = back;
                }
                char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return None,
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        digits
            .bytes()
            .all(|b| b.is_ascii_hexdigit())
            .then(|| u32::from_str_radix(digits, 16).ok())?
    }
}
