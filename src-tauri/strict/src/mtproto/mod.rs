//! Telegram for people's own accounts, in the place of its data centres: `MTProto` 2.0 over the full transport
//! (<https://core.telegram.org/mtproto>), and of the API what an account needs to write and be written to
//! (<https://core.telegram.org/methods>).
//!
//! Agreeing on a key is not here: clients check its signature with keys of Telegram's own, which are constants in them
//! (<https://core.telegram.org/mtproto/auth_key>). A client comes with the key that the account was made with.

mod account;
mod answers;
mod auth;
mod calls;
mod config;
mod connection;
mod crypto;
mod edits;
mod files;
mod messages;
mod password;
mod peers;
mod rules;
mod server;
mod session;
mod state;
mod transport;
mod updates;

pub use account::{Account, Closed};
pub use crypto::AuthKey;
pub use server::MtprotoServer;
pub use state::StoredMessage;
