//! The wishes of a header: the message that an answer answers, and the flags of its messages.

use crate::{
    id::{answered_message, is_delivery, is_made_up},
    rules::{Rule, Rules},
};
use foldback_directives::redact::MASK;
use foldback_wire::{
    Capabilities, ChatType, Header, Inbound, MessageFlag, MessageFlags, MessageId, ReplyForm,
};

/// The reason for which a turn that no message began answers none.
const NO_MESSAGE: &str = "no message began this turn, so there is none to answer; sent without";

/// The message that began a turn, as far as replies are about it.
#[derive(Clone, Copy)]
pub(crate) struct Answered<'a> {
    pub(crate) inbound: &'a Inbound,
    /// A tool call of the run had an action carried out: its answer is the result's.
    pub(crate) has_acted: bool,
}

/// The reply target a header asks for, or why it cannot be one. What a delivery turn says, and what a run says behind an action
/// that it called, answers the message that asked for it, where the header names no other and the channel has replies.
pub(crate) fn reply_target(
    rules: Rules,
    header: &Header,
    answered: Answered<'_>,
    can: &Capabilities,
) -> Result<Option<MessageId>, String> {
    let asks = header.reply_to_current == Some(true) && rules.holds(Rule::DeliverReplyCurrent);
    let Answered { inbound, has_acted } = answered;
    let by_default = (has_acted || is_delivery(inbound))
        && header.reply_to_current.is_none()
        && can.reply.is_some()
        && rules.holds(Rule::DeliveriesReply);
    let wanted = match &header.reply_to {
        Some(id) => MessageId::new(id.clone()),
        None if asks || by_default => match answered_message(inbound) {
            Some(current) => current.clone(),
            None if asks => return Err(NO_MESSAGE.to_owned()),
            None => return Ok(None),
        },
        None => return Ok(None),
    };
    if wanted.as_str().contains(MASK) {
        // No platform has a message of that id, and none is told a secret.
        return Err(format!(
            "{wanted} stands for a secret and is no message id; sent without"
        ));
    }
    if is_made_up(&wanted) {
        return Err(NO_MESSAGE.to_owned());
    }
    match can.reply {
        None => Err(format!(
            "this channel cannot answer message {wanted}; sent without"
        )),
        Some(ReplyForm::NumericReference)
            if wanted.as_str().parse::<u64>().is_err() && rules.holds(Rule::DeliverReplyRefused) =>
        {
            Err(format!(
                "{wanted} is no message id of this channel (a number); sent without"
            ))
        }
        Some(_) => Ok(Some(wanted)),
    }
}

/// The flags that the messages of a header are sent with. What a direct chat shows, only the sender sees anyway.
pub(crate) fn message_flags(header: &Header, inbound: &Inbound, can: &Capabilities) -> MessageFlags {
    let asked = |flag: MessageFlag| flag.of(header) == Some(true) && can.flags.contains(&flag);
    let is_ephemeral = asked(MessageFlag::Ephemeral) && inbound.chat_type == ChatType::Group;
    MessageFlags {
        silent: asked(MessageFlag::Silent),
        suppress_embeds: asked(MessageFlag::SuppressEmbeds),
        only_for: is_ephemeral.then(|| inbound.sender.id.clone()),
    }
}

/// Flags of a header that this channel does not honour, as an agent writes them.
pub(crate) fn ignored_flags(header: &Header, can: &Capabilities) -> Vec<&'static str> {
    let lacks = |flag: &&MessageFlag| flag.of(header) == Some(true) && !can.flags.contains(flag);
    let flags = MessageFlag::ALL.iter().filter(lacks).map(|flag| flag.code());
    let voiceless = header.audio_as_voice == Some(true) && can.voice.is_none();
    flags.chain(voiceless.then_some("audio_as_voice")).collect()
}

/// The flags of a header that a channel honours, as an agent writes them.
pub fn honoured_flags(can: &Capabilities) -> Vec<&'static str> {
    let all = Header {
        ephemeral: Some(true),
        suppress_embeds: Some(true),
        silent: Some(true),
        audio_as_voice: Some(true),
        ..Header::default()
    };
    let ignored = ignored_flags(&all, can);
    let flags = ["ephemeral", "suppress_embeds", "silent", "audio_as_voice"];
    flags.into_iter().filter(|flag| !ignored.contains(flag)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;
    use foldback_channels::{platform, profile};
    use foldback_wire::Platform;

    const fn of(inbound: &Inbound) -> Answered<'_> {
        Answered {
            inbound,
            has_acted: false,
        }
    }

    #[test]
    fn behind_an_action_an_answer_answers_the_message_and_a_schedule_has_none() {
        let mut message = inbound("hi");
        let mut can = profile(platform::TELEGRAM);
        let target = |message: &Inbound, can: &Capabilities| {
            let answered = Answered {
                has_acted: true,
                ..of(message)
            };
            reply_target(Rules::all(), &Header::default(), answered, can)
        };
        assert_eq!(target(&message, &can), Ok(Some("m1".into())));
        can.reply = None;
        assert_eq!(target(&message, &can), Ok(None));
        can = profile(platform::TELEGRAM);
        message.message = "schedule:a:due:1".into();
        assert_eq!(target(&message, &can), Ok(None));
    }

    fn target(platform: Platform, header: &Header) -> Result<Option<MessageId>, String> {
        reply_target(Rules::all(), header, of(&inbound("hi")), &profile(platform))
    }

    #[test]
    fn an_id_or_the_current_message() {
        let to = Header {
            reply_to: Some("9".into()),
            reply_to_current: Some(true),
            ..Header::default()
        };
        assert_eq!(target(platform::TELEGRAM, &to), Ok(Some("9".into())));
        let current = Header {
            reply_to_current: Some(true),
            ..Header::default()
        };
        assert_eq!(target(platform::TELEGRAM, &current), Ok(Some("m1".into())));
        let cleared = Header {
            reply_to_current: Some(false),
            ..Header::default()
        };
        assert_eq!(target(platform::TELEGRAM, &cleared), Ok(None));
    }

    #[test]
    fn a_delivery_answers_the_message_that_asked_for_it_and_a_schedule_none() {
        let current = Header {
            reply_to_current: Some(true),
            ..Header::default()
        };
        let none = Header {
            reply_to_current: Some(false),
            ..Header::default()
        };
        let mut message = inbound("the result of bash");
        message.message = "delivery:d1".into();
        message.reply_to = Some("7".into());
        let mut can = profile(platform::TELEGRAM);
        let target = |header: &Header, message: &Inbound, can: &Capabilities| {
            reply_target(Rules::all(), header, of(message), can)
        };
        assert_eq!(target(&Header::default(), &message, &can), Ok(Some("7".into())));
        assert_eq!(target(&current, &message, &can), Ok(Some("7".into())));
        assert_eq!(target(&none, &message, &can), Ok(None));
        message.reply_to = None;
        assert_eq!(target(&Header::default(), &message, &can), Ok(None));
        assert!(target(&current, &message, &can).is_err());
        message.message = "schedule:a:due:1".into();
        assert_eq!(target(&Header::default(), &message, &can), Ok(None));
        assert!(target(&current, &message, &can).is_err());
        message.message = "delivery:d1".into();
        message.reply_to = Some("7".into());
        can.reply = None;
        assert_eq!(target(&Header::default(), &message, &can), Ok(None));
    }

    #[test]
    fn an_id_of_another_form_is_refused_with_a_reason() {
        let to = |id: &str| Header {
            reply_to: Some(id.into()),
            ..Header::default()
        };
        assert!(target(platform::DISCORD, &to("abc")).unwrap_err().contains("abc"));
        assert_eq!(
            target(platform::DISCORD, &to("1502606076451885136")),
            Ok(Some("1502606076451885136".into()))
        );
        assert!(target(platform::SLACK, &to("1700000000.1234")).is_ok());
        let mut can = profile(platform::TELEGRAM);
        can.reply = None;
        assert!(reply_target(Rules::all(), &to("1"), of(&inbound("hi")), &can).is_err());
    }

    #[test]
    fn what_stands_for_a_secret_is_no_message() {
        let to = Header {
            reply_to: Some(MASK.into()),
            ..Header::default()
        };
        for platform in [platform::TELEGRAM, platform::DISCORD] {
            assert!(target(platform, &to).unwrap_err().contains("no message id"));
        }
    }

    #[test]
    fn flags_that_are_set_and_not_honoured() {
        let header = Header {
            silent: Some(true),
            ephemeral: Some(false),
            ..Header::default()
        };
        let mut can = profile(platform::TELEGRAM);
        assert_eq!(ignored_flags(&header, &can), [""; 0]);
        assert_eq!(ignored_flags(&header, &profile(platform::SIGNAL)), ["silent"]);
        can.voice = None;
        let voice = Header {
            audio_as_voice: Some(true),
            ..Header::default()
        };
        assert_eq!(ignored_flags(&voice, &can), ["audio_as_voice"]);
    }
}
