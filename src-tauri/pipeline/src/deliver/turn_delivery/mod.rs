//! The delivery of a turn: takes what the scanner decided, in order, and sees it through to its outcomes.

mod ending;
mod finish;
mod message;
mod rest_file;

use super::{
    asides::Asides,
    directives::TurnDirectives,
    operation::OutgoingOperation,
    operation_sender::OperationSender,
    preview::Preview,
    reply::{ignored_flags, reply_target},
    rest::RestOfText,
    turn_operations::TurnOperations,
};
use crate::{
    files::SendDir,
    output::OutputEvent,
    ports::{Port, Ports},
    rules::{Rule, Rules},
    voices::Speech,
};
use ending::{Ending, Failure};
use foldback_store::StoreError;
use foldback_wire::{
    Code, Diagnostic, Directive, DirectiveRef, Header, Inbound, Kind, MessageFlags, MessageId, Span,
    StopReason, Terminal,
};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::task_tracker::TaskTrackerToken};

/// The delivery of a turn.
pub(crate) struct TurnDelivery {
    pub(crate) operations: TurnOperations,
    /// The assistant message that is being written.
    preview: Option<Preview>,
    asides: Asides,
    directives: TurnDirectives,
    rest: RestOfText,
    /// The message that an answer without text of its own still answers.
    answers: Option<MessageId>,
    /// The flags of such an answer.
    answer_flags: MessageFlags,
    /// Dropped when there is nothing left to say: what is held keeps no process from ending.
    busy: Option<TaskTrackerToken>,
    /// Directives that wait for the end of their message; only with that rule switched off.
    late: Vec<(DirectiveRef, Directive)>,
}

impl TurnDelivery {
    /// `cancel` is cancelled when the run is stopped; the process does not end while it has `busy`.
    pub(crate) fn new(
        sender: OperationSender,
        port: Port,
        (files, speech): (SendDir, Speech),
        ports: Arc<Ports>,
        rules: Rules,
        inbound: Inbound,
        (cancel, busy): (CancellationToken, TaskTrackerToken),
    ) -> Self {
        let Port {
            can,
            output,
            speech: mode,
            ..
        } = port;
        let operations = TurnOperations::new(sender, can, output, rules);
        let directives = TurnDirectives::new(inbound, ports, (files, speech, mode), cancel);
        Self {
            answers: target_without_header(&operations, &directives),
            operations,
            preview: None,
            asides: Asides::default(),
            directives,
            rest: RestOfText::default(),
            answer_flags: MessageFlags::default(),
            busy: Some(busy),
            late: Vec::new(),
        }
    }

    /// Delivers a turn: takes output events until the run is over, then sees to it that something was said, and waits for
    /// everything that is held in its chat. Answers why the run failed, where it did; in other chats something may still
    /// wait.
    pub(crate) async fn deliver(
        &mut self,
        mut events: mpsc::Receiver<OutputEvent>,
    ) -> Result<Option<String>, StoreError> {
        self.operations.put_placeholder().await?;
        let mut ending = Ending::Done(StopReason::End);
        'events: loop {
            // Asked in this order: what is due is looked for in all the text that is not shown, and while the channel
            // is closed that grows.
            let operations = &self.operations;
            let due = self.preview.as_ref().filter(|_| operations.is_open());
            let due = due.and_then(|preview| preview.due(operations));
            let aside = self.asides.due().filter(|_| operations.is_open());
            let due = due.into_iter().chain(aside).min();
            let mut next = tokio::select! {
                biased;
                event = events.recv() => match event {
                    Some(event) => Some(event),
                    None => break,
                },
                () = async {
                    match due {
                        Some(due) => operations.sender.clock().sleep_until_steady(due).await,
                        None => std::future::pending().await,
                    }
                } => None,
            };
            // Everything that is there already, before a live edit: the latest text wins.
            while let Some(event) = next.take() {
                if let Some(end) = self.take_event(event).await? {
                    ending = end;
                    break 'events;
                }
                next = events.try_recv().ok();
            }
            if let Some(preview) = &mut self.preview {
                preview.refresh(&mut self.operations).await?;
            }
            self.asides.refresh(&mut self.operations, false).await?;
        }
        self.asides.end_thought(&mut self.operations).await?;
        self.asides.refresh(&mut self.operations, true).await?;
        self.conclude(ending).await
    }

    /// Waits for what is not finished in other chats.
    pub(crate) async fn collect_elsewhere(&mut self) -> Result<(), StoreError> {
        self.operations.collect_elsewhere().await
    }

    /// True where something is not finished in other chats.
    pub(crate) const fn is_busy_elsewhere(&self) -> bool {
        self.operations.is_busy_elsewhere()
    }

    /// The end of a turn whose run failed so, or did not.
    pub(crate) fn terminal(&self, failure: Option<String>) -> Terminal {
        self.operations.tally.terminal(failure)
    }

    /// Takes one output event. Answers the end of the run when it was the last one.
    async fn take_event(&mut self, event: OutputEvent) -> Result<Option<Ending>, StoreError> {
        let Self {
            operations,
            asides,
            directives,
            ..
        } = self;
        match event {
            OutputEvent::Text { message, text } => {
                let preview = open_preview(&mut self.preview, message, operations, directives);
                preview.push(&text);
                if operations.is_first_text() && preview.has_text() {
                    operations.begin_text();
                }
                if operations.blocks.is_some() {
                    preview.note_growth(operations.now());
                }
                preview.claim_message(operations);
            }
            OutputEvent::Raw(text) => operations.raw.push_str(&text),
            OutputEvent::Header {
                message,
                header,
                span,
            } => self.take_header(message, header, span)?,
            OutputEvent::PartOfHeader(part) => {
                if let Some(as_voice) = part.audio_as_voice {
                    directives.audio_as_voice = as_voice && operations.rules.holds(Rule::SpeechHeader);
                }
                directives.header.merge(part);
            }
            OutputEvent::Directive { at, directive } => {
                operations.tally.directives += 1;
                if operations.rules.holds(Rule::DeliverDirectives) {
                    directives.carry_out(operations, at, directive).await?;
                } else {
                    self.late.push((at, directive));
                }
            }
            OutputEvent::Action { is_kept } => {
                operations.tally.directives += 1;
                operations.tally.skipped += u32::from(!is_kept);
            }
            OutputEvent::Suppressed(reason) => {
                operations.tally.suppressed = Some(reason);
                if !operations.rules.holds(Rule::DeliverSilence) {
                    let text = OutgoingOperation::literal("(suppressed)");
                    operations.send_operation(text).await?;
                }
            }
            OutputEvent::Tool(call) => asides.show_tool(operations, call).await?,
            OutputEvent::ActionPerformed => {
                directives.has_acted = true;
                if self.answers.is_none() {
                    self.answers = target_without_header(operations, directives);
                }
            }
            OutputEvent::Thought(text) => asides.think(operations, &text),
            OutputEvent::ThoughtEnded => asides.end_thought(operations).await?,
            OutputEvent::Aside(text) => {
                operations.send_aside(OutgoingOperation::own_aside(&text)).await?;
            }
            OutputEvent::Used(usage) => {
                if let Some(footer) = &mut operations.footer {
                    footer.count(usage);
                }
            }
            OutputEvent::Asked(question) => asides.ask_question(operations, question).await?,
            OutputEvent::Decided { id, words } => asides.mark_decided(operations, &id, &words).await?,
            OutputEvent::Ended { narration } => self.end_message(narration).await?,
            OutputEvent::RunEnded(reason) => return Ok(Some(Ending::Done(reason))),
            OutputEvent::RunTooLong => return Ok(Some(Ending::TooLong)),
            OutputEvent::RunCancelled => return Ok(Some(Ending::Failed(Failure::cancelled()))),
            OutputEvent::RunFailed { fault, detail } => {
                return Ok(Some(Ending::Failed(Failure::of_run(fault, detail))));
            }
        }
        Ok(None)
    }

    fn take_header(&mut self, message: u32, header: Header, span: Span) -> Result<(), StoreError> {
        let target = self.header_target(message, &header, span)?;
        let directives = &mut self.directives;
        // It applies to the first message of the answer: where a file was that, the text is none.
        let target = target.filter(|_| !std::mem::take(&mut directives.file_answered));
        let speaks = self.operations.rules.holds(Rule::SpeechHeader);
        directives.audio_as_voice = header.audio_as_voice == Some(true) && speaks;
        directives.header = header;
        self.answers.clone_from(&target);
        self.answer_flags = directives.flags(&self.operations);
        open_preview(&mut self.preview, message, &self.operations, &self.directives)
            .answer(target, self.answer_flags.clone());
        Ok(())
    }

    fn header_target(
        &self,
        message: u32,
        header: &Header,
        span: Span,
    ) -> Result<Option<MessageId>, StoreError> {
        let unsupported = |what: String| Kind::Diagnosed {
            message,
            diagnostic: Diagnostic::new(Code::UnsupportedOnChannel, span, what),
        };
        let operations = &self.operations;
        for flag in ignored_flags(header, &operations.can) {
            operations.note(unsupported(format!("{flag} has no effect on this channel")))?;
        }
        match reply_target(
            operations.rules,
            header,
            self.directives.answered(),
            &operations.can,
        ) {
            Ok(target) => Ok(target),
            Err(why) => {
                operations.warn(why.clone())?;
                if operations.can.reply.is_none() {
                    operations.note(unsupported(why))?;
                }
                Ok(None)
            }
        }
    }
}

fn open_preview<'a>(
    preview: &'a mut Option<Preview>,
    message: u32,
    operations: &TurnOperations,
    directives: &TurnDirectives,
) -> &'a mut Preview {
    preview.get_or_insert_with(|| {
        let lead = operations.lead.as_ref().map(|lead| lead.text());
        let mut preview = Preview::new(message).led_by(lead);
        let target = target_without_header(operations, directives);
        if target.is_some() && !directives.file_answered {
            preview.answer(target, MessageFlags::default());
        }
        preview
    })
}

/// The message that an assistant message without a header answers.
fn target_without_header(operations: &TurnOperations, directives: &TurnDirectives) -> Option<MessageId> {
    let target = reply_target(
        operations.rules,
        &Header::default(),
        directives.answered(),
        &operations.can,
    );
    target.ok().flatten()
}
