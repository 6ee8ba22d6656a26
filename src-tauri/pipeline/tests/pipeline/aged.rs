//! Messages that waited over a stop for longer than `outbox.max_age`: a person is asked about them.

use crate::bot::{Bot, World, killed, runtime, text};
use foldback_agents::Act;
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Actor, ChannelId, Kind, Terminal};
use std::time::Duration;

const INTERRUPTED: &str = "⚠️ A restart cut this answer off. Please ask again.";

/// A bot killed while one message is answered and two wait.
fn crowd() -> World {
    killed(async {
        let bot = Bot::start().await;
        bot.says([Act::Stall(3_600_000).into()]);
        for words in ["1", "2", "3"] {
            let _turn = bot.user(platform::SIGNAL, words).await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot
    })
}

fn signal() -> ChannelId {
    ChannelId::new("signal")
}

async fn ends(bot: &Bot) -> Vec<Terminal> {
    let end = |kind| match kind {
        Kind::TurnEnded { terminal } => Some(terminal),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(end).collect()
}

async fn asked_about(bot: &Bot) -> usize {
    let asks = |kind: &Kind| {
        matches!(
            kind,
            Kind::Queued {
                needs_consent: true,
                ..
            }
        )
    };
    bot.kinds().await.iter().filter(|kind| asks(kind)).count()
}

#[test]
fn what_waited_over_a_stop_for_too_long_is_answered_once_a_person_agrees() {
    let world = crowd();
    runtime().block_on(async {
        tokio::time::sleep(Duration::from_mins(11)).await;
        let answers = [text("new"), text("two"), text("three")];
        let bot = Bot::answering(world, "", Rules::all(), answers).await;
        tokio::time::sleep(Duration::from_mins(30)).await;
        assert_eq!(bot.screen(platform::SIGNAL), [INTERRUPTED]);
        assert_eq!(
            (bot.engine.aged_messages(&signal()), asked_about(&bot).await),
            (2, 2)
        );
        let sessions = bot.engine.sessions(9).await.unwrap();
        assert_eq!((sessions.waiting, sessions.sessions[0].waiting.len()), (2, 2));
        // Newer messages do not wait behind them.
        assert_eq!(bot.turn(platform::SIGNAL, "4").await, Terminal::Replied);
        assert_eq!(bot.screen(platform::SIGNAL), [INTERRUPTED, "new"]);
        bot.engine.release_held(&signal(), &Actor::Console).unwrap();
        tokio::time::sleep(Duration::from_secs(9)).await;
        assert_eq!(bot.screen(platform::SIGNAL), [INTERRUPTED, "new", "two", "three"]);
        assert_eq!(bot.engine.aged_messages(&signal()), 0);
        bot.check().await;
    });
}

#[test]
fn what_a_person_gives_up_is_dropped_and_a_later_start_does_not_ask_again() {
    let world = crowd();
    let world = killed(async {
        tokio::time::sleep(Duration::from_mins(11)).await;
        let bot = Bot::answering(world, "", Rules::all(), []).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.engine.aged_messages(&signal()), 2);
        bot
    });
    runtime().block_on(async {
        tokio::time::sleep(Duration::from_mins(22)).await;
        let bot = Bot::answering(world, "", Rules::all(), []).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.engine.aged_messages(&signal()), 2, "a kill decides nothing");
        let session = bot.engine.sessions(9).await.unwrap().sessions[0].clone();
        let first = [session.waiting[0]];
        let dropped = bot
            .engine
            .drop_waiting(&session.session, Some(&first), &Actor::Console);
        assert_eq!(dropped.unwrap(), 1);
        bot.engine.give_up_held(&signal(), &Actor::Console).unwrap();
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.engine.aged_messages(&signal()), 0);
        assert_eq!(bot.screen(platform::SIGNAL), [INTERRUPTED]);
        assert_eq!(
            ends(&bot).await[1..],
            [Terminal::Dropped, Terminal::Dropped],
            "{:?}",
            ends(&bot).await
        );
        bot.check().await;
    });
}

#[test]
fn what_waited_less_is_answered_without_a_question_and_an_end_in_order_leaves_the_rest() {
    let world = crowd();
    let world = killed(async {
        tokio::time::sleep(Duration::from_mins(9)).await;
        let bot = Bot::answering(world, "", Rules::all(), [Act::Stall(3_600_000).into()]).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(asked_about(&bot).await, 0);
        bot
    });
    runtime().block_on(async {
        tokio::time::sleep(Duration::from_mins(20)).await;
        let bot = Bot::answering(world, "", Rules::all(), []).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.engine.aged_messages(&signal()), 1);
        bot.engine.shutdown(Duration::from_secs(1)).await.unwrap();
        assert_eq!(ends(&bot).await.len(), 2, "the message stays for the next start");
    });
}
