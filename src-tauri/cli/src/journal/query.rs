//! `foldback journal query`: the events that pass a filter.

use super::Wanted;
use crate::{
    end::{End, Verdict, json_line, stdout},
    format::Format,
};
use foldback_wire::rpc::EventRow;
use std::io::{self, Write};

/// Print the events that pass a filter
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    wanted: Wanted,

    /// As JSON lines, or as lines for people
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
}

pub(super) async fn run(args: &Args) -> End {
    let mut out = stdout();
    args.wanted
        .each(|event, scene, lasted| match args.format {
            Format::Json => json_line(&mut out, event),
            Format::Text => Ok(row(&mut out, &scene.row(event, lasted))?),
        })
        .await?;
    out.flush()?;
    Ok(Verdict::Holds)
}

fn row(out: &mut impl Write, row: &EventRow) -> io::Result<()> {
    let EventRow {
        seq,
        at,
        turn,
        channel,
        stage,
        kind,
        summary,
        ..
    } = row;
    let turn = turn.map_or_else(String::new, |turn| format!("#{turn}"));
    let channel = channel.as_ref().map_or("", |channel| channel.as_str());
    writeln!(
        out,
        "{seq:>7}  {at}  {turn:<5} {channel:<9} {stage:<9} {kind:<13} {summary}"
    )
}
