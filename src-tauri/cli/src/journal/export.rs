//! `foldback journal export`: a recording, which `foldback replay` plays again.

use super::Wanted;
use crate::{
    end::{End, Stop, Verdict, json_line, stdout},
    places,
    running::wrong,
};
use foldback_replay::{Replacement, recording::Head};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// Write a recording, such as of `--where turn:12`, which `foldback replay` plays again
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    wanted: Wanted,

    /// Where to [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) async fn run(args: &Args) -> End {
    let head = match args.wanted.place.config() {
        None => Head::default(),
        Some(path) => Head::of(&places::read(&path, Path::new("")).map_err(wrong)?.config),
    };
    match &args.output {
        None => write(args, &head, &mut stdout()).await?,
        Some(path) => {
            let name = |error| Stop::Wrong(format!("{}: {error}", path.display()));
            let mut file = Replacement::of(path).map_err(name)?;
            write(args, &head, &mut file).await?;
            file.done().map_err(name)?;
        }
    }
    Ok(Verdict::Holds)
}

async fn write(args: &Args, head: &Head, out: &mut impl Write) -> Result<(), Stop> {
    let mut begun = false;
    let mut line = |event: Option<&foldback_wire::Event>| {
        if !begun {
            json_line(out, head)?;
            begun = true;
        }
        event.map_or(Ok(()), |event| json_line(out, event))
    };
    // The head comes with the first event: a bad filter or a missing file must not leave half a recording.
    args.wanted.each(|event, _| line(Some(event))).await?;
    line(None)?;
    Ok(out.flush()?)
}
