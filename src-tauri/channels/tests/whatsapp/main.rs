//! The `WhatsApp` adapter against a strict server of the Cloud API.

mod adapter;
mod place;
mod receive;
mod refusals;
mod server;
mod webhooks;
