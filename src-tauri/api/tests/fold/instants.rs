//! One state at one instant: what is held, decided, waited for and leaked agrees at every event.

use crate::story::{Story, clean, hold, inbound, intent, reaction_then_text, telegram};
use foldback_api::TurnFold;
use foldback_directives::HoldReason;
use foldback_wire::{
    Fate, Hold, Intent, Kind, OpId, OpKind, Range, Span, TurnId,
    rpc::{DecisionKind, Moment},
};

fn at(story: &Story, seq: u64) -> Moment {
    TurnFold::until(TurnId(7), &story.events, seq)
        .moment(&telegram())
        .unwrap()
}

fn received() -> Story {
    let mut story = Story::default();
    let message = Box::new(inbound());
    story.at(0, Kind::Received { message });
    story
}

fn chunk(from: usize, text: &str) -> Kind {
    Kind::Chunk {
        message: 0,
        span: Span::new(from, from + text.len()),
        text: text.into(),
        came: None,
    }
}

fn decided(from: usize, to: usize, fate: Fate) -> Kind {
    let range = Range {
        span: Span::new(from, to),
        fate,
        reason: None,
        shown_as: None,
    };
    Kind::Decided { message: 0, range }
}

#[test]
fn bytes_that_were_decided_are_held_no_more_though_the_journal_tells_the_hold_later() {
    let mut story = received();
    story.at(100, chunk(0, &"x".repeat(40)));
    let mut held = hold(0, 40, HoldReason::OpenBlock);
    held.because = "An <actions> block is open. Rule G3.block: waiting since byte 0; 40 bytes held.".into();
    let (message, hold) = (0, held);
    story.at(100, Kind::Held { message, hold });
    story.at(200, chunk(40, "yy"));
    let part = story.at(200, decided(0, 34, Fate::Strip));
    let all = story.at(200, decided(34, 42, Fate::Show));

    let moment = at(&story, part);
    let hold = moment.messages[0].hold.as_ref().unwrap();
    assert_eq!((hold.span.start, hold.span.end), (34, 40));
    assert!(hold.because.ends_with("; 6 bytes held."), "{}", hold.because);
    assert_eq!(moment.messages[0].held_since_ms, Some(100));
    assert_eq!(at(&story, all).messages[0].hold, None);
}

#[test]
fn a_moment_names_its_decision_with_bytes_rule_inputs_and_effect() {
    let (story, places) = reaction_then_text();
    let held = at(&story, places.held).decision.unwrap();
    assert_eq!(held.decision.kind, DecisionKind::Hold);
    assert_eq!(held.raw.as_deref(), Some("<actions>\n  <react em"));
    assert_eq!(held.rule.code, "G3.block");
    assert!(
        held.rule.about.starts_with("A block goes from"),
        "{}",
        held.rule.about
    );
    assert!(
        held.inputs
            .iter()
            .any(|i| i.name == "reason" && i.value == "open_block")
    );
    assert!(
        held.effect.contains("does not see these bytes"),
        "{}",
        held.effect
    );

    let frame = at(&story, places.first_frame).decision.unwrap();
    assert_eq!(frame.decision.kind, DecisionKind::Delivery);
    assert_eq!(frame.effect, "The chat shows a new message, “Great”.");
    for event in &story.events {
        let decision = at(&story, event.seq.0).decision.unwrap();
        assert!(
            !decision.effect.is_empty() && decision.rule.code != "process",
            "{event:?}"
        );
    }
}

#[test]
fn a_decision_says_its_sentence_once() {
    let long = format!("The tag is cut off{}.", " and goes on".repeat(30));
    let mut cut_off = received();
    cut_off.at(100, chunk(0, "<"));
    let hold = Hold {
        because: long.clone(),
        ..hold(0, 1, HoldReason::PartialTag)
    };
    let seq = cut_off.at(100, Kind::Held { message: 0, hold });
    let (story, places) = reaction_then_text();
    let block = (&story, places.held, "An <actions> block is open.");
    for (story, seq, sentence) in [block, (&cut_off, seq, &long[..150])] {
        let told = at(story, seq).decision.unwrap();
        assert!(told.decision.text.contains(sentence), "{}", told.decision.text);
        let names: Vec<_> = told.inputs.iter().map(|input| input.name.as_str()).collect();
        assert_eq!(
            names,
            ["reason", "setting", "what changes it"],
            "{:?}",
            told.inputs
        );
    }
    for event in &story.events {
        let told = at(&story, event.seq.0).decision.unwrap();
        let (_, sentence) = told
            .decision
            .text
            .split_once(": ")
            .unwrap_or(("", &told.decision.text));
        let twice = told
            .inputs
            .iter()
            .find(|input| input.value == sentence && sentence.contains(' '));
        assert_eq!(twice, None, "{}", told.decision.text);
    }
}

#[test]
fn a_hold_that_grew_is_told_as_it_is_now() {
    let mut story = received();
    story.at(100, chunk(0, "<actions>"));
    let message = 0;
    let first = hold(0, 9, HoldReason::OpenBlock);
    story.at(100, Kind::Held { message, hold: first });
    story.at(200, chunk(9, "<react"));
    let grown = hold(0, 15, HoldReason::OpenBlock);
    // The chunk is a step of its own; the card of the hold is that of the step before it.
    let seq = story.at(200, Kind::Held { message, hold: grown });
    let moment = at(&story, seq);
    assert_eq!(moment.messages[0].hold.as_ref().unwrap().span.end, 15);
    assert_eq!(moment.decision.unwrap().decision.kind, DecisionKind::Chunk);
}

#[test]
fn bytes_that_leaked_are_told_as_soon_as_they_were_shown() {
    let mut story = received();
    story.at(100, chunk(0, "abc"));
    story.at(100, decided(0, 3, Fate::Show));
    let body = Some(clean(3));
    let text = Intent {
        body,
        ..intent(OpKind::SendText)
    };
    let sent = story.sent(200, 1, text, Some("b1"));
    let (op, span) = (OpId(1), Span::new(0, 2));
    story.at(900, Kind::Leaked { op, message: 0, span });
    let leaks = |seq| {
        at(&story, seq).ledger[0]
            .leaked
            .iter()
            .map(|l| l.text.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(leaks(sent - 1), [""; 0]);
    assert_eq!(leaks(sent), ["ab"]);
}

#[test]
fn typing_tools_and_lengths_are_those_of_the_moment() {
    let (story, places) = reaction_then_text();
    let [first, end] = [places.first_frame, places.end].map(|seq| at(&story, seq));
    assert_eq!(first.lengths.messages[0].written, 5);
    assert_eq!(end.lengths.messages[0].written, 11);
    assert!(at(&story, places.held).lengths.messages.is_empty());

    let mut story = received();
    let typing = story.sent(10, 1, intent(OpKind::Typing), None);
    assert_eq!(at(&story, typing).typing_until_ms, Some(10_060));
}
