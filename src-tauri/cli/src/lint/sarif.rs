//! Findings as SARIF 2.1.0, the format in which code hosts and editors take them.
//!
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>: regions are lines and columns from 1,
//! their ends exclusive (section 3.30); file names are URI references (section 3.4).

use foldback_directives::{Code, Diagnostic, Lines, Severity, Span};
use serde_json::{Value, json};
use std::fmt::Write as _;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// One run of the command.
#[derive(Default)]
pub(super) struct Run {
    results: Vec<Value>,
    unreadable: Vec<Value>,
}

impl Run {
    /// Takes a finding in a file.
    pub(super) fn found(&mut self, file: &str, lines: &Lines<'_>, diagnostic: &Diagnostic) {
        let mut result = json!({
            "ruleId": diagnostic.code,
            "ruleIndex": Code::ALL.iter().position(|code| *code == diagnostic.code),
            "level": level(diagnostic.severity),
            "message": { "text": diagnostic.message },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": artifact(file),
                    "region": region(lines, diagnostic.span),
                },
            }],
        });
        if let Some(fix) = &diagnostic.fix {
            result["fixes"] = json!([{
                "description": { "text": fix.title },
                "artifactChanges": [{
                    "artifactLocation": artifact(file),
                    "replacements": [{
                        "deletedRegion": region(lines, fix.span),
                        "insertedContent": { "text": fix.text },
                    }],
                }],
            }]);
        }
        self.results.push(result);
    }

    /// Takes a file that could not be read.
    pub(super) fn unreadable(&mut self, why: &str) {
        self.unreadable
            .push(json!({ "level": "error", "message": { "text": why } }));
    }

    /// The whole log, with every rule of the grammar.
    pub(super) fn log(self) -> Value {
        json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "foldback",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": Code::ALL.iter().copied().map(rule).collect::<Vec<_>>(),
                } },
                "columnKind": "unicodeCodePoints",
                "invocations": [{
                    "executionSuccessful": self.unreadable.is_empty(),
                    "toolExecutionNotifications": self.unreadable,
                }],
                "results": self.results,
            }],
        })
    }
}

fn rule(code: Code) -> Value {
    json!({
        "id": code,
        "shortDescription": { "text": code.about() },
        "fullDescription": { "text": code.explain() },
        "help": { "text": format!("{} It is found in:\n\n{}", code.explain(), code.example().text) },
        "defaultConfiguration": { "level": level(code.severity()) },
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn region(lines: &Lines<'_>, span: Span) -> Value {
    let (start, end) = (lines.place(span.start), lines.place(span.end));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

/// A file name as a URI reference: relative stays relative, what is no part of a path is escaped.
fn artifact(file: &str) -> Value {
    let path = if std::path::MAIN_SEPARATOR == '\\' {
        file.replace('\\', "/")
    } else {
        file.to_owned()
    };
    let mut uri = match path.as_bytes() {
        [b'/', ..] => "file://".to_owned(),
        [drive, b':', ..] if drive.is_ascii_alphabetic() && cfg!(windows) => "file:///".to_owned(),
        _ => String::new(),
    };
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    json!({ "uri": uri })
}
