//! `replay --coverage`: the rules of the grammar and of the stages that no fixture names.

use crate::end::{Stop, complain};
use foldback_replay::{coverage::coverage, fixture::Fixture};
use std::io::Write;

/// Writes the report to stderr; whether there is neither a gap nor a rule that does not exist.
pub(crate) fn report<'a>(fixtures: impl Iterator<Item = &'a Fixture>) -> Result<bool, Stop> {
    let coverage = coverage(fixtures);
    let mut out = std::io::stderr();
    for rule in &coverage.missing {
        writeln!(out, "no fixture shows {}: {}", rule.id, rule.sentence)?;
    }
    for (fixture, id) in &coverage.unknown {
        complain(format_args!("{fixture} names {id}, which is no rule"));
    }
    let (shown, all) = (coverage.shown, coverage.shown + coverage.missing.len());
    writeln!(out, "{shown} of {all} rules are shown by a fixture")?;
    Ok(coverage.missing.is_empty() && coverage.unknown.is_empty())
}
