//! Switches one rule off at a time and expects some fixture or vector to notice. A rule that nothing notices is
//! a rule that nobody would miss, or one that no example shows.
//!
//! Needs the feature `mutants`: `make mutants`.
#![cfg(feature = "mutants")]

use foldback_directives::{Parsed, Settings, parse};
use foldback_pipeline::Rules;
use foldback_replay::{
    Job, Mutation, Options,
    fixture::{Fixture, find, load},
    run_all,
};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Rules whose absence no fixture shows; the pipeline's own mutation tests notice them. A script cannot speak
/// for a run that is not its own, and the order inside a lane is hidden where each turn waits for its own end.
/// A replay reads deliveries from the journal, which masks a caption even where the platform's copy is not.
const ELSEWHERE: &[foldback_pipeline::Rule] = &[
    foldback_pipeline::Rule::RunLate,
    foldback_pipeline::Rule::DispatchOrder,
    foldback_pipeline::Rule::RedactDirectives,
];

fn fixtures_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn fixtures() -> Vec<(PathBuf, Fixture)> {
    let found = find(&fixtures_folder()).unwrap();
    found
        .fixtures
        .into_iter()
        .map(|path| (path.clone(), load(&path).unwrap()))
        .collect()
}

struct Vector {
    input: String,
    inbound: Option<String>,
    settings: Settings,
    expect: Value,
}

fn vectors() -> Vec<Vector> {
    let mut vectors = Vec::new();
    for name in ["output.jsonl", "own.jsonl"] {
        let text = fs::read_to_string(fixtures_folder().join("vectors").join(name)).unwrap();
        for line in text.lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            let settings = value
                .get("settings")
                .cloned()
                .unwrap_or_else(|| Value::Object(serde_json::Map::new()));
            vectors.push(Vector {
                input: value["input"].as_str().unwrap().to_owned(),
                inbound: value["inbound"].as_str().map(str::to_owned),
                settings: serde_json::from_value(settings).unwrap(),
                expect: value["expect"].clone(),
            });
        }
    }
    vectors
}

/// Whether the answer is what a vector expects: no spans, no nulls, the set of codes.
fn holds(parsed: &Parsed, expect: &Value) -> bool {
    let answer = serde_json::to_value(parsed).unwrap();
    let essence = |directives: &Value| {
        let mut directives = directives.as_array().unwrap().clone();
        for directive in &mut directives {
            let fields = directive.as_object_mut().unwrap();
            fields.remove("span");
            fields.retain(|_, value| !value.is_null());
        }
        directives
    };
    let codes: BTreeSet<&str> = parsed.diagnostics.iter().map(|found| found.code.code()).collect();
    let expected: BTreeSet<&str> = expect["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|code| code.as_str().unwrap())
        .collect();
    answer["clean_text"] == expect["clean_text"]
        && answer["suppressed"] == expect["suppressed"]
        && answer["header"] == expect["header"]
        && essence(&answer["directives"]) == essence(&expect["directives"])
        && codes == expected
        && expect
            .get("actions")
            .is_none_or(|actions| essence(actions) == essence(&answer["actions"]))
}

fn some_vector_notices(vectors: &[Vector], off: &[String]) -> bool {
    vectors.iter().any(|vector| {
        let mut settings = vector.settings.clone();
        settings.switch_off(off);
        !holds(
            &parse(&vector.input, &settings, vector.inbound.as_deref()),
            &vector.expect,
        )
    })
}

/// Runs the fixtures that name the rule first: they are the likeliest to notice.
fn some_fixture_notices(fixtures: &[(PathBuf, Fixture)], rule: &str, mutation: &Mutation) -> bool {
    let (own, others): (Vec<_>, Vec<_>) = fixtures
        .iter()
        .partition(|(_, fixture)| fixture.rules.iter().any(|named| named == rule));
    let options = Options {
        mutation: mutation.clone(),
        ..Options::default()
    };
    [own, others].into_iter().any(|fixtures| {
        let jobs: Vec<Job<'_>> = fixtures
            .iter()
            .flat_map(|(path, fixture)| {
                fixture.channel.platforms().iter().map(move |platform| Job {
                    path,
                    fixture,
                    platform: *platform,
                })
            })
            .collect();
        let mut noticed = false;
        run_all(&jobs, None, &options, |_, result| {
            noticed |= result.map_or(true, |played| !played.case.holds());
            !noticed
        });
        noticed
    })
}

#[test]
fn every_rule_is_missed_when_it_is_off() {
    let fixtures = fixtures();
    let vectors = vectors();
    assert!(
        !some_vector_notices(&vectors, &[]),
        "the vectors hold as long as every rule is on"
    );
    assert!(
        !some_fixture_notices(&fixtures, "", &Mutation::default()),
        "so do the fixtures"
    );

    let mut caught = 0;
    let mut unnoticed = Vec::new();
    for rule in foldback_directives::MUTANTS {
        let off = vec![rule.code().to_owned()];
        let mutation = Mutation {
            rules: Rules::all(),
            grammar_off: off.clone(),
        };
        if some_vector_notices(&vectors, &off) || some_fixture_notices(&fixtures, rule.code(), &mutation) {
            caught += 1;
        } else {
            unnoticed.push(rule.code());
        }
    }
    for rule in foldback_pipeline::Rule::ALL
        .iter()
        .filter(|rule| rule.can_be_off() && !ELSEWHERE.contains(rule))
    {
        let mutation = Mutation {
            rules: Rules::without(*rule),
            grammar_off: Vec::new(),
        };
        if some_fixture_notices(&fixtures, rule.id(), &mutation) {
            caught += 1;
        } else {
            unnoticed.push(rule.id());
        }
    }
    println!("{caught} mutants, each noticed by a fixture or a vector");
    assert_eq!(
        unnoticed,
        Vec::<&str>::new(),
        "nothing notices when these rules are off"
    );
    assert!(caught >= 25);
}
