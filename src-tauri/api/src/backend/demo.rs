//! The demonstration: a conversation on five channels, so that a first start has something to show.

use super::Backend;
use foldback_agents::demo::{self, DemoTurn};
use foldback_pipeline::config::Config;
use foldback_wire::{ChatId, ChatType, Inbound, Sender};
use std::{fs, path::Path, time::Duration};

/// Puts the files that the demonstration sends into the folder for outbound files. It runs without them:
/// the journal then says which file was missing.
pub(super) fn lay_files(config: &Config, base: &Path) {
    let folder = base.join(&config.files.send_dir);
    for file in demo::FILES {
        let path = folder.join(file.path);
        if !path.exists()
            && let Err(error) = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, file.content))
        {
            tracing::warn!(path = %path.display(), %error, "a file of the demonstration is missing");
        }
    }
}

impl Backend {
    /// Plays the demonstration once.
    pub(super) async fn play_demo(self) {
        let turns = match demo::load() {
            Ok(demo) => demo.turns,
            Err(error) => return tracing::error!(%error, "the demonstration cannot be read"),
        };
        for turn in turns {
            let clock = &self.shared.clock;
            clock
                .sleep_until(clock.now().plus(Duration::from_millis(turn.after_ms)))
                .await;
            let Some(channel) = self.shared.loopbacks.get(&turn.channel) else {
                continue;
            };
            if let Err(error) = channel.inject(self.message(turn)) {
                tracing::warn!(%error, "a message of the demonstration is left out");
            }
        }
    }

    fn message(&self, turn: DemoTurn) -> Inbound {
        let DemoTurn { channel, user, .. } = turn;
        let chat = match user.chat {
            ChatType::Direct => ChatId::new(user.from.clone()),
            ChatType::Group => ChatId::new("weekend"),
        };
        Inbound {
            channel,
            account: None,
            chat,
            chat_type: user.chat,
            thread: None,
            message: user.id,
            reply_to: user.reply_to,
            sender: Sender {
                id: user.from.clone().into(),
                name: user.from,
                display_name: user.display_name,
                is_bot: user.is_bot,
            },
            text: user.text,
            mentioned: true,
            forwarded: false,
            files: Vec::new(),
            at: self.shared.clock.now(),
            dry_run: false,
            at_by_device: false,
            omitted: None,
        }
    }
}
