//! What is a filter, how it reads, and what is said about what is none.

use foldback_store::{FIELDS, Filter, Values, complete};
use foldback_wire::{ChannelId, rpc::FilterError};
use proptest::prelude::*;

/// The filter as it is written when it was understood.
fn read(text: &str) -> String {
    Filter::parse(text)
        .unwrap_or_else(|error| panic!("{text}: {error:?}"))
        .to_string()
}

fn refused(text: &str) -> FilterError {
    Filter::parse(text).expect_err(text)
}

/// What the error is about, what it says, and what the filter becomes when the suggestion is taken.
fn mended(text: &str) -> (String, String, Option<String>) {
    let error = refused(text);
    let FilterError {
        span,
        message,
        suggestion,
    } = error;
    let about = text[span.start..span.end].to_owned();
    let mended = suggestion.map(|suggestion| {
        let mended = format!("{}{suggestion}{}", &text[..span.start], &text[span.end..]);
        Filter::parse(&mended).unwrap_or_else(|error| panic!("{mended}: {error:?}"));
        mended
    });
    (about, message, mended)
}

#[test]
fn the_documented_example_is_a_filter() {
    let example = "channel:discord,telegram stage:hold reason:partial_tag -kind:edit dur>1.5s bytes>=2k \
                   after:-5m turn:#812 text:\"exact\" /re+gex/i is:error|held|leaked|live|replayed \
                   has:directive (a or b) not c";
    assert_eq!(
        read(example),
        "channel:discord,telegram stage:hold reason:partial_tag -kind:edit_text dur>1500ms bytes>=2k \
         after:-5m turn:812 text:exact /re+gex/i is:error,held,leaked,live,replayed has:directive \
         (a or b) -c"
    );
}

#[test]
fn an_empty_filter_lets_everything_pass() {
    for text in ["", "  ", "\t\n"] {
        assert!(Filter::parse(text).unwrap().is_everything());
    }
    assert_eq!(Filter::ALL.to_string(), "");
}

#[test]
fn not_binds_most_and_or_least() {
    for (typed, meant) in [
        ("a b or c d", "a b or c d"),
        ("a (b or c) d", "a (b or c) d"),
        ("a and b or c and d", "a b or c d"),
        ("not a b", "-a b"),
        ("not (a b)", "-(a b)"),
        ("-a or -b", "-a or -b"),
        ("-(a or b) c", "-(a or b) c"),
        ("not not a", "not -a"),
        ("--a", "not -a"),
        ("((a))", "a"),
        ("(a b) c", "a b c"),
        ("a or (b or c)", "a or b or c"),
        ("a or b and not c", "a or b -c"),
        ("A OR b AND NOT c", "A or b -c"),
        ("(a)(b)", "a b"),
        ("\"a\"\"b\"", "a b"),
    ] {
        assert_eq!(read(typed), meant, "{typed}");
    }
}

#[test]
fn quotes_make_a_word_of_anything() {
    for text in [
        r#""or""#,
        r#""two words""#,
        r#""-minus""#,
        r#""/slash""#,
        r#""a \"quote\" and a \\""#,
        r#""field:like""#,
        r#""(""#,
        r#""""#,
    ] {
        assert_eq!(read(text), text);
    }
    assert_eq!(read(r#""plain" -"," -")""#), "plain -, -\")\"");
    assert_eq!(
        read("12:30 café 🐢 a|b a,b {x} don't"),
        "12:30 café 🐢 a|b a,b {x} don't"
    );
    assert_eq!(
        read(r#"text:"a, b" channel:"x*y" channel:x*y"#),
        r#"text:"a, b" channel:"x*y" channel:x*y"#
    );
}

#[test]
fn values_have_units() {
    for (typed, meant) in [
        ("dur>1.5s", "dur>1500ms"),
        ("dur>=90s", "dur>=90s"),
        ("dur<2m", "dur<2m"),
        ("dur=1h", "dur:1h"),
        ("dur<=250ms", "dur<=250ms"),
        ("dur>0.0005s", "dur>0ms"),
        ("bytes>2k", "bytes>2k"),
        ("bytes>2KiB", "bytes>2048"),
        ("bytes:0", "bytes:0"),
        ("bytes<1.5MB", "bytes<1500k"),
        ("turn:#812,813", "turn:812,813"),
        ("turn>800 turn<=900", "turn>800 turn<=900"),
        ("after:-5m", "after:-5m"),
        ("before:2026-11-21", "before:2026-11-21T00:00:00.000Z"),
        (
            "after:2026-11-21T14:02:31+01:00",
            "after:2026-11-21T13:02:31.000Z",
        ),
        ("session:telegram:42:alice", "session:telegram:42:alice"),
        ("IS:Error", "is:error"),
        (r"/a\/b/", r"/a\/b/"),
        (r"/a\\/i", r"/a\\/i"),
    ] {
        assert_eq!(read(typed), meant, "{typed}");
    }
}

#[test]
fn a_slip_is_an_error_with_what_was_meant() {
    for (typed, about, meant) in [
        ("chanel:discord", "chanel", Some("channel:discord")),
        ("a Kindd:held b", "Kindd", Some("a kind:held b")),
        ("reason:partial-tag", "partial-tag", Some("reason:partial_tag")),
        ("is:eror,held", "eror", Some("is:error,held")),
        ("is:error,hled", "hled", Some("is:error,held")),
        ("stage:dliver", "dliver", Some("stage:deliver")),
        ("kind:turn_end", "turn_end", Some("kind:turn_ended")),
        ("has:directives", "directives", Some("has:directive")),
        ("channel>discord", ">", Some("channel:discord")),
        ("a or or b", "or", Some("a or \"or\" b")),
        ("and a", "and", Some("\"and\" a")),
        ("a -", "-", Some("a \"-\"")),
        ("/tmp/a.png", "/tmp/a.png", Some("\"/tmp/a.png\"")),
        ("xyzzy:1", "xyzzy", None),
        ("https://example.org", "https", None),
        ("is:zzz", "zzz", None),
        ("dur>fast", "fast", None),
        ("dur>1.5", "1.5", None),
        ("dur>1.2.3s", "1.2.3s", None),
        ("bytes>2x", "2x", None),
        ("bytes>99999999999999999999g", "99999999999999999999g", None),
        ("turn:twelve", "twelve", None),
        ("turn:1.5", "1.5", None),
        ("after:5m", "5m", None),
        ("after:yesterday", "yesterday", None),
        ("kind:", "", None),
        ("is:error,", "", None),
        ("(a", "(", None),
        ("a)", ")", None),
        ("()", ")", None),
        ("a (b or", "", None),
        ("\"open", "\"open", None),
        ("text:\"open", "\"open", None),
        ("/open", "/open", None),
        ("/(/", "/(/", None),
        ("/a{99999}{99999}/", "/a{99999}{99999}/", None),
        ("not", "", None),
        ("a and", "", None),
    ] {
        let (place, message, mended) = mended(typed);
        assert_eq!(place, about, "{typed}: {message}");
        assert_eq!(mended.as_deref(), meant, "{typed}: {message}");
    }
}

#[test]
fn errors_are_sentences_for_people() {
    for (typed, message) in [
        ("chanel:discord", "unknown field “chanel”"),
        ("xyzzy:1", "unknown field “xyzzy”; to search the text, use quotes"),
        ("is:eror", "`is:` has no “eror”"),
        (
            "is:silent",
            "`is:` has no “silent”; use error, warning, held, leaked, refused, live, dry_run, replayed",
        ),
        (
            "dur>fast",
            "`fast` is not a length of time (units ms, s, m, h, d), as in `dur>1.5s`",
        ),
        ("kind:", "`kind` needs a value, as in `-kind:edit`"),
        ("(a", "this `(` is never closed"),
    ] {
        assert_eq!(refused(typed).message, message);
    }
    let deep = "(".repeat(100_000);
    assert_eq!(
        refused(&deep).message,
        "a filter has at most 4096 bytes, and this has 100000"
    );
    assert_eq!(refused(&"-".repeat(4_000)).message, "this nests too deeply");
    assert_eq!(refused(&"(".repeat(4_000)).message, "this nests too deeply");
    assert_eq!(refused(&"not ".repeat(1_000)).message, "this nests too deeply");
}

#[test]
fn every_example_and_every_value_of_the_table_is_a_filter() {
    for field in FIELDS {
        Filter::parse(field.example).unwrap();
        assert!(field.example.trim_start_matches('-').starts_with(field.code));
        assert!(field.about.ends_with(['.', '…']));
        if let Values::Closed(values) = field.values {
            for value in values() {
                let text = format!("{}:{}", field.code, value.code);
                assert_eq!(read(&text), text);
            }
        }
    }
}

#[test]
fn a_channel_that_is_not_there_is_an_error_where_the_channels_are_known() {
    let channels: Vec<ChannelId> = vec!["telegram".into(), "discord-work".into()];
    let text = "discrod or channel:telegram,discord-wrok -channel:tele*";
    Filter::parse(text).unwrap();
    let error = Filter::parse_for(text, &channels).unwrap_err();
    assert_eq!(error.suggestion.as_deref(), Some("discord-work"));
    assert_eq!(&text[error.span.start..error.span.end], "discord-wrok");
    Filter::parse_for("channel:telegram,discord-work channel:x*", &channels).unwrap();
}

#[test]
fn the_cursor_is_offered_what_fits() {
    let channels: Vec<ChannelId> = vec!["telegram".into(), "discord".into()];
    let offered = |text: &str| {
        let all = complete(text, text.len(), &channels);
        let mended = |c: &foldback_wire::rpc::Completion| format!("{}{}", &text[..c.span.start], c.text);
        all.iter().map(mended).collect::<Vec<_>>()
    };
    assert_eq!(offered("is:error ch"), ["is:error channel:"]);
    assert_eq!(offered("channel:"), ["channel:telegram", "channel:discord"]);
    assert_eq!(offered("channel:telegram,d"), ["channel:telegram,discord"]);
    assert_eq!(offered("-is:re"), ["-is:refused", "-is:replayed"]);
    assert_eq!(offered("(reason:rat"), ["(reason:rate_limited"]);
    assert_eq!(offered("dur"), ["dur>", "dur<"]);
    assert_eq!(offered("dur>"), ["dur>500ms", "dur>1.5s", "dur>10s", "dur>1m"]);
    assert_eq!(offered("-dur<1"), ["-dur<1.5s", "-dur<10s", "-dur<1m"]);
    assert_eq!(offered("byt"), ["bytes>", "bytes<"]);
    assert_eq!(offered("bytes>=2"), ["bytes>=2k"]);
    assert_eq!(offered("af"), ["after:"]);
    assert_eq!(offered("after:"), ["after:-5m", "after:-1h", "after:-1d"]);
    assert_eq!(offered("before:-5"), ["before:-5m"]);
    assert_eq!(offered("is:").len(), 8);
    assert_eq!(offered("session:tel"), ["session:telegram:*"]);
    assert_eq!(offered("session:a,telegram:"), ["session:a,telegram:*"]);
    assert_eq!(offered("is:held"), ["is:held"], "what is complete stays first");
    assert_eq!(offered("kind:held")[..2], ["kind:held", "kind:held_settled"]);
    // Duration and size have two operators each.
    assert_eq!(offered("").len(), FIELDS.len() + 2 + 2);
    for text in offered("")
        .into_iter()
        .filter(|text| text.ends_with([':', '<', '>']))
    {
        let values = offered(&text);
        assert!(
            values.is_empty() || values.iter().all(|value| value.len() > text.len()),
            "{text}: {values:?}"
        );
        for filter in values {
            Filter::parse(&filter).unwrap_or_else(|error| panic!("{filter}: {error:?}"));
        }
    }
    assert!(offered("zzz").is_empty());
    assert!(
        complete("é", 1, &[]).len() > 1,
        "inside a character is at its beginning"
    );
}

/// Pieces of filters, good and bad.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => proptest::sample::select(vec![
            "or", "and", "not", "-", "(", ")", "\"", "\\", "/", "/i", ":", ",", "|", "=", "<", ">=", " ", "*", "#",
            "channel:", "kind:", "is:", "stage:hold", "dur>1.5s", "bytes>=2k", "turn:#8", "after:-5m", "before:",
            "text:\"a b\"", "/re+/i", "error", "held", "telegram", "1", ".", "2026-11-21", "ms", "🐢", "é",
        ]).prop_map(str::to_owned),
        1 => ".{0,6}",
    ]
}

/// Filters that are one.
fn filter() -> impl Strategy<Value = String> {
    let test = prop_oneof![
        "[a-z]{4,5}",
        "\"[ -~é🐢&&[^\"\\\\]]{0,6}\"",
        proptest::sample::select(
            FIELDS
                .iter()
                .map(|field| field.example.trim_start_matches('-').to_owned())
                .collect::<Vec<_>>()
        ),
        "dur[<>:][0-9]{1,4}(\\.[0-9]{1,3})?(ms|s|m|h|d)",
        "bytes(>=|<=|:|=)[0-9]{1,6}(k|m|kib)?",
        "(channel|session|text):\"[ -~&&[^\"\\\\]]{0,6}\"(,[a-z*]{1,4})?",
        "/[a-z.+/ \\\\]{0,3}/i?".prop_filter("an expression", |text| Filter::parse(text).is_ok()),
    ];
    test.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            (
                inner.clone(),
                proptest::sample::select(vec![" ", " and ", " or "]),
                inner.clone()
            )
                .prop_map(|(a, between, b)| format!("({a}{between}{b})")),
            (
                inner.clone(),
                proptest::sample::select(vec![" ", " and ", " or "]),
                inner.clone()
            )
                .prop_map(|(a, between, b)| format!("{a}{between}{b}")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.prop_map(|a| format!("not {a}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic_and_every_error_has_its_place(pieces in prop::collection::vec(piece(), 0..12)) {
        let text = pieces.concat();
        match Filter::parse(&text) {
            Ok(filter) => {
                let written = filter.to_string();
                prop_assert_eq!(Filter::parse(&written).unwrap(), filter, "{}", written);
            }
            Err(error) => {
                prop_assert!(text.get(error.span.start..error.span.end).is_some(), "{:?}", error);
                prop_assert!(!error.message.is_empty());
            }
        }
        for cursor in 0..=text.len() {
            for completion in complete(&text, cursor, &["telegram".into()]) {
                prop_assert!(text.get(completion.span.start..completion.span.end).is_some());
            }
        }
    }

    #[test]
    fn what_is_written_means_what_was_read(text in filter()) {
        let filter = Filter::parse(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error:?}")))?;
        let written = filter.to_string();
        let again = Filter::parse(&written).map_err(|error| TestCaseError::fail(format!("{written}: {error:?}")))?;
        prop_assert_eq!(&again, &filter, "{} as {}", text, written);
        prop_assert_eq!(again.to_string(), written);
    }
}
