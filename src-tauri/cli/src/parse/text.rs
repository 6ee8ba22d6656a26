//! `parse --format text`: the answer for a person.

use crate::plain::plain;
use foldback_directives::{Diagnostic, Lines, Parsed};
use foldback_wire::{visible, visible_line};
use std::io::{self, Write};

/// Writes what the user sees, then what was decided beside it.
pub(crate) fn write(out: &mut impl Write, raw: &str, parsed: &Parsed) -> io::Result<()> {
    match parsed.suppressed {
        Some(why) => writeln!(out, "(suppressed: {why})")?,
        None if parsed.clean_text.is_empty() => writeln!(out, "(no text)")?,
        None => writeln!(out, "{}", visible(&parsed.clean_text))?,
    }
    if !parsed.header.is_empty() {
        writeln!(out, "\nheader")?;
        if let Ok(serde_json::Value::Object(keys)) = serde_json::to_value(&parsed.header) {
            for (key, value) in keys {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                writeln!(out, "  {key}: {}", plain(&value))?;
            }
        }
    }
    if !parsed.directives.is_empty() {
        writeln!(out, "\ndirectives")?;
        for directive in &parsed.directives {
            writeln!(out, "  {}", visible_line(directive.span().of(raw)))?;
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
            at.line,
            at.column,
            finding.severity,
            finding.code,
            plain(&finding.message)
        )?;
    }
    Ok(())
}
