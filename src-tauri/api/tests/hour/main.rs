//! An hour of traffic on all five real adapters at once, while their platforms do everything wrong that platforms do. In
//! the end the platforms' chats and the ledger agree. Time passes faster than on the wall.

#[path = "../real/fast.rs"]
mod fast;
mod ledger;
#[path = "../real/place.rs"]
mod place;
mod trouble;

use crate::{
    fast::Fast,
    ledger::Ledger,
    place::{CHATS, Place, TRIED},
};
use foldback_api::{Backend, Setup};
use foldback_channels::platform;
use foldback_pipeline::{
    SeededRng,
    invariants::{self, Extent},
};
use foldback_store::MemoryJournal;
use foldback_strict::Mishap;
use foldback_wire::{
    Actor, ChannelState, Clock as _, OpKind, OutcomeCode, Platform, Rng as _, Seq, Terminal, Timestamp,
    TurnId,
};
use std::{collections::BTreeMap, fs, path::Path, sync::Arc, time::Duration};

/// Messages on each channel.
const MESSAGES: usize = 4_000;
/// Words of a long answer: several messages of every platform.
const WORDS: usize = 900;

/// Chance, the same in every run.
struct Chance(SeededRng);

impl Chance {
    fn below(&self, end: usize) -> usize {
        usize::try_from(self.0.next() % end as u64).unwrap()
    }

    fn mishap(&self) -> Mishap {
        match self.below(20) {
            0..8 => Mishap::RateLimited(Duration::from_secs(1 + self.below(5) as u64)),
            8..15 => Mishap::Failed,
            15..17 => Mishap::Broken,
            17 => Mishap::FailedAfter,
            18 => Mishap::Lost,
            _ => Mishap::Late(Duration::from_millis(20)),
        }
    }
}

fn word(number: usize) -> String {
    format!("w{number:04}")
}

/// An answer repeats the message; some react, some send a file, some are long, some come bit by bit.
fn script() -> String {
    let long: Vec<_> = (0..WORDS).map(word).collect();
    format!(
        "- when: {{contains: long}}\n  agent: [\"Heard {{text}}: \", \"{}\"]\n\
         - when: {{contains: file}}\n  agent: ['<actions><send-file path=\"report.txt\"/></actions>Heard {{text}}']\n\
         - when: {{contains: react}}\n  agent: ['<actions><react emoji=\"eyes\"/></actions>Heard {{text}}']\n\
         - when: {{contains: slow}}\n  agent:\n    - Heard {{text}}\n    - {{text: ' and more', after_ms: 2000}}\n\
         - agent: ['Heard {{text}}']\n",
        long.join(" ")
    )
}

/// What is asked for with a message.
fn wish(number: usize) -> &'static str {
    match number {
        n if n.is_multiple_of(29) => " long",
        n if n.is_multiple_of(11) => " file",
        n if n.is_multiple_of(5) => " react",
        n if n.is_multiple_of(3) => " slow",
        _ => "",
    }
}

/// What is in a text by which it is known.
fn mark(number: usize) -> String {
    format!("m{number}e")
}

fn number_of(text: &str) -> Option<usize> {
    let (_, rest) = text.split_once('m')?;
    rest.split_once('e')?.0.parse().ok()
}

async fn start(places: &BTreeMap<Platform, Place>, folder: &Path, clock: Arc<Fast>) -> Backend {
    let tables: String = places.values().map(|place| place.config(folder)).collect();
    let path = folder.join("foldback.toml");
    // Everybody writes more than a person does, and what a front end refused is counted as doubt, never sent twice.
    let general = "[agent.script]\nfile = \"script.yaml\"\n[files]\nsend_dir = \"out\"\n\
                   [outbox]\ngateway_errors = \"unknown\"\n[queue]\nmode = \"followup\"\ncap = 100000\nper_sender = 0\n";
    fs::write(&path, format!("{general}{tables}")).unwrap();
    fs::write(folder.join("script.yaml"), script()).unwrap();
    fs::create_dir(folder.join("out")).unwrap();
    fs::write(folder.join("out/report.txt"), "42").unwrap();
    let mut setup = Setup::from_file(
        &path,
        folder.to_owned(),
        Path::new("fixtures").to_owned(),
        Actor::Cli,
    )
    .unwrap();
    setup.journal = Some(Arc::new(MemoryJournal::new()));
    setup.clock = clock;
    let backend = Backend::open(setup).await.unwrap();
    for (platform, place) in places {
        let channel = backend
            .engine()
            .channels()
            .channel(&platform.code().into())
            .unwrap();
        let mut status = channel.watch();
        status
            .wait_for(|status| status.state == ChannelState::Up)
            .await
            .unwrap();
        place.introduce().await;
    }
    backend
}

/// An hour of messages; with one in eight a call goes wrong, and now and then what they come in on.
async fn write(places: &BTreeMap<Platform, Place>, clock: &Fast) {
    let chance = Chance(SeededRng::new(7));
    let (begin, pause) = (
        clock.now(),
        Duration::from_hours(1) / u32::try_from(MESSAGES).unwrap(),
    );
    for number in 0..MESSAGES {
        for place in places.values() {
            place.write(number % CHATS, &format!("{}{}", mark(number), wish(number)));
            if chance.below(8) == 0 {
                let op = match wish(number) {
                    " react" => OpKind::React,
                    " slow" => OpKind::EditText,
                    _ => OpKind::SendText,
                };
                place.plan(op, chance.mishap());
            }
            if chance.below(250) == 0 {
                place.disturb(chance.below(3));
            }
        }
        let next = begin.plus(pause * u32::try_from(number + 1).unwrap());
        clock.sleep_until(next).await;
    }
}

/// Waits until nothing happens any more.
async fn calm(backend: &Backend) {
    let journal = backend.journal();
    let mut calm = 0;
    let mut head = journal.head();
    while calm < 40 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let now = journal.head();
        let idle = now == head && journal.outbox().await.unwrap().is_empty();
        calm = if idle { calm + 1 } else { 0 };
        head = now;
    }
}

/// Holds a platform's chats against the ledger. Gives how many texts are missing and how many are there twice.
fn balance(platform: Platform, place: &Place, ledger: &Ledger) -> (usize, usize) {
    let mine = |turn: &TurnId| ledger.received[turn].channel.as_str() == platform.code();
    let doubts = ledger.doubts();
    // The turn in which a message was taken, in the order of arrival.
    let mut taken: BTreeMap<usize, TurnId> = BTreeMap::new();
    for (turn, message) in ledger.received.iter().filter(|(turn, _)| mine(turn)) {
        if ledger.ended[turn] != Terminal::Duplicate {
            let number = number_of(&message.text).unwrap();
            assert_eq!(
                taken.insert(number, *turn),
                None,
                "{platform}: {number} is taken once"
            );
        }
    }
    assert_eq!(taken.len(), MESSAGES, "{platform}: each message is taken");
    let (mut missing, mut twice, mut words) = (0, 0, vec![0; WORDS]);
    for chat in 0..CHATS {
        let texts: Vec<String> = place
            .messages(chat)
            .into_iter()
            .filter(|said| !said.file)
            .map(|said| said.text)
            .collect();
        for word in texts.iter().flat_map(|text| text.split_whitespace()) {
            if let Some(number) = word
                .strip_prefix('w')
                .and_then(|number| number.parse::<usize>().ok())
            {
                words[number] += 1;
            }
        }
        let shown: Vec<Option<usize>> = texts
            .iter()
            .map(|text| number_of(text.strip_prefix("Heard ")?))
            .collect();
        let mut order: Vec<usize> = Vec::new();
        let mut numbers: Vec<usize> = (chat..MESSAGES).step_by(CHATS).collect();
        numbers.sort_by_key(|number| taken[number]);
        for number in numbers {
            let at: Vec<usize> = (0..shown.len()).filter(|at| shown[*at] == Some(number)).collect();
            let (unknown, failed) = doubts.get(&taken[&number]).copied().unwrap_or_default();
            assert!(
                !at.is_empty() || unknown + failed > 0,
                "{platform} {number}: lost without a word"
            );
            assert!(
                at.len() <= 1 + unknown,
                "{platform} {number}: doubled without a word"
            );
            missing += usize::from(at.is_empty());
            twice += usize::from(at.len() > 1);
            order.extend(at.first());
        }
        assert!(order.is_sorted(), "{platform}, chat {chat}: {order:?}");
    }
    let long = (0..MESSAGES).filter(|number| wish(*number) == " long");
    let (sure, unsure): (Vec<usize>, Vec<usize>) =
        long.partition(|number| doubts.get(&taken[number]).is_none_or(|doubts| *doubts == (0, 0)));
    for (number, times) in words.iter().enumerate() {
        let most = sure.len() + 2 * unsure.len();
        assert!(
            (sure.len()..=most).contains(times),
            "{platform}: {} is there {times} times",
            word(number)
        );
    }
    let sent = |op, code| ledger.count(op, code, |turn| mine(&turn));
    for (op, there) in [
        (OpKind::React, place.reactions()),
        (
            OpKind::SendFile,
            (0..CHATS)
                .flat_map(|chat| place.messages(chat))
                .filter(|said| said.file)
                .count(),
        ),
    ] {
        let least = sent(op, OutcomeCode::Sent);
        let most = least + sent(op, OutcomeCode::Unknown);
        assert!(
            (least..=most).contains(&there),
            "{platform}: {there} of {op}, {least} to {most} are told"
        );
    }
    (missing, twice)
}

#[test]
fn nothing_is_lost_or_doubled_and_the_order_is_kept() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let epoch = Timestamp(1_763_700_000_000);
        let clock = Arc::new(Fast::at(epoch));
        let folder = tempfile::tempdir().unwrap();
        let mut places = BTreeMap::new();
        for platform in TRIED {
            places.insert(platform, Place::open(platform).await);
        }
        let backend = start(&places, folder.path(), Arc::clone(&clock)).await;
        write(&places, &clock).await;
        calm(&backend).await;
        assert!(clock.now().since(epoch) >= Duration::from_hours(1));

        let events = backend.journal().read(Seq(1), usize::MAX >> 1).await.unwrap();
        let violations = invariants::check(&events, Extent::Ended);
        assert!(violations.is_empty(), "{violations:#?}");
        let ledger = Ledger::of(events);
        assert!(ledger.received.len() >= 20_000);
        assert_eq!(ledger.ended.len(), ledger.received.len(), "every turn has an end");
        assert_eq!(ledger.open(), 0, "every operation has an outcome");
        for (platform, place) in &places {
            let (missing, twice) = balance(*platform, place, &ledger);
            let broken = place.broken();
            // Slack's three seconds are a tenth of one here. Where a busy machine misses them it is told again.
            let is_late = broken.matches("says:").count() == 1 && broken.contains("within three seconds");
            assert!(
                broken == "[]" || (*platform == platform::SLACK && is_late),
                "{platform}: {broken}"
            );
            println!("{platform}: {missing} texts missing, {twice} twice, all of them told");
        }
        println!(
            "{} arrivals, {} operations, {} unknown, {} failed",
            ledger.received.len(),
            ledger.operations(),
            ledger.all(OutcomeCode::Unknown),
            ledger.all(OutcomeCode::Failed),
        );
        backend.shutdown().await.unwrap();
    });
}
