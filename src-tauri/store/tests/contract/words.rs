//! Short ways to say events and operations.

use foldback_store::{Journal, OutboxEntry, Then};
use foldback_wire::{
    ChannelId, ChatType, Draft, Event, Inbound, Kind, MessageFlags, MessageId, OpId, Operation, Outcome,
    OutcomeCode, Receipt, RunId, Sender, Seq, Target, Timestamp, TurnId,
};
use std::sync::Arc;

/// Something was said, at a time that tells it apart.
pub(crate) fn said(detail: &str) -> Draft {
    Draft {
        at: Timestamp(1_000),
        turn: None,
        session: None,
        channel: None,
        kind: Kind::Warned {
            detail: detail.into(),
        },
    }
}

/// The same, inside a turn.
pub(crate) fn said_in(turn: u64, detail: &str) -> Draft {
    Draft {
        turn: Some(TurnId(turn)),
        session: Some("telegram:42".into()),
        channel: Some("telegram".into()),
        ..said(detail)
    }
}

/// An agent was started.
pub(crate) fn run_started(run: u64) -> Draft {
    Draft {
        kind: Kind::RunStarted {
            run: RunId(run),
            backend: "script".into(),
            model: None,
        },
        ..said_in(1, "")
    }
}

/// A message came in and began a turn.
pub(crate) fn came(turn: u64, chat: &str, message: &str) -> Draft {
    let message = Inbound {
        channel: "telegram".into(),
        account: None,
        chat: chat.into(),
        chat_type: ChatType::Direct,
        thread: None,
        message: message.into(),
        reply_to: None,
        sender: Sender {
            id: "42".into(),
            name: "alice".into(),
            display_name: "Alice".into(),
            is_bot: false,
        },
        text: "hi".into(),
        mentioned: true,
        forwarded: false,
        files: vec![],
        at: Timestamp(0),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    };
    let kind = Kind::Received {
        message: Box::new(message),
    };
    Draft {
        kind,
        ..said_in(turn, "")
    }
}

/// An operation ended, and made a message.
pub(crate) fn made(turn: u64, op: u64, message: Option<&str>) -> Draft {
    let outcome = Outcome {
        message: message.map(MessageId::new),
        ..Outcome::new(OutcomeCode::Sent)
    };
    let kind = Kind::Ended {
        op: OpId(op),
        outcome,
    };
    Draft {
        kind,
        ..said_in(turn, "")
    }
}

/// An operation's end that made several messages, the first of them named twice.
pub(crate) fn made_both(turn: u64, op: u64, messages: [&str; 2]) -> Draft {
    let mut draft = made(turn, op, Some(messages[0]));
    if let Kind::Ended { outcome, .. } = &mut draft.kind {
        outcome.also = messages.map(MessageId::new).into();
    }
    draft
}

/// What an operation made was read.
pub(crate) fn read(turn: u64, op: u64, message: &str) -> Draft {
    let kind = Kind::Receipt {
        op: OpId(op),
        message: message.into(),
        receipt: Receipt::Read,
        when: Timestamp(1),
    };
    Draft {
        kind,
        ..made(turn, op, Some(message))
    }
}

/// What was said, without the place.
pub(crate) fn detail(event: &Event) -> String {
    match &event.kind {
        Kind::Warned { detail } => detail.clone(),
        other => format!("{other:?}"),
    }
}

/// What was said in all of them.
pub(crate) fn details(events: &[Event]) -> Vec<String> {
    events.iter().map(detail).collect()
}

/// An operation that sends a text.
pub(crate) fn sending(op: u64, text: &str) -> OutboxEntry {
    OutboxEntry {
        op: OpId(op),
        turn: TurnId(7),
        session: "telegram:42".into(),
        channel: ChannelId::new("telegram"),
        target: Target {
            chat: "42".into(),
            thread: None,
        },
        operation: Operation::SendText {
            text: text.into(),
            reply_to: Some("m1".into()),
            flags: MessageFlags::default(),
        },
        key: format!("key-{op}"),
        at: Timestamp(2_000),
        in_flight: false,
        dry_run: false,
        live: false,
        not_before: None,
        part_of: None,
        since: None,
        then: Then::default(),
    }
}

/// A success that made no message.
pub(crate) fn sent() -> Outcome {
    Outcome::new(OutcomeCode::Sent)
}

/// All events there are.
pub(crate) async fn everything(journal: &Arc<dyn Journal>) -> Vec<Event> {
    journal.read(Seq(1), usize::MAX).await.unwrap()
}
