//! Every rule that can be switched off is missed by at least one vector when it is.

use foldback_directives::{MUTANTS, Settings, parse};

use crate::common::{outcome, vectors};

#[test]
fn every_switched_off_rule_turns_a_vector_red() {
    let vectors: Vec<_> = ["output.jsonl", "own.jsonl"]
        .into_iter()
        .flat_map(vectors)
        .collect();
    let survivors: Vec<&str> = MUTANTS
        .iter()
        .map(|rule| rule.code())
        .filter(|rule| {
            vectors.iter().all(|vector| {
                let settings = Settings {
                    off: vec![(*rule).to_owned()],
                    ..vector.settings.clone()
                };
                let got = outcome(&parse(&vector.input, &settings, vector.inbound.as_deref()));
                let mut expected = vector.expect.as_object().into_iter().flatten();
                expected.all(|(key, value)| got.get(key) == Some(value))
            })
        })
        .collect();
    assert!(
        survivors.is_empty(),
        "nothing notices when these are off: {survivors:?}"
    );
    assert!(MUTANTS.len() >= 40, "{} rules can be switched off", MUTANTS.len());
}
