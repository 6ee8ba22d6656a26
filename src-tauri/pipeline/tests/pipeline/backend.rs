//! A backend over HTTP behind the whole pipeline: whatever it does, the turn ends, and the user gets what was produced.

use crate::bot::{Bot, World};
use foldback_agents::{
    Api, HttpAgent, HttpConfig, ScriptAgent,
    strict_server::{Insists, Piece, Reply, StrictServer, event},
};
use foldback_channels::platform;
use foldback_pipeline::{Rules, SeededRng};
use foldback_wire::{AgentFault, Kind, Platform, StopReason, Terminal};
use serde_json::json;
use std::{sync::Arc, time::Duration};

/// Longer than anything here: virtual time also passes while bytes are on their way.
const LONG: Duration = Duration::from_hours(24);
const SLACK: Platform = platform::SLACK;
/// Longest answer here, in bytes.
const MOST: usize = 200_000;

/// A bot that asks a server which gives these answers; an answer of more than `most` bytes is cut off.
async fn asking(replies: impl IntoIterator<Item = Reply>, most: usize) -> (StrictServer, Bot) {
    let server = StrictServer::start(Insists::on(Api::Anthropic, "m"))
        .await
        .unwrap();
    for reply in replies {
        server.reply(reply);
    }
    let world = World::new();
    let mut config = HttpConfig::new(server.base_url(), "m");
    config.max_bytes = most;
    config.timeouts.first_byte = LONG;
    let clock = Arc::new(world.clock);
    let agent = HttpAgent::new(Api::Anthropic, config, clock.clone(), Arc::new(SeededRng::new(1))).unwrap();
    let script = Arc::new(ScriptAgent::new(clock));
    let bot = Bot::behind(
        world,
        "[agent]\nidle_timeout = \"24h\"\n[output]\nmax_messages = 100000",
        Rules::all(),
        script,
        Arc::new(agent),
    )
    .await;
    (server, bot)
}

fn say(text: &str) -> Piece {
    let delta = json!({"type": "text_delta", "text": text});
    event(&json!({"type": "content_block_delta", "index": 0, "delta": delta}).to_string())
}

/// The turn failed so, said so in the journal, and nothing is left open.
async fn failed(bot: &Bot, ended: &Terminal, fault: AgentFault) {
    assert!(matches!(ended, Terminal::Failed { .. }), "{ended:?}");
    let kinds = bot.kinds().await;
    let told = |kind: &Kind| matches!(kind, Kind::RunFailed { fault: told, .. } if *told == fault);
    assert_eq!(kinds.iter().filter(|kind| told(kind)).count(), 1);
    let ended = |kind: &Kind| {
        matches!(
            kind,
            Kind::RunEnded {
                reason: StopReason::Error,
                ..
            }
        )
    };
    assert_eq!(kinds.iter().filter(|kind| ended(kind)).count(), 1);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn fifty_megabytes_are_cut_off_and_the_user_gets_the_beginning() {
    let line = format!("{}\n", "word ".repeat(200));
    let Piece::Bytes(piece) = say(&line) else {
        unreachable!("an event is bytes")
    };
    let endless = Piece::Repeat(piece, 50_000_000 / line.len());
    let (server, bot) = asking([Reply::stream([endless])], MOST).await;
    let ended = bot.turn(SLACK, "hi").await;
    failed(&bot, &ended, AgentFault::TooLarge).await;
    let screen = bot.screen(SLACK);
    let (notice, said) = screen.split_last().expect("messages");
    assert_eq!(notice, "⚠️ The answer was too long and was cut off.");
    let words = said.iter().flat_map(|text| text.split_whitespace()).count();
    assert_eq!(
        words,
        MOST / line.len() * 200,
        "every word that was produced arrived"
    );
    server.until(|counts| counts.dropped == 1).await;
}

#[tokio::test(start_paused = true)]
async fn whatever_breaks_is_told_and_the_user_gets_what_came_before() {
    let error = |status| Reply::json(status, &json!({"error": {"message": "busy at 10.0.0.1"}}));
    let broken = |piece: Piece| vec![Reply::stream([say("Half an "), piece])];
    let half = |text: &[u8]| {
        let Piece::Bytes(event) = say("?") else {
            unreachable!("an event is bytes")
        };
        let at = event.iter().position(|byte| *byte == b'?').unwrap();
        Piece::Bytes([&event[..at], text, &event[at + 1..]].concat())
    };
    let failed_early = "⚠️ The agent failed before it was done.";
    let has_to_wait = "⚠️ The agent has to wait. Please try again later.";
    let broke = "⚠️ The connection to the agent broke before it was done.";
    let whole_day = error(429).header("Retry-After", "86400");
    for (replies, fault, screen) in [
        (vec![error(500); 3], AgentFault::Internal, vec![failed_early]),
        (vec![error(429); 3], AgentFault::RateLimited, vec![has_to_wait]),
        (vec![whole_day], AgentFault::RateLimited, vec![has_to_wait]),
        (vec![Reply::stream([]); 3], AgentFault::Disconnected, vec![broke]),
        (
            broken(Piece::Cut),
            AgentFault::Disconnected,
            vec!["Half an", broke],
        ),
        (
            broken("data: {\"typ\n\n".into()),
            AgentFault::Malformed,
            vec!["Half an", failed_early],
        ),
        (
            broken(half(b"\xf0\x9f")),
            AgentFault::Disconnected,
            vec!["Half an \u{fffd}", broke],
        ),
    ] {
        let (server, bot) = asking(replies.clone(), MOST).await;
        let ended = bot.turn(SLACK, "hi").await;
        failed(&bot, &ended, fault).await;
        assert_eq!(bot.screen(SLACK), screen, "{replies:?}");
        assert_eq!(server.requests().len(), replies.len(), "{replies:?}");
        let retries = bot.kinds().await;
        let retries = retries
            .iter()
            .filter(|kind| matches!(kind, Kind::Retrying { .. }));
        assert_eq!(retries.count(), replies.len() - 1, "every attempt is told");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_is_waited_for_as_long_as_the_backend_says() {
    let busy = Reply::json(429, &json!({"error": {"message": "busy"}})).header("Retry-After", "40");
    let stop = event(r#"{"type":"message_stop"}"#);
    let (_server, bot) = asking([busy, Reply::stream([say("Here."), stop])], MOST).await;
    assert_eq!(bot.turn(SLACK, "hi").await, Terminal::Replied);
    assert!((40_000..50_000).contains(&bot.now_ms()), "{}", bot.now_ms());
    assert_eq!(bot.screen(SLACK), ["Here."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_endless_silence_ends_and_the_user_gets_what_came_before() {
    let (server, bot) = asking([Reply::stream([say("Half an "), Piece::Hang])], MOST).await;
    let ended = bot.turn(SLACK, "hi").await;
    failed(&bot, &ended, AgentFault::Timeout).await;
    assert_eq!(
        bot.screen(SLACK),
        ["Half an", "⚠️ The agent did not answer in time."]
    );
    server.until(|counts| counts.dropped == 1).await;
}
