//! The Bot API of Telegram, as far as a bot like Foldback uses it: <https://core.telegram.org/bots/api>.

mod chat;
mod html;
mod menu;
mod methods;
mod request;
mod rules;
mod server;

pub use chat::{File, Posted};
pub use server::{Answer, TelegramServer};
