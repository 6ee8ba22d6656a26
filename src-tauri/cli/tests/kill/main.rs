//! Kills `foldback serve` two hundred times with SIGKILL: three quarters at seeded points around journal commit, outbox
//! intent, attempt, platform call and outcome, one quarter between the end of a run and the last edit of its answer;
//! while it talks to a platform in a process of its own. Afterwards the bot's journal and the platform's log are
//! compared: every operation is acknowledged exactly once in that log or shown as unknown, at most one in a
//! conversation and kill; nothing acknowledged is missing. Every message that was written ends, and one fails by a kill
//! only if it had been given to the agent. Every run that ended is delivered whole, or an operation of its turn is shown
//! as unknown; whoever has no whole answer was told so. One bot of each series is told to end instead (TERM), in the
//! middle of a turn, while messages come on.
//!
//! [`real`] does the same on the real adapters, at every step of one answer in turn. [`modes`] kills it two hundred times more,
//! with messages over all modes of the queue, senders, commands and faults. [`actions`] kills it one hundred times between an
//! action and the message that tells of it, with an agent that asks in text, and again with a model that calls.
//!
//! `make kill-test` runs all and shows the figures. `KILLS` sets how many on simulated platforms, `SEED` which.

mod actions;
mod evidence;
mod life;
mod modes;
#[path = "../../../api/tests/real/place.rs"]
mod place;
mod real;
mod simulated_platform;

use evidence::Figures;
use foldback_channels::platform;
use foldback_pipeline::{CrashPoint, SeededRng};
use foldback_wire::{Platform, Rng};
use life::{AfterRun, Life};
use simulated_platform::SimulatedPlatform;
use std::{collections::BTreeSet, fs, path::Path, time::Duration};
use tempfile::TempDir;

/// What the agent says to every message: an effect, then three messages, with pauses in which a channel can be
/// switched.
const SCRIPT: &str = r#"
- agent:
    - "<actions><react emoji=\"eyes\"/></actions>One."
    - {message: second}
    - {text: "Two", after_ms: 10}
    - " more."
    - {message: third}
    - {text: "Three.", after_ms: 10}
"#;

/// Milliseconds between the end of a run and the last edit of its answer: the second message is edited once its first
/// frame has stood for the edit interval, and the third follows.
const LAST_EDIT_MS: u64 = 1_400;

/// That answer with a pause in which a preview of it stands: its last edit comes after the end of the run.
const PREVIEWED: &str = r#"
- agent:
    - {message: first}
    - "One."
    - {text: "Two more.", after_ms: 300}
    - {message: third}
    - {text: "Three.", after_ms: 10}
"#;

/// What one series of kills is like.
struct Series {
    platform: Platform,
    /// Of so many kills in all, the share of this series.
    share: u64,
    /// Whether the channel is switched off and on in the middle of the first turn of every life.
    toggled: bool,
    /// True where the kills come after the end of a run, from outside.
    after_runs: bool,
}

#[test]
fn a_platform_that_does_not_know_repetitions() {
    let figures = torment(&Series {
        platform: platform::TELEGRAM,
        share: 30,
        toggled: false,
        after_runs: false,
    });
    assert!(figures.unknown > 0, "no kill hit a call in flight");
}

#[test]
fn a_platform_that_knows_repetitions_by_their_key() {
    let figures = torment(&Series {
        platform: platform::DISCORD,
        share: 25,
        toggled: false,
        after_runs: false,
    });
    assert_eq!(
        figures.unknown, 0,
        "what may have arrived is sent again under its key"
    );
}

#[test]
fn a_channel_that_is_switched_off_and_on_in_the_middle_of_a_turn() {
    let figures = torment(&Series {
        platform: platform::TELEGRAM,
        share: 20,
        toggled: true,
        after_runs: false,
    });
    assert!(figures.toggles > 0, "no channel was switched");
}

#[test]
fn a_kill_between_the_end_of_a_run_and_the_last_edit_of_its_answer() {
    for platform in [platform::TELEGRAM, platform::DISCORD] {
        let figures = torment(&Series {
            platform,
            share: 13,
            toggled: false,
            after_runs: true,
        });
        assert!(figures.finished > 0, "no turn was finished by the next life");
        let few = "few kills fell between the end of a run and the last edit of its answer";
        assert!(figures.between * 10 >= figures.kills * 9, "{few}: {figures}");
    }
}

/// A number that is another one on each platform.
fn number_of(platform: Platform) -> u64 {
    let place = platform::ALL.iter().position(|listed| *listed == platform);
    place.unwrap() as u64
}

fn setting(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Kills bots on one platform and journal, lets the last one live, and compares.
fn torment(series: &Series) -> Figures {
    let kills = setting("KILLS", 210) * series.share / 100;
    let home = tempfile::tempdir().unwrap();
    let platform = SimulatedPlatform::start(series.platform, &home.path().join("platform.jsonl"));
    configure(&home, series.platform, &platform);
    if series.after_runs {
        write(home.path(), "script.yaml", PREVIEWED);
    }
    let rng = SeededRng::new(
        setting("SEED", 1)
            ^ number_of(series.platform)
            ^ u64::from(series.toggled) << 8
            ^ u64::from(series.after_runs) << 9,
    );
    let mut killed = vec![0_u64; CrashPoint::OF_OPERATIONS.len()];
    let mut lives = 0;
    let mut written = BTreeSet::new();
    while killed.iter().sum::<u64>() < kills {
        assert!(
            lives < 2 * kills + 20,
            "{killed:?} of {lives} lives were cut short"
        );
        let at = usize::try_from(lives).unwrap() % CrashPoint::OF_OPERATIONS.len();
        let crash = format!(
            "{}:{}",
            CrashPoint::OF_OPERATIONS[at].code(),
            1 + rng.next() % reach(CrashPoint::OF_OPERATIONS[at])
        );
        let crash = Some(crash).filter(|_| !series.after_runs);
        let after_run = AfterRun {
            nth: 1 + rng.next() % 4,
            by: Duration::from_millis(rng.next() % LAST_EDIT_MS),
        };
        let life = Life::begin(series.platform, lives, &platform, home.path(), crash.as_deref());
        written.extend(life.messages().iter().cloned());
        let kill = Some(after_run).filter(|_| series.after_runs);
        killed[at] += u64::from(life.live(series.toggled, kill));
        lives += 1;
    }
    assert!(
        series.after_runs || killed.iter().all(|times| *times > 0),
        "a point was never hit: {killed:?}"
    );
    // One that is told to end while it answers, and whose messages come on.
    let early = Life::begin(series.platform, lives, &platform, home.path(), None);
    written.extend(early.messages().iter().cloned());
    early.cut_short(|| written.extend(life::write(series.platform, lives + 1, &platform)));
    lives += 2;
    // Two, as a platform may notice only during the first that it has to deliver some messages again.
    for number in lives..lives + 2 {
        let last = Life::begin(series.platform, number, &platform, home.path(), None);
        written.extend(last.messages().iter().cloned());
        assert!(
            !last.live(series.toggled, None),
            "the last lives end by themselves"
        );
    }
    let log = platform.stop();
    let mut figures = evidence::compare(&home.path().join("journal.sqlite"), &log, &written);
    figures.kills = usize::try_from(killed.iter().sum::<u64>()).unwrap();
    assert!(figures.taken_up > 0, "no kill left a message waiting");
    println!(
        "{}{}: {} lives, {figures}",
        series.platform,
        match series {
            Series { toggled: true, .. } => format!(", switched off and on {} times", figures.toggles),
            Series { after_runs: true, .. } => ", killed after the end of a run".to_owned(),
            _ => String::new(),
        },
        lives + 1,
    );
    figures
}

/// How often a point is reached in a life, about: a kill may come at any of these times.
fn reach(point: CrashPoint) -> u64 {
    match point {
        CrashPoint::BeforeAppend | CrashPoint::AfterAppend => 60,
        _ => 10,
    }
}

fn configure(home: &TempDir, platform: Platform, at: &SimulatedPlatform) {
    let config = format!(
        "[queue]\nmode = \"followup\"\n[agent.script]\nfile = \"script.yaml\"\n[typing]\nenabled = false\n[store]\nfile = \"journal.sqlite\"\n\
         [channels.{platform}]\nkind = \"loopback\"\napi_root = \"tcp://{}\"\narmed = true\nallow_from = [\"*\"]\n",
        at.address()
    );
    write(home.path(), "foldback.toml", &config);
    write(home.path(), "script.yaml", SCRIPT);
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}
