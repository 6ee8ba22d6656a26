//! Secrets in what an action came to: masked before the agent, the journal and the chat have them.

use super::{Acted, LEAKED, OWNED, Shell, bash, soon};
use crate::bot::{Bot, World, parts, text};
use async_trait::async_trait;
use foldback_agents::{Agent, ScriptAgent, StepSink, TurnRequest};
use foldback_channels::platform;
use foldback_pipeline::{Engine, Rules};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// An agent that keeps what it was given.
struct Listening {
    script: Arc<ScriptAgent>,
    prompts: Mutex<Vec<String>>,
}

#[async_trait]
impl Agent for Listening {
    fn backend(&self) -> &str {
        self.script.backend()
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let given = format!("{}{:?}", request.prompt, request.remembered);
        self.prompts.lock().unwrap().push(given);
        self.script.run(request, sink, cancel).await;
    }
}

#[tokio::test(start_paused = true)]
async fn neither_the_agent_nor_the_journal_nor_the_chat_has_a_secret_that_a_command_printed() {
    for command in ["leak", "leak and fail"] {
        let shell: Arc<Shell> = Arc::default();
        let world = World {
            actions: super::table(&shell),
            ..World::new()
        };
        let script = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
        let agent = Arc::new(Listening {
            script: Arc::clone(&script),
            prompts: Mutex::default(),
        });
        let parts = parts(&world, OWNED, Rules::all(), Arc::clone(&agent) as _);
        let engine = Engine::start(parts).await.unwrap();
        soon().await;
        let acted = Acted {
            bot: Bot::around(world, engine, Arc::clone(&script)),
            shell,
        };
        acted.says(&[&bash(command)]);
        acted.bot.says([text("It says what it says.")]);
        acted.asked("print it").await;
        assert_eq!(acted.shell.begun(), [command]);
        let prompts = agent.prompts.lock().unwrap().join("\n");
        assert!(prompts.contains("[redacted]"), "{prompts}");
        assert!(!prompts.contains(LEAKED), "{prompts}");
        // Streams, views and exports are read from the journal.
        let journal = serde_json::to_string(&acted.bot.events().await).unwrap();
        assert!(journal.contains("[redacted]") && !journal.contains(LEAKED));
        let shown = acted.bot.ever_shown(platform::TELEGRAM).concat();
        assert!(!shown.contains(LEAKED));
        acted.bot.check().await;
    }
}
