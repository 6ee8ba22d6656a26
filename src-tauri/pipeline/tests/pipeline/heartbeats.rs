//! What makes a heartbeat different from other turns: its prompt, its model, and that what repeats is said again.

use crate::bot::{Bot, text};
use foldback_agents::Act;
use foldback_channels::platform;
use foldback_wire::Kind;
use std::time::Duration;

const CONFIG: &str = "[channels.telegram]\n[[schedule]]\nname = \"pulse\"\nchannel = \"telegram\"\nchat = \"c1\"\n\
                      heartbeat = true\n[heartbeat]\nevery = \"1h\"\nmodel = \"small\"\n\
                      [agent.models]\nsmall = \"script/small-1\"\n";

async fn pass(minutes: u64) {
    tokio::time::sleep(Duration::from_mins(minutes)).await;
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_has_a_prompt_and_a_model_of_its_own() {
    let bot = Bot::with(CONFIG).await;
    let named = || Act::Given("By {model}.".to_owned()).into();
    bot.says([named()]);
    pass(61).await;
    bot.says([named()]);
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["By script/small-1.", "By default."]
    );
    let prompt = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::Prepared { prompt } => Some(prompt),
        _ => None,
    });
    let prompt = prompt.unwrap();
    assert!(
        prompt.contains("answer HEARTBEAT_OK and nothing else"),
        "{prompt}"
    );
    bot.check().await;
}

/// An alert that nobody has dealt with is still one.
#[tokio::test(start_paused = true)]
async fn an_alert_that_repeats_is_delivered_each_time() {
    let bot = Bot::with(CONFIG).await;
    for _ in 0..3 {
        bot.says([text("Disk 99%\n\nHEARTBEAT_OK")]);
        pass(60).await;
    }
    pass(1).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["Disk 99%"; 3]);
    bot.check().await;
}
