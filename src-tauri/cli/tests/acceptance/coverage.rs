//! `docs/coverage-auto-reply.md` and `docs/coverage-auto-response.md`: the fixtures and tests that they name exist, and their
//! counts are true.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// A page of rows.
struct Page {
    file: &'static str,
    /// The sections with numbered rows, in the order of the page, and how many each has where that is fixed.
    sections: &'static [(&'static str, Option<usize>)],
    states: &'static [&'static str],
    /// The folders whose fixtures belong to rows of the page, each of them.
    folders: &'static [&'static str],
    /// True where a row that is missing names an item of the plan.
    names_items: bool,
}

const PAGES: [Page; 2] = [
    Page {
        file: "docs/coverage-auto-reply.md",
        sections: &[
            ("Features", None),
            ("Scenarios", Some(40)),
            ("Defects of the ancestor", None),
        ],
        states: &["works", "differs", "missing"],
        folders: &["fixtures/scenarios", "fixtures/defects"],
        names_items: true,
    },
    Page {
        file: "docs/coverage-auto-response.md",
        sections: &[("Features", Some(40)), ("Pitfalls", Some(71))],
        states: &["works", "differs", "missing", "does not apply"],
        folders: &["fixtures/json-actions", "fixtures/deliveries"],
        names_items: false,
    },
];

/// A row of a section.
struct Row<'p> {
    number: usize,
    state: &'p str,
    /// The fixtures and tests, or the reason.
    shown: &'p str,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Page {
    fn text(&self) -> String {
        fs::read_to_string(root().join(self.file)).unwrap()
    }
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// The rows of a section: those that begin with a number.
fn rows<'p>(page: &'p str, section: &str) -> Vec<Row<'p>> {
    let heading = format!("\n## {section}\n");
    let (_, text) = page
        .split_once(&heading)
        .unwrap_or_else(|| panic!("no {section}"));
    let text = text.split_once("\n## ").map_or(text, |(text, _)| text);
    let row = |line: &'p str| {
        let cells = cells(line);
        let number = cells.first()?.parse().ok()?;
        let [_, _, state, shown] = cells.as_slice() else {
            panic!("{line}: not four cells")
        };
        Some(Row { number, state, shown })
    };
    text.lines().filter_map(row).collect()
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn is_fixture(name: &str) -> bool {
    name.starts_with("fixtures/") && Path::new(name).extension().is_some_and(|ending| ending == "yaml")
}

/// The reason for which a reference is none; `None` where it is fine, or names something else.
fn wrong(reference: &str) -> Option<String> {
    if is_fixture(reference) {
        let exists = root().join(reference).is_file();
        return (!exists).then(|| format!("{reference}: there is no such file"));
    }
    let (file, function) = reference.split_once(".rs::")?;
    let Ok(source) = fs::read_to_string(root().join(format!("src-tauri/{file}.rs"))) else {
        return Some(format!("{reference}: there is no such file"));
    };
    (!is_test(&source, function)).then(|| format!("{reference}: there is no such test"))
}

/// Whether a source has a test of this name: a function below an attribute that says so.
fn is_test(source: &str, function: &str) -> bool {
    let head = format!("fn {function}(");
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let found = lines.iter().position(|line| {
        let name = line.strip_prefix("async ").unwrap_or(line);
        name.starts_with(&head)
    });
    let before = found.map_or(&[][..], |at| &lines[..at]);
    let attributes = before.iter().rev().take_while(|line| line.starts_with("#["));
    let mut attributes = attributes.map(|line| line.trim_start_matches("#["));
    attributes.any(|line| line.starts_with("test]") || line.starts_with("tokio::test"))
}

/// Whether a reason names an item of the plan.
fn names_item(reason: &str) -> bool {
    let number = reason.strip_prefix("Item ").unwrap_or_default();
    number.starts_with(|sign: char| sign.is_ascii_digit())
}

#[test]
fn every_row_names_what_exists() {
    let mut mistakes = Vec::new();
    for page in &PAGES {
        let text = page.text();
        mistakes.extend(quoted(&text).filter_map(wrong));
        for (section, _) in page.sections {
            for Row { number, state, shown } in rows(&text, section) {
                let names_some = quoted(shown).any(|name| is_fixture(name) || name.contains(".rs::"));
                let mistake = match state {
                    "works" | "differs" if !names_some => "names neither a fixture nor a test",
                    "missing" if page.names_items && !names_item(shown) => "is missing and names no item",
                    "missing" | "does not apply" if !shown.ends_with('.') => "gives no reason",
                    _ if !page.states.contains(&state) => "has a state that is none",
                    _ => continue,
                };
                mistakes.push(format!("{}, {section} {number}: {mistake}", page.file));
            }
        }
    }
    assert_eq!(mistakes, [""; 0]);
}

#[test]
fn the_counts_at_the_head_are_true() {
    for page in &PAGES {
        let text = page.text();
        for (section, count) in page.sections {
            let rows = rows(&text, section);
            let numbers: Vec<_> = rows.iter().map(|row| row.number).collect();
            let expected: Vec<_> = (1..=rows.len()).collect();
            assert_eq!(numbers, expected, "{section}: each row has the next number");
            let of = |state: &&str| rows.iter().filter(|row| row.state == *state).count();
            let counted: Vec<_> = std::iter::once(rows.len())
                .chain(page.states.iter().map(of))
                .collect();
            let head = format!("| {section} | ");
            let line = text.lines().find(|line| line.starts_with(&head)).unwrap();
            let written: Vec<usize> = cells(line)[1..]
                .iter()
                .map(|cell| cell.parse().unwrap())
                .collect();
            assert_eq!(written, counted, "{section} of {}", page.file);
            assert_eq!(
                count.unwrap_or(rows.len()),
                rows.len(),
                "{section} of {}",
                page.file
            );
        }
    }
}

#[test]
fn every_fixture_of_a_page_s_folders_has_a_row() {
    for page in &PAGES {
        let text = page.text();
        let named: BTreeSet<&str> = quoted(&text).filter(|name| is_fixture(name)).collect();
        for folder in page.folders {
            for file in fs::read_dir(root().join(folder)).unwrap() {
                let name = file.unwrap().file_name().into_string().unwrap();
                let path = format!("{folder}/{name}");
                assert!(
                    named.contains(path.as_str()),
                    "{path} has no row in {}",
                    page.file
                );
            }
        }
    }
}

#[test]
fn a_reference_to_nothing_is_found() {
    let no_file = "fixtures/scenarios/none.yaml";
    assert!(wrong(no_file).is_some_and(|why| why.starts_with(no_file)));
    assert!(wrong("cli/tests/acceptance/none.rs::here").is_some());
    let here = "cli/tests/acceptance/coverage.rs";
    assert_eq!(wrong(&format!("{here}::a_reference_to_nothing_is_found")), None);
    assert!(wrong(&format!("{here}::quoted")).is_some(), "it is no test");
    assert_eq!(wrong("queue.cap"), None, "a setting is no reference");
}
