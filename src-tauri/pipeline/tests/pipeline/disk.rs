//! A disk that fails in the middle of a message's way, or is slow there.

use crate::bot::{Bot, World, parts, text};
use async_trait::async_trait;
use foldback_agents::{Act, Agent, ScriptAgent, ScriptStep, StepSink, TurnRequest};
use foldback_channels::platform;
use foldback_pipeline::{Engine, Parts, Rules};
use foldback_store::{Journal, JournalLayer, MemoryJournal, StoreError};
use foldback_wire::{Actor, Kind, Seq, SessionId, Terminal, rpc::AgentSession};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// A journal that refuses to write the first session or panics, or takes its time to forget what an agent told of one;
/// it counts what is read.
struct Odd {
    inner: Arc<MemoryJournal>,
    refused: AtomicBool,
    panics: bool,
    forgets_in: Duration,
    /// Events that were read.
    read: AtomicUsize,
}

#[async_trait]
impl JournalLayer for Odd {
    fn below(&self) -> &dyn Journal {
        self.inner.as_ref()
    }

    fn note_read(&self, events: usize) {
        self.read.fetch_add(events, Ordering::Relaxed);
    }

    async fn before_session(&self) -> Result<(), StoreError> {
        if self.refused.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        assert!(!self.panics, "the journal breaks, on purpose");
        Err(StoreError::Database("on purpose".to_owned()))
    }

    async fn before_agent_session(&self, kept: Option<&AgentSession>) -> Result<(), StoreError> {
        if kept.is_none() {
            tokio::time::sleep(self.forgets_in).await;
        }
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_could_not_be_written_down_is_no_duplicate_of_itself() {
    let world = World::new();
    let message = Bot::in_world(World::new(), "", Rules::all())
        .await
        .message(platform::SIGNAL, "hi");
    let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    agent.queue(None, vec![text("Here.")]);
    let journal = Arc::new(Odd {
        inner: Arc::clone(&world.journal),
        refused: AtomicBool::new(false),
        panics: false,
        forgets_in: Duration::ZERO,
        read: AtomicUsize::new(0),
    });
    let parts = Parts {
        journal,
        ..parts(&world, "", Rules::all(), agent)
    };
    let engine = Engine::start(parts).await.unwrap();
    assert!(engine.submit(message.clone()).await.is_err());
    let again = engine.submit(message).await.unwrap();
    assert_eq!(
        again.ended().await,
        Some(Terminal::Replied),
        "it comes again, and is answered"
    );
}

#[tokio::test(start_paused = true)]
async fn a_start_reads_what_is_open_and_nothing_that_is_over() {
    let bot = Bot::start().await;
    for n in 0..200 {
        bot.says([text("Said.")]);
        assert_eq!(
            bot.turn(platform::SIGNAL, &format!("{n}")).await,
            Terminal::Replied
        );
    }
    bot.says([stall(3_600_000)]);
    for words in ["1", "2", "3"] {
        let _turn = bot.user(platform::SIGNAL, words).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let world = bot.into_world();
    let (all, open) = (world.journal.head().0, 3 * 12);
    let journal = Arc::new(Odd {
        inner: Arc::clone(&world.journal),
        refused: AtomicBool::new(true),
        panics: false,
        forgets_in: Duration::ZERO,
        read: AtomicUsize::new(0),
    });
    let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    let parts = Parts {
        journal: journal.clone(),
        ..parts(&world, "", Rules::all(), agent)
    };
    let engine = Engine::start(parts).await.unwrap();
    let of_process = world
        .journal
        .of_process(Seq(u64::MAX), usize::MAX)
        .await
        .unwrap()
        .len();
    let read = journal.read.load(Ordering::Relaxed);
    assert!(all > 4_000, "{all} events");
    assert!(
        read <= open + 2 * of_process,
        "{read} of {all} events were read, {of_process} of processes"
    );
    drop(engine);
}

#[tokio::test(start_paused = true)]
async fn a_schedule_that_panics_is_told_of_and_runs_at_its_next_time() {
    let world = World::new();
    let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    for answer in ["Nothing much.", "Nothing new."] {
        agent.queue(None, vec![text(answer)]);
    }
    let journal = Arc::new(Odd {
        inner: Arc::clone(&world.journal),
        refused: AtomicBool::new(false),
        panics: true,
        forgets_in: Duration::ZERO,
        read: AtomicUsize::new(0),
    });
    let hourly = "[channels.telegram]\n[[schedule]]\nname = \"hourly\"\nevery = \"1h\"\n\
                  channel = \"telegram\"\nchat = \"c1\"\nprompt = \"What is new?\"\n";
    let parts = Parts {
        journal,
        ..parts(&world, hourly, Rules::all(), agent)
    };
    let _engine = Engine::start(parts).await.unwrap();
    tokio::time::sleep(Duration::from_mins(125)).await;
    let events = world.journal.read(Seq(1), usize::MAX).await.unwrap();
    let told = events.iter().filter(|event| match &event.kind {
        Kind::Warned { detail } => {
            detail.contains("the schedule hourly did not run") && detail.contains("on purpose")
        }
        _ => false,
    });
    assert_eq!(told.count(), 1, "the panic is an event");
    let answered = events.iter().any(|event| match &event.kind {
        Kind::TurnEnded { terminal } => *terminal == Terminal::Replied,
        _ => false,
    });
    assert!(answered, "a later run is answered");
}

#[tokio::test(start_paused = true)]
async fn a_message_that_panics_is_told_of_and_the_next_ones_are_taken_in() {
    let world = World::new();
    let elsewhere = Bot::in_world(World::new(), "", Rules::all()).await;
    let (first, second) = (
        elsewhere.message(platform::SIGNAL, "hi"),
        elsewhere.message(platform::SIGNAL, "and you?"),
    );
    let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    for answer in ["Fine.", "Here."] {
        agent.queue(None, vec![text(answer)]);
    }
    let journal = Arc::new(Odd {
        inner: Arc::clone(&world.journal),
        refused: AtomicBool::new(false),
        panics: true,
        forgets_in: Duration::ZERO,
        read: AtomicUsize::new(0),
    });
    let parts = Parts {
        journal,
        ..parts(&world, "", Rules::all(), agent)
    };
    let _engine = Engine::start(parts).await.unwrap();
    let signal = &world.loopbacks[&platform::SIGNAL];
    // The first one comes again, as its platform was not told that it is kept.
    for message in [&first, &second, &first] {
        signal.inject(message.clone()).unwrap();
        tokio::time::sleep(Duration::from_secs(10)).await;
    }
    let events = world.journal.read(Seq(1), usize::MAX).await.unwrap();
    let told = events.iter().any(|event| match &event.kind {
        Kind::Warned { detail } => detail.contains("the journal breaks, on purpose"),
        _ => false,
    });
    assert!(told, "the panic is an event");
    let ends: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            Kind::TurnEnded { terminal } => Some(terminal),
            _ => None,
        })
        .collect();
    assert_eq!(ends, [&Terminal::Replied, &Terminal::Replied]);
}

/// An agent that knows a conversation until it is told to forget it, and takes it up again from what it is given.
struct Remembering {
    agent: ScriptAgent,
    done: Mutex<Vec<&'static str>>,
}

impl Remembering {
    fn does(&self, what: &'static str) {
        self.done.lock().unwrap().push(what);
    }
}

#[async_trait]
impl Agent for Remembering {
    fn backend(&self) -> &'static str {
        "script"
    }
    fn model(&self) -> Option<&str> {
        None
    }
    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let is_new = request.resume.is_empty();
        self.does(if is_new { "begins" } else { "goes on" });
        self.agent.run(request, sink, cancel).await;
        self.does("ends");
    }
    fn forget(&self, _: &SessionId) {
        self.does("forgets");
    }
}

fn stall(ms: u64) -> ScriptStep {
    Act::Stall(ms).into()
}

/// What begins while the journal is written still has the old conversation, and must not keep it.
#[tokio::test(start_paused = true)]
async fn what_begins_while_a_conversation_is_forgotten_does_not_keep_it() {
    let platform = platform::SIGNAL;
    let world = World::new();
    let messages = Bot::in_world(World::new(), "", Rules::all()).await;
    let agent = Arc::new(Remembering {
        agent: ScriptAgent::new(Arc::new(world.clock)),
        done: Mutex::default(),
    });
    let keeps = serde_json::from_value(serde_json::json!({"session": {"id": "s-1"}})).unwrap();
    agent.agent.queue(None, vec![keeps, text("One.")]);
    agent.agent.queue(None, vec![stall(5_000), text("Two.")]);
    let parts = Parts {
        journal: Arc::new(Odd {
            inner: Arc::clone(&world.journal),
            refused: AtomicBool::new(true),
            panics: false,
            forgets_in: Duration::from_secs(2),
            read: AtomicUsize::new(0),
        }),
        ..parts(&world, "", Rules::all(), agent.clone())
    };
    let engine = Engine::start(parts).await.unwrap();
    let first = engine.submit(messages.message(platform, "1")).await.unwrap();
    first.ended().await.unwrap();
    let reset = async {
        let session = SessionId::new("signal:c1");
        engine.reset_session(&session, Actor::Console).await.unwrap();
    };
    let second = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let second = engine.submit(messages.message(platform, "2")).await.unwrap();
        second.ended().await.unwrap();
    };
    tokio::join!(reset, second);
    let expected = [
        "begins", "ends", "forgets", "goes on", "forgets", "ends", "forgets",
    ];
    assert_eq!(*agent.done.lock().unwrap(), expected);
}
