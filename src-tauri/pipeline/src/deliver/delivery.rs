//! A turn's delivery: takes what the scanner decided, in order, and sees it through to its outcomes.

use super::{
    bubble::{Bubble, Shown, arrived, is_text},
    courier::{Courier, Outgoing, Posted},
    directives,
    lanes::Carried,
    reply::{ignored_flags, reply_target},
};
use crate::{
    config::{Narration, OutputConfig},
    files::SendDir,
    ports::{Port, Ports},
    rules::{Rule, Rules},
    stages::{run::notice, scan::Cue},
};
use foldback_store::StoreError;
use foldback_wire::{
    Capabilities, Code, Diagnostic, Directive, DirectiveRef, Header, Inbound, Kind, MessageId, Operation,
    Outcome, OutcomeCode, SilentReason, Span, Stage, Suppression, Terminal, Timestamp,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Text that looks like none, for a message that can be edited but not removed.
const BLANK: &str = "\u{200b}";

/// What the end of a turn is decided from.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Texts that arrived, or may have.
    pub(crate) texts: u32,
    /// Texts that did not, with why.
    pub(crate) failures: Vec<String>,
    /// Directives that were read.
    pub(crate) directives: u32,
    /// Directives that were not carried out.
    pub(crate) skipped: u32,
    /// Narration that was hidden.
    pub(crate) hidden: u32,
    pub(crate) suppressed: Option<Suppression>,
}

/// Everything a turn's delivery works with.
pub(crate) struct Desk {
    pub(crate) courier: Courier,
    pub(crate) can: Capabilities,
    pub(crate) output: OutputConfig,
    pub(crate) narration: Narration,
    pub(crate) files: SendDir,
    pub(crate) ports: Arc<Ports>,
    pub(crate) rules: Rules,
    pub(crate) inbound: Inbound,
    pub(crate) placeholder: Option<Shown>,
    pub(crate) tally: Tally,
    /// Dropped when there is nothing left to say: what is held keeps no process from ending.
    pub(crate) busy: Option<TaskTrackerToken>,
    held: Vec<(bool, oneshot::Receiver<Carried>)>,
    /// Directives that wait for the end of their message; only with that rule switched off.
    late: Vec<(DirectiveRef, Directive)>,
}

impl Desk {
    pub(crate) fn new(
        courier: Courier,
        port: Port,
        files: SendDir,
        ports: Arc<Ports>,
        rules: Rules,
        inbound: Inbound,
    ) -> Self {
        let Port { can, output, .. } = port;
        let default = if can.edit {
            Narration::Show
        } else {
            Narration::Hide
        };
        let narration = if rules.holds(Rule::ScanNarration) {
            output.narration.unwrap_or(default)
        } else {
            Narration::Show
        };
        Self {
            courier,
            can,
            narration,
            output,
            files,
            ports,
            rules,
            inbound,
            placeholder: None,
            tally: Tally::default(),
            busy: None,
            held: Vec::new(),
            late: Vec::new(),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.courier.recorder.now()
    }

    pub(crate) fn note(&self, kind: Kind) -> Result<(), StoreError> {
        self.courier.recorder.note(kind)
    }

    pub(crate) fn warn(&self, detail: String) -> Result<(), StoreError> {
        tracing::warn!("{detail}");
        self.courier.recorder.warn(detail)
    }

    pub(crate) const fn fences(&self) -> bool {
        self.rules.holds(Rule::SplitFence)
    }

    /// Posts an operation to the turn's chat; `None` when it is held, and its outcome comes later.
    pub(crate) async fn post(
        &mut self,
        outgoing: Outgoing,
    ) -> Result<Option<(Outcome, Option<Duration>)>, StoreError> {
        let courier = self.courier.clone();
        self.post_by(&courier, outgoing).await
    }

    /// Posts an operation to any chat.
    pub(crate) async fn post_by(
        &mut self,
        courier: &Courier,
        outgoing: Outgoing,
    ) -> Result<Option<(Outcome, Option<Duration>)>, StoreError> {
        let counts = is_text(&outgoing.operation) && outgoing.directive.is_none() && outgoing.body.is_some();
        let live = outgoing.live;
        match courier.post(outgoing).await? {
            Posted::Ended(Carried { outcome, retry_after }) => {
                if counts {
                    self.count(&outcome, live);
                }
                Ok(Some((outcome, retry_after)))
            }
            // Nobody waits for a live frame: it is dropped when its lane goes on.
            Posted::Held(_) if live => Ok(None),
            Posted::Held(outcome) => {
                self.held.push((counts, outcome));
                Ok(None)
            }
        }
    }

    /// Takes back the failure counted last: something else was done instead.
    pub(crate) fn forgive(&mut self) {
        self.tally.failures.pop();
    }

    fn count(&mut self, outcome: &Outcome, live: bool) {
        if arrived(outcome) || outcome.code == OutcomeCode::Unknown {
            self.tally.texts += 1;
        } else if !live {
            let why = outcome
                .detail
                .clone()
                .unwrap_or_else(|| outcome.code.about().to_owned());
            self.tally.failures.push(why);
        }
    }

    /// Whether an operation would go out now.
    pub(crate) fn is_open(&self) -> bool {
        let Courier {
            lanes,
            channel,
            target,
            ..
        } = &self.courier;
        channel.status().open().is_ok() && !lanes.is_held(channel.id(), target)
    }

    /// Takes a message off the screen, as far as the channel can.
    pub(crate) async fn discard(&mut self, message: MessageId) -> Result<(), StoreError> {
        let operation = if self.can.delete {
            Operation::Delete { message }
        } else if self.can.edit {
            Operation::EditText {
                message,
                text: BLANK.to_owned(),
            }
        } else {
            return Ok(());
        };
        self.post(Outgoing::new(operation)).await.map(drop)
    }

    /// Removes the placeholder, once everything that was to replace it has arrived.
    pub(crate) async fn remove_placeholder(&mut self) -> Result<(), StoreError> {
        if self.held.is_empty()
            && self.rules.holds(Rule::DeliverPlaceholder)
            && let Some(placeholder) = self.placeholder.take()
        {
            self.discard(placeholder.id).await?;
        }
        Ok(())
    }

    async fn put_placeholder(&mut self) -> Result<(), StoreError> {
        let live = self.can.edit && self.can.edit_interval_ms.is_some() && self.narration == Narration::Show;
        let text = self.output.placeholder.clone();
        if !live || text.is_empty() || !self.is_open() {
            return Ok(());
        }
        // By the courier: it is no answer yet and must not count as one.
        let outgoing = Outgoing::own_text(&text).live(true);
        if let Posted::Ended(Carried { outcome, .. }) = self.courier.post(outgoing).await?
            && let Some(id) = outcome.message
        {
            self.placeholder = Some(Shown {
                id,
                text,
                at: self.now(),
            });
        }
        Ok(())
    }

    /// Waits for the outcomes of what is held.
    async fn collect_held(&mut self) -> Result<(), StoreError> {
        for (counts, outcome) in std::mem::take(&mut self.held) {
            let Carried { outcome, .. } = outcome.await.map_err(|_| StoreError::Closed)?;
            if counts {
                self.count(&outcome, false);
            }
        }
        Ok(())
    }
}

/// Delivers a turn: takes cues until the run is over, then sees to it that something was said, and waits for
/// everything that is held. Answers how the turn ended.
pub(crate) async fn deliver(
    desk: &mut Desk,
    mut cues: mpsc::UnboundedReceiver<Cue>,
) -> Result<Terminal, StoreError> {
    desk.put_placeholder().await?;
    let mut bubble = None;
    let mut failure = None;
    'cues: loop {
        let due = bubble
            .as_ref()
            .and_then(|b: &Bubble| b.due(desk))
            .filter(|_| desk.is_open());
        let mut next = tokio::select! {
            biased;
            cue = cues.recv() => match cue {
                Some(cue) => Some(cue),
                None => break,
            },
            () = async {
                match due {
                    Some(due) => desk.courier.recorder.clock.sleep_until(due).await,
                    None => std::future::pending().await,
                }
            } => None,
        };
        // Everything that is there already, before a frame: the latest text wins.
        while let Some(cue) = next.take() {
            if let Some(end) = take(desk, &mut bubble, cue).await? {
                failure = end;
                break 'cues;
            }
            next = cues.try_recv().ok();
        }
        if let Some(bubble) = &mut bubble {
            bubble.refresh(desk).await?;
        }
    }
    conclude(desk, failure).await
}

/// Takes one cue. Answers `Some` when it was the last one, with the notice of a failed run.
async fn take(
    desk: &mut Desk,
    bubble: &mut Option<Bubble>,
    cue: Cue,
) -> Result<Option<Option<Failure>>, StoreError> {
    match cue {
        Cue::Text { message, text } => open(bubble, message).push(&text),
        Cue::Header {
            message,
            header,
            span,
        } => {
            let target = header_target(desk, message, &header, span)?;
            open(bubble, message).answer(target);
        }
        Cue::Directive { at, directive } => {
            desk.tally.directives += 1;
            if desk.rules.holds(Rule::DeliverDirectives) {
                directives::carry_out(desk, at, directive).await?;
            } else {
                desk.late.push((at, directive));
            }
        }
        Cue::Suppressed(reason) => {
            desk.tally.suppressed = Some(reason);
            if !desk.rules.holds(Rule::DeliverSilence) {
                desk.post(Outgoing::own_text("(suppressed)")).await?;
            }
        }
        Cue::Ended { narration } => {
            if let Some(bubble) = bubble.take() {
                end_message(desk, bubble, narration).await?;
            }
            for (at, directive) in std::mem::take(&mut desk.late) {
                directives::carry_out(desk, at, directive).await?;
            }
        }
        Cue::RunEnded => return Ok(Some(None)),
        Cue::RunCancelled => {
            let (notice, detail) = ("⏹️ Stopped.".to_owned(), "it was cancelled".to_owned());
            return Ok(Some(Some(Failure { notice, detail })));
        }
        Cue::RunFailed { fault, detail } => {
            return Ok(Some(Some(Failure {
                notice: notice(fault).to_owned(),
                detail,
            })));
        }
    }
    Ok(None)
}

/// A failed run.
struct Failure {
    /// What the user is told.
    notice: String,
    /// What the journal is told.
    detail: String,
}

fn open(bubble: &mut Option<Bubble>, message: u32) -> &mut Bubble {
    bubble.get_or_insert_with(|| Bubble::new(message))
}

async fn end_message(desk: &mut Desk, mut bubble: Bubble, narration: bool) -> Result<(), StoreError> {
    if narration && bubble.has_text() {
        let (done, setting) = match desk.narration {
            Narration::Show => ("shown", "show"),
            Narration::Hide => ("kept back", "hide"),
        };
        let message = bubble.message();
        let detail = format!(
            "message {message} is narration before a tool call and is {done} (narration = {setting})"
        );
        desk.note(Kind::Passed {
            stage: Stage::Preview,
            detail,
        })?;
        if desk.narration == Narration::Hide {
            desk.tally.hidden += 1;
            return Ok(());
        }
    }
    bubble.finish(desk).await
}

fn header_target(
    desk: &Desk,
    message: u32,
    header: &Header,
    span: Span,
) -> Result<Option<MessageId>, StoreError> {
    let unsupported = |what: String| Kind::Diagnosed {
        message,
        diagnostic: Diagnostic::new(Code::UnsupportedOnChannel, span, what),
    };
    for flag in ignored_flags(header) {
        desk.note(unsupported(format!("{flag} has no effect on this channel")))?;
    }
    match reply_target(desk.rules, header, &desk.inbound.message, &desk.can) {
        Ok(target) => Ok(target),
        Err(why) => {
            desk.warn(why.clone())?;
            if desk.can.reply.is_none() {
                desk.note(unsupported(why))?;
            }
            Ok(None)
        }
    }
}

/// The end: the notice of a failed run, or the empty text; then the outcomes of everything.
async fn conclude(desk: &mut Desk, failure: Option<Failure>) -> Result<Terminal, StoreError> {
    if let Some(failure) = &failure {
        if desk.rules.holds(Rule::RunNotice) {
            desk.post(Outgoing::own_text(&failure.notice)).await?;
        }
    } else if is_empty(desk) && desk.rules.holds(Rule::DeliverEmpty) {
        let text = desk.output.empty_text.clone();
        if !text.is_empty() {
            desk.post(Outgoing::own_text(&text)).await?;
        }
    }
    if desk.tally.directives > 0 && desk.tally.directives == desk.tally.skipped && desk.tally.texts == 0 {
        desk.warn("every directive of the answer was skipped, so the user sees nothing".to_owned())?;
    }
    let held = desk.held.len();
    let detail = format!("everything of this turn is in the outbox or delivered; {held} held");
    desk.note(Kind::Passed {
        stage: Stage::Dispatch,
        detail,
    })?;
    desk.busy = None;
    desk.collect_held().await?;
    if desk.tally.failures.is_empty() {
        desk.remove_placeholder().await?;
    }
    Ok(terminal(&desk.tally, failure))
}

/// Whether an answer said and did nothing at all.
fn is_empty(desk: &Desk) -> bool {
    let tally = &desk.tally;
    tally.texts == 0
        && tally.failures.is_empty()
        && desk.held.is_empty()
        && tally.directives == 0
        && tally.suppressed.is_none()
}

fn terminal(tally: &Tally, failure: Option<Failure>) -> Terminal {
    if let Some(failure) = failure {
        return Terminal::Failed {
            detail: failure.detail,
        };
    }
    if tally.texts > 0 {
        return Terminal::Replied;
    }
    if let Some(why) = tally.failures.first() {
        return Terminal::Failed {
            detail: format!("nothing of the answer could be delivered: {why}"),
        };
    }
    let reason = match tally.suppressed {
        Some(Suppression::NoReply) => SilentReason::NoReply,
        Some(Suppression::SilentToken) => SilentReason::SilentToken,
        Some(Suppression::HeartbeatAck) => SilentReason::HeartbeatAck,
        None => SilentReason::DirectivesOnly,
    };
    Terminal::Silent { reason }
}
