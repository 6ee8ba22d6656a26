//! Agents that write at a steady pace, and an adapter that looks at its watch when it is called.

use async_trait::async_trait;
use foldback_agents::{Agent, AgentEvent, Step, StepSink, TurnRequest};
use foldback_channels::{Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Loopback, Refusal};
use foldback_wire::{Attachment, Capabilities, ChatId, Operation, StopReason};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

/// Messages of a conversation.
pub(crate) const MESSAGES: usize = 60;
/// Deltas of a message: one goes out every 1.5 s, as often as platforms let a message be edited.
const DELTAS: usize = 30;
/// Time between two.
const PACE: Duration = Duration::from_millis(50);

/// When each message of a conversation was complete, and when the adapter was called with it.
#[derive(Default, Clone, Copy)]
struct Times {
    complete: Option<Instant>,
    called: Option<Instant>,
}

/// The agents of all conversations.
pub(crate) struct Streams {
    times: Mutex<Vec<[Times; MESSAGES]>>,
}

impl Streams {
    pub(crate) fn new(conversations: usize) -> Self {
        Self {
            times: Mutex::new(vec![[Times::default(); MESSAGES]; conversations]),
        }
    }

    fn note(&self, person: usize, message: usize, what: impl FnOnce(&mut Times)) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        what(&mut times[person][message]);
    }

    /// From complete to called.
    pub(crate) fn times(&self) -> Vec<Duration> {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let took = |times: &Times| Some(times.called?.duration_since(times.complete?));
        times.iter().flatten().filter_map(took).collect()
    }

    async fn write(&self, person: usize, request: &TurnRequest, sink: &StepSink) -> Option<()> {
        let run = request.run;
        // Conversations are not in step with one another.
        let begin = tokio::time::Instant::now() + PACE * (person as u32 % 97) / 97;
        for message in 0..MESSAGES {
            for delta in 0..DELTAS {
                let at = PACE * u32::try_from(message * DELTAS + delta).ok()?;
                tokio::time::sleep_until(begin + at).await;
                let text = match delta {
                    0 => format!("{person}/{message} "),
                    _ => "and so it goes on, ".to_owned(),
                };
                let step = Step::Text {
                    message: Some(message.to_string()),
                    text,
                };
                // The first delta of a message completes the one before.
                if delta == 0 && message > 0 {
                    self.note(person, message - 1, |times| {
                        times.complete = Some(Instant::now());
                    });
                }
                sink.send(AgentEvent { run, step }).await.ok()?;
            }
        }
        self.note(person, MESSAGES - 1, |times| {
            times.complete = Some(Instant::now());
        });
        Some(())
    }
}

#[async_trait]
impl Agent for Streams {
    #[expect(clippy::unnecessary_literal_bound, reason = "the trait's signature")]
    fn backend(&self) -> &str {
        "streams"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, _cancel: CancellationToken) {
        let person = request.message.text.parse();
        let run = request.run;
        if let Ok(person) = person
            && self.write(person, &request, &sink).await.is_some()
        {
            let step = Step::Done(StopReason::End);
            let _ = sink.send(AgentEvent { run, step }).await;
        }
    }
}

/// The platform's adapter with a watch.
pub(crate) struct Gate {
    loopback: Arc<Loopback>,
    streams: Arc<Streams>,
}

impl Gate {
    pub(crate) fn new(loopback: Arc<Loopback>, streams: Arc<Streams>) -> Self {
        Self { loopback, streams }
    }
}

#[async_trait]
impl ChannelAdapter for Gate {
    fn capabilities(&self) -> &Capabilities {
        self.loopback.capabilities()
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.loopback.connect(connection).await
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.loopback.fetch(chat, file, limit).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        let now = Instant::now();
        if let Operation::SendText { text, .. } = &call.operation
            && let Some((person, message)) = text.split(' ').next().and_then(|name| name.split_once('/'))
            && let (Ok(person), Ok(message)) = (person.parse(), message.parse())
        {
            self.streams.note(person, message, |times| {
                times.called = Some(now);
            });
        }
        self.loopback.perform(call).await
    }
}
