//! `foldback reminders`: what the agent is to tell people at which times, and cancelling it.

use crate::{
    end::{End, Verdict, json_line, stdout},
    places::Place,
    running::{failed, runtime},
};
use foldback_api::order_reminders;
use foldback_wire::{ReminderId, ReminderLine, rpc::ReminderOrder, visible_line};
use std::io::{self, Write};

/// List the reminders that agents set: for whom, when each is due next, and how its last delivery ended; cancel one
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
    /// Cancel a reminder of the bot that runs
    Cancel {
        /// Its number
        number: u64,
    },
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let order = match args.command {
        None => ReminderOrder::List,
        Some(Command::Cancel { number }) => ReminderOrder::Cancel {
            id: ReminderId(number),
        },
    };
    let setup = args.place.setup()?;
    let lines = runtime()?.block_on(order_reminders(&setup.journal_file(), order));
    let lines = lines.map_err(failed)?;
    let mut out = stdout();
    match (args.json, &args.command) {
        (true, _) => json_line(&mut out, &lines)?,
        (false, Some(Command::Cancel { number })) => writeln!(out, "Cancelled reminder {number}.")?,
        (false, None) => text(&mut out, &lines)?,
    }
    out.flush()?;
    Ok(Verdict::Holds)
}

fn text(out: &mut impl Write, lines: &[ReminderLine]) -> io::Result<()> {
    if lines.is_empty() {
        return writeln!(
            out,
            "There are no reminders. An agent sets one with the action `event`: docs/reminders.md shows how."
        );
    }
    lines.iter().try_for_each(|line| {
        let next = line
            .next
            .map_or_else(|| "over".to_owned(), |next| format!("next {next}"));
        let name = visible_line(line.requester.readable_name());
        writeln!(out, "{}  {next}  ({}, {})", line.id, line.rule, line.zone)?;
        writeln!(
            out,
            "  for {name} in chat {}{} on {}{}: {}",
            visible_line(line.chat.as_str()),
            named(line),
            line.channel,
            set_in(line),
            visible_line(&line.text)
        )?;
        if let Some(run) = &line.last {
            let end = run.terminal.as_ref();
            let end = end.map_or_else(|| "running".to_owned(), ToString::to_string);
            writeln!(out, "  last {}  turn {}  {end}", run.at, run.turn)?;
        }
        match &line.waits {
            Some(wait) => writeln!(out, "  waits: {}", wait.why),
            None => Ok(()),
        }
    })
}

/// The name of the chat, where an owner named it.
fn named(line: &ReminderLine) -> String {
    let name = line.chat_name.as_deref().filter(|name| !name.is_empty());
    name.map_or_else(String::new, |name| format!(" ({})", visible_line(name)))
}

/// The place in which it was set, where it is told in another one.
fn set_in(line: &ReminderLine) -> String {
    line.set_in.as_ref().map_or_else(String::new, |place| {
        format!(
            ", set in chat {} on {}",
            visible_line(place.chat.as_str()),
            place.channel
        )
    })
}
