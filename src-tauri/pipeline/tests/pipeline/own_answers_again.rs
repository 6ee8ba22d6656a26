//! A command, or a message of directives alone, that its platform delivers once more after a kill, as nothing had told the
//! platform yet that it was received.

use crate::bot::{Bot, killed, runtime};
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Actor, Kind, Terminal};
use std::time::Duration;

#[test]
fn what_is_being_answered_by_us_is_not_answered_again() {
    for said in ["/whoami", "/think low"] {
        let mut written = None;
        let world = killed(async {
            let bot = Bot::start().await;
            // The answer waits, and its turn stays open.
            assert!(bot.engine.mute(true, Actor::Console));
            let message = bot.message(platform::SIGNAL, said);
            written = Some(message.clone());
            let _turn = bot.engine.submit(message).await.unwrap();
            tokio::time::sleep(Duration::from_secs(1)).await;
            bot
        });
        let again = written.unwrap();
        runtime().block_on(async {
            let bot = Bot::in_world(world, "", Rules::all()).await;
            let turn = bot.engine.submit(again).await.unwrap();
            let ended = tokio::time::timeout(Duration::from_mins(1), turn.ended()).await;
            assert_eq!(ended, Ok(Some(Terminal::Duplicate)), "{said}");
            assert!(bot.engine.mute(false, Actor::Console));
            tokio::time::sleep(Duration::from_secs(5)).await;
            assert_eq!(bot.screen(platform::SIGNAL).len(), 1, "{said}");
            let intended = |kind: &Kind| matches!(kind, Kind::Intended { .. });
            assert_eq!(
                bot.kinds().await.iter().filter(|kind| intended(kind)).count(),
                1,
                "{said}"
            );
            bot.check().await;
        });
    }
}

#[test]
fn an_answer_of_several_messages_is_whole_after_a_kill() {
    let world = killed(async {
        let bot = Bot::start().await;
        assert!(bot.engine.mute(true, Actor::Console));
        let message = bot.message(platform::DISCORD, "/commands");
        let _turn = bot.engine.submit(message).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        assert!(bot.engine.mute(false, Actor::Console));
        tokio::time::sleep(Duration::from_mins(1)).await;
        let shown = bot.screen(platform::DISCORD);
        assert_eq!(shown.len(), 2, "longer than one message of Discord: {shown:#?}");
        bot.check().await;
    });
}
