//! Answers of commands and directives in a chat: whoever reads them cannot change the configuration, and none names a
//! setting of it. `/config` alone does: it is the command for them.

use crate::{
    bot::{Bot, World},
    speech::speaking,
};
use foldback_agents::speech::ToneVoice;
use foldback_channels::platform;
use foldback_directives::inbound::TABLE;
use foldback_pipeline::{Rules, command_references, config::setting_names};
use foldback_wire::Platform;
use std::collections::BTreeSet;

const ON: Platform = platform::TELEGRAM;
/// Alice owns the bot.
const OWNER: &str = "[commands]\nowner_allow_from = [\"*\"]\n";
/// Commands that say other things with these words behind them.
const WITH_WORDS: [&str; 10] = [
    "/tts provider",
    "/tts limit",
    "/tts summary",
    "/tts help",
    "/tts always",
    "/allowlist approve ABCDEFGH",
    "/allowlist remove bob",
    "/send off",
    "/activation always",
    "/usage full",
];

/// The names of settings in what the bot answers to each of these.
async fn named_settings(bot: &Bot, written: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    let names = setting_names();
    let mut found = BTreeSet::new();
    for command in written {
        let before = bot.screen(ON).len();
        bot.turn(ON, &command).await;
        let answers = bot.screen(ON).split_off(before).join("\n");
        let named = names.iter().filter(|name| answers.contains(*name));
        found.extend(named.map(|name| format!("{command}: {name} in {answers}")));
    }
    found
}

#[tokio::test(start_paused = true)]
async fn no_answer_in_a_chat_names_a_setting() {
    let world = speaking(World::new(), ToneVoice);
    let bot = Bot::in_world(world, OWNER, Rules::all()).await;
    bot.turn(ON, "/queue collect debounce:30s cap:3 drop:old").await;
    bot.turn(ON, "/exec ask=always security=deny").await;
    let commands = command_references().into_iter().map(|row| row.name);
    let commands: Vec<_> = commands.filter(|name| *name != "config").collect();
    assert!(commands.len() > 15, "{commands:?}");
    let directives = TABLE.iter().map(|row| row.name);
    let all = commands
        .into_iter()
        .chain(directives)
        .map(|name| format!("/{name}"));
    let all = all.chain(WITH_WORDS.map(str::to_owned));
    assert_eq!(named_settings(&bot, all).await, BTreeSet::new());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_command_for_settings_names_them() {
    let bot = Bot::with(OWNER).await;
    let found = named_settings(&bot, ["/config show commands".to_owned()]).await;
    assert!(
        found.iter().any(|line| line.contains("owner_allow_from")),
        "{found:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn times_are_told_as_people_say_them() {
    let bot = Bot::with("[queue]\ndebounce = \"30d\"\n").await;
    bot.turn(ON, "/queue").await;
    bot.turn(ON, "/queue debounce:1500").await;
    let screen = bot.screen(ON);
    assert!(screen[0].contains("debounce 30 days (global)"), "{screen:?}");
    assert!(screen[1].contains("debounce 1.5 seconds (session)"), "{screen:?}");
}
