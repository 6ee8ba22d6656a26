//! Plain text, and beside it what is emphasised in it: the way Signal has it.

use super::style::Style;
use super::{render, written};
use foldback_wire::Markup;

/// How a part of a text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Bold,
    Italic,
    Strike,
    Mono,
}

/// A part of a text that looks different. Start and length are in UTF-16 units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) look: Look,
    pub(crate) start: usize,
    pub(crate) length: usize,
}

/// What [`super::style::MARKED`] writes around each: characters that Unicode keeps free for such a use inside a
/// program. <https://www.unicode.org/faq/private_use.html#noncharacters>
const MARKS: [(Look, char, char); 4] = [
    (Look::Bold, '\u{FDD0}', '\u{FDD1}'),
    (Look::Italic, '\u{FDD2}', '\u{FDD3}'),
    (Look::Strike, '\u{FDD4}', '\u{FDD5}'),
    (Look::Mono, '\u{FDD6}', '\u{FDD7}'),
];

/// The text in plain markup, to the letter, and the parts of it that are emphasised.
pub(crate) fn render_parts(markdown: &str) -> (String, Vec<Part>) {
    let plain = render(markdown, Markup::Plain);
    let (text, parts) = unmarked(&written(markdown, Style::marked()));
    // Marks that came in from outside, or that kept blanks from being trimmed, are not worth a text that differs.
    if text == plain {
        (text, parts)
    } else {
        (plain, Vec::new())
    }
}

/// A text without its marks, and what stood between them.
fn unmarked(marked: &str) -> (String, Vec<Part>) {
    let (mut text, mut parts) = (String::with_capacity(marked.len()), Vec::new());
    let (mut units, mut open) = (0, Vec::new());
    for c in marked.chars() {
        let mark = MARKS.into_iter().find(|(_, begin, end)| c == *begin || c == *end);
        let Some((look, begin, _)) = mark else {
            text.push(c);
            units += c.len_utf16();
            continue;
        };
        if c == begin {
            open.push((look, units));
        } else if let Some(at) = open.iter().rposition(|(opened, _)| *opened == look) {
            let (_, start) = open.remove(at);
            let length = units - start;
            if length > 0 {
                parts.push(Part { look, start, length });
            }
        }
    }
    (text, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(markdown: &str) -> (String, Vec<(Look, usize, usize)>) {
        let (text, parts) = render_parts(markdown);
        let parts = parts.into_iter().map(|part| (part.look, part.start, part.length));
        (text, parts.collect())
    }

    #[test]
    fn what_is_emphasised_stands_beside_the_text() {
        for (markdown, text, expected) in [
            ("plain", "plain", vec![]),
            (
                "**b** and _i_",
                "b and i",
                vec![(Look::Bold, 0, 1), (Look::Italic, 6, 1)],
            ),
            ("🎉 **b**", "🎉 b", vec![(Look::Bold, 3, 1)]),
            ("# A `b`", "A b", vec![(Look::Mono, 2, 1), (Look::Bold, 0, 3)]),
            (
                "- one **two**\n- ~~x~~",
                "- one two\n- x",
                vec![(Look::Bold, 6, 3), (Look::Strike, 12, 1)],
            ),
            ("```\nlet a;\nb\n```", "let a;\nb", vec![(Look::Mono, 0, 8)]),
            (
                "|a|b|\n|-|-|\n|1|2|",
                "a | b\n--+--\n1 | 2",
                vec![(Look::Mono, 0, 17)],
            ),
            ("2*3*4 snake_case_name", "2*3*4 snake_case_name", vec![]),
            ("a \u{FDD0}b **c**", "a \u{FDD0}b c", vec![]),
        ] {
            assert_eq!(parts(markdown), (text.to_owned(), expected), "{markdown}");
        }
    }

    proptest! {
        #[test]
        fn the_text_is_the_plain_one_and_every_part_lies_in_it(markdown in "[ \n*_~`#>|<&a-c1.\\-\\[\\]()!\\\\é🎉\u{FDD0}]{0,80}") {
            let (text, parts) = render_parts(&markdown);
            prop_assert_eq!(&text, &render(&markdown, Markup::Plain));
            let units = text.encode_utf16().count();
            for part in parts {
                prop_assert!(part.length > 0 && part.start + part.length <= units, "{part:?} of {units}");
            }
        }
    }
}
