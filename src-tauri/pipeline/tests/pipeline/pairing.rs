//! Somebody unknown asks to talk to the bot, and an operator decides.

use crate::bot::{Bot, text};
use foldback_channels::platform;
use foldback_pipeline::{PairingFault, Rules};
use foldback_store::{Journal as _, PairingError};
use foldback_wire::{Actor, ChatType, Gate, Inbound, Kind, OutcomeCode, PairingStep, Terminal};
use std::time::Duration;

const PAIRING: &str = "[channels.telegram]\ndm_policy = \"pairing\"\nallow_from = []\narmed = true\n";
const UNPAIRED: Terminal = Terminal::Blocked { gate: Gate::Unpaired };

async fn bot() -> Bot {
    Bot::with(PAIRING).await
}

/// A message of somebody, in a chat of their own.
fn from(bot: &Bot, sender: &str) -> Inbound {
    let mut message = bot.message(platform::TELEGRAM, "hi");
    message.sender.id = sender.into();
    message.chat = format!("chat-{sender}").as_str().into();
    message
}

async fn writes(bot: &Bot, sender: &str) -> Terminal {
    let turn = bot.engine.submit(from(bot, sender)).await.unwrap();
    turn.ended().await.expect("the turn stays open")
}

/// Everything the bot said in somebody's chat.
fn told(bot: &Bot, sender: &str) -> Vec<String> {
    let platform = bot.loopbacks[&platform::TELEGRAM].platform();
    let log = platform.log().filter(|record| {
        record.call.target.chat.as_str() == format!("chat-{sender}")
            && record.call.operation.kind() == foldback_wire::OpKind::SendText
    });
    log.map(|record| match &record.call.operation {
        foldback_wire::Operation::SendText { text, .. } => text.clone(),
        other => panic!("{other:?}"),
    })
    .collect()
}

fn code(bot: &Bot, sender: &str) -> String {
    let pending = bot.engine.pairings().pending;
    let request = pending.iter().find(|request| request.sender.as_str() == sender);
    request.expect("a request").code.clone()
}

async fn decide(bot: &Bot, code: &str, approve: bool) {
    bot.engine
        .decide_pairing(code, approve, Actor::Cli)
        .await
        .unwrap();
}

async fn steps(bot: &Bot) -> Vec<(PairingStep, String, Actor)> {
    let told = bot.kinds().await.into_iter().filter_map(|kind| match kind {
        Kind::Pairing { step, sender, by, .. } => Some((step, sender.to_string(), by)),
        _ => None,
    });
    told.collect()
}

#[tokio::test(start_paused = true)]
async fn somebody_unknown_gets_one_code_and_nothing_reaches_the_agent_until_an_operator_agrees() {
    let bot = bot().await;
    assert_eq!(writes(&bot, "mallory").await, UNPAIRED);
    let code = code(&bot, "mallory");
    let said = told(&bot, "mallory");
    assert_eq!(said.len(), 1);
    assert!(
        said[0].contains(&code) && said[0].contains("one hour"),
        "{said:?}"
    );
    assert_eq!(writes(&bot, "mallory").await, UNPAIRED);
    assert_eq!(told(&bot, "mallory").len(), 1, "it is told once");
    assert!(
        !bot.kinds()
            .await
            .iter()
            .any(|kind| matches!(kind, Kind::RunStarted { .. }))
    );

    decide(&bot, &code.to_lowercase(), true).await;
    bot.says([text("Welcome.")]);
    assert_eq!(writes(&bot, "mallory").await, Terminal::Replied);
    let listed = bot.engine.pairings();
    assert_eq!((listed.pending.len(), listed.approved.len()), (0, 1));
    assert_eq!(
        (&listed.approved[0].by, listed.approved[0].in_force),
        (&Actor::Cli, true)
    );

    bot.engine
        .revoke_pairing(&"telegram".into(), &"mallory".into(), Actor::Console)
        .await
        .unwrap();
    assert_eq!(writes(&bot, "mallory").await, UNPAIRED);
    assert_ne!(self::code(&bot, "mallory"), code, "a new request has a new code");
    assert_eq!(
        steps(&bot).await,
        [
            (
                PairingStep::Requested,
                "mallory".to_owned(),
                Actor::User("mallory".into())
            ),
            (PairingStep::Approved, "mallory".to_owned(), Actor::Cli),
            (PairingStep::Revoked, "mallory".to_owned(), Actor::Console),
            (
                PairingStep::Requested,
                "mallory".to_owned(),
                Actor::User("mallory".into())
            ),
        ]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_code_lasts_an_hour_and_a_refusal_as_long() {
    let bot = bot().await;
    writes(&bot, "mallory").await;
    let first = code(&bot, "mallory");
    tokio::time::sleep(Duration::from_mins(61)).await;
    let late = bot.engine.decide_pairing(&first, true, Actor::Cli).await;
    assert!(matches!(
        late,
        Err(PairingFault::Nothing(PairingError::NobodyWaits(_)))
    ));
    writes(&bot, "mallory").await;
    let second = code(&bot, "mallory");
    assert_ne!(first, second);
    decide(&bot, &second, false).await;
    assert_eq!(writes(&bot, "mallory").await, UNPAIRED);
    assert_eq!(told(&bot, "mallory").len(), 2, "who was refused is told nothing");
    tokio::time::sleep(Duration::from_mins(61)).await;
    writes(&bot, "mallory").await;
    assert_eq!(told(&bot, "mallory").len(), 3);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn three_wait_and_the_oldest_gives_way_to_the_fourth() {
    let bot = bot().await;
    for sender in ["a", "b", "c", "d"] {
        assert_eq!(writes(&bot, sender).await, UNPAIRED);
        assert_eq!(told(&bot, sender).len(), 1, "{sender} is told a code");
    }
    let listed = bot.engine.pairings();
    let pending: Vec<_> = listed
        .pending
        .iter()
        .map(|request| request.sender.as_str())
        .collect();
    assert_eq!(pending, ["b", "c", "d"]);
    let [replaced] = &listed.replaced[..] else {
        panic!("{listed:?}")
    };
    assert_eq!(
        (replaced.request.sender.as_str(), replaced.by.as_str()),
        ("a", "d")
    );
    let asked = |sender: &str| {
        (
            PairingStep::Requested,
            sender.to_owned(),
            Actor::User(sender.into()),
        )
    };
    let gave_way = (PairingStep::Replaced, "a".to_owned(), Actor::User("d".into()));
    assert_eq!(
        steps(&bot).await,
        [asked("a"), asked("b"), asked("c"), gave_way, asked("d")]
    );
    // Its code is good for its hour all the same, and no second one is told.
    assert_eq!(writes(&bot, "a").await, UNPAIRED);
    assert_eq!(told(&bot, "a").len(), 1);
    decide(&bot, &replaced.request.code, true).await;
    bot.says([text("Welcome.")]);
    assert_eq!(writes(&bot, "a").await, Terminal::Replied);
    assert_eq!(bot.engine.pairings().replaced, []);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn many_messages_at_once_get_one_code() {
    let bot = bot().await;
    let mut turns = Vec::new();
    for _ in 0..20 {
        turns.push(bot.engine.submit(from(&bot, "mallory")).await.unwrap());
    }
    for turn in turns {
        assert_eq!(turn.ended().await, Some(UNPAIRED));
    }
    assert_eq!(told(&bot, "mallory").len(), 1);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn groups_and_bots_are_offered_no_code() {
    let bot = bot().await;
    let mut group = from(&bot, "mallory");
    group.chat_type = ChatType::Group;
    let mut other = from(&bot, "robot");
    other.sender.is_bot = true;
    for (message, gate) in [(group, Gate::ChannelClosed), (other, Gate::BotNotAllowed)] {
        let turn = bot.engine.submit(message).await.unwrap();
        assert_eq!(turn.ended().await, Some(Terminal::Blocked { gate }));
    }
    assert_eq!(bot.engine.pairings().pending, []);
    assert_eq!(bot.operations(platform::TELEGRAM), []);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_channel_in_dry_run_only_pretends_to_tell_the_code() {
    let bot = Bot::with(&PAIRING.replace("armed = true", "armed = false")).await;
    assert_eq!(writes(&bot, "mallory").await, UNPAIRED);
    assert_eq!(bot.operations(platform::TELEGRAM), []);
    let ended = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::Ended { outcome, .. } => Some(outcome.code),
        _ => None,
    });
    assert_eq!(ended, Some(OutcomeCode::DryRun));
    assert_eq!(bot.engine.pairings().pending.len(), 1);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_test_by_hand_asks_for_no_code() {
    let bot = bot().await;
    let mut message = from(&bot, "mallory");
    message.dry_run = true;
    let turn = bot.engine.submit(message).await.unwrap();
    assert_eq!(turn.ended().await, Some(UNPAIRED));
    assert_eq!(bot.engine.pairings().pending, []);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn who_was_let_in_and_who_waits_survive_a_restart() {
    let bot = bot().await;
    for sender in ["alice", "mallory"] {
        writes(&bot, sender).await;
    }
    decide(&bot, &code(&bot, "alice"), true).await;
    let waits = code(&bot, "mallory");
    bot.engine.shutdown(Duration::from_secs(1)).await.unwrap();
    let bot = Bot::in_world(bot.into_world(), PAIRING, Rules::all()).await;
    bot.says([text("Still here.")]);
    assert_eq!(writes(&bot, "alice").await, Terminal::Replied);
    assert_eq!(writes(&bot, "mallory").await, UNPAIRED);
    assert_eq!(told(&bot, "mallory").len(), 1);
    assert_eq!(code(&bot, "mallory"), waits);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_code_that_is_held_goes_out_after_a_restart_and_its_turn_ends_at_its_gate() {
    let bot = bot().await;
    let message = from(&bot, "mallory");
    bot.toggle(platform::TELEGRAM, false).await;
    let turn = bot.engine.submit(message).await.unwrap();
    let number = turn.id;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.engine.shutdown(Duration::from_secs(1)).await.unwrap();
    assert_eq!(told(&bot, "mallory"), Vec::<String>::new());
    let bot = Bot::in_world(bot.into_world(), PAIRING, Rules::all()).await;
    bot.toggle(platform::TELEGRAM, true).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(told(&bot, "mallory").len(), 1);
    let events = bot.journal.turn(number).await.unwrap();
    let ended = events.iter().find_map(|event| match &event.kind {
        Kind::TurnEnded { terminal } => Some(terminal.clone()),
        _ => None,
    });
    assert_eq!(ended, Some(UNPAIRED));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_bots_own_messages_stop_and_an_answer_to_them_counts_as_a_mention() {
    let bot = Bot::start().await;
    bot.says([text("Here I am.")]);
    assert_eq!(bot.turn(platform::DISCORD, "hi").await, Terminal::Replied);
    let own = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::Ended { outcome, .. } => outcome.message,
        _ => None,
    });
    let mut echo = bot.message(platform::DISCORD, "Here I am.");
    echo.message = own.clone().unwrap();
    let turn = bot.engine.submit(echo).await.unwrap();
    let gate = Gate::OwnMessage;
    assert_eq!(turn.ended().await, Some(Terminal::Blocked { gate }));

    let mut group = bot.message(platform::DISCORD, "and then?");
    group.chat_type = ChatType::Group;
    group.mentioned = false;
    let mut answer = bot.message(platform::DISCORD, "and then?");
    answer.chat_type = ChatType::Group;
    answer.mentioned = false;
    answer.reply_to = own;
    let turn = bot.engine.submit(group).await.unwrap();
    let gate = Gate::NotMentioned;
    assert_eq!(turn.ended().await, Some(Terminal::Blocked { gate }));
    bot.says([text("Then this.")]);
    let turn = bot.engine.submit(answer).await.unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_owner_of_one_channel_lets_nobody_in_on_another() {
    let config = format!("{PAIRING}[commands]\nowner_allow_from = [\"signal:alice\", \"telegram:bob\"]\n");
    let bot = Bot::with(&config).await;
    assert_eq!(writes(&bot, "mallory").await, UNPAIRED);
    let code = code(&bot, "mallory");
    for decision in ["approve", "refuse"] {
        bot.turn(platform::SIGNAL, &format!("/allowlist {decision} {code}"))
            .await;
        let told = bot.screen(platform::SIGNAL).pop();
        assert_eq!(
            told.as_deref(),
            Some("⛔ Nothing was changed: they wait on telegram, and only its owners decide about them.")
        );
    }
    let listed = bot.engine.pairings();
    assert_eq!((listed.pending.len(), listed.approved.len()), (1, 0));
    let refused: Vec<_> = bot
        .kinds()
        .await
        .into_iter()
        .filter_map(|kind| match kind {
            Kind::InlineDirectives(read) => Some((read.findings.join(" "), read.setting)),
            _ => None,
        })
        .collect();
    let why = "alice is not an owner on telegram".to_owned();
    let expected = (why, Some("commands.owner_allow_from".to_owned()));
    assert_eq!(refused, [expected.clone(), expected]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_owner_of_every_channel_lets_people_in_from_any() {
    let config = format!("{PAIRING}[commands]\nowner_allow_from = [\"alice\"]\n");
    let bot = Bot::with(&config).await;
    assert_eq!(writes(&bot, "mallory").await, UNPAIRED);
    let code = code(&bot, "mallory");
    bot.turn(platform::SIGNAL, &format!("/allowlist approve {code}"))
        .await;
    bot.says([text("Welcome.")]);
    assert_eq!(writes(&bot, "mallory").await, Terminal::Replied);
    bot.check().await;
}
