//! Links in a text.

use regex::Regex;
use reqwest::Url;
use std::sync::LazyLock;

/// Candidates for a link: each ends before white space, a quote or an angle bracket.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests read")]
static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\bhttps?://[^\s<>"'`|\\^{}]{1,2000}"#).unwrap());

/// The first links in a text, each once, in their order; at most so many. Punctuation that ends a sentence is not part of a
/// link, and neither is a bracket that it does not open. User and password of an address are left out.
pub fn links(text: &str, most: usize) -> Vec<Url> {
    let mut found: Vec<Url> = Vec::new();
    for link in LINK.find_iter(text) {
        let Ok(mut link) = Url::parse(without_end(link.as_str())) else {
            continue;
        };
        // They are nobody's business but the sender's.
        let _ = link.set_username("");
        let _ = link.set_password(None);
        link.set_fragment(None);
        if link.has_host() && !found.contains(&link) {
            found.push(link);
        }
        if found.len() == most {
            break;
        }
    }
    found
}

fn without_end(mut link: &str) -> &str {
    loop {
        let ends = match link.as_bytes().last() {
            Some(b'.' | b',' | b';' | b':' | b'!' | b'?' | b'*' | b'_') => true,
            Some(b')') => link.matches(')').count() > link.matches('(').count(),
            Some(b']') => link.matches(']').count() > link.matches('[').count(),
            _ => false,
        };
        if !ends {
            return link;
        }
        link = &link[..link.len() - 1];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        links(text, 3).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_link_ends_where_a_person_would_end_it() {
        for (text, link) in [
            ("see https://a.example/x.", "https://a.example/x"),
            ("(https://a.example/x)", "https://a.example/x"),
            ("https://a.example/w_(b)", "https://a.example/w_(b)"),
            (
                "[here](https://a.example/x?q=1&r=2)!",
                "https://a.example/x?q=1&r=2",
            ),
            ("<https://a.example/x|x>", "https://a.example/x"),
            ("**https://a.example/x**", "https://a.example/x"),
            ("http://user:secret@a.example/x#y", "http://a.example/x"),
            ("https://münchen.example", "https://xn--mnchen-3ya.example/"),
        ] {
            assert_eq!(found(text), [link], "{text}");
        }
    }

    #[test]
    fn what_is_no_web_link_is_none() {
        for text in [
            "ftp://a.example",
            "file:///etc/passwd",
            "https://",
            "http:// a",
            "a.example/x",
            "javascript:x",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn each_is_read_once_and_at_most_so_many() {
        let text =
            "https://a.example https://a.example/ https://b.example https://c.example https://d.example";
        assert_eq!(
            found(text),
            ["https://a.example/", "https://b.example/", "https://c.example/"]
        );
    }
}
