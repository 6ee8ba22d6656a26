use super::{Sent, free_markup};
use foldback_channels::{platform, profile, rendered_length};
use foldback_wire::{
    LengthUnit, Platform,
    rpc::{Ink, RenderedBlock},
};
use std::fmt::Write as _;

/// What is shown, in one line: `‹bold|text›`, blocks in brackets.
fn told(markdown: &str, platform: Platform) -> String {
    let sent = Sent::of(markdown, &profile(platform));
    sent.blocks.iter().fold(String::new(), |mut line, block| {
        // Writing to a String cannot fail.
        let _ = match block {
            RenderedBlock::Text { inks } => write!(line, "{}", letters(inks)),
            RenderedBlock::Heading { level, inks } => write!(line, "[h{level} {}]", letters(inks)),
            RenderedBlock::Quote { inks } => write!(line, "[quote {}]", letters(inks)),
            RenderedBlock::Code { language, text } => {
                let language = language
                    .as_deref()
                    .map_or(String::new(), |name| format!("{name}: "));
                write!(line, "[code {language}{text}]")
            }
        };
        line
    })
}

fn letters(inks: &[Ink]) -> String {
    inks.iter()
        .map(|ink| {
            let styles: Vec<_> = ink
                .styles
                .iter()
                .map(|s| s.code())
                .chain(ink.link.as_deref())
                .collect();
            match styles.as_slice() {
                [] => ink.text.clone(),
                styles => format!("‹{}|{}›", styles.join(" "), ink.text),
            }
        })
        .collect()
}

fn everywhere(markdown: &str, expected: [&str; 5]) {
    let platforms = [
        platform::TELEGRAM,
        platform::DISCORD,
        platform::SLACK,
        platform::WHATSAPP,
        platform::SIGNAL,
    ];
    for (platform, expected) in platforms.into_iter().zip(expected) {
        assert_eq!(told(markdown, platform), expected, "{markdown:?} on {platform}");
    }
}

#[test]
fn emphasis_is_what_each_platform_shows() {
    let same = "a ‹bold|b› ‹italic|c› ‹strike|d› ‹code|e›";
    everywhere("a **b** *c* ~~d~~ `e`", [same, same, same, same, "a b c d e"]);
}

#[test]
fn a_double_underscore_is_underlined_on_discord_alone() {
    let bold = "‹bold|x›";
    everywhere("__x__", [bold, "‹underline|x›", bold, bold, "x"]);
}

#[test]
fn emphasis_inside_emphasis_ends_where_it_began() {
    assert_eq!(told("***x***", platform::DISCORD), "‹bold italic|x›");
    assert_eq!(
        told("**a *b* c**", platform::DISCORD),
        "‹bold|a ›‹bold italic|b›‹bold| c›"
    );
    assert_eq!(
        told("*a **b** c*", platform::TELEGRAM),
        "‹italic|a ›‹italic bold|b›‹italic| c›"
    );
}

#[test]
fn what_is_no_mark_stays_a_letter() {
    for text in [
        "2*3*4",
        "snake_case_name",
        "a * b * c",
        "5 < 6 & 7 > 2",
        "**",
        "`",
        "a ` b",
        "<b>no tag</b>",
    ] {
        for platform in [
            platform::TELEGRAM,
            platform::SLACK,
            platform::WHATSAPP,
            platform::SIGNAL,
        ] {
            assert_eq!(told(text, platform), text, "{platform}");
        }
    }
    assert_eq!(told("\\*no\\*", platform::DISCORD), "*no*");
    assert_eq!(told("snake_case_name", platform::DISCORD), "snake_case_name");
}

#[test]
fn a_link_leads_somewhere_or_is_told() {
    everywhere(
        "see [it](https://e.org/?a=1&b=2)",
        [
            "see ‹https://e.org/?a=1&b=2|it›",
            "see ‹https://e.org/?a=1&b=2|it›",
            "see ‹https://e.org/?a=1&b=2|it›",
            "see it (‹https://e.org/?a=1&b=2|https://e.org/?a=1&b=2›)",
            "see it (https://e.org/?a=1&b=2)",
        ],
    );
}

#[test]
fn blocks_stand_on_their_own() {
    let fenced = "before\n```rust\nif a < b && c {}\n```\nafter";
    everywhere(
        fenced,
        [
            "before[code rust: if a < b && c {}]after",
            "before[code rust: if a < b && c {}]after",
            "before[code if a < b && c {}]after",
            "before[code if a < b && c {}]after",
            "before\nif a < b && c {}\nafter",
        ],
    );
    assert_eq!(told("> one\n> two", platform::TELEGRAM), "[quote one\ntwo]");
    assert_eq!(told("> one\n> two", platform::SLACK), "[quote one\ntwo]");
    assert_eq!(told("# Title\ntext", platform::DISCORD), "[h1 Title]text");
    assert_eq!(told("# Title\ntext", platform::WHATSAPP), "‹bold|Title›\ntext");
    assert_eq!(told("- a\n- b", platform::DISCORD), "• a\n• b");
}

/// What is sent is what is read, what marks it up, and what escaping added: nothing is left over.
#[test]
fn the_parts_of_a_length_add_up() {
    let text =
        "# T\n\na **b** & <c> `d&e` [f](https://g.h/?i&j)\n\n```\nk & l\n```\n> m & n\n\n- o\n- p & q\n\nend";
    for platform in platform::ALL {
        let can = profile(*platform);
        let sent = Sent::of(text, &can);
        assert_eq!(sent.whole, can.unit.measure(&sent.text));
        assert!(sent.letters + sent.escapes <= sent.whole, "{platform}: {sent:?}");
        // The splitter's own measure.
        assert_eq!(sent.counts, rendered_length(text, can.unit, can.markup));
        assert_eq!(
            sent.counts,
            if free_markup(can.markup) {
                sent.letters
            } else {
                sent.whole
            }
        );
    }
    let telegram = Sent::of("a < b", &profile(platform::TELEGRAM));
    assert_eq!(
        (
            telegram.letters,
            telegram.escapes,
            telegram.whole,
            telegram.counts
        ),
        (5, 3, 8, 5)
    );
    let slack = Sent::of("a < b", &profile(platform::SLACK));
    assert_eq!((slack.letters, slack.escapes, slack.counts), (5, 3, 8));
}

#[test]
fn letters_are_counted_in_the_channels_unit() {
    for (platform, counts) in [
        (platform::TELEGRAM, 2),
        (platform::DISCORD, 1),
        (platform::SIGNAL, 4),
    ] {
        let can = profile(platform);
        assert!(matches!(
            can.unit,
            LengthUnit::Utf16 | LengthUnit::Scalars | LengthUnit::Bytes
        ));
        assert_eq!(Sent::of("🎉", &can).counts, counts, "{platform}");
    }
}

#[test]
fn plain_text_needs_no_rendering_and_markup_does() {
    for platform in platform::ALL {
        let can = profile(*platform);
        assert_eq!(
            Sent::of("Hello you", &can).rendering("Hello you"),
            None,
            "{platform}"
        );
        assert!(Sent::of("**x**", &can).rendering("**x**").is_some(), "{platform}");
    }
}

/// Whatever comes, it is read to its end and nothing is invented.
#[test]
fn hostile_markup_is_only_letters() {
    let deep = "*_".repeat(1_500);
    for text in [
        "<script>alert(1)</script>",
        "<a href=\"javascript:x\">y</a>",
        "[x](javascript:alert(1))",
        "```",
        "> ",
        &deep,
    ] {
        for platform in platform::ALL {
            let sent = Sent::of(text, &profile(*platform));
            for block in &sent.blocks {
                if let RenderedBlock::Text { inks } = block {
                    assert!(
                        inks.iter()
                            .all(|ink| ink.link.as_deref().is_none_or(|l| l.starts_with("http"))),
                        "{platform}: {text}"
                    );
                }
            }
        }
    }
}
