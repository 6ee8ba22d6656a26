//! The demonstration is whole: it plays to the end and shows what it promises.

use crate::support::{PausedClock, answer, request, request_for, said};
use foldback_agents::{Act, Agent, ScriptAgent, Step, demo};
use foldback_wire::{LengthUnit, StopReason};
use std::{collections::HashSet, sync::Arc};

fn agent(demo: &demo::Demo) -> Arc<dyn Agent> {
    let agent = ScriptAgent::new(PausedClock::new()).with_rules(demo.script());
    Arc::new(agent.expect("patterns that compile"))
}

#[tokio::test(start_paused = true)]
async fn every_turn_is_answered_as_written() {
    let demo = demo::load().expect("the embedded text is valid");
    let agent = agent(&demo);
    let mut ids = HashSet::new();
    // In the first round, and in one whose messages have fresh ids.
    let rounds = [None, Some(4_711)];
    for (turn, fresh) in rounds
        .iter()
        .flat_map(|fresh| demo.turns.iter().map(move |turn| (turn, *fresh)))
    {
        let id = demo::id_in_round(&turn.user.id, fresh);
        assert!(ids.insert(id.clone()), "{id} occurs twice");
        let written: String = turn
            .agent
            .iter()
            .filter_map(|step| match &step.act {
                Act::Text(text) => Some(text.replace("{message_id}", id.as_str())),
                _ => None,
            })
            .collect();
        let mut request = request_for(id.as_str(), &turn.user.text);
        request.message.channel = turn.channel.clone();
        assert_eq!(said(&answer(&agent, request).await), written);
    }
    let channels: HashSet<_> = demo.turns.iter().map(|turn| turn.channel.clone()).collect();
    assert_eq!(channels.len(), 5, "all five platforms are shown");
}

#[test]
fn its_last_picture_is_no_failure() {
    let demo = demo::load().expect("the embedded text is valid");
    let fails = |turn: &demo::DemoTurn| turn.agent.iter().any(|step| matches!(step.act, Act::Error(_)));
    assert!(demo.turns.iter().any(fails), "a failure is shown");
    assert!(!demo.turns.last().is_some_and(fails), "and an answer after it");
}

#[test]
fn it_shows_every_part_of_the_console() {
    let demo = demo::load().expect("the embedded text is valid");
    let texts: Vec<String> = demo
        .turns
        .iter()
        .map(|turn| {
            let text = |step: &foldback_agents::ScriptStep| match &step.act {
                Act::Text(text) => Some(text.clone()),
                _ => None,
            };
            turn.agent.iter().filter_map(text).collect()
        })
        .collect();
    for part in [
        "<actions>",
        "[[reply_to:",
        "<no-reply/>",
        "<send-file path=\"route.png\"",
        "<raect",
        "`<react",
    ] {
        assert!(
            texts.iter().any(|text| text.contains(part)),
            "nothing shows {part}"
        );
    }
    let bytes = |text: &String| LengthUnit::Bytes.measure(text);
    let splits = demo
        .turns
        .iter()
        .zip(&texts)
        .any(|(turn, text)| turn.channel.as_str() == "signal" && bytes(text) > 2000);
    assert!(splits, "an answer is longer than Signal's 2,000 bytes");
    let bot_answers_bot = demo.turns.iter().any(|turn| turn.user.is_bot);
    assert!(bot_answers_bot);
    assert!(demo::FILES.iter().all(|file| !file.content.is_empty()));
}

#[tokio::test(start_paused = true)]
async fn whatever_a_person_types_is_answered() {
    let demo = demo::load().expect("the embedded text is valid");
    let agent = agent(&demo);
    for typed in [
        "hello",
        "reply to me",
        "a file",
        "silence",
        "code",
        "a long one",
        "anything",
        "",
    ] {
        let steps = answer(&agent, request(1, typed)).await;
        assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)), "{typed}");
        assert!(!said(&steps).is_empty(), "{typed}");
        assert!(!said(&steps).contains("{sender}"), "{typed}");
    }
}
