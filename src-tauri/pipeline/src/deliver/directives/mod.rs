//! Carrying out directives: what the channel cannot do is skipped with a reason, and nothing that goes wrong
//! here keeps the text from going out.

mod file;
mod skip;
mod target;
mod voice;

use super::{
    message_quota::{MOST, TOO_MANY_REACTIONS},
    operation::OutgoingOperation,
    operation_sender::OperationSender,
    reply::{Answered, message_flags, reply_target},
    turn_operations::TurnOperations,
};
use crate::{
    files::SendDir,
    id::answered_message,
    ports::Ports,
    rules::Rule,
    split::{Limit, split},
    voices::Speech,
};
use file::FileDirective;
use foldback_channels::{emoji_for, resolve_emoji_on, similar_emoji};
use foldback_directives::redact::MASK;
use foldback_store::StoreError;
use foldback_wire::{
    Capabilities, Code, Diagnostic, Directive, DirectiveRef, Header, Inbound, Kind, MessageFlags, MessageId,
    Operation, Outcome, OutcomeCode, SpeechMode,
};
use skip::Skip;
use std::{sync::Arc, time::Duration};
use target::DirectiveTarget;
use tokio_util::sync::CancellationToken;

/// The directives of a turn: what they are carried out with, and what they share with the assistant message in which they
/// stand.
pub(super) struct TurnDirectives {
    pub(super) inbound: Inbound,
    ports: Arc<Ports>,
    pub(super) files: SendDir,
    speech: Speech,
    /// The answers that are spoken, beside what their directives say.
    speech_mode: SpeechMode,
    /// Cancelled when the run is stopped.
    cancel: CancellationToken,
    /// The message's header so far: files may come before the text that settles it.
    pub(super) header: Header,
    /// The message's audio files go out as voice notes.
    pub(super) audio_as_voice: bool,
    /// A tool call of the run had an action carried out.
    pub(super) has_acted: bool,
    /// A file or a voice note of the message answers the message that its header names.
    pub(super) file_answered: bool,
    /// The time for which the message's voice directives have been waited for, all of them.
    speech_took: Duration,
    /// The texts of the message that were to be heard and are not.
    unspoken: Vec<(DirectiveRef, String)>,
    /// The number behind those of the message's directives.
    pub(super) next_index: u32,
    /// The message says itself what of it is to be heard.
    pub(super) has_voice: bool,
}

impl TurnDirectives {
    pub(super) fn new(
        inbound: Inbound,
        ports: Arc<Ports>,
        (files, speech, speech_mode): (SendDir, Speech, SpeechMode),
        cancel: CancellationToken,
    ) -> Self {
        Self {
            inbound,
            ports,
            files,
            speech,
            speech_mode,
            cancel,
            header: Header::default(),
            audio_as_voice: false,
            has_acted: false,
            file_answered: false,
            speech_took: Duration::ZERO,
            unspoken: Vec::new(),
            next_index: 0,
            has_voice: false,
        }
    }

    /// The message that began the turn, as far as replies are about it.
    pub(super) const fn answered(&self) -> Answered<'_> {
        Answered {
            inbound: &self.inbound,
            has_acted: self.has_acted,
        }
    }

    /// The flags that the message's header asks for.
    pub(super) fn flags(&self, operations: &TurnOperations) -> MessageFlags {
        message_flags(&self.header, &self.inbound, &operations.can)
    }

    /// Carries a directive out, or skips it and says why.
    pub(crate) async fn carry_out(
        &mut self,
        operations: &mut TurnOperations,
        at: DirectiveRef,
        directive: Directive,
    ) -> Result<(), StoreError> {
        let span = directive.span();
        let tag = directive.tag();
        self.note_directive(at, &directive);
        let done = match directive {
            Directive::React { emoji, message, .. } => self.react(operations, at, &emoji, message).await?,
            Directive::SendFile {
                path,
                caption,
                kind,
                cleanup,
                channel,
                chat,
                ..
            } => {
                let file = FileDirective {
                    path,
                    caption,
                    kind,
                    cleanup,
                };
                self.send_file(operations, at, file, channel, chat).await?
            }
            Directive::Voice { text, .. } => self.voice(operations, at, &text).await?,
            Directive::SendMessage {
                channel, chat, text, ..
            } => self.send_message(operations, at, &channel, &chat, &text).await?,
        };
        let Err(Skip { code, why, setting }) = done else {
            return Ok(());
        };
        operations.tally.skipped += 1;
        tracing::warn!(directive = tag, outcome = %code, text = %why, "skipped");
        let outcome = Outcome::new(code).because(why.clone());
        let skipped = Kind::Skipped {
            at,
            outcome,
            setting,
            decided_by: None,
        };
        operations.note(skipped)?;
        let code = match code {
            OutcomeCode::Unsupported => Code::UnsupportedOnChannel,
            OutcomeCode::NotAllowed => Code::NotAllowed,
            OutcomeCode::Missing => Code::MissingFile,
            _ => return Ok(()),
        };
        let diagnostic = Diagnostic::new(code, span, format!("{tag}: {why}"));
        operations.note(Kind::Diagnosed {
            message: at.message,
            diagnostic,
        })
    }

    /// Takes note of a directive of the message.
    fn note_directive(&mut self, at: DirectiveRef, directive: &Directive) {
        self.next_index = self.next_index.max(at.index.saturating_add(1));
        self.has_voice |= matches!(directive, Directive::Voice { .. });
    }

    async fn react(
        &mut self,
        operations: &mut TurnOperations,
        at: DirectiveRef,
        written: &str,
        message: Option<String>,
    ) -> Result<Result<(), Skip>, StoreError> {
        if operations.can.react.is_none() && operations.rules.holds(Rule::DeliverUnsupported) {
            return Ok(Err(Skip::unsupported("this channel has no reactions")));
        }
        let Some(emoji) = resolve_emoji_on(&operations.can, written) else {
            let meant =
                similar_emoji(written).map_or_else(String::new, |name| format!(". Did you mean {name}?"));
            return Ok(Err(Skip::unsupported(format!(
                "unknown emoji “{written}”{meant}"
            ))));
        };
        let Some(sent) = emoji_for(&operations.can, &emoji) else {
            return Ok(Err(Skip::unsupported(format!(
                "this channel has no {emoji} and nothing near it"
            ))));
        };
        if sent.nearest {
            operations.warn(format!(
                "this channel has no {emoji}; {} is the nearest",
                sent.form
            ))?;
        }
        let message = match message {
            Some(id) if id.contains(MASK) => {
                return Ok(Err(Skip::not_allowed(
                    "the message it names is a secret, and no message id",
                )));
            }
            Some(id) => MessageId::new(id),
            None => match answered_message(&self.inbound) {
                None => {
                    return Ok(Err(Skip::unsupported(
                        "no message began this turn, so there is none to react to",
                    )));
                }
                Some(current) if operations.rules.holds(Rule::DeliverReaction) => current.clone(),
                Some(_) => return Ok(Err(Skip::unsupported("no message is named"))),
            },
        };
        if !operations.quota.claim_reaction() {
            return Ok(Err(Skip::not_allowed(TOO_MANY_REACTIONS).unless(Some(MOST))));
        }
        let operation = Operation::React {
            message,
            emoji,
            emoji_sent: sent.form,
        };
        operations
            .send_operation(OutgoingOperation::new(operation).for_directive(at))
            .await?;
        Ok(Ok(()))
    }

    async fn send_message(
        &mut self,
        operations: &mut TurnOperations,
        at: DirectiveRef,
        channel: &str,
        chat: &str,
        text: &str,
    ) -> Result<Result<(), Skip>, StoreError> {
        match self.find_target(operations, Some(channel.to_owned()), Some(chat.to_owned())) {
            Ok(DirectiveTarget { sender, can }) => {
                // It is no part of the answer, whose header it does not share.
                let flags = MessageFlags::default();
                send_text(operations, (&sender, &can), at, text, &flags).await
            }
            Err(skip) => Ok(Err(skip)),
        }
    }

    /// The message that a file or a voice note answers: the one that its message's header names, where it is the first that
    /// is sent of it. A target that cannot be one is told with the whole header.
    fn answered_by_file(&mut self, operations: &TurnOperations) -> Option<MessageId> {
        if self.file_answered {
            return None;
        }
        let (rules, can) = (operations.rules, &operations.can);
        let target = reply_target(rules, &self.header, self.answered(), can);
        let target = target.ok().flatten();
        self.file_answered = target.is_some();
        target
    }
}

/// Counts one more message of a directive, or says why there is none.
fn claim_message(operations: &mut TurnOperations, sender: &OperationSender) -> Result<(), Skip> {
    if operations.claim_message_by(sender) {
        return Ok(());
    }
    operations.quota.left_out = true;
    let why = "its chat has as many messages of the turn as it should get";
    Err(Skip::not_allowed(why).unless(Some(MOST)))
}

/// Text that a directive carries, in as many messages as it takes; or why it has none. Where its chat may have only some
/// of them, the others are left out.
async fn send_text(
    operations: &mut TurnOperations,
    (sender, can): (&OperationSender, &Capabilities),
    at: DirectiveRef,
    text: &str,
    flags: &MessageFlags,
) -> Result<Result<(), Skip>, StoreError> {
    let parts = Arc::default();
    for (number, piece) in split(text, Limit::of(can)).into_iter().enumerate() {
        if let Err(skip) = claim_message(operations, sender) {
            if number == 0 {
                return Ok(Err(skip));
            }
            operations.leave_out()?;
            break;
        }
        let outgoing = OutgoingOperation::literal(&piece.text(text))
            .flagged(flags)
            .for_directive(at)
            .part(&parts);
        operations.send_operation_by(sender, outgoing).await?;
    }
    Ok(Ok(()))
}
