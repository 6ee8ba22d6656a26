//! What was said in a group and was not for the bot outlives the process that heard it.

use crate::bot::{Bot, World, killed, later, runtime, text};
use foldback_agents::Act;
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_store::Journal as _;
use foldback_wire::{
    ChatType, Clock as _, Draft, Gate, GroupMessage, Inbound, Kind, Stage, Terminal, TurnId,
};
use std::{collections::BTreeMap, time::Duration};

const KEEPING: &str = "[channels.slack]\nallow_from = [\"alice\"]\ngroup_history = 5\n";

fn in_group(bot: &Bot, said: &str, mentioned: bool) -> Inbound {
    let mut message = bot.message(platform::SLACK, said);
    message.chat_type = ChatType::Group;
    message.mentioned = mentioned;
    message
}

/// Somebody says this to the group, and not to the bot.
async fn overhears(bot: &Bot, words: &[&str]) {
    for said in words {
        let turn = bot.engine.submit(in_group(bot, said, false)).await.unwrap();
        let ended = turn.ended().await.unwrap();
        assert!(matches!(ended, Terminal::Blocked { .. }), "{ended:?}");
    }
}

/// The bot is asked, and answers. The messages of the group that the agent was given with it.
async fn given_with_a_question(bot: &Bot) -> Vec<String> {
    bot.says([text("Yes.")]);
    let turn = bot.engine.submit(in_group(bot, "well?", true)).await.unwrap();
    let id = turn.id;
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    given(bot, id).await
}

async fn given(bot: &Bot, turn: TurnId) -> Vec<String> {
    let events = bot.events().await;
    let of_turn = events.into_iter().filter(|event| event.turn == Some(turn));
    let mut given = of_turn.filter_map(|event| match event.kind {
        Kind::GroupHistory { messages } => Some(messages),
        _ => None,
    });
    let last = given.next_back().unwrap_or_default();
    last.into_iter().map(|said| said.text).collect()
}

/// The world after a process heard these words and was killed.
fn heard(words: &[&str]) -> World {
    killed(async {
        let bot = Bot::with(KEEPING).await;
        overhears(&bot, words).await;
        bot
    })
}

#[test]
fn what_a_group_said_before_a_kill_is_given_once() {
    let world = heard(&["first", "second"]);
    let world = killed(async {
        let bot = Bot::in_world(world, KEEPING, Rules::all()).await;
        overhears(&bot, &["third"]).await;
        assert_eq!(given_with_a_question(&bot).await, ["first", "second", "third"]);
        assert!(given_with_a_question(&bot).await.is_empty(), "once");
        overhears(&bot, &["fourth"]).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, KEEPING, Rules::all()).await;
        assert_eq!(given_with_a_question(&bot).await, ["fourth"]);
        bot.check().await;
    });
}

#[test]
fn a_start_keeps_as_many_as_the_setting_says_and_none_without_it() {
    let one = KEEPING.replace('5', "1");
    let none = KEEPING.replace("group_history = 5\n", "");
    for (settings, expected) in [(one, &["second"][..]), (none, &[])] {
        let world = heard(&["first", "second"]);
        runtime().block_on(async {
            let bot = Bot::in_world(world, &settings, Rules::all()).await;
            assert_eq!(given_with_a_question(&bot).await, expected);
        });
    }
}

#[test]
fn after_a_day_a_start_gives_nothing_of_it() {
    for (waited, expected) in [(23, &["first"][..]), (24, &[])] {
        let world = heard(&["first"]);
        runtime().block_on(async {
            let heard_at = world.clock.now();
            while world.clock.now().since(heard_at) < Duration::from_hours(waited) {
                tokio::time::sleep(Duration::from_hours(1)).await;
            }
            let bot = Bot::in_world(world, KEEPING, Rules::all()).await;
            assert_eq!(given_with_a_question(&bot).await, expected, "{waited} hours");
        });
    }
}

#[test]
fn a_message_that_the_platform_delivers_once_more_is_given_once() {
    let world = killed(async {
        let bot = Bot::with(KEEPING).await;
        let message = in_group(&bot, "first", false);
        for _ in 0..2 {
            let again = bot.engine.submit(message.clone()).await.unwrap();
            again.ended().await.unwrap();
        }
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, KEEPING, Rules::all()).await;
        assert_eq!(given_with_a_question(&bot).await, ["first"]);
    });
}

/// A world in which a process was killed after it had written down what a turn is given, before its agent was asked.
async fn world_with_a_turn_that_was_given(world: &World) -> TurnId {
    let turn = TurnId(world.journal.reserve().await.unwrap().turn);
    let events = world.journal.read(foldback_wire::Seq(1), 1_000).await.unwrap();
    let heard = events.iter().find_map(|event| match &event.kind {
        Kind::Received { message } => Some((**message).clone()),
        _ => None,
    });
    let heard = heard.unwrap();
    let said = GroupMessage {
        id: heard.message.clone(),
        sender: "Alice".to_owned(),
        at: heard.at,
        text: heard.text.clone(),
    };
    let asking = Inbound {
        message: world.loopbacks[&platform::SLACK].mint(&heard.chat),
        mentioned: true,
        text: "well?".to_owned(),
        at: world.clock.now(),
        ..heard
    };
    let kinds = [
        Kind::Received {
            message: Box::new(asking),
        },
        Kind::GroupHistory { messages: vec![said] },
    ];
    let drafts = kinds.map(|kind| Draft {
        at: world.clock.now(),
        turn: Some(turn),
        session: None,
        channel: Some("slack".into()),
        kind,
    });
    world.journal.append(drafts.into()).unwrap();
    world.journal.flush().await.unwrap();
    turn
}

#[test]
fn a_turn_whose_agent_was_not_asked_before_the_kill_is_given_them_again() {
    let world = heard(&["first"]);
    runtime().block_on(async {
        let turn = world_with_a_turn_that_was_given(&world).await;
        let bot = Bot::answering(world, KEEPING, Rules::all(), [text("Yes.")]).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(given(&bot, turn).await, ["first"]);
        let mut prompts = bot.kinds().await.into_iter().filter_map(|kind| match kind {
            Kind::Prepared { prompt } => Some(prompt),
            _ => None,
        });
        assert!(prompts.next_back().unwrap().contains("first"));
        assert!(given_with_a_question(&bot).await.is_empty());
        bot.check().await;
    });
}

#[test]
fn a_run_that_a_kill_cut_off_was_given_them() {
    let world = heard(&["first"]);
    let world = killed(async {
        let bot = Bot::in_world(world, KEEPING, Rules::all()).await;
        bot.says([Act::Stall(3_600_000).into()]);
        let _turn = bot.engine.submit(in_group(&bot, "well?", true)).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, KEEPING, Rules::all()).await;
        assert!(given_with_a_question(&bot).await.is_empty());
    });
}

/// A stop of another gate keeps nothing, whatever it says.
#[test]
fn what_another_gate_stopped_is_not_given_after_a_start() {
    let world = heard(&["first"]);
    runtime().block_on(async {
        let turn = TurnId(world.journal.reserve().await.unwrap().turn);
        let mut message = crate::bot::from_alice(
            platform::SLACK,
            world.loopbacks[&platform::SLACK].mint(&"c1".into()),
            "let me in",
            world.clock.now(),
        );
        message.chat_type = ChatType::Group;
        let stopping = Kind::Stopping {
            stage: Stage::Authorize,
            gate: Gate::SenderNotAllowed,
            detail: "not on the list".to_owned(),
            inputs: BTreeMap::new(),
            setting: None,
            source: None,
        };
        let terminal = Terminal::Blocked {
            gate: Gate::SenderNotAllowed,
        };
        let received = Kind::Received {
            message: Box::new(message),
        };
        let drafts = [received, stopping, Kind::TurnEnded { terminal }].map(|kind| Draft {
            at: world.clock.now(),
            turn: Some(turn),
            session: None,
            channel: Some("slack".into()),
            kind,
        });
        world.journal.append(drafts.into()).unwrap();
        world.journal.flush().await.unwrap();
        let bot = Bot::in_world(world, KEEPING, Rules::all()).await;
        assert_eq!(given_with_a_question(&bot).await, ["first"]);
    });
}

/// A run that began without them would carry out what the agent repeats of them.
#[tokio::test(start_paused = true)]
async fn a_message_behind_others_of_its_group_has_a_run_of_its_own_and_gets_them() {
    let settings = format!("{KEEPING}[queue]\nmode = \"steer\"\n");
    let bot = Bot::with(&settings).await;
    bot.says([later(10_000, "one")]);
    let first = bot.engine.submit(in_group(&bot, "1", true)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let steered = bot.engine.submit(in_group(&bot, "2", true)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    overhears(&bot, &["by the way"]).await;
    for words in [" two", "three"] {
        bot.says([text(words)]);
    }
    let behind = bot.engine.submit(in_group(&bot, "3", true)).await.unwrap();
    let (into, id) = (first.id, behind.id);
    assert_eq!(first.ended().await, Some(Terminal::Replied));
    assert_eq!(steered.ended().await, Some(Terminal::Steered { into }));
    assert_eq!(behind.ended().await, Some(Terminal::Replied));
    assert_eq!(given(&bot, id).await, ["by the way"]);
    bot.check().await;
}
