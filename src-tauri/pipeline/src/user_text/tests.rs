//! The sentences to the people in a chat: none names a setting, and what has another remedy is another one.

use super::*;
use crate::config::setting_names;
use foldback_wire::{Actor, AgentFault, Answerer, PermissionKind, UserId};
use serde_json::json;
use std::collections::BTreeSet;

/// The number of a sentence in the table.
const fn number(text: &UserText<'_>) -> usize {
    match text {
        UserText::RunFailed(_) => 0,
        UserText::Stopped => 1,
        UserText::Interrupted => 2,
        UserText::AnswerTooLong { .. } => 3,
        UserText::RestFailed => 4,
        UserText::SessionLost => 5,
        UserText::UnknownSender { .. } => 6,
        UserText::PermissionAsked { .. } => 7,
        UserText::PermissionDecided { .. } => 8,
        UserText::ToolEnded { .. } => 9,
        UserText::ToolUnfinished { .. } => 10,
        UserText::Excerpt { .. } => 11,
        UserText::Refused => 12,
        UserText::AtLimit => 13,
        UserText::CommandAnswer { .. } => 14,
        UserText::ExportFailed => 15,
        UserText::TokensUsed { .. } => 16,
        UserText::AnsweredBy(_) => 17,
        UserText::Compacted { .. } => 18,
        UserText::ActionNotDone => 19,
    }
}
const NUMBERS: usize = 20;

/// Calls `see` with every sentence, each in all its forms.
fn each(mut see: impl FnMut(&UserText<'_>)) {
    let request: PermissionRequest = serde_json::from_value(json!({
        "id": "p", "tool": null, "title": "write a.md", "does": "edit", "arguments": "{}", "options": [],
        "preview": {"changes": [{"path": "a.md", "added": 1, "removed": 0, "diff": "@@ -0 +1 @@\n+one\n"}],
            "more_changes": 70, "locations": ["a.md:1"], "text": "It writes."}
    }))
    .unwrap();
    let option = |kind| PermissionOption {
        id: "o".to_owned(),
        name: "Yes".to_owned(),
        kind,
    };
    for fault in AgentFault::ALL {
        see(&UserText::RunFailed(*fault));
    }
    for text in [
        UserText::Refused,
        UserText::AtLimit,
        UserText::ActionNotDone,
        UserText::Stopped,
        UserText::Interrupted,
        UserText::RestFailed,
        UserText::ExportFailed,
        UserText::SessionLost,
        UserText::UnknownSender { code: "ABCDEFGH" },
        UserText::PermissionAsked {
            request: &request,
            number: "12-1",
            timeout: Interval::minutes(5),
        },
        UserText::ToolEnded {
            name: "search",
            failed: false,
            ms: 12,
        },
        UserText::ToolEnded {
            name: "search",
            failed: true,
            ms: 12,
        },
        UserText::ToolUnfinished { name: "search" },
        UserText::Excerpt { shown: 1, whole: 2 },
        UserText::TokensUsed {
            input: 12,
            output: 3,
            session: None,
        },
        UserText::TokensUsed {
            input: 12,
            output: 3,
            session: Some("telegram:c1"),
        },
        UserText::Compacted {
            before: 900,
            after: 100,
        },
        UserText::AnsweredBy(Answerer {
            backend: "openai".to_owned(),
            model: Some("gpt".to_owned()),
        }),
        UserText::CommandAnswer {
            text: "⚙️ Think: high.",
        },
    ] {
        see(&text);
    }
    for beyond in [RestDelivery::InFile, RestDelivery::NotSent, RestDelivery::Nothing] {
        for stopped in [false, true] {
            see(&UserText::AnswerTooLong { stopped, beyond });
        }
    }
    let actors = [
        Actor::Console,
        Actor::Cli,
        Actor::Config,
        Actor::Adapter,
        Actor::Pipeline,
        Actor::User(UserId::new("alice")),
    ];
    let reasons = [
        NoDecision::TimedOut(Interval::minutes(5)),
        NoDecision::TooMany { waiting: 32 },
        NoDecision::RunEnded,
        NoDecision::RunCancelled,
        NoDecision::CallGivenUp,
    ];
    let deciders = actors
        .iter()
        .map(Decider::Actor)
        .chain(reasons.map(Decider::Pipeline));
    for by in deciders {
        let options = PermissionKind::ALL.iter().map(|kind| Some(option(*kind)));
        for option in options.chain([None]) {
            see(&UserText::PermissionDecided {
                title: "write a.md",
                option: option.as_ref(),
                by,
            });
        }
    }
}

#[test]
fn no_sentence_to_a_chat_names_a_setting() {
    let settings = setting_names();
    let mut seen = BTreeSet::new();
    each(|text| {
        seen.insert(number(text));
        let words = text.to_string();
        let named: Vec<_> = settings.iter().filter(|name| words.contains(*name)).collect();
        assert!(named.is_empty(), "{words:?} names {named:?}");
    });
    assert_eq!(
        seen,
        (0..NUMBERS).collect(),
        "every sentence of the table is looked at"
    );
}

/// Whoever starts the bot without a model shows these to people in chats.
#[test]
fn no_answer_of_the_demonstration_names_a_setting() {
    let settings = setting_names();
    let demo = foldback_agents::demo::load().unwrap();
    let script = demo.script();
    let texts = script
        .iter()
        .flat_map(|rule| &rule.agent)
        .filter_map(|step| match &step.act {
            foldback_agents::Act::Text(text) => Some(text),
            _ => None,
        });
    for text in texts {
        let named: Vec<_> = settings.iter().filter(|name| text.contains(*name)).collect();
        assert!(named.is_empty(), "{text:?} names {named:?}");
    }
}

#[test]
fn the_operator_is_told_which_setting_decided_in_the_place_of_a_person() {
    let why = NoDecision::TimedOut(Interval::minutes(5)).for_operator();
    assert_eq!(why, "no answer came within 5 minutes (agent.permissions.timeout)");
}

#[test]
fn faults_with_another_remedy_are_other_sentences() {
    use AgentFault::{
        Disconnected, Internal, NoModel, Overloaded, RateLimited, Timeout, TooLarge, Unauthorized,
        Unreachable,
    };
    let faults = [
        Disconnected,
        Internal,
        NoModel,
        Overloaded,
        RateLimited,
        Timeout,
        TooLarge,
        Unauthorized,
        Unreachable,
    ];
    let said: BTreeSet<_> = faults.map(run_failed).into();
    assert_eq!(said.len(), faults.len(), "{said:#?}");
}
