//! Every vector, for every cut.

use foldback_directives::{inbound::parse as read_message, parse};
use serde_json::json;

use crate::{
    common::{cuts, in_chunks, outcome, vectors},
    inbound,
};

fn check(file: &str) {
    let vectors = vectors(file);
    let wrong: Vec<String> = vectors
        .iter()
        .filter_map(|vector| {
            let parsed = parse(&vector.input, &vector.settings, vector.inbound.as_deref());
            let got = outcome(&parsed);
            let expected = &vector.expect;
            let differs = expected
                .as_object()?
                .iter()
                .any(|(key, value)| got.get(key) != Some(value));
            differs.then(|| {
                format!(
                    "{} {:?}\n  want {expected}\n  got  {got}",
                    vector.id, vector.input
                )
            })
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} vectors differ:\n{}",
        wrong.len(),
        vectors.len(),
        wrong.join("\n")
    );
}

fn check_cuts(file: &str) {
    for vector in vectors(file) {
        let whole = parse(&vector.input, &vector.settings, vector.inbound.as_deref());
        for chunks in cuts(&vector.input, 20) {
            let got = in_chunks(&chunks, &vector.settings, vector.inbound.as_deref());
            assert_eq!(got, whole, "{}: {chunks:?}", vector.id);
        }
    }
}

#[test]
fn the_given_vectors_hold() {
    check("output.jsonl");
}

#[test]
fn the_given_vectors_hold_for_every_cut() {
    check_cuts("output.jsonl");
}

#[test]
fn our_own_vectors_hold() {
    check("own.jsonl");
}

#[test]
fn our_own_vectors_hold_for_every_cut() {
    check_cuts("own.jsonl");
}

#[test]
fn the_vectors_of_users_messages_hold() {
    for file in inbound::FILES {
        for vector in inbound::vectors(file) {
            let read = read_message(&vector.text, &vector.settings);
            let codes: Vec<&str> = read.diagnostics.iter().map(|found| found.code.code()).collect();
            let got = json!({
                "cleaned": read.cleaned,
                "directive_only": read.directive_only,
                "directives": read.directives,
                "diagnostics": codes,
            });
            for (key, expected) in vector.expect.as_object().into_iter().flatten() {
                assert_eq!(
                    got.get(key),
                    Some(expected),
                    "{}: {key} of {:?}",
                    vector.id,
                    vector.text
                );
            }
        }
    }
    let [given, own] = inbound::FILES.map(|file| inbound::vectors(file).len());
    assert!(given == 25 && own >= 2 * given, "{given} given, {own} of ours");
}
