//! `foldback queue`: what waits for a person's consent because it is too old, and the decision about it.

mod lab;

use crate::{
    end::{End, Verdict, json_line, stdout},
    format::Format,
    places::Place,
    running::{failed, runtime},
};
use foldback_api::{HeldOnChannel, QueueOrder, order_queue};
use foldback_wire::ChannelId;
use std::io::{self, Write};

/// Decide about messages and deliveries that waited for longer than `outbox.max_age`, over a stop or a channel that
/// was off
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,

    /// Form in which it is printed
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    format: Format,

    #[command(flatten)]
    place: Place,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show how much waits, by channel; works while the bot runs and while it does not
    Held,
    /// Let what waits on a channel go on: deliveries go out, messages go to the agent
    Release {
        /// The channel, as `held` shows it
        channel: String,
    },
    /// Give up what waits on a channel: it is neither sent nor answered
    Drop {
        /// The channel, as `held` shows it
        channel: String,
    },
    Lab(lab::Args),
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let order = match &args.command {
        Command::Lab(lab) => return lab::run(lab, args.format),
        Command::Held => QueueOrder::Held,
        Command::Release { channel } => QueueOrder::Release {
            channel: ChannelId::new(channel),
        },
        Command::Drop { channel } => QueueOrder::Drop {
            channel: ChannelId::new(channel),
        },
    };
    let setup = args.place.setup()?;
    let max_age = setup.config.outbox.max_age.0;
    let held = runtime()?.block_on(order_queue(&setup.journal_file(), max_age, order));
    let held = held.map_err(failed)?;
    let mut out = stdout();
    match args.format {
        Format::Json => json_line(&mut out, &held)?,
        Format::Text => text(&mut out, &held)?,
    }
    out.flush()?;
    Ok(Verdict::Holds)
}

fn text(out: &mut impl Write, held: &[HeldOnChannel]) -> io::Result<()> {
    if held.is_empty() {
        return writeln!(out, "Nothing waits for a person's consent.");
    }
    held.iter().try_for_each(|held| {
        let HeldOnChannel { channel, oldest, .. } = held;
        writeln!(out, "{channel}  {held}, the oldest since {oldest}")
    })
}
