//! Discord's gateway and REST interface, as far as a bot like Foldback uses them:
//! <https://discord.com/developers/docs>.

mod answer;
mod body;
mod chat;
mod commands;
mod gateway;
mod history;
mod interactions;
mod link;
mod messages;
mod route;
mod rules;
mod server;

pub use chat::{File, Posted};
pub use gateway::Order;
pub use server::DiscordServer;
