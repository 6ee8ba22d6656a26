//! `foldback parse --inbound` as the interface page describes it.

use crate::foldback::foldback;
use serde_json::{Value, json};
use std::{fs, path::Path};

#[test]
fn prints_one_object_with_every_field() {
    let ran = foldback(
        &["parse", "--inbound"],
        "/think high /queue collect debounce:2s cap:5 drop:old\n\
         /exec host=gateway security=full ask=off node=n1 explain /model anthropic/claude@work /status this",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.json(),
        json!({
            "cleaned": "explain this",
            "directive_only": false,
            "directives": {
                "think": {"level": "high"},
                "queue": {"mode": "collect", "debounce_ms": 2000, "cap": 5, "drop": "old"},
                "exec": {"host": "gateway", "security": "full", "ask": "off", "node": "n1"},
                "model": {"model": "anthropic/claude", "profile": "work"},
                "status": {},
            },
            "diagnostics": [],
        })
    );
}

#[test]
fn every_vector_holds() {
    for file in ["inbound.jsonl", "own-inbound.jsonl"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures/vectors")
            .join(file);
        // Vectors with settings of their own are the reader's own tests; here run those for the defaults.
        let vectors: Vec<Value> = fs::read_to_string(path)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|vector| vector.get("settings").is_none())
            .collect();
        assert!(vectors.len() >= 25, "{file}: {}", vectors.len());
        let stdin: String = vectors.iter().map(|vector| vector.to_string() + "\n").collect();
        let ran = foldback(&["parse", "--inbound", "--batch"], &stdin);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let answers = ran.lines();
        assert_eq!(vectors.len(), answers.len());
        for (vector, answer) in vectors.iter().zip(&answers) {
            assert_eq!(vector["id"], answer["id"]);
            for (key, expected) in vector["expect"].as_object().unwrap() {
                assert_eq!(answer[key], *expected, "{}: {key}", vector["input"]);
            }
            let alone = foldback(&["parse", "--inbound"], vector["input"].as_str().unwrap()).json();
            for (key, value) in alone.as_object().unwrap() {
                assert_eq!(answer[key], *value, "{}: {key}", vector["input"]);
            }
        }
    }
}

#[test]
fn a_file_is_read_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("message.txt");
    fs::write(&file, "/think high go\n").unwrap();
    let path = file.to_str().unwrap();
    assert_eq!(
        foldback(&["parse", "--inbound", path], "").json()["cleaned"],
        "go\n"
    );
    fs::write(&file, b"/think \xff").unwrap();
    assert_eq!(foldback(&["parse", "--inbound", path], "").code, 2);
}

#[test]
fn a_person_reads_what_was_decided_and_where() {
    let ran = foldback(
        &["parse", "--inbound", "--format", "text"],
        "/think high go\nand /v maybe",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for part in [
        "go\nand /v maybe\n",
        "directives for this turn\n  /think {\"level\":\"high\"}\n",
        "2:8: warning invalid-value: `maybe` is no value of /verbose: off, on, full\n",
    ] {
        assert!(ran.stdout.contains(part), "{part:?} in\n{}", ran.stdout);
    }
}

#[test]
fn options_of_the_output_grammar_are_refused() {
    for options in [
        &["--dialects", "header"][..],
        &["--placement", "start"],
        &["--heartbeat"],
        &["--set", "output.bare=text"],
        &["--inbound-text", "x"],
        &["--cut", "bytes"],
        &["--stream"],
    ] {
        let ran = foldback(&[&["parse", "--inbound"], options].concat(), "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{options:?}");
        assert!(ran.stderr.contains("--inbound"), "{options:?}: {}", ran.stderr);
    }
}
