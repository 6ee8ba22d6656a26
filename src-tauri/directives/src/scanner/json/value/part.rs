//! The bytes of a part of a JSON value, for findings about it. It is read as actions are.

use super::Reader;
use crate::{Span, lex::Source};

/// A part of a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JsonPart {
    /// Its key with the quotes, where it stands in an object.
    pub(crate) key: Option<Span>,
    pub(crate) value: Span,
    /// True where all of the path is there.
    pub(crate) is_whole: bool,
}

/// The value at `path` in a JSON text, or the nearest value around it that is there; `None` where the text is no JSON. Of a
/// key that is given twice the last one counts, as for actions.
pub(crate) fn part_of_json(text: &str, path: &[String]) -> Option<JsonPart> {
    let source = Source::default();
    let mut reader = Reader {
        source: &source,
        text,
        at: 0,
    };
    reader.part(None, path)
}

impl Reader<'_> {
    /// Reads a value to its end.
    fn part(&mut self, key: Option<Span>, path: &[String]) -> Option<JsonPart> {
        self.white();
        let start = self.at;
        let Some((first, rest)) = path.split_first() else {
            self.value()?;
            return Some(JsonPart {
                key,
                value: Span::new(start, self.at),
                is_whole: true,
            });
        };
        let mut found = None;
        match self.peek()? {
            b'{' => self.list(b'{', b'}', |reader| {
                reader.white();
                let from = reader.at;
                let name = reader.string()?;
                let key = Span::new(from, reader.at);
                reader.take(b':')?;
                if name != *first {
                    return reader.value();
                }
                found = Some(reader.part(Some(key), rest)?);
                Some(())
            })?,
            b'[' => {
                let mut index = 0;
                self.array(|reader| {
                    let is_it = *first == index.to_string();
                    index += 1;
                    if !is_it {
                        return reader.value();
                    }
                    found = Some(reader.part(None, rest)?);
                    Some(())
                })?;
            }
            _ => self.value()?,
        }
        let around = JsonPart {
            key,
            value: Span::new(start, self.at),
            is_whole: false,
        };
        Some(found.unwrap_or(around))
    }
}
