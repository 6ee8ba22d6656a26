//! Each way a message can end without what was meant, and what `why` says about it.

#[path = "fold/story.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod story;

#[path = "why/acted.rs"]
mod acted;
#[path = "why/delivery.rs"]
mod delivery;
#[path = "why/run.rs"]
mod run;
#[path = "why/waiting.rs"]
mod waiting;

use foldback_api::why;
use foldback_directives::{HoldReason, Span};
use foldback_wire::{
    ActionStarted, AgentFault, Body, FileFate, Gate, Hold, Intent, Kind, OpId, OpKind, Outcome, OutcomeCode,
    PerformedAction, RunId, Stage, StopReason, Suppression, Terminal, TurnId, rpc::Why,
};
use std::collections::BTreeMap;
use story::{Story, hold, inbound, intent, reaction_then_text};

fn ask(story: &Story) -> Why {
    why(TurnId(7), &story.events).unwrap()
}

/// A message that came in.
fn received() -> Story {
    let mut story = Story::default();
    story.at(
        0,
        Kind::Received {
            message: Box::new(inbound()),
        },
    );
    story
}

/// A message whose agent has started.
fn running() -> Story {
    let mut story = received();
    story.at(
        10,
        Kind::RunStarted {
            run: RunId(1),
            backend: "openai".into(),
            model: Some("small".into()),
        },
    );
    story
}

fn text(text: &str) -> Intent {
    Intent {
        body: Some(Body::own(text)),
        ..intent(OpKind::SendText)
    }
}

fn end(mut story: Story, terminal: Terminal) -> Why {
    story.at(2_000, Kind::TurnEnded { terminal });
    ask(&story)
}

/// The steps that said no, with their stage and setting.
fn noes(why: &Why) -> Vec<(&str, Option<&str>)> {
    let noes = why.steps.iter().filter(|step| step.no);
    noes.map(|step| (step.stage.as_str(), step.setting.as_deref()))
        .collect()
}

#[test]
fn a_gate_is_named_with_its_inputs_and_setting() {
    let mut story = received();
    story.at(
        1,
        Kind::Passed {
            stage: Stage::Dedupe,
            detail: "new".into(),
        },
    );
    story.at(
        2,
        Kind::Stopping {
            stage: Stage::Authorize,
            gate: Gate::SenderNotAllowed,
            detail: "alice is not in channels.telegram.allow_from".into(),
            inputs: BTreeMap::from([
                ("allow_from".into(), "[bob]".into()),
                ("sender".into(), "alice".into()),
            ]),
            setting: Some("channels.telegram.allow_from".into()),
            source: None,
        },
    );
    let why = end(
        story,
        Terminal::Blocked {
            gate: Gate::SenderNotAllowed,
        },
    );
    assert_eq!(
        why.answer,
        "Alice (alice) may not write here: not in channels.telegram.allow_from (bob)."
    );
    let stages: Vec<_> = why.steps.iter().map(|s| (s.stage.as_str(), s.no)).collect();
    assert_eq!(
        stages,
        [
            ("channel", false),
            ("dedupe", false),
            ("authorize", true),
            ("dispatch", false)
        ]
    );
}

#[test]
fn a_gate_is_a_sentence_about_the_sender_or_the_message() {
    for (gate, detail, key, sentence) in [
        (
            Gate::ChannelClosed,
            "channels.telegram.allow_from is empty",
            "allow_from",
            "Alice (alice) may not write here: channels.telegram.allow_from is empty.",
        ),
        (
            Gate::BotNotAllowed,
            "alice is a bot, and allow_bots is off",
            "allow_bots",
            "Alice (alice) may not write here: a bot, and allow_bots is off. Setting: channels.telegram.allow_bots",
        ),
        (
            Gate::NotMentioned,
            "it is in a group and neither mentions the bot nor answers it",
            "require_mention",
            "No answer: the message is in a group and neither mentions the bot nor answers it. Setting: \
             channels.telegram.require_mention",
        ),
        (
            Gate::DirectDisabled,
            "direct messages are switched off",
            "dm_policy",
            "No answer: direct messages are switched off. Setting: channels.telegram.dm_policy",
        ),
    ] {
        let mut story = received();
        story.at(
            2,
            Kind::Stopping {
                stage: Stage::Authorize,
                gate,
                detail: detail.into(),
                inputs: BTreeMap::new(),
                setting: Some(format!("channels.telegram.{key}")),
                source: None,
            },
        );
        assert_eq!(end(story, Terminal::Blocked { gate }).answer, sentence);
    }
}

fn left_out() -> Kind {
    Kind::Gathered {
        index: 0,
        name: "dot.png".into(),
        media_type: "image/png".into(),
        bytes: None,
        fate: FileFate::TooLarge,
        why: "it has 30000000 bytes, and at most 20MB are taken".into(),
        setting: Some("attachments.max_size".into()),
        heard: None,
        decided_by: None,
    }
}

#[test]
fn a_file_that_the_agent_was_not_given_is_named_with_what_to_set() {
    let mut story = received();
    story.at(5, left_out());
    story.sent(20, 1, text("I see nothing."), Some("9001"));
    let why = end(story, Terminal::Replied);
    assert_eq!(
        why.answer,
        "Answered on telegram, but dot.png: too_large: it has 30000000 bytes, and at most 20MB are taken. Setting: \
         attachments.max_size"
    );
}

#[test]
fn a_file_is_no_reason_for_an_agent_to_fail() {
    let mut story = running();
    story.at(15, left_out());
    story.at(
        50,
        Kind::RunFailed {
            fault: AgentFault::Timeout,
            detail: "the agent gave no sign of life for 300000 ms".into(),
            decided_by: None,
        },
    );
    let why = end(story, Terminal::Failed { detail: "x".into() });
    assert_eq!(noes(&why), [("run", Some("agent.idle_timeout"))]);
    assert!(
        why.steps
            .iter()
            .any(|step| step.text.starts_with("dot.png: too_large"))
    );
}

#[test]
fn a_turn_that_was_cut_off_says_so_and_not_what_it_held() {
    let mut story = running();
    story.at(
        40,
        Kind::Held {
            message: 0,
            hold: hold(0, 1, HoldReason::TrailingSpace),
        },
    );
    let detail = "the process ended during this turn".into();
    assert_eq!(
        end(story, Terminal::Failed { detail }).answer,
        "Failed: Foldback was stopped or killed before the agent was done."
    );
}

#[test]
fn what_is_held_is_told_with_what_it_is_decided_from_and_what_would_release_it() {
    for (reason, setting, change) in [
        (
            HoldReason::OpenBlock,
            Some("output.dialects"),
            "Without actions in output.dialects it would be text.",
        ),
        (
            HoldReason::RedactionWindow,
            Some("redact.enabled"),
            "With redact.enabled = false nothing is masked.",
        ),
        (HoldReason::TrailingSpace, None, ""),
    ] {
        let mut story = running();
        let hold = Hold {
            releases: "x".into(),
            ..hold(0, 9, reason)
        };
        story.at(40, Kind::Held { message: 0, hold });
        let why = ask(&story);
        let step = why.steps.iter().find(|step| step.no).unwrap();
        assert_eq!(
            (step.setting.as_deref(), step.change.as_deref()),
            (setting, Some(change).filter(|change| !change.is_empty()))
        );
        let told: Vec<_> = step
            .inputs
            .iter()
            .map(|input| (input.name.as_str(), input.value.as_str()))
            .collect();
        assert_eq!(told[..2], [("held", "9 B"), ("reason", reason.code())]);
    }
}

#[test]
fn a_message_that_waits_for_more_of_its_sender_names_the_setting() {
    let mut story = received();
    let waiting = Kind::Waiting {
        op: None,
        reason: HoldReason::Debounce,
        until: None,
    };
    story.at(5, waiting);
    let why = ask(&story);
    assert_eq!(noes(&why), [("debounce", Some("channels.telegram.debounce"))]);
    assert_eq!(
        why.answer,
        "Still running: the message waits for more of its sender. Setting: channels.telegram.debounce"
    );
    story.at(
        900,
        Kind::Passed {
            stage: Stage::Debounce,
            detail: "goes on".into(),
        },
    );
    assert_eq!(noes(&ask(&story)), []);
}

#[test]
fn a_suppressed_answer_says_who_wished_it() {
    let mut story = running();
    story.at(
        50,
        Kind::Suppressed {
            message: 0,
            reason: Suppression::NoReply,
            decided_by: None,
        },
    );
    let why = end(
        story,
        Terminal::Silent {
            reason: foldback_wire::SilentReason::NoReply,
        },
    );
    assert_eq!(
        why.answer,
        "No answer on purpose: the agent wrote <no-reply/>. Setting: output.dialects"
    );
}

#[test]
fn an_answer_that_is_too_long_names_its_bound() {
    let mut story = running();
    story.ended(50, 1, text("Hi"), Outcome::new(OutcomeCode::Sent));
    story.at(
        60,
        Kind::Truncated {
            messages: 20,
            bytes: 4_000,
            stopped: true,
            file: None,
            detail: Some("this channel takes no files".into()),
            decided_by: None,
        },
    );
    let why = end(story, Terminal::Replied);
    assert_eq!(noes(&why), [("deliver", Some("output.max_messages"))]);
    assert_eq!(
        why.steps
            .iter()
            .find(|step| step.no)
            .map(|step| step.text.as_str()),
        Some(
            "4000 bytes beyond the 20 messages of the turn are not sent: this channel takes no files; the run was stopped"
        )
    );
}

#[test]
fn a_running_turn_says_what_it_is_at() {
    assert_eq!(
        ask(&received()).answer,
        "Still running: the message has not reached the agent."
    );
    assert_eq!(ask(&running()).answer, "Still running: the agent is at work.");
    let mut delivering = running();
    delivering.at(
        20,
        Kind::RunEnded {
            run: RunId(1),
            reason: StopReason::End,
        },
    );
    assert_eq!(
        ask(&delivering).answer,
        "Still running: the agent has ended, and what it answered is not over."
    );
    let mut acting = Story {
        events: delivering.events.clone(),
    };
    acting.at(
        25,
        Kind::ActionStarted(ActionStarted {
            index: 0,
            action: PerformedAction {
                name: "bash".to_owned(),
                command: Some("df -h".to_owned()),
            },
            allowed_by: None,
        }),
    );
    assert_eq!(ask(&acting).answer, "Still running: an action is carried out.");
    delivering.at(
        30,
        Kind::Intended {
            op: OpId(1),
            intent: Box::new(text("Hi")),
        },
    );
    assert_eq!(
        ask(&delivering).answer,
        "Still running: operations are on their way."
    );
}

#[test]
fn a_hold_that_is_open_keeps_the_answer_back() {
    let mut story = running();
    story.at(
        40,
        Kind::Held {
            message: 0,
            hold: hold(0, 21, HoldReason::OpenBlock),
        },
    );
    let why = ask(&story);
    assert_eq!(
        why.answer,
        "Still running: 21 bytes are held (open_block): An <actions> block is open. What would release them: \
         `</actions>`. Setting: output.dialects"
    );
    story.at(50, Kind::Released { message: 0 });
    assert_eq!(noes(&ask(&story)), []);
}

#[test]
fn hidden_narration_is_a_no_and_shown_narration_is_not() {
    let ended = Kind::MessageEnded {
        message: 0,
        bytes: 4,
        narration: true,
        decided_by: None,
    };
    let mut story = running();
    story.at(40, ended.clone());
    assert_eq!(noes(&ask(&story)), [("run", Some("channels.telegram.narration"))]);
    let body = Some(Body::Clean {
        message: 0,
        span: Span::new(0, 4),
    });
    story.sent(
        50,
        1,
        Intent {
            body,
            ..intent(OpKind::SendText)
        },
        Some("b1"),
    );
    assert_eq!(noes(&ask(&story)), []);
}

#[test]
fn an_answer_without_a_no_counts_what_was_acknowledged() {
    let (story, _) = reaction_then_text();
    let why = ask(&story);
    assert_eq!(why.answer, "Answered on telegram: 3 operations acknowledged.");
    assert!(why.steps.is_sorted_by_key(|step| step.seq));
}

#[test]
fn without_a_message_there_is_no_turn() {
    assert_eq!(why(TurnId(8), &received().events), None);
}
