//! Real agents: opencode, codex-acp, gemini-cli and claude-agent-acp, behind a model of somebody else's. Opt-in; `tests/peers/run` installs them.

use super::{SCRIPTED, nobody_left, option, processes, real};
use crate::{
    peers::{Aimock, System},
    support::{Running, request, resuming, said, start},
};
use foldback_agents::{AcpAgent, AcpConfig, ActionAnswer, Agent, OfferedAction, Step, TurnRequest};
use foldback_wire::{AgentFault, PermissionKind, RunId, SessionStart, StopReason, ToolStatus};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::{fs, path::Path, sync::Arc, time::Duration};
use tempfile::TempDir;

/// A real agent, its folder, and the model behind it.
struct Real {
    name: &'static str,
    config: AcpConfig,
    agent: Arc<dyn Agent>,
    /// Processes of an agent at rest; none is known before the first answer.
    at_rest: usize,
    /// What the model calls to have a command run.
    runs: &'static str,
    /// It may have lost a session that it ought to take up.
    forgets: bool,
    work: TempDir,
    /// Its own settings live here, as long as it does.
    _home: TempDir,
    _model: Aimock,
}

impl Real {
    async fn new(name: &'static str) -> Self {
        let model = Aimock::with("x", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/acp.json")).await;
        let (home, work) = (
            TempDir::new().expect("a folder"),
            TempDir::new().expect("a folder"),
        );
        let peer = real::named(name);
        let program = std::env::var(peer.variable);
        let program = program.unwrap_or_else(|_| panic!("{} names the program", peer.variable));
        let mut config = (peer.config)(&program, home.path(), work.path(), model.root());
        config.guard = Some(SCRIPTED.into());
        config
            .env
            .insert("HOME".to_owned(), home.path().display().to_string());
        // Some hide that their model fails, and try again for ever.
        config.limits.first_byte = Duration::from_secs(45);
        Self {
            name,
            agent: Arc::new(AcpAgent::new(config.clone(), Arc::new(System))),
            config,
            at_rest: 0,
            runs: peer.runs,
            forgets: peer.forgets,
            work,
            _home: home,
            _model: model,
        }
    }

    fn ask(&self, run: u64, prompt: &str) -> Running {
        start(&self.agent, request(run, prompt))
    }

    fn proof(&self) -> bool {
        self.work.path().join("proof").exists()
    }

    /// Has a command run, and decides so about it.
    async fn tool(&self, run: u64, kind: PermissionKind) -> Vec<Step> {
        let mut running = self.ask(run, self.runs);
        let (mut steps, asked) = super::until_asked(&mut running).await;
        assert!(!self.proof(), "it asked before it ran");
        self.agent
            .decide(RunId(run), &asked.id, Some(option(&asked, kind)));
        steps.extend(running.rest().await);
        steps
    }

    /// Waits for the first words of the model; codex-acp has some of its own.
    async fn until_said(&self, running: &mut Running) -> String {
        loop {
            let words = said(&[running.next().await]);
            if !words.is_empty() && !words.starts_with("Model metadata") {
                return words;
            }
        }
    }

    /// Sees that nothing of a step goes on behind its end: of an agent at rest there are as many processes as ever.
    async fn at_rest(&self, step: &str) {
        let mut left = 0;
        for _ in 0..500 {
            left = processes(self.work.path());
            if left == self.at_rest {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!(
            "{}: {left} processes after {step}, {} before",
            self.name, self.at_rest
        );
    }

    /// Ends the agent, sees that nothing of it remains, and begins with another one.
    async fn begin_anew(&mut self) {
        self.agent = Arc::new(AcpAgent::new(self.config.clone(), Arc::new(System)));
        nobody_left(self.work.path(), || {}).await;
    }

    /// Takes a session up: how it began, and what was answered.
    async fn resume(&self, run: u64, session: &str) -> (SessionStart, String, Vec<Step>) {
        let steps = start(&self.agent, resuming(run, "again", "acp", session))
            .rest()
            .await;
        let Step::Session { start, detail, .. } = &steps[0] else {
            panic!("{}: {steps:?}", self.name)
        };
        (*start, detail.clone(), steps)
    }
}

fn completed(steps: &[Step]) -> bool {
    steps
        .iter()
        .any(|step| matches!(step, Step::Tool(call) if call.status == ToolStatus::Completed))
}

/// Everything but the guard, and what waits for nobody.
fn kill_the_agent(folder: &Path) {
    for entry in fs::read_dir("/proc").expect("a list of processes").flatten() {
        let here = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder);
        let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        if !here || name.trim() == "foldback-guard" {
            continue;
        }
        let pid = entry.file_name().to_string_lossy().parse().ok();
        if let Some(pid) = pid.and_then(Pid::from_raw) {
            // One of them may end with the other.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Everything that has to work, with one agent.
async fn everything(name: &'static str) {
    let mut real = Real::new(name).await;
    let session = answers(&mut real).await;
    uses_tools(&real).await;
    is_cancelled(&real).await;
    model_fails(&mut real, &session).await;
    let session = is_killed(&mut real).await;
    begins_anew(&mut real, &session).await;
}

/// Answers in a stream; gives its session.
async fn answers(real: &mut Real) -> String {
    let name = real.name;
    let steps = real.ask(1, "answer with directives").rest().await;
    let Step::Session {
        id,
        start: SessionStart::New,
        ..
    } = &steps[0]
    else {
        panic!("{name}: {steps:?}")
    };
    // codex-acp says before it, as its answer, that it does not know our model, and claude-agent-acp behind it that it
    // knows a better one.
    let answer = "<actions><react emoji=\"thumbsup\" /></actions>\nGreat idea!";
    assert!(said(&steps).contains(answer), "{name}: {steps:?}");
    let pieces = steps.iter().filter(|step| matches!(step, Step::Text { .. }));
    assert!(pieces.count() > 3, "{name}: it streams");
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
    // What it began beside the answer has a moment to end.
    tokio::time::sleep(Duration::from_secs(2)).await;
    real.at_rest = processes(real.work.path());
    assert!(real.at_rest >= 2, "{name}: the agent and its guard are counted");
    id.clone()
}

/// A tool that a person rejects, and one that a person allows.
async fn uses_tools(real: &Real) {
    let name = real.name;
    let steps = real.tool(2, PermissionKind::RejectOnce).await;
    assert!(!real.proof() && !completed(&steps), "{name}: rejected, {steps:?}");
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)), "{name}");

    real.at_rest("a rejection").await;

    let steps = real.tool(3, PermissionKind::AllowOnce).await;
    assert!(completed(&steps), "{name}: {steps:?}");
    assert!(said(&steps).contains("It ran or not."), "{name}: {steps:?}");
    real.at_rest("a tool").await;
}

/// An action that is on is called as a tool of the server that the session was given; its result goes back to the model.
async fn calls_an_action(real: &Real, run: u64) {
    let name = real.name;
    let offered = OfferedAction {
        name: "bash".to_owned(),
        about: "Runs a command on the bot's machine.".to_owned(),
        payload: json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}),
        is_permitted: true,
    };
    let asking = TurnRequest {
        actions: vec![offered],
        ..request(run, "act by tool")
    };
    let mut running = start(&real.agent, asking);
    let call = loop {
        match running.next().await {
            Step::Action(call) => break call,
            Step::Failed { fault, detail } => panic!("{name}: {fault}: {detail}"),
            Step::Done(reason) => panic!("{name}: {reason} without a call"),
            _ => {}
        }
    };
    assert_eq!(call.action.kind, "bash", "{name}");
    assert!(
        call.action.payload.contains("df -h"),
        "{name}: {}",
        call.action.payload
    );
    call.answer(ActionAnswer {
        text: "50 percent".to_owned(),
        is_error: false,
        is_last: false,
    });
    let steps = running.rest().await;
    assert!(completed(&steps), "{name}: {steps:?}");
    let told = |step: &Step| matches!(step, Step::Tool(call) if call.result.as_ref().is_some_and(|text| text.contains("50 percent")));
    assert!(steps.iter().any(told), "{name}: {steps:?}");
    assert!(said(&steps).contains("It is half full."), "{name}: {steps:?}");
}

/// Cancelled in its answer and before a permission; the next answer is another one.
async fn is_cancelled(real: &Real) {
    let name = real.name;
    let mut running = real.ask(4, "slowly");
    real.until_said(&mut running).await;
    running.cancel.cancel();
    assert_eq!(
        running.rest().await.last(),
        Some(&Step::Done(StopReason::Cancelled)),
        "{name}"
    );
    real.at_rest("a cancelled answer").await;

    let mut running = real.ask(5, real.runs);
    super::until_asked(&mut running).await;
    running.cancel.cancel();
    let steps = running.rest().await;
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::Cancelled)), "{name}");
    assert!(!completed(&steps) && said(&steps).is_empty(), "{name}: {steps:?}");
    real.at_rest("a cancelled permission").await;

    let steps = real.ask(6, "again").rest().await;
    let words = said(&steps);
    assert!(words.contains("Here I am."), "{name}: {steps:?}");
    assert!(
        !words.contains("word") && !completed(&steps),
        "{name}: nothing of the cancelled runs, {steps:?}"
    );
    assert!(
        !steps.iter().any(|step| matches!(step, Step::Session { .. })),
        "{name}: the same session"
    );
    real.at_rest("the answer after it").await;
}

/// The model answers 500, without end: the run fails, and the next one is answered.
async fn model_fails(real: &mut Real, session: &str) {
    let name = real.name;
    let steps = real.ask(20, "breaks").rest().await;
    // One that hides it runs out of time.
    assert!(
        matches!(
            steps.last(),
            Some(Step::Failed {
                fault: AgentFault::Internal | AgentFault::Timeout,
                ..
            })
        ),
        "{name}: {steps:?}"
    );
    let steps = start(&real.agent, resuming(21, "again", "acp", session))
        .rest()
        .await;
    assert!(said(&steps).contains("Here I am."), "{name}: {steps:?}");
    real.at_rest("a model that failed").await;
}

/// Killed in the middle of an answer, the conversation begins anew and says so; gives its new session.
async fn is_killed(real: &mut Real) -> String {
    let name = real.name;
    let mut running = real.ask(7, "slowly");
    let words = real.until_said(&mut running).await;
    kill_the_agent(real.work.path());
    let steps = running.rest().await;
    assert!(
        "One word after the other".starts_with(words.trim_end()),
        "{name}: {words}"
    );
    assert!(
        matches!(
            steps.last(),
            Some(Step::Failed {
                fault: AgentFault::Disconnected,
                ..
            })
        ),
        "{name}: {steps:?}"
    );
    nobody_left(real.work.path(), || {}).await;

    let steps = real.ask(8, "again").rest().await;
    let Step::Session {
        id,
        start: SessionStart::Lost,
        detail,
        ..
    } = &steps[0]
    else {
        panic!("{name}: {steps:?}")
    };
    assert!(detail.contains("broke off"), "{name}: {detail}");
    assert!(said(&steps).contains("Here I am."), "{name}: {steps:?}");
    real.at_rest("its death").await;
    id.clone()
}

/// Foldback is started again: the session of before is taken up, and one that nobody knows begins anew; so does one that
/// the agent has lost.
async fn begins_anew(real: &mut Real, session: &str) {
    let name = real.name;
    real.begin_anew().await;
    let (start, detail, steps) = real.resume(30, session).await;
    if start == SessionStart::Lost {
        assert!(
            real.forgets && detail.starts_with("session/load: "),
            "{name}: {detail}"
        );
    } else {
        assert_eq!((start, detail.as_str()), (SessionStart::Resumed, ""), "{name}");
    }
    // Nothing of what it replays is said again.
    assert_eq!(said(&steps).matches("Here I am.").count(), 1, "{name}: {steps:?}");
    real.at_rest("a session that was taken up").await;

    real.begin_anew().await;
    let (start, detail, steps) = real.resume(31, "ses_01nobodyknowsthis").await;
    assert_eq!(start, SessionStart::Lost, "{name}: {steps:?}");
    assert!(detail.starts_with("session/load: "), "{name}: {detail}");
    assert!(said(&steps).contains("Here I am."), "{name}: {steps:?}");
    real.at_rest("a session that nobody knows").await;
    real.begin_anew().await;
}

#[tokio::test]
async fn opencode_does_everything() {
    everything("opencode").await;
}

#[tokio::test]
async fn opencode_calls_an_action_as_a_tool() {
    let real = Real::new("opencode").await;
    calls_an_action(&real, 1).await;
    calls_an_action(&real, 2).await;
}

#[tokio::test]
async fn codex_does_everything() {
    everything("codex").await;
}

#[tokio::test]
async fn gemini_does_everything() {
    everything("gemini").await;
}

#[tokio::test]
async fn claude_does_everything() {
    everything("claude").await;
}
