//! Files that a directive sends.

use super::{Skip, TurnDirectives, claim_message, send_text, target::DirectiveTarget};
use crate::{
    deliver::{operation::OutgoingOperation, turn_operations::TurnOperations},
    rules::Rule,
    split::Limit,
};
use foldback_channels::takes_caption;
use foldback_directives::redact::MASK;
use foldback_store::StoreError;
use foldback_wire::{Body, DirectiveRef, FileKind, MessageFlags, Operation};

/// A file as a directive names it.
pub(super) struct FileDirective {
    pub(super) path: String,
    pub(super) caption: Option<String>,
    pub(super) kind: FileKind,
    pub(super) cleanup: bool,
}

impl TurnDirectives {
    pub(super) async fn send_file(
        &mut self,
        operations: &mut TurnOperations,
        at: DirectiveRef,
        file: FileDirective,
        channel: Option<String>,
        chat: Option<String>,
    ) -> Result<Result<(), Skip>, StoreError> {
        let DirectiveTarget { sender, can } = match self.find_target(operations, channel, chat) {
            Ok(place) => place,
            Err(skip) => return Ok(Err(skip)),
        };
        if can.file_limit.is_none() && operations.rules.holds(Rule::DeliverUnsupported) {
            return Ok(Err(Skip::unsupported("this channel takes no files")));
        }
        if file.path.contains(MASK) {
            let why = "its name holds a secret, and a file's name is shown; send it under another one";
            return Ok(Err(Skip::not_allowed(why)));
        }
        let checked = match self.files.check(&file.path, file.kind, &can) {
            Ok(checked) => checked,
            Err(refusal) => {
                return Ok(Err(Skip::of_file(&refusal)));
            }
        };
        let caption = file.caption.filter(|c| !c.trim().is_empty());
        // As written and as sent, like any text: one that grew on the way would be refused, and its file with it.
        let limit = Limit {
            max: can.caption_limit,
            ..Limit::of(&can)
        };
        let fits = |c: &String| limit.length(c) <= limit.max || !operations.rules.holds(Rule::FilesCaption);
        let can_have_one = takes_caption(can.platform, &checked.relative);
        // A voice note has no caption anywhere.
        let as_voice = self.audio_as_voice && file.kind == FileKind::Audio && can.voice.is_some();
        let (caption, follows) = match caption {
            caption if as_voice => (None, caption),
            Some(caption) if can_have_one && fits(&caption) => (Some(caption), None),
            other => (None, other),
        };
        let flags = if sender.is_elsewhere() {
            MessageFlags::default()
        } else {
            self.flags(operations)
        };
        if flags.only_for.is_some() {
            return Ok(Err(Skip::ephemeral_file()));
        }
        if let Err(skip) = claim_message(operations, &sender) {
            return Ok(Err(skip));
        }
        let answered = if sender.is_elsewhere() {
            None
        } else {
            self.answered_by_file(operations)
        };
        let body = caption.clone().map(Body::own);
        let (path, identity) = (checked.relative.clone(), checked.identity);
        let outgoing = |operation| {
            let mut outgoing = OutgoingOperation::new(operation).for_directive(at);
            outgoing.body.clone_from(&body);
            outgoing.then.cleans_up = file.cleanup;
            outgoing
        };
        let answering = |reply_to| {
            outgoing(if as_voice {
                Operation::SendVoice {
                    path: path.clone(),
                    text: String::new(),
                    reply_to,
                    checked: identity,
                    flags: flags.clone(),
                }
            } else {
                Operation::SendFile {
                    path: path.clone(),
                    kind: file.kind,
                    caption: caption.clone(),
                    reply_to,
                    checked: identity,
                    flags: flags.clone(),
                }
            })
        };
        let outgoing = match &answered {
            Some(target) => answering(Some(target.clone())).or_plainly(answering(None), target),
            None => answering(None),
        };
        operations.send_operation_by(&sender, outgoing).await?;
        if let Some(text) = follows {
            if !as_voice {
                let why = if can_have_one {
                    "the caption is longer than the channel takes"
                } else {
                    "audio has no caption on this channel"
                };
                operations.warn(format!("{why}; it follows as text"))?;
            }
            if send_text(operations, (&sender, &can), at, &text, &flags)
                .await?
                .is_err()
            {
                operations.leave_out()?;
            }
        }
        Ok(Ok(()))
    }
}
