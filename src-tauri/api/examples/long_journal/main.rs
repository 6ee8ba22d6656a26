//! Figures of a window that opens on a long journal: `cargo run --release -p foldback-api --example long_journal
//! [EVENTS]`. With `--write FOLDER` it only writes that journal, for a window that is opened on it. The figures are
//! explained in docs/performance.md.
//!
//! The turns are those of a real bot: the demonstration, and answers that a model streams in deltas of four bytes. They
//! are copied until there are so many events. What a page asks is asked in its order, through the commands.

mod ask;
mod turns;

use ask::{Asking, Opened};
use foldback_api::{Backend, Setup};
use foldback_store::SqliteJournal;
use foldback_wire::Actor;
use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::runtime::Builder;

type Fault = Box<dyn Error + Send + Sync>;

/// Events of the journal.
const EVENTS: u64 = 400_000;

/// The depths of Live: their names, the filters that make them, what their rows are, and how many are on the screen.
const DEPTHS: [(&str, &str, &str, u32); 3] = [
    ("Turns", "", "turns", 30),
    (
        "Decisions",
        "-kind:idle,passed -reason:trailing_space",
        "events",
        60,
    ),
    ("Everything", "", "events", 60),
];

fn main() -> Result<(), Fault> {
    let (mut events, mut folder) = (EVENTS, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--write" => folder = arguments.next().map(PathBuf::from),
            count => events = count.parse()?,
        }
    }
    let demonstration = record(None)?;
    if let Some(folder) = folder {
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        return runtime.block_on(turns::grow(&folder, &demonstration, events));
    }
    measure("the demonstration's turns", &demonstration, events)?;
    measure("streamed answers", &record(Some(turns::STREAMED))?, events)
}

/// Events of a bot, on a clock of its own: no second of them passes.
fn record(messages: Option<usize>) -> Result<Vec<foldback_wire::Event>, Fault> {
    Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()?
        .block_on(turns::record(messages))
}

fn measure(of: &str, own: &[foldback_wire::Event], events: u64) -> Result<(), Fault> {
    let folder = tempfile::tempdir()?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        turns::grow(folder.path(), own, events).await?;
        ask_all(of, folder.path()).await
    })
}

async fn ask_all(of: &str, folder: &Path) -> Result<(), Fault> {
    let mut setup = Setup::embedded(folder.to_owned(), folder.join("fixtures"), Actor::Console);
    setup.demo = false;
    setup.journal = Some(Arc::new(SqliteJournal::open(&folder.join(turns::FILE)).await?));
    let backend = Backend::open(setup).await?;
    let asking = Asking::new(&backend);
    println!("{of}, {} events:", backend.journal().head());
    let head = backend.journal().head().0;
    for (depth, filter, rows, count) in DEPTHS {
        let Opened {
            frame,
            first_rows,
            all,
        } = asking.open(filter, rows, count).await?;
        println!(
            "  {depth}: rows on the screen after {first_rows:.1?}, all {} after {all:.1?}",
            frame.length
        );
        if rows == "turns" {
            continue;
        }
        for (key, place, seq, back) in [
            ("e", "first", 0, false),
            ("E", "last", head + 1, true),
            ("e", "last", head, false),
        ] {
            let (row, took) = asking.find_error(frame.view, seq, back).await?;
            let row = row.map_or_else(|| "no error".to_owned(), |row| format!("row {row}"));
            println!("    `{key}` at the {place} row: {row} after {took:.1?}");
        }
    }
    backend.shutdown().await?;
    Ok(())
}
