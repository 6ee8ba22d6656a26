use super::*;
use proptest::prelude::*;

fn texts(text: &str, max: usize, unit: LengthUnit) -> Vec<String> {
    split(text, Limit { max, unit })
        .iter()
        .map(|p| p.text(text))
        .collect()
}

fn scalars(text: &str, max: usize) -> Vec<String> {
    texts(text, max, LengthUnit::Scalars)
}

#[test]
fn what_fits_is_one_message() {
    assert_eq!(scalars("hello", 5), ["hello"]);
    assert!(scalars("", 5).is_empty());
}

#[test]
fn it_breaks_at_the_best_place() {
    assert_eq!(
        scalars("aaaa\nbbbb\ncccc\ndddd", 10),
        ["aaaa\nbbbb", "cccc\ndddd"]
    );
    assert_eq!(scalars("one two. three four", 12), ["one two.", "three four"]);
    assert_eq!(scalars("word word word word", 10), ["word word", "word word"]);
    assert_eq!(
        scalars("a para\n\nsecond line\nmore", 20),
        ["a para", "second line\nmore"][..].to_vec()
    );
    assert_eq!(
        scalars(&"y".repeat(25), 10),
        ["y".repeat(10), "y".repeat(10), "y".repeat(5)]
    );
}

#[test]
fn the_indentation_after_a_break_stays() {
    assert_eq!(
        scalars("first line\n    indented", 14),
        ["first line", "    indented"]
    );
}

#[test]
fn a_short_first_word_does_not_break_a_long_link() {
    let link = format!("https://example.org/{}", "x".repeat(60));
    assert_eq!(scalars(&format!("see {link}"), 82), ["see".to_owned(), link]);
}

#[test]
fn fences_are_closed_and_opened_again() {
    let text = "```rust\nlet a = 1;\nlet b = 2;\nlet c = 3;\n```\nend";
    let parts = scalars(text, 30);
    assert_eq!(
        parts,
        [
            "```rust\nlet a = 1;\n```",
            "```rust\nlet b = 2;\n```",
            "```rust\nlet c = 3;\n```\nend"
        ]
    );
}

#[test]
fn tildes_quotes_and_longer_fences_are_fences_too() {
    let text = "~~~~\nxxxxxxxxxxxx\n~~~\nyyyyyyyyyyyy\n~~~~";
    let parts = scalars(text, 30);
    assert_eq!(
        parts,
        ["~~~~\nxxxxxxxxxxxx\n~~~\n~~~~", "~~~~\nyyyyyyyyyyyy\n~~~~"]
    );
    let quoted = "> ```\n> aaaaaaaaaaaa\n> bbbbbbbbbbbb\n> ```";
    assert_eq!(
        scalars(quoted, 30),
        ["> ```\n> aaaaaaaaaaaa\n> ```", "> ```\n> bbbbbbbbbbbb\n> ```"]
    );
}

#[test]
fn no_message_is_an_empty_fence() {
    let text = format!("intro\n```\n{}\n```", "x".repeat(30));
    for part in scalars(&text, 24) {
        assert!(part.contains("intro") || part.contains('x'), "{part:?}");
    }
}

#[test]
fn a_grapheme_stays_whole_unless_it_alone_is_too_long() {
    let family = "👨‍👩‍👧‍👦";
    assert_eq!(
        scalars(&format!("ab{family}cd"), 8),
        ["ab", &format!("{family}c"), "d"]
    );
    let monster = format!("e{}", "\u{301}".repeat(30));
    let parts = texts(&monster, 10, LengthUnit::Bytes);
    assert!(parts.iter().all(|p| p.len() <= 10));
    assert_eq!(parts.concat(), monster);
}

#[test]
fn a_grapheme_is_worth_more_than_a_closed_fence() {
    let family = "👨‍👩‍👧‍👦";
    let text = format!("```\n{family}{family}{family}\n```");
    // The lines around one of them leave 4 of 32 bytes.
    let parts = texts(&text, 32, LengthUnit::Bytes);
    assert!(parts.iter().all(|part| part.len() <= 32), "{parts:?}");
    assert_eq!(parts.concat().matches(family).count(), 3, "{parts:?}");
}

#[test]
fn an_accent_on_a_blank_stays_there() {
    assert_eq!(
        scalars("aaaa bbb\u{20}\u{301}cc dd", 9),
        ["aaaa bbb", " \u{301}cc dd"]
    );
}

#[test]
fn a_live_text_splits_as_the_whole_one() {
    let text = "The quick brown fox. Jumps over\n\nthe lazy dog and so on and on.";
    let limit = Limit {
        max: 16,
        unit: LengthUnit::Scalars,
    };
    let whole = split(text, limit);
    let mut splitter = Splitter::default();
    let mut live = Vec::new();
    for (at, c) in text.char_indices() {
        live.extend(splitter.next_full(&text[..at + c.len_utf8()], limit, true));
    }
    live.extend(splitter.rest(text));
    assert_eq!(live.last(), whole.last());
    assert!(
        live.iter()
            .all(|p| limit.unit.measure(&p.text(text)) <= limit.max)
    );
}

fn unit() -> impl Strategy<Value = LengthUnit> {
    prop::sample::select(LengthUnit::ALL)
}

fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a",
        "word",
        "Sentence. ",
        " ",
        "\n",
        "\n\n",
        "\r\n",
        "```",
        "```rust\n",
        "\n```\n",
        "~~~\n",
        "> ",
        "- ",
        "👨‍👩‍👧‍👦",
        "e\u{301}",
        "🇩🇪",
        "日本",
        "\t",
        "longerwordthatisnotbroken",
        // What goes together with its neighbours, white space included.
        "\u{301}",
        "\u{200d}",
        "\u{600}",
        "🇩",
        "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        "    ",
    ]);
    prop::collection::vec(word, 0..60).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn pieces_fit_and_join_back(text in text(), max in 12usize..80, unit in unit()) {
        let limit = Limit { max, unit };
        let pieces = split(&text, limit);
        let mut at = 0;
        for piece in &pieces {
            let message = piece.text(&text);
            prop_assert!(unit.measure(&message) <= max, "{message:?} is over {max}");
            prop_assert!(!message.trim().is_empty());
            prop_assert!(lost_nothing(&text[at..piece.span.start]), "lost {:?}", &text[at..piece.span.start]);
            at = piece.span.end;
        }
        prop_assert!(lost_nothing(&text[at..]), "lost {:?}", &text[at..]);
    }

    #[test]
    fn no_grapheme_is_cut_unless_it_alone_is_over_the_limit(text in text(), max in 4usize..120, unit in unit()) {
        for piece in split(&text, Limit { max, unit }) {
            for edge in [piece.span.start, piece.span.end] {
                let (_, grapheme) = text
                    .grapheme_indices(true)
                    .rfind(|(at, _)| *at <= edge)
                    .filter(|(at, grapheme)| *at < edge && edge < at + grapheme.len())
                    .unwrap_or_default();
                let alone = unit.measure(grapheme);
                prop_assert!(grapheme.is_empty() || alone > max, "{grapheme:?} of {alone} cut at {edge} of {text:?}");
            }
        }
    }
}

/// Between two messages only white space may vanish, and the line that closes a fence.
fn lost_nothing(gap: &str) -> bool {
    gap.chars()
        .all(|c| c.is_whitespace() || matches!(c, '`' | '~' | '>'))
}
