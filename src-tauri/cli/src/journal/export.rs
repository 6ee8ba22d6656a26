//! `foldback journal export`: a recording, which `foldback replay` plays again.

use super::Wanted;
use crate::{
    end::{End, Stop, Verdict, json_line, stdout},
    running::wrong,
};
use foldback_api::{Setup, export::check_target};
use foldback_directives::redact::RedactSettings;
use foldback_replay::{Replacement, recording::Head};
use foldback_wire::{
    Actor,
    redact::{Outgoing, Redaction},
};
use std::{io::Write, path::PathBuf};

/// Write a recording, such as of `--where turn:12`, which `foldback replay` plays again
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    wanted: Wanted,

    /// Where to [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Leave secrets in that the journal holds [default: masked as `[redact]` in the configuration says]
    #[arg(long)]
    unredacted: bool,
}

pub(super) async fn run(args: &Args) -> End {
    let setup = match args.wanted.place.config() {
        None => None,
        // Only the configuration counts: neither data nor fixtures are looked at.
        Some(path) => {
            let setup = Setup::from_file(&path, PathBuf::new(), PathBuf::new(), Actor::Cli);
            Some(setup.map_err(wrong)?)
        }
    };
    let head = setup
        .as_ref()
        .map_or_else(Head::default, |setup| Head::of(&setup.config));
    let redaction = match &setup {
        Some(setup) => setup.config.redaction(&setup.base),
        None => Redaction::new(&RedactSettings::default()),
    };
    let redaction = redaction.filter(|_| !args.unredacted);
    match &args.output {
        None => write(args, &head, redaction, &mut stdout()).await?,
        Some(path) => {
            let name = |error| Stop::Wrong(format!("{}: {error}", path.display()));
            check_target(path, args.wanted.place.config().as_deref()).map_err(name)?;
            let mut file = Replacement::private(path).map_err(name)?;
            write(args, &head, redaction, &mut file).await?;
            file.done().map_err(name)?;
        }
    }
    Ok(Verdict::Holds)
}

async fn write(
    args: &Args,
    head: &Head,
    redaction: Option<Redaction>,
    out: &mut impl Write,
) -> Result<(), Stop> {
    let mut begun = false;
    let mut line = |event: Option<&foldback_wire::Event>| {
        if !begun {
            json_line(out, head)?;
            begun = true;
        }
        event.map_or(Ok(()), |event| json_line(out, event))
    };
    // The head comes with the first event: a bad filter or a missing file must not leave half a recording.
    let mut outgoing = redaction.map(Outgoing::new);
    args.wanted
        .each(|event, _, _| match &mut outgoing {
            None => line(Some(event)),
            Some(outgoing) => outgoing
                .push(event.clone())
                .iter()
                .try_for_each(|event| line(Some(event))),
        })
        .await?;
    for event in outgoing.map(Outgoing::finish).unwrap_or_default() {
        line(Some(&event))?;
    }
    line(None)?;
    Ok(out.flush()?)
}
