//! Running fixtures: side by side, with progress, and taking what came as the expectation.

use super::{
    Backend, Urgent,
    fixtures::{off_thread, replace},
    lock,
};
use crate::{Shelf, failure};
use foldback_replay::{
    Case, Options, Played,
    fixture::{self, Fixture},
    run, updated,
};
use foldback_wire::{
    Platform,
    rpc::{Failure, FixtureCase, FixtureProgress, FixtureRun, FixtureStarted, FixtureText},
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};
use tokio::sync::mpsc;

/// Least time between two reports of a run.
const REPORT: Duration = Duration::from_millis(50);

/// Runs of fixtures and re-cuts that go on.
#[derive(Default)]
pub(super) struct Runs {
    state: Mutex<Going>,
}

#[derive(Default)]
struct Going {
    last: u32,
    /// Told to stop when true.
    stops: BTreeMap<u32, Arc<AtomicBool>>,
}

impl Runs {
    /// A new run: its number, and what stops it once it is true.
    pub(super) fn begin(&self) -> (u32, Arc<AtomicBool>) {
        let mut going = lock(&self.state);
        going.last += 1;
        let (number, stop) = (going.last, Arc::new(AtomicBool::new(false)));
        going.stops.insert(number, Arc::clone(&stop));
        (number, stop)
    }

    /// A run is over.
    pub(super) fn end(&self, number: u32) {
        lock(&self.state).stops.remove(&number);
    }
}

/// A fixture on a channel, to be run; or why it cannot be.
enum Job {
    Play {
        path: PathBuf,
        fixture: Arc<Fixture>,
        platform: Platform,
    },
    Broken(Box<Case>),
}

impl Job {
    fn run(&self) -> Case {
        match self {
            Self::Play {
                path,
                fixture,
                platform,
            } => silently(|| run(path, fixture, *platform, &Options::default()))
                .map_or_else(|case| *case, |played| played.case),
            Self::Broken(case) => case.as_ref().clone(),
        }
    }
}

/// Nothing of a fixture has a place in the app's log.
pub(super) fn silently<T>(act: impl FnOnce() -> T) -> T {
    tracing::subscriber::with_default(tracing::subscriber::NoSubscriber::default(), act)
}

impl Backend {
    pub(super) async fn run_fixtures(&self, which: FixtureRun) -> Result<FixtureStarted, Failure> {
        let files = which
            .paths
            .iter()
            .map(|path| self.fixture_file(path))
            .collect::<Result<Vec<_>, _>>()?;
        let shelf = self.shared.fixtures.clone();
        let jobs = off_thread(move || jobs(&shelf, files)).await?;
        let cases = jobs.len() as u32;
        let (number, stop) = self.shared.runs.begin();
        let ended = work(jobs, &stop);
        self.spawn(self.clone().report(number, cases, ended));
        Ok(FixtureStarted { run: number, cases })
    }

    pub(super) fn cancel_run(&self, number: u32) -> Result<(), Failure> {
        let going = lock(&self.shared.runs.state);
        let stop = going.stops.get(&number).ok_or_else(|| failure::no_run(number))?;
        stop.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Reports cases as they end, some at a time. The last report has as many cases in all as were done,
    /// also when the run was cancelled.
    async fn report(self, number: u32, cases: u32, mut ended: mpsc::UnboundedReceiver<Case>) {
        let mut done = 0;
        let mut going = true;
        while going {
            let mut batch = Vec::new();
            going = match ended.recv().await {
                Some(first) => {
                    batch.push(first);
                    self.shared
                        .clock
                        .sleep_until(self.shared.clock.now().plus(REPORT))
                        .await;
                    while let Ok(next) = ended.try_recv() {
                        batch.push(next);
                    }
                    true
                }
                None => false,
            };
            done += batch.len() as u32;
            let ended = batch.into_iter().map(|case| self.named(case)).collect();
            let cases = if going { cases } else { done };
            let progress = FixtureProgress {
                run: number,
                done,
                cases,
                ended,
            };
            // Nobody listens: then nobody waits for it.
            let _ = self.shared.urgent.send(Urgent::Fixtures(progress));
        }
        self.shared.runs.end(number);
    }

    /// A case with its path as clients name it.
    fn named(&self, case: Case) -> FixtureCase {
        let path = self.shared.fixtures.name(&case.path);
        FixtureCase { path, ..case.into() }
    }

    pub(super) async fn accept_fixture(&self, path: String) -> Result<FixtureText, Failure> {
        let file = self.fixture_file(&path)?;
        let place = self.fixture_place(&path)?;
        off_thread(move || {
            let text = fs::read_to_string(&file).map_err(|e| failure::cannot_read(&path, &e))?;
            let fixture = fixture::parse(Path::new(&path), &text).map_err(|e| failure::bad_fixture(&e))?;
            let mut came = Vec::new();
            for platform in fixture.channel.platforms() {
                let played = silently(|| run(&file, &fixture, *platform, &Options::default()));
                let Played { came: one, .. } = played.map_err(|case| failure::cannot_run(&path, &case))?;
                came.push(one);
            }
            let text = updated(&text, &fixture, &came);
            // Written in another style than the one that can be rewritten, it stays as it is.
            fixture::parse(Path::new(&path), &text).map_err(|e| failure::bad_fixture(&e))?;
            replace(&place, &text).map_err(|e| failure::cannot_write(&path, &e))?;
            Ok(FixtureText { path, text })
        })
        .await
    }
}

/// The cases of these files; of all fixtures when none is named.
fn jobs(shelf: &Shelf, files: Vec<PathBuf>) -> Result<Vec<Job>, Failure> {
    let files = if files.is_empty() {
        let all = shelf.all();
        all.map_err(|e| failure::cannot_read("the fixtures folder", &e))?
            .into_values()
            .collect()
    } else {
        files
    };
    let mut jobs = Vec::new();
    for path in files {
        match fixture::load(&path) {
            Ok(fixture) => {
                let fixture = Arc::new(fixture);
                jobs.extend(fixture.channel.platforms().iter().map(|platform| Job::Play {
                    path: path.clone(),
                    fixture: Arc::clone(&fixture),
                    platform: *platform,
                }));
            }
            Err(error) => {
                let name = shelf.name(&path);
                jobs.push(Job::Broken(Box::new(Case::error(
                    name,
                    path,
                    "",
                    error.to_string(),
                ))));
            }
        }
    }
    Ok(jobs)
}

/// Runs the cases on as many threads as there are processors; answers them as they end.
fn work(jobs: Vec<Job>, stop: &Arc<AtomicBool>) -> mpsc::UnboundedReceiver<Case> {
    let (to, ended) = mpsc::unbounded_channel();
    let jobs = Arc::new(jobs);
    let next = Arc::new(AtomicUsize::new(0));
    for _ in 0..thread::available_parallelism()
        .map_or(1, usize::from)
        .min(jobs.len())
    {
        let (jobs, next, stop, to) = (Arc::clone(&jobs), Arc::clone(&next), Arc::clone(stop), to.clone());
        tokio::task::spawn_blocking(move || {
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stop.load(Ordering::Relaxed) || to.send(job.run()).is_err() {
                    return;
                }
            }
        });
    }
    ended
}
