//! Many people who write at once, each once.

use super::{Conduct, Met, platform::LimitedPlatform};
use foldback_agents::{Act, ScriptAgent, ScriptStep};
use foldback_channels::{
    ChannelAdapter, Loopback, platform, profile,
    sim::{Author, Chat, Content},
};
use foldback_pipeline::{
    Agents, Engine, Parts, Readers, Rules, SeededRng, Speech, TokioClock,
    config::{self, Config},
    invariants::{self, Extent},
};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    ChannelId, ChatId, ChatType, Clock, Inbound, Kind, OutcomeCode, Platform, Sender, Seq, Terminal,
    Timestamp,
};
use std::{error::Error, path::Path, sync::Arc, time::Duration};

/// A crowd that was answered.
pub(crate) struct Crowd {
    /// The calls of the platform.
    pub(crate) met: Met,
    /// The times that the answer stands in each chat.
    pub(crate) answers: Vec<usize>,
    /// Operations with an unknown end.
    pub(crate) unknown: usize,
    /// Turns that ended as replied.
    pub(crate) replied: usize,
    /// From the first message to the end of the last turn.
    pub(crate) took: Duration,
}

/// The answer, in two pieces.
const ANSWER: [&str; 2] = ["An answer", " for you."];
/// The longest that a turn may take.
const DAY: Duration = Duration::from_hours(24);
/// 2026-01-01T00:00:00Z.
const EPOCH: Timestamp = Timestamp(1_767_225_600_000);

/// So many people write at once. Wants a runtime whose time is paused.
pub(crate) async fn crowd(
    platform: Platform,
    people: usize,
    conduct: Conduct,
) -> Result<Crowd, Box<dyn Error + Send + Sync>> {
    let clock = Arc::new(TokioClock::at(EPOCH));
    let loopback = Arc::new(Loopback::new(
        profile(platform),
        Arc::clone(&clock) as Arc<dyn Clock>,
        None,
    ));
    let limited = Arc::new(LimitedPlatform::new(
        Arc::clone(&loopback),
        Arc::clone(&clock) as Arc<dyn Clock>,
        Arc::new(SeededRng::new(7)),
        conduct,
    ));
    let agent = Arc::new(ScriptAgent::new(Arc::clone(&clock) as Arc<dyn Clock>));
    for _ in 0..people {
        let [first, second] = ANSWER;
        let later = ScriptStep {
            after_ms: 2_000,
            act: Act::Text(second.to_owned()),
        };
        agent.queue(None, vec![ScriptStep::text(first), later]);
    }
    let journal = Arc::new(MemoryJournal::new());
    let id = ChannelId::new(platform.code());
    let folder = tempfile::tempdir()?;
    let config = configuration(platform)?;
    let engine = Engine::start(Parts {
        redaction: config.redaction(folder.path()),
        config: Arc::new(config),
        base: folder.path().to_owned(),
        send_dir: None,
        journal: Arc::clone(&journal) as Arc<dyn Journal>,
        channels: vec![(id.clone(), Arc::clone(&limited) as Arc<dyn ChannelAdapter>)],
        agents: Agents::one(agent),
        speech: Speech::default(),
        actions: Arc::default(),
        readers: Readers::default(),
        clock: Arc::clone(&clock) as Arc<dyn Clock>,
        rng: Arc::new(SeededRng::new(1)),
        rules: Rules::all(),
        grammar_off: Vec::new(),
    })
    .await?;
    let channel = engine.channels().channel(&id).ok_or("no channel")?;
    channel.watch().wait_for(|status| status.open().is_ok()).await?;
    let began = clock.now();
    let mut turns = Vec::new();
    for person in 0..people {
        turns.push(
            engine
                .submit(message(platform, person, &loopback, &clock))
                .await?,
        );
    }
    let mut replied = 0;
    for turn in turns {
        // What a person is asked about would be waited for without an end.
        let ended = tokio::time::timeout(DAY, turn.ended()).await;
        let terminal = ended.ok().flatten().ok_or("a turn stays open")?;
        replied += usize::from(terminal == Terminal::Replied);
    }
    let took = clock.now().since(began);
    let whole = ANSWER.concat();
    let answers = (0..people)
        .map(|person| {
            let platform_now = loopback.platform();
            let chat = platform_now.chat(&chat_of(platform, person));
            let messages = chat.into_iter().flat_map(Chat::messages);
            let is_answer = |content: &Content| matches!(content, Content::Text(text) if *text == whole);
            messages
                .filter(|message| message.author == Author::Bot && message.deleted.is_none())
                .filter(|message| is_answer(&message.content))
                .count()
        })
        .collect();
    let events = journal.read(Seq(1), usize::MAX >> 1).await?;
    assert_eq!(invariants::check(&events, Extent::Ended), []);
    let is_unknown =
        |kind: &Kind| matches!(kind, Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::Unknown);
    Ok(Crowd {
        met: limited.met(),
        answers,
        unknown: events.iter().filter(|event| is_unknown(&event.kind)).count(),
        replied,
        took,
    })
}

/// The chat that a person writes in, as the platform names it.
fn chat_of(platform: Platform, person: usize) -> ChatId {
    ChatId::new(match platform {
        platform::SLACK => format!("D{person:05}"),
        platform::WHATSAPP => format!("4915100{person:05}"),
        _ => format!("{}", 100_000 + person),
    })
}

fn message(platform: Platform, person: usize, loopback: &Loopback, clock: &TokioClock) -> Inbound {
    let chat = chat_of(platform, person);
    let id = loopback.mint(&chat);
    loopback.platform().receive(Inbound {
        channel: platform.code().into(),
        account: None,
        chat_type: ChatType::Direct,
        thread: None,
        message: id,
        reply_to: None,
        sender: Sender {
            id: chat.as_str().into(),
            name: chat.as_str().to_owned(),
            display_name: format!("Person {person}"),
            is_bot: false,
        },
        text: "hi".to_owned(),
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at: clock.now(),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
        chat,
    })
}

fn configuration(platform: Platform) -> Result<Config, Box<dyn Error + Send + Sync>> {
    let name = platform.code();
    // Reddit takes a thousand calls in ten minutes, X a hundred posts in a quarter of an hour, and a person's account writes once
    // a second: what has to wait there waits longer than the ten minutes after which a person would be asked, and more so where
    // every tenth call is to be repeated.
    let age = match platform {
        platform::REDDIT | platform::TELEGRAM_USER => "2h",
        platform::X => "8h",
        _ => "10m",
    };
    let text = format!(
        "[outbox]\nmax_age = \"{age}\"\n[channels.{name}]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n"
    );
    Ok(config::parse(&text, Path::new("crowd.toml"))?)
}
