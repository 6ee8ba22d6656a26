//! The vectors through the command line, for every cut.

use crate::foldback::foldback;
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::Path};

fn vectors() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vectors");
    let mut all = Vec::new();
    for name in ["output.jsonl", "own.jsonl"] {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        all.extend(
            text.lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap()),
        );
    }
    all
}

/// What a vector compares: no spans, no nulls, and the set of codes.
fn essence(value: &Value) -> Value {
    let mut value = value.clone();
    for directive in value["directives"].as_array_mut().unwrap() {
        let fields = directive.as_object_mut().unwrap();
        fields.remove("span");
        fields.retain(|_, field| !field.is_null());
    }
    let codes: BTreeSet<String> = value["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            found
                .as_str()
                .or_else(|| found["code"].as_str())
                .unwrap()
                .to_owned()
        })
        .collect();
    serde_json::json!({
        "clean_text": value["clean_text"],
        "suppressed": value["suppressed"],
        "directives": value["directives"],
        "header": value["header"],
        "diagnostics": codes,
    })
}

#[test]
fn every_vector_holds_for_every_cut() {
    // Vectors with settings of their own are the scanner's own tests; here run those for the defaults.
    let vectors: Vec<Value> = vectors()
        .into_iter()
        .filter(|vector| vector.get("settings").is_none() && vector.get("inbound").is_none())
        .collect();
    assert!(vectors.len() >= 195, "only {} vectors", vectors.len());
    let stdin: String = vectors.iter().map(|vector| vector.to_string() + "\n").collect();
    let mut cuts = vec!["none".to_owned(), "bytes".to_owned()];
    cuts.extend((0..20).map(|seed| seed.to_string()));
    for cut in cuts {
        let ran = foldback(&["parse", "--batch", "--cut", &cut], &stdin);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let mut wrong = Vec::new();
        for (vector, answer) in vectors.iter().zip(ran.lines()) {
            assert_eq!(vector["id"], answer["id"]);
            let (expected, actual) = (essence(&vector["expect"]), essence(&answer));
            if expected != actual {
                wrong.push(format!(
                    "{}: {}\n  expected {expected}\n  actual   {actual}",
                    vector["id"], vector["input"]
                ));
            }
        }
        assert!(
            wrong.is_empty(),
            "{} wrong with --cut {cut}:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    }
}
