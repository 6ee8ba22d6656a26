use super::*;
use crate::{Seq, Timestamp};

fn outgoing() -> Outgoing {
    Outgoing::new(Redaction::new(&RedactSettings::default()).unwrap())
}

fn event(seq: u64, turn: u64, kind: Kind) -> Event {
    Event {
        seq: Seq(seq),
        at: Timestamp(0),
        turn: Some(TurnId(turn)),
        session: None,
        channel: None,
        kind,
    }
}

fn chunk(seq: u64, turn: u64, start: usize, text: &str) -> Event {
    let span = Span::new(start, start + text.len());
    let text = text.to_owned();
    event(
        seq,
        turn,
        Kind::Chunk {
            message: 0,
            span,
            text,
            came: None,
        },
    )
}

fn warned(seq: u64, text: &str) -> Event {
    event(
        seq,
        1,
        Kind::Warned {
            detail: text.to_owned(),
        },
    )
}

fn texts(events: &[Event]) -> Vec<String> {
    let text = |event: &Event| match &event.kind {
        Kind::Chunk { text, .. } | Kind::Warned { detail: text } => text.clone(),
        other => format!("{other:?}"),
    };
    events.iter().map(text).collect()
}

#[test]
fn a_secret_across_chunks_is_masked_length_for_length_and_the_order_stays() {
    let mut out = outgoing();
    assert!(out.push(chunk(1, 1, 0, "key sk-abcdef")).is_empty());
    assert!(out.push(warned(2, "password: hunter2")).is_empty());
    let all = out.push(chunk(3, 1, 13, "ghijklmnopqrstuvwx end"));
    assert_eq!(
        texts(&all),
        ["key #********", "password: [redacted]", "****************** end"]
    );
    assert!(all.is_sorted_by_key(|event| event.seq));
}

#[test]
fn the_end_decides_and_a_gap_does_too() {
    let mut out = outgoing();
    assert!(out.push(chunk(1, 1, 0, "password: hunter2")).is_empty());
    assert_eq!(texts(&out.push(chunk(5, 1, 40, "sk-abc"))), ["password: #******"]);
    assert_eq!(texts(&out.finish()), ["sk-abc"]);
}

#[test]
fn turns_do_not_mix() {
    let mut out = outgoing();
    assert!(out.push(chunk(1, 1, 0, "sk-abcdefghij")).is_empty());
    assert!(out.push(chunk(2, 2, 0, "klmnopqrstuvwxyz")).is_empty());
    assert_eq!(
        texts(&out.push(chunk(3, 1, 13, " "))),
        ["sk-abcdefghij", "klmnopqrstuvwxyz", " "]
    );
}

#[test]
fn what_was_masked_stays_as_it_is() {
    let mut out = outgoing();
    let text = "key #******************** and [redacted] ";
    assert_eq!(texts(&out.push(chunk(1, 1, 0, text))), [text]);
}

#[test]
fn a_users_words_stay_when_the_setting_says_so() {
    let keep = RedactSettings {
        inbound: InboundSecrets::Keep,
        ..RedactSettings::default()
    };
    let mut kind = Kind::Prepared {
        prompt: "password: hunter2".to_owned(),
    };
    Redaction::new(&keep).unwrap().event(&mut kind);
    assert_eq!(
        kind,
        Kind::Prepared {
            prompt: "password: hunter2".to_owned()
        }
    );
    Redaction::new(&RedactSettings::default())
        .unwrap()
        .event(&mut kind);
    assert_eq!(
        kind,
        Kind::Prepared {
            prompt: "password: [redacted]".to_owned()
        }
    );
}

#[test]
fn names_and_ids_of_an_agents_are_masked_and_those_of_a_platform_stay() {
    const KEY: &str = "sk-proj-Abc123Abc123Abc123Abc123";
    let target = serde_json::json!({"chat": "42", "thread": null});
    for (kind, stays) in [
        (
            serde_json::json!({"type": "tool", "call": {"id": "t1", "name": format!("run {KEY}"),
                "status": "running", "arguments": null, "result": null}}),
            "t1",
        ),
        (
            serde_json::json!({"type": "header_read", "message": 0, "span": [0, 9], "header": {"reply_to": KEY}}),
            "header_read",
        ),
        (
            serde_json::json!({"type": "directive", "at": {"message": 0, "index": 0}, "directive":
                {"type": "send_message", "channel": KEY, "chat": KEY, "text": "Hi", "span": [0, 9]}}),
            "Hi",
        ),
        (
            serde_json::json!({"type": "intended", "op": 1, "intent": {"kind": "send_text", "target": target,
                "reply_to": KEY, "live": false}}),
            "42",
        ),
        (
            serde_json::json!({"type": "intended", "op": 1, "intent": {"kind": "react", "target": target,
                "message": KEY, "emoji": "x", "live": false}}),
            "42",
        ),
    ] {
        let mut kind: Kind = serde_json::from_value(kind).unwrap();
        Redaction::new(&RedactSettings::default())
            .unwrap()
            .event(&mut kind);
        let kind = serde_json::to_string(&kind).unwrap();
        assert!(!kind.contains(KEY) && kind.contains("[redacted]"), "{kind}");
        assert!(kind.contains(stays), "{kind}");
    }
}

/// A credential needs no form that anybody knows: it is masked because it is one of ours.
#[test]
fn credentials_are_known_by_their_value_however_they_are_written() {
    let credentials = [
        Secret::new("plain words \"said\" often"),
        Secret::new("7letter"),
        Secret::new("k".repeat(300) + &"q".repeat(400)),
    ];
    let redaction = Redaction::knowing(&RedactSettings::default(), &credentials).unwrap();
    let masked = |text: &str| redaction.text(text).into_owned();
    assert_eq!(masked("so plain words \"said\" often."), "so [redacted].");
    let json = serde_json::json!({"a": credentials[0].expose()}).to_string();
    assert_eq!(masked(&json), "{\"a\":\"[redacted]\"}");
    assert_eq!(
        masked("?k=plain%20words%20%22said%22%20often&b"),
        "?k=[redacted]&b"
    );
    assert_eq!(masked("a 7letter word"), "a 7letter word");
    let long = credentials[2].expose();
    assert_eq!(masked(&format!("x{long}y")), "x[redacted]y");
    assert_eq!(
        masked(&format!("x{}y", &long[..200])),
        format!("x{}y", &long[..200])
    );
    let shared = redaction.clone();
    redaction.learn(&[Secret::new("a new passphrase"), Secret::new("seven77")]);
    let text = "a new passphrase, plain words \"said\" often, seven77";
    assert_eq!(shared.text(text), "[redacted], [redacted], seven77");
    assert!(Arc::ptr_eq(&redaction.patterns(), &shared.patterns()));
    let before = redaction.patterns();
    redaction.learn(&[Secret::new("a new passphrase")]);
    assert!(Arc::ptr_eq(&redaction.patterns(), &before), "it was known");
    let off = RedactSettings {
        enabled: false,
        ..RedactSettings::default()
    };
    assert!(Redaction::knowing(&off, &credentials).is_none());
}

#[test]
fn what_comes_with_a_message_is_masked_as_its_text_is_and_ids_stay() {
    const KEY: &str = "sk-proj-Abc123Abc123Abc123Abc123";
    let mut message: Inbound = serde_json::from_value(serde_json::json!({
        "channel": "signal", "account": null, "chat": "7", "chat_type": "group", "thread": null, "message": "m1",
        "reply_to": null, "sender": {"id": "42", "name": "a", "display_name": "A", "is_bot": false},
        "text": "hi", "mentioned": true, "files": [], "at": "1970-01-01T00:00:00.000Z",
        "context": {
            "quote": {"id": "q1", "sender": KEY, "text": KEY},
            "thread": {"starter": {"text": KEY}, "recent": [{"text": KEY}]},
            "forwarded_from": KEY,
            "location": {"latitude": "1.5", "longitude": "2.5", "name": KEY, "address": KEY},
            "group": {"name": KEY, "members": [KEY]},
            "sender": {"ids": ["aci"], "phone": "+4915112345678", "names": [KEY]}
        }
    }))
    .unwrap();
    Redaction::new(&RedactSettings::default())
        .unwrap()
        .message(&mut message);
    let masked = serde_json::to_string(&message).unwrap();
    assert!(!masked.contains(KEY), "{masked}");
    assert_eq!(masked.matches("[redacted]").count(), 10, "{masked}");
    assert!(masked.contains("q1") && masked.contains("aci") && masked.contains("+4915112345678"));
    message.omit_content();
    assert_eq!(
        message.context, None,
        "of what the journal may not keep nothing is left"
    );
}

#[test]
fn a_message_of_an_older_journal_has_no_context_and_is_written_as_it_was() {
    let old = serde_json::json!({
        "channel": "signal", "account": null, "chat": "7", "chat_type": "direct", "thread": null, "message": "m1",
        "reply_to": null, "sender": {"id": "42", "name": "a", "display_name": "A", "is_bot": false},
        "text": "hi", "mentioned": true, "files": [], "at": "1970-01-01T00:00:00.000Z"
    });
    let message: Inbound = serde_json::from_value(old.clone()).unwrap();
    assert_eq!(message.context, None);
    assert_eq!(serde_json::to_value(&message).unwrap(), old);
}
