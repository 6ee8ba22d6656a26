//! What an agent that keeps conversations in memory knows of them after a restart, and once they are long.

use crate::bot::{Bot, World, killed, runtime, text};
use foldback_agents::{
    Api, HistoryLimits, HttpAgent, HttpConfig, ScriptAgent,
    strict_server::{Insists, Reply, StrictServer},
};
use foldback_pipeline::{Rules, SeededRng};
use foldback_wire::{Actor, Kind, Platform, Terminal};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const PLATFORM: Platform = Platform::Signal;

/// Longer than anything here: virtual time also passes while bytes are on their way.
const PATIENT: &str = "idle_timeout = \"24h\"\n";

fn says(words: &str) -> Reply {
    Reply::script("m", &[text(words)])
}

/// A process whose agent is asked over HTTP and remembers what it was asked, until it ends.
async fn life(world: World, agent: &str, tokens: u64) -> (StrictServer, Bot) {
    let server = StrictServer::start(Insists::on(Api::Chat, "m")).await.unwrap();
    let mut config = HttpConfig::new(server.base_url(), "m");
    config.timeouts.first_byte = Duration::from_hours(24);
    config.history = HistoryLimits::of_context(tokens);
    let clock = Arc::new(world.clock);
    let http = HttpAgent::new(Api::Chat, config, clock.clone(), Arc::new(SeededRng::new(1))).unwrap();
    let script = Arc::new(ScriptAgent::new(clock));
    let settings = format!("[agent]\n{PATIENT}{agent}");
    let bot = Bot::behind(world, &settings, Rules::all(), script, Arc::new(http)).await;
    (server, bot)
}

/// Alice writes, and is answered so.
async fn told(server: &StrictServer, bot: &Bot, words: &str, answer: &str) {
    server.reply(says(answer));
    assert_eq!(bot.turn(PLATFORM, words).await, Terminal::Replied);
}

/// The messages of the last request, as role and content.
fn asked(server: &StrictServer) -> Vec<(String, String)> {
    assert_eq!(server.refusals(), [""; 0], "every request was right");
    let body = server.requests().pop().expect("a request");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let message = |message: &Value| (text(&message["role"]), text(&message["content"]));
    body["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .map(message)
        .collect()
}

/// All of them, to look for words.
fn all_asked(server: &StrictServer) -> String {
    let messages = asked(server);
    messages.into_iter().map(|(_, content)| content + "\n").collect()
}

/// Turns, whether older ones were left out, and whether a summary stands before them.
async fn restored(bot: &Bot) -> Vec<(u32, bool, bool)> {
    let told = |kind: Kind| match kind {
        Kind::HistoryRestored {
            turns,
            left_out,
            summarised,
            ..
        } => Some((turns, left_out, summarised)),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(told).collect()
}

/// Author, answers in the summary and answers kept.
async fn compacted(bot: &Bot) -> Vec<(Actor, u32, u32)> {
    let told = |kind: Kind| match kind {
        Kind::HistoryCompacted {
            by, summarised, kept, ..
        } => Some((by, summarised, kept)),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(told).collect()
}

#[test]
fn after_a_restart_the_agent_is_given_what_was_said_as_it_was_delivered() {
    let world = killed(async {
        let (server, bot) = life(World::new(), "", 100_000).await;
        let answer = "<actions><react emoji=\"👍\"/></actions>Hello Ada.";
        told(&server, &bot, "My name is Ada. /think high", answer).await;
        server.reply(says("<no-reply/>"));
        let silent = bot.turn(PLATFORM, "Say nothing.").await;
        assert!(matches!(silent, Terminal::Silent { .. }), "{silent:?}");
        server.reply(Reply::json(400, &json!({"error": {"message": "no such day"}})));
        let failed = bot.turn(PLATFORM, "Fail.").await;
        assert!(matches!(failed, Terminal::Failed { .. }), "{failed:?}");
        // The agent remembers it: nothing is read.
        assert_eq!(restored(&bot).await, []);
        bot
    });
    runtime().block_on(async {
        let (server, bot) = life(world, "", 100_000).await;
        told(&server, &bot, "Who am I?", "Ada.").await;
        let messages = asked(&server);
        let roles: Vec<_> = messages.iter().map(|(role, _)| role.as_str()).collect();
        assert_eq!(
            roles,
            [
                "user",
                "assistant",
                "user",
                "assistant",
                "user",
                "assistant",
                "user"
            ]
        );
        let first = &messages[0].1;
        assert!(first.ends_with("\n\nMy name is Ada."), "{first}");
        assert!(first.starts_with("## Sender\n"), "{first}");
        assert!(!first.contains("Response directives"), "{first}");
        assert_eq!(messages[1].1, "Hello Ada.");
        assert!(messages[2].1.ends_with("Say nothing."));
        assert!(
            messages[3].1.starts_with("[nothing was sent: "),
            "{}",
            messages[3].1
        );
        let failed = &messages[5].1;
        assert!(failed.starts_with("[this turn failed: "), "{failed}");
        assert!(messages[6].1.contains("Response directives"));
        told(&server, &bot, "Sure?", "Yes.").await;
        assert_eq!(restored(&bot).await, [(3, false, false)], "once");
        assert_eq!(asked(&server).len(), 9);
        bot.check().await;
    });
}

#[test]
fn nothing_from_before_a_reset_comes_back() {
    let world = killed(async {
        let (server, bot) = life(World::new(), "", 100_000).await;
        told(&server, &bot, "The old secret is plum.", "Noted.").await;
        bot.turn(PLATFORM, "/new").await;
        told(&server, &bot, "The colour is teal.", "Nice.").await;
        bot
    });
    runtime().block_on(async {
        let (server, bot) = life(world, "", 100_000).await;
        told(&server, &bot, "Well?", "Teal.").await;
        let all = all_asked(&server);
        assert!(all.contains("teal") && !all.contains("plum"), "{all}");
        assert_eq!(restored(&bot).await, [(1, false, false)]);
        bot.check().await;
    });
}

#[test]
fn no_more_comes_back_than_fits() {
    let world = killed(async {
        let (server, bot) = life(World::new(), "", 100_000).await;
        let long = "word ".repeat(200);
        for name in ["apple", "banana", "cherry"] {
            told(&server, &bot, name, &format!("{name} {long}")).await;
        }
        bot
    });
    runtime().block_on(async {
        let settings = "context_tokens = 1000\n";
        let (server, bot) = life(world, settings, 1000).await;
        told(&server, &bot, "Well?", "Fine.").await;
        let all = all_asked(&server);
        assert!(
            all.contains("cherry word") && all.contains("banana word"),
            "{all}"
        );
        assert!(!all.contains("apple"), "{all}");
        assert_eq!(restored(&bot).await, [(2, true, false)]);
        bot.check().await;
    });
}

const SIX: [&str; 6] = ["apple", "banana", "cherry", "damson", "elder", "fig"];

#[test]
fn a_full_conversation_is_compacted_and_stays_so_over_a_restart() {
    let world = killed(async {
        // The server counts two tokens for each conversation.
        let (server, bot) = life(World::new(), "compact_at = 0.00001\n", 10_000).await;
        for (number, name) in SIX.into_iter().enumerate() {
            // The last four stay: there is something to summarise before the sixth.
            if number == 5 {
                server.reply(says("They like fruit."));
            }
            told(&server, &bot, name, "Good.").await;
        }
        assert_eq!(compacted(&bot).await, [(Actor::Pipeline, 1, 4)]);
        let all = all_asked(&server);
        assert!(
            all.contains("They like fruit.") && !all.contains("apple"),
            "{all}"
        );
        bot
    });
    runtime().block_on(async {
        let (server, bot) = life(world, "", 100_000).await;
        told(&server, &bot, "Well?", "Fine.").await;
        let all = all_asked(&server);
        assert_eq!(all.matches("They like fruit.").count(), 1, "{all}");
        assert!(!all.contains("apple"), "it is in the summary: {all}");
        for name in &SIX[1..] {
            assert!(all.contains(name), "{name}: {all}");
        }
        assert_eq!(restored(&bot).await, [(5, false, true)]);
        bot.check().await;
    });
}

#[test]
fn a_person_has_the_conversation_compacted_and_is_told_the_figures() {
    let world = killed(async {
        let (server, bot) = life(World::new(), "", 100_000).await;
        for name in SIX {
            told(&server, &bot, name, "Good.").await;
        }
        bot
    });
    runtime().block_on(async {
        // The conversation is the same for whoever asks first, the command or a message.
        let (server, bot) = life(world, "", 100_000).await;
        server.reply(Reply::json(400, &json!({"error": {"message": "not now"}})));
        bot.turn(PLATFORM, "/compact").await;
        let answer = bot.screen(PLATFORM).pop().unwrap();
        assert!(
            answer.starts_with("⚠️ The conversation was not compacted: "),
            "{answer}"
        );
        server.reply(says("They like fruit."));
        let ended = bot.turn(PLATFORM, "/compact above all the colours").await;
        let name = "compact".to_owned();
        assert_eq!(ended, Terminal::Command { name });
        let answer = bot.screen(PLATFORM).pop().unwrap();
        assert!(
            answer.starts_with("✅ 2 answers became a summary, 4 answers kept word for word: "),
            "{answer}"
        );
        assert!(all_asked(&server).contains("above all the colours"));
        assert_eq!(compacted(&bot).await, [(Actor::User("alice".into()), 2, 4)]);
        assert_eq!(restored(&bot).await, [(6, false, false)]);
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_cannot_be_compacted_is_named() {
    let bot = Bot::start().await;
    bot.says([text("Hello.")]);
    bot.turn(PLATFORM, "hi").await;
    bot.turn(PLATFORM, "/compact").await;
    assert_eq!(
        bot.screen(PLATFORM).pop().unwrap(),
        "ℹ️ script keeps the conversation itself, so that it cannot be compacted here."
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_verbose_session_is_told_that_its_conversation_was_compacted() {
    let (server, bot) = life(World::new(), "compact_at = 0.00001\n", 10_000).await;
    bot.turn(PLATFORM, "/verbose on").await;
    for (number, name) in SIX.into_iter().enumerate() {
        if number == 5 {
            server.reply(says("They like fruit."));
        }
        told(&server, &bot, name, "Good.").await;
    }
    let screen = bot.screen(PLATFORM);
    let [.., notice, answer] = screen.as_slice() else {
        panic!("{screen:?}")
    };
    assert!(
        notice.starts_with("🧹 Earlier messages are summarised now: "),
        "{notice}"
    );
    assert_eq!(answer, "Good.");
    assert_eq!(screen.iter().filter(|text| text.starts_with('🧹')).count(), 1);
    bot.check().await;
}
