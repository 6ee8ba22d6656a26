//! `replay --update`: what came becomes the expectation, and is compared once more.

use super::{Ran, Scenario, play_all};
use crate::end::{Stop, complain};
use foldback_replay::{Came, Options, fixture, replace, updated};
use similar::TextDiff;
use std::{fs, io::Write, num::NonZero};

/// Rewrites `expect` of every fixture whose cases all ran and where it does not hold, shows what that changes,
/// and runs the fixture again: what differs then is nothing that can be taken as an expectation.
pub(super) fn update(
    scenarios: &mut [Scenario],
    results: &mut [Ran],
    jobs: Option<NonZero<usize>>,
    options: &Options,
) -> Result<(), Stop> {
    let mut rest = results;
    for scenario in scenarios {
        let own;
        (own, rest) = rest.split_at_mut(scenario.platforms.len());
        let came: Vec<Came> = own.iter().filter_map(|ran| ran.came.clone()).collect();
        if came.len() < own.len() || !own.iter().any(differs) {
            continue;
        }
        let name = scenario.path.display().to_string();
        let wrong = |error: std::io::Error| Stop::Wrong(format!("{name}: {error}"));
        let old = fs::read_to_string(&scenario.path).map_err(wrong)?;
        let new = updated(&old, &scenario.fixture, &came);
        match fixture::parse(&scenario.path, &new) {
            Ok(fixture) => scenario.fixture = fixture,
            Err(error) => {
                complain(format_args!(
                    "{name} is left as it is, for rewritten it would be none: {error}"
                ));
                continue;
            }
        }
        replace(&scenario.path, &new).map_err(wrong)?;
        let diff = TextDiff::from_lines(&old, &new)
            .unified_diff()
            .header(&name, &name)
            .to_string();
        // Stdout belongs to the results.
        write!(std::io::stderr(), "{diff}")?;
        let again = play_all(std::slice::from_ref(scenario), jobs, false, options);
        for (ran, mut again) in own.iter_mut().zip(again) {
            again.case.updated = again.case.holds() && !ran.case.holds();
            *ran = again;
        }
    }
    Ok(())
}

/// Whether something came that `expect` does not say.
fn differs(ran: &Ran) -> bool {
    ran.case
        .mismatches
        .iter()
        .any(|mismatch| mismatch.at.starts_with("expect"))
}
