//! What users write: the vectors and generated messages, read twice.

use foldback_directives::inbound::{Settings, Think, parse};
use proptest::prelude::*;
use serde_json::json;

use crate::{
    inbound::{FILES, vectors},
    user::{agree, read},
};

/// What messages are made of.
const FRAGMENTS: &[&str] = &[
    "/think",
    "/thinking:",
    "/T",
    "/v",
    "/verbose",
    "/reason",
    "/reasoning",
    "/elev",
    "/elevated",
    "/exec",
    "/EXEC:",
    "/status",
    "/model",
    "/queue",
    "/opus",
    "/tmp",
    "/think/x",
    "/",
    "//",
    "high",
    "off",
    "on",
    "1",
    "0",
    "full",
    "extra-high",
    "default",
    "stream",
    "ask",
    "host=gateway",
    "host:node",
    "host=moon",
    "node=",
    "node=n1",
    "ask:off",
    "ask=on-miss",
    "security=full",
    "HOST=auto",
    "collect",
    "steer-backlog",
    "queue",
    "debounce:1m30s",
    "debounce:0",
    "debounce=1.5s",
    "debounce:.5",
    "cap:5",
    "cap:0",
    "cap=007",
    "drop:old",
    "drop=summary",
    "reset",
    "RESET",
    "a/b@c",
    "opus",
    "gpt",
    "a/b",
    "3",
    "x@",
    "--session",
    "bogus",
    "bogus=1",
    "word",
    ",",
    ".",
    ":",
    " : ",
    "=",
    "!",
    "?",
    ")",
    "(",
    "`",
    "``",
    "```",
    "~~~",
    "```\n",
    "\n```\n",
    "> ",
    "- ",
    "1. ",
    " ",
    "  ",
    "\t",
    "\n",
    "\n\n",
    "\n \n",
    "\r\n",
    "\r",
    "é",
    "日本",
    "\u{a0}",
    "\u{2028}",
    "\u{85}",
    "\u{feff}",
    "\u{200b}",
];

fn message() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        10 => prop::sample::select(FRAGMENTS).prop_map(str::to_owned),
        5 => Just(" ".to_owned()),
        1 => "[ -~]{0,4}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(fragment, 0..30).prop_map(|parts| parts.concat())
}

fn settings() -> impl Strategy<Value = Settings> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let aliases = prop::sample::select(vec![names(&[]), names(&["Opus"]), names(&["opus", "think", "1"])]);
    let models = prop::sample::select(vec![None, Some(names(&["a/b", "gpt"])), Some(names(&[]))]);
    let think = prop::sample::select(vec![None, Some(vec![Think::Off, Think::High]), Some(Vec::new())]);
    let authorized = prop_oneof![5 => Just(true), 1 => Just(false)];
    (authorized, aliases, models, think).prop_map(|(authorized, aliases, models, think)| Settings {
        authorized,
        aliases,
        models,
        think,
    })
}

fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: default.cases.max(10_000),
        ..default
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn both_readings_of_messages_agree(text in message(), settings in settings()) {
        let agreed = agree(&parse(&text, &settings), &text, &settings);
        prop_assert!(agreed.is_ok(), "{}", agreed.unwrap_err());
    }
}

#[test]
fn both_readings_agree_on_every_message_of_the_vectors() {
    for file in FILES {
        for vector in vectors(file) {
            agree(
                &parse(&vector.text, &vector.settings),
                &vector.text,
                &vector.settings,
            )
            .unwrap_or_else(|difference| panic!("{}: {difference}", vector.id));
        }
    }
}

#[test]
fn the_naive_reading_fulfils_every_vector_of_messages() {
    for file in FILES {
        for vector in vectors(file) {
            let page = read(&vector.text, &vector.settings);
            let codes: Vec<&str> = page.findings.iter().map(|(_, code)| *code).collect();
            let got = json!({
                "cleaned": page.cleaned,
                "directive_only": page.directive_only,
                "directives": page.directives,
                "diagnostics": codes,
            });
            for (key, expected) in vector.expect.as_object().into_iter().flatten() {
                assert_eq!(got.get(key), Some(expected), "{}: {key}", vector.id);
            }
        }
    }
}
