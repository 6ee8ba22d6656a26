//! Memory under an hour of mixed load, in real time, of the program that people run.
//!
//! A figure of a minute hides what grows by a few kilobytes a message, and a virtual clock hides what grows with time
//! (keys that expire, connections that are renewed). So `foldback serve` runs as a process of its own with a journal
//! on disk and the real adapters of all five platforms, before strict servers in this process, whose own memory does
//! not count. People write in forty chats; answers are short, long (several messages), streamed, with files and with
//! reactions, from the script and over HTTP; one call in eight goes wrong, and now and then a connection breaks.
//!
//! `make soak` runs it; `MINUTES=5 make soak` a shorter one. Each line is a window of a twelfth of the time:
//!
//! ```text
//!  minute  received  ended    resident MB  descriptors
//!      5       1495   1495           61.2           74
//! ```
//!
//! It ends with an error where a window after the first sixth is more than a tenth away from the mean of those
//! windows, where a turn has no end, where a gate stops anything but a repetition, or where the program does not end in
//! order.

use crate::{
    bot::Bot,
    place::{CHATS, Place, TRIED},
};
use foldback_pipeline::SeededRng;
use foldback_strict::Mishap;
use foldback_wire::{OpKind, Platform, Rng as _};
use std::{
    collections::BTreeMap,
    error::Error,
    process::ExitCode,
    time::{Duration, Instant},
};

mod bot;
#[path = "../../../api/tests/real/place.rs"]
mod place;
#[path = "../../../api/tests/hour/trouble.rs"]
mod trouble;

/// Lines of the table.
const WINDOWS: u32 = 12;
/// Windows at the beginning in which caches fill.
const WARM_UP: usize = 2;
/// Between two messages of a platform.
const PAUSE: Duration = Duration::from_secs(1);
/// The share of the mean that a window may be away from it.
const STEADY: f64 = 0.1;

/// A line of the table.
struct Window {
    /// Megabytes of resident memory, the median of its samples.
    resident: f64,
}

fn mishap(rng: &SeededRng) -> Mishap {
    match rng.next() % 20 {
        0..8 => Mishap::RateLimited(Duration::from_secs(1 + rng.next() % 3)),
        8..15 => Mishap::Failed,
        15..17 => Mishap::Broken,
        17 => Mishap::FailedAfter,
        18 => Mishap::Lost,
        _ => Mishap::Late(Duration::from_millis(300)),
    }
}

/// The word in a message that chooses its answer.
fn wish(number: usize) -> &'static str {
    match number {
        n if n.is_multiple_of(29) => " wants-long",
        n if n.is_multiple_of(11) => " wants-file",
        n if n.is_multiple_of(5) => " wants-react",
        n if n.is_multiple_of(3) => " wants-slow",
        _ => "",
    }
}

/// One message on each platform, and what goes wrong with it.
fn write(places: &BTreeMap<Platform, Place>, rng: &SeededRng, number: usize) {
    for place in places.values() {
        place.write(number % CHATS, &format!("m{number}e{}", wish(number)));
        if rng.next().is_multiple_of(8) {
            let op = match wish(number) {
                " wants-react" => OpKind::React,
                " wants-slow" => OpKind::EditText,
                _ => OpKind::SendText,
            };
            place.plan(op, mishap(rng));
        }
        if rng.next().is_multiple_of(250) {
            place.disturb(usize::try_from(rng.next() % 3).unwrap_or_default());
        }
    }
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or_default()
}

/// The largest distance of a window from the mean of all, as a part of the mean.
fn unsteadiness(windows: &[Window]) -> f64 {
    let mean = windows.iter().map(|window| window.resident).sum::<f64>() / windows.len() as f64;
    let far = windows.iter().map(|window| (window.resident / mean - 1.0).abs());
    far.fold(0.0, f64::max)
}

/// Counts of what stands in a platform's chats, and the rules of the platform that were broken.
fn evidence(place: &Place) -> String {
    let messages = (0..CHATS).flat_map(|chat| place.messages(chat));
    let (files, texts): (Vec<_>, Vec<_>) = messages.partition(|message| message.file);
    let answers = texts.iter().filter(|message| message.text.starts_with("Heard "));
    format!(
        "{} answers, {} files, {} reactions, rules broken: {}",
        answers.count(),
        files.len(),
        place.reactions(),
        place.broken()
    )
}

async fn soak(minutes: u64) -> Result<(), Box<dyn Error>> {
    let mut places = BTreeMap::new();
    for platform in TRIED {
        places.insert(platform, Place::open(platform).await);
    }
    let mut bot = Bot::start(&places).await?;
    for (platform, place) in &places {
        bot.until_up(*platform).await?;
        place.introduce().await;
    }
    let length = Duration::from_secs(minutes * 60) / WINDOWS;
    let (rng, begin) = (SeededRng::new(7), Instant::now());
    let (mut windows, mut number) = (Vec::new(), 0);
    println!(" minute  received  ended    resident MB  descriptors");
    for window in 1..=WINDOWS {
        let mut samples = Vec::new();
        while begin.elapsed() < length * window {
            write(&places, &rng, number);
            number += 1;
            tokio::time::sleep(PAUSE).await;
            samples.push(bot.resident_mb()?);
        }
        let counts = bot.counts();
        let resident = median(samples);
        println!(
            "{:7.1} {:9} {:6} {:14.1} {:12}",
            begin.elapsed().as_secs_f64() / 60.0,
            counts.received,
            counts.ended,
            resident,
            bot.descriptors()?
        );
        windows.push(Window { resident });
    }
    bot.until_calm().await?;
    let counts = bot.end().await?;
    println!("{counts:?}");
    if counts.received < number * places.len() || counts.ended < counts.received {
        return Err(format!("{} messages were written: {counts:?}", number * places.len()).into());
    }
    if counts.stopped.keys().any(|gate| gate != "duplicate") {
        return Err(format!("not every message was answered: {:?}", counts.stopped).into());
    }
    for (platform, place) in &places {
        println!("{platform}: {}", evidence(place));
    }
    let far = unsteadiness(windows.get(WARM_UP..).unwrap_or_default());
    println!("the furthest window is {:.1} % from the mean", far * 100.0);
    if far > STEADY {
        return Err("memory is not steady".into());
    }
    Ok(())
}

fn main() -> ExitCode {
    // Cargo adds words of its own.
    let minutes = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(60);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let ended = runtime
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(soak(minutes)));
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("soak: {error}");
            ExitCode::FAILURE
        }
    }
}
