//! Carrying out directives: what the channel cannot do is skipped with a reason, and nothing that goes wrong
//! here keeps the text from going out.

use super::{
    desk::Desk, operation::OutgoingOperation, operation_sender::OperationSender, reply::reply_target,
    voice::voice,
};
use crate::{
    ports::Port,
    rules::Rule,
    split::{Limit, split},
};
use foldback_channels::{FileRefusal, emoji_for, resolve_emoji_on, similar_emoji, takes_caption};
use foldback_directives::redact::MASK;
use foldback_store::StoreError;
use foldback_wire::{
    Body, Capabilities, ChannelId, Code, Diagnostic, Directive, DirectiveRef, FileKind, Kind, MessageFlags,
    MessageId, Operation, Outcome, OutcomeCode, Target,
};
use std::sync::Arc;

/// Why a directive is not carried out.
pub(super) struct Skip {
    code: OutcomeCode,
    why: String,
    /// The setting that would change it.
    setting: Option<String>,
}

impl Skip {
    pub(super) fn unsupported(why: impl Into<String>) -> Self {
        Self {
            code: OutcomeCode::Unsupported,
            why: why.into(),
            setting: None,
        }
    }

    /// Only one person may see the answer, and no platform shows a file to one person of a chat.
    pub(super) fn ephemeral_file() -> Self {
        Self::unsupported("a file cannot be shown to one person only")
    }

    /// It was tried, and did not work.
    pub(super) fn failed(why: impl Into<String>) -> Self {
        Self {
            code: OutcomeCode::Failed,
            why: why.into(),
            setting: None,
        }
    }

    /// There is nothing to do.
    pub(super) fn superfluous(why: impl Into<String>) -> Self {
        Self {
            code: OutcomeCode::Cancelled,
            why: why.into(),
            setting: None,
        }
    }

    /// Whether it was tried.
    pub(super) fn is_failure(&self) -> bool {
        self.code == OutcomeCode::Failed
    }

    pub(super) fn not_allowed(why: impl Into<String>) -> Self {
        Self {
            code: OutcomeCode::NotAllowed,
            why: why.into(),
            setting: None,
        }
    }

    fn of_file(refusal: &FileRefusal) -> Self {
        let code = match refusal {
            FileRefusal::Missing { .. } => OutcomeCode::Missing,
            _ => OutcomeCode::NotAllowed,
        };
        Self {
            code,
            why: refusal.to_string(),
            setting: refusal.setting().map(str::to_owned),
        }
    }

    pub(super) fn unless(self, setting: Option<&str>) -> Self {
        Self {
            setting: setting.map(str::to_owned),
            ..self
        }
    }
}

/// Carries a directive out, or skips it and says why.
pub(crate) async fn carry_out(
    desk: &mut Desk,
    at: DirectiveRef,
    directive: Directive,
) -> Result<(), StoreError> {
    let span = directive.span();
    let tag = directive.tag();
    let done = match directive {
        Directive::React { emoji, message, .. } => react(desk, at, &emoji, message).await?,
        Directive::SendFile {
            path,
            caption,
            kind,
            cleanup,
            channel,
            chat,
            ..
        } => {
            let file = File {
                path,
                caption,
                kind,
                cleanup,
            };
            send_file(desk, at, file, channel, chat).await?
        }
        Directive::Voice { text, .. } => voice(desk, at, &text).await?,
        Directive::SendMessage {
            channel, chat, text, ..
        } => send_message(desk, at, &channel, &chat, &text).await?,
    };
    let Err(Skip { code, why, setting }) = done else {
        return Ok(());
    };
    desk.tally.skipped += 1;
    tracing::warn!(directive = tag, outcome = %code, text = %why, "skipped");
    let outcome = Outcome::new(code).because(why.clone());
    desk.note(Kind::Skipped { at, outcome, setting })?;
    let code = match code {
        OutcomeCode::Unsupported => Code::UnsupportedOnChannel,
        OutcomeCode::NotAllowed => Code::NotAllowed,
        OutcomeCode::Missing => Code::MissingFile,
        _ => return Ok(()),
    };
    let diagnostic = Diagnostic::new(code, span, format!("{tag}: {why}"));
    desk.note(Kind::Diagnosed {
        message: at.message,
        diagnostic,
    })
}

async fn react(
    desk: &mut Desk,
    at: DirectiveRef,
    written: &str,
    message: Option<String>,
) -> Result<Result<(), Skip>, StoreError> {
    if desk.can.react.is_none() && desk.rules.holds(Rule::DeliverUnsupported) {
        return Ok(Err(Skip::unsupported("this channel has no reactions")));
    }
    let Some(emoji) = resolve_emoji_on(&desk.can, written) else {
        let meant = similar_emoji(written).map_or_else(String::new, |name| format!(". Did you mean {name}?"));
        return Ok(Err(Skip::unsupported(format!(
            "unknown emoji “{written}”{meant}"
        ))));
    };
    let Some(sent) = emoji_for(&desk.can, &emoji) else {
        return Ok(Err(Skip::unsupported(format!(
            "this channel has no {emoji} and nothing near it"
        ))));
    };
    if sent.nearest {
        desk.warn(format!(
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
        None if desk.rules.holds(Rule::DeliverReaction) => desk.inbound.message.clone(),
        None => return Ok(Err(Skip::unsupported("no message is named"))),
    };
    let operation = Operation::React {
        message,
        emoji,
        emoji_sent: sent.form,
    };
    desk.post(OutgoingOperation::new(operation).for_directive(at))
        .await?;
    Ok(Ok(()))
}

/// A chat to send to, with what its channel can do.
struct Place {
    sender: OperationSender,
    can: Capabilities,
}

/// The turn's own chat, or another one where the allow list has it.
fn place(desk: &Desk, channel: Option<String>, chat: Option<String>) -> Result<Place, Skip> {
    let (channel, chat) = match (channel, chat) {
        (None, None) => {
            return Ok(Place {
                sender: desk.sender.clone(),
                can: desk.can.clone(),
            });
        }
        (Some(channel), Some(chat)) => (channel, chat),
        (None, Some(chat)) => (desk.sender.channel.id().as_str().to_owned(), chat),
        (Some(_), None) => return Err(Skip::not_allowed("a channel is named, but no chat on it")),
    };
    if !desk.output.allows(&channel, &chat) && desk.rules.holds(Rule::DeliverElsewhere) {
        return Err(
            Skip::not_allowed(format!("{channel}:{chat} is not in output.allow_targets"))
                .unless(Some("output.allow_targets")),
        );
    }
    let Some(Port { channel, can, .. }) = desk.ports.port(&ChannelId::new(channel.clone())) else {
        return Err(Skip::not_allowed(format!("there is no channel {channel}")));
    };
    let target = Target {
        chat: chat.into(),
        thread: None,
    };
    Ok(Place {
        sender: desk.sender.to(channel, target),
        can,
    })
}

struct File {
    path: String,
    caption: Option<String>,
    kind: FileKind,
    cleanup: bool,
}

async fn send_file(
    desk: &mut Desk,
    at: DirectiveRef,
    file: File,
    channel: Option<String>,
    chat: Option<String>,
) -> Result<Result<(), Skip>, StoreError> {
    let Place { sender, can } = match place(desk, channel, chat) {
        Ok(place) => place,
        Err(skip) => return Ok(Err(skip)),
    };
    if can.file_limit.is_none() && desk.rules.holds(Rule::DeliverUnsupported) {
        return Ok(Err(Skip::unsupported("this channel takes no files")));
    }
    if file.path.contains(MASK) {
        let why = "its name holds a secret, and a file's name is shown; send it under another one";
        return Ok(Err(Skip::not_allowed(why)));
    }
    let checked = match desk.files.check(&file.path, file.kind, &can) {
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
    let fits = |c: &String| limit.length(c) <= limit.max || !desk.rules.holds(Rule::FilesCaption);
    let can_have_one = takes_caption(can.platform, &checked.relative);
    // A voice note has no caption anywhere.
    let as_voice = desk.audio_as_voice && file.kind == FileKind::Audio && can.voice.is_some();
    let (caption, follows) = match caption {
        caption if as_voice => (None, caption),
        Some(caption) if can_have_one && fits(&caption) => (Some(caption), None),
        other => (None, other),
    };
    let flags = if sender.is_elsewhere() {
        MessageFlags::default()
    } else {
        desk.flags()
    };
    if flags.only_for.is_some() {
        return Ok(Err(Skip::ephemeral_file()));
    }
    if let Err(skip) = desk.take_message_of_directive(&sender) {
        return Ok(Err(skip));
    }
    let answered = if sender.is_elsewhere() {
        None
    } else {
        answered_by_file(desk)
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
    desk.post_by(&sender, outgoing).await?;
    if let Some(text) = follows {
        if !as_voice {
            let why = if can_have_one {
                "the caption is longer than the channel takes"
            } else {
                "audio has no caption on this channel"
            };
            desk.warn(format!("{why}; it follows as text"))?;
        }
        if send_text(desk, (&sender, &can), at, &text, &flags)
            .await?
            .is_err()
        {
            desk.leave_out()?;
        }
    }
    Ok(Ok(()))
}

/// The message that a file or a voice note answers: the one that its message's header names, where it is the first that
/// is sent of it. A target that cannot be one is told with the whole header.
pub(super) fn answered_by_file(desk: &mut Desk) -> Option<MessageId> {
    if desk.file_answered {
        return None;
    }
    let target = reply_target(desk.rules, &desk.header, &desk.inbound.message, &desk.can);
    let target = target.ok().flatten();
    desk.file_answered = target.is_some();
    target
}

async fn send_message(
    desk: &mut Desk,
    at: DirectiveRef,
    channel: &str,
    chat: &str,
    text: &str,
) -> Result<Result<(), Skip>, StoreError> {
    match place(desk, Some(channel.to_owned()), Some(chat.to_owned())) {
        Ok(Place { sender, can }) => {
            // It is no part of the answer, whose header it does not share.
            let flags = MessageFlags::default();
            send_text(desk, (&sender, &can), at, text, &flags).await
        }
        Err(skip) => Ok(Err(skip)),
    }
}

/// Text that a directive carries, in as many messages as it takes; or why it has none. Where its chat may have only some
/// of them, the others are left out.
pub(super) async fn send_text(
    desk: &mut Desk,
    (sender, can): (&OperationSender, &Capabilities),
    at: DirectiveRef,
    text: &str,
    flags: &MessageFlags,
) -> Result<Result<(), Skip>, StoreError> {
    let parts = Arc::default();
    for (number, piece) in split(text, Limit::of(can)).into_iter().enumerate() {
        if let Err(skip) = desk.take_message_of_directive(sender) {
            if number == 0 {
                return Ok(Err(skip));
            }
            desk.leave_out()?;
            break;
        }
        let outgoing = OutgoingOperation::literal(&piece.text(text))
            .flagged(flags)
            .for_directive(at)
            .part(&parts);
        desk.post_by(sender, outgoing).await?;
    }
    Ok(Ok(()))
}
