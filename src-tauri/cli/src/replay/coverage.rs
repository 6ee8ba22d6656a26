//! `replay --coverage`: the rules of the grammar and of the stages that no fixture names.

use crate::end::{Stop, complain};
use foldback_replay::{
    coverage::{Coverage, RuleEntry, coverage},
    fixture::Fixture,
};
use std::{collections::BTreeMap, io::Write, path::PathBuf};

/// Most rules that are listed each with its sentence; more are listed by their ids, a line for each section.
const SENTENCES: usize = 10;

/// Writes the report to stderr; whether there is neither a gap nor a rule that does not exist.
pub(crate) fn report<'a>(
    paths: &[PathBuf],
    fixtures: impl Iterator<Item = &'a Fixture>,
) -> Result<bool, Stop> {
    let coverage = coverage(fixtures);
    for (fixture, id) in &coverage.unknown {
        complain(format_args!("{fixture} names {id}, which is no rule"));
    }
    let mut out = std::io::stderr();
    for line in lines(paths, &coverage) {
        writeln!(out, "{line}")?;
    }
    Ok(coverage.missing.is_empty() && coverage.unknown.is_empty())
}

/// Lines that name the paths, how many rules their fixtures show, and the others.
fn lines(paths: &[PathBuf], coverage: &Coverage) -> Vec<String> {
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let (shown, missing) = (coverage.shown, &coverage.missing);
    let all = shown + missing.len();
    let of = format!(
        "coverage of {} alone: {shown} of {all} rules are shown by a fixture there",
        paths.join(", ")
    );
    let mut lines = vec![of];
    if missing.len() <= SENTENCES {
        lines.extend(
            missing
                .iter()
                .map(|rule| format!("  not {}: {}", rule.id, rule.sentence)),
        );
    } else {
        let sections = sections(missing);
        lines.extend(sections.map(|(section, names)| format!("  not {section}: {}", names.join(" "))));
    }
    lines
}

/// The rules by the part of their id before the last dot.
fn sections(rules: &[RuleEntry]) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for rule in rules {
        let (section, name) = rule.id.rsplit_once('.').unwrap_or(("", rule.id));
        sections.entry(section).or_default().push(name);
    }
    sections.into_iter()
}
