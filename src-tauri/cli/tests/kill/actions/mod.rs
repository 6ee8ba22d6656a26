//! Kills `foldback serve` one hundred times between an action, its result, the delivery turn and the message to the person:
//! most at a seeded point of the program, some from outside in the middle of a command. The commands are real: each writes its
//! own word into a file as it begins.
//!
//! ```text
//!   life 17   owner0 writes "m34", owner1 "two-35": the agent asks for one command, and for two
//!    40 ms    `action_started` of `./count m34` is durable, and the command begins: `m34` stands in the file
//!    70 ms    killed at `action.after`: the command has ended, and nothing of that is written
//!   life 18   delivers to the agent that nobody knows whether it ran; owner0 reads the agent's wording, as the one answer
//! ```
//!
//! A second series has a model that calls: its run goes on while the command does, and its result belongs to that run. Only
//! what a kill left in doubt leads to a delivery there.
//!
//! Afterwards the journal is held against that file and against what the platform shows ([`evidence`]): no command ran twice
//! or without being begun, and every message has one answer, or an operation of its turns is shown as unknown.

mod evidence;
mod life;
mod model;

use crate::{setting, simulated_platform::SimulatedPlatform, write};
use foldback_channels::platform;
use foldback_pipeline::{CrashPoint, SeededRng};
use foldback_wire::{Platform, Rng as _};
use life::{Kill, live};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    time::Duration,
};

/// It cannot recognise a repeated call by its key: what was in flight at a kill is unknown.
const PLATFORM: Platform = platform::TELEGRAM;
const OWNERS: u64 = 2;

/// The agent has commands run, and words what it is told of them.
const SCRIPT: &str = r#"
- when: {matches: "^\\[(result|error) of "}
  agent:
    - {text: "It is", after_ms: 10}
    - {text: " done.", after_ms: 20}
- when: {matches: "^two-"}
  agent:
    - '{"actions": [{"type": "bash", "payload": {"command": "./count {text}-a"}},
        {"type": "bash", "payload": {"command": "./count {text}-b"}}]}'
- agent:
    - '{"actions": [{"type": "bash", "payload": {"command": "./count {text}"}}]}'
"#;

/// The answer of the agent to a result.
const ANSWER: &str = "It is done.";

/// The command: it writes its word as it begins, then takes its time.
const COUNT: &str = "#!/bin/sh\necho \"$1\" >> runs\nsleep 0.04\necho \"counted $1\"\n";

/// Longest time of that command, with the beginning of its shell: a kill from outside falls into it.
const COMMAND_MS: u64 = 70;

/// Of every so many lives one is killed from outside, while a command runs.
const FROM_OUTSIDE: u64 = 6;

/// The way in which the agent asks for commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asking {
    /// By JSON in the text of its answer.
    InText,
    /// By tool calls, within its run.
    ByCalls,
}

#[test]
fn no_command_runs_twice_and_every_message_has_one_answer() {
    torment(Asking::InText);
}

#[test]
fn no_command_that_is_called_runs_twice_and_every_message_has_one_answer() {
    torment(Asking::ByCalls);
}

fn torment(asking: Asking) {
    let kills = setting("KILLS", 210) * 100 / 210;
    let rng = SeededRng::new(setting("SEED", 1) ^ 0x6163_7473 ^ asking as u64);
    let home = tempfile::tempdir().unwrap();
    let platform = SimulatedPlatform::start(PLATFORM, &home.path().join("platform.jsonl"));
    configure(home.path(), &platform, asking);
    let points: Vec<_> = [CrashPoint::OF_ACTIONS, CrashPoint::OF_OPERATIONS].concat();
    let mut killed: BTreeMap<&str, u64> = BTreeMap::new();
    let mut written = BTreeSet::new();
    let mut lives = 0;
    while killed.values().sum::<u64>() < kills {
        assert!(
            lives < 2 * kills + 20,
            "{killed:?} of {lives} lives were cut short"
        );
        let (name, kill) = if lives % FROM_OUTSIDE == 0 {
            let by = Duration::from_millis(rng.next() % COMMAND_MS);
            let nth = 1 + rng.next() % 6;
            ("in a command", Kill::InCommand { nth, by })
        } else {
            let at = usize::try_from(lives - lives / FROM_OUTSIDE).unwrap() % points.len();
            let point = points[at];
            let nth = 1 + rng.next() % reach(point, asking);
            (point.code(), Kill::At(format!("{}:{nth}", point.code())))
        };
        let messages = write_all(lives, &platform);
        written.extend(messages.iter().cloned());
        let was_killed = live(home.path(), messages, &kill);
        *killed.entry(name).or_default() += u64::from(was_killed);
        lives += 1;
    }
    // Two, as a platform may notice only during the first that it has to deliver some messages again.
    for _ in 0..2 {
        let messages = write_all(lives, &platform);
        written.extend(messages.iter().cloned());
        assert!(
            !live(home.path(), messages, &Kill::Never),
            "the last lives end by themselves"
        );
        lives += 1;
    }
    let log = platform.stop();
    let runs = fs::read_to_string(home.path().join("work/runs")).unwrap_or_default();
    let figures = evidence::compare(&home.path().join("journal.sqlite"), &log, &runs, &written, asking);
    println!("actions, {asking:?}: {killed:?}; {lives} lives, {figures}");
    // A few kills do not meet everything.
    if kills >= 100 {
        let missed: Vec<_> = killed.iter().filter(|(_, times)| **times == 0).collect();
        assert!(
            missed.is_empty() && killed.len() == points.len() + 1,
            "a point was never hit: {killed:?}"
        );
        assert_eq!(figures.missing(asking), [""; 0], "{figures}");
    }
}

/// The times that a point is reached in a life, about: as many messages are answered in a life as are written.
const fn reach(point: CrashPoint, asking: Asking) -> u64 {
    match point {
        // Only what an earlier life left in doubt.
        CrashPoint::BeforeAccept | CrashPoint::AfterAccept if matches!(asking, Asking::ByCalls) => 1,
        CrashPoint::BeforeAppend | CrashPoint::AfterAppend => 200,
        CrashPoint::BeforeRun | CrashPoint::AfterRun => 8,
        CrashPoint::BeforeAction | CrashPoint::ActionBegun | CrashPoint::AfterAction => 6,
        _ => 4,
    }
}

/// Every owner writes, in turn what leads to one command and what leads to two. Answers the ids of the messages, which are
/// their texts, too.
fn write_all(life: u64, at: &SimulatedPlatform) -> BTreeSet<String> {
    let ids = (0..OWNERS).map(|owner| {
        let number = life * OWNERS + owner;
        let is_one = (life + owner).is_multiple_of(2);
        let word = if is_one { "m" } else { "two-" };
        let id = format!("{word}{number}");
        at.write(life::message(PLATFORM, owner, &id));
        id
    });
    ids.collect()
}

fn configure(home: &Path, at: &SimulatedPlatform, asking: Asking) {
    let agent = match asking {
        Asking::InText => "[agent.script]\nfile = \"script.yaml\"".to_owned(),
        Asking::ByCalls => format!(
            "[agent]\nbackend = \"openai\"\n[agent.openai]\nbase_url = \"http://{}/v1\"\nmodel = \"test\"",
            model::start()
        ),
    };
    let owners: Vec<_> = (0..OWNERS).map(|owner| format!("\"owner{owner}\"")).collect();
    let config = format!(
        "[queue]\nmode = \"followup\"\ncap = 100\n{agent}\n[typing]\nenabled = false\n[store]\nfile = \"journal.sqlite\"\n\
         [output]\ndialects = [\"json\"]\n[commands]\nowner_allow_from = [{owners}]\n\
         [deliveries]\nper_requester = 10000\ntotal = 10000\n\
         [actions.bash]\nenabled = true\nfolder = \"work\"\nallow = ['\\./count [a-z0-9-]+']\n\
         [channels.{PLATFORM}]\nkind = \"loopback\"\napi_root = \"tcp://{}\"\narmed = true\nallow_from = [\"*\"]\n",
        at.address(),
        owners = owners.join(", "),
    );
    write(home, "foldback.toml", &config);
    write(home, "script.yaml", SCRIPT);
    let folder = home.join("work");
    fs::create_dir(&folder).unwrap();
    write(&folder, "count", COUNT);
    fs::set_permissions(folder.join("count"), fs::Permissions::from_mode(0o755)).unwrap();
}
