//! A journal with one event of almost every type, as two turns leave it.

use foldback_wire::{
    Actor, Body, ChatType, Code, Diagnostic, Directive, DirectiveRef, Draft, Event, Gate, Hold, HoldReason,
    Inbound, Intent, Kind, MessageFlags, OpId, OpKind, Outcome, OutcomeCode, RunId, Sender, Seq, Span, Stage,
    StopReason, Target, Terminal, Timestamp, TurnId,
};

/// Milliseconds, and what was decided then.
type Told = Vec<(i64, Kind)>;

const SPAN: Span = Span::new(10, 30);
const FIRST: DirectiveRef = DirectiveRef { message: 0, index: 0 };

/// The events of the tests, in order; each function begins with the place of its first.
pub(crate) fn journal() -> Vec<Event> {
    let told = [
        (None, process()),
        (Some((7, "telegram")), [run(), delivery()].concat()),
    ];
    let blocked = (Some((8, "discord")), blocked());
    let drafts = told.into_iter().chain([blocked]).flat_map(|(place, told)| {
        told.into_iter().map(move |(at, kind)| Draft {
            at: Timestamp(at),
            turn: place.map(|(turn, _)| TurnId(turn)),
            session: place.map(|(_, channel)| format!("{channel}:42:alice").into()),
            channel: place.map(|(_, channel)| channel.into()),
            kind,
        })
    });
    (1..)
        .map(Seq)
        .zip(drafts)
        .map(|(seq, draft)| draft.at_seq(seq))
        .collect()
}

/// 1 and 2.
fn process() -> Told {
    let muted = Kind::Muted {
        muted: true,
        by: Actor::Console,
    };
    vec![
        (
            0,
            Kind::Started {
                version: "0.1.0".into(),
                replayed: false,
            },
        ),
        (5, muted),
    ]
}

/// 3 to 9.
fn run() -> Told {
    let hold = Hold {
        span: SPAN,
        reason: HoldReason::PartialTag,
        rule: "G3.partial".into(),
        because: "the tag <react is not complete".into(),
        releases: "its >".into(),
    };
    let react = Directive::React {
        emoji: "eyes".into(),
        message: None,
        span: SPAN,
    };
    let chunk = Kind::Chunk {
        message: 0,
        span: Span::new(0, 2_500),
        text: "Über <react".into(),
        came: None,
    };
    vec![
        (10, received("How was my talk?")),
        (
            20,
            Kind::Passed {
                stage: Stage::Dedupe,
                detail: "not seen before".into(),
            },
        ),
        (
            30,
            Kind::RunStarted {
                run: RunId(1),
                backend: "script".into(),
                model: None,
            },
        ),
        (40, chunk),
        (50, Kind::Held { message: 0, hold }),
        (1_650, Kind::Released { message: 0 }),
        (
            1_660,
            Kind::Directive {
                at: FIRST,
                directive: react,
            },
        ),
    ]
}

/// 10 to 18.
fn delivery() -> Told {
    let reaction = Intent {
        directive: Some(FIRST),
        ..intent(OpKind::React, None)
    };
    let edit = intent(OpKind::EditText, Some("Great idea!"));
    let failed = Outcome::new(OutcomeCode::Failed).because("chat not found");
    let waiting = Kind::Waiting {
        op: Some(OpId(2)),
        reason: HoldReason::EditInterval,
        until: None,
    };
    vec![
        (
            1_670,
            Kind::Intended {
                op: OpId(1),
                intent: Box::new(reaction),
            },
        ),
        (
            1_680,
            Kind::Attempted {
                op: OpId(1),
                attempt: 1,
            },
        ),
        (
            1_700,
            Kind::Ended {
                op: OpId(1),
                outcome: Outcome::new(OutcomeCode::Sent),
            },
        ),
        (
            1_710,
            Kind::Intended {
                op: OpId(2),
                intent: Box::new(edit),
            },
        ),
        (1_720, waiting),
        (
            3_800,
            Kind::Leaked {
                op: OpId(2),
                message: 0,
                span: SPAN,
            },
        ),
        (
            3_900,
            Kind::Ended {
                op: OpId(2),
                outcome: failed,
            },
        ),
        (
            3_910,
            Kind::RunEnded {
                run: RunId(1),
                reason: StopReason::End,
            },
        ),
        (
            4_010,
            Kind::TurnEnded {
                terminal: Terminal::Replied,
            },
        ),
    ]
}

/// 19 to 24.
fn blocked() -> Told {
    let stopping = Kind::Stopping {
        stage: Stage::Activation,
        gate: Gate::NotMentioned,
        detail: "the bot was not mentioned".into(),
        inputs: [("chat_type".to_owned(), "group".to_owned())].into(),
        setting: Some("channels.discord.activation".into()),
        source: None,
    };
    let diagnostic = Diagnostic::new(Code::UnclosedBlock, Span::new(0, 9), "<actions> is never closed");
    vec![
        (
            4_500,
            Kind::Armed {
                armed: true,
                by: Actor::Console,
            },
        ),
        (5_000, received("hello <react>")),
        (5_010, stopping),
        (
            5_020,
            Kind::Diagnosed {
                message: 0,
                diagnostic,
            },
        ),
        (
            5_030,
            Kind::Armed {
                armed: false,
                by: Actor::Console,
            },
        ),
        (
            5_040,
            Kind::TurnEnded {
                terminal: Terminal::Blocked {
                    gate: Gate::NotMentioned,
                },
            },
        ),
    ]
}

fn intent(kind: OpKind, text: Option<&str>) -> Intent {
    Intent {
        kind,
        channel: None,
        target: Target {
            chat: "42".into(),
            thread: None,
        },
        message: None,
        reply_to: None,
        body: text.map(Body::own),
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

fn received(text: &str) -> Kind {
    let sender = Sender {
        id: "u1".into(),
        name: "alice".into(),
        display_name: "Alice".into(),
        is_bot: false,
    };
    let message = Inbound {
        channel: "telegram".into(),
        account: None,
        chat: "42".into(),
        chat_type: ChatType::Direct,
        thread: None,
        message: "m1".into(),
        reply_to: None,
        sender,
        text: text.into(),
        mentioned: false,
        forwarded: false,
        files: vec![],
        at: Timestamp(0),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    };
    Kind::Received {
        message: Box::new(message),
    }
}
