//! `foldback import`: logs and exports of other systems, recognised by content.

mod keeping;
mod report;

use crate::{
    end::{End, Stop, Verdict, complain, json_line, stdout},
    format::Format,
    grammar::Grammar,
};
use foldback_replay::import::{ImportSource, join_job_logs, lint_transcript, read_files};
use foldback_transcripts::{FORMATS, FormatContent, ReadLimits};
use foldback_wire::Platform;
use report::FormatLine;
use std::{io::Write, path::PathBuf};

/// Bytes of the unit of the limits.
const MEGABYTE: u64 = 1_000_000;

/// Read logs and exports of other systems: say what they hold, what they lost and what would have leaked
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Logs, exports, or folders of them such as an unpacked Slack export
    #[arg(required_unless_present = "formats", value_name = "FILE")]
    files: Vec<PathBuf>,

    /// List the formats that are known, each with what it does not hold
    #[arg(long)]
    formats: bool,

    /// Write a fixture for each conversation with raw output into this folder; `foldback replay` runs it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Put everything into this journal, marked as replayed; raw output goes through the whole pipeline
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,

    /// Play by the rules of this platform [default: the one that the conversation names, else telegram]
    #[arg(long, value_name = "NAME", value_parser = crate::replay::platform)]
    channel: Option<Platform>,

    /// The bot among the people of an export, by id or name, where the format does not say
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,

    /// Longest line, or element of a document, in MB; a longer one is left out and named
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    max_line: u64,

    /// Largest file in MB; a larger one is refused
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    max_file: u64,

    /// Form in which the findings are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    grammar: Grammar,
}

/// Runs the command: exit code 2 where a file was refused; damage within a file is told and no failure.
pub(crate) fn run(args: &Args) -> End {
    let mut out = stdout();
    if args.formats {
        return list_formats(args.format, &mut out);
    }
    let settings = args.grammar.settings()?;
    let limits = ReadLimits {
        line: usize::try_from(args.max_line * MEGABYTE).unwrap_or(usize::MAX),
        file: args.max_file * MEGABYTE,
        ..ReadLimits::default()
    };
    let (mut imported, refused) = read_files(&args.files, &limits);
    join_job_logs(&mut imported);
    for refusal in &refused {
        complain(refusal);
    }
    for one in &imported {
        let lint = lint_transcript(&one.transcript, &settings);
        match args.format {
            Format::Text => report::text(&mut out, one, &lint)?,
            Format::Json => json_line(&mut out, &report::json(one, &lint))?,
        }
    }
    for refusal in refused.iter().filter(|_| args.format == Format::Json) {
        json_line(&mut out, &refusal)?;
    }
    if let Some(folder) = &args.out {
        keeping::write_fixtures(&mut out, args.format, folder, &imported, args.channel)?;
    }
    if let Some(db) = &args.db {
        keeping::write_journal(
            &mut out,
            args.format,
            db,
            &imported,
            args.channel,
            args.bot.as_deref(),
        )?;
    }
    out.flush()?;
    match refused.len() {
        0 if imported.is_empty() => Err(Stop::Wrong("no transcript is there".to_owned())),
        0 => Ok(Verdict::Holds),
        1 => Err(Stop::Wrong("1 file is not read".to_owned())),
        many => Err(Stop::Wrong(format!("{many} files are not read"))),
    }
}

fn list_formats(format: Format, out: &mut impl Write) -> End {
    for row in FORMATS {
        let holds = match row.content {
            FormatContent::Raw => "raw output",
            FormatContent::Delivered => "delivered text",
            FormatContent::Log => "no texts",
        };
        match format {
            Format::Json => json_line(out, &FormatLine::of(row))?,
            Format::Text => {
                writeln!(out, "{:<19} {} ({holds})", row.code, row.name)?;
                for loss in row.losses {
                    writeln!(out, "{:<19}   {loss}", "")?;
                }
            }
        }
    }
    out.flush()?;
    Ok(Verdict::Holds)
}

/// The place of an imported file, for messages.
fn shown(source: &ImportSource) -> String {
    source.path().display().to_string()
}
