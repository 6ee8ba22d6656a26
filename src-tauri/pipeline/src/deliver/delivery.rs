//! A turn's delivery: takes what the scanner decided, in order, and sees it through to its outcomes.

use super::{
    bubble::Bubble,
    desk::Desk,
    directives,
    operation::{OutgoingOperation, Wording},
    reply::{ignored_flags, reply_target},
    tally::CANCELLED,
    voice,
};
use crate::{config::Narration, output::OutputEvent, rules::Rule, user_text::UserText};
use foldback_store::StoreError;
use foldback_wire::{AgentFault, Code, Diagnostic, Header, Kind, MessageId, Span, Stage, StopReason};
use tokio::sync::mpsc;

/// Delivers a turn: takes output events until the run is over, then sees to it that something was said, and waits for
/// everything that is held in its chat. Answers why the run failed, where it did; in other chats something may still wait.
pub(crate) async fn deliver(
    desk: &mut Desk,
    mut events: mpsc::Receiver<OutputEvent>,
) -> Result<Option<String>, StoreError> {
    desk.put_placeholder().await?;
    let mut bubble = None;
    let mut ending = Ending::Done(StopReason::End);
    'events: loop {
        // Asked in this order: what is due is looked for in all the text that is not shown, and while the channel
        // is closed that grows.
        let due = bubble
            .as_ref()
            .filter(|_| desk.is_open())
            .and_then(|b: &Bubble| b.due(desk));
        let aside = desk.asides_due().filter(|_| desk.is_open());
        let due = due.into_iter().chain(aside).min();
        let mut next = tokio::select! {
            biased;
            event = events.recv() => match event {
                Some(event) => Some(event),
                None => break,
            },
            () = async {
                match due {
                    Some(due) => desk.sender.recorder.clock.sleep_until_steady(due).await,
                    None => std::future::pending().await,
                }
            } => None,
        };
        // Everything that is there already, before a frame: the latest text wins.
        while let Some(event) = next.take() {
            if let Some(end) = take(desk, &mut bubble, event).await? {
                ending = end;
                break 'events;
            }
            next = events.try_recv().ok();
        }
        if let Some(bubble) = &mut bubble {
            bubble.refresh(desk).await?;
        }
        desk.show_asides(false).await?;
    }
    desk.end_thought().await?;
    desk.show_asides(true).await?;
    conclude(desk, ending).await
}

/// Takes one output event. Answers the end of the run when it was the last one.
async fn take(
    desk: &mut Desk,
    bubble: &mut Option<Bubble>,
    event: OutputEvent,
) -> Result<Option<Ending>, StoreError> {
    match event {
        OutputEvent::Text { message, text } => {
            let bubble = open(bubble, message);
            bubble.push(&text);
            bubble.claim_message(desk);
        }
        OutputEvent::Raw(text) => desk.raw.push_str(&text),
        OutputEvent::Header {
            message,
            header,
            span,
        } => {
            let target = header_target(desk, message, &header, span)?;
            // It applies to the first message of the answer: where a file was that, the text is none.
            let target = target.filter(|_| !std::mem::take(&mut desk.file_answered));
            desk.audio_as_voice = header.audio_as_voice == Some(true) && desk.rules.holds(Rule::SpeechHeader);
            desk.header = header;
            desk.answers.clone_from(&target);
            desk.answer_flags = desk.flags();
            open(bubble, message).answer(target, desk.answer_flags.clone());
        }
        OutputEvent::PartOfHeader(part) => {
            if let Some(as_voice) = part.audio_as_voice {
                desk.audio_as_voice = as_voice && desk.rules.holds(Rule::SpeechHeader);
            }
            desk.header.merge(part);
        }
        OutputEvent::Directive { at, directive } => {
            desk.tally.directives += 1;
            if desk.rules.holds(Rule::DeliverDirectives) {
                directives::carry_out(desk, at, directive).await?;
            } else {
                desk.late.push((at, directive));
            }
        }
        OutputEvent::Action => {
            desk.tally.directives += 1;
            desk.tally.skipped += 1;
        }
        OutputEvent::Suppressed(reason) => {
            desk.tally.suppressed = Some(reason);
            if !desk.rules.holds(Rule::DeliverSilence) {
                desk.post(OutgoingOperation::literal("(suppressed)")).await?;
            }
        }
        OutputEvent::Tool(call) => desk.tool(call).await?,
        OutputEvent::Thought(text) => desk.think(&text),
        OutputEvent::ThoughtEnded => desk.end_thought().await?,
        OutputEvent::Aside(text) => {
            desk.post_aside(OutgoingOperation::own_aside(&text)).await?;
        }
        OutputEvent::Asked(question) => desk.ask(question).await?,
        OutputEvent::Decided { id, words } => desk.decided(&id, &words).await?,
        OutputEvent::Ended { narration } => {
            let has_text = match bubble.take() {
                Some(bubble) => end_message(desk, bubble, narration).await?,
                None => false,
            };
            for (at, directive) in std::mem::take(&mut desk.late) {
                directives::carry_out(desk, at, directive).await?;
            }
            voice::end_of_message(desk, has_text).await?;
            desk.audio_as_voice = false;
            desk.header = Header::default();
            desk.file_answered = false;
        }
        OutputEvent::RunEnded(reason) => return Ok(Some(Ending::Done(reason))),
        OutputEvent::RunTooLong => return Ok(Some(Ending::TooLong)),
        OutputEvent::RunCancelled => return Ok(Some(Ending::Failed(Failure::cancelled()))),
        OutputEvent::RunFailed { fault, detail } => {
            return Ok(Some(Ending::Failed(Failure::of_run(fault, detail))));
        }
    }
    Ok(None)
}

/// The end of a run, as its chat is told.
pub(super) enum Ending {
    /// Its agent had nothing more to say, for this reason.
    Done(StopReason),
    /// It was stopped, as it said more than its chat should get.
    TooLong,
    /// It failed.
    Failed(Failure),
}

/// A failed run.
pub(super) struct Failure {
    /// The user is told this; `None` once they were.
    pub(super) notice: Option<UserText<'static>>,
    /// What the journal is told.
    pub(super) detail: String,
}

impl Failure {
    pub(super) fn cancelled() -> Self {
        Self {
            notice: Some(UserText::Stopped),
            detail: CANCELLED.to_owned(),
        }
    }

    pub(super) fn of_run(fault: AgentFault, detail: String) -> Self {
        Self {
            notice: Some(UserText::RunFailed(fault)),
            detail,
        }
    }
}

fn open(bubble: &mut Option<Bubble>, message: u32) -> &mut Bubble {
    bubble.get_or_insert_with(|| Bubble::new(message))
}

/// Answers whether the message has text for the user.
async fn end_message(desk: &mut Desk, mut bubble: Bubble, narration: bool) -> Result<bool, StoreError> {
    let has_text = bubble.has_text();
    if narration && has_text {
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
            bubble.give_message_back(desk);
            return Ok(false);
        }
    }
    bubble.finish(desk).await?;
    Ok(has_text)
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
    for flag in ignored_flags(header, &desk.can) {
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

/// The end: the rest of a long answer, the notice of a failed run, or the text of an empty answer; then the outcomes of
/// everything in the turn's chat. Answers why the run failed, where it did.
pub(super) async fn conclude(desk: &mut Desk, ending: Ending) -> Result<Option<String>, StoreError> {
    let mut failure = None;
    desk.send_rest(matches!(ending, Ending::TooLong)).await?;
    match ending {
        Ending::Failed(failed) => {
            if let Some(notice) = failed
                .notice
                .as_ref()
                .filter(|_| desk.rules.holds(Rule::RunNotice))
            {
                desk.post(OutgoingOperation::own_text(notice)).await?;
            }
            failure = Some(failed.detail);
        }
        // The notice says it.
        Ending::TooLong => {}
        Ending::Done(reason) => {
            if is_empty(desk) && desk.rules.holds(Rule::DeliverEmpty) {
                say_of_nothing(desk, reason).await?;
            }
        }
    }
    let skipped = desk.tally.directives > 0 && desk.tally.directives == desk.tally.skipped;
    if skipped && desk.tally.written == 0 && desk.tally.texts == 0 && desk.held.is_empty() {
        desk.warn("every directive of the answer was skipped, so the user sees nothing".to_owned())?;
    }
    let held = desk.held.len() + desk.elsewhere.len();
    let detail = match held {
        0 => "all deliveries queued or sent".to_owned(),
        held => format!("all deliveries queued or sent, {held} held"),
    };
    desk.note(Kind::Passed {
        stage: Stage::Dispatch,
        detail,
    })?;
    desk.busy = None;
    desk.collect_held().await?;
    desk.give_back_placeholder().await?;
    Ok(failure)
}

/// Says of an answer in which nothing is why that is so, as far as its agent told.
async fn say_of_nothing(desk: &mut Desk, reason: StopReason) -> Result<(), StoreError> {
    let text = match reason {
        StopReason::Refusal => UserText::Refused.to_string(),
        StopReason::Length => UserText::AtLimit.to_string(),
        StopReason::End | StopReason::Cancelled | StopReason::Error => desk.output.empty_text.clone(),
    };
    if !text.is_empty() {
        // It is the first message sent for the answer, so the answer's reply target applies to it.
        let mut bubble = Bubble::new(0);
        bubble.answer(desk.answers.take(), std::mem::take(&mut desk.answer_flags));
        let wanted = bubble.wanted(desk, &text, Wording::own(&text), false);
        desk.post(wanted).await?;
    }
    Ok(())
}

/// Whether an answer said and did nothing at all.
fn is_empty(desk: &Desk) -> bool {
    let tally = &desk.tally;
    tally.texts == 0
        && tally.failures.is_empty()
        && !desk.holds_text()
        && tally.directives == 0
        && tally.suppressed.is_none()
}
