//! `parse --format text`: the answer for a person.

use foldback_directives::{Diagnostic, Lines, Parsed};
use std::io::{self, Write};

/// Writes what the user sees, then what was decided beside it.
pub(crate) fn write(out: &mut impl Write, raw: &str, parsed: &Parsed) -> io::Result<()> {
    match parsed.suppressed {
        Some(why) => writeln!(out, "(suppressed: {why})")?,
        None if parsed.clean_text.is_empty() => writeln!(out, "(no text)")?,
        None => writeln!(out, "{}", parsed.clean_text)?,
    }
    if !parsed.header.is_empty() {
        writeln!(out, "\nheader")?;
        if let Ok(serde_json::Value::Object(keys)) = serde_json::to_value(&parsed.header) {
            for (key, value) in keys {
                writeln!(
                    out,
                    "  {key}: {}",
                    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
                )?;
            }
        }
    }
    if !parsed.directives.is_empty() {
        writeln!(out, "\ndirectives")?;
        for directive in &parsed.directives {
            writeln!(out, "  {}", directive.span().of(raw).replace('\n', "⏎"))?;
        }
    }
    findings(out, raw, &parsed.diagnostics)
}

/// Writes what was found, each with its place.
pub(super) fn findings(out: &mut impl Write, raw: &str, found: &[Diagnostic]) -> io::Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nfindings")?;
    let lines = Lines::new(raw);
    for finding in found {
        let at = lines.place(finding.span.start);
        writeln!(
            out,
            "  {}:{}: {} {}: {}",
            at.line, at.column, finding.severity, finding.code, finding.message
        )?;
    }
    Ok(())
}
