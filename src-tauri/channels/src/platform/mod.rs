//! The platforms, one row each: what its messages can be, the rates it publishes, the forms of its ids, and how its
//! simulated twin behaves. What depends on a platform is decided by its row, so that a new one is a file here, its row in
//! [`ROWS`], and an adapter (docs/adding-a-channel.md).

mod discord;
mod forms;
pub mod known;
pub(crate) mod reddit;
mod signal;
mod slack;
mod telegram;
mod telegram_user;
mod unknown;
pub(crate) mod web_chat;
pub(crate) mod whatsapp;
pub(crate) mod x;

use crate::{Rates, Refusal};
use foldback_wire::{
    Capabilities, ChatId, EmojiForm, LengthUnit, Markup, MessageFlag, MessageId, Platform, ReplyForm,
    ReplyToForm, Timestamp, VoiceForm,
};
pub use forms::is_phone_number;
pub use {
    discord::DISCORD,
    reddit::REDDIT,
    signal::SIGNAL,
    slack::SLACK,
    telegram::TELEGRAM,
    telegram_user::TELEGRAM_USER,
    web_chat::{WEB_CHAT, is_visitor},
    whatsapp::WHATSAPP,
    x::X,
};

/// A platform, and what the program knows about it.
#[derive(Debug)]
pub struct PlatformRow {
    /// Its code.
    pub platform: Platform,
    /// Its name, as people write it.
    pub name: &'static str,
    /// Its colour in the window.
    pub tint: Tint,
    /// Its interface, in one sentence.
    pub about: &'static str,
    /// The rates that it publishes.
    pub rates: Rates,
    /// True where a thread is a chat of its own, and its messages are counted apart.
    pub counts_threads: bool,
    /// True where each message in a group begins a thread of its own, so that nobody can answer a question in its thread.
    pub threads_each_message: bool,
    /// True where what was said in a thread can be read.
    pub reads_threads: bool,
    /// Forms of its ids.
    pub ids: IdForms,
    /// Its files.
    pub(crate) files: FileRules,
    /// Its simulated twin.
    pub(crate) twin: TwinRules,
    capabilities: fn() -> Capabilities,
}

/// A colour without its lightness, which the window derives for each of its schemes so that it can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tint {
    /// Hue in degrees, in OKLCH.
    pub hue: u16,
    /// Chroma to aim for, in thousandths; what a screen can show may be less.
    pub chroma: u16,
}

/// The forms of a platform's ids, each that of the platform's documents.
#[derive(Debug)]
pub struct IdForms {
    /// Whether a text has the form of a message id. What has not can only be refused by the platform.
    message: fn(&str) -> bool,
    /// The reason for which the platform gives a person no such id, in words.
    person: fn(&str) -> Option<&'static str>,
    /// The same of a chat.
    chat: fn(&str) -> Option<&'static str>,
    /// Form of the ids in `[[reply_to:ID]]`: that of the ids which agents are given with messages.
    reply_to: fn() -> ReplyToForm,
}

/// The holder of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdOwner {
    /// Somebody who writes.
    Person,
    /// A direct conversation, a group, a room.
    Chat,
}

/// The files that a platform takes.
#[derive(Debug)]
pub(crate) struct FileRules {
    /// Refuses a file for its type, or for its size (in bytes, where it is known) as a file of its type.
    pub(crate) check: fn(&str, Option<u64>) -> Result<(), Refusal>,
    /// False for a file that is shown without a caption.
    pub(crate) takes_caption: fn(&str) -> bool,
}

impl FileRules {
    /// Every file, with a caption.
    const ALL: Self = Self {
        check: |_, _| Ok(()),
        takes_caption: |_| true,
    };
}

/// Behaviour of a simulated twin, beside the capabilities.
#[derive(Debug)]
pub(crate) struct TwinRules {
    /// The earliest number for a message of this time; the next one is at least one higher than the last.
    pub(crate) number: fn(Timestamp) -> u64,
    /// The id of a message by its number, in a chat and at a time.
    pub(crate) id: fn(u64, &ChatId, Timestamp) -> MessageId,
    /// True where a bot has one reaction a message, so that a new one takes the old one's place.
    pub(crate) one_reaction: bool,
    /// True where an acknowledgement says when the message was sent.
    pub(crate) tells_time: bool,
}

/// Every row, in the order in which they are shown.
pub static ROWS: [&PlatformRow; 9] = [
    &telegram::ROW,
    &telegram_user::ROW,
    &discord::ROW,
    &slack::ROW,
    &whatsapp::ROW,
    &signal::ROW,
    &web_chat::ROW,
    &reddit::ROW,
    &x::ROW,
];

/// Every platform, in the order of the rows.
pub const ALL: &[Platform] = &[
    TELEGRAM,
    TELEGRAM_USER,
    DISCORD,
    SLACK,
    WHATSAPP,
    SIGNAL,
    WEB_CHAT,
    REDDIT,
    X,
];

/// The row of a platform. One that is not known, such as that of a journal of a later version, has rules by which only plain
/// text can be sent.
pub fn row(platform: Platform) -> &'static PlatformRow {
    let found = ROWS.iter().find(|row| row.platform == platform);
    found.unwrap_or(&&unknown::ROW)
}

/// The platform of a code; `None` where no row has it.
pub fn from_code(code: &str) -> Option<Platform> {
    ROWS.iter()
        .map(|row| row.platform)
        .find(|platform| platform.code() == code)
}

/// The capabilities of a platform before a configuration restricts them. Megabytes are decimal.
pub fn profile(platform: Platform) -> Capabilities {
    Capabilities {
        platform,
        ..(row(platform).capabilities)()
    }
}

/// The rates that a platform publishes.
pub fn rates(platform: Platform) -> Rates {
    row(platform).rates
}

/// Whether a message id has the form of the platform's own ids. What has not can only be refused by it.
pub fn is_message_id(platform: Platform, id: &MessageId) -> bool {
    (row(platform).ids.message)(id.as_str())
}

/// The reason for which a platform gives nobody such an id, in words; `None` when it may.
pub fn misfit(platform: Platform, owner: IdOwner, id: &str) -> Option<&'static str> {
    let ids = &row(platform).ids;
    match owner {
        IdOwner::Person => (ids.person)(id),
        IdOwner::Chat => (ids.chat)(id),
    }
}

/// Form of a platform's message ids in `[[reply_to:ID]]`.
pub fn reply_to_form(platform: Platform) -> ReplyToForm {
    (row(platform).ids.reply_to)()
}

/// False for a file that its platform shows without a caption. Its words are a message of their own.
pub fn takes_caption(platform: Platform, path: &str) -> bool {
    (row(platform).files.takes_caption)(path)
}

const MB: u64 = 1_000_000;

/// Least time between two edits of a live preview. The platforms punish faster ones with waits of many
/// seconds (Telegram allows about one message a second and chat, Discord five edits in five seconds).
const EDIT_INTERVAL_MS: u64 = 1_500;

/// The capabilities that most platforms have in common; each row says where it differs.
fn common(platform: Platform) -> Capabilities {
    Capabilities {
        platform,
        text_limit: 4_096,
        caption_limit: 1_024,
        unit: LengthUnit::Scalars,
        edit: true,
        delete: true,
        edit_interval_ms: Some(EDIT_INTERVAL_MS),
        react: Some(EmojiForm::Unicode),
        reply: Some(ReplyForm::Message),
        file_limit: Some(50 * MB),
        image_limit: None,
        audio_limit: None,
        voice: Some(VoiceForm::Attachment),
        typing: true,
        threads: true,
        markup: Markup::Plain,
        mention: None,
        // Previews of links are asked for, and nothing here asks for one.
        flags: vec![MessageFlag::SuppressEmbeds],
        idempotency_key: false,
        redelivery_ms: None,
    }
}

#[cfg(test)]
mod tests;
