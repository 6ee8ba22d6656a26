//! The thread of a turn's message: read once for a conversation, and never where it knows the thread already.
//!
//! ```text
//!   Ana, in a thread   "@bot well?"    first turn of her conversation there: the thread is read
//!   Ana                "and then?"     the agent remembers it
//!   Ben                "@bot?"         a conversation of his own (session.scope): the thread is read
//!   Ana                "/new hello"    her conversation begins anew: the thread is read
//! ```
//!
//! The journal tells: a prompt of an earlier turn in the same thread, since the conversation last began anew.

use crate::{
    context::TurnContext,
    pending::{JoinedMessage, Pending},
    ports::Port,
    rules::{Rule, Rules},
    stages::thread::{ThreadOutcome, ThreadStage},
};
use foldback_directives::redact::InboundSecrets;
use foldback_store::{Journal, Selection, StoreError};
use foldback_wire::{
    GroupMessage, Inbound, InboundContext, Kind, ReadThread, Seq, SessionId, ThreadContext, TurnId,
};
use std::collections::BTreeSet;
use tokio_util::sync::CancellationToken;

/// Prompts of a conversation that are looked at together.
const PAGE: usize = 8;
/// Most prompts that are looked at. Only a conversation of several threads, as with `session.scope = "global"`, has more
/// than a page of them before one of the same thread; what is further back its agent hardly has any more.
const MOST: usize = 64;
/// Most messages of a thread that are told: as many as a context holds.
const MOST_TOLD: u32 = 20;

/// What is read of the thread that a turn's message stands in, where that is to be read. `told` are messages that the agent
/// is given anyway. The journal is told what came of it.
pub(crate) async fn read_thread(
    context: &TurnContext,
    pending: &Pending,
    joined: &[JoinedMessage],
    told: &[GroupMessage],
    port: &Port,
    cancel: &CancellationToken,
) -> Result<Option<ReadThread>, StoreError> {
    let Pending {
        message, recorder, ..
    } = pending;
    let (config, rules) = (&context.ports.config, context.rules);
    let most = if rules.holds(Rule::ThreadMost) {
        config.thread_history(&message.channel)
    } else {
        MOST_TOLD
    };
    let Some(thread) = message.thread.as_ref().filter(|_| most > 0) else {
        return Ok(None);
    };
    // What nobody wrote there is no message that others stand before; a delivery's was given with its thread.
    if message.dry_run || pending.cause.delivery().is_some() {
        return Ok(None);
    }
    let knows = KnownThreads {
        journal: recorder.journal.as_ref(),
        rules,
    };
    if rules.holds(Rule::ThreadOnce) && knows.has(&pending.session, pending.id, message).await? {
        return Ok(None);
    }
    let outcome = if let Some(known) = &context.known_threads {
        ThreadOutcome {
            read: known.get(&message.message).cloned(),
            warning: None,
        }
    } else {
        let masks = context.redaction.as_ref();
        let stage = ThreadStage {
            channel: &port.channel,
            platform: port.can.platform,
            settings: context.ports.settings(&message.channel),
            most,
            rules,
            clock: recorder.clock.as_ref(),
            masks: masks.filter(|redaction| redaction.inbound() == InboundSecrets::Agent),
            cancel,
        };
        // Those that are answered with it are in the prompt already.
        let joined = joined.iter().map(|other| &other.pending.message);
        let first = joined
            .filter(|_| rules.holds(Rule::ThreadJoined))
            .chain([message])
            .find(|other| is_same_place(other, message));
        stage.read(thread, first.unwrap_or(message), told).await
    };
    let ThreadOutcome { read, warning } = outcome;
    let read_event = read.clone().map(Kind::ThreadRead);
    let warned = warning.map(|detail| Kind::Warned { detail });
    recorder.note_all(read_event.into_iter().chain(warned).collect())?;
    Ok(read)
}

/// The message as the agent is given it, with what was read of its thread. What came with it stays where nothing was read in
/// its place.
pub(crate) fn with_thread(rules: Rules, message: &Inbound, read: ReadThread) -> Inbound {
    let mut message = message.clone();
    let context = message.context.get_or_insert_with(Box::<InboundContext>::default);
    let came = context.thread.take().unwrap_or_default();
    let ThreadContext { starter, recent } = read.thread;
    // What was left out does not come in by another way.
    let came = if read.left_out == 0 || !rules.holds(Rule::ThreadLeftOut) {
        came
    } else {
        ThreadContext::default()
    };
    context.thread = Some(ThreadContext {
        starter: starter.or(came.starter),
        recent: if recent.is_empty() { came.recent } else { recent },
    });
    message.context = message.context.and_then(|context| context.bounded());
    message
}

/// The threads that conversations know, as the journal tells.
struct KnownThreads<'a> {
    journal: &'a dyn Journal,
    rules: Rules,
}

impl KnownThreads<'_> {
    /// True where the conversation has a turn in the thread of this message, since it last began anew.
    async fn has(&self, session: &SessionId, but: TurnId, message: &Inbound) -> Result<bool, StoreError> {
        let (mut until, mut looked) = (self.journal.head(), 0);
        while looked < MOST {
            let page = self.journal.conversation(session, until, PAGE).await?;
            let Some(last) = page.last() else { break };
            until = Seq(last.seq.0.saturating_sub(1));
            looked += page.len();
            let mut is_end = page.len() < PAGE;
            let mut turns = BTreeSet::new();
            for event in page {
                match (event.kind, event.turn) {
                    (Kind::SessionReset { .. }, _) if self.rules.holds(Rule::ThreadAnew) => {
                        is_end = true;
                        break;
                    }
                    // A turn that is taken up again is prepared again.
                    (Kind::Prepared { .. }, Some(turn)) if turn != but => drop(turns.insert(turn)),
                    _ => {}
                }
            }
            if self.has_one_of(turns, message).await? {
                return Ok(true);
            }
            if is_end {
                break;
            }
        }
        Ok(false)
    }

    /// True where one of these turns answers a message in the thread of this one.
    async fn has_one_of(&self, turns: BTreeSet<TurnId>, message: &Inbound) -> Result<bool, StoreError> {
        if turns.is_empty() {
            return Ok(false);
        }
        let wanted = Selection {
            turns: Some(turns),
            ..Selection::kinds(["received"])
        };
        let journal = self.journal;
        let received = journal.select(&wanted, Seq(0), journal.head(), PAGE).await?;
        let is_there = |other: &Inbound| !self.rules.holds(Rule::ThreadEach) || is_same_place(other, message);
        // For a dry run nothing was read.
        let answers = |other: &Inbound| is_there(other) && !other.dry_run;
        let is_in = |kind: &Kind| matches!(kind, Kind::Received { message: other } if answers(other));
        Ok(received.iter().any(|event| is_in(&event.kind)))
    }
}

fn is_same_place(one: &Inbound, other: &Inbound) -> bool {
    one.channel == other.channel
        && one.account == other.account
        && one.chat == other.chat
        && one.thread == other.thread
}
