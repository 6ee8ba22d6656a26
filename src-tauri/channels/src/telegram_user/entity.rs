//! Emphasis beside a text: <https://core.telegram.org/api/entities>.

use crate::render::{Look, Part, render_parts};
use grammers_client::tl;

/// A text as it is sent, and what is special in it.
pub(super) fn written(markdown: &str) -> (String, Option<Vec<tl::enums::MessageEntity>>) {
    let (text, parts) = render_parts(markdown);
    let entities: Vec<_> = parts.iter().map(|part| entity(&text, part)).collect();
    (text, (!entities.is_empty()).then_some(entities))
}

/// A part's entity. Both count in UTF-16 units: <https://core.telegram.org/api/entities#entity-length>.
fn entity(text: &str, part: &Part) -> tl::enums::MessageEntity {
    let offset = i32::try_from(part.start).unwrap_or(i32::MAX);
    let length = i32::try_from(part.length).unwrap_or(i32::MAX);
    match part.look {
        Look::Bold => tl::types::MessageEntityBold { offset, length }.into(),
        Look::Italic => tl::types::MessageEntityItalic { offset, length }.into(),
        Look::Strike => tl::types::MessageEntityStrike { offset, length }.into(),
        Look::Mono if has_lines(text, part) => {
            let language = String::new();
            tl::types::MessageEntityPre {
                offset,
                length,
                language,
            }
            .into()
        }
        Look::Mono => tl::types::MessageEntityCode { offset, length }.into(),
    }
}

fn has_lines(text: &str, part: &Part) -> bool {
    let newline = u16::from(b'\n');
    let mut units = text.encode_utf16().skip(part.start).take(part.length);
    units.any(|unit| unit == newline)
}
