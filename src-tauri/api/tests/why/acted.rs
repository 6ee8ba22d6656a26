//! The reasons for which an action was (not) carried out, and the cause of a delivery turn.

use super::{ask, end, noes, received, running, story::intent};
use foldback_directives::Span;
use foldback_pipeline::ACTION_NOT_DONE;
use foldback_wire::{
    ActionEnded, ActionRefusal, ActionRefusalCode, ActionStarted, Actor, Body, DecidingSetting,
    DeliveryAccepted, DeliveryLimits, DeliveryOutcome, DeliveryRequest, Intent, Kind, OpKind,
    PerformedAction, PermissionKind, PermissionOption, ReplyAddress, SettingSource, SilentReason, Terminal,
    TurnId,
};

fn df() -> PerformedAction {
    PerformedAction {
        name: "bash".to_owned(),
        command: Some("df -h".to_owned()),
    }
}

fn request(outcome: DeliveryOutcome, cause: Option<TurnId>) -> DeliveryRequest {
    let message = super::story::inbound();
    DeliveryRequest {
        id: "actions-6".into(),
        origin: ReplyAddress::of(&message),
        requester: message.sender,
        action: df(),
        outcome,
        items: Vec::new(),
        items_omitted: 0,
        depth: 2,
        limits: DeliveryLimits::default(),
        corrections: None,
        cause,
    }
}

#[test]
fn a_delivery_turn_names_the_turn_and_the_action_that_led_to_it() {
    for (outcome, cause, expected) in [
        (
            DeliveryOutcome::Output,
            Some(TurnId(6)),
            "It began with the result of bash `df -h`, which turn 6 asked for.",
        ),
        (
            DeliveryOutcome::Error,
            Some(TurnId(6)),
            "It began with the error of bash `df -h`, which turn 6 asked for.",
        ),
        (
            DeliveryOutcome::Event,
            None,
            "It began with the event of bash `df -h`, which came from outside.",
        ),
    ] {
        let mut story = received();
        story.at(1, Kind::DeliveryDue(Box::new(request(outcome, cause))));
        let why = end(story, Terminal::Replied);
        assert!(why.answer.ends_with(expected), "{}", why.answer);
        let step = why
            .steps
            .iter()
            .find(|step| step.text.contains("delivery 2 of at most 3"));
        assert!(step.is_some_and(|step| !step.no), "{:#?}", why.steps);
    }
}

fn ended(index: u32, outcome: DeliveryOutcome, note: Option<&str>) -> Kind {
    Kind::ActionEnded(ActionEnded {
        index,
        name: "bash".to_owned(),
        outcome,
        exit: None,
        note: note.map(str::to_owned),
        bytes: 0,
    })
}

#[test]
fn an_action_that_was_carried_out_says_at_whose_word() {
    let started = |index| {
        Kind::ActionStarted(ActionStarted {
            index,
            action: df(),
            allowed_by: None,
        })
    };
    let mut story = running();
    story.at(20, started(0));
    story.at(
        30,
        Kind::PermissionDecided {
            id: "foldback-action-1".into(),
            option: Some(PermissionOption {
                id: "allow_once".to_owned(),
                name: "Carry it out".to_owned(),
                kind: PermissionKind::AllowOnce,
            }),
            by: Actor::Console,
            why: "a person".to_owned(),
            decided_by: None,
        },
    );
    story.at(40, started(1));
    story.at(
        45,
        ended(1, DeliveryOutcome::Output, Some("it ran 60 s, and was ended")),
    );
    story.at(46, started(2));
    story.at(47, ended(2, DeliveryOutcome::Error, Some("a person stopped it")));
    story.at(48, started(3));
    story.at(48, started(4));
    story.at(48, ended(4, DeliveryOutcome::Error, None));
    story.at(49, ended(3, DeliveryOutcome::Output, None));
    story.at(
        50,
        Kind::DeliveryAccepted(DeliveryAccepted {
            id: "actions-7".into(),
            turn: TurnId(8),
        }),
    );
    let why = end(
        story,
        Terminal::Silent {
            reason: SilentReason::DirectivesOnly,
        },
    );
    let texts: Vec<_> = why.steps.iter().map(|step| step.text.as_str()).collect();
    assert!(
        texts.contains(
            &"bash `df -h` began, and nobody knows how it ended: the sender is allowed to, no confirmation needed"
        ),
        "{texts:#?}"
    );
    assert!(
        texts.contains(
            &"bash `df -h` was carried out (it ran 60 s, and was ended): a person at the console confirmed it"
        ),
        "{texts:#?}"
    );
    let ends = [
        "began, but a person stopped it",
        "began and ended with an error",
        "was carried out",
    ];
    for end in ends {
        let expected = format!("bash `df -h` {end}: the sender is allowed to, no confirmation needed");
        assert!(texts.contains(&expected.as_str()), "{expected} {texts:#?}");
    }
    assert_eq!(why.answer, "It asked for 5 actions; the answer is in turn 8.");
}

fn refused(code: ActionRefusalCode, setting: Option<&str>) -> Kind {
    Kind::ActionRefused(ActionRefusal {
        index: 0,
        name: "bash".to_owned(),
        code,
        detail: "it never runs (`rm -r` matches)".to_owned(),
        findings: Vec::new(),
        setting: setting.map(str::to_owned),
        decided_by: setting.map(|setting| {
            Box::new(DecidingSetting {
                setting: setting.to_owned(),
                value: "[rm -r]".to_owned(),
                source: SettingSource::Global,
            })
        }),
    })
}

fn says(kind: OpKind, body: Body) -> Intent {
    Intent {
        body: Some(body),
        ..intent(kind)
    }
}

const ONLY_ACTIONS: Terminal = Terminal::Silent {
    reason: SilentReason::DirectivesOnly,
};

#[test]
fn a_question_and_a_notice_are_no_answer() {
    // The question and its edit: the result went to turn 8.
    let mut story = running();
    story.sent(
        20,
        1,
        says(
            OpKind::SendText,
            Body::Aside {
                text: "May it?".to_owned(),
            },
        ),
        Some("m1"),
    );
    story.sent(
        21,
        2,
        says(
            OpKind::EditText,
            Body::Aside {
                text: "It may.".to_owned(),
            },
        ),
        Some("m1"),
    );
    story.at(
        22,
        Kind::ActionStarted(ActionStarted {
            index: 0,
            action: df(),
            allowed_by: None,
        }),
    );
    story.at(23, ended(0, DeliveryOutcome::Output, None));
    let accepted = DeliveryAccepted {
        id: "actions-7".into(),
        turn: TurnId(8),
    };
    story.at(24, Kind::DeliveryAccepted(accepted));
    let why = end(story, ONLY_ACTIONS);
    assert_eq!(why.answer, "It asked for an action; the answer is in turn 8.");

    // The notice alone, and none.
    for (is_told, expected) in [(true, "the user was told so"), (false, "the user was not told")] {
        let mut story = running();
        story.at(20, refused(ActionRefusalCode::Denied, Some("actions.bash.deny")));
        if is_told {
            let text = ACTION_NOT_DONE.to_owned();
            story.sent(21, 1, says(OpKind::SendText, Body::Aside { text }), Some("m1"));
        }
        let why = end(story, ONLY_ACTIONS);
        assert_eq!(
            why.answer,
            format!(
                "It asked for an action, which was not carried out (denied); {expected}. Reason: bash was not carried \
                 out: it never runs (`rm -r` matches). Setting: actions.bash.deny"
            )
        );
    }

    // Words of the agent are one.
    let mut story = running();
    let span = Span::new(0, 2);
    story.sent(
        21,
        1,
        says(OpKind::SendText, Body::Clean { message: 0, span }),
        Some("m1"),
    );
    story.at(22, refused(ActionRefusalCode::Denied, None));
    let why = end(story, Terminal::Replied);
    assert!(why.answer.starts_with("Answered on"), "{}", why.answer);
}

#[test]
fn a_refused_action_tells_its_setting_the_place_of_its_value_and_what_changes_it() {
    let mut story = running();
    story.at(20, refused(ActionRefusalCode::Denied, Some("actions.bash.deny")));
    story.at(
        24,
        Kind::DeliveryDue(Box::new(request(DeliveryOutcome::Output, None))),
    );
    let why = end(story, ONLY_ACTIONS);
    // Sentences do not run together.
    assert!(
        why.answer.contains("Setting: actions.bash.deny. It began with"),
        "{}",
        why.answer
    );
    let step = why.steps.iter().find(|step| step.no).unwrap();
    assert_eq!(step.source, Some(SettingSource::Global));
    let value = step.inputs.iter().find(|input| input.name == "actions.bash.deny");
    assert_eq!(value.map(|input| input.value.as_str()), Some("[rm -r]"));
    assert_eq!(
        step.change.as_deref(),
        Some("Take the pattern that matches out of actions.bash.deny, if the command may run.")
    );
    for code in ActionRefusalCode::ALL {
        let mut story = running();
        story.at(20, refused(*code, Some("actions.senders")));
        let why = ask(&story);
        let step = why.steps.iter().find(|step| step.no).unwrap();
        assert!(step.change.is_some(), "{code}");
    }
}

#[test]
fn actions_that_are_text_name_the_dialect_and_its_setting() {
    let mut story = running();
    let text = r#"{"actions":[{"type":"bash","payload":{"command":"df -h"}}]}"#;
    let found = foldback_directives::lint(text, &foldback_directives::Settings::default());
    let diagnostic = found.into_iter().next().unwrap();
    story.at(
        20,
        Kind::Diagnosed {
            message: 0,
            diagnostic,
        },
    );
    let span = Span::new(0, text.len());
    story.sent(
        21,
        1,
        says(OpKind::SendText, Body::Clean { message: 0, span }),
        Some("m1"),
    );
    let why = end(story, Terminal::Replied);
    assert!(
        why.answer
            .contains("but the action `bash` is shown as text: output.dialects has no json"),
        "{}",
        why.answer
    );
    let step = why.steps.iter().find(|step| step.no).unwrap();
    assert_eq!(step.setting.as_deref(), Some("output.dialects"));
    assert!(
        step.change
            .as_ref()
            .unwrap()
            .starts_with("Add json to output.dialects")
    );
}

#[test]
fn a_refusal_that_the_agent_mended_is_no_reason() {
    let refused = |code| {
        let mut story = running();
        story.at(
            20,
            Kind::ActionRefused(ActionRefusal {
                index: 0,
                name: "bash".to_owned(),
                code,
                detail: "it is not as it must be".to_owned(),
                findings: Vec::new(),
                setting: None,
                decided_by: None,
            }),
        );
        story.at(
            30,
            Kind::ActionStarted(ActionStarted {
                index: 1,
                action: df(),
                allowed_by: None,
            }),
        );
        story.at(40, ended(1, DeliveryOutcome::Output, None));
        let why = end(story, Terminal::Replied);
        assert!(noes(&why).len() == 1, "it stays a step: {:#?}", why.steps);
        why.answer
    };
    let answer = refused(ActionRefusalCode::PayloadInvalid);
    assert!(!answer.contains("was not carried out"), "{answer}");
    let answer = refused(ActionRefusalCode::Denied);
    assert!(answer.contains("was not carried out"), "{answer}");
}

#[test]
fn an_action_that_was_refused_says_why_and_which_setting_would_change_it() {
    let mut story = running();
    story.at(
        20,
        Kind::ActionRefused(ActionRefusal {
            index: 0,
            name: "bash".to_owned(),
            code: ActionRefusalCode::NotPermitted,
            detail: "only owners of the bot may have this action carried out".to_owned(),
            findings: Vec::new(),
            setting: Some("commands.owner_allow_from".to_owned()),
            decided_by: None,
        }),
    );
    let why = ask(&story);
    assert!(
        why.answer
            .contains("bash was not carried out: only owners of the bot may have this action carried out"),
        "{}",
        why.answer
    );
    assert!(why.answer.contains("commands.owner_allow_from"), "{}", why.answer);
    assert!(
        noes(&why)
            .iter()
            .any(|(_, setting)| *setting == Some("commands.owner_allow_from"))
    );
}
