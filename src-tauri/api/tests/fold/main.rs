//! What a turn's events say about it, at its end and at any moment before.

mod bytes;
mod ends;
mod instants;
mod ledger;
mod moments;
mod queue;
mod story;
mod summary;
mod tools;
mod turn;
