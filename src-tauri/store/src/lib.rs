//! The journal, sessions and the outbox, and windows over the journal.

mod duration;
mod filter;
mod journal;
mod kind;
mod known_chat;
mod known_durations;
mod layer;
mod ledger;
mod memory;
mod mention;
mod outline;
mod pairing;
mod row;
mod scene;
mod selection;
mod session_settings;
mod session_usage;
mod sqlite;
mod start_kinds;
mod system_notice;
mod then;
mod view;

pub use duration::{EventDuration, HeldBytes};
pub use filter::{FIELDS, Field, Filter, Matcher, Value, Values, complete};
pub use journal::{Journal, Numbers, OutboxEntry, Resumed, SessionRecord, StoreError};
pub use kind::{KINDS, KindWord};
pub use known_chat::{KnownChat, MOST_CHATS};
pub use layer::JournalLayer;
pub use memory::MemoryJournal;
pub use mention::Mention;
pub use outline::{OutlinedHold, TurnOutline};
pub use pairing::{PairingBook, PairingError, Standing};
pub use row::{one_line, row};
pub(crate) use scene::SCENE_KINDS;
pub use scene::Scene;
pub use selection::Selection;
pub use session_settings::SessionSettings;
pub use session_usage::UsageTotals;
pub use sqlite::{
    Limits, SqliteJournal, check_links, close_to_others, has_writer, journal_files, make_private_folder,
    real_journal,
};
pub(crate) use start_kinds::START_KINDS;
pub use start_kinds::{DEAD_TARGET_KINDS, DELIVERY_KINDS, REMINDER_KINDS, SCHEDULE_KINDS};
pub use system_notice::{SystemNotice, add_notice};
pub use then::{Case, Instead, Removal, Then};
pub use view::{Opening, SearchDirection, TurnView, View, Work};
