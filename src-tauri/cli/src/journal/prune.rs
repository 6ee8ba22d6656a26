//! `foldback journal prune`: deletes what is old and gives the room back.

use crate::{
    end::{End, Stop, Verdict, stdout},
    places::Place,
    running::wrong,
};
use foldback_pipeline::{TokioClock, config::Interval};
use foldback_store::{Journal as _, SqliteJournal};
use foldback_wire::{Clock as _, Timestamp};
use std::{io::Write as _, path::Path};

/// Delete old events, and make the file smaller; no bot may run on it meanwhile
///
/// Turns that are open or have something left to send stay, however old, and so do approvals of people. A running bot
/// prunes by itself.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Age from which on events are deleted, such as `30d` [default: `store.keep` of the configuration]
    #[arg(long, value_name = "AGE")]
    keep: Option<Interval>,

    #[command(flatten)]
    place: Place,
}

pub(super) async fn run(args: &Args) -> End {
    let path = args.place.journal()?;
    if !path.exists() {
        return Err(Stop::Wrong(format!("there is no journal {}", path.display())));
    }
    let keep = match args.keep {
        Some(keep) => keep,
        None => args.place.setup()?.config.store.keep,
    };
    if keep.0.is_zero() && args.keep.is_none() {
        let forever = "store.keep is 0: everything is kept; say --keep AGE to delete all the same";
        return Err(Stop::Wrong(forever.to_owned()));
    }
    let before = size(&path)?;
    let journal = SqliteJournal::open(&path).await.map_err(wrong)?;
    let keep = i64::try_from(keep.0.as_millis()).unwrap_or(i64::MAX);
    let now = TokioClock::system().now();
    let cut = Timestamp(now.0.saturating_sub(keep));
    let last = journal.last_before(Timestamp(i64::MAX)).await.map_err(wrong)?;
    if args.keep.is_none() && last.is_some_and(|last| last < cut) {
        journal.close().await.map_err(wrong)?;
        return Err(Stop::Wrong(format!(
            "everything is older than store.keep by this machine's clock, which says {now}; if that is right, say --keep AGE"
        )));
    }
    let deleted = journal.prune(cut, now).await;
    journal.close().await.map_err(wrong)?;
    let deleted = deleted.map_err(wrong)?;
    SqliteJournal::compact(&path).await.map_err(wrong)?;
    writeln!(
        stdout(),
        "{deleted} events deleted; the journal had {before} bytes and has {}",
        size(&path)?
    )?;
    Ok(Verdict::Holds)
}

fn size(path: &Path) -> Result<u64, Stop> {
    Ok(path.metadata()?.len())
}
