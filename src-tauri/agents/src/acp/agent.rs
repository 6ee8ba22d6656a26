//! The backend: a process for every conversation, and who decides what its agent asks.

use super::{
    action_server::ActionServer,
    action_tools::SessionActions,
    ask_levels::ask_levels,
    config::AcpConfig,
    failure::{Failure, one_line, without},
    folder,
    held::{Conversations, Held, Known},
    levels::{BACKEND, OfferedLevels},
    open_runs::OpenRuns,
    peer::{Peer, PeerActions},
    rest::Resting,
    turn::{Broken, Turn},
};
use crate::{
    Accepts, Agent, LevelSupport, LevelSupports, Steer, SteerInput, Step, StepSink, TurnRequest,
    emitter::{Emitter, Interrupt},
};
use async_trait::async_trait;
use foldback_wire::{
    AgentFault, Clock, PermissionId, PermissionOption, RunId, RunLevels, SessionId, SessionStart, StopReason,
};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::{AcquireError, OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// An agent in a process of its own for every conversation. Dropped, its processes are stopped.
pub struct AcpAgent {
    config: Arc<AcpConfig>,
    clock: Arc<dyn Clock>,
    /// As many processes as there may be.
    places: Arc<Semaphore>,
    /// As many runs at a time: then a run that finds no place knows that a process rests or stops already.
    answering: Semaphore,
    conversations: Conversations,
    /// The runs that go on, which take decisions about permissions, and messages.
    open_runs: OpenRuns,
    /// The levels that the program offered when a session of it began last.
    offered: Mutex<Option<OfferedLevels>>,
    /// The server that its sessions take actions from; begins to listen with the first session that has any.
    actions: OnceCell<ActionServer>,
    /// True once the program said that it takes no tools from servers over HTTP.
    takes_no_tools: AtomicBool,
}

impl AcpAgent {
    /// The backend of a program; nothing is started before the first prompt. What a process before that was killed left
    /// of users' files is removed.
    pub fn new(config: AcpConfig, clock: Arc<dyn Clock>) -> Self {
        folder::sweep(&std::env::temp_dir());
        Self {
            places: Arc::new(Semaphore::new(config.limits.processes)),
            answering: Semaphore::new(config.limits.processes),
            config: Arc::new(config),
            clock,
            conversations: Conversations::default(),
            open_runs: OpenRuns::default(),
            offered: Mutex::default(),
            actions: OnceCell::new(),
            takes_no_tools: AtomicBool::new(false),
        }
    }

    /// The actions of a new process; `None` where there are none, or they cannot be offered.
    async fn peer_actions(&self, request: &TurnRequest) -> Option<PeerActions> {
        if request.actions.is_empty() {
            return None;
        }
        let opened = async {
            let server = self.actions.get_or_try_init(ActionServer::start).await?;
            let session = SessionActions::of(&request.actions);
            let endpoint = server.open(&session, &self.clock)?;
            Ok::<_, std::io::Error>(PeerActions { session, endpoint })
        };
        let opened = opened.await;
        if let Err(error) = &opened {
            tracing::error!(%error, "an agent cannot be offered actions");
        }
        opened.ok()
    }

    async fn answer(&self, request: &TurnRequest, out: &Emitter) -> Result<StopReason, Interrupt> {
        let (open, inputs) = self.open_runs.open(request.run);
        let _answering = self.answering.try_acquire().map_err(|_all| self.overloaded())?;
        let mut held = self.conversations.hold(&request.session, request.run);
        let mut peer = self.peer(request, out, &mut held).await?;
        let (ended, owed) = match self.set_levels(&mut peer, request, out).await {
            Ok(()) => {
                if let Some(PeerActions { session, .. }) = &peer.actions {
                    session.begin_run(&request.actions, open.inputs.clone());
                }
                let mut turn = Turn::new(&mut peer, out, inputs);
                (turn.run(request).await, turn.owed())
            }
            Err(broken) => (Err(broken), Vec::new()),
        };
        match ended {
            Ok(reason) => {
                held.then = Some(Known::Resting(Resting::begin(peer, Vec::new())));
                Ok(reason)
            }
            Err(Broken::Refused(failure)) => {
                held.then = Some(Known::Resting(Resting::begin(peer, Vec::new())));
                Err(self.failed(&failure))
            }
            Err(Broken::Interrupt(interrupt)) => {
                held.then = Some(Known::Resting(Resting::begin(peer, owed)));
                Err(interrupt)
            }
            Err(Broken::Late(failure)) => {
                // The run ends now; its process has its own time to.
                held.then = Some(Known::Stopping(tokio::spawn(peer.stop())));
                Err(self.failed(&failure))
            }
            Err(Broken::Lost(failure)) => {
                tokio::spawn(peer.stop());
                held.then = Some(Known::Broken(self.words(&failure.detail)));
                Err(self.failed(&failure))
            }
        }
    }

    /// Asks the session for the levels of the run, and tells those that it goes on without.
    async fn set_levels(&self, peer: &mut Peer, request: &TurnRequest, out: &Emitter) -> Result<(), Broken> {
        let asked = out.until(ask_levels(peer, &request.levels)).await?;
        *self.offered() = Some(peer.offered.clone());
        // Nothing was prompted yet: another process can take the session up.
        let mut refused = asked.map_err(Broken::Late)?;
        for refusal in &mut refused {
            refusal.why = self.words(&refusal.why);
        }
        Ok(out.ignore(refused).await?)
    }

    fn offered(&self) -> MutexGuard<'_, Option<OfferedLevels>> {
        // Replaced as a whole: a panic elsewhere spoils nothing.
        self.offered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The conversation's process: the one that rests, or a new one. A run that ends here leaves everything as it was.
    async fn peer(
        &self,
        request: &TurnRequest,
        out: &Emitter,
        held: &mut Held<'_>,
    ) -> Result<Peer, Interrupt> {
        if let Some(Known::Resting(resting)) = &mut held.then {
            let ready = resting.ready(out).await?;
            held.then = None;
            if let Some(peer) = ready {
                return Ok(peer);
            }
        }
        if let Some(Known::Stopping(stopping)) = &mut held.then {
            // Two processes at work on one session would spoil it.
            let _ = out.until(stopping).await?;
            held.then = None;
        }
        let broken = match &held.then {
            Some(Known::Broken(why)) => Some(why.clone()),
            _ => None,
        };
        let permit = out
            .until(self.place())
            .await?
            .map_err(|_closed| self.overloaded())?;
        let resume = request.session_of(self.backend()).filter(|_| broken.is_none());
        let actions = self.peer_actions(request).await;
        let start = Peer::start(&self.config, &self.clock, resume, actions, permit);
        let (peer, mut began) = out.until(start).await?.map_err(|failure| self.failed(&failure))?;
        self.takes_no_tools.store(!peer.takes_tools, Ordering::Relaxed);
        if let Some(why) = broken {
            began.start = SessionStart::Lost;
            began.detail = format!("the answer before broke off: {why}");
        }
        let step = Step::Session {
            id: peer.session.0.to_string(),
            start: began.start,
            detail: self.words(&began.detail),
        };
        if let Err(interrupt) = out.emit(step).await {
            // Nobody heard of this session, so nobody goes on with it.
            tokio::spawn(peer.stop());
            return Err(interrupt);
        }
        held.then = None;
        Ok(peer)
    }

    /// A place for one more process. The one that has rested longest makes room, and one that stops is waited for; nobody
    /// waits for a conversation that is being answered.
    async fn place(&self) -> Result<OwnedSemaphorePermit, AcquireError> {
        if let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok(permit);
        }
        drop(self.conversations.oldest());
        Arc::clone(&self.places).acquire_owned().await
    }

    fn overloaded(&self) -> Interrupt {
        let most = self.config.limits.processes;
        let detail = format!("all {most} processes are answering; agent.acp.max_processes allows no more");
        Interrupt::failed(AgentFault::Overloaded, detail)
    }

    fn failed(&self, failure: &Failure) -> Interrupt {
        Interrupt::failed(failure.fault, self.words(&failure.detail))
    }

    /// An agent's words without our secrets, on one line, shortened.
    fn words(&self, words: &str) -> String {
        one_line(&without(&self.config.secrets, words))
    }
}

#[async_trait]
impl Agent for AcpAgent {
    fn backend(&self) -> &str {
        BACKEND
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let out = Emitter::new(request.run, sink, cancel);
        let ended = self.answer(&request, &out).await;
        out.conclude(ended).await;
    }

    /// Everything: what an agent does not take in its prompt lies beside it as a file.
    fn accepts(&self) -> Accepts {
        Accepts {
            images: true,
            files: true,
            ..Accepts::default()
        }
    }

    fn shares_machine(&self) -> bool {
        true
    }

    fn asks_for_consent(&self) -> bool {
        true
    }

    /// As tools of a server, where the program takes such. Only its first session tells; until then it counts as one that
    /// does, as most do.
    fn takes_actions(&self) -> bool {
        !self.takes_no_tools.load(Ordering::Relaxed)
    }

    fn decide(&self, run: RunId, request: &PermissionId, option: Option<&PermissionOption>) {
        self.open_runs.decide(run, request, option);
    }

    fn steers(&self) -> bool {
        true
    }

    async fn steer(&self, run: RunId, input: SteerInput) -> Steer {
        self.open_runs.steer(run, input).await
    }

    /// Only a session tells what the agent offers; nothing is known before the first one.
    fn level_supports(&self, _levels: &RunLevels) -> LevelSupports {
        match &*self.offered() {
            Some(offered) => offered.supports(),
            None => LevelSupports {
                think: LevelSupport::Untold,
                model: LevelSupport::Untold,
                host: LevelSupport::Untold,
                node: LevelSupport::Untold,
                ..OfferedLevels::default().supports()
            },
        }
    }

    fn forget(&self, session: &SessionId) {
        self.conversations.forget(session);
    }
}
