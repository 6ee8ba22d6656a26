//! Commands of the configuration, commands beside a text, and those that only owners have.

use crate::{
    bot::{Bot, World, killed, runtime, text},
    speech::speaking,
};
use foldback_agents::speech::ToneVoice;
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Event, Kind, OpKind, Platform, Terminal};
use std::time::Duration;

const ON: Platform = platform::TELEGRAM;
/// Alice may use commands, and owns nothing.
const GUEST: &str =
    "[commands]\nallow_from = { \"*\" = [\"*\"] }\nowner_allow_from = [\"4711\"]\ntell_refused = true\n";
const OWNER: &str = "[commands]\nowner_allow_from = [\"*\"]\n";
const REFUSED: &str = "⛔ This command is for the owners of the bot.";

async fn answer(bot: &Bot, command: &str) -> String {
    bot.turn(ON, command).await;
    bot.screen(ON).pop().unwrap_or_default()
}

async fn prompts(bot: &Bot) -> Vec<String> {
    let prompt = |kind| match kind {
        Kind::Prepared { prompt } => Some(prompt),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(prompt).collect()
}

fn commands_in(events: &[Event]) -> Vec<String> {
    let command = |event: &Event| match &event.kind {
        Kind::Command { name, arguments } => Some(format!("{name} {arguments}")),
        _ => None,
    };
    events.iter().filter_map(command).collect()
}

#[tokio::test(start_paused = true)]
async fn a_prompt_of_the_configuration_is_given_to_the_agent() {
    let bot = Bot::with(
        "[commands.custom.standup]\nprompt = \"Standup of {{sender}} about {{args}}, first {{1}}\"\n",
    )
    .await;
    bot.says([text("Done.")]);
    assert_eq!(
        bot.turn(ON, "/standup tests /think high").await,
        Terminal::Replied
    );
    let prompts = prompts(&bot).await;
    assert!(
        prompts[0].contains("about tests /think high, first tests"),
        "{}",
        prompts[0]
    );
    assert!(
        bot.kinds().await.iter().any(|kind| matches!(
            kind,
            Kind::InlineDirectives(read) if read.directives[0].name == "standup"
        )),
        "the journal says what it was"
    );
    assert!(answer(&bot, "/commands").await.contains("/standup"));
    bot.check().await;
}

#[tokio::test]
async fn a_program_answers_its_owner_and_no_shell_reads_what_was_written() {
    let config = format!(
        "{OWNER}[commands.custom.say]\nrun = [\"printf\", \"<%s>\", \"{{{{args}}}}\"]\n\
         [commands.custom.fails]\nrun = [\"/bin/sh\", \"-c\", \"echo out; echo why >&2; exit 3\"]\n\
         [commands.custom.flood]\nrun = [\"yes\"]\nmax_output = \"10B\"\n\
         [commands.custom.slow]\nrun = [\"sleep\", \"60\"]\ntimeout = \"50ms\"\n\
         [commands.custom.quiet]\nrun = [\"true\"]\n"
    );
    let bot = Bot::with(&config).await;
    for (command, expected) in [
        ("/say $(id); \"x\" | wc", "<$(id); \"x\" | wc>"),
        ("/fails", "out\n⚠️ /fails ended with exit status: 3.\nwhy"),
        (
            "/flood",
            "y\ny\ny\ny\ny\n⚠️ /flood wrote more than 10B and was ended.",
        ),
        ("/slow", "⚠️ /slow ran for 50ms and was ended."),
        ("/quiet", "✅ /quiet ended and said nothing."),
        // It is no leak of the agent's markup.
        ("/say <react emoji=\"eyes\"/>", "<<react emoji=\"eyes\"/>>"),
    ] {
        assert_eq!(answer(&bot, command).await, expected, "{command}");
    }
    let events = bot.events().await;
    assert_eq!(commands_in(&events)[0], "say $(id); \"x\" | wc");
    bot.check().await;
}

#[tokio::test]
async fn a_program_is_for_owners_and_those_whom_it_lists() {
    let config = format!(
        "{GUEST}[commands.custom.open]\nrun = [\"echo\", \"hi\"]\nallow_from = [\"*\"]\n\
         [commands.custom.closed]\nrun = [\"echo\", \"hi\"]\n"
    );
    let bot = Bot::with(&config).await;
    assert_eq!(answer(&bot, "/open").await, "hi");
    assert_eq!(answer(&bot, "/closed").await, REFUSED);
    bot.check().await;
}

#[test]
fn a_program_is_not_run_again_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("mark");
    let config = format!(
        "{OWNER}[commands.custom.once]\nrun = [\"/bin/sh\", \"-c\", \"echo ran >> {}; sleep 60\"]\n",
        mark.display()
    );
    let runtime = || {
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let first = runtime();
    let world = first.block_on(async {
        let bot = Bot::with(&config).await;
        let _turn = bot.user(ON, "/once").await;
        // The shell makes the file before it writes.
        while std::fs::read_to_string(&mark).unwrap_or_default() != "ran\n" {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        bot.world()
    });
    first.shutdown_background();
    runtime().block_on(async {
        let bot = Bot::in_world(world, &config, Rules::all()).await;
        while !bot
            .kinds()
            .await
            .iter()
            .any(|kind| matches!(kind, Kind::TurnEnded { .. }))
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(std::fs::read_to_string(&mark).unwrap(), "ran\n");
    });
}

#[tokio::test(start_paused = true)]
async fn a_command_beside_a_text_is_answered_and_the_agent_is_asked_the_rest() {
    let bot = Bot::with("[commands]\ninline = true\n").await;
    bot.says([text("Summed up.")]);
    assert_eq!(
        bot.turn(ON, "Sum it up:\n[[whoami]]\n  - a /status").await,
        Terminal::Replied
    );
    tokio::time::sleep(Duration::from_secs(5)).await;
    let prompts = prompts(&bot).await;
    assert_eq!(prompts.len(), 1);
    assert!(
        prompts[0].trim_end().ends_with("Sum it up:\n  - a"),
        "{}",
        prompts[0]
    );
    let screen = bot.screen(ON).join("\n");
    for part in ["You are", "ℹ️ Foldback", "Summed up."] {
        assert!(screen.contains(part), "{screen}");
    }
    let mut commands = commands_in(&bot.events().await);
    commands.sort();
    assert_eq!(commands, ["status ", "whoami "]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn without_the_setting_brackets_are_text_and_alone_they_are_any_command() {
    let bot = Bot::start().await;
    bot.says([text("ok")]);
    assert_eq!(bot.turn(ON, "[[whoami]]").await, Terminal::Replied);
    let bot = Bot::with("[commands]\ninline = true\n").await;
    let stop = Terminal::Command { name: "stop".into() };
    assert_eq!(bot.turn(ON, "[[stop]]").await, stop);
    bot.says([text("ok")]);
    assert_eq!(bot.turn(ON, "do\n[[stop]]").await, Terminal::Replied);
    assert_eq!(commands_in(&bot.events().await), ["stop "]);
}

#[test]
fn a_command_beside_a_text_is_answered_once_over_a_kill() {
    const CONFIG: &str = "[commands]\ninline = true\n[agent]\nmax_runs = 1\n";
    let world = killed(async {
        let bot = Bot::with(CONFIG).await;
        bot.says([foldback_agents::Act::Stall(3_600_000).into()]);
        let _busy = bot.user(platform::SLACK, "busy").await;
        let _waits = bot.user(ON, "hi\n[[whoami]]").await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::answering(world, CONFIG, Rules::all(), [text("hello")]).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        let screen = bot.screen(ON);
        assert_eq!(screen.len(), 2, "{screen:?}");
        assert_eq!(commands_in(&bot.events().await), ["whoami "]);
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn commands_for_owners_are_closed_to_others() {
    let bot = Bot::with(GUEST).await;
    for command in [
        "/allowlist",
        "/config",
        "/debug",
        "/restart",
        "/bash id",
        "/allowlist approve ABCDEFGH",
    ] {
        assert_eq!(answer(&bot, command).await, REFUSED, "{command}");
    }
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn owners_see_the_lists_the_configuration_and_what_goes_on() {
    let bot = Bot::with(OWNER).await;
    let lists = answer(&bot, "/allowlist").await;
    for part in [
        "Who may write on telegram:",
        "Directly: everybody",
        "In groups: everybody, when the bot is mentioned",
        "Owners: everybody",
        "Wait: none",
    ] {
        assert!(lists.contains(part), "{lists}");
    }
    assert!(
        answer(&bot, "/allowlist approve nothing")
            .await
            .starts_with("⚠️ Nothing was changed: ")
    );
    assert!(
        answer(&bot, "/allowlist add 7")
            .await
            .starts_with("⚠️ Write /allowlist")
    );
    assert_eq!(
        answer(&bot, "/config show commands.bash").await,
        "ℹ️ commands.bash:\ncommands.bash = false"
    );
    assert!(answer(&bot, "/config").await.contains("commands: a table"));
    assert_eq!(
        answer(&bot, "/config show commands.hash").await,
        "⚠️ There is no key commands.hash."
    );
    assert!(
        answer(&bot, "/config set commands.bash true")
            .await
            .contains("change foldback.toml")
    );
    let debug = answer(&bot, "/debug").await;
    for part in ["ℹ️ Foldback", "0 running, 0 waiting", "telegram: "] {
        assert!(debug.contains(part), "{debug}");
    }
    assert_eq!(
        answer(&bot, "/subagents").await,
        "ℹ️ script does not tell of agents that it has at work. /stop ends its run with all of them."
    );
    bot.check().await;
}

#[tokio::test]
async fn a_shell_and_a_new_start_need_their_settings() {
    let bot = Bot::with(OWNER).await;
    assert_eq!(answer(&bot, "/bash echo hi").await, "ℹ️ /bash is switched off.");
    assert_eq!(answer(&bot, "/restart").await, "ℹ️ /restart is switched off.");
    let bot = Bot::with(&format!("{OWNER}bash = true\nrestart = true\n")).await;
    assert_eq!(answer(&bot, "/bash echo hi | tr a-z A-Z").await, "HI");
    assert_eq!(
        answer(&bot, "/restart").await,
        "ℹ️ Nothing here starts the bot again, so that it goes on."
    );
    let asked = bot.engine.restart_asked();
    assert_eq!(
        answer(&bot, "/restart").await,
        "✅ The bot ends in order and starts again."
    );
    assert!(asked.is_cancelled());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_bot_says_how_it_speaks() {
    let bot = Bot::start().await;
    assert_eq!(
        answer(&bot, "/tts").await,
        "ℹ️ This bot does not speak: no voice is set up."
    );
    assert_eq!(answer(&bot, "/tts hello").await, answer(&bot, "/tts").await);
    let speaking = speaking(World::new(), ToneVoice);
    let bot = Bot::in_world(speaking, "", Rules::all()).await;
    assert!(
        answer(&bot, "/tts")
            .await
            .starts_with("ℹ️ This bot speaks with tone.")
    );
    for (command, part) in [
        ("/tts", "Spoken: tagged (default)."),
        ("/tts always", "⚙️ Speech: always."),
        ("/tts status", "Spoken: always (session)."),
        ("/tts default", "⚙️ Speech: default."),
        (
            "/tts provider",
            "Only the operator chooses the voice. It is none now.",
        ),
        (
            "/tts limit 500",
            "characters are spoken at once. Only the operator changes that.",
        ),
        ("/tts summary off", "No text is summarised"),
        ("/tts help", "off, tagged, inbound, always or default"),
    ] {
        let told = answer(&bot, command).await;
        assert!(told.contains(part), "{command}: {told}");
    }
    bot.turn(ON, "/tts audio off").await;
    let voice = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::Intended { intent, .. } if intent.kind == OpKind::SendVoice => Some(()),
        _ => None,
    });
    assert!(voice.is_some());
    bot.check().await;
}
