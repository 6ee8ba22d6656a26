//! What these tests play on: a clock that a test moves, a channel on a simulated platform, and its run.

use crate::desk::NoChance;
use foldback_channels::sim::Content;
use foldback_channels::{
    Ack, Arrival, Call, ChannelAdapter, Loopback, Refusal, Signal, profile, stay_connected,
};
use foldback_wire::{
    ChannelState, ChatType, Clock, Inbound, MessageFlags, MessageId, Operation, Platform, Sender, Sleep,
    Target, Timestamp,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The chat of every test.
pub(crate) const CHAT: &str = "42";

/// A clock that stands still until it is told to move, or that jumps to where a sleeper wants to be.
#[derive(Clone)]
pub(crate) struct TestClock {
    now: watch::Sender<Timestamp>,
    jumps: Arc<AtomicBool>,
}

impl TestClock {
    pub(crate) fn new() -> Self {
        Self {
            now: watch::Sender::new(Timestamp(0)),
            jumps: Arc::default(),
        }
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.now.send_modify(|now| *now = now.plus(by));
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.now().since(Timestamp(0))
    }

    pub(crate) fn jump_on_sleep(&self) {
        self.jumps.store(true, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        *self.now.borrow()
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let (clock, jumps) = (self.now.clone(), self.jumps.load(Ordering::SeqCst));
        Box::pin(async move {
            if jumps {
                // First everybody who can go on without time passing does.
                for _ in 0..64 {
                    tokio::task::yield_now().await;
                }
                clock.send_modify(|now| *now = until.max(*now));
            }
            clock.subscribe().wait_for(|now| *now >= until).await.ok();
        })
    }
}

/// A channel on a simulated platform.
pub(crate) struct Stage {
    pub(crate) clock: TestClock,
    pub(crate) channel: Arc<Loopback>,
    keys: AtomicUsize,
}

impl Stage {
    pub(crate) fn new(platform: Platform) -> Self {
        Self::build(platform, None)
    }

    pub(crate) fn with_files(platform: Platform, dir: &Path) -> Self {
        Self::build(platform, Some(dir))
    }

    fn build(platform: Platform, dir: Option<&Path>) -> Self {
        let clock = TestClock::new();
        let channel = Loopback::new(
            profile(platform),
            Arc::new(clock.clone()),
            dir.map(Path::to_owned),
        );
        Self {
            clock,
            channel: Arc::new(channel),
            keys: AtomicUsize::new(0),
        }
    }

    /// Performs an operation under a key of its own.
    pub(crate) async fn perform(&self, operation: Operation) -> Result<Ack, Refusal> {
        let key = self.keys.fetch_add(1, Ordering::SeqCst);
        self.keyed(&format!("key-{key}"), operation).await
    }

    pub(crate) async fn keyed(&self, key: &str, operation: Operation) -> Result<Ack, Refusal> {
        self.channel.perform(call(key, operation)).await
    }

    pub(crate) async fn refusal(&self, operation: Operation) -> Refusal {
        self.perform(operation).await.expect_err("it was to be refused")
    }

    /// What a message shows, while it is there.
    pub(crate) fn content(&self, id: &MessageId) -> Option<Content> {
        let platform = self.channel.platform();
        platform
            .chat(&CHAT.into())?
            .message(id)
            .map(|m| m.content.clone())
    }

    /// How many messages there are in the chat.
    pub(crate) fn messages(&self) -> usize {
        self.channel
            .platform()
            .chat(&CHAT.into())
            .map_or(0, |c| c.messages().len())
    }

    pub(crate) fn run(&self) -> Running {
        Running::start(self.channel.clone(), &self.clock)
    }
}

/// An adapter's run in a task of its own.
pub(crate) struct Running {
    pub(crate) signals: mpsc::Receiver<Signal>,
    stop: CancellationToken,
    task: JoinHandle<Result<(), Refusal>>,
}

impl Running {
    pub(crate) fn start(adapter: Arc<dyn ChannelAdapter>, clock: &TestClock) -> Self {
        let (sink, signals) = mpsc::channel(1);
        let stop = CancellationToken::new();
        let clock = Arc::new(clock.clone());
        let run = stay_connected(adapter, sink, stop.clone(), clock, Arc::new(NoChance));
        let task = tokio::spawn(run);
        Self { signals, stop, task }
    }

    /// The next states it reports.
    pub(crate) async fn states(&mut self, count: usize) -> Vec<ChannelState> {
        let mut states = Vec::new();
        while states.len() < count {
            match self.signals.recv().await {
                Some(Signal::State { state, .. }) => states.push(state),
                other => panic!("a state was to come, not {other:?}"),
            }
        }
        states
    }

    /// The next message, which is kept from then on.
    pub(crate) async fn message(&mut self) -> Inbound {
        match self.signals.recv().await {
            Some(Signal::Message(arrival)) => {
                let Arrival { message, kept } = *arrival;
                if let Some(kept) = kept {
                    kept.send(()).expect("the adapter waits for it");
                }
                message
            }
            other => panic!("a message was to come, not {other:?}"),
        }
    }

    /// Stops it and gives the messages it had handed over already.
    pub(crate) async fn stop(mut self) -> Vec<MessageId> {
        self.stop.cancel();
        self.task
            .await
            .expect("it panicked")
            .expect("it was only stopped");
        let mut left = Vec::new();
        while let Some(signal) = self.signals.recv().await {
            if let Signal::Message(arrival) = signal {
                left.push(arrival.message.message);
            }
        }
        left
    }
}

pub(crate) fn call(key: &str, operation: Operation) -> Call {
    Call {
        target: Target {
            chat: CHAT.into(),
            thread: None,
        },
        operation,
        key: key.into(),
    }
}

pub(crate) fn send(text: &str) -> Operation {
    Operation::SendText {
        text: text.into(),
        reply_to: None,
        flags: MessageFlags::default(),
    }
}

pub(crate) fn reply(to: &str, text: &str) -> Operation {
    Operation::SendText {
        text: text.into(),
        reply_to: Some(to.into()),
        flags: MessageFlags::default(),
    }
}

pub(crate) fn edit(message: &MessageId, text: &str) -> Operation {
    Operation::EditText {
        message: message.clone(),
        text: text.into(),
        flags: MessageFlags::default(),
    }
}

/// A reaction given as it stands.
pub(crate) fn react(message: &MessageId, sent: &str) -> Operation {
    Operation::React {
        message: message.clone(),
        emoji: sent.into(),
        emoji_sent: sent.into(),
    }
}

pub(crate) fn inbound(id: &str, text: &str) -> Inbound {
    Inbound {
        channel: "loopback".into(),
        account: None,
        chat: CHAT.into(),
        chat_type: ChatType::Direct,
        thread: None,
        message: id.into(),
        reply_to: None,
        sender: Sender {
            id: "alice".into(),
            name: "alice".into(),
            display_name: "Alice".into(),
            is_bot: false,
        },
        text: text.into(),
        mentioned: false,
        forwarded: false,
        files: Vec::new(),
        at: Timestamp(0),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    }
}
