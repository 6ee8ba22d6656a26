//! `foldback replay`: fixtures and recordings through the whole pipeline on loopback channels.

mod coverage;
mod keeping;
mod recordings;
mod updating;

use crate::end::{End, Stop, Verdict as Found, complain, json_line, stdout};
use clap::ValueEnum;
use foldback_channels::platform;
use foldback_replay::{
    Came, Case, Job, Mutation, Options, Played, Speed,
    fixture::{Fixture, Unreadable, find, load},
    recording::{self, Recording},
    report, run_all,
};
use foldback_wire::{Event, Platform};
use indicatif::ProgressBar;
use std::{
    io::Write,
    num::NonZero,
    path::{Path, PathBuf},
};

/// Run fixtures and recordings on loopback channels with a virtual clock and compare with what they expect
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fixtures (`*.yaml`), recordings (`*.jsonl`), or folders of them
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    /// Only on this channel; fixtures that do not name it are run on it all the same
    #[arg(long, value_name = "NAME", value_parser = platform)]
    channel: Option<Platform>,

    /// Only fixtures whose name, path or rules contain this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// How many cases to run side by side [default: one per processor]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,

    /// `instant`, or a factor of real time
    #[arg(long, value_name = "instant|FACTOR", default_value = "instant")]
    speed: Speed,

    /// How to print the results
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Rewrite `expect` of fixtures as it came on all their channels, show what that changes, compare again
    #[arg(long)]
    update: bool,

    /// Also list the rules that none of these fixtures names
    #[arg(long)]
    coverage: bool,

    /// Put the events of all runs into this journal
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Junit,
}

/// Reads a platform's name.
pub(crate) fn platform(name: &str) -> Result<Platform, String> {
    platform::from_code(name).ok_or_else(|| {
        let names: Vec<&str> = platform::ALL.iter().map(Platform::code).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// A fixture and the channels it is run on.
struct Scenario {
    path: PathBuf,
    fixture: Fixture,
    platforms: Vec<Platform>,
}

impl Scenario {
    fn jobs(&self) -> impl Iterator<Item = Job<'_>> {
        let Self {
            path,
            fixture,
            platforms,
        } = self;
        platforms.iter().map(move |platform| Job {
            path,
            fixture,
            platform: *platform,
        })
    }
}

/// Everything that is to be run.
#[derive(Default)]
struct Wanted {
    scenarios: Vec<Scenario>,
    recordings: Vec<(PathBuf, Recording)>,
    /// What cannot be read; the rest is run all the same.
    unreadable: Vec<Unreadable>,
}

/// A run with what it left behind.
struct Ran {
    case: Case,
    /// What came of a fixture, to take as an expectation.
    came: Option<Came>,
    /// Its journal.
    events: Vec<Event>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    if args.update && args.channel.is_some() {
        return Err(Stop::Wrong(
            "--update needs what came on every channel of a fixture, so it does not go with --channel; \
             leave --channel out"
                .to_owned(),
        ));
    }
    let Wanted {
        mut scenarios,
        recordings,
        unreadable,
    } = wanted(args);
    if scenarios.is_empty() && recordings.is_empty() && unreadable.is_empty() {
        return Err(Stop::Wrong(
            "no fixture and no recording is there, or the filter leaves none".to_owned(),
        ));
    }
    let options = Options {
        speed: args.speed,
        mutation: Mutation::default(),
    };
    let mut results = play_all(&scenarios, args.jobs, args.db.is_some(), &options);
    results.extend(recordings::play_all(&recordings, args.channel, &options));
    if let Some(db) = &args.db {
        keeping::keep(db, results.iter().map(|ran| ran.events.as_slice()))?;
    }
    // What could not be written is told after what is known.
    let update = if args.update {
        updating::update(&mut scenarios, &mut results, args.jobs, &options)
    } else {
        Ok(())
    };
    let mut out = stdout();
    let mut cases: Vec<Case> = results.iter().map(|ran| ran.case.clone()).collect();
    cases.extend(unreadable.iter().map(|error| {
        let name = error.path.display().to_string();
        Case::error(name, &error.path, "", error.to_string())
    }));
    match args.format {
        Format::Json => {
            for case in &cases {
                json_line(&mut out, case)?;
            }
        }
        Format::Junit => report::junit(&mut out, &cases).map_err(|error| Stop::Wrong(error.to_string()))?,
        Format::Text => {
            for case in &cases {
                report::text(&mut out, case)?;
            }
            report::summary(&mut out, &cases)?;
        }
    }
    out.flush()?;
    let mut fine = cases.iter().all(Case::holds);
    update?;
    if args.coverage {
        fine &= coverage::report(&args.paths, scenarios.iter().map(|scenario| &scenario.fixture))?;
    }
    match unreadable.len() {
        0 => Ok(if fine { Found::Holds } else { Found::Fails }),
        1 => Err(Stop::Wrong("1 path cannot be read".to_owned())),
        n => Err(Stop::Wrong(format!("{n} paths cannot be read"))),
    }
}

/// Everything below the paths that is to be run.
fn wanted(args: &Args) -> Wanted {
    let mut wanted = Wanted::default();
    let mut unreadable = Vec::new();
    let mut refuse = |error: Unreadable| {
        complain(&error);
        unreadable.push(error);
    };
    for path in &args.paths {
        let found = match find(path) {
            Ok(found) => found,
            Err(error) => {
                refuse(error);
                continue;
            }
        };
        for path in found.fixtures {
            match load(&path) {
                Ok(fixture)
                    if args
                        .filter
                        .as_ref()
                        .is_none_or(|text| matches(text, &path, Some(&fixture))) =>
                {
                    let platforms = args
                        .channel
                        .map_or_else(|| fixture.channel.platforms().to_vec(), |p| vec![p]);
                    wanted.scenarios.push(Scenario {
                        path,
                        fixture,
                        platforms,
                    });
                }
                Ok(_) => {}
                Err(error) => refuse(error),
            }
        }
        for path in found.recordings {
            if args.filter.as_ref().is_none_or(|text| matches(text, &path, None)) {
                match recording::read(&path) {
                    Ok(recording) => wanted.recordings.push((path, recording)),
                    Err(error) => refuse(error),
                }
            }
        }
    }
    Wanted { unreadable, ..wanted }
}

fn matches(text: &str, path: &Path, fixture: Option<&Fixture>) -> bool {
    let text = text.to_lowercase();
    let has = |part: &str| part.to_lowercase().contains(&text);
    has(&path.to_string_lossy())
        || fixture.is_some_and(|fixture| has(&fixture.name) || fixture.rules.iter().any(|rule| has(rule)))
}

/// Runs every case, so many side by side; answers in the order of the scenarios.
fn play_all(
    scenarios: &[Scenario],
    threads: Option<NonZero<usize>>,
    keep_events: bool,
    options: &Options,
) -> Vec<Ran> {
    let jobs: Vec<Job<'_>> = scenarios.iter().flat_map(Scenario::jobs).collect();
    let mut results: Vec<Option<Ran>> = jobs.iter().map(|_| None).collect();
    // Draws on stderr, and only where that is a terminal.
    let bar = ProgressBar::new(jobs.len() as u64);
    run_all(&jobs, threads, options, |index, result| {
        results[index] = Some(match result {
            Ok(Played { case, came, events }) => Ran {
                case,
                came: Some(came),
                // A thousand journals at once are kept only for somebody who asked for them.
                events: if keep_events { events } else { Vec::new() },
            },
            Err(case) => Ran {
                case: *case,
                came: None,
                events: Vec::new(),
            },
        });
        bar.inc(1);
        true
    });
    bar.finish_and_clear();
    results.into_iter().flatten().collect()
}
