//! Elements of one large JSON document, one after the other, so that the document is never held.
//!
//! An export is one object or one array, often of hundreds of megabytes, and often cut off. It is walked byte by byte: a
//! policy says for every value by its path whether it is taken, entered or skipped, and only what is taken is held.
//!
//! ```text
//! {"name": "Mira", "messages": [{"id": 1, …}, {"id": 2, …}]}
//!          taken               ^ entered ^ taken   ^ taken
//! ```
//!
//! A damaged element must not swallow the rest. A line break within a string is not JSON: the string is taken to end
//! there, and the element is damaged. It ends at the next line that begins as its own did, with the same white space and
//! an opening brace.

use crate::{DamageReason, Refusal, source::Source};

/// Longest key; of a longer one the beginning counts.
const KEY: usize = 256;

/// What is done with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// It is handed over whole.
    Take,
    /// Its elements are looked at one by one.
    Enter,
    /// It is passed over.
    Skip,
}

/// The path of a value: a key each, and `[]` for an element of an array.
pub(crate) type Path = Vec<String>;

/// A value that was taken.
pub(crate) struct Element {
    pub(crate) path: Path,
    pub(crate) line: u64,
    pub(crate) offset: u64,
    pub(crate) bytes: Result<Vec<u8>, DamageReason>,
}

struct Frame {
    /// The key that was read last; none in an array.
    key: Option<String>,
    /// A text that comes next is a key.
    expects_key: bool,
}

/// A walk through a document.
pub(crate) struct Elements<'s, 'a> {
    source: &'s mut Source<'a>,
    policy: fn(&[String]) -> Wanted,
    frames: Vec<Frame>,
    /// White space before the first byte of the line, while nothing else stood on it.
    indent: Option<usize>,
    /// The document began.
    begun: bool,
    /// Paths of all values, where they are asked for.
    seen: Option<Vec<Path>>,
}

impl<'s, 'a> Elements<'s, 'a> {
    pub(crate) fn new(source: &'s mut Source<'a>, policy: fn(&[String]) -> Wanted) -> Self {
        Self {
            source,
            policy,
            frames: Vec::new(),
            indent: Some(0),
            begun: false,
            seen: None,
        }
    }

    /// The same, noting the path of every value that begins.
    pub(crate) fn noting(mut self) -> Self {
        self.seen = Some(Vec::new());
        self
    }

    pub(crate) fn seen(self) -> Vec<Path> {
        self.seen.unwrap_or_default()
    }

    /// Whether the document has not ended yet.
    pub(crate) const fn is_open(&self) -> bool {
        !self.frames.is_empty() || !self.begun
    }

    /// Place of the next byte.
    pub(crate) const fn place(&self) -> (u64, u64) {
        (self.source.line(), self.source.offset())
    }

    /// The next value that is taken; `None` at the end of the document or of the file.
    pub(crate) fn next(&mut self) -> Result<Option<Element>, Refusal> {
        while let Some(byte) = self.source.peek()? {
            if self.begun && self.frames.is_empty() {
                return Ok(None);
            }
            match byte {
                b'\n' => {
                    self.source.pass();
                    self.indent = Some(0);
                }
                b' ' | b'\t' | b'\r' => {
                    self.source.pass();
                    self.indent = self.indent.map(|indent| indent + 1);
                }
                b',' | b':' => {
                    self.step();
                    if let Some(frame) = self.frames.last_mut() {
                        frame.expects_key = byte == b',' && frame.key.is_some();
                    }
                }
                b'}' | b']' => {
                    self.step();
                    self.frames.pop();
                    self.begun = true;
                }
                b'"' if self.frames.last().is_some_and(|frame| frame.expects_key) => {
                    let key = self.key()?;
                    if let Some(frame) = self.frames.last_mut() {
                        frame.key = Some(key);
                        frame.expects_key = false;
                    }
                }
                _ => {
                    if let Some(element) = self.value(byte)? {
                        return Ok(Some(element));
                    }
                }
            }
        }
        Ok(None)
    }

    fn step(&mut self) {
        self.source.pass();
        self.indent = None;
    }

    /// Reads a key, from its quote on.
    fn key(&mut self) -> Result<String, Refusal> {
        self.step();
        let mut key = Vec::new();
        let mut escaped = false;
        while let Some(byte) = self.source.peek()? {
            if byte == b'\n' {
                break;
            }
            self.source.pass();
            if byte == b'"' && !escaped {
                break;
            }
            escaped = byte == b'\\' && !escaped;
            if key.len() < KEY {
                key.push(byte);
            }
        }
        Ok(String::from_utf8_lossy(&key).into_owned())
    }

    fn path(&self) -> Path {
        self.frames
            .iter()
            .map(|frame| frame.key.clone().unwrap_or_else(|| "[]".to_owned()))
            .collect()
    }

    /// A value begins with this byte.
    fn value(&mut self, byte: u8) -> Result<Option<Element>, Refusal> {
        let path = self.path();
        let wanted = (self.policy)(&path);
        if let Some(seen) = &mut self.seen {
            seen.push(path.clone());
        }
        self.begun = true;
        if wanted == Wanted::Enter && matches!(byte, b'{' | b'[') {
            self.step();
            // As deep as the policy asks for, which is a few levels.
            self.frames.push(Frame {
                key: None,
                expects_key: byte == b'{',
            });
            return Ok(None);
        }
        let (line, offset) = self.place();
        let bytes = self.collect(byte, wanted == Wanted::Take)?;
        Ok((wanted == Wanted::Take).then_some(Element {
            path,
            line,
            offset,
            bytes,
        }))
    }

    /// Reads a value to its end; holds it where it is to be kept.
    fn collect(&mut self, first: u8, keep: bool) -> Result<Result<Vec<u8>, DamageReason>, Refusal> {
        let own_indent = self.indent.take();
        let limit = self.source.limit();
        let mut bytes = Vec::new();
        let (mut too_long, mut broken) = (false, false);
        let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
        // White space at the beginning of a line within the value.
        let mut indent = None;
        let scalar = !matches!(first, b'{' | b'[' | b'"');
        loop {
            let Some(byte) = self.source.peek()? else {
                let whole = scalar && !too_long;
                return Ok(if whole {
                    Ok(bytes)
                } else {
                    Err(DamageReason::CutOff)
                });
            };
            if scalar && matches!(byte, b',' | b'}' | b']' | b'\n' | b' ' | b'\t' | b'\r') {
                break;
            }
            if byte == b'{' && broken && own_indent.is_some() && indent == own_indent {
                // The element after the damaged one.
                self.indent = indent;
                return Ok(Err(DamageReason::NotJson));
            }
            self.source.pass();
            indent = match (byte, indent) {
                (b'\n', _) => Some(0),
                (b' ' | b'\t' | b'\r', Some(indent)) => Some(indent + 1),
                _ => None,
            };
            if keep && !too_long {
                if bytes.len() == limit {
                    too_long = true;
                    bytes = Vec::new();
                } else {
                    bytes.push(byte);
                    self.source.hold(bytes.capacity());
                }
            }
            if in_string {
                match byte {
                    b'\n' => {
                        (in_string, broken, escaped) = (false, true, false);
                    }
                    b'"' if !escaped => in_string = false,
                    _ => escaped = byte == b'\\' && !escaped,
                }
            } else {
                match byte {
                    b'"' => in_string = true,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            if !scalar && depth == 0 && !in_string {
                break;
            }
        }
        Ok(match (too_long, broken) {
            (true, _) => Err(DamageReason::TooLong),
            (_, true) => Err(DamageReason::NotJson),
            _ => Ok(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadLimits;

    fn messages(path: &[String]) -> Wanted {
        match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] | ["messages"] => Wanted::Enter,
            ["messages", "[]"] | ["name"] => Wanted::Take,
            _ => Wanted::Skip,
        }
    }

    fn walk(text: &str, line: usize) -> (Vec<String>, usize) {
        let limits = ReadLimits {
            line,
            ..ReadLimits::default()
        };
        let mut source = Source::new(Box::new(text.as_bytes()), limits);
        let mut elements = Elements::new(&mut source, messages);
        let mut found = Vec::new();
        while let Some(element) = elements.next().unwrap() {
            let what = match element.bytes {
                Ok(bytes) => String::from_utf8(bytes).unwrap(),
                Err(reason) => reason.code().to_owned(),
            };
            found.push(format!("{}@{}: {what}", element.path.join("."), element.line));
        }
        let peak = source.peak();
        (found, peak)
    }

    #[test]
    fn what_the_policy_takes_is_handed_over_and_the_rest_is_skipped() {
        let text = r#"{"name": "a\"]b", "other": {"messages": [1]}, "messages": [{"id": [1, "}"]}, 7, "x"], "end": 1}"#;
        let (found, _) = walk(text, 1_000);
        assert_eq!(
            found,
            [
                r#"name@1: "a\"]b""#,
                r#"messages.[]@1: {"id": [1, "}"]}"#,
                "messages.[]@1: 7",
                r#"messages.[]@1: "x""#
            ]
        );
    }

    #[test]
    fn a_damaged_element_does_not_swallow_the_next() {
        let text = "{\"messages\": [\n  {\"id\": 1, \"text\": \"no end},\n  {\"id\": 2},\n  {\"id\": 3\n";
        let (found, _) = walk(text, 1_000);
        assert_eq!(
            found,
            [
                "messages.[]@2: not_json",
                "messages.[]@3: {\"id\": 2}",
                "messages.[]@4: cut_off"
            ]
        );
    }

    #[test]
    fn an_element_over_the_limit_is_named_and_never_held() {
        let text = format!("{{\"messages\": [{{\"a\": \"{}\"}}, {{}}]}}", "x".repeat(200_000));
        let (found, peak) = walk(&text, 1_000);
        assert_eq!(found, ["messages.[]@1: too_long", "messages.[]@1: {}"]);
        assert!(peak < 70_000, "{peak}");
    }
}
