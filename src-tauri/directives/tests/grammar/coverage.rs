//! How many of our own vectors name each rule, so that gaps are seen:
//! `cargo test -p foldback-directives --test grammar coverage -- --nocapture` prints the table.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt::Write as _,
};

use foldback_directives::{RULES, Rule};

use crate::common::vectors;

/// Fewest vectors of ours that name a rule.
const FEWEST: usize = 2;

/// Rules that no vector can name, since what they speak of is not in the result of one message, and where they
/// are tested instead.
const ELSEWHERE: &[(Rule, &str)] = &[
    (Rule::Narration, "several messages: fixtures/header/each-message"),
    (
        Rule::RunsAtOnce,
        "when, not what: fixtures/delivery/reaction-waits",
    ),
    (Rule::BrokerText, "never scanned: fixtures/delivery/broker-text"),
    (
        Rule::EmptyText,
        "what the channel sends: fixtures/documents/directive-only",
    ),
    (
        Rule::HoldNamed,
        "events on the way: fixtures/code/holds and holds.rs",
    ),
];

fn elsewhere(rule: Rule) -> Option<&'static str> {
    ELSEWHERE
        .iter()
        .find(|(other, _)| *other == rule)
        .map(|(_, place)| *place)
}

/// How many of our own vectors name each rule.
fn named() -> HashMap<String, usize> {
    let mut named = HashMap::new();
    for rule in vectors("own.jsonl").into_iter().flat_map(|vector| vector.rules) {
        *named.entry(rule).or_default() += 1;
    }
    named
}

/// One line for each section and one for each rule in it.
fn table(named: &HashMap<String, usize>) -> String {
    let mut sections: BTreeMap<&str, Vec<Rule>> = BTreeMap::new();
    for rule in RULES {
        let section = rule.code().split('.').next().unwrap_or_default();
        sections.entry(section).or_default().push(*rule);
    }
    let mut table = String::new();
    for (section, rules) in sections {
        let count = |rule: &Rule| named.get(rule.code()).copied().unwrap_or_default();
        let sum: usize = rules.iter().map(count).sum();
        let _ = writeln!(table, "{section}: {} rules, named {sum} times", rules.len());
        for rule in rules {
            let place =
                elsewhere(rule).map_or_else(|| count(&rule).to_string(), |place| format!("– {place}"));
            let _ = writeln!(table, "  {:<22} {place}", rule.code());
        }
    }
    table
}

#[test]
fn every_rule_has_vectors_of_ours() {
    let named = named();
    println!("{}", table(&named));
    let gaps: Vec<&str> = RULES
        .iter()
        .filter(|rule| elsewhere(**rule).is_none())
        .map(|rule| rule.code())
        .filter(|rule| named.get(*rule).is_none_or(|count| *count < FEWEST))
        .collect();
    assert!(gaps.is_empty(), "fewer than {FEWEST} vectors: {gaps:?}");
}

#[test]
fn our_own_vectors_name_rules_that_there_are() {
    for vector in vectors("own.jsonl") {
        assert!(!vector.rules.is_empty(), "{} names no rule", vector.id);
        for rule in &vector.rules {
            let rule = Rule::from_code(rule).unwrap_or_else(|| panic!("{}: no rule {rule}", vector.id));
            assert!(
                elsewhere(rule).is_none(),
                "{}: {} shows in no result",
                vector.id,
                rule.code()
            );
        }
    }
}

#[test]
fn our_own_vectors_are_distinct_and_twice_the_given_ones() {
    let (given, own) = (vectors("output.jsonl"), vectors("own.jsonl"));
    let ids: HashSet<&str> = own.iter().map(|vector| vector.id.as_str()).collect();
    assert_eq!(ids.len(), own.len(), "an id stands twice");
    let inputs: HashSet<_> = own
        .iter()
        .map(|vector| (&vector.input, &vector.settings, &vector.inbound))
        .collect();
    assert_eq!(inputs.len(), own.len(), "a case stands twice");
    assert!(own.len() >= 2 * given.len(), "{} of ours", own.len());
}
