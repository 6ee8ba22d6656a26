//! Results for people (text with a diff) and for CI (JUnit). JSON is [`Case`] itself.

use crate::case::Case;
use foldback_wire::rpc::Verdict;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use similar::{ChangeTag, TextDiff};
use std::io::{self, Write};

/// Counts of verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// As expected.
    pub passed: usize,
    /// As expected since the expectations were rewritten.
    pub updated: usize,
    /// Not as expected, or changed.
    pub failed: usize,
    /// Not run.
    pub errors: usize,
}

impl Tally {
    /// Counts cases.
    pub fn of(cases: &[Case]) -> Self {
        let mut tally = Self::default();
        for case in cases {
            match case.verdict {
                Verdict::Pass if case.updated => tally.updated += 1,
                Verdict::Pass => tally.passed += 1,
                Verdict::Fail | Verdict::Changed => tally.failed += 1,
                Verdict::Error => tally.errors += 1,
            }
        }
        tally
    }
}

/// Writes one case: a line when it passed, else what differs and both sides as a diff.
pub fn text(out: &mut impl Write, case: &Case) -> io::Result<()> {
    let Case { fixture, channel, .. } = case;
    let verdict = if case.updated {
        "updated"
    } else {
        case.verdict.code()
    };
    writeln!(out, "{verdict:<7} {channel:<9} {fixture}")?;
    for note in &case.notes {
        writeln!(out, "        {note}")?;
    }
    if case.holds() {
        return Ok(());
    }
    writeln!(out, "        {}", case.path.display())?;
    for mismatch in &case.mismatches {
        let at = if mismatch.at.is_empty() {
            String::new()
        } else {
            format!("{}: ", mismatch.at)
        };
        writeln!(out, "        {at}{}", mismatch.message)?;
        if !mismatch.expected.is_empty() {
            writeln!(out, "          expected {}", mismatch.expected)?;
        }
        if !mismatch.actual.is_empty() {
            writeln!(out, "          actual   {}", mismatch.actual)?;
        }
    }
    let comparison = &case.comparison;
    if comparison.expected != comparison.actual {
        for change in TextDiff::from_lines(&comparison.expected, &comparison.actual).iter_all_changes() {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            writeln!(out, "        {sign} {}", change.value().trim_end_matches('\n'))?;
        }
    }
    Ok(())
}

/// Writes the last line of a text report.
pub fn summary(out: &mut impl Write, cases: &[Case]) -> io::Result<()> {
    let Tally {
        passed,
        updated,
        failed,
        errors,
    } = Tally::of(cases);
    let updated = if updated == 0 {
        String::new()
    } else {
        format!("{updated} updated, ")
    };
    let errors = if errors == 0 {
        String::new()
    } else {
        format!(", {errors} could not be run")
    };
    writeln!(out, "{passed} passed, {updated}{failed} failed{errors}")
}

/// Writes all cases as JUnit XML: a suite a fixture, a test case a channel.
pub fn junit(out: &mut impl Write, cases: &[Case]) -> Result<(), quick_junit::SerializeError> {
    // A suite is complete before it goes into the report: the report takes its totals then.
    let mut suites: Vec<TestSuite> = Vec::new();
    for case in cases {
        let path = case.path.display().to_string();
        let mut test = TestCase::new(format!("{} ({})", case.fixture, case.channel), status(case));
        test.set_classname(path.clone());
        if !case.notes.is_empty() {
            test.set_system_out(case.notes.join("\n"));
        }
        if suites.last().is_none_or(|suite| suite.name.as_str() != path) {
            suites.push(TestSuite::new(path));
        }
        if let Some(suite) = suites.last_mut() {
            suite.add_test_case(test);
        }
    }
    let mut report = Report::new("foldback replay");
    report.add_test_suites(suites);
    report.serialize(out)
}

fn status(case: &Case) -> TestCaseStatus {
    if case.holds() {
        return TestCaseStatus::success();
    }
    let kind = if case.verdict == Verdict::Error {
        NonSuccessKind::Error
    } else {
        NonSuccessKind::Failure
    };
    let mut status = TestCaseStatus::non_success(kind);
    let words: Vec<String> = case
        .mismatches
        .iter()
        .map(|m| {
            format!(
                "{}: {}; expected {}; actual {}",
                m.at, m.message, m.expected, m.actual
            )
        })
        .collect();
    status
        .set_message(case.verdict.about())
        .set_description(words.join("\n"));
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases() -> Vec<Case> {
        let mut fine = Case::error("Fine", "a.yaml", "slack", String::new());
        fine.verdict = Verdict::Pass;
        fine.mismatches.clear();
        let mut other = Case::error("Other", "b.yaml", "signal", "another text <&>".to_owned());
        other.verdict = Verdict::Fail;
        other.comparison.expected = "send text: \"a\"\n".to_owned();
        other.comparison.actual = "send text: \"b\"\n".to_owned();
        vec![
            fine,
            other,
            Case::error("Broken", "c.yaml", "telegram", "no steps".to_owned()),
        ]
    }

    #[test]
    fn a_failure_shows_both_sides() {
        let mut out = Vec::new();
        for case in &cases() {
            text(&mut out, case).unwrap();
        }
        summary(&mut out, &cases()).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(
            out.starts_with("pass    slack     Fine\nfail    signal    Other\n        b.yaml\n"),
            "{out}"
        );
        assert!(
            out.contains("        - send text: \"a\"\n        + send text: \"b\"\n"),
            "{out}"
        );
        assert!(out.ends_with("1 passed, 1 failed, 1 could not be run\n"), "{out}");
    }

    #[test]
    fn junit_counts_failures_and_errors_apart() {
        let mut cases = cases();
        let mut second = cases[1].clone();
        second.path = cases[0].path.clone();
        cases.insert(1, second);
        let mut out = Vec::new();
        junit(&mut out, &cases).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(
            out.contains("tests=\"4\" skipped=\"0\" failures=\"2\" errors=\"1\""),
            "{out}"
        );
        assert!(out.contains("another text &lt;&amp;&gt;"), "{out}");
    }
}
