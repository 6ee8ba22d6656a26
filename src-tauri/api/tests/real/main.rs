//! The whole bot on the real adapters, each against a strict server of its platform.

mod place;
mod toggles;
