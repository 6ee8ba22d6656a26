use super::*;
use crate::testing::inbound;
use foldback_wire::{Outcome, OutcomeCode, Timestamp};

fn events(kinds: Vec<Kind>) -> Vec<Event> {
    let event = |(n, kind)| Event {
        seq: Seq(n as u64 + 1),
        at: Timestamp(0),
        turn: Some(TurnId(1)),
        session: None,
        channel: None,
        kind,
    };
    kinds.into_iter().enumerate().map(event).collect()
}

fn received() -> Kind {
    Kind::Received {
        message: Box::new(inbound("hi")),
    }
}

fn ended(terminal: Terminal) -> Kind {
    Kind::TurnEnded { terminal }
}

fn violations(kinds: Vec<Kind>) -> Vec<String> {
    check(&events(kinds), Extent::Ended)
        .into_iter()
        .map(|v| v.what)
        .collect()
}

#[test]
fn a_turn_ends_exactly_once() {
    assert!(violations(vec![received(), ended(Terminal::Replied)]).is_empty());
    assert_eq!(violations(vec![received()]), ["the turn never ends"]);
    assert!(check(&events(vec![received()]), Extent::Running).is_empty());
    let twice = violations(vec![
        received(),
        ended(Terminal::Replied),
        ended(Terminal::Replied),
    ]);
    assert!(twice[0].starts_with("the turn has ended already"), "{twice:?}");
    let blocked = Terminal::Blocked {
        gate: Gate::QueueFull,
    };
    assert!(violations(vec![received(), ended(blocked)])[0].starts_with("it was stopped by None"));
}

#[test]
fn no_operation_shows_markup() {
    let leaked = Kind::Leaked {
        op: OpId(4),
        message: 0,
        span: Span::new(3, 9),
    };
    assert_eq!(
        violations(vec![received(), leaked, ended(Terminal::Replied)]),
        ["operation 4 showed markup: bytes 3 to 9 of message 0"]
    );
}

#[test]
fn every_byte_has_one_range() {
    let chunk = Kind::Chunk {
        message: 0,
        span: Span::new(0, 4),
        text: "abcd".into(),
        came: None,
    };
    let range = |start, end| {
        let span = Span::new(start, end);
        let range = foldback_wire::Range {
            span,
            fate: foldback_wire::Fate::Show,
            reason: None,
            shown_as: None,
        };
        Kind::Decided { message: 0, range }
    };
    let end = Kind::MessageEnded {
        message: 0,
        bytes: 4,
        narration: false,
        decided_by: None,
    };
    let with = |ranges: Vec<Kind>| {
        let mut kinds = vec![received(), chunk.clone()];
        kinds.extend(ranges);
        kinds.extend([end.clone(), ended(Terminal::Replied)]);
        violations(kinds)
    };
    assert!(with(vec![range(2, 4), range(0, 2)]).is_empty());
    assert_eq!(with(vec![range(0, 2)]), ["message 0: ranges end at byte 2 of 4"]);
    assert_eq!(
        with(vec![range(0, 3), range(2, 4)]),
        ["message 0: a range begins at 2 where 3 is due"]
    );
}

#[test]
fn a_request_is_decided_once_and_before_its_turn_ends() {
    let asked = Kind::PermissionAsked {
        request: serde_json::from_str(
            r#"{"id":"p","tool":null,"title":"","does":"","arguments":null,"options":[]}"#,
        )
        .unwrap(),
        until: None,
    };
    let decided = Kind::PermissionDecided {
        id: "p".into(),
        option: None,
        by: foldback_wire::Actor::Console,
        why: String::new(),
        decided_by: None,
    };
    let end = ended(Terminal::Replied);
    assert!(violations(vec![received(), asked.clone(), decided.clone(), end.clone()]).is_empty());
    assert_eq!(
        violations(vec![received(), asked, end.clone()]),
        ["nobody decided about request p"]
    );
    assert_eq!(
        violations(vec![received(), decided, end]),
        ["request p is decided, and was not asked"]
    );
}

#[test]
fn an_operation_ends_once_and_only_after_its_intent() {
    let outcome = Outcome::new(OutcomeCode::Sent);
    let done = Kind::Ended { op: OpId(1), outcome };
    let end = ended(Terminal::Replied);
    let never = violations(vec![received(), done, end]);
    assert_eq!(never, ["operation 1 was never intended"]);
}

#[test]
fn what_did_not_arrive_is_said_once_and_after_the_end() {
    let intended = Kind::Intended {
        op: OpId(1),
        intent: serde_json::from_str(
            r#"{"kind":"send_text","target":{"chat":"c","thread":null},"live":false}"#,
        )
        .unwrap(),
    };
    let done = Kind::Ended {
        op: OpId(1),
        outcome: Outcome::new(OutcomeCode::Sent),
    };
    let lost = Kind::Undelivered {
        op: OpId(1),
        message: "m1".into(),
        refusal: foldback_wire::RefusalCode::Gone,
        detail: String::new(),
    };
    let end = ended(Terminal::Replied);
    let well = [&intended, &done, &end, &lost];
    let said = |kinds: &[&Kind]| {
        violations([vec![received()], kinds.iter().map(|k| (*k).clone()).collect()].concat())
    };
    assert!(said(&well).is_empty(), "{:?}", said(&well));
    assert_eq!(
        said(&[&intended, &done, &end, &lost, &lost]),
        ["operation 1 is lost twice"]
    );
    assert_eq!(
        said(&[&intended, &lost, &done, &end]),
        ["operation 1 is lost before it has ended"]
    );
    assert_eq!(said(&[&lost, &end]), ["operation 1 was never intended"]);
}

#[test]
fn how_far_it_has_come_is_said_after_its_outcome_and_never_goes_back() {
    let intended = Kind::Intended {
        op: OpId(1),
        intent: serde_json::from_str(
            r#"{"kind":"send_text","target":{"chat":"c","thread":null},"live":false}"#,
        )
        .unwrap(),
    };
    let done = Kind::Ended {
        op: OpId(1),
        outcome: Outcome::new(OutcomeCode::Sent),
    };
    let reached = |receipt| Kind::Receipt {
        op: OpId(1),
        message: "m1".into(),
        receipt,
        when: Timestamp(0),
    };
    let (delivered, read) = (reached(Receipt::Delivered), reached(Receipt::Read));
    let end = ended(Terminal::Replied);
    let said = |kinds: &[&Kind]| {
        violations([vec![received()], kinds.iter().map(|k| (*k).clone()).collect()].concat())
    };
    let well = said(&[&intended, &done, &delivered, &end, &read]);
    assert!(well.is_empty(), "{well:?}");
    assert_eq!(
        said(&[&intended, &done, &end, &read, &delivered]),
        ["operation 1 is delivered after it was read"]
    );
    assert_eq!(
        said(&[&intended, &done, &end, &read, &read]),
        ["operation 1 is read after it was read"]
    );
    assert_eq!(
        said(&[&intended, &read, &done, &end]),
        ["operation 1 is read before it has ended"]
    );
    assert_eq!(said(&[&read, &end]), ["operation 1 was never intended"]);
}
