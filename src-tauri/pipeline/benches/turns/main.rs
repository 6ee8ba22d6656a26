//! What the journal costs a turn: `cargo bench -p foldback-pipeline --bench turns`. The figures are explained
//! in docs/performance.md.
//!
//! - (a) whole turns, finalize to deliver, with the journal in an SQLite file on the disk;
//! - (b) the same turns with the journal in memory;
//! - (c) the scanner alone, on the same replies in the same deltas;
//! - (d) what a confirmation costs at least: one page written to a bare file and synced.
//!
//! Pacing is left out, because it costs waiting and neither work nor disk: the channel has `WhatsApp`'s rules,
//! on which a message is shown when it is complete, and typing is off.

mod bot;

use bot::{Fault, REPLIES, Store, converse, cut};
use foldback_directives::{Scanner, Settings, Sink, Step};
use std::{
    fs::File,
    hint::black_box,
    io::Write as _,
    path::Path,
    time::{Duration, Instant},
};
use tokio::runtime::{Builder, Runtime};

/// Each contender runs this often, in turns, so that a busy moment of the machine meets all of them.
const ROUNDS: usize = 7;

/// Conversations at once, and turns of each in a round.
const LOADS: [(usize, usize); 3] = [(1, 96), (8, 48), (64, 24)];

/// Pages written in a round.
const PAGES: u32 = 200;

fn main() -> Result<(), Fault> {
    // The threads of `foldback serve`.
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let once = bot::events_of_each_reply(&runtime)?;
    println!("(a) the journal on disk, (b) in memory, (c) the scanner alone, (d) one page and fsync.");
    println!("{ROUNDS} rounds in turns; least (median) of each.");
    for (number, (reply, events)) in REPLIES.iter().zip(&once).enumerate() {
        let deltas = cut(reply.text).len();
        println!(
            "reply {number}: {} bytes, {deltas} deltas, {} deliveries, {events} events",
            reply.text.len(),
            reply.operations
        );
    }
    println!();
    println!("| at once | (a) turns/s | (b) turns/s | (c) turns/s | (a) ÷ (b) | (b) ÷ (c) | (a) ÷ (d) |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (conversations, each) in LOADS {
        println!("{}", compare(&runtime, conversations, each, &once)?);
    }
    Ok(())
}

/// All four under one load: a row of the table. Ratios are of the times of a turn.
fn compare(runtime: &Runtime, conversations: usize, each: usize, once: &[u64]) -> Result<String, Fault> {
    let (mut a, mut b, mut c, mut d) = (
        Times::default(),
        Times::default(),
        Times::default(),
        Times::default(),
    );
    let turns = (conversations * each) as f64;
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir()?;
        let disk = converse(Store::Disk(folder.path()), conversations, each, once);
        a.take(runtime.block_on(disk)?, turns);
        let memory = converse(Store::Memory, conversations, each, once);
        b.take(runtime.block_on(memory)?, turns);
        c.take(scan(conversations, each), turns);
        d.take(sync(folder.path())?, f64::from(PAGES));
    }
    let ((a, a_mid), (b, b_mid), (c, c_mid), (d, d_mid)) =
        (a.seconds(), b.seconds(), c.seconds(), d.seconds());
    Ok(format!(
        "| {conversations} | {:.0} ({:.0}) | {:.0} ({:.0}) | {:.0} ({:.0}) | {:.1} ({:.1}) | {:.0} ({:.0}) | {:.2} ({:.2}) |",
        1.0 / a,
        1.0 / a_mid,
        1.0 / b,
        1.0 / b_mid,
        1.0 / c,
        1.0 / c_mid,
        a / b,
        a_mid / b_mid,
        b / c,
        b_mid / c_mid,
        a / d,
        a_mid / d_mid,
    ))
}

/// Seconds that one turn (or page) took, one entry a round.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn take(&mut self, took: Duration, count: f64) {
        self.0.push(took.as_secs_f64() / count);
    }

    /// The least and the median.
    fn seconds(mut self) -> (f64, f64) {
        self.0.sort_by(f64::total_cmp);
        (self.0[0], self.0[self.0.len() / 2])
    }
}

/// (c)
fn scan(conversations: usize, each: usize) -> Duration {
    let replies: Vec<_> = REPLIES.iter().map(|reply| cut(reply.text)).collect();
    let mut count = Count::default();
    let begin = Instant::now();
    for turn in (0..conversations).flat_map(|_| 0..each) {
        let mut scanner = Scanner::new(&Settings::default(), None);
        for delta in &replies[turn % replies.len()] {
            scanner.push(black_box(delta), &mut count);
        }
        scanner.finish(&mut count);
    }
    let took = begin.elapsed();
    assert!(black_box(count).0 > conversations * each, "it decided something");
    took
}

#[derive(Default)]
struct Count(usize);

impl Sink for Count {
    fn step(&mut self, step: Step<'_>) {
        black_box(step);
        self.0 += 1;
    }
}

/// (d)
fn sync(folder: &Path) -> std::io::Result<Duration> {
    let mut file = File::create(folder.join("bare"))?;
    let begin = Instant::now();
    for _ in 0..PAGES {
        file.write_all(&[0; 4_096])?;
        file.sync_data()?;
    }
    Ok(begin.elapsed())
}
