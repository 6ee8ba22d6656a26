//! Kills a bot at least 200 times with SIGKILL, at seeded points around journal commit, outbox intent,
//! platform call and outcome, and compares its journal with the log of the platform, which lives on in this
//! process: every operation is acknowledged exactly once in that log or shown as unknown, at most one in a
//! conversation and life; what was acknowledged is there.
//!
//! Run it with `cargo test -p foldback-pipeline --features crash-points --test kill`. `KILLS` sets how many,
//! `SEED` which.

mod child;
mod evidence;

use child::{CONVERSATIONS, Life};
use foldback_channels::sim::SimPlatform;
use foldback_pipeline::{Point, SeededRng, TokioClock};
use foldback_wire::{Platform, Rng};
use std::{os::unix::process::ExitStatusExt as _, path::Path, process::Command, sync::Arc};
use tokio_util::sync::CancellationToken;

/// Lives in which nothing was killed before the suite gives up.
const PATIENCE: u32 = 500;

fn main() {
    if let Some(life) = Life::from_env() {
        return child::live(&life);
    }
    let number = |name: &str, default: u64| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    let (kills, seed) = (number("KILLS", 200), number("SEED", 1));
    // With idempotency keys and without.
    for (platform, share) in [
        (Platform::Telegram, kills / 2),
        (Platform::Discord, kills - kills / 2),
    ] {
        let summary = torment(platform, share, seed);
        println!("{platform}: {summary}");
    }
}

/// Kills bots on one platform, then lets one live and compares.
fn torment(platform: Platform, kills: u64, seed: u64) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    let log = dir.path().join("platform.jsonl");
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = CancellationToken::new();
    let served = runtime.spawn(foldback_channels::serve(
        listener,
        SimPlatform::new(child::capabilities(platform)),
        std::fs::File::create(&log).expect("a log"),
        Arc::new(TokioClock::system()),
        stop.clone(),
    ));
    let rng = SeededRng::new(seed ^ platform as u64);
    let mut killed = 0;
    let mut lives = 0;
    while killed < kills {
        assert!(
            lives < kills + u64::from(PATIENCE),
            "only {killed} of {lives} lives were cut short"
        );
        let point = Point::ALL[(rng.next() % Point::ALL.len() as u64) as usize];
        let life = Life {
            number: lives,
            platform,
            address,
            dir: dir.path().to_owned(),
            crash: Some(format!("{}:{}", point.code(), 1 + rng.next() % 14)),
        };
        killed += u64::from(run(&life));
        lives += 1;
    }
    let last = Life {
        number: lives,
        platform,
        address,
        dir: dir.path().to_owned(),
        crash: None,
    };
    assert!(!run(&last), "the last life ends by itself");
    stop.cancel();
    runtime.block_on(served).expect("the platform").expect("its log");
    let summary = runtime.block_on(evidence::compare(
        &dir.path().join("journal.sqlite"),
        &log,
        lives + 1,
    ));
    format!("{killed} of {lives} lives killed, {CONVERSATIONS} conversations each; {summary}")
}

/// One life of the bot. True when it was killed.
fn run(life: &Life) -> bool {
    let me = std::env::current_exe().expect("this program");
    let mut command = Command::new(me);
    life.to_env(&mut command);
    let status = command.status().expect("a child");
    let killed = status.signal() == Some(9);
    assert!(
        killed || status.success(),
        "a bot ended with {status}, journal in {}",
        show(&life.dir)
    );
    killed
}

fn show(dir: &Path) -> String {
    dir.display().to_string()
}
