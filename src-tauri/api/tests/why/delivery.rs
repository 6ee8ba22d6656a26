//! Deliveries that did not happen, and directives that were not carried out.

use super::{ask, end, noes, running, text};
use crate::story::Story;
use foldback_directives::{HoldReason, Span};
use foldback_wire::{Diagnostic, Directive, DirectiveRef, Kind, OpId, Outcome, OutcomeCode, Terminal};

#[test]
fn a_channel_that_is_off_holds_the_message() {
    let mut story = running();
    story.at(
        50,
        Kind::Intended {
            op: OpId(1),
            intent: Box::new(text("Hi")),
        },
    );
    story.at(
        50,
        Kind::Waiting {
            op: Some(OpId(1)),
            reason: HoldReason::ChannelOff,
            until: None,
        },
    );
    // Which it is, off, muted or not connected, the turn's own events do not tell.
    assert_eq!(noes(&ask(&story)), [("deliver", None)]);
    // Once it went out, nothing said no.
    story.at(
        900,
        Kind::Ended {
            op: OpId(1),
            outcome: Outcome::new(OutcomeCode::Sent),
        },
    );
    let why = end(story, Terminal::Replied);
    assert_eq!(why.answer, "Answered on telegram: 1 operation acknowledged.");
    assert_eq!(noes(&why), []);
}

#[test]
fn a_dry_run_reached_nobody() {
    let mut story = running();
    story.ended(50, 1, text("Hi"), Outcome::new(OutcomeCode::DryRun));
    let why = end(story, Terminal::Replied);
    assert_eq!(
        why.answer,
        "No answer: dry run: everything happened except the call of the platform. Setting: channels.telegram.armed"
    );
}

/// A `<voice>` of the answer, in its order, that was not carried out; where it stands.
fn skipped(story: &mut Story, index: usize, code: OutcomeCode, why: &str, setting: Option<&str>) -> Span {
    let at = DirectiveRef {
        message: 0,
        index: index as u32,
    };
    let span = Span::new(10 * index, 10 * index + 9);
    let directive = Directive::Voice {
        text: "Hey".into(),
        span,
    };
    story.at(40, Kind::Directive { at, directive });
    let (outcome, setting) = (Outcome::new(code).because(why), setting.map(str::to_owned));
    story.at(
        40,
        Kind::Skipped {
            at,
            outcome,
            setting,
            decided_by: None,
        },
    );
    span
}

#[test]
fn a_directive_that_the_channel_cannot_do_is_named_beside_the_answer() {
    let mut story = running();
    skipped(
        &mut story,
        0,
        OutcomeCode::Unsupported,
        "speech is not configured",
        None,
    );
    story.sent(50, 1, text("Hi"), Some("b1"));
    let why = end(story, Terminal::Replied);
    assert_eq!(
        why.answer,
        "Answered on telegram, but <voice> was not carried out: unsupported, speech is not configured."
    );
}

#[test]
fn a_refused_directive_names_its_own_setting_and_how_many_others_said_no() {
    let mut story = running();
    for (index, (detail, setting)) in [
        ("report.pdf cannot be opened: not found", "files.send_dir"),
        ("slack:c1 is not in output.allow_targets", "output.allow_targets"),
    ]
    .into_iter()
    .enumerate()
    {
        let span = skipped(&mut story, index, OutcomeCode::NotAllowed, detail, Some(setting));
        // That no once more, as a finding in the output.
        let diagnostic = Diagnostic::new(foldback_wire::Code::NotAllowed, span, detail);
        story.at(
            40,
            Kind::Diagnosed {
                message: 0,
                diagnostic,
            },
        );
    }
    story.sent(50, 1, text("Hi"), Some("b1"));
    let why = end(story, Terminal::Replied);
    assert_eq!(
        noes(&why),
        [
            ("deliver", Some("files.send_dir")),
            ("deliver", Some("output.allow_targets"))
        ]
    );
    assert_eq!(
        why.answer,
        "Answered on telegram, but <voice> was not carried out: not_allowed, report.pdf cannot be opened: not found \
         (and 1 more). Setting: files.send_dir"
    );
}

#[test]
fn a_malformed_directive_is_a_no_of_the_scanner() {
    let mut story = running();
    let diagnostic = Diagnostic::new(
        foldback_wire::Code::UnclosedBlock,
        Span::new(0, 9),
        "the block is never closed",
    );
    story.at(
        40,
        Kind::Diagnosed {
            message: 0,
            diagnostic,
        },
    );
    story.sent(50, 1, text("Hi"), Some("b1"));
    let why = end(story, Terminal::Replied);
    assert_eq!(
        why.answer,
        "Answered on telegram, but unclosed-block: the block is never closed."
    );
}

#[test]
fn what_the_platform_refused_and_what_nobody_knows_are_named() {
    let mut story = running();
    let refused = Outcome::new(OutcomeCode::Failed).because("chat not found");
    story.ended(50, 1, text("Hi"), refused);
    let why = end(
        story,
        Terminal::Failed {
            detail: "nothing was delivered".into(),
        },
    );
    assert_eq!(why.answer, "Failed: the message failed: chat not found.");

    let mut story = running();
    story.ended(50, 1, text("Hi"), Outcome::new(OutcomeCode::Unknown));
    let why = end(story, Terminal::Replied);
    assert_eq!(noes(&why), [("deliver", None)]);
    assert!(
        why.answer.contains("only a person sends it again"),
        "{}",
        why.answer
    );
}
