//! Live edits that the platform carries out long after nobody waits for them any more.

use crate::bot::{Bot, later, text};
use async_trait::async_trait;
use foldback_channels::{Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Loopback, Refusal, platform};
use foldback_wire::{Attachment, Capabilities, ChatId, OpKind, Operation, RefusalCode, Terminal};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// A platform that lets the first edit time out, and carries it out later.
struct LateEdit {
    platform: Arc<Loopback>,
    by: Duration,
    happened: AtomicBool,
}

#[async_trait]
impl ChannelAdapter for LateEdit {
    fn capabilities(&self) -> &Capabilities {
        self.platform.capabilities()
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.platform.connect(connection).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        let edits = matches!(call.operation, Operation::EditText { .. });
        if !edits || self.happened.swap(true, Ordering::Relaxed) {
            return self.platform.perform(call).await;
        }
        let (platform, by) = (Arc::clone(&self.platform), self.by);
        tokio::spawn(async move {
            tokio::time::sleep(by).await;
            platform.perform(call).await.unwrap();
        });
        Err(Refusal::new(RefusalCode::Transient, "timed out").or_done())
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.platform.fetch(chat, file, limit).await
    }
}

/// A bot on Telegram whose first edit comes so late, once it has answered.
async fn answered(by: Duration, says: [foldback_agents::ScriptStep; 3]) -> Bot {
    let late = |platform| LateEdit {
        platform,
        by,
        happened: AtomicBool::default(),
    };
    let bot = Bot::through(platform::TELEGRAM, "", late).await;
    bot.says(says);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    bot.check().await;
    bot
}

#[tokio::test(start_paused = true)]
async fn a_live_edit_that_lands_after_the_final_one_does_not_stay() {
    let says = [text("one"), later(3_000, " two"), later(100, " three")];
    let bot = answered(Duration::from_secs(6), says).await;
    assert!(bot.ever_shown(platform::TELEGRAM).contains(&"one two".to_owned()));
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two three"]);
    assert_eq!(bot.warnings("may still come").await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_live_edit_that_lands_after_one_that_showed_the_whole_text_does_not_stay() {
    // The live edit after the late one shows all of it, so that no final edit would be needed.
    let says = [text("one"), later(3_000, " two"), later(100, " three")];
    let says = [says[0].clone(), says[1].clone(), {
        let mut last = says[2].clone();
        last.after_ms = 2_000;
        last
    }];
    let bot = answered(Duration::from_millis(5_500), says).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two three"]);
}

#[tokio::test(start_paused = true)]
async fn a_final_edit_is_written_once_where_every_live_edit_has_an_answer() {
    let bot = Bot::start().await;
    bot.says([text("one"), later(3_000, " two"), later(100, " three")]);
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::EditText).len(), 2);
    assert_eq!(bot.warnings("").await, 0);
}
