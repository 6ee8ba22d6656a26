//! The host as a client sees it: the embedded default with its demonstration, asked by name with JSON. Time is
//! virtual, so that everything happens at once and always in the same order.

mod book;
mod channels;
mod compose;
mod compose_actions;
mod counting;
mod demo;
mod exports;
mod faults;
mod filters;
mod fixtures;
mod hooks;
mod host;
mod letter_groups;
mod long_journal;
mod pairing;
mod prepare;
mod reach;
mod reminders;
mod report;
mod resend;
mod reviews;
mod ruler;
mod schedules;
mod sessions;
mod tray;
mod trials;
mod turn_list;
mod turns;
mod views;
mod voice;
mod workspaces;
