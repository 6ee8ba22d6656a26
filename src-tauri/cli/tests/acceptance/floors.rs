//! The house: a crate may use only crates on floors below its own, whatever the kind of dependency, and none
//! but the shell knows Tauri. What holds inside the crates is in `modules`.

mod modules;

use serde_json::Value;
use std::{collections::BTreeMap, path::Path, process::Command};

/// Ground floor first; the picture of it is in docs/architecture.md.
const FLOORS: &[(&str, u8)] = &[
    ("foldback-directives", 1),
    ("foldback-programs", 1),
    ("foldback-wire", 2),
    ("foldback-store", 3),
    ("foldback-channels", 3),
    ("foldback-actions", 3),
    ("foldback-agents", 3),
    ("foldback-transcripts", 3),
    ("foldback-pipeline", 4),
    ("foldback-strict", 4),
    ("foldback-hooks", 5),
    ("foldback-replay", 5),
    ("foldback-api", 6),
    ("foldback", 7),
    ("foldback-desktop", 7),
];

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Every dependency that breaks the rule, in words.
fn broken(packages: &[Value]) -> Vec<String> {
    let floors: BTreeMap<&str, u8> = FLOORS.iter().copied().collect();
    let mut broken = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let Some(floor) = floors.get(name) else {
            broken.push(format!("{name} stands on no floor"));
            continue;
        };
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            let kind = dependency["kind"].as_str().unwrap_or("normal");
            // A crate that tests itself with one of its own features names itself; that is no way up.
            let other = used != name;
            if other && floors.get(used).is_some_and(|below| below >= floor) {
                broken.push(format!(
                    "{name} (floor {floor}) uses {used}, which is not below it ({kind})"
                ));
            }
            if used.starts_with("tauri") && name != "foldback-desktop" {
                broken.push(format!("{name} knows {used} ({kind})"));
            }
        }
    }
    broken
}

#[test]
fn every_crate_uses_only_floors_below_it() {
    let packages = packages();
    assert_eq!(packages.len(), FLOORS.len());
    assert_eq!(broken(&packages), Vec::<String>::new());
}

/// The scanner is for others too: it brings no runtime and nothing of the rest.
#[test]
fn the_scanner_needs_next_to_nothing() {
    let packages = packages();
    let scanner = packages
        .iter()
        .find(|package| package["name"] == "foldback-directives");
    let needed = |optional: bool| -> Vec<&str> {
        let all = scanner.unwrap()["dependencies"].as_array().unwrap().iter();
        all.filter(|used| used["kind"].is_null() && used["optional"] == optional)
            .map(|used| used["name"].as_str().unwrap())
            .collect()
    };
    assert_eq!(needed(false), ["memchr", "regex", "regex-automata", "strsim"]);
    assert_eq!(needed(true), ["schemars", "serde", "ts-rs"]);
}

#[test]
fn the_rule_notices_every_kind_of_dependency() {
    for kind in [Value::Null, "dev".into(), "build".into()] {
        let upwards = serde_json::json!([
            {"name": "foldback-wire", "dependencies": [{"name": "foldback-store", "kind": kind}]},
            {"name": "foldback-api", "dependencies": [{"name": "tauri", "kind": kind}]},
            {"name": "foldback-attic", "dependencies": []},
        ]);
        assert_eq!(broken(upwards.as_array().unwrap()).len(), 3);
    }
}
