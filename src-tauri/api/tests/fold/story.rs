//! Turns told by hand, event by event.

use foldback_api::TurnFold;
use foldback_channels::{platform, profile};
use foldback_directives::{HoldReason, Span};
use foldback_wire::{
    Body, Capabilities, ChatType, Directive, DirectiveRef, Event, Fate, Hold, Inbound, Intent, Kind,
    MessageFlags, OpId, OpKind, Outcome, OutcomeCode, Range, RangeReason, RunId, Sender, Seq, Stage,
    StopReason, Target, Terminal, Timestamp, TurnId, rpc::TurnDetail,
};

/// The moment at which every story begins.
pub(crate) const BEGAN: i64 = 1_800_000_000_000;

/// The raw text of [`reaction_then_text`], and its clean text.
pub(crate) const RAW: &str = "<actions>\n  <react emoji=\"thumbsup\" />\n</actions>\nGreat idea!";
pub(crate) const CLEAN: &str = "Great idea!";

/// Events of turn 7, as the pipeline journals them.
#[derive(Default)]
pub(crate) struct Story {
    pub(crate) events: Vec<Event>,
}

impl Story {
    /// What happened `ms` after the beginning; answers its place in the journal.
    pub(crate) fn at(&mut self, ms: i64, kind: Kind) -> u64 {
        let seq = self.events.len() as u64 + 1;
        self.events.push(Event {
            seq: Seq(seq),
            at: Timestamp(BEGAN + ms),
            turn: Some(TurnId(7)),
            session: Some("telegram:c1".into()),
            channel: Some("telegram".into()),
            kind,
        });
        seq
    }

    /// An operation that is intended, called and acknowledged; answers the place of its outcome.
    pub(crate) fn sent(&mut self, ms: i64, op: u64, intent: Intent, made: Option<&str>) -> u64 {
        self.ended(
            ms,
            op,
            intent,
            Outcome {
                message: made.map(Into::into),
                attempts: 1,
                ..Outcome::new(OutcomeCode::Sent)
            },
        )
    }

    /// An operation that ends so, 50 ms after it was intended.
    pub(crate) fn ended(&mut self, ms: i64, op: u64, intent: Intent, outcome: Outcome) -> u64 {
        self.at(
            ms,
            Kind::Intended {
                op: OpId(op),
                intent: Box::new(intent),
            },
        );
        self.at(
            ms,
            Kind::Attempted {
                op: OpId(op),
                attempt: 1,
            },
        );
        self.at(
            ms + 50,
            Kind::Ended {
                op: OpId(op),
                outcome,
            },
        )
    }
}

/// The message that begins the stories.
pub(crate) fn inbound() -> Inbound {
    Inbound {
        channel: "telegram".into(),
        account: None,
        chat: "c1".into(),
        chat_type: ChatType::Direct,
        thread: None,
        message: "m1".into(),
        reply_to: None,
        sender: Sender {
            id: "alice".into(),
            name: "alice".into(),
            display_name: "Alice".into(),
            is_bot: false,
        },
        text: "How was my talk?".into(),
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at: Timestamp(BEGAN),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    }
}

pub(crate) fn telegram() -> Capabilities {
    profile(platform::TELEGRAM)
}

pub(crate) fn intent(kind: OpKind) -> Intent {
    Intent {
        kind,
        channel: None,
        target: Target {
            chat: "c1".into(),
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

/// The first `end` bytes of the first message's clean text.
pub(crate) fn clean(end: usize) -> Body {
    Body::Clean {
        message: 0,
        span: Span::new(0, end),
    }
}

pub(crate) fn hold(start: usize, end: usize, reason: HoldReason) -> Hold {
    Hold {
        span: Span::new(start, end),
        reason,
        rule: "G3.block".into(),
        because: "An <actions> block is open.".into(),
        releases: "`</actions>`".into(),
    }
}

/// The places of [`reaction_then_text`] that tests name.
pub(crate) struct Places {
    pub(crate) held: u64,
    pub(crate) reacted: u64,
    pub(crate) first_frame: u64,
    pub(crate) waiting: u64,
    pub(crate) end: u64,
}

/// The documented example on a channel with live preview: a block, held while it is open; the reaction; the
/// text, shown at once and edited when the edit interval allows.
#[expect(clippy::too_many_lines, reason = "one story, told in one go")]
pub(crate) fn reaction_then_text() -> (Story, Places) {
    let mut story = Story::default();
    let message = 0;
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    story.at(
        1,
        Kind::Passed {
            stage: Stage::Authorize,
            detail: "alice is on the list".into(),
        },
    );
    story.at(
        2,
        Kind::Prepared {
            prompt: "How was my talk?".into(),
        },
    );
    story.at(
        10,
        Kind::RunStarted {
            run: RunId(1),
            backend: "script".into(),
            model: None,
        },
    );
    story.at(
        100,
        Kind::Chunk {
            message,
            span: Span::new(0, 21),
            text: RAW[..21].into(),
            came: None,
        },
    );
    let held = story.at(
        100,
        Kind::Held {
            message,
            hold: hold(0, 21, HoldReason::OpenBlock),
        },
    );
    story.at(
        140,
        Kind::Chunk {
            message,
            span: Span::new(21, 55),
            text: RAW[21..55].into(),
            came: None,
        },
    );
    story.at(
        140,
        Kind::Held {
            message,
            hold: hold(0, 40, HoldReason::OpenBlock),
        },
    );
    story.at(
        140,
        Kind::Directive {
            at: DirectiveRef { message, index: 0 },
            directive: Directive::React {
                emoji: "thumbsup".into(),
                message: None,
                span: Span::new(12, 38),
            },
        },
    );
    story.at(
        140,
        Kind::Decided {
            message,
            range: range(0, 49, Fate::Strip, Some(RangeReason::ActionsBlock)),
        },
    );
    story.at(
        140,
        Kind::Decided {
            message,
            range: range(49, 50, Fate::Drop, Some(RangeReason::Trim)),
        },
    );
    story.at(
        140,
        Kind::Decided {
            message,
            range: range(50, 55, Fate::Show, None),
        },
    );
    story.at(140, Kind::Released { message });
    let react = Intent {
        message: Some("m1".into()),
        emoji: Some("👍".into()),
        emoji_sent: Some("👍".into()),
        directive: Some(DirectiveRef { message, index: 0 }),
        ..intent(OpKind::React)
    };
    let reacted = story.sent(141, 1, react, None);
    let frame = Intent {
        body: Some(clean(5)),
        live: true,
        ..intent(OpKind::SendText)
    };
    let first_frame = story.sent(200, 2, frame, Some("b1"));
    story.at(
        300,
        Kind::Chunk {
            message,
            span: Span::new(55, 61),
            text: RAW[55..].into(),
            came: None,
        },
    );
    story.at(
        300,
        Kind::Decided {
            message,
            range: range(55, 61, Fate::Show, None),
        },
    );
    let until = Some(Timestamp(BEGAN + 1_700));
    let waiting = story.at(
        300,
        Kind::Waiting {
            op: None,
            reason: HoldReason::EditInterval,
            until,
        },
    );
    story.at(
        310,
        Kind::MessageEnded {
            message,
            bytes: RAW.len(),
            narration: false,
            decided_by: None,
        },
    );
    story.at(
        310,
        Kind::RunEnded {
            run: RunId(1),
            reason: StopReason::End,
        },
    );
    let edit = Intent {
        message: Some("b1".into()),
        body: Some(clean(11)),
        ..intent(OpKind::EditText)
    };
    story.sent(1_700, 3, edit, Some("b1"));
    story.at(1_760, Kind::Idle);
    let end = story.at(
        1_760,
        Kind::TurnEnded {
            terminal: Terminal::Replied,
        },
    );
    (
        story,
        Places {
            held,
            reacted,
            first_frame,
            waiting,
            end,
        },
    )
}

pub(crate) fn range(start: usize, end: usize, fate: Fate, reason: Option<RangeReason>) -> Range {
    Range {
        span: Span::new(start, end),
        fate,
        reason,
        shown_as: None,
    }
}

/// An agent asks before it writes a file.
pub(crate) fn asked() -> Kind {
    let request = serde_json::json!({"id": "p1", "tool": null, "title": "Write notes.md", "does": "", "arguments": null, "options": []});
    Kind::PermissionAsked {
        request: serde_json::from_value(request).unwrap(),
        until: None,
    }
}

/// What the events of a story say about their turn.
pub(crate) fn detail(story: &Story) -> TurnDetail {
    TurnFold::of(TurnId(7), &story.events).detail().unwrap()
}
