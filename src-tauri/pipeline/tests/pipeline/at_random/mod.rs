//! Messages at random: every mode of the queue, every kind of sender, messages in pieces, directives, commands, stop words,
//! schedules, agents and platforms that fail, all at once and in virtual time. In the end everything is accounted for.
//!
//! Each round is a bot of its own with settings of its own; conversations are of one person, of a chat or of everybody, by
//! turns.

mod accounts;
mod agent;
mod marks;
mod people;
mod platforms;

pub(crate) use accounts::Accounts;

use agent::ErraticAgent;
use foldback_channels::{ChannelAdapter, Loopback, platform, profile};
use foldback_pipeline::{
    Agents, Engine, Parts, Readers, Rules, SeededRng, Speech, TokioClock,
    config::{self, Config},
};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{Actor, ChannelId, Clock, Platform, Rng as _, Timestamp};
use people::People;
use std::{collections::BTreeMap, fmt::Write as _, path::Path, sync::Arc, time::Duration};

/// 2026-01-01T00:00:00Z.
const EPOCH: Timestamp = Timestamp(1_767_225_600_000);
/// Messages of a round.
const MESSAGES: usize = 2_000;
/// What a bot says by the clock: in a chat of its own, and where people write, too.
const SCHEDULES: [(&str, &str, &str); 2] = [("news", "telegram", "c3"), ("heartbeat", "signal", "c0")];
/// Most messages of a group that the next turn there is given.
const GROUP_HISTORY: usize = 5;
/// Longer than anything here waits: retries, outages and the last answers.
const THE_LAST: Duration = Duration::from_mins(30);

/// Chance, the same in every run.
#[derive(Clone)]
struct Chance(Arc<SeededRng>);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(Arc::new(SeededRng::new(seed)))
    }

    fn below(&self, end: usize) -> usize {
        usize::try_from(self.0.next() % end as u64).unwrap_or_default()
    }

    fn percent(&self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn one_of<T: Copy>(&self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn ms(&self, least: u64, most: u64) -> Duration {
        Duration::from_millis(least + self.0.next() % (most - least))
    }
}

/// A bot, its platforms and what happened.
struct Round {
    engine: Engine,
    journal: Arc<MemoryJournal>,
    loopbacks: BTreeMap<Platform, Arc<Loopback>>,
    clock: TokioClock,
    chance: Chance,
    _folder: tempfile::TempDir,
}

impl Round {
    async fn start(number: u64) -> Self {
        let chance = Chance::new(number);
        let clock = TokioClock::at(EPOCH);
        let folder = tempfile::tempdir().expect("a folder");
        let loopback = |platform: &Platform| {
            let can = profile(*platform);
            (*platform, Arc::new(Loopback::new(can, Arc::new(clock), None)))
        };
        let loopbacks: BTreeMap<_, _> = platform::ALL.iter().map(loopback).collect();
        let journal = Arc::new(MemoryJournal::new());
        let named = |(platform, loopback): (&Platform, &Arc<Loopback>)| {
            let adapter = Arc::clone(loopback) as Arc<dyn ChannelAdapter>;
            (ChannelId::new(platform.code()), adapter)
        };
        let config = configuration(number, &chance);
        let engine = Engine::start(Parts {
            redaction: config.redaction(folder.path()),
            config: Arc::new(config),
            base: folder.path().to_owned(),
            send_dir: None,
            journal: Arc::clone(&journal) as Arc<dyn Journal>,
            channels: loopbacks.iter().map(named).collect(),
            agents: Agents::one(Arc::new(ErraticAgent::new(chance.clone()))),
            speech: Speech::default(),
            actions: Arc::default(),
            readers: Readers::default(),
            clock: Arc::new(clock) as Arc<dyn Clock>,
            rng: Arc::new(SeededRng::new(number)),
            rules: Rules::all(),
            grammar_off: Vec::new(),
        });
        Self {
            engine: engine.await.expect("a bot"),
            journal,
            loopbacks,
            clock,
            chance,
            _folder: folder,
        }
    }
}

/// Modes by channel, so that each round has all of them, and bounds that are met often.
fn configuration(number: u64, chance: &Chance) -> Config {
    const MODES: [&str; 6] = [
        "steer",
        "followup",
        "collect",
        "interrupt",
        "steer-backlog",
        "queue",
    ];
    let mut text = String::from("[agent]\nmax_runs = 40\n[commands]\nowner_allow_from = [\"owner\"]\n");
    if chance.percent(50) {
        text.push_str("allow_from = { telegram = [\"owner\", \"friend\"], \"*\" = [\"*\"] }\n");
    }
    let scope = ["per-sender", "per-chat", "global"][usize::try_from(number % 3).unwrap_or_default()];
    let _ = write!(
        text,
        "[commands.custom.standup]\nprompt = \"{{{{sender}}}} stands up: {{{{args}}}}\"\n\
         [commands.custom.tired]\nprompt = \"Tell me to rest.\"\n[session]\nscope = \"{scope}\"\n\
         [session.reset]\nidle = \"5m\"\n",
    );
    for (name, channel, chat) in SCHEDULES {
        let heartbeat = name == "heartbeat";
        let _ = write!(
            text,
            "[[schedule]]\nname = \"{name}\"\nevery = \"1m\"\nchannel = \"{channel}\"\nchat = \"{chat}\"\n\
             heartbeat = {heartbeat}\nprompt = \"What is new? {}\"\n",
            // As no message of the round is numbered.
            marks::mark(&format!("{channel}.{chat}"), usize::MAX),
        );
    }
    let shift = chance.below(MODES.len());
    for (at, platform) in platform::ALL.iter().enumerate() {
        let mode = MODES[(at + shift) % MODES.len()];
        let (cap, drop) = (1 + chance.below(4), chance.one_of(&["old", "new", "summarize"]));
        let debounce = chance.one_of(&["0s", "700ms", "3s"]);
        let (pieces, history) = (
            chance.one_of(&["0s", "400ms", "2s"]),
            chance.one_of(&[0, GROUP_HISTORY]),
        );
        let mention = chance.percent(50);
        let name = platform.code();
        let _ = write!(
            text,
            "[channels.{name}]\nkind = \"loopback\"\narmed = true\nallow_from = [\"owner\", \"friend\", \"robot\"]\n\
             dm_policy = \"allowlist\"\nrequire_mention = {mention}\nallow_bots = true\nbot_turns = 3\n\
             debounce = \"{pieces}\"\ngroup_history = {history}\n\
             [channels.{name}.queue]\nmode = \"{mode}\"\ncap = {cap}\ndrop = \"{drop}\"\ndebounce = \"{debounce}\"\n",
        );
    }
    config::parse(&text, Path::new("random.toml")).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// One round of so many messages, held against the journal and the platforms. Wants a runtime whose time is paused.
pub(crate) async fn round(number: u64, messages: usize) -> Accounts {
    let round = Round::start(number).await;
    // Channels connect while nothing else happens.
    tokio::time::sleep(Duration::from_millis(1)).await;
    platforms::plan_faults(&round.loopbacks, &round.chance, messages);
    let mut people = People::new(&round);
    let mut most = 0;
    for _ in 0..messages {
        people.write();
        tokio::time::sleep(round.chance.ms(0, 400)).await;
        most = most.max(round.engine.footprint().conversations);
    }
    people.repeat_the_rest();
    for (name, ..) in SCHEDULES {
        let paused = round.engine.pause_schedule(name, true, Actor::Console);
        assert!(paused.expect("a journal"), "round {number}: {name}");
    }
    tokio::time::sleep(THE_LAST).await;
    let arrivals = people.arrivals;
    let idle = round.engine.footprint();
    assert_eq!(
        (idle.conversations, idle.runs, idle.queues),
        (0, 0, 0),
        "round {number}: {idle:?}"
    );
    assert!(
        idle.tasks <= 8 && idle.messages <= 5_000,
        "round {number}: {idle:?}"
    );
    assert!(
        most <= people::PLACES * people::SENDERS + SCHEDULES.len(),
        "round {number}: {most} conversations at once"
    );
    accounts::accounts(&round, number, arrivals).await
}

/// `FOLDBACK_MESSAGES` says how many, about; `make at-random` wants 100,000. `FOLDBACK_SEED` is the number of the first
/// round.
#[tokio::test(start_paused = true)]
async fn whatever_comes_is_accounted_for() {
    let messages =
        std::env::var("FOLDBACK_MESSAGES").map_or(3 * MESSAGES, |set| set.parse().expect("a number"));
    let first = std::env::var("FOLDBACK_SEED").map_or(0, |set| set.parse().expect("a number"));
    let mut all = Accounts::default();
    for number in 0..messages.div_ceil(MESSAGES) {
        all.add(round(first + number as u64, MESSAGES).await);
    }
    println!("{} messages: {:#?}", all.messages, all.seen);
    assert_eq!(all.missing(), [""; 0]);
}
