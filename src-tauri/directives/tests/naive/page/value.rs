//! What a value means.

use std::{collections::HashMap, sync::LazyLock};

/// The named references: a table, not a reading of the page.
static NAMED: LazyLock<HashMap<&str, String>> = LazyLock::new(|| {
    let scalar = |hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?);
    include_str!("../../../src/lex/references.txt")
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, scalars)| (name, scalars.split(' ').filter_map(scalar).collect()))
        .collect()
});

/// Replaces backslash quotes, then references, once; they count only when ended by `;`.
pub(super) fn decode(text: &str) -> String {
    // Open: in which values a backslash before a quote goes. Here: in all, before both straight quotes.
    let text = text.replace("\\\"", "\"").replace("\\'", "'");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('&') {
        out += &rest[..at];
        rest = &rest[at..];
        let found = rest[1..]
            .split_once(';')
            .and_then(|(name, after)| Some((reference(name)?, after)));
        if let Some((meaning, after)) = found {
            out += &meaning;
            rest = after;
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out + rest
}

fn reference(name: &str) -> Option<String> {
    let Some(number) = name.strip_prefix('#') else {
        return NAMED.get(name).cloned();
    };
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let code = u32::from_str_radix(digits, radix).ok().filter(|code| *code != 0);
    Some(code.and_then(char::from_u32).unwrap_or('\u{fffd}').to_string())
}

/// Two line breaks with nothing but blanks between them.
pub(super) fn has_blank_line(text: &str) -> bool {
    let lines: Vec<&str> = text.split('\n').collect();
    let between = lines.iter().skip(1).take(lines.len().saturating_sub(2));
    between
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .any(|line| line.chars().all(is_blank))
}

/// Space or tab.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}
