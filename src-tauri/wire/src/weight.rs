//! The length of a text as X weighs it: <https://docs.x.com/fundamentals/counting-characters>, and the ranges of
//! <https://github.com/twitter/twitter-text/blob/master/config/v3.json>.
//!
//! A text that fits by the number here fits on X, which may count less in four cases, for each of which it has tables that
//! change: X counts every link as 23 characters, here a longer one counts as long as it is; X counts an emoji of several
//! characters as two, here each of them counts; X composes accents with their letters first (NFC), here both count. And
//! what has the form of a domain counts as a link, whether there is such an end of domains or not: up to the last end that is
//! in [`ENDS`], else up to the first that may be one, so that the link here is never longer than the one on X.
//!
//! | text | counts |
//! |---|---|
//! | `hi` | 2 |
//! | `你好` | 4 |
//! | `👍` | 2 |
//! | `see e.org` | 27: a link of 5 characters counts 23 |

use std::ops::Range;

/// Characters that X shortens every link to.
const LINK: usize = 23;

/// Characters that count one; every other one counts two.
const LIGHT: [std::ops::RangeInclusive<u32>; 4] = [0..=4_351, 8_192..=8_205, 8_208..=8_223, 8_242..=8_247];

/// The weight of a character, whatever it is a part of.
pub(crate) fn of_char(c: char) -> usize {
    if LIGHT.iter().any(|range| range.contains(&u32::from(c))) {
        1
    } else {
        2
    }
}

/// The weight of a text. That of its characters is the least it is.
pub(crate) fn of_text(text: &str) -> usize {
    let mut weight = 0;
    for word in text.split(char::is_whitespace) {
        weight += shortages(word);
    }
    weight + of_all(text)
}

fn of_all(text: &str) -> usize {
    text.chars().map(of_char).sum()
}

/// Ends of domains that are sure to be some. A link that ends in another one counts a few characters more.
const ENDS: [&str; 12] = [
    "app", "co", "com", "de", "dev", "edu", "gov", "io", "jp", "net", "org", "uk",
];

/// A link in a word, by the places of bytes.
struct Link {
    characters: Range<usize>,
    /// The place behind which the next link may begin.
    next: usize,
}

/// The characters by which the links in a word are shorter than what X shortens them to.
fn shortages(word: &str) -> usize {
    if !word.contains('.') {
        return 0;
    }
    let (mut short, mut at) = (0, 0);
    while let Some(link) = next_link(word, at) {
        short += LINK.saturating_sub(of_all(&word[link.characters]));
        at = link.next;
    }
    short
}

/// The first link at this place or behind it, with its scheme and its path.
fn next_link(word: &str, mut at: usize) -> Option<Link> {
    loop {
        let from = at + word[at..].find(is_of_domain)?;
        let until = end_of(word, from, is_of_domain);
        let Some((domain, stretch)) = domain(&word[from..until], word[until..].chars().next()) else {
            at = until;
            continue;
        };
        let (begin, end) = (from + domain.start, from + domain.end);
        let end = end + path(&word[end..]);
        return Some(Link {
            characters: begin - scheme(&word[..begin])..end,
            next: end.max(from + stretch),
        });
    }
}

/// The bytes of the scheme that a text ends with.
fn scheme(before: &str) -> usize {
    let ends_with = |scheme: &&str| {
        let at = before.len().checked_sub(scheme.len());
        at.and_then(|at| before.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(scheme))
    };
    let found = ["https://", "http://"].into_iter().find(ends_with);
    found.map_or(0, str::len)
}

/// The bytes of the path that a text begins with. Marks at its end are those of the sentence.
fn path(behind: &str) -> usize {
    if !behind.starts_with(['/', '?']) {
        return 0;
    }
    let path = &behind[..end_of(behind, 0, is_of_path)];
    path.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && !"/-_=#".contains(c))
        .len()
}

/// The domain among characters that may be of one, before this other character; and the place up to which another one
/// would be a part of it.
fn domain(run: &str, next: Option<char>) -> Option<(Range<usize>, usize)> {
    let ends = || {
        run.match_indices('.')
            .filter_map(|(dot, _)| Some((dot, end_behind(run, dot)?)))
    };
    let (dot, first) = ends().next()?;
    let stretch = end_of(run, first, |c| c.is_ascii() && c != '_');
    let is_sure = |(dot, end): &(usize, usize)| {
        let name = &run[dot + 1..*end];
        let is_whole = *end < run.len() || !matches!(next, Some('@' | '+'));
        *end <= stretch && is_whole && ENDS.iter().any(|sure| name.eq_ignore_ascii_case(sure))
    };
    let (dot, end) = ends().rfind(is_sure).unwrap_or((dot, first));
    let before = run[..dot].rfind(|c: char| !c.is_ascii() || c == '_');
    let start = before.map_or(0, |at| at + run[at..].chars().next().map_or(0, char::len_utf8));
    // X may begin a link at a label of ASCII alone, where there is one.
    let label = run[start..dot].trim_start_matches(['.', '-']);
    let start = if label.is_empty() { 0 } else { dot - label.len() };
    // Behind the end, a dot, a dash or a line keeps X from beginning another link.
    Some((start..end, end_of(run, end, |c| c.is_ascii())))
}

/// The end of the last label of a domain: two letters at least behind a dot, behind a letter or digit.
fn end_behind(run: &str, dot: usize) -> Option<usize> {
    let behind = &run[dot + 1..];
    let letters = behind.chars().take_while(char::is_ascii_alphabetic).count();
    if !run[..dot].ends_with(char::is_alphanumeric) {
        return None;
    }
    if letters >= 2 {
        return Some(end_of(run, dot + 1, |c| c.is_ascii_alphanumeric() || c == '-'));
    }
    let mut others = behind
        .char_indices()
        .filter(|(_, c)| c.is_alphabetic() && !c.is_ascii());
    match (letters, others.next(), others.next()) {
        (0, Some((0, first)), Some((at, second))) if at == first.len_utf8() => {
            Some(dot + 1 + at + second.len_utf8())
        }
        _ => None,
    }
}

/// The place of the first character from here on that is not such a one.
fn end_of(text: &str, from: usize, is_such: impl Fn(char) -> bool) -> usize {
    let other = text[from..].find(|c| !is_such(c));
    other.map_or(text.len(), |other| from + other)
}

fn is_of_domain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

fn is_of_path(c: char) -> bool {
    c.is_ascii_alphanumeric() || "/.-_%=&?#~+:".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_weigh_one_or_two() {
        for (text, weight) in [
            ("", 0),
            ("hi", 2),
            ("café", 4),
            ("cafe\u{301}", 5),
            ("\u{10ff}", 1),
            ("\u{1100}", 2),
            ("你好", 4),
            ("“quoted” — so…", 15),
            ("👍", 2),
            ("👨‍👩‍👧", 8),
        ] {
            assert_eq!(of_text(text), weight, "{text}");
        }
    }

    #[test]
    fn a_link_counts_at_least_what_x_shortens_it_to() {
        let long = format!("https://example.org/{}", "a".repeat(80));
        for (text, weight) in [
            ("e.org", LINK),
            ("see e.org now", 4 + LINK + 4),
            ("https://example.org/a", LINK),
            ("www.example.co.uk", LINK),
            ("a.com,b.com", 1 + 2 * LINK),
            ("(a.com)", 2 + LINK),
            ("https://example.org/index.html", 30),
            ("http://a.co/b.html?c=d", LINK),
            ("http://example.org", LINK),
            ("HTTPS://e.org", LINK),
            ("ftp://example.org", 6 + LINK),
            ("example.org.", LINK + 1),
            ("https://a.co/b.", LINK + 1),
            ("a.com_b", LINK + 2),
            // The first end that may be one, of which X may know a later one.
            ("www.example.museum", LINK + 7),
            (long.as_str(), 100),
            // Letters that are not ASCII end a link, and stand before one.
            ("https://example.comをご覧ください", LINK + 14),
            ("t.coを見て", LINK + 6),
            ("見てt.co", 4 + LINK),
            ("a.comとb.com", LINK + 2 + LINK),
            ("https://例え.com", LINK),
            // No ends of domains.
            ("3.14", 4),
            ("e.g. this", 9),
            ("Stop. Go.", 9),
            ("…", 2),
        ] {
            assert_eq!(of_text(text), weight, "{text}");
        }
    }
}
