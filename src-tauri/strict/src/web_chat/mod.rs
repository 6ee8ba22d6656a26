//! A browser in front of a web chat. Here the parts are the other way round: the adapter is the server, and what is strict is the
//! client. It keeps cookies and sends headers as browsers do, so that a server that pleases it works in one, and it notes
//! what a browser would refuse or a reviewer would object to.

mod browser;
mod cookies;
mod events;
mod rules;

pub use browser::{PageResponse, StrictBrowser};
pub use events::{Event, EventStream};
