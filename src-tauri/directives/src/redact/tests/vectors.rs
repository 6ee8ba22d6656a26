//! The vectors of redaction, whole and byte by byte.

use super::stream::parsed;
use serde_json::Value;

#[test]
fn every_vector_holds_whole_and_byte_by_byte() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/vectors/redact.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let vectors: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(vectors.len() >= 80, "only {} vectors", vectors.len());
    for vector in &vectors {
        let (input, expected) = (vector["input"].as_str().unwrap(), &vector["clean_text"]);
        assert_eq!(parsed(&[input]).clean_text.as_str(), expected, "{}", vector["id"]);
        let bytes: Vec<String> = input.chars().map(String::from).collect();
        let bytes: Vec<&str> = bytes.iter().map(String::as_str).collect();
        assert_eq!(
            parsed(&bytes).clean_text.as_str(),
            expected,
            "{} byte by byte",
            vector["id"]
        );
    }
}
