//! What a chat sees where another backend steps in for the one that was to answer.

use crate::bot::{Bot, World, text};
use foldback_agents::{
    Act, Api, Fallback, HttpAgent, HttpConfig, ScriptAgent,
    strict_server::{Insists, Reply, StrictServer},
};
use foldback_channels::platform;
use foldback_pipeline::{Rules, SeededRng};
use foldback_wire::Terminal;
use std::{sync::Arc, time::Duration};

/// Long, as virtual time also passes while bytes are on their way.
const CONFIG: &str =
    "[agent]\nidle_timeout = \"1h\"\n[channels.signal]\nresponse_prefix = \"[{provider}/{model}]\"\n";

/// The words before an answer are filled in when its first text is sent, not when the run begins.
#[tokio::test(start_paused = true)]
async fn the_words_before_an_answer_name_who_stepped_in() {
    let server = StrictServer::start(Insists::on(Api::Letta, "agent-1"))
        .await
        .unwrap();
    let world = World::new();
    let clock = Arc::new(world.clock);
    let first = Arc::new(ScriptAgent::new(clock.clone()));
    let mut config = HttpConfig::new(server.base_url(), "agent-1");
    config.timeouts.first_byte = Duration::from_hours(1);
    let second = HttpAgent::new(Api::Letta, config, clock, Arc::new(SeededRng::new(1))).unwrap();
    let chain = Arc::new(Fallback::new(first.clone(), vec![Arc::new(second)]));
    let bot = Bot::behind(world, CONFIG, Rules::all(), first, chain).await;
    bot.says([Act::Error("overloaded".to_owned()).into()]);
    server.reply(Reply::events([
        r#"{"message_type":"assistant_message","id":"1","content":"Hello."}"#,
        r#"{"message_type":"stop_reason","stop_reason":"end_turn"}"#,
    ]));
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::SIGNAL), ["[letta/agent-1] Hello."]);
    // Nobody steps in: the first one answers under its own name.
    bot.says([text("Hello again.")]);
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    let screen = bot.screen(platform::SIGNAL);
    assert_eq!(screen.last().unwrap(), "[script/script] Hello again.");
    bot.check().await;
}
