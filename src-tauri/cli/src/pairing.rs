//! `foldback pairing`: who asked to talk to the bot, and whom to let in.

use crate::{
    end::{End, Verdict, json_line, stdout},
    format::Format,
    places::Place,
    plain::plain,
    running::{failed, runtime},
};
use foldback_api::{PairingOrder, pair};
use foldback_wire::{
    ChannelId, UserId,
    rpc::{Approval, PairingRequest, Pairings, ReplacedRequest},
};
use std::io::{self, Write};

/// Let people talk to the bot who showed you their code; works while the bot runs and while it does not
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,

    /// How to print who waits and who is let in
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    format: Format,

    #[command(flatten)]
    place: Place,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show who waits, with their codes, and who was let in, by whom and when
    List,
    /// Let in whoever has this code
    Approve {
        /// The code they were told, in capitals or not
        code: String,
    },
    /// Refuse whoever has this code: they are told nothing, and can ask again after an hour
    Refuse {
        /// The code they were told, in capitals or not
        code: String,
    },
    /// Take an approval back
    Revoke {
        /// On which channel
        channel: String,
        /// The person's id, as `list` shows it
        sender: String,
    },
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let order = match &args.command {
        Command::List => PairingOrder::List,
        Command::Approve { code } => PairingOrder::Approve { code: code.clone() },
        Command::Refuse { code } => PairingOrder::Refuse { code: code.clone() },
        Command::Revoke { channel, sender } => PairingOrder::Revoke {
            channel: ChannelId::new(channel),
            sender: UserId::new(sender),
        },
    };
    let setup = args.place.setup()?;
    let journal = setup.journal_file();
    let pairings = runtime()?.block_on(pair(&journal, &setup.config, order));
    let pairings = pairings.map_err(failed)?;
    let mut out = stdout();
    match args.format {
        Format::Json => json_line(&mut out, &pairings)?,
        Format::Text => text(&mut out, &pairings)?,
    }
    out.flush()?;
    Ok(Verdict::Holds)
}

fn text(out: &mut impl Write, pairings: &Pairings) -> io::Result<()> {
    let Pairings {
        channels,
        pending,
        replaced,
        approved,
    } = pairings;
    if channels.is_empty() {
        writeln!(
            out,
            "No channel asks for approvals; channels.NAME.dm_policy = \"pairing\" makes one do so."
        )?;
    }
    if pending.is_empty() {
        writeln!(out, "Nobody waits.")?;
    }
    for PairingRequest {
        channel,
        sender,
        name,
        code,
        since,
        until,
    } in pending
    {
        writeln!(
            out,
            "waits     {code}  {channel} {} ({}), since {since}, until {until}",
            plain(sender.as_str()),
            plain(name)
        )?;
    }
    for ReplacedRequest { request, by, at } in replaced {
        let PairingRequest {
            channel,
            sender,
            name,
            code,
            until,
            ..
        } = request;
        writeln!(
            out,
            "gave way  {code}  {channel} {} ({}), to {}, {at}; the code is valid until {until}",
            plain(sender.as_str()),
            plain(name),
            plain(by.as_str())
        )?;
    }
    for Approval {
        channel,
        sender,
        name,
        by,
        at,
        in_force,
    } in approved
    {
        let rest = if *in_force {
            ""
        } else {
            "; without effect, the channel's dm_policy is not pairing"
        };
        writeln!(
            out,
            "approved  {channel} {} ({}), by {}, {at}{rest}",
            plain(sender.as_str()),
            plain(name),
            plain(&by.to_string())
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::Timestamp;

    #[test]
    fn a_request_that_gave_way_is_listed_with_its_code_and_to_whom() {
        let request = PairingRequest {
            channel: "signal".into(),
            sender: "+49".into(),
            name: "Bob".to_owned(),
            code: "Q7RKX2MP".to_owned(),
            since: Timestamp(0),
            until: Timestamp(3_600_000),
        };
        let pairings = Pairings {
            channels: vec!["signal".into()],
            replaced: vec![ReplacedRequest {
                request,
                by: "+43".into(),
                at: Timestamp(60_000),
            }],
            ..Pairings::default()
        };
        let mut out = Vec::new();
        text(&mut out, &pairings).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "Nobody waits.\ngave way  Q7RKX2MP  signal +49 (Bob), to +43, 1970-01-01T00:01:00.000Z; the code is \
             valid until 1970-01-01T01:00:00.000Z\n"
        );
    }
}
