//! Which rules the fixtures show. Every rule sentence of the grammar and of the stages has an id.

use crate::fixture::Fixture;
use std::collections::BTreeSet;

/// A rule, of the grammar or of the stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleEntry {
    /// Its id.
    pub id: &'static str,
    /// What it says.
    pub sentence: &'static str,
}

/// All rules, those of the grammar first.
pub fn rules() -> impl Iterator<Item = RuleEntry> {
    let grammar = foldback_directives::RULES.iter().map(|rule| RuleEntry {
        id: rule.code(),
        sentence: rule.about(),
    });
    let stages = foldback_pipeline::Rule::ALL.iter().map(|rule| RuleEntry {
        id: rule.id(),
        sentence: rule.sentence(),
    });
    grammar.chain(stages)
}

/// What a set of fixtures shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// How many rules are named.
    pub shown: usize,
    /// Rules that no fixture names.
    pub missing: Vec<RuleEntry>,
    /// Fixtures that name what is no rule, with that name.
    pub unknown: Vec<(String, String)>,
}

/// Looks which rules are named.
pub fn coverage<'a>(fixtures: impl Iterator<Item = &'a Fixture>) -> Coverage {
    let known: BTreeSet<&str> = rules().map(|rule| rule.id).collect();
    let mut named = BTreeSet::new();
    let mut unknown = Vec::new();
    for fixture in fixtures {
        for id in &fixture.rules {
            if let Some(id) = known.get(id.as_str()) {
                named.insert(*id);
            } else {
                unknown.push((fixture.name.clone(), id.clone()));
            }
        }
    }
    let missing: Vec<RuleEntry> = rules().filter(|rule| !named.contains(rule.id)).collect();
    Coverage {
        shown: named.len(),
        missing,
        unknown,
    }
}
