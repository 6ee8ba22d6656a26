//! The contract of [`ChannelAdapter`], as checks that every adapter must pass: `contract::check(&subject)`.
//! The checks send real messages; the chat should be nobody's. What must end is only awaited: an adapter that
//! hangs hangs its test. What an adapter makes of its platform's mishaps and refusals, of odd ids and of files is tried
//! against a strict server: `tests/shared/suite.rs`.

use crate::{Ack, Call, ChannelAdapter, Refusal, Signal, emoji_for, stay_connected};
use foldback_wire::{
    Attachment, ChannelState, Clock, FileKind, MessageFlags, MessageId, Operation, RefusalCode, Rng, Sleep,
    Target, Timestamp,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Calls made at once.
const AT_ONCE: usize = 16;

/// An adapter and where to try it.
pub struct Subject {
    /// The adapter. It is not connected.
    pub adapter: Arc<dyn ChannelAdapter>,
    /// A chat the bot may write in.
    pub target: Target,
    /// A message in it that somebody else wrote.
    pub theirs: MessageId,
    /// An id, in the platform's form, of no message at all.
    pub nobodys: MessageId,
    /// A small file that can be sent, as the adapter is given paths.
    pub file: String,
    sent: Option<SentFile>,
    keys: AtomicUsize,
}

/// A file that somebody sent to the bot.
struct SentFile {
    file: Attachment,
    bytes: Vec<u8>,
    gone: String,
}

/// What an adapter does not keep.
#[derive(Debug, thiserror::Error)]
#[error("{clause}: {found}")]
pub struct Breach {
    /// The clause.
    pub clause: &'static str,
    /// What happened instead.
    pub found: String,
}

type Kept = Result<(), Breach>;

/// Checks every clause, and gives the first that is not kept.
pub async fn check(subject: &Subject) -> Kept {
    let before = subject.adapter.capabilities().clone();
    subject.messages().await?;
    subject.limits().await?;
    subject.replies().await?;
    subject.changes().await?;
    subject.reactions().await?;
    subject.files().await?;
    subject.fetches().await?;
    subject.typing().await?;
    subject.keys().await?;
    subject.at_once().await?;
    subject.running().await?;
    let same = *subject.adapter.capabilities() == before;
    keeps("capabilities are constant", same, || "they changed".into())
}

fn keeps(clause: &'static str, kept: bool, found: impl FnOnce() -> String) -> Kept {
    if kept {
        Ok(())
    } else {
        Err(Breach {
            clause,
            found: found(),
        })
    }
}

/// The refusal is of this kind, and sure that nothing was done.
fn refused(clause: &'static str, answer: &Result<Ack, Refusal>, code: RefusalCode) -> Kept {
    let kept = matches!(answer, Err(refusal) if refusal.code == code && !refusal.maybe_done);
    keeps(clause, kept, || format!("{answer:?}"))
}

fn acknowledged(clause: &'static str, answer: Result<Ack, Refusal>) -> Result<Ack, Breach> {
    answer.map_err(|refusal| Breach {
        clause,
        found: format!("{refusal:?}"),
    })
}

fn text(text: impl Into<String>, reply_to: Option<&MessageId>) -> Operation {
    Operation::SendText {
        text: text.into(),
        reply_to: reply_to.cloned(),
        flags: MessageFlags::default(),
    }
}

impl Subject {
    /// An adapter and where to try it; see the fields.
    pub fn new(
        adapter: Arc<dyn ChannelAdapter>,
        target: Target,
        theirs: MessageId,
        nobodys: MessageId,
        file: impl Into<String>,
    ) -> Self {
        Self {
            adapter,
            target,
            theirs,
            nobodys,
            file: file.into(),
            sent: None,
            keys: AtomicUsize::new(0),
        }
    }

    /// The same, with a file of these bytes, at least two, that somebody sent in the chat, and the handle of one that
    /// is not there.
    #[must_use]
    pub fn with_sent(self, file: Attachment, bytes: impl Into<Vec<u8>>, gone: impl Into<String>) -> Self {
        let (bytes, gone) = (bytes.into(), gone.into());
        Self {
            sent: Some(SentFile { file, bytes, gone }),
            ..self
        }
    }

    fn call(&self, operation: Operation) -> Call {
        let key = format!("contract-{}", self.keys.fetch_add(1, Ordering::Relaxed));
        Call {
            target: self.target.clone(),
            operation,
            key,
        }
    }

    async fn perform(&self, operation: Operation) -> Result<Ack, Refusal> {
        self.adapter.perform(self.call(operation)).await
    }

    async fn send(&self, clause: &'static str) -> Result<MessageId, Breach> {
        let ack = acknowledged(clause, self.perform(text("contract", None)).await)?;
        ack.message.ok_or_else(|| Breach {
            clause,
            found: "no id came".into(),
        })
    }

    async fn messages(&self) -> Kept {
        let clause = "every message has an id of its own, also while the adapter is not connected";
        let (first, second) = (self.send(clause).await?, self.send(clause).await?);
        keeps(clause, first != second, || format!("both are {first}"))
    }

    async fn limits(&self) -> Kept {
        let limit = self.adapter.capabilities().text_limit;
        acknowledged(
            "text of the full length is sent",
            self.perform(text("x".repeat(limit), None)).await,
        )?;
        let longer = self.perform(text("x".repeat(limit + 1), None)).await;
        refused(
            "longer text is refused as too_long",
            &longer,
            RefusalCode::TooLong,
        )?;
        let empty = self.perform(text("", None)).await;
        refused("empty text is refused as rejected", &empty, RefusalCode::Rejected)
    }

    async fn replies(&self) -> Kept {
        if self.adapter.capabilities().reply.is_some() {
            let clause = "a reply names the message it answers";
            let ack = acknowledged(clause, self.perform(text("reply", Some(&self.theirs))).await)?;
            keeps(clause, ack.warning.is_none(), || format!("{ack:?}"))?;
        }
        let reply = self.perform(text("reply", Some(&self.nobodys))).await;
        keeps(
            "a reply to an unknown message is refused and nothing is sent",
            // Reddit says of a message that is not there what it says of one that the bot may not answer.
            matches!(&reply, Err(refusal) if !refusal.maybe_done && matches!(
                refusal.code,
                RefusalCode::Gone | RefusalCode::Forbidden | RefusalCode::Rejected | RefusalCode::Unsupported
            )),
            || format!("{reply:?}"),
        )
    }

    async fn changes(&self) -> Kept {
        let can = self.adapter.capabilities();
        let message = self.send("a message can be sent").await?;
        let edit = |message: &MessageId, text: &str| {
            self.perform(Operation::EditText {
                message: message.clone(),
                text: text.into(),
                flags: MessageFlags::default(),
            })
        };
        if can.edit {
            acknowledged(
                "a message of the bot can be edited",
                edit(&message, "edited").await,
            )?;
            acknowledged(
                "an edit that changes nothing is acknowledged",
                edit(&message, "edited").await,
            )?;
            let longer = edit(&message, &"x".repeat(can.text_limit + 1)).await;
            refused(
                "an edit to longer text is refused as too_long",
                &longer,
                RefusalCode::TooLong,
            )?;
            let unknown = edit(&self.nobodys, "edited").await;
            refused(
                "an edit of an unknown message is refused as gone",
                &unknown,
                RefusalCode::Gone,
            )?;
        } else {
            let answer = edit(&message, "edited").await;
            refused(
                "an edit where there is none is refused as unsupported",
                &answer,
                RefusalCode::Unsupported,
            )?;
        }
        let delete = || {
            self.perform(Operation::Delete {
                message: message.clone(),
            })
        };
        if can.delete {
            acknowledged("a message of the bot can be removed", delete().await)?;
            refused("a removed message is gone", &delete().await, RefusalCode::Gone)
        } else {
            let clause = "a removal where there is none is refused as unsupported";
            refused(clause, &delete().await, RefusalCode::Unsupported)
        }
    }

    async fn reactions(&self) -> Kept {
        let sent = emoji_for(self.adapter.capabilities(), "👍");
        let react = |message: &MessageId| {
            let emoji_sent = sent.clone().map_or_else(|| "👍".into(), |sent| sent.form);
            self.perform(Operation::React {
                message: message.clone(),
                emoji: "👍".into(),
                emoji_sent,
            })
        };
        if sent.is_none() {
            let clause = "a reaction where there is none is refused as unsupported";
            return refused(clause, &react(&self.theirs).await, RefusalCode::Unsupported);
        }
        acknowledged("a message can be reacted to", react(&self.theirs).await)?;
        acknowledged(
            "a reaction that is there already is acknowledged",
            react(&self.theirs).await,
        )?;
        let clause = "a reaction to an unknown message is refused as gone";
        refused(clause, &react(&self.nobodys).await, RefusalCode::Gone)
    }

    async fn files(&self) -> Kept {
        let can = self.adapter.capabilities();
        let file = |caption: &str| {
            self.perform(Operation::SendFile {
                path: self.file.clone(),
                kind: FileKind::File,
                caption: Some(caption.into()),
                reply_to: None,
                checked: None,
                flags: MessageFlags::default(),
            })
        };
        if can.file_limit.is_some() {
            let clause = "a file is sent as a message";
            let ack = acknowledged(clause, file("caption").await)?;
            keeps(clause, ack.message.is_some(), || format!("{ack:?}"))?;
            let longer = file(&"x".repeat(can.caption_limit + 1)).await;
            refused(
                "a longer caption is refused as too_long",
                &longer,
                RefusalCode::TooLong,
            )?;
        } else {
            let clause = "a file where there are none is refused as unsupported";
            refused(clause, &file("caption").await, RefusalCode::Unsupported)?;
        }
        let voice = self
            .perform(Operation::SendVoice {
                path: self.file.clone(),
                text: "hello".into(),
                reply_to: None,
                checked: None,
                flags: MessageFlags::default(),
            })
            .await;
        if can.voice.is_some() {
            let clause = "a voice note is sent as a message";
            let ack = acknowledged(clause, voice)?;
            return keeps(clause, ack.message.is_some(), || format!("{ack:?}"));
        }
        refused(
            "voice where there is none is refused as unsupported",
            &voice,
            RefusalCode::Unsupported,
        )
    }

    async fn fetches(&self) -> Kept {
        let chat = &self.target.chat;
        let fetch = |file: Attachment, limit: usize| async move {
            self.adapter.fetch(chat, &file, limit as u64).await
        };
        let Some(SentFile { file, bytes, gone }) = &self.sent else {
            return Ok(());
        };
        let clause = "a file that somebody sent comes as it is, also one of exactly the limit, and again";
        for _ in 0..2 {
            let came = fetch(file.clone(), bytes.len()).await;
            keeps(clause, came.as_ref() == Ok(bytes), || {
                format!("{:?}", came.map(|bytes| bytes.len()))
            })?;
        }
        let refused = |clause, answer: Result<Vec<u8>, Refusal>, code| {
            let kept = matches!(&answer, Err(refusal) if refusal.code == code && !refusal.maybe_done);
            keeps(clause, kept, || format!("{:?}", answer.map(|bytes| bytes.len())))
        };
        let liar = Attachment {
            size: Some(1),
            ..file.clone()
        };
        refused(
            "a file larger than the limit is refused as too_long, whatever size was told",
            fetch(liar, bytes.len() - 1).await,
            RefusalCode::TooLong,
        )?;
        let with = |source: Option<String>| Attachment {
            source,
            ..file.clone()
        };
        refused(
            "a file that is not there is refused as gone",
            fetch(with(Some(gone.clone())), bytes.len()).await,
            RefusalCode::Gone,
        )?;
        refused(
            "a file without a handle is refused as unsupported",
            fetch(with(None), bytes.len()).await,
            RefusalCode::Unsupported,
        )
    }

    async fn typing(&self) -> Kept {
        let answer = self.perform(Operation::Typing).await;
        if !self.adapter.capabilities().typing {
            let clause = "typing where it cannot be shown is refused as unsupported";
            return refused(clause, &answer, RefusalCode::Unsupported);
        }
        let clause = "typing makes no message";
        let ack = acknowledged(clause, answer)?;
        keeps(clause, ack.message.is_none(), || format!("{ack:?}"))
    }

    async fn keys(&self) -> Kept {
        let clause = "a key makes one message where there are keys, and has no effect elsewhere";
        let call = self.call(text("keyed", None));
        let first = acknowledged(clause, self.adapter.perform(call.clone()).await)?.message;
        let second = acknowledged(clause, self.adapter.perform(call).await)?.message;
        let keyed = self.adapter.capabilities().idempotency_key;
        keeps(clause, (first == second) == keyed, || {
            format!("{first:?}, then {second:?}")
        })
    }

    async fn at_once(&self) -> Kept {
        let clause = "calls can be made at once";
        let mut calls = JoinSet::new();
        for _ in 0..AT_ONCE {
            let (adapter, call) = (Arc::clone(&self.adapter), self.call(text("at once", None)));
            calls.spawn(async move { adapter.perform(call).await });
        }
        let mut ids = BTreeSet::new();
        for answer in calls.join_all().await {
            ids.extend(acknowledged(clause, answer)?.message);
        }
        keeps(clause, ids.len() == AT_ONCE, || {
            format!("{} messages of {AT_ONCE} calls", ids.len())
        })
    }

    async fn running(&self) -> Kept {
        let clause = "the first attempt of a run is up, and stops when told";
        for _ in 0..2 {
            let stop = CancellationToken::new();
            let (run, _signals) = self.up(clause, &stop).await?;
            self.send("calls can be made while the adapter is connected")
                .await?;
            stop.cancel();
            stopped(clause, run).await?;
        }
        let clause = "a run stops when told even though nobody takes its signals";
        let (sink, _signals) = mpsc::channel(1);
        let stop = CancellationToken::new();
        let run = self.spawn(sink, &stop);
        tokio::task::yield_now().await;
        stop.cancel();
        stopped(clause, run).await?;
        let clause = "a run ends when nobody listens any more";
        let (run, mut signals) = self.up(clause, &CancellationToken::new()).await?;
        for _ in 0..64 {
            // What waits is taken, so that it waits for a message in its turn.
            drop(signals.try_recv());
            tokio::task::yield_now().await;
        }
        drop(signals);
        stopped(clause, run).await
    }

    /// A run that is up.
    async fn up(
        &self,
        clause: &'static str,
        stop: &CancellationToken,
    ) -> Result<(Run, mpsc::Receiver<Signal>), Breach> {
        let (sink, mut signals) = mpsc::channel(1);
        let run = self.spawn(sink, stop);
        loop {
            match signals.recv().await {
                Some(Signal::State {
                    state: ChannelState::Up,
                    ..
                }) => return Ok((run, signals)),
                Some(Signal::State {
                    state: ChannelState::Down | ChannelState::RateLimited,
                    why,
                }) => return Err(Breach { clause, found: why }),
                Some(_) => {}
                None => {
                    return Err(Breach {
                        clause,
                        found: "it ended by itself".into(),
                    });
                }
            }
        }
    }

    fn spawn(&self, sink: crate::SignalSink, stop: &CancellationToken) -> Run {
        let (adapter, clock, rng) = (Arc::clone(&self.adapter), Arc::new(NoTime), Arc::new(NoChance));
        tokio::spawn(stay_connected(adapter, sink, stop.clone(), clock, rng))
    }
}

/// The clock between two attempts, of which the suite sees only the first.
struct NoTime;

impl Clock for NoTime {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn sleep_until(&self, _: Timestamp) -> Sleep {
        Box::pin(std::future::pending())
    }
}

/// No chance in waits.
struct NoChance;

impl Rng for NoChance {
    fn next(&self) -> u64 {
        0
    }
}

type Run = tokio::task::JoinHandle<Result<(), Refusal>>;

async fn stopped(clause: &'static str, run: Run) -> Kept {
    let end = run.await;
    keeps(clause, matches!(end, Ok(Ok(()))), || format!("{end:?}"))
}
