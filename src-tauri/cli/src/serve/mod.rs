//! `foldback serve`: the bot without a window.

mod events;
mod orders;

use crate::{
    end::{End, Stop, Verdict},
    log,
    places::Place,
    running::{runtime, wrong},
};
use events::Events;
use foldback_api::{Backend, EndSignals, Setup};
use foldback_store::{Journal as _, SqliteJournal};
use foldback_wire::{Kind, Seq};
use std::{io, net::SocketAddr, path::PathBuf};

/// Events read at once on the way back to the start.
const PAGE: usize = 100;

/// Run the bot without a window; SIGINT and SIGTERM end it in order
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,

    /// Print the events of the journal, from this start on, as JSON lines
    #[arg(long)]
    events: bool,

    /// Take the window's commands as JSON lines on stdin, such as
    /// `{"command":"channel_switch","args":{"channel":"telegram","on":false}}`; each is answered with a line;
    /// `foldback schema commands` lists them
    #[arg(long)]
    commands: bool,

    /// Open a chat page at this address, such as 127.0.0.1:8095, as the channel `web_chat`; other addresses than those of this
    /// machine need `origins` in its table
    #[arg(long, value_name = "ADDR")]
    web_chat: Option<SocketAddr>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    // As it is named now: an upgrade takes this file away, and puts the new program in its place.
    let program = std::env::current_exe();
    let mut setup = args.place.setup()?;
    if let Some(address) = args.web_chat {
        setup.config.open_web_chat(address);
    }
    log::start(&mut setup)?;
    setup.log_in_words();
    let runtime = runtime()?;
    let (end, again) = runtime.block_on(serve(args, setup));
    // Threads may still wait for a stdin that nobody closes, or for a stdout that nobody reads.
    runtime.shutdown_background();
    if again && end.is_ok() {
        return Err(start_again(program));
    }
    end
}

/// Begins the process anew, as it was begun; answers only where that cannot be.
fn start_again(program: io::Result<PathBuf>) -> Stop {
    use std::os::unix::process::CommandExt as _;
    match program {
        Ok(program) => {
            let mut arguments = std::env::args_os();
            let name = arguments.next();
            let mut command = std::process::Command::new(program);
            command.args(arguments);
            if let Some(name) = name {
                command.arg0(name);
            }
            wrong(command.exec())
        }
        Err(error) => wrong(error),
    }
}

/// Runs the bot to its end; true where an owner asked for a new start.
async fn serve(args: &Args, setup: Setup) -> (End, bool) {
    let mut again = false;
    let end = Box::pin(serve_until_end(args, setup, &mut again)).await;
    (end, again)
}

async fn serve_until_end(args: &Args, setup: Setup, again: &mut bool) -> End {
    let mut signals = EndSignals::listen()?;
    let (file, bot) = (setup.journal_file(), args.place.arguments(&setup));
    let backend = Backend::open(setup).await.map_err(wrong)?;
    backend.log_held(&bot);
    let mut events = None;
    if args.events {
        events = Some(Events::follow(&backend, begun(&backend).await?));
    }
    let restart = backend.engine().restart_asked();
    let orders = orders::obey(&backend, args.commands);
    let mut end = tokio::select! {
        () = signals.next() => Ok(Verdict::Holds),
        () = restart.cancelled() => {
            *again = true;
            Ok(Verdict::Holds)
        }
        stop = orders => Err(stop),
        stop = stopped(&mut events) => Err(stop),
        why = backend.journal().ended() => return Err(wrong(why)),
    };
    tokio::select! {
        ended = backend.shutdown() => ended.map_err(wrong)?,
        () = signals.next() => {
            return Err(Stop::Wrong("ended before everything was written; the next start goes on".to_owned()));
        }
    }
    if let Some(events) = events {
        let rest = rest(events, file).await;
        end = end.and(rest.map(|()| Verdict::Holds));
    }
    end
}

/// Where this start begins in the journal.
async fn begun(backend: &Backend) -> Result<Seq, Stop> {
    let journal = backend.journal();
    // Only what is on the disk can be found.
    journal.flush().await.map_err(wrong)?;
    let mut end = journal.head();
    loop {
        let told = journal.of_process(end, PAGE).await.map_err(wrong)?;
        let start = told
            .iter()
            .find(|event| matches!(event.kind, Kind::Started { .. }));
        if let Some(start) = start {
            return Ok(start.seq);
        }
        let Some(earliest) = told.last() else {
            return Ok(Seq(1));
        };
        end = Seq(earliest.seq.0 - 1);
    }
}

/// Waits until events cannot be printed any more; for ever, where none are.
async fn stopped(events: &mut Option<Events>) -> Stop {
    match events {
        Some(events) => events.broken().await,
        None => std::future::pending().await,
    }
}

/// Prints what was written while the process ended; the journal itself is closed by now.
async fn rest(events: Events, file: PathBuf) -> Result<(), Stop> {
    let seen = events.end().await?;
    let journal = SqliteJournal::open_read_only(file).await.map_err(wrong)?;
    let left = journal
        .read(Seq(seen.0 + 1), usize::MAX >> 1)
        .await
        .map_err(wrong)?;
    events::print(left).await
}
