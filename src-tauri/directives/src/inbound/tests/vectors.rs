use serde_json::Value;

use super::{codes, parse, set};

const VECTORS: &str = include_str!("../../../../../fixtures/vectors/inbound.jsonl");

#[test]
fn the_given_vectors_hold() {
    let vectors: Vec<Value> = VECTORS
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(vectors.len(), 25);
    let mut wrong = Vec::new();
    for vector in vectors {
        let inbound = parse(vector["input"].as_str().unwrap());
        let got = serde_json::json!({
            "cleaned": inbound.cleaned,
            "directive_only": inbound.directive_only,
            "directives": set(&inbound),
            "diagnostics": codes(&inbound),
        });
        for (key, expected) in vector["expect"].as_object().unwrap() {
            if got[key] != *expected {
                wrong.push(format!(
                    "{} {key}: want {expected}, got {}",
                    vector["input"], got[key]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
