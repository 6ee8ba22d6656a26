//! `foldback schedules`: what a clock begins next, and what each schedule said last.

use crate::{
    end::{End, Verdict, json_line, stdout},
    places::Place,
    running::{failed, runtime},
};
use foldback_api::order_schedules;
use foldback_wire::{ScheduleLine, rpc::ScheduleOrder};
use std::io::{self, Write};

/// List the schedules: when each runs next, and how its last run ended; begin or pause one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    /// Print JSON, one line
    #[arg(long, global = true)]
    json: bool,

    #[command(flatten)]
    place: Place,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Begin a schedule now, in the bot that runs; its times stay as they are
    Run {
        /// Its name
        name: String,
    },
    /// Pause a schedule of the bot that runs, also over restarts
    Pause {
        /// Its name
        name: String,
    },
    /// Let a paused schedule go on; what came due meanwhile is not made up for
    Resume {
        /// Its name
        name: String,
    },
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let order = match &args.command {
        None => ScheduleOrder::List,
        Some(Command::Run { name }) => ScheduleOrder::Run { name: name.clone() },
        Some(Command::Pause { name }) => ScheduleOrder::Pause { name: name.clone() },
        Some(Command::Resume { name }) => ScheduleOrder::Resume { name: name.clone() },
    };
    let setup = args.place.setup()?;
    let lines = runtime()?.block_on(order_schedules(&setup.journal_file(), &setup.config, order));
    let lines = lines.map_err(failed)?;
    let mut out = stdout();
    if args.json {
        json_line(&mut out, &lines)?;
    } else {
        text(&mut out, &lines)?;
    }
    out.flush()?;
    Ok(Verdict::Holds)
}

fn text(out: &mut impl Write, lines: &[ScheduleLine]) -> io::Result<()> {
    if lines.is_empty() {
        return writeln!(
            out,
            "There are no schedules. Add [[schedule]] to foldback.toml: docs/schedules.md shows how."
        );
    }
    lines.iter().try_for_each(|line| {
        let next = match line.next {
            _ if line.paused => "paused".to_owned(),
            Some(next) if line.channel_off => format!("next {next}, when {} is on", line.channel),
            Some(next) => format!("next {next}"),
            None => "no next time".to_owned(),
        };
        writeln!(out, "{}  {next}  ({})", line.name, line.times)?;
        match &line.last {
            None => writeln!(out, "  never ran")?,
            Some(run) => {
                let end = run.terminal.as_ref();
                let end = end.map_or_else(|| "running".to_owned(), ToString::to_string);
                let late = if run.due.late { ", late" } else { "" };
                writeln!(out, "  last {}{late}  turn {}  {end}", run.at, run.turn)?;
            }
        }
        match &line.skipped {
            Some(skipped) => writeln!(out, "  skipped {}  {}", skipped.due, skipped.detail),
            None => Ok(()),
        }
    })
}
