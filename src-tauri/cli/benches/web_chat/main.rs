//! The time from a model's delta to the browser's end of the socket, through the program that people run, with one browser on
//! a web chat and with 200. `cargo bench -p foldback --bench web_chat -- [BROWSERS] [SECONDS]`
//!
//! `foldback serve` runs as a process of its own with a journal on disk. Its model is a server in this process that writes
//! twenty deltas a second to each conversation, as models do, and each delta is the moment at which it was written. The
//! browsers are raw sockets in a thread of their own, each with a session and an open stream, and read those moments: the
//! agent's connection, scanner, journal, edits of the message and the web chat are all in the figure, and so is what the
//! processes take from each other on one machine.
//!
//! ```text
//! trial                                pieces      p50      p99     most
//! one browser                             160    1.9 ms   4.2 ms   6.0 ms
//! ```
//!
//! It ends with an error where p99 with all browsers is five times that of one browser or more.

mod bot;
mod browsers;
mod model;

use bot::Bot;
use std::{
    error::Error,
    process::ExitCode,
    time::{Duration, Instant},
};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Time between two deltas of an answer.
const PACE: Duration = Duration::from_millis(50);
/// Rounds of all trials.
const ROUNDS: usize = 3;
/// Browsers and seconds that are taken at most.
const MOST: (usize, u64) = (400, 60);
/// Time at the beginning whose deltas are not counted.
const WARM_UP: Duration = Duration::from_secs(1);
/// Times the p99 of one browser that is too much.
const TOO_MUCH: f64 = 5.0;

/// A number of browsers, the tabs that each conversation is open in, and the conversations that are written in.
#[derive(Clone, Copy)]
struct Trial {
    name: &'static str,
    browsers: usize,
    tabs: usize,
    writing: usize,
}

fn main() -> ExitCode {
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn compare() -> Outcome<()> {
    let mut numbers = std::env::args().filter_map(|text| text.parse::<u64>().ok());
    let browsers = usize::try_from(numbers.next().unwrap_or(200))?.clamp(8, MOST.0);
    let time = Duration::from_secs(numbers.next().unwrap_or(8).clamp(2, MOST.1));
    let trial = |name, browsers, tabs, writing| Trial {
        name,
        browsers,
        tabs,
        writing,
    };
    let trials = [
        trial("one browser", 1, 1, 1),
        trial("one of all, the others silent", browsers, 1, 1),
        trial("one conversation in eight tabs", 8, 8, 1),
        trial("all browsers", browsers, 1, browsers),
    ];
    println!(
        "{:32} {:>8} {:>8} {:>8} {:>8}",
        "trial", "pieces", "p50 ms", "p99 ms", "most ms"
    );
    // In turn, so that whatever else the machine does meets all of them.
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let round = trials.iter().map(|trial| run(*trial, time));
        rounds.push(round.collect::<Outcome<Vec<_>>>()?);
    }
    let p99 = |n: usize| {
        let mut of_trial: Vec<_> = rounds.iter().map(|round| round[n].as_secs_f64()).collect();
        of_trial.sort_by(f64::total_cmp);
        of_trial[ROUNDS / 2]
    };
    println!("median p99 of {ROUNDS} rounds:");
    let mut slow = Vec::new();
    for (n, trial) in trials.iter().enumerate() {
        let times = p99(n) / p99(0);
        println!(
            "{:32} {:8.2} ms, {times:.2} times that of one browser",
            trial.name,
            p99(n) * 1_000.0
        );
        if times >= TOO_MUCH {
            slow.push(trial.name);
        }
    }
    if slow.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{TOO_MUCH} times that of one browser or more: {}",
        slow.join(", ")
    )
    .into())
}

/// Runs a trial on a bot of its own; gives its p99.
fn run(trial: Trial, time: Duration) -> Outcome<Duration> {
    let start = Instant::now();
    let model = model::serve(start)?;
    let bot = Bot::start(model.port)?;
    let mut spans = browsers::watch(trial, &bot.address, start, time)?;
    drop(model);
    bot.end()?;
    spans.sort_unstable();
    // An answer that stands still is not fast.
    let due = time.as_millis() / PACE.as_millis() * (trial.writing * trial.tabs) as u128;
    if (spans.len() as u128) < due * 9 / 10 {
        return Err(format!("{}: {} pieces of {due} came", trial.name, spans.len()).into());
    }
    let at = |share: f64| spans[((spans.len() - 1) as f64 * share) as usize];
    let ms = |share: f64| at(share).as_secs_f64() * 1_000.0;
    println!(
        "{:32} {:8} {:8.2} {:8.2} {:8.2}",
        trial.name,
        spans.len(),
        ms(0.5),
        ms(0.99),
        ms(1.0)
    );
    Ok(at(0.99))
}
