//! A digest that is fed by hand.

use crate::live::digest::Digest;
use foldback_wire::{
    Body, ChatType, Event, Inbound, Intent, Kind, MessageFlags, OpId, OpKind, Outcome, OutcomeCode, Sender,
    Seq, Target, Terminal, Timestamp, TurnId,
    rpc::{Alarm, Counters},
};

#[derive(Default)]
pub(super) struct Feed {
    pub(super) digest: Digest,
    pub(super) seq: u64,
    pub(super) alarms: Vec<Alarm>,
}

impl Feed {
    pub(super) fn at(&mut self, ms: i64, turn: u64, kind: Kind) -> &mut Self {
        self.seq += 1;
        let event = Event {
            seq: Seq(self.seq),
            at: Timestamp(ms),
            turn: (turn > 0).then_some(TurnId(turn)),
            session: None,
            channel: Some("slack".into()),
            kind,
        };
        self.alarms.extend(self.digest.push(&event));
        self
    }

    pub(super) fn received(&mut self, ms: i64, turn: u64) -> &mut Self {
        self.received_as(ms, turn, "m")
    }

    pub(super) fn received_as(&mut self, ms: i64, turn: u64, id: &str) -> &mut Self {
        let sender = Sender {
            id: "a".into(),
            name: "a".into(),
            display_name: "A".into(),
            is_bot: false,
        };
        let message = Inbound {
            channel: "slack".into(),
            account: None,
            chat: "c".into(),
            chat_type: ChatType::Direct,
            thread: None,
            message: id.into(),
            reply_to: None,
            sender,
            text: "hi".into(),
            mentioned: true,
            forwarded: false,
            files: Vec::new(),
            at: Timestamp(ms),
            dry_run: false,
            at_by_device: false,
            omitted: None,
            context: None,
        };
        self.at(
            ms,
            turn,
            Kind::Received {
                message: Box::new(message),
            },
        )
    }

    pub(super) fn intended(&mut self, ms: i64, turn: u64, op: u64) -> &mut Self {
        self.wanted(ms, turn, op, OpKind::SendText)
    }

    /// A text that no agent wrote.
    pub(super) fn own_words(&mut self, ms: i64, turn: u64, op: u64) -> &mut Self {
        let intent = Intent {
            body: Some(Body::own("The run failed.")),
            ..intent(OpKind::SendText)
        };
        self.at(
            ms,
            turn,
            Kind::Intended {
                op: OpId(op),
                intent: Box::new(intent),
            },
        )
    }

    pub(super) fn wanted(&mut self, ms: i64, turn: u64, op: u64, kind: OpKind) -> &mut Self {
        let intent = intent(kind);
        self.at(
            ms,
            turn,
            Kind::Intended {
                op: OpId(op),
                intent: Box::new(intent),
            },
        )
    }

    pub(super) fn ended(&mut self, ms: i64, turn: u64, op: u64, outcome: Outcome) -> &mut Self {
        self.at(
            ms,
            turn,
            Kind::Ended {
                op: OpId(op),
                outcome,
            },
        )
    }

    pub(super) fn turn_ended(&mut self, ms: i64, turn: u64) -> &mut Self {
        self.at(
            ms,
            turn,
            Kind::TurnEnded {
                terminal: Terminal::Replied,
            },
        )
    }

    pub(super) fn counters(&self) -> Counters {
        self.digest.counters(&"slack".into())
    }
}

pub(super) fn intent(kind: OpKind) -> Intent {
    Intent {
        kind,
        channel: None,
        target: Target {
            chat: "c".into(),
            thread: None,
        },
        message: None,
        reply_to: None,
        body: None,
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
    }
}

pub(super) fn sent() -> Outcome {
    Outcome::new(OutcomeCode::Sent)
}
