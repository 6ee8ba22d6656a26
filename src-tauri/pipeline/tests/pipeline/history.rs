//! What an agent that keeps conversations in memory knows of them after a restart, and once they are long.

use crate::bot::{Bot, World, killed, runtime, text};
use async_trait::async_trait;
use foldback_agents::{
    Agent, Api, Compaction, CompactionError, CompactionOrder, ConversationSize, HistoryLimits, HttpAgent,
    HttpConfig, ScriptAgent, StepSink, TurnRequest,
    strict_server::{Insists, Reply, StrictServer},
};
use foldback_channels::platform;
use foldback_pipeline::{Rules, SeededRng};
use foldback_wire::{Actor, Kind, Platform, SessionId, Terminal};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

const PLATFORM: Platform = platform::SIGNAL;

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

/// The messages of the last request without the one that it is about.
fn told_before(server: &StrictServer) -> Vec<(String, String)> {
    let mut messages = asked(server);
    messages.pop();
    messages
}

#[test]
fn a_conversation_is_told_the_same_before_and_after_a_restart() {
    let mut before = Vec::new();
    let world = killed(async {
        let (server, bot) = life(World::new(), "", 100_000).await;
        let answer = "<actions><react emoji=\"👍\"/></actions>Hello Ada.";
        told(&server, &bot, "My name is Ada.", answer).await;
        server.reply(says("<no-reply/>"));
        bot.turn(PLATFORM, "Say nothing.").await;
        server.reply(Reply::json(400, &json!({"error": {"message": "no such day"}})));
        bot.turn(PLATFORM, "Fail.").await;
        server.reply(says("<actions><react emoji=\"👍\"/></actions>"));
        bot.turn(PLATFORM, "Only nod.").await;
        told(&server, &bot, "Who am I?", "Ada.").await;
        before = told_before(&server);
        bot
    });
    assert_eq!(before.len(), 8, "{before:?}");
    for (role, content) in &before {
        let is_short = content.len() < 1_000 && !content.contains("Response directives");
        assert!(is_short, "{role} is told more than was said: {content}");
        assert!(!content.contains("<actions>"), "{role}: {content}");
    }
    runtime().block_on(async {
        let (server, bot) = life(world, "", 100_000).await;
        told(&server, &bot, "Sure?", "Yes.").await;
        let mut after = told_before(&server);
        assert_eq!(after.len(), 10);
        assert_eq!(after.split_off(8)[1].1, "Ada.");
        assert_eq!(after, before);
        bot.check().await;
    });
}

/// The words in which the agent was asked to write its memory down, its answer, its tokens and why it failed.
async fn flushed(bot: &Bot) -> Vec<(String, String, u64, Option<String>)> {
    let told = |kind: Kind| match kind {
        Kind::MemoryFlushed {
            prompt,
            answer,
            usage,
            failure,
            ..
        } => Some((
            prompt,
            answer,
            usage.map_or(0, |usage| usage.input + usage.output),
            failure,
        )),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(told).collect()
}

/// Whether the memory was written down before each compaction.
async fn flushed_before(bot: &Bot) -> Vec<Option<bool>> {
    let told = |kind: Kind| match kind {
        Kind::HistoryCompacted { flushed, .. } => Some(flushed),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(told).collect()
}

const FLUSH: &str = "compact_at = 0.00001\nmemory_flush = \"Write it down.\"\n";

#[test]
fn before_a_compaction_the_agent_may_write_its_memory_down_once_and_nobody_is_told() {
    let world = killed(async {
        let (server, bot) = life(World::new(), FLUSH, 10_000).await;
        for (number, name) in SIX.into_iter().enumerate() {
            if number == 5 {
                server.reply(says("Noted in fruit.md. NO_REPLY"));
                server.reply(says("They like fruit."));
            }
            told(&server, &bot, name, "Good.").await;
        }
        let noted = (
            "Write it down.".to_owned(),
            "Noted in fruit.md. NO_REPLY".to_owned(),
            2,
            None,
        );
        assert_eq!(
            flushed(&bot).await,
            [noted],
            "once, and not while all of it stays"
        );
        assert_eq!(flushed_before(&bot).await, [Some(true)]);
        let requests = server.requests();
        let [.., flush, summary, answer] = requests.as_slice() else {
            panic!("{requests:?}")
        };
        assert!(flush.to_string().contains("apple") && flush.to_string().contains("Write it down."));
        for later in [summary, answer] {
            assert!(!later.to_string().contains("Write it down."), "{later}");
        }
        let screen = bot.screen(PLATFORM);
        assert_eq!(screen, ["Good."; 6], "what it wrote down is nobody's answer");
        bot
    });
    runtime().block_on(async {
        let (server, bot) = life(world, "", 100_000).await;
        told(&server, &bot, "Well?", "Fine.").await;
        let all = all_asked(&server);
        assert!(
            !all.contains("fruit.md") && all.contains("They like fruit."),
            "{all}"
        );
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_memory_that_cannot_be_written_down_stops_neither_the_compaction_nor_the_answer() {
    let (server, bot) = life(World::new(), FLUSH, 10_000).await;
    for (number, name) in SIX.into_iter().enumerate() {
        if number == 5 {
            server.reply(Reply::json(400, &json!({"error": {"message": "not now"}})));
            server.reply(says("They like fruit."));
        }
        told(&server, &bot, name, "Good.").await;
    }
    let flushes = flushed(&bot).await;
    let [(_, _, _, Some(why))] = flushes.as_slice() else {
        panic!("{flushes:?}")
    };
    assert!(why.contains("not now"), "{why}");
    assert_eq!(flushed_before(&bot).await, [Some(false)]);
    assert_eq!(bot.screen(PLATFORM), ["Good."; 6]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn where_the_summary_fails_the_memory_is_not_written_down_twice() {
    let (server, bot) = life(World::new(), FLUSH, 10_000).await;
    let refused = || Reply::json(400, &json!({"error": {"message": "not now"}}));
    for (number, name) in SIX.into_iter().enumerate() {
        if number == 5 {
            server.reply(says("NO_REPLY"));
            server.reply(refused());
        }
        told(&server, &bot, name, "Good.").await;
    }
    server.reply(says("They like fruit."));
    told(&server, &bot, "grape", "Good.").await;
    assert_eq!(flushed(&bot).await.len(), 1);
    assert_eq!(flushed_before(&bot).await, [Some(true)]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn whoever_has_a_conversation_compacted_is_told_of_the_memory() {
    let settings = "memory_flush = true\n";
    let (server, bot) = life(World::new(), settings, 100_000).await;
    told(&server, &bot, "apple", "Good.").await;
    bot.turn(PLATFORM, "/compact").await;
    assert_eq!(flushed(&bot).await, [], "there is nothing to summarise");
    for name in &SIX[1..] {
        told(&server, &bot, name, "Good.").await;
    }
    server.reply(says("NO_REPLY"));
    server.reply(says("They like fruit."));
    bot.turn(PLATFORM, "/compact").await;
    let answer = bot.screen(PLATFORM).pop().unwrap();
    assert!(
        answer.starts_with("✅ 2 answers became a summary, ")
            && answer.ends_with(" The agent wrote its memory down before."),
        "{answer}"
    );
    let flushes = flushed(&bot).await;
    let [(prompt, ..)] = flushes.as_slice() else {
        panic!("{flushes:?}")
    };
    assert!(
        prompt.contains("summary") && prompt.ends_with("Answer NO_REPLY."),
        "{prompt}"
    );
    bot.check().await;
}

/// An agent that remembers too much and never ends the run in which it may write its memory down.
struct Endless(Arc<ScriptAgent>);

#[async_trait]
impl Agent for Endless {
    fn backend(&self) -> &'static str {
        "script"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        if request.prompt == "Write it down." {
            return std::future::pending().await;
        }
        self.0.run(request, sink, cancel).await;
    }

    fn conversation(&self, _: &SessionId) -> Option<ConversationSize> {
        Some(ConversationSize {
            exchanges: 9,
            summarised: true,
            tokens: u64::MAX,
            counted: false,
            limit: 1,
        })
    }

    fn compactable(&self, _: &SessionId, _: &CompactionOrder) -> usize {
        5
    }

    async fn compact(
        &self,
        _: &SessionId,
        _: &CompactionOrder,
        _: CancellationToken,
    ) -> Result<Compaction, CompactionError> {
        Ok(Compaction {
            summary: "In short.".to_owned(),
            summarised: 5,
            kept: 4,
            tokens_before: 9,
            tokens_after: 1,
            usage: None,
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_memory_that_is_written_down_for_ever_is_not_waited_for() {
    let world = World::new();
    let script = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    let endless = Arc::new(Endless(Arc::clone(&script)));
    let settings = "[agent]\nidle_timeout = \"2m\"\nmemory_flush = \"Write it down.\"\n";
    let bot = Bot::behind(world, settings, Rules::all(), script, endless).await;
    bot.says([text("Hello.")]);
    assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    let flushes = flushed(&bot).await;
    let [(.., failure)] = flushes.as_slice() else {
        panic!("{flushes:?}")
    };
    assert_eq!(failure.as_deref(), Some("it took longer than 120000 ms"));
    assert_eq!(flushed_before(&bot).await, [Some(false)]);
    assert_eq!(bot.screen(PLATFORM), ["Hello."]);
    bot.check().await;
}
