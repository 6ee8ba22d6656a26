//! Tool calls whose end the agent does not tell: the journal ends them with their run, whichever way that ends.

use crate::bot::{Bot, called, killed, runtime, text};
use foldback_agents::{Act, ScriptStep};
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Actor, Kind, Platform, StopReason, ToolStatus};
use std::time::Duration;

const PLATFORM: Platform = platform::TELEGRAM;

/// The calls as the journal has them, each time one is told of, and where the run ends.
async fn told(bot: &Bot) -> Vec<String> {
    let told = |kind| match kind {
        Kind::Tool { call } => Some(format!("{} {}", call.id, call.status)),
        Kind::RunEnded { .. } => Some("end".to_owned()),
        Kind::TurnEnded { .. } => Some("over".to_owned()),
        Kind::Retrying { .. } => Some("again".to_owned()),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(told).collect()
}

fn calls() -> [ScriptStep; 4] {
    [
        called("b", ToolStatus::Running),
        called("a", ToolStatus::Pending),
        called("c", ToolStatus::Running),
        called("c", ToolStatus::Completed),
    ]
}

const CALLED: [&str; 4] = ["b running", "a pending", "c running", "c completed"];
const ENDED: [&str; 2] = ["b unfinished", "a unfinished"];

#[tokio::test(start_paused = true)]
async fn every_end_of_a_run_ends_its_calls_in_the_order_in_which_they_began() {
    let ends = [
        text("Done.").act,
        Act::Stop(StopReason::Length),
        Act::Error("overloaded".to_owned()),
        Act::Disconnect,
        Act::Stall(86_400_000),
    ];
    for end in ends {
        let bot = Bot::with("[agent]\nidle_timeout = \"1m\"\n").await;
        bot.says(calls().into_iter().chain([end.clone().into()]));
        let turn = bot.user(PLATFORM, "hi").await;
        if matches!(end, Act::Stall(_)) {
            // A call that goes on is no silence: a person stops the run.
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert!(bot.engine.cancel(turn.id, Actor::Console).unwrap());
        }
        turn.ended().await.unwrap();
        let expected = [&CALLED[..], &ENDED, &["end", "over"]].concat();
        assert_eq!(told(&bot).await, expected, "{end:?}");
        bot.check().await;
    }
}

#[test]
fn a_start_ends_the_calls_of_a_run_that_was_killed() {
    let world = killed(async {
        let bot = Bot::start().await;
        bot.says(calls().into_iter().chain([Act::Stall(3_600_000).into()]));
        let _turn = bot.user(PLATFORM, "hi").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(told(&bot).await, [&CALLED[..], &ENDED, &["over"]].concat());
        bot.check().await;
    });
}
