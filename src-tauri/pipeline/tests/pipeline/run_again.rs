//! Messages that came to nothing, run again by a person.

use crate::bot::{Bot, later, text};
use foldback_agents::ScriptStep;
use foldback_channels::platform;
use foldback_wire::{Actor, AgentFault, Kind, Platform, Terminal, TurnId};
use std::time::Duration;

const ON: Platform = platform::TELEGRAM;

fn fails() -> ScriptStep {
    serde_json::from_str(r#"{"error": "overloaded"}"#).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_message_whose_run_failed_is_run_again_once_it_can_be_answered() {
    let bot = Bot::start().await;
    bot.says([fails()]);
    let first = bot.user(ON, "hi").await;
    let failed = first.id;
    assert!(matches!(first.ended().await, Some(Terminal::Failed { .. })));
    bot.says([fails()]);
    let second = bot.engine.run_again(failed, Actor::Console).await.unwrap();
    assert!(matches!(second.ended().await, Some(Terminal::Failed { .. })));
    bot.says([text("Hello.")]);
    let third = bot.engine.run_again(failed, Actor::Console).await.unwrap();
    let answered = third.id;
    assert_eq!(third.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(ON).last().map(String::as_str), Some("Hello."));
    let told = bot.events().await.into_iter().find(|event| {
        event.turn == Some(answered)
            && matches!(&event.kind, Kind::RunAgain { of, by: Actor::Console } if *of == failed)
    });
    assert!(
        told.is_some(),
        "the journal says whose message it is, and who had it run"
    );
    // What is answered is not answered twice, however often it is asked for.
    let fourth = bot.engine.run_again(failed, Actor::Console).await.unwrap();
    assert_eq!(fourth.ended().await, Some(Terminal::Duplicate));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn one_that_found_the_queue_full_is_run_once_there_is_room() {
    let bot = Bot::with("[queue]\nmode = \"followup\"\ncap = 1\ndrop = \"new\"\n").await;
    bot.says([later(10_000, "one")]);
    let first = bot.user(ON, "1").await;
    bot.says([text("two")]);
    let second = bot.user(ON, "2").await;
    let third = bot.user(ON, "3").await;
    let refused = third.id;
    assert!(matches!(third.ended().await, Some(Terminal::Blocked { .. })));
    for turn in [first, second] {
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
    }
    bot.says([text("three")]);
    let again = bot.engine.run_again(refused, Actor::Cli).await.unwrap();
    assert_eq!(again.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(ON), ["one", "two", "three"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_has_an_answer_goes_on_or_was_stopped_is_not_run_again() {
    let bot = Bot::start().await;
    bot.says([later(5_000, "one")]);
    let turn = bot.user(ON, "1").await;
    let number = turn.id;
    let refused = |turn| {
        let bot = &bot;
        async move {
            bot.engine
                .run_again(turn, Actor::Console)
                .await
                .err()
                .unwrap()
                .to_string()
        }
    };
    assert_eq!(refused(number).await, format!("turn {number} has not ended"));
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert!(
        refused(number)
            .await
            .starts_with(&format!("turn {number} ended as replied"))
    );
    assert_eq!(refused(TurnId(999)).await, "there is no turn 999");
    bot.says([later(60_000, "two")]);
    let stopped = bot.user(ON, "2").await;
    let number = stopped.id;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.user(ON, "/stop").await.ended().await;
    assert!(matches!(stopped.ended().await, Some(Terminal::Failed { .. })));
    assert!(refused(number).await.contains("was stopped"));
}

#[tokio::test(start_paused = true)]
async fn an_old_message_is_run_again_all_the_same() {
    let bot = Bot::start().await;
    bot.says([fails()]);
    let turn = bot.user(ON, "hi").await;
    let number = turn.id;
    turn.ended().await;
    tokio::time::sleep(Duration::from_hours(24 * 30)).await;
    bot.says([text("Sorry for the wait.")]);
    let again = bot.engine.run_again(number, Actor::Console).await.unwrap();
    assert_eq!(again.ended().await, Some(Terminal::Replied));
    let failures = bot.kinds().await.into_iter().filter(|kind| {
        matches!(
            kind,
            Kind::RunFailed {
                fault: AgentFault::Overloaded,
                ..
            }
        )
    });
    assert_eq!(failures.count(), 1);
}
