//! `parse --format text`: the answer for a person.

use foldback_directives::{Lines, Parsed};
use std::io::{self, Write};

/// Writes what the user sees, then what was decided beside it.
pub(crate) fn write(out: &mut impl Write, raw: &str, parsed: &Parsed) -> io::Result<()> {
    let lines = Lines::new(raw);
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
    if !parsed.diagnostics.is_empty() {
        writeln!(out, "\nfindings")?;
        for finding in &parsed.diagnostics {
            let at = lines.place(finding.span.start);
            writeln!(
                out,
                "  {}:{}: {} {}: {}",
                at.line, at.column, finding.severity, finding.code, finding.message
            )?;
        }
    }
    Ok(())
}
