//! A voice directive through the real adapters: what arrives on each platform.

use crate::place::{Place, TRIED, discord_room, signal_ana, slack_room, telegram_chat, whatsapp_ana};
use crate::{alone, runtime};
use foldback_agents::speech::Note;
use foldback_api::{Backend, Setup};
use foldback_channels::platform;
use foldback_store::MemoryJournal;
use foldback_wire::{Actor, ChannelState, Platform};
use std::{fs, sync::Arc, time::Duration};

const SCRIPT: &str = "- agent: ['<actions><voice>Hey, **three** words</voice></actions>And in writing']\n";

impl Place {
    /// The file of the bot's first message in a chat, and whether it came as a voice note.
    fn sound(&self, chat: usize) -> (bool, Vec<u8>) {
        match self {
            Self::Telegram(server) => {
                let mut messages = server.messages(telegram_chat(chat)).into_iter();
                let file = messages.find_map(|(_, m)| m.file.filter(|_| m.by_bot)).unwrap();
                (file.field == "voice", file.bytes)
            }
            Self::Discord(server) => {
                let mut messages = server.messages(discord_room(chat)).into_iter();
                let (_, first) = messages.find(|(_, m)| m.by_bot).unwrap();
                (false, first.files[0].bytes.clone())
            }
            Self::Slack(server) => {
                let mut messages = server.messages(&slack_room(chat)).into_iter();
                let file = messages.find_map(|(_, m)| m.file.filter(|_| m.by_bot)).unwrap();
                (false, file.bytes)
            }
            Self::Whatsapp(server, _) => {
                let mut messages = server.messages(&whatsapp_ana(chat)).into_iter();
                let (_, first) = messages.find(|(_, m)| m.by_us).unwrap();
                (first.voice, first.media.unwrap().bytes)
            }
            Self::Signal(server) => {
                let mut messages = server.messages(&signal_ana(chat)).into_iter();
                let file = messages
                    .find_map(|m| m.file.filter(|_| m.author.is_none()))
                    .unwrap();
                (false, file.bytes)
            }
        }
    }
}

/// Opus in Ogg, one channel, of the length of its words: by its own headers and its own packets.
fn check(platform: Platform, bytes: Vec<u8>) {
    assert_eq!(&bytes[28..36], b"OpusHead", "{platform}");
    assert_eq!(
        (bytes[37], &bytes[40..44]),
        (1, &48_000_u32.to_le_bytes()[..]),
        "{platform}"
    );
    let note = Note::of(bytes).unwrap();
    assert_eq!(note.duration, Duration::from_millis(900), "{platform}");
    assert_eq!(note.peaks(3).unwrap().len(), 3);
}

#[test]
fn a_voice_note_or_a_file_with_sound_arrives_before_the_text() {
    let _alone = alone();
    for platform in TRIED {
        runtime().block_on(arrives(platform));
    }
}

async fn arrives(platform: Platform) {
    let place = Place::open(platform).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("script.yaml"), SCRIPT).unwrap();
    let config = format!(
        "[agent.script]\nfile = \"script.yaml\"\n[typing]\nenabled = false\n[speech]\nbackend = \"tone\"\n{}",
        place.config(folder.path())
    );
    let file = folder.path().join("foldback.toml");
    fs::write(&file, config).unwrap();
    let fixtures = folder.path().join("fixtures");
    let mut setup = Setup::from_file(&file, folder.path().to_owned(), fixtures, Actor::Console).unwrap();
    setup.journal = Some(Arc::new(MemoryJournal::new()));
    let backend = Backend::open(setup).await.unwrap();
    let channel = backend
        .engine()
        .channels()
        .channel(&platform.code().into())
        .unwrap();
    let mut status = channel.watch();
    status
        .wait_for(|status| status.state == ChannelState::Up)
        .await
        .unwrap();
    place.introduce().await;
    place.write(0, "talk to me");
    while place.messages(0).len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let said = place.messages(0);
    let seen: Vec<_> = said.iter().map(|said| (said.file, said.text.as_str())).collect();
    assert_eq!(seen, [(true, ""), (false, "And in writing")], "{platform}");
    let (native, bytes) = place.sound(0);
    assert_eq!(
        native,
        matches!(platform, platform::TELEGRAM | platform::WHATSAPP),
        "{platform}"
    );
    check(platform, bytes);
    backend.shutdown().await.unwrap();
    for of_a_journal in fs::read_dir(folder.path().join("data/outbound/.voice")).unwrap() {
        let left = fs::read_dir(of_a_journal.unwrap().path()).unwrap();
        assert_eq!(left.count(), 0, "{platform}");
    }
    assert_eq!(place.broken(), "[]", "{platform}");
}
