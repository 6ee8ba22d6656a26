//! `foldback report`: the shift report of a time range.

use crate::{
    end::{End, Verdict, stdout},
    export::put,
    journal,
    places::Place,
    running::{failed, runtime},
};
use clap::ValueEnum;
use foldback_api::export::Exporter;
use foldback_pipeline::TokioClock;
use foldback_wire::{Clock as _, Timestamp, rpc::ReportFormat};
use std::{path::PathBuf, time::Duration};

/// Write what happened in a time range: what came in, what failed and why, who changed what, how long it took
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// From when on: a time such as 2026-11-27T06:00:00Z, or how long ago, such as 8h, 30m or 2d
    #[arg(long, value_name = "TIME", default_value = "8h", value_parser = when)]
    since: When,

    /// Until when [default: now]
    #[arg(long, value_name = "TIME", value_parser = when)]
    until: Option<When>,

    /// The form
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,

    /// Where to [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// Text for a ticket or a chat
    Markdown,
    /// One page, which opens without a server
    Html,
}

impl From<Format> for ReportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Markdown => Self::Markdown,
            Format::Html => Self::Html,
        }
    }
}

/// A moment, or how long before now.
#[derive(Debug, Clone, Copy)]
enum When {
    At(Timestamp),
    Ago(Duration),
}

impl When {
    fn before(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::Ago(ago) => now.minus(ago),
        }
    }
}

fn when(text: &str) -> Result<When, String> {
    let ago = || {
        let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let seconds = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            _ => return None,
        };
        let number: u64 = digits.strip_prefix('-').unwrap_or(digits).parse().ok()?;
        Some(When::Ago(Duration::from_secs(number.checked_mul(seconds)?)))
    };
    Timestamp::parse(text).map(When::At).or_else(ago).ok_or_else(|| {
        "this is neither a time such as 2026-11-27T06:00:00Z nor a duration such as 8h".to_owned()
    })
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let setup = args.place.setup()?;
    let file = args.place.journal()?;
    runtime()?.block_on(async {
        let journal = journal::open(&file).await?;
        let now = TokioClock::system().now();
        let exporter = Exporter {
            journal: &journal,
            config: &setup.config,
            base: &setup.base,
            now,
            unredacted: false,
        };
        let until = args.until.map_or(now, |until| until.before(now));
        let report = exporter
            .report(args.since.before(now), until)
            .await
            .map_err(failed)?;
        let text = report.text(args.format.into()).map_err(failed)?;
        put(
            &text,
            args.output.as_deref(),
            args.place.config().as_deref(),
            &mut stdout(),
        )?;
        Ok(Verdict::Holds)
    })
}
