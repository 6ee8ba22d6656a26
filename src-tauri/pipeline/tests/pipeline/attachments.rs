//! Files that came with a message: what of them reaches the agent, and what is said of the rest.

use crate::bot::{Bot, EPOCH, World, text};
use async_trait::async_trait;
use foldback_agents::{Accepts, Agent, PictureLimits, ScriptAgent, StepSink, TurnRequest};
use foldback_channels::{platform, sim::SimFile};
use foldback_pipeline::{Rules, TokioClock};
use foldback_wire::{Attachment, FileFate, Inbound, Kind, OpKind, StopReason, Terminal};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n....";

/// An agent that remembers what it was asked.
pub(crate) struct Curious {
    accepts: Accepts,
    pub(crate) asked: Mutex<Vec<TurnRequest>>,
    agent: Arc<ScriptAgent>,
}

impl Curious {
    /// One that stands before this agent.
    pub(crate) fn before(agent: &Arc<ScriptAgent>, accepts: Accepts) -> Arc<Self> {
        Arc::new(Self {
            accepts,
            asked: Mutex::default(),
            agent: Arc::clone(agent),
        })
    }
}

#[async_trait]
impl Agent for Curious {
    fn backend(&self) -> &str {
        self.agent.backend()
    }

    fn model(&self) -> Option<&str> {
        None
    }

    fn accepts(&self) -> Accepts {
        self.accepts
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        self.asked.lock().unwrap().push(request.clone());
        self.agent.run(request, sink, cancel).await;
    }
}

async fn curious(accepts: Accepts, config: &str) -> (Bot, Arc<Curious>) {
    curious_in(World::new(), accepts, config).await
}

/// A bot in a world, whose agent takes this and remembers what it was asked.
pub(crate) async fn curious_in(world: World, accepts: Accepts, config: &str) -> (Bot, Arc<Curious>) {
    let agent = Arc::new(ScriptAgent::new(Arc::new(TokioClock::at(EPOCH))));
    let curious = Curious::before(&agent, accepts);
    let bot = Bot::behind(world, config, Rules::all(), agent, curious.clone()).await;
    (bot, curious)
}

pub(crate) const ALL: Accepts = Accepts {
    images: true,
    files: true,
    pictures: PictureLimits::NONE,
};

/// A message with this file, which the platform keeps.
pub(crate) fn with_file(bot: &Bot, name: &str, media_type: &str, file: impl Into<SimFile>) -> Inbound {
    let source = bot.loopbacks[&platform::SIGNAL].platform().keep(file);
    let mut message = bot.message(platform::SIGNAL, "look");
    message.files = vec![Attachment {
        name: name.into(),
        media_type: media_type.into(),
        size: None,
        source: Some(source),
    }];
    message
}

/// What became of each file: its fate, its size, and why.
pub(crate) async fn fates(bot: &Bot) -> Vec<(FileFate, Option<u64>, String)> {
    let kinds = bot.kinds().await.into_iter();
    kinds
        .filter_map(|kind| match kind {
            Kind::Gathered { fate, bytes, why, .. } => Some((fate, bytes, why)),
            _ => None,
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn what_the_agent_takes_it_is_given_without_the_handle() {
    let (bot, agent) = curious(ALL, "").await;
    bot.says([text("seen")]);
    let message = with_file(&bot, "dot.png", "image/png", PNG.to_vec());
    let turn = bot.engine.submit(message).await.unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    let asked = agent.asked.lock().unwrap().remove(0);
    assert_eq!(asked.files.len(), 1);
    let file = &asked.files[0];
    assert_eq!(
        (file.name.as_str(), file.media_type.as_str(), &*file.bytes),
        ("dot.png", "image/png", PNG)
    );
    assert_eq!(asked.message.files[0].source, None);
    assert!(!asked.prompt.contains("file-1"), "{}", asked.prompt);
    assert_eq!(
        fates(&bot).await,
        [(FileFate::Given, Some(PNG.len() as u64), String::new())]
    );
    bot.check().await;
}

/// Told or not told, a picture the agent cannot take is never called given.
#[tokio::test(start_paused = true)]
async fn pictures_beyond_what_the_agent_takes_are_not_given() {
    let accepts = Accepts {
        pictures: PictureLimits {
            bytes: PNG.len() as u64,
            number: 1,
        },
        ..ALL
    };
    let (bot, agent) = curious(accepts, "").await;
    bot.says([text("seen")]);
    let larger = [PNG, b"."].concat();
    let mut message = with_file(&bot, "large.png", "image/png", larger.clone());
    for (name, media_type, size, bytes) in [
        ("told.png", "image/png", Some(larger.len() as u64), larger.clone()),
        ("fits.png", "image/png", None, PNG.to_vec()),
        ("one-more.png", "image/png", None, PNG.to_vec()),
        ("one-more.bin", "application/octet-stream", None, PNG.to_vec()),
        ("long.txt", "text/plain", None, b"no picture, and longer".to_vec()),
    ] {
        let mut file = with_file(&bot, name, media_type, bytes).files.remove(0);
        file.size = size;
        message.files.push(file);
    }
    message.files.rotate_left(1);
    let turn = bot.engine.submit(message).await.unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    let asked = agent.asked.lock().unwrap().remove(0);
    let given: Vec<&str> = asked.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(given, ["fits.png", "long.txt"]);
    let fates = fates(&bot).await;
    let of = |index: usize| (fates[index].0, fates[index].2.as_str());
    let too_large = "it has 13 bytes, and the agent takes pictures up to 12 bytes";
    let too_many = "the agent takes at most 1 pictures of a message";
    assert_eq!(of(0), (FileFate::TooLarge, too_large), "as told");
    assert_eq!(of(1).0, FileFate::Given);
    assert_eq!(of(2), (FileFate::TooMany, too_many), "as told");
    assert_eq!(of(3), (FileFate::TooMany, too_many), "as its bytes say");
    assert_eq!(of(4).0, FileFate::Given);
    assert_eq!(of(5), (FileFate::TooMany, too_many));
    assert!(asked.prompt.contains(too_large) && asked.prompt.contains(too_many));
    bot.check().await;
}

/// What the platform does not tell, the bytes do.
#[tokio::test(start_paused = true)]
async fn a_picture_of_unknown_size_is_measured_when_it_came() {
    let accepts = Accepts {
        pictures: PictureLimits {
            bytes: PNG.len() as u64 - 1,
            ..PictureLimits::NONE
        },
        ..ALL
    };
    let (bot, agent) = curious(accepts, "").await;
    bot.says([text("a pity")]);
    let message = with_file(&bot, "dot.png", "application/octet-stream", PNG.to_vec());
    let turn = bot.engine.submit(message).await.unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(agent.asked.lock().unwrap().remove(0).files, []);
    let (fate, bytes, why) = fates(&bot).await.remove(0);
    assert_eq!((fate, bytes), (FileFate::TooLarge, Some(PNG.len() as u64)));
    assert_eq!(
        why,
        "it has 12 bytes, and the agent takes pictures up to 11 bytes"
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_of_text_is_told_what_it_does_not_have() {
    let (bot, agent) = curious(Accepts::default(), "").await;
    bot.says([text("a pity")]);
    let message = with_file(&bot, "dot.png", "image/png", PNG.to_vec());
    let turn = bot.engine.submit(message).await.unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    let asked = agent.asked.lock().unwrap().remove(0);
    assert_eq!(asked.files, []);
    assert!(
        asked.prompt.contains("\"note\":\"the agent takes text only\""),
        "{}",
        asked.prompt
    );
    assert_eq!(fates(&bot).await[0].0, FileFate::NotTaken);
}

#[tokio::test(start_paused = true)]
async fn a_slow_file_keeps_no_other_conversation_waiting() {
    let (bot, _) = curious(ALL, "[attachments]\ntimeout = \"20s\"\n").await;
    let slow = SimFile {
        takes: Duration::from_hours(1),
        ..SimFile::default()
    };
    let message = with_file(&bot, "a.txt", "text/plain", slow);
    bot.agent
        .queue(Some(message.message.clone()), vec![text("without it")]);
    let waits = bot.engine.submit(message).await.unwrap();
    let before = bot.now_ms();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let typing = bot.calls(platform::SIGNAL, OpKind::Typing).len();
    assert_eq!(typing, 1, "the sender sees that something is done about it");
    bot.says([text("quick")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert!(bot.now_ms() - before < 20_000);
    assert_eq!(waits.ended().await, Some(Terminal::Replied));
    assert!((20_000..30_000).contains(&(bot.now_ms() - before)));
    assert_eq!(fates(&bot).await[0].0, FileFate::TooSlow);
    assert_eq!(bot.screen(platform::SIGNAL), ["without it"]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_cancelled_waits_for_no_file() {
    let (bot, _) = curious(ALL, "[attachments]\ntimeout = \"2h\"\n").await;
    let slow = SimFile {
        takes: Duration::from_hours(1),
        ..SimFile::default()
    };
    bot.says([text("never")]);
    let turn = bot
        .engine
        .submit(with_file(&bot, "a.txt", "text/plain", slow))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = bot.now_ms();
    bot.engine.shutdown(Duration::from_secs(5)).await.unwrap();
    turn.ended().await;
    assert!(bot.now_ms() - before < 60_000);
    assert_eq!(fates(&bot).await[0].0, FileFate::Cancelled);
    let ended = |kind: &Kind| {
        matches!(
            kind,
            Kind::RunEnded {
                reason: StopReason::Cancelled,
                ..
            }
        )
    };
    assert!(bot.kinds().await.iter().any(ended), "the run ends as cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_is_off_hands_nothing_over() {
    let (bot, _) = curious(ALL, "").await;
    let message = with_file(&bot, "a.txt", "text/plain", b"hello".to_vec());
    let signal = "signal".into();
    let actor = foldback_wire::Actor::Console;
    bot.engine
        .toggle(&signal, false, actor.clone(), "test")
        .await
        .unwrap();
    bot.says([text("ok")]);
    let turn = bot.engine.submit(message).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.engine.toggle(&signal, true, actor, "test").await.unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    let (fate, _, why) = fates(&bot).await.remove(0);
    assert_eq!(
        (fate, why.as_str()),
        (FileFate::Unavailable, "transient: the channel is off")
    );
}

#[tokio::test(start_paused = true)]
async fn the_journal_keeps_no_secret_of_a_name_and_no_byte_of_a_file() {
    let (bot, agent) = curious(ALL, "").await;
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    bot.says([text("ok")]);
    let message = with_file(
        &bot,
        &format!("{secret}.txt"),
        "text/plain",
        b"very own words".to_vec(),
    );
    let turn = bot.engine.submit(message).await.unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    let journal = format!("{:?}", bot.kinds().await);
    assert!(!journal.contains(secret) && !journal.contains("very own words"));
    assert!(agent.asked.lock().unwrap()[0].prompt.contains(secret));
}
