//! The delivery ledger: intended, acknowledged, unmatched, and what was seen for how long.

use crate::story::{BEGAN, Story, clean, detail, inbound, intent, range, reaction_then_text, telegram};
use foldback_api::TurnFold;
use foldback_directives::Span;
use foldback_wire::{
    Body, DeliveryAccepted, Fate, HoldReason, Intent, Kind, OpId, OpKind, Outcome, OutcomeCode, Receipt,
    RefusalCode, Terminal, Timestamp, TurnId,
    rpc::{Lane, LedgerEntry, MessageProgress},
};

fn ledger(story: &Story) -> Vec<LedgerEntry> {
    TurnFold::of(TurnId(7), &story.events).detail().unwrap().ledger
}

fn said(text: &str) -> Story {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    story.at(
        10,
        Kind::Chunk {
            message: 0,
            span: Span::new(0, text.len()),
            text: text.into(),
            came: None,
        },
    );
    story.at(
        10,
        Kind::Decided {
            message: 0,
            range: range(0, text.len(), Fate::Show, None),
        },
    );
    story
}

#[test]
fn what_a_live_frame_showed_was_seen_until_the_edit() {
    let ledger = ledger(&reaction_then_text().0);
    let seen: Vec<_> = ledger
        .iter()
        .map(|e| (e.intent.kind.code(), e.text.as_deref(), e.visible_ms))
        .collect();
    assert_eq!(
        seen,
        [
            ("react", None, None),
            ("send_text", Some("Great"), Some(1_500)),
            ("edit_text", Some("Great idea!"), None),
        ]
    );
}

#[test]
fn a_removed_message_was_seen_until_its_removal() {
    let mut story = said("…");
    story.sent(
        100,
        1,
        Intent {
            body: Some(clean(3)),
            ..intent(OpKind::SendText)
        },
        Some("b1"),
    );
    story.sent(
        400,
        2,
        Intent {
            message: Some("b1".into()),
            ..intent(OpKind::Delete)
        },
        None,
    );
    let ledger = ledger(&story);
    assert_eq!((ledger[0].visible_ms, ledger[1].visible_ms), (Some(300), None));
}

#[test]
fn what_failed_was_never_seen_and_ends_nothing() {
    let mut story = said("Hi there");
    story.sent(
        100,
        1,
        Intent {
            body: Some(clean(2)),
            live: true,
            ..intent(OpKind::SendText)
        },
        Some("b1"),
    );
    let edit = Intent {
        message: Some("b1".into()),
        body: Some(clean(8)),
        ..intent(OpKind::EditText)
    };
    story.ended(400, 2, edit, Outcome::new(OutcomeCode::Failed).because("gone"));
    let ledger = ledger(&story);
    assert_eq!((ledger[0].visible_ms, ledger[1].visible_ms), (None, None));
}

#[test]
fn unmatched_operations_stand_on_top() {
    let mut story = said("One. Two.");
    story.sent(
        100,
        1,
        Intent {
            body: Some(clean(4)),
            ..intent(OpKind::SendText)
        },
        Some("b1"),
    );
    story.at(
        200,
        Kind::Intended {
            op: OpId(2),
            intent: Box::new(Intent {
                body: Some(clean(9)),
                ..intent(OpKind::SendText)
            }),
        },
    );
    story.sent(300, 3, intent(OpKind::Typing), None);
    let order: Vec<_> = ledger(&story)
        .iter()
        .map(|e| (e.op.0, e.outcome.is_some()))
        .collect();
    assert_eq!(order, [(2, false), (1, true), (3, true)]);
}

#[test]
fn an_entry_says_why_it_waits_and_how_often_it_was_tried() {
    let mut story = said("Hi");
    let op = OpId(1);
    story.at(
        100,
        Kind::Intended {
            op,
            intent: Box::new(Intent {
                body: Some(clean(2)),
                ..intent(OpKind::SendText)
            }),
        },
    );
    story.at(100, Kind::Attempted { op, attempt: 1 });
    story.at(
        120,
        Kind::Refused {
            op,
            refusal: RefusalCode::RateLimited,
            detail: "too many requests".into(),
            retry_at: Some(Timestamp(1)),
        },
    );
    assert_eq!(
        ledger(&story)[0].waiting.as_deref(),
        Some("The platform refused: too many requests. It is tried again.")
    );
    story.at(
        120,
        Kind::Waiting {
            op: Some(op),
            reason: HoldReason::RateLimited,
            until: Some(Timestamp(BEGAN + 800)),
        },
    );
    let entry = &ledger(&story)[0];
    assert_eq!(entry.waiting.as_deref(), Some("The platform asked to wait."));
    assert_eq!(entry.waiting_until_ms, Some(800));
    story.at(900, Kind::Attempted { op, attempt: 2 });
    let outcome = Outcome {
        attempts: 2,
        message: Some("b1".into()),
        ..Outcome::new(OutcomeCode::Sent)
    };
    story.at(950, Kind::Ended { op, outcome });
    let entry = &ledger(&story)[0];
    assert_eq!(
        (entry.waiting.as_deref(), entry.waiting_until_ms),
        (None, None),
        "it was called"
    );
    assert_eq!((entry.attempts, entry.took_ms), (2, Some(850)));
}

#[test]
fn words_of_foldback_itself_are_literal() {
    let mut story = said("");
    let body = Some(Body::own("_(no response)_"));
    story.sent(
        100,
        1,
        Intent {
            body,
            ..intent(OpKind::SendText)
        },
        Some("b1"),
    );
    assert_eq!(ledger(&story)[0].text.as_deref(), Some("_(no response)_"));
}

#[test]
fn a_turn_with_an_open_operation_is_not_settled() {
    let mut story = said("Hi");
    let op = OpId(1);
    story.at(
        100,
        Kind::Intended {
            op,
            intent: Box::new(Intent {
                body: Some(clean(2)),
                ..intent(OpKind::SendText)
            }),
        },
    );
    story.at(
        110,
        Kind::TurnEnded {
            terminal: foldback_wire::Terminal::Replied,
        },
    );
    assert!(!TurnFold::of(TurnId(7), &story.events).settled());
    story.at(
        200,
        Kind::Ended {
            op,
            outcome: Outcome::new(OutcomeCode::Unknown),
        },
    );
    let fold = TurnFold::of(TurnId(7), &story.events);
    assert!(fold.settled());
    assert_eq!(fold.summary().unwrap().unknown_ops, 1);
}

#[test]
fn an_operation_that_did_not_arrive_has_failed_with_the_platforms_words() {
    let mut story = said("Hi");
    let text = Intent {
        body: Some(clean(2)),
        ..intent(OpKind::SendText)
    };
    story.sent(100, 1, text, Some("b1"));
    story.at(
        200,
        Kind::TurnEnded {
            terminal: foldback_wire::Terminal::Replied,
        },
    );
    let before = TurnFold::of(TurnId(7), &story.events);
    assert_eq!(before.summary().unwrap().failed_ops, 0);
    let seq = story.at(
        86_400_000,
        Kind::Undelivered {
            op: OpId(1),
            message: "b1".into(),
            refusal: RefusalCode::Forbidden,
            detail: "the window is closed".into(),
        },
    );
    let after = TurnFold::of(TurnId(7), &story.events);
    assert_eq!(after.summary().unwrap().failed_ops, 1);
    assert_eq!(
        after.took_ms(),
        before.took_ms(),
        "the turn did not last for a day"
    );
    let told = after.detail().unwrap().decisions.pop().unwrap();
    assert_eq!(
        (told.seq, told.at_ms),
        (seq, before.took_ms()),
        "nor does its timeline"
    );
    assert!(
        told.text
            .ends_with(&format!("known since {}", Timestamp(BEGAN + 86_400_000))),
        "{}",
        told.text
    );
    let entry = &ledger(&story)[0];
    let outcome = entry.outcome.as_ref().unwrap();
    assert_eq!(
        (outcome.code, outcome.refusal),
        (OutcomeCode::Failed, Some(RefusalCode::Forbidden))
    );
    assert_eq!(
        outcome.detail.as_deref(),
        Some("acknowledged, but it did not arrive: the window is closed")
    );
    assert_eq!((entry.outcome_seq, entry.visible_ms), (Some(seq), None));
    assert_eq!(outcome.message, Some("b1".into()));
}

#[test]
fn how_far_a_message_has_come_is_told_as_far_as_was_known() {
    let mut story = said("Hi");
    let text = Intent {
        body: Some(clean(2)),
        ..intent(OpKind::SendText)
    };
    story.sent(100, 1, text, Some("b1"));
    story.at(
        200,
        Kind::TurnEnded {
            terminal: foldback_wire::Terminal::Replied,
        },
    );
    let before = TurnFold::of(TurnId(7), &story.events);
    assert_eq!(ledger(&story)[0].reached, None);
    let mut told = Vec::new();
    for (hours, receipt) in [(1, Receipt::Delivered), (30, Receipt::Read)] {
        let at = Timestamp(BEGAN + hours * 3_600_000);
        let seq = story.at(
            hours * 3_600_000 + 2_000,
            Kind::Receipt {
                op: OpId(1),
                message: "b1".into(),
                receipt,
                when: at,
            },
        );
        told.push(MessageProgress { seq, receipt, at });
    }
    for reached in &told {
        let then = TurnFold::until(TurnId(7), &story.events, reached.seq)
            .detail()
            .unwrap();
        assert_eq!(then.ledger[0].reached, Some(*reached));
        let bar = then.lanes.iter().find(|bar| bar.lane == Lane::Delivery).unwrap();
        assert_eq!(bar.label, format!("send_text, {}", reached.receipt));
    }
    let after = TurnFold::of(TurnId(7), &story.events);
    assert_eq!(
        after.took_ms(),
        before.took_ms(),
        "the turn did not last for a day"
    );
    assert_eq!(after.summary(), before.summary());
    let outcome = ledger(&story)[0].outcome.clone().unwrap();
    assert_eq!(outcome.code, OutcomeCode::Sent, "acknowledged it stays");
    let step = after.detail().unwrap().decisions.pop().unwrap();
    assert_eq!(
        (step.seq, step.at_ms, step.error),
        (told[1].seq, before.took_ms(), false)
    );
    assert!(step.text.starts_with("op 1 read at "), "{}", step.text);
}

#[test]
fn only_what_failed_counts_as_failed() {
    use OutcomeCode::{Cancelled, DryRun, Failed, NotAllowed, Sent, Unchanged, Unknown, Unsupported};
    let counted = |code| {
        let mut story = said("Hi");
        story.ended(100, 1, intent(OpKind::SendText), Outcome::new(code));
        let summary = TurnFold::of(TurnId(7), &story.events).summary().unwrap();
        let row = ledger(&story)[0].outcome.clone().unwrap();
        assert_eq!(row.code, code, "the ledger has the same word");
        (summary.failed_ops, summary.unknown_ops)
    };
    // A live frame that a later one replaced is cancelled; what a platform cannot do is skipped.
    for code in [Sent, Unchanged, DryRun, Cancelled, Unsupported] {
        assert_eq!(counted(code), (0, 0), "{code:?}");
    }
    for code in [Failed, NotAllowed] {
        assert_eq!(counted(code), (1, 0), "{code:?}");
    }
    assert_eq!(counted(Unknown), (0, 1), "it may have arrived");
}

#[test]
fn an_operation_that_leaked_says_which_bytes_and_what_they_are() {
    let mut story = said("Sure <react em");
    let intend = |kind| Kind::Intended {
        op: OpId(3),
        intent: Box::new(intent(kind)),
    };
    story.at(20, intend(OpKind::EditText));
    story.at(
        30,
        Kind::Leaked {
            op: OpId(3),
            message: 0,
            span: Span::new(5, 14),
        },
    );
    let ledger = ledger(&story);
    let [leak] = &ledger[0].leaked[..] else {
        panic!("{ledger:?}")
    };
    assert_eq!(
        (leak.message, leak.span, leak.text.as_str()),
        (0, Span::new(5, 14), "<react em")
    );
    let told = story.events.last().unwrap().seq.0;
    assert_eq!(leak.seq, told);
}

/// The result of an action is accepted before its turn ends; what a reminder of the turn led to, long after.
#[test]
fn a_delivery_that_was_accepted_within_the_turn_stands_in_its_time_and_a_later_one_at_its_end() {
    let accepted = |turn| {
        Kind::DeliveryAccepted(DeliveryAccepted {
            id: format!("actions-{turn}").into(),
            turn: TurnId(turn),
        })
    };
    let mut story = Story::default();
    let message = Box::new(inbound());
    story.at(0, Kind::Received { message });
    let within = story.at(400, accepted(8));
    let terminal = Terminal::Replied;
    story.at(500, Kind::TurnEnded { terminal });
    let later = story.at(600_500, accepted(9));
    let detail = detail(&story);
    assert_eq!(detail.summary.took_ms, 500);
    let stands = |seq| {
        let decision = detail
            .decisions
            .iter()
            .find(|decision| decision.seq == seq)
            .unwrap();
        (decision.at_ms, decision.text.contains("known since"))
    };
    assert_eq!(stands(within), (400, false));
    assert_eq!(stands(later), (500, true));
    let moment = TurnFold::until(TurnId(7), &story.events, within).moment(&telegram());
    assert_eq!(moment.unwrap().at_ms, 400, "one stands at its own time");
    assert!(detail.has_chain);
}
