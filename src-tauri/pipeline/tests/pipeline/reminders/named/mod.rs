//! A reminder for another chat, which an owner names: by its id or by a name, which is looked up and never guessed.

mod called;
mod refused;

use super::{ON, TELEGRAM, lines, pass, reminds, results, set};
use crate::bot::{Bot, killed, runtime, text};
use foldback_pipeline::{Rules, TokioClock};
use foldback_wire::{
    ActionRefusal, ActionRefusalCode, ChatType, GroupInfo, Inbound, InboundContext, Kind, Platform,
    ReminderLine,
};
use serde_json::json;

/// Everybody may write, on Telegram and on Discord; Olga owns the bot on both.
pub(super) fn open() -> String {
    let channels = ["telegram", "discord"];
    let open = channels
        .map(|channel| format!("[channels.{channel}]\nallow_from = [\"*\"]\ngroup_policy = \"open\"\n"));
    open.concat() + ON
}

/// A message of this person in a direct chat.
pub(super) fn direct(
    bot: &Bot,
    platform: Platform,
    (chat, id, name): (&str, &str, &str),
    words: &str,
) -> Inbound {
    let mut message = bot.message(platform, words);
    message.chat = chat.into();
    message.sender.id = id.into();
    id.clone_into(&mut message.sender.name);
    name.clone_into(&mut message.sender.display_name);
    message
}

/// A message of Bob in a group of this title.
pub(super) fn in_group(bot: &Bot, platform: Platform, (chat, title): (&str, &str), words: &str) -> Inbound {
    Inbound {
        chat_type: ChatType::Group,
        context: Some(Box::new(InboundContext {
            group: Some(GroupInfo {
                name: Some(title.to_owned()),
                ..GroupInfo::default()
            }),
            ..InboundContext::default()
        })),
        ..direct(bot, platform, (chat, "bob", "Bob"), words)
    }
}

/// Messages that the bot was sent in two groups called Family, one called Work, and by two persons.
pub(super) async fn known(bot: &Bot) {
    for message in [
        in_group(bot, TELEGRAM, ("-1001", "Family"), "hi"),
        in_group(bot, TELEGRAM, ("-1002", "family"), "hi"),
        in_group(bot, TELEGRAM, ("-1003", "Work"), "hi"),
        direct(bot, TELEGRAM, ("c7", "bob", "Bob"), "hi"),
        direct(bot, TELEGRAM, ("c8", "carl", "Carl"), "hi"),
    ] {
        hear(bot, message, ["Hello."]).await;
    }
}

/// A message, which the agent answers in this way, turn by turn.
pub(super) async fn hear<const N: usize>(bot: &Bot, message: Inbound, answers: [&str; N]) {
    for answer in answers {
        bot.says([text(answer)]);
    }
    bot.engine.submit(message).await.unwrap().ended().await;
    pass(1).await;
}

/// Olga asks in her direct chat, and the agent answers in this way.
pub(super) async fn olga<const N: usize>(bot: &Bot, answers: [&str; N]) {
    let message = direct(bot, TELEGRAM, ("c9", "olga", "Olga"), "remind them");
    hear(bot, message, answers).await;
}

/// An answer that asks for a reminder in an hour, in this chat.
pub(super) fn tells(chat: &str) -> String {
    reminds(json!({"send_in": "1 hour", "chat": chat}))
}

async fn action_refusals(bot: &Bot) -> Vec<ActionRefusal> {
    let refused = bot.kinds().await.into_iter().filter_map(|kind| match kind {
        Kind::ActionRefused(refusal) => Some(refusal),
        _ => None,
    });
    refused.collect()
}

async fn places(bot: &Bot) -> Vec<(String, String)> {
    let lines = lines(bot).await.into_iter();
    let place = |line: ReminderLine| {
        assert_eq!(line.set_in.unwrap().chat.as_str(), "c9");
        (line.channel.to_string(), line.chat.to_string())
    };
    lines.map(place).collect()
}

#[tokio::test(start_paused = true)]
async fn an_id_or_a_name_that_one_chat_has_is_that_chat() {
    let bot = Bot::with(&open()).await;
    known(&bot).await;
    for (named, chat) in [
        ("-1002", "-1002"),
        (" WORK ", "-1003"),
        ("bob", "c7"),
        ("Carl", "c8"),
    ] {
        olga(&bot, [&tells(named), "All right."]).await;
        let set = set(&bot).await.pop().unwrap();
        assert_eq!(
            set.origin.chat.as_str(),
            chat,
            "{named}: {:?}",
            action_refusals(&bot).await
        );
        assert_eq!((set.origin.message, set.requester.id.as_str()), (None, "olga"));
    }
    let told = results(&bot).await.pop().unwrap();
    assert!(
        told.contains(r#", told in chat c8 on telegram ("Carl"): Call Bob"#),
        "{told}"
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_chat_in_which_it_is_asked_for_is_no_other_one() {
    let bot = Bot::with(&open()).await;
    hear(
        &bot,
        bot.message(TELEGRAM, "remind me"),
        [&tells("c1"), "All right."],
    )
    .await;
    olga(&bot, [&tells("Olga"), "All right."]).await;
    let set = set(&bot).await;
    assert_eq!(set.len(), 2, "{:?}", action_refusals(&bot).await);
    assert!(
        set.iter()
            .all(|set| set.set_in.is_none() && set.origin.message.is_some())
    );
    bot.check().await;
}

/// Asked, refused with the candidates, corrected, set, told in the other chat: the whole way of actions in text.
#[tokio::test(start_paused = true)]
async fn what_several_are_called_comes_back_with_the_candidates_and_the_agent_writes_the_id() {
    let bot = Bot::with(&open()).await;
    known(&bot).await;
    let before = bot.screen_of(TELEGRAM, "-1001").len();
    olga(
        &bot,
        [
            &tells("Family"),
            &tells("-1002"),
            "The second family is reminded.",
        ],
    )
    .await;
    let refused = action_refusals(&bot).await;
    assert_eq!(refused.len(), 1, "{refused:?}");
    let refusal = &refused[0];
    assert_eq!(refusal.code, ActionRefusalCode::PayloadInvalid);
    assert!(refusal.detail.contains("write in chat the id"), "{refusal:?}");
    let finding = &refusal.findings[0];
    assert_eq!(finding.at, "/chat");
    for candidate in [
        r#"{"channel":"telegram","chat":"-1001","names":["Family"],"type":"group"}"#,
        r#"{"channel":"telegram","chat":"-1002","names":["family"],"type":"group"}"#,
    ] {
        assert!(finding.problem.contains(candidate), "{finding:?}");
    }
    assert!(!finding.problem.contains("-1003"), "{finding:?}");
    assert!(
        bot.screen_of(TELEGRAM, "c9")
            .last()
            .unwrap()
            .ends_with("The second family is reminded.")
    );
    assert_eq!(places(&bot).await, [("telegram".to_owned(), "-1002".to_owned())]);
    bot.says([text("Call Bob, all of you.")]);
    pass(61).await;
    assert_eq!(
        bot.screen_of(TELEGRAM, "-1002").last().unwrap(),
        "Call Bob, all of you."
    );
    assert_eq!(bot.screen_of(TELEGRAM, "-1001").len(), before, "and nowhere else");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn one_id_on_two_channels_is_told_apart_by_the_channel() {
    let bot = Bot::with(&open()).await;
    for platform in [TELEGRAM, foldback_channels::platform::DISCORD] {
        hear(
            &bot,
            direct(&bot, platform, ("c7", "bob", "Bob"), "hi"),
            ["Hello."],
        )
        .await;
    }
    let on_discord = reminds(json!({"send_in": "1 hour", "chat": "c7", "channel": "discord"}));
    olga(&bot, [&tells("c7"), &on_discord, "All right."]).await;
    let refused = action_refusals(&bot).await;
    assert!(
        refused[0].findings[0].problem.starts_with("2 chats"),
        "{refused:?}"
    );
    assert_eq!(places(&bot).await, [("discord".to_owned(), "c7".to_owned())]);
    bot.says([text("Call Bob.")]);
    pass(61).await;
    let discord = foldback_channels::platform::DISCORD;
    assert_eq!(bot.screen_of(discord, "c7").last().unwrap(), "Call Bob.");
    bot.check().await;
}

/// Names outlive the process, and so does the place in which it is to be told.
#[test]
fn a_restart_forgets_neither_the_names_nor_the_place() {
    let world = killed(async {
        let bot = Bot::with(&open()).await;
        known(&bot).await;
        bot
    });
    let world = killed(async {
        let bot = Bot::in_world(world, &open(), Rules::all()).await;
        olga(&bot, [&tells("work"), "All right."]).await;
        assert_eq!(places(&bot).await, [("telegram".to_owned(), "-1003".to_owned())]);
        bot
    });
    runtime().block_on(async {
        let mut world = world;
        world.clock = TokioClock::at(super::at("2026-01-01T04:00:00Z"));
        let bot = Bot::answering(world, &open(), Rules::all(), [text("Call Bob.")]).await;
        pass(5).await;
        let told = bot.screen_of(TELEGRAM, "-1003");
        assert_eq!(told.last().unwrap(), "Call Bob.");
        assert_eq!(super::due(&bot).await.len(), 1);
        bot.check().await;
    });
}
