//! All conversations of a channel, in memory and in a folder of the data folder.

use super::conversation::Conversation;
use super::limits;
use super::log::Log;
use super::session::{self, SessionKey};
use crate::platform::web_chat::is_visitor;
use foldback_wire::{ChannelId, ChatId, Clock, ClockTrust};
use ring::digest::{Context, SHA256};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a digest that tell folders apart.
const DISTINCT: usize = 8;

/// The reason for which a conversation cannot begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoRoom {
    /// Its address has as many as it may have.
    OfAddress,
    /// There are as many as there may be.
    OfAll,
}

pub(super) struct Conversations {
    folder: PathBuf,
    /// Tells the events of this process from those of others.
    epoch: Arc<str>,
    clock: Arc<dyn Clock>,
    trust: Mutex<ClockTrust>,
    most: usize,
    open: Mutex<BTreeMap<ChatId, Arc<Conversation>>>,
}

impl Conversations {
    /// Those that earlier processes kept. Another channel, and another journal, has others. A journal is one process's at a
    /// time, so that what no message there names is left over and is removed.
    pub(super) fn open(
        channel: &ChannelId,
        data: &Path,
        journal: Option<&Path>,
        most: u32,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let mut of = Context::new(&SHA256);
        of.update(channel.as_str().as_bytes());
        if let Some(journal) = journal {
            of.update(journal.as_os_str().as_encoded_bytes());
        }
        let name = session::hex(&of.finish().as_ref()[..DISTINCT]);
        let conversations = Self {
            folder: data.join(format!("web-chat-{name}")),
            epoch: session::random_hex::<4>().into(),
            trust: Mutex::new(ClockTrust::new(clock.as_ref())),
            clock,
            most: most as usize,
            open: Mutex::default(),
        };
        conversations.read(journal.is_some());
        conversations
    }

    fn read(&self, is_ours_alone: bool) {
        // Where nobody ever wrote there is no folder.
        let Ok(folders) = fs::read_dir(&self.folder) else {
            return;
        };
        let mut open = self.all();
        let names = folders.filter_map(|folder| folder.ok()?.file_name().into_string().ok());
        for name in names.filter(|name| is_visitor(name)) {
            let (chat, folder) = (ChatId::new(name.clone()), self.folder.join(&name));
            let loaded = Conversation::load(
                chat.clone(),
                folder.clone(),
                Arc::clone(&self.epoch),
                self.clock.now(),
            );
            match loaded {
                Ok(conversation) => {
                    if is_ours_alone {
                        conversation.state().remove_unnamed();
                    }
                    open.insert(chat, Arc::new(conversation));
                }
                // A kill came between its first file and its first message.
                Err(error) if is_ours_alone && error.kind() == io::ErrorKind::NotFound => {
                    Log::new(folder).remove();
                }
                Err(error) => tracing::warn!(%error, %chat, "a conversation of a web chat cannot be read"),
            }
        }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<ChatId, Arc<Conversation>>> {
        // Every change leaves it whole.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, chat: &ChatId) -> Option<Arc<Conversation>> {
        self.all().get(chat).cloned()
    }

    /// A new conversation of an address. Where all that there may be, or all that the address may have, are in use, one that
    /// nobody wrote in, or that was not used for a day, gives way.
    ///
    /// # Errors
    /// None gives way. Whoever has their share only ever takes the place of their own.
    pub(super) fn begin(&self, key: &SessionKey, address: IpAddr) -> Result<Arc<Conversation>, NoRoom> {
        self.sweep();
        let (now, mut open) = (self.clock.now(), self.all());
        let begun_by = (!address.is_loopback()).then_some(address);
        let is_own = |conversation: &Conversation| begun_by.is_some() && conversation.begun_by == begun_by;
        let share = self.most.div_ceil(limits::SHARE_OF_ADDRESS);
        let has_share = open.values().filter(|c| is_own(c)).count() >= share;
        if has_share || open.len() >= self.most {
            let may_go = |conversation: &Conversation| {
                let state = conversation.state();
                let is_unused = state.is_empty() || now.since(state.used()) > limits::LONG_UNUSED;
                (is_unused && !state.is_watched()).then(|| (!state.is_empty(), state.used()))
            };
            let those = open.values().filter(|c| !has_share || is_own(c));
            let unused = those.filter_map(|c| Some((may_go(c)?, c.chat.clone())));
            let none = if has_share {
                NoRoom::OfAddress
            } else {
                NoRoom::OfAll
            };
            let (_, chat) = unused.min().ok_or(none)?;
            Self::forget(&mut open, &chat);
        }
        let chat = key.chat();
        let folder = self.folder.join(chat.as_str());
        let conversation = Conversation::new(chat.clone(), begun_by, folder, Arc::clone(&self.epoch), now);
        let conversation = Arc::new(conversation);
        open.insert(chat, Arc::clone(&conversation));
        Ok(conversation)
    }

    fn forget(open: &mut BTreeMap<ChatId, Arc<Conversation>>, chat: &ChatId) {
        if let Some(conversation) = open.remove(chat) {
            conversation.state().log_mut().remove();
        }
    }

    /// Forgets what was not used for so long that its cookie has ended, as far as the clock can be trusted.
    pub(super) fn sweep(&self) {
        let mut trust = self.trust.lock().unwrap_or_else(PoisonError::into_inner);
        if !trust.has_gone_on(self.clock.as_ref()) {
            return;
        }
        drop(trust);
        let (now, mut open) = (self.clock.now(), self.all());
        let is_over = |conversation: &Conversation| {
            let state = conversation.state();
            !state.is_watched() && now.since(state.used()) > limits::IDLE
        };
        let over: Vec<_> = open
            .values()
            .filter(|c| is_over(c))
            .map(|c| c.chat.clone())
            .collect();
        for chat in over {
            Self::forget(&mut open, &chat);
        }
    }

    /// Makes room for a file of so many bytes in a conversation: its own oldest give way, then those of the conversation that
    /// was not used for the longest time.
    pub(super) fn make_room(&self, own: &Conversation, bytes: u64) {
        own.free_files(limits::FILE_BYTES.saturating_sub(bytes));
        let open: Vec<_> = self.all().values().cloned().collect();
        let mut with_files: Vec<_> = open
            .iter()
            .map(|conversation| {
                let state = conversation.state();
                (state.used(), state.file_bytes(), conversation)
            })
            .filter(|(_, bytes, _)| *bytes > 0)
            .collect();
        let mut all: u64 = with_files.iter().map(|(_, bytes, _)| bytes).sum();
        with_files.sort_by_key(|(used, ..)| *used);
        for (_, held, conversation) in with_files {
            if all + bytes <= limits::ALL_FILE_BYTES {
                break;
            }
            conversation.free_files(0);
            all -= held;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::{Sleep, Timestamp};
    use std::{
        net::Ipv4Addr,
        sync::atomic::{AtomicU64, Ordering},
        time::Duration,
    };

    const DAY: u64 = 24 * 3_600_000;

    /// Milliseconds that passed, and those by which the time of day was set ahead.
    #[derive(Default)]
    struct HandClock {
        passed: AtomicU64,
        ahead: AtomicU64,
    }

    impl Clock for HandClock {
        fn now(&self) -> Timestamp {
            let ms = self.passed.load(Ordering::Relaxed) + self.ahead.load(Ordering::Relaxed);
            Timestamp(ms.cast_signed())
        }

        fn monotonic(&self) -> Duration {
            Duration::from_millis(self.passed.load(Ordering::Relaxed))
        }

        fn sleep_until(&self, _: Timestamp) -> Sleep {
            Box::pin(std::future::pending())
        }
    }

    #[test]
    fn a_clock_that_jumps_ahead_costs_no_conversation() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(HandClock::default());
        let open = Conversations::open(&"web".into(), folder.path(), None, 10, clock.clone());
        let key = SessionKey::random();
        open.begin(&key, Ipv4Addr::LOCALHOST.into()).unwrap();
        let is_there = || open.get(&key.chat()).is_some();
        clock.ahead.store(31 * DAY, Ordering::Relaxed);
        open.sweep();
        assert!(is_there());
        clock.ahead.store(0, Ordering::Relaxed);
        for (day, stays) in [(30, true), (31, false)] {
            clock.passed.store(day * DAY, Ordering::Relaxed);
            open.sweep();
            assert_eq!(is_there(), stays, "{day}");
        }
    }
}
