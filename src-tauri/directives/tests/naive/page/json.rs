//! JSON actions.

use std::collections::HashMap;

use foldback_directives::{Code, Fate, JsonAction, RangeReason as Why, Span};
use serde_json::value::RawValue;

use super::{
    Page, What,
    tag::{is_space, space_len},
    value::is_blank,
};

const LARGEST: usize = 65_536;

/// The first key of an object at the start of `text`, as it is written, when a colon follows it, all within the
/// bound.
fn first_key(text: &str) -> Option<&str> {
    let rest = text[..text.floor_char_boundary(LARGEST)]
        .strip_prefix('{')?
        .trim_start_matches(is_space)
        .strip_prefix('"')?;
    let (key, after) = rest.split_once('"')?;
    after.trim_start_matches(is_space).starts_with(':').then_some(key)
}

/// Keys that may stand behind the payload of one action by itself.
const LATER: [&str; 5] = ["interface", "description", "meta", "safe", "metadata"];

/// The place where the payload of one action by itself begins: `{"type":"…","payload":{`, or the end of the message behind the
/// colon. `None` for any other object.
fn payload(text: &str) -> Option<usize> {
    let head = &text[..text.floor_char_boundary(LARGEST)];
    let mut rest = head.strip_prefix('{')?;
    for (sign, word) in [("", "\"type\""), (":", "\"")] {
        rest = rest.trim_start_matches(is_space).strip_prefix(sign)?;
        rest = rest.trim_start_matches(is_space).strip_prefix(word)?;
    }
    loop {
        let end = rest.find(|c: char| c == '"' || c == '\\' || c < ' ')?;
        let c = rest[end..].chars().next()?;
        rest = &rest[end + 1..];
        match c {
            '"' => break,
            // What is escaped does not end it.
            '\\' => rest = rest.strip_prefix(|c: char| c >= ' ')?,
            _ => return None,
        }
    }
    for (sign, word) in [(",", "\"payload\""), (":", "")] {
        rest = rest.trim_start_matches(is_space).strip_prefix(sign)?;
        rest = rest.trim_start_matches(is_space).strip_prefix(word)?;
    }
    let ends = rest.is_empty() && text.len() == head.len();
    (rest.starts_with('{') || ends).then_some(head.len() - rest.len())
}

/// The first key behind the payload that may not stand there, as the place behind its opening quote.
fn foreign_key(text: &str, payload: usize) -> Option<usize> {
    let mut from = payload;
    loop {
        let comma = from + next_comma(&text[from..])?;
        from = comma + 1;
        let Some(key) = text[from..].trim_start_matches(is_space).strip_prefix('"') else {
            continue;
        };
        // The end of the first part of it that no such key begins with.
        let parts = key.char_indices().map(|(at, c)| at + c.len_utf8());
        let may_be = |part: &str| LATER.iter().any(|later| format!("{later}\"").starts_with(part));
        let whole = |part: &str| LATER.iter().any(|later| format!("{later}\"") == part);
        let told = parts
            .map(|end| (end, &key[..end]))
            .find(|(_, part)| whole(part) || !may_be(part));
        let at = text.len() - key.len();
        match told {
            Some((_, part)) if whole(part) => {}
            Some((end, _)) => return (at + end <= LARGEST).then_some(at),
            None => return None,
        }
    }
}

/// The search for the payload of an object that names an action, without regard to how the rest is written.
enum Meant {
    /// It has one: it is an action, or malformed.
    Action,
    /// It is text; before this byte, from its `{`, nothing is a value.
    Text(usize),
}

/// What an object means whose `type` is one of these names, as it is written; `None` where it is none of them.
fn meant(text: &str, names: &[String]) -> Option<Meant> {
    // Open: what of it is read where it is longer than a value may be. Here: what a value may have.
    let head = &text[..text.floor_char_boundary(LARGEST)];
    let mut rest = head.strip_prefix('{')?;
    for (sign, word) in [("", "\"type\""), (":", "\"")] {
        rest = rest.trim_start_matches(is_space).strip_prefix(sign)?;
        rest = rest.trim_start_matches(is_space).strip_prefix(word)?;
    }
    let (name, _) = rest.split_once('"')?;
    if !names.iter().any(|known| known == name) {
        return None;
    }
    let text_from = |rest: &str| Some(Meant::Text(head.len() - rest.len()));
    // The name is followed by a comma, every other value by whatever JSON has up to one.
    rest = rest[name.len() + 1..].trim_start_matches(is_space);
    let Some(keys) = rest.strip_prefix(',') else {
        return text_from(rest);
    };
    rest = keys;
    loop {
        rest = rest.trim_start_matches(is_space);
        let Some(key) = rest.strip_prefix('"') else {
            return text_from(rest);
        };
        let end = match string_end(key) {
            Ok(end) => end,
            Err(wrong) => return text_from(&key[wrong..]),
        };
        if &key[..end] == "payload" {
            return Some(Meant::Action);
        }
        let value = &key[end + 1..];
        match next_key(value) {
            Ok(comma) => rest = &value[comma + 1..],
            Err(wrong) => return text_from(&value[wrong..]),
        }
    }
}

/// The closing quote of a string whose content `text` begins with; else the byte that cannot stand in it, or the end.
fn string_end(text: &str) -> Result<usize, usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            c if c < ' ' => return Err(at),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Ok(at),
            _ => {}
        }
    }
    Err(text.len())
}

/// The comma that ends the value before which `text` begins, in an object; else the byte that tells that there is none.
fn next_key(text: &str) -> Result<usize, usize> {
    let (mut depth, mut at) = (1_usize, 0);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' => at += 1 + string_end(&text[at + 1..]).map_err(|wrong| at + 1 + wrong)?,
            '{' | '[' => depth += 1,
            '}' | ']' if depth == 1 => return Err(at),
            '}' | ']' => depth -= 1,
            ',' if depth == 1 => return Ok(at),
            ',' | ':' | '+' | '-' | '.' => {}
            c if is_space(c) || c.is_ascii_alphanumeric() => {}
            _ => return Err(at),
        }
        at += 1;
    }
    Err(text.len())
}

/// The next comma between two keys of the object in which `text` begins.
fn next_comma(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    let (mut string, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if string => escaped = true,
            '"' => string = !string,
            _ if string => {}
            '{' | '[' => depth += 1,
            '}' | ']' if depth == 1 => return None,
            '}' | ']' => depth -= 1,
            ',' if depth == 1 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The end of the value at the start of `text`: where its brackets are balanced.
fn value_end(text: &str) -> Option<usize> {
    let (mut depth, mut string, mut escaped) = (0_usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if string => escaped = true,
            '"' => string = !string,
            _ if string => {}
            // Open: in malformed JSON any bracket closes any other.
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

impl Page<'_> {
    /// Where a value that begins there is too large, between two characters.
    fn bound(&self, start: usize) -> usize {
        self.raw.floor_char_boundary(start + LARGEST)
    }

    /// A `{`.
    pub(super) fn json(&mut self) -> bool {
        if self.inert || self.at < self.plain_to || !self.line_start() || !(self.shown() || self.begins()) {
            return false;
        }
        let rest = &self.raw[self.at..];
        match first_key(rest) {
            Some(key @ ("actions" | "type")) => {
                if key == "type" && self.is_plain(rest, self.at) {
                    return false;
                }
                let end = value_end(rest).unwrap_or(rest.len());
                let whole = Span::new(self.at, self.at + end);
                if end > LARGEST {
                    self.drop_actions(Span::new(self.at, self.bound(self.at)), whole.end);
                } else {
                    self.actions(whole, whole);
                }
                true
            }
            Some("system_message") => {
                self.inert = true;
                false
            }
            _ => false,
        }
    }

    /// A fence that ends `len` bytes further on, opened by `ticks` marks: whether it holds JSON actions and
    /// nothing else.
    pub(super) fn json_fence(&mut self, mark: char, ticks: usize, len: usize) -> bool {
        let rest = &self.raw[self.at..];
        let Some((info, _)) = rest[ticks..]
            .split_once('\n')
            .filter(|_| !self.inert && self.at >= self.plain_to)
        else {
            return false;
        };
        // Open: what may stand after the marks, and for how long. Here: no backtick, and the bound of a value.
        if ticks + info.len() + 1 > LARGEST || info.contains('`') {
            return false;
        }
        let content = ticks + info.len() + 1;
        let start = content + space_len(&rest[content..]);
        match first_key(&rest[start..]) {
            Some("actions") => {}
            Some("type") if !self.is_plain(&rest[start..len], self.at + start) => {}
            Some("system_message") => {
                self.inert = true;
                return false;
            }
            _ => return false,
        }
        let value = Span::new(self.at + start, self.at + len);
        let Some(end) = value_end(&rest[start..]).filter(|end| start + end <= len) else {
            // The fence or the message ends in the value.
            let end = value.end.min(self.bound(value.start));
            self.drop_actions(Span::new(self.at, end), value.end);
            return true;
        };
        if end > LARGEST {
            self.drop_actions(Span::new(self.at, self.bound(value.start)), value.start + end);
            self.take(value.end - self.at, What::Fence);
            return true;
        }
        let after = start + end + space_len(&rest[start + end..]);
        // Open: whether the closing marks need a line of their own. Here: not after the value.
        let marks = rest[after..].len() - rest[after..].trim_start_matches(mark).len();
        let blanks = rest[after + marks..].split('\n').next().unwrap_or_default();
        let closed = marks >= ticks && blanks.chars().all(|c| is_blank(c) || c == '\r');
        if !closed && after < rest.len() {
            return false;
        }
        let whole = Span::new(self.at, self.at + after + marks + blanks.len());
        self.actions(Span::new(value.start, value.start + end), whole);
        true
    }

    /// True where an object whose first key is `type` is text, and no action by itself.
    fn is_plain(&mut self, text: &str, at: usize) -> bool {
        match meant(text, &self.settings.action_names) {
            Some(Meant::Action) => return false,
            Some(Meant::Text(told)) => {
                self.plain_to = at + told;
                return true;
            }
            None => {}
        }
        let Some(payload) = payload(text) else {
            return true;
        };
        let foreign = foreign_key(text, payload);
        // Within it no value begins.
        self.plain_to = foreign.map_or(self.plain_to, |key| at + key);
        foreign.is_some()
    }

    /// Drops what cannot be read.
    fn drop_actions(&mut self, reported: Span, end: usize) {
        self.report(Code::MalformedDirective, reported);
        self.gone(end - self.at, Fate::Drop, Why::JsonActions);
    }

    fn actions(&mut self, value: Span, whole: Span) {
        let text = value.of(self.raw);
        let is_meant = meant(text, &self.settings.action_names).is_some();
        let is_so_written =
            |payload: usize| text[payload..].starts_with('{') && foreign_key(text, payload).is_none();
        let read =
            actions(text, value.start).filter(|_| !is_meant || payload(text).is_some_and(is_so_written));
        match read {
            Some(actions) => {
                self.hush |= actions.is_empty();
                self.out.actions.extend(actions);
                self.strip_to(whole.end, Why::JsonActions);
            }
            None => self.drop_actions(whole, whole.end),
        }
    }
}

/// The actions of a value, or `None` when it is malformed.
fn actions(text: &str, start: usize) -> Option<Vec<JsonAction>> {
    #[derive(serde::Deserialize)]
    struct Whole<'a> {
        #[serde(borrow)]
        actions: Vec<&'a RawValue>,
    }
    let read = |raw: &RawValue| {
        let at = start + (raw.get().as_ptr() as usize - text.as_ptr() as usize);
        // Read one level deep only: what is inside may be nested as deeply as it likes.
        let fields: HashMap<String, &RawValue> = serde_json::from_str(raw.get()).ok()?;
        Some(JsonAction {
            kind: serde_json::from_str(fields.get("type")?.get()).ok()?,
            payload: fields.get("payload").map_or("{}", |raw| raw.get()).to_owned(),
            span: Span::new(at, at + raw.get().len()),
        })
    };
    if first_key(text) == Some("type") {
        let whole: &RawValue = serde_json::from_str(text).ok()?;
        return Some(vec![read(whole)?]);
    }
    let whole: Whole<'_> = serde_json::from_str(text).ok()?;
    whole.actions.into_iter().map(read).collect()
}
