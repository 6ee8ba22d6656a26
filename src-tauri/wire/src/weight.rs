//! The length of a text as X weighs it: <https://docs.x.com/fundamentals/counting-characters>, and the ranges of
//! <https://github.com/twitter/twitter-text/blob/master/config/v3.json>.
//!
//! A text that fits by the number here fits on X, which may count less in three cases, for each of which it has tables that
//! change: X counts every link as 23 characters, here a longer one counts as long as it is; X counts an emoji of several
//! characters as two, here each of them counts; X composes accents with their letters first (NFC), here both count. And
//! what has the form of a domain counts as a link, whether there is such an end of domains or not.
//!
//! | text | counts |
//! |---|---|
//! | `hi` | 2 |
//! | `你好` | 4 |
//! | `👍` | 2 |
//! | `see e.org` | 27: a link of 5 characters counts 23 |

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

/// The characters by which the links in a word are shorter than what X shortens them to. Of each link the scheme and the
/// domain are looked at, and its path is passed over.
fn shortages(word: &str) -> usize {
    if !word.contains('.') {
        return 0;
    }
    let (mut short, mut rest) = (0, word);
    while let Some(start) = rest.find(is_of_domain) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !is_of_domain(c)).unwrap_or(from.len());
        let (domain, behind) = from.split_at(end);
        if !is_domain(domain) {
            rest = behind;
            continue;
        }
        let path = behind.find(|c| !is_of_path(c)).unwrap_or(behind.len());
        let path = if behind.starts_with(['/', '?', '#']) {
            path
        } else {
            0
        };
        let scheme = if before.ends_with("://") {
            "https://".len()
        } else {
            0
        };
        short += LINK.saturating_sub(scheme + of_all(domain) + of_all(&behind[..path]));
        rest = &behind[path..];
    }
    short
}

fn is_of_domain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

fn is_of_path(c: char) -> bool {
    c.is_ascii_alphanumeric() || "/.-_%=&?#~+:".contains(c)
}

/// A domain has a dot between a letter or digit and two letters.
fn is_domain(text: &str) -> bool {
    let ends = |(label, end): (&str, &str)| {
        label.ends_with(char::is_alphanumeric)
            && end.chars().take_while(|c| c.is_alphabetic()).nth(1).is_some()
    };
    text.match_indices('.')
        .any(|(at, _)| ends((&text[..at], &text[at + 1..])))
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
            ("http://a.co/b.html?c=d", 22),
            ("example.org.", LINK),
            (long.as_str(), 100),
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
