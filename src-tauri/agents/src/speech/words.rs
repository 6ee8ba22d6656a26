//! The words of a text: what a person would read aloud of it.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;
use std::sync::LazyLock;

/// Addresses, which nobody wants to hear.
static ADDRESSES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:https?|ftp|file|mailto|tg|slack|discord)://?\S+|\bwww\.\S+").ok());

/// What is said of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// The words, without markup, code blocks and addresses.
    pub text: String,
    /// Characters that were left out because the text is too long.
    pub cut: usize,
}

impl Words {
    /// The words of a text, at most `most` characters of them; a longer one ends after a sentence. `None` where
    /// nothing is left to say.
    pub fn of(text: &str, most: usize) -> Option<Self> {
        let all = plain(text);
        let kept = shorten(&all, most);
        let cut = all.chars().count() - kept.chars().count();
        let text = kept.trim_end().to_owned();
        text.chars()
            .any(char::is_alphanumeric)
            .then_some(Self { text, cut })
    }
}

/// A text without its markup: each block on a line of its own.
fn plain(text: &str) -> String {
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let mut plain = String::with_capacity(text.len());
    let mut code = false;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => code = true,
            Event::End(TagEnd::CodeBlock) => code = false,
            Event::Text(said) | Event::Code(said) if !code => plain.push_str(&said),
            Event::SoftBreak => plain.push(' '),
            Event::HardBreak
            | Event::End(
                TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::Item
                | TagEnd::TableRow
                | TagEnd::TableHead
                | TagEnd::BlockQuote(_),
            ) => plain.push('\n'),
            Event::End(TagEnd::TableCell) => plain.push_str(", "),
            _ => {}
        }
    }
    let plain = ADDRESSES
        .as_ref()
        .map_or_else(|| plain.clone(), |all| all.replace_all(&plain, "").into_owned());
    let line = |line: &str| {
        let words: Vec<&str> = line
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|word| !word.is_empty())
            .collect();
        words.join(" ").trim_end_matches(',').to_owned()
    };
    let lines: Vec<String> = plain.lines().map(line).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

/// The beginning of a text, at most `most` characters: up to its last sentence, else its last word.
fn shorten(text: &str, most: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return text;
    };
    let begin = &text[..end];
    // Whether the text goes on with white space: else a sign may be the point of a number.
    let ends = |at: usize| text[at..].chars().next().is_none_or(char::is_whitespace);
    let sentence = begin
        .char_indices()
        .map(|(at, c)| (at + c.len_utf8(), c))
        .rfind(|(at, c)| *c == '\n' || matches!(c, '.' | '!' | '?' | '…' | ':' | ';') && ends(*at))
        .map(|(at, _)| at)
        // Ideographic full stops need no space after them.
        .max(begin.rfind(['。', '！', '？']).map(|at| at + '。'.len_utf8()));
    let cut = sentence
        .or_else(|| begin.rfind(char::is_whitespace))
        .unwrap_or(end);
    &text[..cut]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        Words::of(text, 1_000).map_or_else(String::new, |words| words.text)
    }

    #[test]
    fn markup_code_and_addresses_are_not_read_aloud() {
        for (text, expected) in [
            ("**Hey**, _you_!", "Hey, you!"),
            (
                "# Title\n\nA [link](https://example.org/a?b) here.",
                "Title\nA link here.",
            ),
            ("See https://example.org/x_y now", "See now"),
            ("Run:\n\n```sh\nrm -rf /\n```\n\nDone", "Run:\nDone"),
            ("Use `ls`", "Use ls"),
            ("- one\n- two", "one\ntwo"),
            ("| a | b |\n|---|---|\n| 1 | 2 |", "a, b\n1, 2"),
            ("a <b>bold</b> word", "a bold word"),
            ("nul\u{0}and\u{7}bell", "nul and bell"),
            ("--help", "--help"),
            ("$(id) \"q\" `x`", "$(id) \"q\" x"),
        ] {
            assert_eq!(said(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_nothing_but_markup_is_nothing() {
        for text in [
            "",
            "  \n",
            "***",
            "https://example.org",
            "```\ncode\n```",
            "…!?",
            "🎉",
        ] {
            assert_eq!(Words::of(text, 100), None, "{text:?}");
        }
    }

    #[test]
    fn a_long_text_ends_after_a_sentence_and_is_told() {
        let words = |text: &str, most| Words::of(text, most).map(|w| (w.text, w.cut));
        let text = "One is 1.5 long. Two is longer.";
        assert_eq!(words(text, 31), Some((text.to_owned(), 0)));
        assert_eq!(words(text, 30), Some(("One is 1.5 long.".to_owned(), 15)));
        assert_eq!(words("One is 1.5 long", 10), Some(("One is".to_owned(), 9)));
        assert_eq!(words("ééééééé", 3), Some(("ééé".to_owned(), 4)));
        assert_eq!(words("今日は。明日は", 5), Some(("今日は。".to_owned(), 3)));
    }
}
