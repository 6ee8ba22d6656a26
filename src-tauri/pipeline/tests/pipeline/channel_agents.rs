//! Channels that another agent answers on.

use crate::bot::{Bot, World, parts, text};
use foldback_agents::ScriptAgent;
use foldback_channels::platform;
use foldback_pipeline::{Engine, Rules};
use foldback_wire::Terminal;
use std::{sync::Arc, time::Duration};

#[tokio::test(start_paused = true)]
async fn a_channel_is_answered_by_its_own_agent_and_the_others_by_the_default() {
    let world = World::new();
    let script = || Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    let (default, own) = (script(), script());
    let mut parts = parts(&world, "", Rules::all(), default.clone());
    parts.agents.by_channel.insert("slack".into(), own.clone());
    let engine = Engine::start(parts).await.unwrap();
    // Channels connect while nothing else happens.
    tokio::time::sleep(Duration::from_millis(1)).await;
    let bot = Bot::around(world, engine, default);
    own.queue(None, vec![text("By Slack's own.")]);
    bot.says([text("By the default.")]);
    for platform in [platform::SLACK, platform::TELEGRAM] {
        assert_eq!(bot.turn(platform, "hi").await, Terminal::Replied);
    }
    assert_eq!(bot.screen(platform::SLACK), ["By Slack's own."]);
    assert_eq!(bot.screen(platform::TELEGRAM), ["By the default."]);
    bot.check().await;
}
