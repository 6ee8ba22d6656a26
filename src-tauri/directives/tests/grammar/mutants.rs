//! Every rule that can be switched off is missed by at least one vector when it is.
//!
//! `cargo test -p foldback-directives --features mutants --test grammar mutants -- --nocapture` prints how
//! many notice each.

use foldback_directives::{MUTANTS, parse};

use crate::common::{Vector, outcome, vectors};

/// Whether a vector's expectation fails when a rule is off.
fn notices(vector: &Vector, rule: &str) -> bool {
    let mut settings = vector.settings.clone();
    settings.switch_off(&[rule.to_owned()]);
    let got = outcome(&parse(&vector.input, &settings, vector.inbound.as_deref()));
    let mut expected = vector.expect.as_object().into_iter().flatten();
    !expected.all(|(key, value)| got.get(key) == Some(value))
}

#[test]
fn every_switched_off_rule_turns_a_vector_red() {
    let (given, own) = (vectors("output.jsonl"), vectors("own.jsonl"));
    println!("{:<22} given  ours", "off");
    let mut survivors = Vec::new();
    for rule in MUTANTS.iter().map(|rule| rule.code()) {
        let count = |vectors: &[Vector]| vectors.iter().filter(|vector| notices(vector, rule)).count();
        let (given, own) = (count(&given), count(&own));
        println!("{rule:<22} {given:>5} {own:>5}");
        if own < 2 {
            survivors.push(rule);
        }
    }
    assert!(
        survivors.is_empty(),
        "fewer than two of our vectors notice when these are off: {survivors:?}"
    );
    assert!(MUTANTS.len() >= 50, "{} rules can be switched off", MUTANTS.len());
}
