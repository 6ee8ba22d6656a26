//! `foldback journal export`: a recording, which `foldback replay` plays again.

use super::Wanted;
use crate::{
    end::{End, Stop, Verdict, json_line, stdout},
    places,
    running::wrong,
};
use foldback_replay::recording::Head;
use foldback_wire::redact::{Outgoing, Redaction};
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
};

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
    let config = match args.wanted.place.config() {
        None => None,
        Some(path) => Some(places::read(&path, PathBuf::new()).map_err(wrong)?.config),
    };
    let head = config.as_ref().map_or_else(Head::default, Head::of);
    let settings = config.map(|config| config.redact).unwrap_or_default();
    let redaction = Redaction::new(&settings).filter(|_| !args.unredacted);
    match &args.output {
        None => write(args, &head, redaction, stdout()).await,
        Some(path) => {
            let name = |error| Stop::Wrong(format!("{}: {error}", path.display()));
            write(
                args,
                &head,
                redaction,
                BufWriter::new(File::create(path).map_err(name)?),
            )
            .await
        }
    }
}

async fn write(args: &Args, head: &Head, redaction: Option<Redaction>, mut out: impl Write) -> End {
    let mut begun = false;
    let mut line = |event: Option<&foldback_wire::Event>| {
        if !begun {
            json_line(&mut out, head)?;
            begun = true;
        }
        event.map_or(Ok(()), |event| json_line(&mut out, event))
    };
    // The head comes with the first event: a bad filter or a missing file must not leave half a recording.
    let mut outgoing = redaction.map(Outgoing::new);
    args.wanted
        .each(|event, _| match &mut outgoing {
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
    out.flush()?;
    Ok(Verdict::Holds)
}
