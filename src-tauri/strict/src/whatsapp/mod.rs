//! The Cloud API of `WhatsApp`, as far as a bot like Foldback uses it, and Meta's side of the webhooks:
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp>.

mod answer;
mod chat;
mod messages;
mod request;
mod rules;
mod server;
mod upload;
mod webhooks;

pub use chat::{Media, Posted};
pub use request::Answer;
pub use server::{Credentials, WhatsAppServer};
pub use webhooks::sign;
