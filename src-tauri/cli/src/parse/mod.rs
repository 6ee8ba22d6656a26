//! `foldback parse`: agent output through the scanner, or a user's message through the inbound reader.

mod batch;
mod cut;
mod inbound;
mod stream;
mod text;

use crate::{
    end::{End, Verdict, json_line, stdout},
    format::Format,
    grammar::Grammar,
    input,
    lint::mask_findings,
};
use cut::Cut;
use foldback_api::mask;
use foldback_directives::{Collect, Parsed, Scanner, Settings, redact::Reader};
use foldback_wire::redact::Redaction;
use std::{io::Write, path::PathBuf};

/// Read agent output as the scanner does and print what it decides
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File with one assistant message; `-` is stdin
    #[arg(default_value = "-", conflicts_with_all = ["batch", "stream"])]
    file: PathBuf,

    #[command(flatten)]
    grammar: Grammar,

    /// Text of the user's message that triggered the turn; what repeats it is not executed
    #[arg(long, value_name = "FILE")]
    inbound_text: Option<PathBuf>,

    /// How to cut the text into chunks; the answer is the same for every cut
    #[arg(long, value_name = "none|bytes|SEED", default_value = "none")]
    cut: Cut,

    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,

    /// Read one user message: its directives (`/think high`) and the text without them
    #[arg(long, conflicts_with_all = ["dialects", "placement", "heartbeat", "set", "inbound_text", "cut", "stream", "redact"])]
    inbound: bool,

    /// Read JSON lines `{"id": …, "input": …}` from stdin and answer each
    #[arg(long, conflicts_with = "stream")]
    batch: bool,

    /// Read JSON lines from stdin, each a JSON string: one chunk; say after each what is shown and held
    #[arg(long, conflicts_with = "cut")]
    stream: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    if args.inbound {
        return inbound::run(args);
    }
    let settings = args.grammar.settings()?;
    let secrets = args.grammar.secrets()?;
    let secrets = secrets.as_ref();
    let inbound = args.inbound_text.as_deref().map(input::read).transpose()?;
    let inbound = inbound.as_deref();
    if args.batch {
        return batch::run(|input| parse(input, &settings, inbound, secrets, args.cut));
    }
    if args.stream {
        return stream::run(&settings, inbound, secrets);
    }
    let raw = input::read(&args.file)?;
    let parsed = parse(&raw, &settings, inbound, secrets, args.cut);
    let mut out = stdout();
    match args.format {
        Format::Json => json_line(&mut out, &parsed)?,
        Format::Text => text::write(&mut out, &raw, &parsed)?,
    }
    out.flush()?;
    Ok(Verdict::Holds)
}

/// Reads `raw` in the chunks of a cut.
fn parse(
    raw: &str,
    settings: &Settings,
    inbound: Option<&str>,
    secrets: Option<&Redaction>,
    cut: Cut,
) -> Parsed {
    let patterns = secrets.map(Redaction::patterns);
    let mut reader = Reader::new(Scanner::new(settings, inbound), patterns.as_ref());
    let mut collect = Collect::default();
    for chunk in cut.chunks(raw) {
        reader.push(chunk, &mut collect);
    }
    reader.finish(&mut collect);
    redacted(collect.into_parsed(), secrets)
}

/// Masks secrets in what stands beside the text, as the bot does before it carries directives out and keeps
/// its findings.
fn redacted(mut parsed: Parsed, secrets: Option<&Redaction>) -> Parsed {
    let Some(secrets) = secrets else { return parsed };
    mask(&mut parsed, secrets);
    mask_findings(&mut parsed.diagnostics, secrets);
    parsed
}
