//! The whole bot on the real adapters, each against a strict server of its platform.

mod hour;
mod ledger;
mod place;
mod toggles;
mod trouble;
