//! Kills `foldback serve` two hundred times while people write to six channels: each has a mode of the queue, other bounds
//! and a platform in a process of its own, and everything changes places from life to life. Half of the kills come at a
//! seeded point of the program, half from outside at any moment; now and then a bot is told to end instead. Platforms and
//! agents fail in between.
//!
//! ```text
//!   life 17   telegram collect, discord interrupt, slack steer-backlog, ...
//!     before  three messages are written; the platforms keep them
//!     0 ms    the bot starts on the journal of life 16: what waited there is taken up
//!    90 ms    more messages, a command, a stop word, one after the other
//!   430 ms    killed; what waits, what runs and what is being delivered is left to life 18
//! ```
//!
//! Afterwards the journal is held against what the six platforms show ([`evidence`]).

mod bot;
mod evidence;
#[path = "../../../../pipeline/tests/pipeline/at_random/marks.rs"]
mod marks;
mod people;

use crate::{setting, simulated_platform::SimulatedPlatform, write};
use bot::BotLife;
use evidence::Evidence;
use foldback_channels::platform;
use foldback_pipeline::{CrashPoint, SeededRng};
use foldback_wire::{CallFailure, CallFault, OpKind, Platform, Rng as _};
use people::People;
use std::{fmt::Write as _, path::Path, time::Duration};

/// The channels, by name, and whose rules each follows.
const CHANNELS: [(&str, Platform); 6] = [
    ("telegram", platform::TELEGRAM),
    ("discord", platform::DISCORD),
    ("slack", platform::SLACK),
    ("whatsapp", platform::WHATSAPP),
    ("signal", platform::SIGNAL),
    ("second", platform::WHATSAPP),
];

const MODES: [&str; CHANNELS.len()] = [
    "steer",
    "followup",
    "collect",
    "interrupt",
    "steer-backlog",
    "queue",
];

/// Answers that take their time, so that messages come while they are written. `{text}` is that of the message.
const SCRIPT: &str = r#"
- when: {contains: "frail"}
  agent:
    - {text: "answer to {text}", after_ms: 20}
    - {error: "it broke"}
- when: {contains: "quiet"}
  agent:
    - {text: "<no-reply/>", after_ms: 40}
- when: {contains: "signed"}
  agent:
    - "<actions><react emoji=\"eyes\"/></actions>answer to {text}"
    - {text: ", signed.", after_ms: 30}
- agent:
    - {text: "answer to {text}", after_ms: 20}
    - {text: " and", after_ms: 120}
    - {text: " more.", after_ms: 60}
"#;

/// What platforms do wrong.
const FAULTS: [(OpKind, CallFailure); 7] = [
    (OpKind::SendText, CallFailure::Transient),
    (OpKind::SendText, CallFailure::RateLimited),
    (OpKind::SendText, CallFailure::Forbidden),
    (OpKind::SendText, CallFailure::LostAck),
    (OpKind::EditText, CallFailure::Transient),
    (OpKind::EditText, CallFailure::RateLimited),
    (OpKind::React, CallFailure::Forbidden),
];

/// Of every so many lives one is told to end instead of being killed.
const IN_ORDER: u64 = 16;

/// Chance, the same in every run.
struct Chance(SeededRng);

impl Chance {
    fn below(&self, end: u64) -> u64 {
        self.0.next() % end
    }

    fn percent(&self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn one_of<T: Copy>(&self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap_or_default()]
    }

    fn ms(&self, least: u64, most: u64) -> Duration {
        Duration::from_millis(least + self.below(most - least))
    }
}

#[test]
fn in_all_modes_nothing_is_lost_doubled_or_answered_elsewhere() {
    let kills = setting("KILLS", 210) * 96 / 100;
    let chance = Chance(SeededRng::new(setting("SEED", 1) ^ 0x6d6f_6465));
    let mut home = tempfile::tempdir().unwrap();
    // A test that fails leaves its evidence, as the same seed does not meet the same moments again.
    home.disable_cleanup(true);
    println!("all modes: journal and logs are in {}", home.path().display());
    let platforms: Vec<_> = CHANNELS
        .iter()
        .map(|(channel, platform)| {
            SimulatedPlatform::start(*platform, &home.path().join(format!("{channel}.jsonl")))
        })
        .collect();
    write(home.path(), "script.yaml", SCRIPT);
    let mut people = People::new(&chance, &platforms);
    let (mut killed, mut lives) = (0, 0);
    while killed < kills {
        assert!(lives < 2 * kills + 20, "{killed} of {lives} lives were cut short");
        configure(home.path(), &chance, lives, &platforms);
        plan_faults(&chance, &platforms);
        for _ in 0..chance.below(9) {
            people.write();
        }
        killed += u64::from(live(home.path(), &chance, lives, &mut people));
        lives += 1;
    }
    // Two, as a platform may notice only during the first that it has to deliver some messages again.
    for _ in 0..2 {
        configure(home.path(), &chance, lives, &platforms);
        let last = people.write_everywhere();
        BotLife::begin(home.path(), None).live_on(last);
        lives += 1;
    }
    let written = people.into_messages();
    let logs: Vec<_> = platforms.into_iter().map(SimulatedPlatform::stop).collect();
    let evidence = Evidence::read(&home.path().join("journal.sqlite"), &logs);
    let figures = evidence.account(&written);
    println!("all modes: {killed} kills, {lives} lives, {figures}");
    // A few kills do not meet everything.
    if kills >= 100 {
        assert_eq!(figures.missing(), [""; 0], "{figures}");
    }
    home.disable_cleanup(false);
}

/// One life, in which people write until its end. True where it was killed.
fn live(home: &Path, chance: &Chance, number: u64, people: &mut People<'_>) -> bool {
    let crash = chance.percent(50).then(|| {
        let point = chance.one_of(CrashPoint::OF_OPERATIONS);
        let reach = match point {
            CrashPoint::BeforeAppend | CrashPoint::AfterAppend => 250,
            _ => 25,
        };
        format!("{}:{}", point.code(), 1 + chance.below(reach))
    });
    let ends_in_order = number % IN_ORDER == IN_ORDER - 1;
    let mut bot = BotLife::begin(home, crash.filter(|_| !ends_in_order).as_deref());
    if !bot.starts() {
        return bot.end();
    }
    let mut left = chance.ms(60, 900);
    loop {
        let pause = chance.ms(5, 70).min(left);
        left -= pause;
        if !bot.goes_on_for(pause) {
            return bot.end();
        }
        if left.is_zero() {
            break;
        }
        people.write();
    }
    if ends_in_order {
        bot.terminate();
    } else {
        bot.kill();
    }
    bot.end()
}

/// Faults of the platforms, which they keep until a call meets them.
fn plan_faults(chance: &Chance, platforms: &[SimulatedPlatform]) {
    for platform in platforms {
        if chance.percent(8) {
            let (op, fail) = chance.one_of(&FAULTS);
            platform.plan(CallFault {
                op,
                nth: 1,
                times: 1,
                fail: Some(fail),
                retry_after_ms: Some(50),
                latency_ms: 0,
            });
        }
    }
}

/// Modes by channel, so that each life has all of them, and bounds that are met often.
fn configure(home: &Path, chance: &Chance, life: u64, platforms: &[SimulatedPlatform]) {
    let mut text = String::from(
        "[agent]\nmax_runs = 8\n[agent.script]\nfile = \"script.yaml\"\n[commands]\nowner_allow_from = [\"owner\"]\n\
         [typing]\nenabled = false\n[store]\nfile = \"journal.sqlite\"\n[outbox]\nbackoff = \"20ms\"\n",
    );
    let shift = usize::try_from(life).unwrap_or_default();
    for (at, ((name, platform), there)) in CHANNELS.iter().zip(platforms).enumerate() {
        let mode = MODES[(at + shift) % MODES.len()];
        let cap = 1 + chance.below(3);
        let drop = chance.one_of(&["old", "new", "summarize"]);
        let quiet = chance.one_of(&["0ms", "80ms", "250ms"]);
        let debounce = chance.one_of(&["0ms", "0ms", "120ms"]);
        let _ = write!(
            text,
            "[channels.{name}]\nkind = \"loopback\"\nplatform = \"{platform}\"\napi_root = \"tcp://{address}\"\narmed = true\n\
             allow_from = [\"owner\", \"friend\", \"robot\"]\ndm_policy = \"allowlist\"\nrequire_mention = true\n\
             allow_bots = true\ngroup_history = 5\ndebounce = \"{debounce}\"\n\
             [channels.{name}.queue]\nmode = \"{mode}\"\ncap = {cap}\ndrop = \"{drop}\"\ndebounce = \"{quiet}\"\n",
            address = there.address(),
        );
    }
    write(home, "foldback.toml", &text);
}
