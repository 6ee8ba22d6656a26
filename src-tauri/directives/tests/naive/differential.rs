//! The vectors and generated texts, read twice.

use foldback_directives::{Dialect, Settings, parse};
use proptest::prelude::*;

use crate::{
    common::{cut, cuts, in_chunks, outcome, vectors},
    compare::agree,
    page,
    texts::{VECTORS, parts, settings, text},
};

/// Most pieces of a text that is read in every combination.
const LONGEST: usize = 5;

/// `PROPTEST_CASES` asks for more.
fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: default.cases.max(2_000),
        ..default
    }
}

#[test]
fn the_naive_reading_fulfils_every_vector() {
    for file in ["output.jsonl", "own.jsonl"] {
        for vector in vectors(file) {
            let got = outcome(&page::read(
                &vector.input,
                &vector.settings,
                vector.inbound.as_deref(),
            ));
            for (key, value) in vector.expect.as_object().into_iter().flatten() {
                assert_eq!(
                    got.get(key),
                    Some(value),
                    "{} {:?}: {key}",
                    vector.id,
                    vector.input
                );
            }
        }
    }
}

#[test]
fn both_readings_agree_on_every_vector() {
    for file in ["output.jsonl", "own.jsonl"] {
        for vector in vectors(file) {
            let inbound = vector.inbound.as_deref();
            for chunks in cuts(&vector.input, 2) {
                let parsed = in_chunks(&chunks, &vector.settings, inbound);
                agree(parsed, &vector.input, &vector.settings, inbound)
                    .unwrap_or_else(|difference| panic!("{} {:?}: {difference}", vector.id, vector.rules));
            }
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn both_readings_agree_where_vectors_meet(
        raw in parts(),
        settings in prop::sample::select(VECTORS.1.as_slice()),
        inbound in prop::option::of(parts()),
        repeat in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let inbound = inbound.map(|inbound| if repeat { raw.clone() + &inbound } else { inbound });
        let inbound = inbound.as_deref();
        let agreed = agree(in_chunks(&cut(&raw, seed), &settings, inbound), &raw, &settings, inbound);
        prop_assert!(agreed.is_ok(), "{}", agreed.unwrap_err());
    }

    #[test]
    fn both_readings_agree(raw in text(), settings in settings(), seed in any::<u64>()) {
        for parsed in [parse(&raw, &settings, None), in_chunks(&cut(&raw, seed), &settings, None)] {
            let agreed = agree(parsed, &raw, &settings, None);
            prop_assert!(agreed.is_ok(), "{}", agreed.unwrap_err());
        }
    }

    #[test]
    fn both_readings_agree_on_echoes(
        raw in text(),
        inbound in text(),
        settings in settings(),
        whole in any::<bool>(),
    ) {
        let inbound = if whole { raw.clone() + &inbound } else { inbound };
        let agreed = agree(parse(&raw, &settings, Some(&inbound)), &raw, &settings, Some(&inbound));
        prop_assert!(agreed.is_ok(), "{}", agreed.unwrap_err());
    }
}

#[test]
fn both_readings_agree_on_a_fence_behind_an_acknowledgement() {
    let settings = Settings {
        heartbeat: true,
        ..Settings::default()
    };
    for before in ["", " ", "\n", "\r\n\n"] {
        for token in ["HEARTBEAT_OK", "HEARTBEAT_OK>", "*HEARTBEAT_OK*"] {
            for between in [" ", "\n", " > ", "\n- "] {
                let raw = format!("{before}{token}{between}```<actions>");
                let agreed = agree(parse(&raw, &settings, None), &raw, &settings, None);
                assert!(agreed.is_ok(), "{}", agreed.unwrap_err());
            }
        }
    }
}

#[test]
fn both_readings_agree_on_json_that_is_nested_deeply_and_on_long_fence_lines() {
    let settings = Settings {
        dialects: vec![Dialect::Json],
        ..Settings::default()
    };
    let nested = |depth: usize| {
        let (open, close) = ("[{\"a\":".repeat(depth), "}]".repeat(depth));
        format!("{{\"actions\":[{{\"type\":\"x\",\"payload\":{open}1{close}}}]}}")
    };
    let fence = |info: usize, mark: &str| format!("{mark}{}\n{{\"actions\":[]}}\n{mark}", "x".repeat(info));
    let texts = [
        nested(1),
        nested(128),
        nested(7_000),
        fence(70, "```"),
        fence(65_532, "```"),
        fence(65_533, "```"),
        fence(65_532, "~~~"),
        fence(65_533, "~~~"),
    ];
    for raw in texts {
        agree(parse(&raw, &settings, None), &raw, &settings, None)
            .unwrap_or_else(|difference| panic!("{}", &difference[difference.len() - 2_000..]));
    }
}

/// Reads every text of up to [`LONGEST`] of these pieces twice.
fn agree_on_all<const N: usize>(pieces: [&str; N], settings: &Settings) {
    let mut texts = vec![String::new()];
    for _ in 0..LONGEST {
        let longer = |text: &String| pieces.map(|piece| format!("{text}{piece}"));
        texts = texts.iter().flat_map(longer).collect();
        for text in &texts {
            agree(parse(text, settings, None), text, settings, None)
                .unwrap_or_else(|difference| panic!("{text:?}: {difference}"));
        }
    }
}

/// Where tokens, code, headers and tags meet.
#[test]
fn both_readings_agree_on_every_short_text_of_tokens() {
    for heartbeat in [false, true] {
        let settings = Settings {
            heartbeat,
            ..Settings::default()
        };
        let pieces = [
            "HEARTBEAT_OK",
            "NO_REPLY",
            "`",
            " ",
            "\n",
            "\r",
            "x",
            ".",
            "[[reply_to:42]]",
            "<no-reply/>",
            "<think>a</think>",
        ];
        agree_on_all(pieces, &settings);
    }
}

/// Where blocks, directives, scaffolding and code open and close.
#[test]
fn both_readings_agree_on_every_short_text_of_tags() {
    let pieces = [
        "<actions>",
        "</actions>",
        "<react emoji=a/>",
        "<voice>",
        "</voice>",
        "<final>",
        "</final>",
        "x",
        " ",
        "\n",
        "`",
        "<no-reply>",
    ];
    agree_on_all(pieces, &Settings::default());
}

/// The places where an object that names an action turns out to be one, to be malformed, or to be text.
#[test]
fn both_readings_agree_on_every_short_text_that_names_an_action() {
    let settings = Settings {
        dialects: vec![Dialect::Json],
        action_names: vec!["a".to_owned()],
        ..Settings::default()
    };
    let pieces = [
        "{\"type\":\"a\",",
        "{\"type\":\"a\"",
        "\"payload\"",
        ":",
        "{",
        "}",
        ",",
        "\"",
        "\"b\":1",
        "\\",
        "\n",
        "```",
    ];
    agree_on_all(pieces, &settings);
}

/// The places where one action by itself goes on, breaks off and turns out to be text.
#[test]
fn both_readings_agree_on_every_short_text_of_an_action() {
    let settings = Settings {
        dialects: vec![Dialect::Json],
        ..Settings::default()
    };
    let pieces = [
        "{\"type\":\"a\",\"payload\":",
        "{\"type\":\"",
        "{",
        "}",
        ",",
        "\"",
        "\"meta\":",
        "\"metax",
        "\\",
        "\n",
        "```",
        "1",
    ];
    agree_on_all(pieces, &settings);
}
