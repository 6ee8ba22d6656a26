//! The turn at a moment: by event, and by byte.

use crate::story::{CLEAN, Story, clean, inbound, intent, reaction_then_text, telegram};
use foldback_api::TurnFold;
use foldback_directives::HoldReason;
use foldback_wire::{
    AgentFault, Attachment, DecidingSetting, DirectiveScope, Event, FileFate, Inbound, InlineDirective,
    InlineDirectives, Intent, Kind, OpId, OpKind, Outcome, OutcomeCode, SettingSource, TurnId, Understanding,
    UnderstoodFile,
    rpc::{BubblePart, ChannelPreview, Moment},
};

fn at(story: &Story, seq: u64) -> Moment {
    fold(&story.events, seq).moment(&telegram()).unwrap()
}

fn fold(events: &[Event], seq: u64) -> TurnFold {
    TurnFold::until(TurnId(7), events, seq)
}

fn texts(preview: &ChannelPreview) -> Vec<&str> {
    preview
        .bubbles
        .iter()
        .map(|b| match &b.part {
            BubblePart::Text { text, .. } | BubblePart::Voice { text, .. } => text.as_str(),
            BubblePart::File { file } => file.name.as_str(),
        })
        .collect()
}

#[test]
fn no_message_stands_in_the_chat_of_a_turn_that_none_began() {
    for (id, bubbles, notes) in [
        ("42", 1, Vec::new()),
        (
            "schedule:daily:1",
            0,
            vec!["No message of the user began this turn."],
        ),
        ("delivery:d1", 0, vec!["No message of the user began this turn."]),
    ] {
        let message = Inbound {
            message: id.into(),
            ..inbound()
        };
        let mut story = Story::default();
        let received = Kind::Received {
            message: message.into(),
        };
        let seq = story.at(0, received);
        let seen = at(&story, seq).seen;
        assert_eq!(
            (seen.bubbles.len(), seen.notes),
            (bubbles, notes.into_iter().map(str::to_owned).collect()),
            "{id}"
        );
    }
}

#[test]
fn files_stand_under_their_message_and_then_what_came_of_them() {
    let attachment = |name: &str, size| Attachment {
        name: name.into(),
        media_type: "image/png".into(),
        size,
        source: Some("handle".into()),
    };
    let message = Inbound {
        files: vec![attachment("dot.png", Some(8)), attachment("large.png", Some(9))],
        ..inbound()
    };
    let mut story = Story::default();
    let received = story.at(
        0,
        Kind::Received {
            message: message.into(),
        },
    );
    let gathered = |index, name: &str, bytes, fate, why: &str| Kind::Gathered {
        index,
        name: name.into(),
        media_type: "image/jpeg".into(),
        bytes,
        fate,
        why: why.into(),
        setting: None,
        heard: None,
        decided_by: None,
    };
    story.at(1, gathered(0, "dot.png", Some(7), FileFate::Given, "odd"));
    let last = story.at(2, gathered(1, "large.png", None, FileFate::TooLarge, "large"));
    let files = |seq| -> Vec<_> {
        let files = at(&story, seq).seen.bubbles.remove(0).attachments.into_iter();
        files
            .map(|file| (file.name, file.media_type, file.bytes, file.fate, file.why))
            .collect()
    };
    let file = |name: &str, media: &str, bytes, fate, why: &str| {
        (name.to_owned(), media.to_owned(), bytes, fate, why.to_owned())
    };
    assert_eq!(
        files(received),
        [
            file("dot.png", "image/png", Some(8), None, ""),
            file("large.png", "image/png", Some(9), None, "")
        ]
    );
    assert_eq!(
        files(last),
        [
            file("dot.png", "image/jpeg", Some(7), Some(FileFate::Given), "odd"),
            file(
                "large.png",
                "image/jpeg",
                Some(9),
                Some(FileFate::TooLarge),
                "large"
            )
        ]
    );
}

#[test]
fn what_was_understood_of_a_file_stands_with_it_and_is_other_peoples_word() {
    let file = |name: &str| Attachment {
        name: name.into(),
        media_type: "text/plain".into(),
        size: None,
        source: None,
    };
    let message = Inbound {
        files: vec![file("a.txt"), file("old.ogg")],
        ..inbound()
    };
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: message.into(),
        },
    );
    for (index, fate, heard) in [
        (0, FileFate::Read, None),
        (1, FileFate::Transcribed, Some("said")),
    ] {
        story.at(
            1,
            Kind::Gathered {
                index,
                name: "a.txt".into(),
                media_type: "text/plain".into(),
                bytes: Some(4),
                fate,
                why: String::new(),
                setting: None,
                heard: heard.map(str::to_owned),
                decided_by: None,
            },
        );
    }
    let read = UnderstoodFile {
        index: 0,
        name: "a.txt".into(),
        how: Understanding::Text,
        by: "foldback".into(),
        took_ms: 3,
        text: Some("tides".into()),
        bytes: 5,
        cut: false,
        why: String::new(),
    };
    let last = story.at(2, Kind::Understood(read.clone()));
    let shown: Vec<_> = at(&story, last).seen.bubbles.remove(0).attachments;
    assert_eq!(shown[0].understood.as_ref(), Some(&read));
    let old = shown[1].understood.as_ref().unwrap();
    assert_eq!(
        (old.how, old.text.as_deref()),
        (Understanding::Transcript, Some("said"))
    );
    let detail = fold(&story.events, last).detail().unwrap();
    assert_eq!(detail.understood.len(), 2);
    let row = foldback_store::row(story.events.last().unwrap(), None);
    assert_eq!(row.summary, "a.txt: text by foldback in 3 ms: tides");
    assert_eq!((row.stage.as_str(), row.bytes), ("prepare", Some(5)));
    let failed = UnderstoodFile {
        text: None,
        why: "its bytes are no text".into(),
        ..read
    };
    let last = story.at(3, Kind::Understood(failed));
    let row = foldback_store::row(&story.events[usize::try_from(last).unwrap() - 1], None);
    assert_eq!(
        row.summary,
        "a.txt: no text by foldback after 3 ms: its bytes are no text"
    );
}

#[test]
fn nothing_in_the_name_of_a_file_is_invisible() {
    let turned = "invoice\u{202e}fdp.exe";
    let message = Inbound {
        files: vec![Attachment {
            name: turned.into(),
            media_type: "text/\u{200b}plain".into(),
            size: None,
            source: None,
        }],
        ..inbound()
    };
    let mut story = Story::default();
    let received = story.at(
        0,
        Kind::Received {
            message: message.into(),
        },
    );
    let gathered = story.at(
        1,
        Kind::Gathered {
            index: 0,
            name: turned.into(),
            media_type: "text/\u{200b}plain".into(),
            bytes: None,
            fate: FileFate::Given,
            why: String::new(),
            setting: None,
            heard: None,
            decided_by: None,
        },
    );
    let path = Some(format!("out/{turned}"));
    let sent = Intent {
        path,
        ..intent(OpKind::SendFile)
    };
    let sent = story.sent(2, 1, sent, Some("b1"));
    for seq in [received, gathered] {
        let file = at(&story, seq).seen.bubbles.remove(0).attachments.remove(0);
        let shown = (file.name.as_str(), file.media_type.as_str());
        assert_eq!(shown, ("invoice⟨U+202E⟩fdp.exe", "text/⟨U+200B⟩plain"));
    }
    let BubblePart::File { file } = at(&story, sent).seen.bubbles.remove(1).part else {
        panic!("no file")
    };
    assert_eq!(file.name, "invoice⟨U+202E⟩fdp.exe");
}

/// A card says by which setting something was refused, where its value comes from and what would change it.
#[test]
fn the_card_of_what_was_refused_has_its_setting_and_what_changes_it() {
    let decided_by = |setting: &str, value: &str| {
        Some(Box::new(DecidingSetting {
            setting: setting.into(),
            value: value.into(),
            source: SettingSource::Global,
        }))
    };
    let refused = InlineDirectives {
        directives: vec![InlineDirective {
            name: "think".into(),
            value: "high".into(),
        }],
        spans: Vec::new(),
        scope: DirectiveScope::Refused,
        findings: vec!["alice is not an owner".into()],
        setting: Some("commands.owner_allow_from".into()),
        decided_by: decided_by("commands.owner_allow_from", "[42]"),
    };
    let truncated = Kind::Truncated {
        messages: 3,
        bytes: 9,
        stopped: false,
        file: None,
        detail: None,
        decided_by: decided_by("channels.telegram.max_messages", "3"),
    };
    let narration = Kind::MessageEnded {
        message: 0,
        bytes: 4,
        narration: true,
        decided_by: decided_by("channels.telegram.narration", "hide"),
    };
    let failed = Kind::RunFailed {
        fault: AgentFault::Timeout,
        detail: "nothing came for 60000 ms".into(),
        decided_by: decided_by("agent.openai.timeout", "1m"),
    };
    let dry = Kind::Ended {
        op: OpId(1),
        outcome: Outcome {
            decided_by: decided_by("channels.telegram.armed", "false"),
            ..Outcome::new(OutcomeCode::DryRun)
        },
    };
    for (kind, setting, value, change) in [
        (
            Kind::InlineDirectives(refused),
            "commands.owner_allow_from",
            "[42]",
            "Add the sender to commands.owner_allow_from.",
        ),
        (
            truncated,
            "channels.telegram.max_messages",
            "3",
            "Set channels.telegram.max_messages to more than 3.",
        ),
        (
            narration,
            "channels.telegram.narration",
            "hide",
            "Set channels.telegram.narration to show.",
        ),
        (
            failed,
            "agent.openai.timeout",
            "1m",
            "Set agent.openai.timeout to longer than 1m.",
        ),
        (
            dry,
            "channels.telegram.armed",
            "false",
            "Arm the channel on its card, or set channels.telegram.armed to true.",
        ),
    ] {
        let mut story = Story::default();
        let message = inbound().into();
        story.at(0, Kind::Received { message });
        let seq = story.at(1, kind);
        let card = at(&story, seq).decision.unwrap();
        let told = |name: &str| {
            let input = card.inputs.iter().find(|input| input.name == name);
            input.map(|input| input.value.as_str())
        };
        assert_eq!(
            ["setting", "its value", "comes from", "what changes it"].map(told),
            [setting, value, "global", change].map(Some),
            "{card:?}"
        );
    }
}

#[test]
fn while_the_block_is_open_it_is_held_and_nothing_is_seen() {
    let (story, places) = reaction_then_text();
    let moment = at(&story, places.held);
    assert_eq!((moment.seq, moment.at_ms), (places.held, 100));
    let message = &moment.messages[0];
    assert_eq!(message.raw_bytes, 21);
    assert_eq!(message.hold.as_ref().unwrap().reason, HoldReason::OpenBlock);
    assert_eq!(message.held_since_ms, Some(100));
    assert_eq!(message.released, "");
    assert!(message.ranges.is_empty() && moment.directives.is_empty() && moment.ledger.is_empty());
    assert_eq!(texts(&moment.seen), ["How was my talk?"]);
}

#[test]
fn then_the_reaction_then_the_text_then_its_edit() {
    let (story, places) = reaction_then_text();
    let reacted = at(&story, places.reacted);
    assert_eq!(reacted.seen.bubbles[0].reactions[0].emoji, "👍");
    assert_eq!(texts(&reacted.seen), ["How was my talk?"]);
    assert_eq!(
        reacted.messages[0].released, "Great",
        "released by the scanner, not yet on the channel"
    );

    let frame = at(&story, places.first_frame);
    assert_eq!(texts(&frame.seen), ["How was my talk?", "Great"]);
    assert_eq!(
        (frame.seen.bubbles[1].length, frame.seen.bubbles[1].limit),
        (5, 4_096)
    );

    let end = at(&story, places.end);
    assert_eq!(texts(&end.seen), ["How was my talk?", CLEAN]);
    assert_eq!(end.seen.bubbles[1].edits, 1);
    assert_eq!(end.seen.notes, [""; 0]);
    assert_eq!(end.seen.rules, "", "acknowledged, not approximated");
}

#[test]
fn delivery_says_what_it_waits_for_and_how_long() {
    let (story, places) = reaction_then_text();
    let waiting = at(&story, places.waiting);
    let wait = waiting.waiting.unwrap();
    assert_eq!(
        (wait.reason, wait.about.as_str()),
        (HoldReason::EditInterval, HoldReason::EditInterval.about())
    );
    assert_eq!(
        wait.until_ms,
        Some(waiting.at_ms + 1_400),
        "counted from the turn's begin, so that it is true at every instant"
    );
    assert_eq!(at(&story, places.end).waiting, None);
}

#[test]
fn an_intent_counts_only_once_it_is_acknowledged() {
    let (story, places) = reaction_then_text();
    let before = at(&story, places.first_frame - 1);
    assert_eq!(before.ledger.len(), 2);
    assert_eq!(before.ledger[1].outcome, None);
    assert_eq!(texts(&before.seen), ["How was my talk?"]);
}

#[test]
fn a_dry_run_shows_what_would_be_there_and_says_that_it_is_not() {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    let body = Some(foldback_wire::Body::own("Hi"));
    let end = story.ended(
        10,
        1,
        Intent {
            body,
            ..intent(OpKind::SendText)
        },
        Outcome::new(OutcomeCode::DryRun),
    );
    let seen = at(&story, end).seen;
    assert_eq!(texts(&seen), ["How was my talk?", "Hi"]);
    assert_eq!(seen.notes, ["Dry run: none of this reached telegram."]);
}

#[test]
fn what_may_or_may_not_be_there_is_said() {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    let end = story.ended(
        10,
        1,
        intent(OpKind::SendText),
        Outcome::new(OutcomeCode::Unknown),
    );
    let seen = at(&story, end).seen;
    assert_eq!(texts(&seen), ["How was my talk?"]);
    assert_eq!(
        seen.notes,
        ["A message may or may not be there: the reason is not known."]
    );
}

#[test]
fn an_edit_in_doubt_whose_text_was_sent_anew_is_not_said_to_be_perhaps_there() {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    let replaced = Outcome {
        replaced_by: Some(foldback_wire::OpId(2)),
        ..Outcome::new(OutcomeCode::Unknown)
    };
    story.ended(10, 1, intent(OpKind::EditText), replaced);
    let body = Some(foldback_wire::Body::own("Anew"));
    let anew = Intent {
        body,
        ..intent(OpKind::SendText)
    };
    let end = story.ended(20, 2, anew, Outcome::new(OutcomeCode::Sent));
    let seen = at(&story, end).seen;
    assert_eq!(texts(&seen), ["How was my talk?", "Anew"]);
    assert!(seen.notes.is_empty(), "{:?}", seen.notes);
}

#[test]
fn a_removed_message_and_a_quoted_one_are_marked() {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    let text = |text: &str| Some(foldback_wire::Body::own(text));
    story.sent(
        10,
        1,
        Intent {
            body: text("…"),
            ..intent(OpKind::SendText)
        },
        Some("b1"),
    );
    let answer = Intent {
        body: text("Fine"),
        reply_to: Some("m1".into()),
        ..intent(OpKind::SendText)
    };
    story.sent(20, 2, answer, Some("b2"));
    let removal = Intent {
        message: Some("b1".into()),
        ..intent(OpKind::Delete)
    };
    let end = story.sent(30, 3, removal, None);
    let bubbles = at(&story, end).seen.bubbles;
    assert!(bubbles[1].deleted && !bubbles[2].deleted);
    assert_eq!(bubbles[2].quote.as_deref(), Some("How was my talk?"));
}

#[test]
fn typing_is_shown_until_a_message_comes() {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    let typing = story.sent(10, 1, intent(OpKind::Typing), None);
    assert!(at(&story, typing).seen.typing);
    let later = story.at(
        10_060,
        Kind::Warned {
            detail: "slow".into(),
        },
    );
    assert!(
        !at(&story, later).seen.typing,
        "nobody renewed it for ten seconds"
    );
    let again = story.sent(11_000, 2, intent(OpKind::Typing), None);
    assert!(at(&story, again).seen.typing);
    let said = story.sent(
        11_100,
        3,
        Intent {
            body: Some(clean(0)),
            ..intent(OpKind::SendText)
        },
        Some("b1"),
    );
    assert!(!at(&story, said).seen.typing);
}
