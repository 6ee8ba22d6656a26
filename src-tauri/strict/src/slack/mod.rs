//! Slack: the Web API, Socket Mode and the sender of its webhooks: <https://docs.slack.dev>.

mod answer;
mod deliver;
mod emoji;
mod files;
mod methods;
mod mrkdwn;
mod replies;
mod request;
mod room;
mod rules;
mod server;
mod socket;
mod state;

pub use deliver::{Delivered, signature};
pub use room::{File, Person, Posted};
pub use server::SlackServer;
