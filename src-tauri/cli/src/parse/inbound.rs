//! `parse --inbound`: a user's message, as the pipeline reads it for a sender who may use directives.

use super::{Args, batch, text::findings};
use crate::{
    end::{End, Verdict, json_line, stdout},
    format::Format,
    input,
    plain::plain,
};
use foldback_directives::{
    Code,
    inbound::{Directives, Inbound, Settings, parse},
};
use foldback_wire::visible;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};

/// The answer for a script: of a finding only the code.
#[derive(Serialize)]
struct Answer {
    cleaned: String,
    directive_only: bool,
    directives: Directives,
    diagnostics: Vec<Code>,
}

impl From<Inbound> for Answer {
    fn from(inbound: Inbound) -> Self {
        Self {
            cleaned: inbound.cleaned,
            directive_only: inbound.directive_only,
            directives: inbound.directives,
            diagnostics: inbound.diagnostics.iter().map(|found| found.code).collect(),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let settings = Settings::authorized();
    if args.batch {
        return batch::run(|input| Answer::from(parse(input, &settings)));
    }
    let raw = input::read(&args.file)?;
    let inbound = parse(&raw, &settings);
    let mut out = stdout();
    match args.format {
        Format::Json => json_line(&mut out, &Answer::from(inbound))?,
        Format::Text => text(&mut out, &raw, &inbound)?,
    }
    out.flush()?;
    Ok(Verdict::Holds)
}

/// Writes the answer for a person: the text for the agent, then what was decided beside it.
fn text(out: &mut impl Write, raw: &str, inbound: &Inbound) -> io::Result<()> {
    if inbound.cleaned.is_empty() {
        writeln!(out, "(no text)")?;
    } else {
        writeln!(out, "{}", visible(&inbound.cleaned))?;
    }
    let directives = serde_json::to_value(&inbound.directives).map_err(io::Error::from)?;
    if let Value::Object(directives) = directives
        && !directives.is_empty()
    {
        let session = if inbound.directive_only {
            "the session"
        } else {
            "this turn"
        };
        writeln!(out, "\ndirectives for {session}")?;
        for (name, value) in directives {
            writeln!(out, "  /{name} {}", plain(&value.to_string()))?;
        }
    }
    findings(out, raw, &inbound.diagnostics)
}
