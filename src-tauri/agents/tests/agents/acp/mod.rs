//! The acp agent against a program of ours that behaves like real ones, or worse.

mod confined;
mod ending;
mod faults;
mod levels;
mod limits;
mod manners;
#[cfg(feature = "test-peers")]
mod peers;
mod permissions;
mod processes;
#[cfg(feature = "test-peers")]
mod real;
mod sessions;
mod steering;
mod tools;

use crate::{
    contract::Subject,
    support::{Running, request, said, start},
};
use foldback_agents::{AcpAgent, AcpConfig, Agent, Step};
use foldback_wire::{
    AgentFault, Clock, PermissionKind, PermissionOption, PermissionRequest, RunId, Sleep, Timestamp,
};
use std::{fs, path::Path, sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::{sync::watch, time::Instant};

/// The scripted agent, which can also guard another program.
pub(crate) const SCRIPTED: &str = env!("CARGO_BIN_EXE_foldback-scripted-agent");

/// Real time, which a test can set forward: minutes pass at once, and a process still gets the moment it needs.
pub(crate) struct JumpClock {
    began: Instant,
    ahead: watch::Sender<Duration>,
}

impl JumpClock {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            began: Instant::now(),
            ahead: watch::Sender::new(Duration::ZERO),
        })
    }

    fn jump(&self, by: Duration) {
        self.ahead.send_modify(|ahead| *ahead += by);
    }
}

impl Clock for JumpClock {
    fn now(&self) -> Timestamp {
        Timestamp(0).plus(self.began.elapsed() + *self.ahead.borrow())
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let (began, mut ahead) = (self.began, self.ahead.subscribe());
        Box::pin(async move {
            loop {
                let due = until
                    .since(Timestamp(0))
                    .saturating_sub(*ahead.borrow_and_update());
                tokio::select! {
                    () = tokio::time::sleep_until(began + due) => return,
                    changed = ahead.changed() => if changed.is_err() {
                        return;
                    }
                }
            }
        })
    }
}

/// An agent, the folder it works in, and its time.
pub(crate) struct Bench {
    agent: Arc<dyn Agent>,
    folder: TempDir,
    clock: Arc<JumpClock>,
}

impl Bench {
    /// The program in a manner.
    fn new(manner: &str) -> Self {
        Self::with(manner, |_| {})
    }

    fn with(manner: &str, adjust: impl FnOnce(&mut AcpConfig)) -> Self {
        let folder = TempDir::new().expect("a folder");
        let mut config = AcpConfig::new(SCRIPTED, folder.path());
        config.guard = Some(SCRIPTED.into());
        config.args = vec![manner.to_owned()];
        adjust(&mut config);
        let clock = JumpClock::new();
        let agent = AcpAgent::new(config, Arc::clone(&clock) as _);
        Self {
            agent: Arc::new(agent),
            folder,
            clock,
        }
    }

    fn start(&self, run: u64, prompt: &str) -> Running {
        start(&self.agent, request(run, prompt))
    }

    async fn ask(&self, run: u64, prompt: &str) -> Vec<Step> {
        self.start(run, prompt).rest().await
    }

    /// Starts a run that says so and hears nothing any more; gives the agent's session with it.
    async fn deaf(&self) -> (Running, String) {
        let mut running = self.start(1, "deaf");
        let mut session = String::new();
        loop {
            let step = running.next().await;
            if let Step::Session { id, .. } = &step {
                session.clone_from(id);
            }
            if said(&[step]) == "deaf" {
                return (running, session);
            }
        }
    }

    /// Waits until the agent has written a file of this name.
    async fn until(&self, file: &str) {
        while !self.folder.path().join(file).exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until the agent has made a file, and removes it for the next time.
    async fn until_anew(&self, file: &str) {
        self.until(file).await;
        std::fs::remove_file(self.folder.path().join(file)).unwrap();
    }

    /// Processes that live in the agent's folder: the agent, its guard, whatever they began.
    fn processes(&self) -> usize {
        processes(self.folder.path())
    }

    /// Waits until so many live there.
    async fn count(&self, processes: usize) {
        while self.processes() != processes {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until the agent has ended everything it began.
    async fn nobody_left(&self) {
        nobody_left(self.folder.path(), || self.clock.jump(Duration::from_secs(1))).await;
    }

    /// Ends the agent, and sees that nothing of it remains.
    async fn end(self) {
        let Self { agent, folder, clock } = self;
        drop(agent);
        nobody_left(folder.path(), || clock.jump(Duration::from_secs(1))).await;
    }
}

/// Processes whose working directory is `folder`.
fn processes(folder: &Path) -> usize {
    let all = fs::read_dir("/proc").expect("a list of processes");
    let here = all
        .flatten()
        .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder));
    here.count()
}

/// Waits for all of them to end, while time passes.
async fn nobody_left(folder: &Path, pass: impl Fn()) {
    for _ in 0..500 {
        if processes(folder) == 0 {
            return;
        }
        pass();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{} processes are left", processes(folder));
}

/// How a run failed.
fn failed(steps: &[Step]) -> (AgentFault, &str) {
    match steps.last() {
        Some(Step::Failed { fault, detail }) => (*fault, detail),
        other => panic!("{other:?}"),
    }
}

/// The run's steps up to its first permission request.
async fn until_asked(running: &mut Running) -> (Vec<Step>, PermissionRequest) {
    let mut steps = Vec::new();
    loop {
        match running.next().await {
            Step::Permission(request) => return (steps, request),
            step => steps.push(step),
        }
    }
}

/// The option of a kind, wherever it stands.
fn option(request: &PermissionRequest, kind: PermissionKind) -> &PermissionOption {
    request
        .options
        .iter()
        .find(|option| option.kind == kind)
        .expect("an option of this kind")
}

/// Runs the tool of the script and decides so about it.
async fn tool(bench: &Bench, run: u64, kind: Option<PermissionKind>) -> (PermissionRequest, Vec<Step>) {
    let mut running = bench.start(run, "tool");
    let (mut steps, asked) = until_asked(&mut running).await;
    let option = kind.map(|kind| option(&asked, kind));
    bench.agent.decide(RunId(run), &asked.id, option);
    steps.extend(running.rest().await);
    (asked, steps)
}

pub(crate) struct Acp(TempDir);

impl Subject for Acp {
    async fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    fn agent(&self, pieces: &[&str], endless: bool) -> Arc<dyn Agent> {
        let mut config = AcpConfig::new(SCRIPTED, self.0.path());
        config.guard = Some(SCRIPTED.into());
        config.args = vec!["opencode".to_owned()];
        let act = if endless { "stall" } else { "say" };
        let act = format!("{act} {}", pieces.join("|"));
        config.env.insert("ACT".to_owned(), act);
        Arc::new(AcpAgent::new(config, JumpClock::new()))
    }
}

crate::contract::contract!(acp_keeps, crate::acp::Acp, #[tokio::test]);
