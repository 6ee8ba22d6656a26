use super::*;
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation as _;

fn plain(max: usize, unit: LengthUnit) -> Limit {
    Limit {
        max,
        unit,
        markup: None,
    }
}

fn texts(text: &str, max: usize, unit: LengthUnit) -> Vec<String> {
    split(text, plain(max, unit))
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
fn a_table_is_cut_between_rows_and_its_head_is_repeated() {
    let rows: Vec<_> = (10..16).map(|n| format!("| {n} | x |")).collect();
    let text = format!("Figures:\n\n| n | y |\n|---|---|\n{}\n\nend", rows.join("\n"));
    assert_eq!(
        scalars(&text, 45),
        [
            "Figures:\n\n| n | y |\n|---|---|\n| 10 | x |",
            "| n | y |\n|---|---|\n| 11 | x |\n| 12 | x |",
            "| n | y |\n|---|---|\n| 13 | x |\n| 14 | x |",
            "| n | y |\n|---|---|\n| 15 | x |\n\nend"
        ]
    );
}

#[test]
fn the_head_of_a_table_is_no_message_and_not_cut_from_its_dashes() {
    let text = "some words\n| n | y |\n|---|---|\n| 1 | 2 |";
    let whole = "| n | y |\n|---|---|\n| 1 | 2 |";
    for max in [30, 35, 38] {
        assert_eq!(scalars(text, max), ["some words", whole], "{max}");
    }
}

#[test]
fn a_row_that_is_too_long_is_text() {
    let text = format!("| n | y |\n|---|---|\n| 1 | {} |\n| 2 | z |", "x".repeat(50));
    let parts = scalars(&text, 40);
    assert!(parts.iter().all(|part| part.chars().count() <= 40), "{parts:?}");
    let words = |text: &str| text.replace(['|', '-', ' ', '\n'], "");
    assert_eq!(words(&parts.concat()), words(&text));
}

#[test]
fn dashes_and_bars_that_are_no_table_are_text() {
    for text in [
        "a | b\nno dashes here, and more words follow",
        "no bars\n|---|---|\nand more words and words follow",
        "| a | b |\n|---|\nand more words, and words follow",
        "```\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n```",
    ] {
        let parts = scalars(text, 36);
        assert!(!parts.concat().contains("|---|---|\n|---|"), "{parts:?}");
        assert!(
            parts.iter().filter(|part| part.contains("| a |")).count() < 2,
            "{parts:?}"
        );
    }
}

#[test]
fn what_is_sent_fits_too() {
    let slack = |max| Limit {
        max,
        unit: LengthUnit::Scalars,
        markup: Some(Markup::Mrkdwn),
    };
    let text = "&".repeat(40);
    let sent: Vec<_> = split(&text, slack(50))
        .iter()
        .map(|p| p.text(&text).len())
        .collect();
    assert_eq!(sent, [10, 10, 10, 10], "five characters each");
    let html = Limit {
        markup: Some(Markup::Html),
        ..slack(40)
    };
    assert_eq!(split(&text, html).len(), 1, "Telegram counts what is shown");
    let words = "**bold** & more ".repeat(20);
    for piece in split(&words, slack(64)) {
        let length = slack(64).length(&piece.text(&words));
        assert!(
            (32..=64).contains(&length) || piece.span.end == words.len(),
            "{length}"
        );
    }
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
    let limit = plain(16, LengthUnit::Scalars);
    let whole = split(text, limit);
    let mut splitter = Splitter::default();
    let mut live = Vec::new();
    for (at, c) in text.char_indices() {
        live.extend(splitter.next_full(&text[..at + c.len_utf8()], limit, Repairs::ALL));
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

fn markup() -> impl Strategy<Value = Option<Markup>> {
    prop::option::of(prop::sample::select(Markup::ALL))
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
        "| a | b |\n| - | - |\n",
        "| cell | & |\n",
        "&<>",
        "**",
        "[a](http://b.c)",
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
    fn pieces_fit_and_join_back(text in text(), max in 12usize..80, unit in unit(), markup in markup()) {
        let limit = Limit { max, unit, markup };
        let pieces = split(&text, limit);
        let mut at = 0;
        for piece in &pieces {
            let message = piece.text(&text);
            prop_assert!(unit.measure(&message) <= max, "{message:?} is over {max}");
            let alone = first_grapheme(&message, unit) == unit.measure(&message);
            prop_assert!(limit.length(&message) <= max || alone, "{message:?} is sent over {max}");
            prop_assert!(!message.trim().is_empty());
            prop_assert!(lost_nothing(&text[at..piece.span.start]), "lost {:?}", &text[at..piece.span.start]);
            at = piece.span.end;
        }
        prop_assert!(lost_nothing(&text[at..]), "lost {:?}", &text[at..]);
    }

    #[test]
    fn no_grapheme_is_cut_unless_it_alone_is_over_the_limit(text in text(), max in 4usize..120, unit in unit()) {
        for piece in split(&text, plain(max, unit)) {
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

#[test]
fn behind_blocks_a_text_goes_on_as_if_it_had_not_been_read_again() {
    let text = "A paragraph.\n\n```rust\n    let a = 1;\n    let b = 2;\n    let c = 3;\n```\nAfter it.\n\n\
                | a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n| 7 | 8 |\n\nEnd of it, and some more.";
    let limit = plain(40, LengthUnit::Scalars);
    let mut going = Splitter::default();
    let first = going.next_block(&text[..14], (5, BlockBreak::Paragraph), limit, Repairs::ALL);
    assert_eq!(
        first.map(|piece| piece.text(text)),
        Some("A paragraph.".to_owned())
    );
    let mut pieces = 0;
    while let Some(piece) = going.next_full(text, limit, Repairs::ALL) {
        let mut again = Splitter::default();
        again.pass(text, piece.span.end, limit, Repairs::ALL);
        assert_eq!(
            again.rest(text),
            going.rest(text),
            "behind {:?}",
            piece.text(text)
        );
        pieces += 1;
    }
    assert!(pieces >= 4, "{pieces}");
}

#[test]
fn a_block_ends_at_the_last_place_of_its_kind_outside_of_code_and_tables() {
    let limit = plain(400, LengthUnit::Scalars);
    let block = |text: &str, kind| {
        let piece = Splitter::default().next_block(text, (5, kind), limit, Repairs::ALL);
        piece.map(|piece| piece.text(text))
    };
    let text = "First one. Second\nline here. And more\n\nnext paragraph. It goes on";
    for (kind, expected) in [
        (BlockBreak::Paragraph, "First one. Second\nline here. And more"),
        (BlockBreak::Newline, "First one. Second\nline here. And more"),
        (
            BlockBreak::Sentence,
            "First one. Second\nline here. And more\n\nnext paragraph.",
        ),
        (
            BlockBreak::Space,
            "First one. Second\nline here. And more\n\nnext paragraph. It goes",
        ),
    ] {
        assert_eq!(block(text, kind).as_deref(), Some(expected), "{kind:?}");
    }
    assert_eq!(
        block("A whole sentence.", BlockBreak::Sentence).as_deref(),
        Some("A whole sentence.")
    );
    assert_eq!(block("A whole sentence.", BlockBreak::Newline), None);
    assert_eq!(
        block("One.\n\nTwo", BlockBreak::Paragraph),
        None,
        "it is too short"
    );
    let code = "Look at this:\n\n```rust\nlet a = 1.\n\nlet b = 2.";
    assert_eq!(
        block(code, BlockBreak::Sentence).as_deref(),
        Some("Look at this:")
    );
    let row = "Some numbers:\n| a | b |\n|---|";
    assert_eq!(block(row, BlockBreak::Newline).as_deref(), Some("Some numbers:"));
}
