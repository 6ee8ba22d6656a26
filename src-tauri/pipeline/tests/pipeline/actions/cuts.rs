//! A turn that acts, killed behind each write to its journal in turn: whatever the moment, the person has one answer or one
//! sentence of what became of it, and no command begins twice.

use super::{
    Acted, OWNED, Shell, TELEGRAM, bash,
    called::{Calling, call, say},
    table,
};
use crate::bot::{Bot, World, parts, runtime};
use foldback_agents::{Agent, ScriptAgent};
use foldback_pipeline::{
    Engine, Parts, Rules,
    invariants::{self, Extent},
};
use foldback_store::{Journal, JournalLayer, MemoryJournal, StoreError};
use foldback_wire::{Body, Event, Intent, Kind, OpId, OpKind, OutcomeCode, Seq};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// JSON of an action that breaks off.
const BROKEN: &str = r#"{"actions": [{"type": "bash", "payload": {"command": "#;
/// The words of an agent that is told of what a kill left.
const AFTERWARDS: &str = "Nobody knows.";

/// Told where a kill cut an answer off.
const INTERRUPTED: &str = "⚠️ A restart cut this answer off. Please ask again.";

/// The agent of the life behind a cut: it goes on with the answers of runs that had not begun.
type AgentFrom = fn(usize) -> Arc<dyn Agent>;

/// An agent whose runs give these answers in text.
fn texts(answers: &[String], from: usize) -> Arc<dyn Agent> {
    let agent = Calling::default();
    for answer in answers.iter().skip(from) {
        agent.plays(&[say(answer)]);
    }
    for _ in 0..8 {
        agent.plays(&[say(AFTERWARDS)]);
    }
    Arc::new(agent)
}

/// The time in which nothing is written any more once all is done.
const QUIET: Duration = Duration::from_mins(5);

/// A journal that takes so many writes, and nothing more.
struct Ending {
    inner: Arc<MemoryJournal>,
    left: AtomicUsize,
}

impl JournalLayer for Ending {
    fn below(&self) -> &dyn Journal {
        self.inner.as_ref()
    }

    fn before_write(&self) -> Result<(), StoreError> {
        let take = |left: usize| left.checked_sub(1);
        let taken = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take);
        taken.map(drop).map_err(|_| StoreError::Closed)
    }
}

/// Begins a life that is killed behind so many writes. Answers its world, and true where it had written all that it had to.
fn killed_behind(writes: usize, agent: AgentFrom, shell: &Arc<Shell>) -> (World, bool) {
    runtime().block_on(async {
        let world = World {
            actions: table(shell),
            ..World::new()
        };
        let journal = Arc::new(Ending {
            inner: Arc::clone(&world.journal),
            left: AtomicUsize::new(writes),
        });
        let script = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
        let parts = Parts {
            journal: Arc::clone(&journal) as _,
            ..parts(&world, OWNED, Rules::all(), agent(0))
        };
        let Ok(engine) = Engine::start(parts).await else {
            return (world, false);
        };
        let bot = Bot::around(world, engine, script);
        let _ = bot.engine.submit(bot.message(TELEGRAM, "do it")).await;
        tokio::time::sleep(QUIET).await;
        (bot.world(), journal.left.load(Ordering::SeqCst) > 0)
    })
}

/// The texts that arrived, without questions and the marks of their answers, and the number of operations that nobody knows of.
fn words(events: &[Event]) -> (Vec<String>, usize) {
    let mut intents: BTreeMap<OpId, &Intent> = BTreeMap::new();
    let (mut said, mut unknown) = (Vec::new(), 0);
    for event in events {
        match &event.kind {
            Kind::Intended { op, intent } if intent.kind == OpKind::SendText => {
                intents.insert(*op, intent);
            }
            Kind::Ended { op, outcome } => {
                let Some(intent) = intents.get(op) else { continue };
                unknown += usize::from(outcome.code == OutcomeCode::Unknown);
                let text = match &intent.body {
                    Some(Body::Aside { text } | Body::Literal { text, .. }) => text.as_str(),
                    _ => "the answer",
                };
                // The beginning of an answer that was cut off; what is said of that follows.
                if outcome.code == OutcomeCode::Sent && !text.ends_with('…') {
                    said.push(text.to_owned());
                }
            }
            _ => {}
        }
    }
    (said, unknown)
}

/// Cuts a life behind each write and lets the next one go on; the number of cuts.
fn cut_everywhere(agent: AgentFrom) -> usize {
    let mut cuts = 0;
    for writes in 1.. {
        let shell: Arc<Shell> = Arc::default();
        let (world, is_whole) = killed_behind(writes, agent, &shell);
        if is_whole {
            return cuts;
        }
        runtime().block_on(async {
            let left = world.journal.read(Seq(1), usize::MAX >> 1).await.unwrap();
            if !left
                .iter()
                .any(|event| matches!(event.kind, Kind::Received { .. }))
            {
                return;
            }
            cuts += 1;
            let runs = left
                .iter()
                .filter(|e| matches!(e.kind, Kind::RunStarted { .. }))
                .count();
            let at = format!(
                "write {writes}, behind {:?}",
                left.last().map(|event| &event.kind)
            );
            let acted = Acted::behind(world, OWNED, Arc::clone(&shell), agent(runs)).await;
            tokio::time::sleep(QUIET).await;
            let all = acted.bot.events().await;
            let violations = invariants::check(&all, Extent::Ended);
            assert!(violations.is_empty(), "{at}: {violations:#?}");
            let commands = shell.begun();
            let once: BTreeSet<_> = commands.iter().collect();
            assert_eq!(once.len(), commands.len(), "{at}: {commands:?}");
            let (mut said, unknown) = words(&all);
            let ends = left
                .iter()
                .filter(|e| matches!(e.kind, Kind::RunEnded { .. }))
                .count();
            if runs > ends && said.len() == 2 {
                // Of a run that had not ended, more may have been to come: the person is told so.
                assert_eq!(said.pop().as_deref(), Some(INTERRUPTED), "{at}");
            }
            assert!(
                said.len() == 1 && unknown == 0 || said.is_empty() && unknown == 1,
                "{at}: {said:?}, {unknown} unknown"
            );
        });
    }
    cuts
}

#[test]
fn an_action_in_text_and_its_result() {
    let agent: AgentFrom = |from| texts(&[bash("echo one"), "Done.".to_owned()], from);
    assert!(cut_everywhere(agent) > 20);
}

#[test]
fn an_answer_that_is_corrected() {
    let agent: AgentFrom = |from| {
        let answers = [BROKEN.to_owned(), bash("echo one"), "Done.".to_owned()];
        texts(&answers, from)
    };
    assert!(cut_everywhere(agent) > 30);
}

#[test]
fn an_answer_that_is_wrong_as_often_as_it_is_read() {
    let agent: AgentFrom = |from| texts(&[BROKEN, BROKEN, BROKEN].map(str::to_owned), from);
    assert!(cut_everywhere(agent) > 30);
}

#[test]
fn an_agent_that_always_acts_again() {
    let agent: AgentFrom = |from| {
        texts(
            &["a", "b", "c", "d"].map(|word| bash(&format!("echo {word}"))),
            from,
        )
    };
    assert!(cut_everywhere(agent) > 50);
}

#[test]
fn an_action_that_a_tool_call_asks_for() {
    let agent: AgentFrom = |from| {
        let agent = Calling::default();
        if from == 0 {
            agent.plays(&[call("echo one"), say("Done.")]);
        }
        for _ in 0..4 {
            agent.plays(&[say(AFTERWARDS)]);
        }
        Arc::new(agent)
    };
    assert!(cut_everywhere(agent) > 15);
}
