//! Delivered messages in the journal: messages in and messages out. Nothing is scanned, for nothing raw is there.

use super::{id, platform_of};
use crate::stage::EPOCH;
use foldback_directives::redact::RedactSettings;
use foldback_transcripts::{Conversation, DeliveredMessage};
use foldback_wire::{
    Attachment, Body, ChannelId, ChatId, ChatType, Event, Inbound, Intent, Kind, MessageFlags, MessageId,
    OpId, OpKind, Outcome, OutcomeCode, Platform, Sender, Seq, SessionId, SilentReason, Target, Terminal,
    ThreadId, Timestamp, TurnId, UserId, redact::Redaction,
};

/// The events of a conversation of delivered messages. What nobody is known to be a bot of comes in; `bot` names the
/// sender whose messages went out, by id or name, where the format does not say it. A message of the bot belongs to the
/// turn that it answers, else to the latest; one before all others belongs to none. Messages of the platform itself are
/// left out. Secrets are masked as the bot masks them.
pub fn delivered_events(
    conversation: &Conversation,
    platform: Option<Platform>,
    bot: Option<&str>,
) -> Vec<Event> {
    let platform = platform.unwrap_or_else(|| platform_of(conversation));
    let mut writer = Writer::new(conversation, platform);
    let said = conversation.messages.iter().filter(|message| !message.service);
    let all: Vec<&DeliveredMessage> = said.collect();
    for (index, message) in all.iter().enumerate() {
        if is_of_bot(message, bot) {
            writer.send(message);
        } else {
            writer.receive(message);
            let answered = all[index + 1..]
                .iter()
                .take_while(|next| is_of_bot(next, bot))
                .count();
            if answered == 0 {
                writer.end_turn(false);
            }
        }
        let next = all.get(index + 1);
        if next.is_none_or(|next| !is_of_bot(next, bot)) {
            writer.end_turn(true);
        }
    }
    writer.events
}

fn is_of_bot(message: &DeliveredMessage, bot: Option<&str>) -> bool {
    let named = bot.is_some_and(|bot| {
        [&message.sender.id, &message.sender.name]
            .into_iter()
            .flatten()
            .any(|own| own == bot)
    });
    named || bot.is_none() && message.from_bot == Some(true)
}

struct Writer<'a> {
    conversation: &'a Conversation,
    channel: ChannelId,
    session: SessionId,
    chat: ChatId,
    redaction: Option<Redaction>,
    events: Vec<Event>,
    turns: u64,
    ops: u64,
    /// The turn that is open.
    turn: Option<TurnId>,
    now: Timestamp,
}

impl<'a> Writer<'a> {
    fn new(conversation: &'a Conversation, platform: Platform) -> Self {
        let place = conversation.chat.as_ref().and_then(|place| place.chat.as_deref());
        let chat = id(place.unwrap_or(&conversation.id));
        let first = conversation.messages.iter().find_map(|message| message.at);
        let mut writer = Self {
            conversation,
            channel: ChannelId::from(platform.code()),
            session: SessionId::new(format!("{}:{chat}", platform.code())),
            chat: ChatId::from(chat),
            redaction: Redaction::new(&RedactSettings::default()),
            events: Vec::new(),
            turns: 0,
            ops: 0,
            turn: None,
            now: first.unwrap_or(EPOCH),
        };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        writer.events.push(Event {
            seq: Seq(1),
            at: writer.now,
            turn: None,
            session: None,
            channel: None,
            kind: Kind::Started {
                version,
                replayed: true,
            },
        });
        writer
    }

    fn push(&mut self, mut kind: Kind) {
        if let Some(redaction) = &self.redaction {
            redaction.event(&mut kind);
        }
        self.events.push(Event {
            seq: Seq(self.events.len() as u64 + 1),
            at: self.now,
            turn: self.turn,
            session: Some(self.session.clone()),
            channel: Some(self.channel.clone()),
            kind,
        });
    }

    fn advance(&mut self, message: &DeliveredMessage) {
        self.now = self.now.max(message.at.unwrap_or(self.now));
    }

    fn thread(message: &DeliveredMessage) -> Option<ThreadId> {
        message.thread.as_deref().map(|thread| ThreadId::from(id(thread)))
    }

    fn receive(&mut self, message: &DeliveredMessage) {
        self.advance(message);
        self.turns += 1;
        self.turn = Some(TurnId(self.turns));
        let own = message.sender.id.as_deref().or(message.sender.name.as_deref());
        let name = message.sender.name.clone().unwrap_or_default();
        let group = self.conversation.chat.as_ref().is_some_and(|chat| chat.group);
        let files = message.files.iter().map(|name| Attachment {
            name: name.clone(),
            media_type: "application/octet-stream".to_owned(),
            size: None,
            source: None,
        });
        let mut inbound = Inbound {
            channel: self.channel.clone(),
            account: None,
            chat: self.chat.clone(),
            chat_type: if group { ChatType::Group } else { ChatType::Direct },
            thread: Self::thread(message),
            message: MessageId::from(id(&message.id)),
            reply_to: message.reply_to.as_deref().map(|to| MessageId::from(id(to))),
            sender: Sender {
                id: UserId::from(id(own.unwrap_or("unknown"))),
                name: name.clone(),
                display_name: name,
                is_bot: message.from_bot == Some(true),
            },
            text: message.text.clone(),
            mentioned: false,
            forwarded: message.forwarded,
            files: files.collect(),
            at: self.now,
            dry_run: false,
            at_by_device: false,
            omitted: None,
            context: None,
        };
        if let Some(redaction) = &self.redaction {
            redaction.message(&mut inbound);
        }
        self.push(Kind::Received {
            message: Box::new(inbound),
        });
    }

    fn send(&mut self, message: &DeliveredMessage) {
        self.advance(message);
        self.ops += 1;
        let op = OpId(self.ops);
        let mut text = message.text.clone();
        for file in &message.files {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(file);
        }
        self.push(Kind::Intended {
            op,
            intent: Box::new(Intent {
                kind: OpKind::SendText,
                channel: None,
                target: Target {
                    chat: self.chat.clone(),
                    thread: Self::thread(message),
                },
                message: None,
                reply_to: message.reply_to.as_deref().map(|to| MessageId::from(id(to))),
                body: Some(Body::own(text)),
                emoji: None,
                emoji_sent: None,
                path: None,
                file_kind: None,
                cleanup: false,
                directive: None,
                part_of: None,
                block: None,
                flags: MessageFlags::default(),
                live: false,
            }),
        });
        self.push(Kind::Attempted { op, attempt: 1 });
        let mut outcome = Outcome::new(OutcomeCode::Sent).because("It stands in the imported export.");
        outcome.message = Some(MessageId::from(id(&message.id)));
        outcome.attempts = 1;
        self.push(Kind::Ended { op, outcome });
    }

    /// Ends the turn that is open.
    fn end_turn(&mut self, replied: bool) {
        if self.turn.is_none() {
            return;
        }
        self.push(Kind::Idle);
        let terminal = if replied {
            Terminal::Replied
        } else {
            // Why nothing was said stands in no export.
            Terminal::Silent {
                reason: SilentReason::NoReply,
            }
        };
        self.push(Kind::TurnEnded { terminal });
        self.turn = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_pipeline::invariants::{Extent, check};
    use foldback_transcripts::{ReadLimits, read};

    fn events(file: &[u8], bot: Option<&str>) -> Vec<Event> {
        let transcript = read(file, &ReadLimits::default()).unwrap();
        delivered_events(&transcript.conversations[0], None, bot)
    }

    #[test]
    fn messages_go_in_and_out_and_the_journal_holds_together() {
        let file = include_bytes!("../../../../fixtures/transcripts/botframework.transcript");
        let events = events(file, None);
        assert_eq!(check(&events, Extent::Ended), []);
        let count = |wanted: fn(&Kind) -> bool| events.iter().filter(|event| wanted(&event.kind)).count();
        assert_eq!(count(|kind| matches!(kind, Kind::Received { .. })), 2);
        assert_eq!(count(|kind| matches!(kind, Kind::Ended { .. })), 2);
        assert_eq!(
            count(|kind| matches!(kind, Kind::Chunk { .. } | Kind::Decided { .. })),
            0
        );
        assert!(matches!(events[0].kind, Kind::Started { replayed: true, .. }));
        assert_eq!(events[1].at.to_string(), "2026-03-02T08:00:02.120Z");
    }

    #[test]
    fn the_bot_is_named_where_the_format_does_not_say() {
        let file = include_bytes!("../../../../fixtures/transcripts/telegram-result.json");
        for (bot, sent) in [(None, 0), (Some("Pia Bot"), 1), (Some("user7700"), 1)] {
            let events = events(file, bot);
            assert_eq!(check(&events, Extent::Ended), [], "{bot:?}");
            let out = events
                .iter()
                .filter(|event| matches!(event.kind, Kind::Intended { .. }));
            assert_eq!(out.count(), sent, "{bot:?}");
        }
    }
}
