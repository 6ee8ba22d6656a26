//! `foldback journal`: what was decided, from the file, also while a bot writes it.

mod export;
mod prune;
mod query;
mod stats;

use crate::{
    end::{End, Stop},
    places::Place,
    running::{runtime, wrong},
};
use foldback_pipeline::TokioClock;
use foldback_store::{EventDuration, Filter, Journal as _, Scene, SqliteJournal};
use foldback_wire::{Clock as _, Event, Seq, rpc::FilterError};
use std::{collections::HashMap, io, path::Path};

/// Events read at a time.
const BATCH: usize = 2_048;

/// Look into the journal, or delete what is old in it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Query(query::Args),
    Export(export::Args),
    Stats(stats::Args),
    Prune(prune::Args),
}

/// Which events.
#[derive(Debug, clap::Args)]
struct Wanted {
    /// Only events that pass this filter, such as `channel:discord is:error -kind:edit`
    #[arg(
        long = "where",
        value_name = "FILTER",
        default_value = "",
        allow_hyphen_values = true
    )]
    filter: String,

    #[command(flatten)]
    place: Place,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    runtime()?.block_on(async {
        match &args.command {
            Command::Query(args) => query::run(args).await,
            Command::Export(args) => export::run(args).await,
            Command::Stats(args) => stats::run(args).await,
            Command::Prune(args) => prune::run(args).await,
        }
    })
}

/// Opens a journal for reading. One that is not there is not begun.
pub(crate) async fn open(path: &Path) -> Result<SqliteJournal, Stop> {
    // A pipe would be waited for, for ever.
    let why = match path.metadata() {
        Ok(file) if file.is_file() => return SqliteJournal::open_read_only(path).await.map_err(wrong),
        Ok(_) => format!("{} is no file; --db names another", path.display()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => format!(
            "there is no journal {}; `foldback serve` begins one, --db names another",
            path.display()
        ),
        Err(error) => format!("{} cannot be read: {error}; --db names another", path.display()),
    };
    Err(Stop::Wrong(why))
}

impl Wanted {
    /// Shows every event that passes to `each`, in order.
    async fn each(
        &self,
        mut each: impl FnMut(&Event, &Scene, Option<&EventDuration>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        // Before the file: a filter that is none is the person's to mend, wherever the file lies.
        let filter = Filter::parse(&self.filter).map_err(|error| no_filter(&self.filter, &error))?;
        let journal = open(&self.place.journal()?).await?;
        let head = journal.head();
        let mut scene = Scene::live();
        scene.learn(&journal, head).await.map_err(wrong)?;
        let mut matcher = filter.matcher(TokioClock::system().now());
        let selection = matcher.selection().clone();
        let mut after = Seq(0);
        loop {
            let mut events = journal
                .select(&selection, after, head, BATCH)
                .await
                .map_err(wrong)?;
            let Some(last) = events.last() else { return Ok(()) };
            after = last.seq;
            let places: Vec<_> = events.iter().map(|event| event.seq).collect();
            let known = journal.durations(&places).await.map_err(wrong)?;
            let durations: HashMap<_, _> = known.into_iter().map(|known| (known.seq, known)).collect();
            for event in &mut events {
                let lasted = durations.get(&event.seq);
                if matcher.matches(event, &scene, lasted) {
                    event.kind.forget_handles();
                    each(event, &scene, lasted)?;
                }
            }
        }
    }
}

/// What is wrong with a filter, where (columns from 1, in characters), and what was probably meant.
fn no_filter(text: &str, error: &FilterError) -> Stop {
    let FilterError {
        span,
        message,
        suggestion,
    } = error;
    let before = text.get(..span.start).unwrap_or(text);
    let column = before.chars().count() + 1;
    let marked = text
        .get(span.start..span.end)
        .map_or(1, |part| part.chars().count().max(1));
    let message = message.trim_end_matches('.');
    // Mostly the message says it already.
    let meant = suggestion
        .as_ref()
        .filter(|meant| !message.contains(&format!("`{meant}`")))
        .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
    Stop::Wrong(format!(
        "--where:1:{column}: {message}{meant}\n  {text}\n  {blank}{mark}",
        blank = " ".repeat(column - 1),
        mark = "^".repeat(marked),
    ))
}
