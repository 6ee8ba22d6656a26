//! Every vector, for every cut.

mod common;

use common::{Vector, cuts, outcome, vectors};
use foldback_directives::{Collect, Parsed, Scanner, Settings, parse};

fn in_chunks(chunks: &[&str], vector: &Vector) -> Parsed {
    let mut collect = Collect::default();
    let mut scanner = Scanner::new(&vector.settings, vector.inbound.as_deref());
    for chunk in chunks {
        scanner.push(chunk, &mut collect);
    }
    scanner.finish(&mut collect);
    collect.into_parsed()
}

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
            assert_eq!(in_chunks(&chunks, &vector), whole, "{}: {chunks:?}", vector.id);
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
fn the_default_settings_are_the_pages() {
    assert_eq!(Settings::default().dialects.len(), 4);
}
