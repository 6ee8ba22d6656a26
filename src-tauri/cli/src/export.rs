//! `foldback export`: turns as a file that can be given away.

use crate::{
    end::{End, Stop, Verdict, complain, stdout},
    journal,
    places::Place,
    running::{failed, runtime},
};
use clap::ValueEnum;
use foldback_api::export::{Export, Exporter, write_export};
use foldback_pipeline::TokioClock;
use foldback_wire::{
    Clock as _, SessionId, TurnId,
    rpc::{ExportFormat, ExportMask, ExportScope},
};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Write turns to a file: a recording, a fixture, Markdown, or a page with hold map and scrubber
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    scope: Scope,

    /// The form
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,

    /// Where to [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only say which turns it would hold and what would be masked
    #[arg(long, conflicts_with = "output")]
    preview: bool,

    /// Leave secrets in that the journal holds
    #[arg(long)]
    unredacted: bool,

    #[command(flatten)]
    place: Place,
}

/// Which turns.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Scope {
    /// One turn, such as 10
    #[arg(long, value_name = "TURN", value_parser = number)]
    turn: Option<TurnId>,

    /// Several turns, such as 10,12
    #[arg(long, value_name = "TURNS", value_parser = number, value_delimiter = ',')]
    turns: Vec<TurnId>,

    /// All turns of a session
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,

    /// All turns with an event that passes this filter, such as `channel:discord is:error`
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// The events, which `foldback replay` plays again
    Recording,
    /// One scenario with the results as its expectations
    Fixture,
    /// Text for a ticket or a chat
    Markdown,
    /// One page with hold map and scrubber, which opens without a server
    Html,
}

impl From<Format> for ExportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Recording => Self::Recording,
            Format::Fixture => Self::Fixture,
            Format::Markdown => Self::Markdown,
            Format::Html => Self::Html,
        }
    }
}

impl Scope {
    fn wanted(&self) -> ExportScope {
        if let Some(session) = &self.session {
            ExportScope::Session {
                session: SessionId::new(session),
            }
        } else if let Some(filter) = &self.filter {
            ExportScope::Filter {
                filter: filter.clone(),
            }
        } else {
            ExportScope::Turns {
                turns: self.turn.into_iter().chain(self.turns.iter().copied()).collect(),
            }
        }
    }
}

/// A turn's number, with or without its sign.
fn number(text: &str) -> Result<TurnId, String> {
    let digits = text.trim();
    let digits = digits.strip_prefix('#').unwrap_or(digits);
    let number = digits
        .parse()
        .map_err(|_| format!("“{text}” is not the number of a turn"))?;
    Ok(TurnId(number))
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let setup = args.place.setup()?;
    let file = args.place.journal()?;
    runtime()?.block_on(async {
        let journal = journal::open(&file).await?;
        let exporter = Exporter {
            journal: &journal,
            config: &setup.config,
            base: &setup.base,
            now: TokioClock::system().now(),
            unredacted: args.unredacted,
        };
        let export = exporter.read(&args.scope.wanted()).await.map_err(failed)?;
        let mut out = stdout();
        if args.preview {
            preview(&mut out, &export)?;
            out.flush()?;
            return Ok(Verdict::Holds);
        }
        let text = export.text(args.format.into()).map_err(failed)?;
        put(
            &text,
            args.output.as_deref(),
            args.place.config().as_deref(),
            &mut out,
        )?;
        let masked: u32 = export.masks().iter().map(|mask| mask.count).sum();
        if masked > 0 {
            complain(format_args!("masked {masked} secrets; --preview says which"));
        }
        Ok(Verdict::Holds)
    })
}

/// Writes a text to a file, or to stdout where none is named.
pub(crate) fn put(
    text: &str,
    output: Option<&Path>,
    config: Option<&Path>,
    out: &mut impl Write,
) -> Result<(), Stop> {
    match output {
        None => out.write_all(text.as_bytes())?,
        Some(path) => write_export(path, config, text)
            .map_err(|error| Stop::Wrong(format!("{}: {error}", path.display())))?,
    }
    Ok(out.flush()?)
}

fn preview(out: &mut impl Write, export: &Export<'_>) -> io::Result<()> {
    let turns = export.turns();
    writeln!(out, "{}: {}", count(turns.len() as u64, "turn"), numbers(&turns))?;
    if export.masks().is_empty() {
        writeln!(out, "nothing to mask")?;
    }
    for mask in export.masks() {
        let ExportMask {
            secrets,
            about,
            place,
            count: found,
            turns,
        } = mask;
        let turns = numbers(turns);
        writeln!(
            out,
            "masks {found} × {secrets} in {place} (turn {turns}): {about}"
        )?;
    }
    if export.masked_before() > 0 {
        let before = count(u64::from(export.masked_before()), "secret");
        writeln!(out, "{before} masked by the journal already")?;
    }
    Ok(())
}

fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

fn numbers(turns: &[TurnId]) -> String {
    let names: Vec<_> = turns.iter().map(ToString::to_string).collect();
    names.join(", ")
}
