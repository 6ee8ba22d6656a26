//! Reddit's Data API, as far as a bot like Foldback uses it: <https://www.reddit.com/dev/api>.

mod answer;
mod app;
mod methods;
mod route;
mod rules;
mod server;
mod state;
mod token;

pub use app::RedditApp;
pub use server::RedditServer;
pub use state::{Closed, Posted};
