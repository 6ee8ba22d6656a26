//! A text cut at the names that it has in braces.

/// Pairs of braces around a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Braces {
    OneOrTwo,
    Two,
}

/// Piece of a text that has names in braces.
pub(super) enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

/// A text cut at its names. Braces around anything but a word are text.
pub(super) fn pieces(text: &str, braces: Braces) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) = name_at(rest, braces) {
            rest = after;
            return Some(Piece::Name(name));
        }
        let brace = rest.char_indices().skip(1).find(|(_, c)| *c == '{');
        let (text, after) = rest.split_at(brace.map_or(rest.len(), |(at, _)| at));
        rest = after;
        Some(Piece::Text(text))
    })
}

/// The name in braces at the start of a text, and the text behind it.
fn name_at(text: &str, braces: Braces) -> Option<(&str, &str)> {
    let (inner, close) = match text.strip_prefix("{{") {
        Some(inner) => (inner, "}}"),
        None if braces == Braces::OneOrTwo => (text.strip_prefix('{')?, "}"),
        None => return None,
    };
    let (name, after) = inner.split_once(close)?;
    let name = name.trim();
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!name.is_empty() && name.chars().all(is_word)).then_some((name, after))
}
