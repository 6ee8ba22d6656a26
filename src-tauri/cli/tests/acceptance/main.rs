//! The command line as its users call it: scripts, CI jobs and people.

mod acp;
mod actions;
mod answering;
mod bot;
mod coverage;
#[cfg(unix)]
mod crowd;
mod deliver;
mod discord;
mod doctor;
#[cfg(unix)]
mod doctor_asks;
#[cfg(unix)]
mod doctor_reddit;
mod doctor_whatsapp;
mod export;
mod floors;
mod foldback;
mod import;
mod inbound;
mod journal;
mod lint;
#[cfg(unix)]
mod open;
mod openai;
mod pairing;
mod parse;
mod permission;
mod platforms;
#[cfg(unix)]
mod queue;
mod quick_start;
mod recordings;
mod recut;
mod redact;
mod reminders;
mod replay;
mod schedules;
mod schema;
mod secret;
mod send;
mod serve;
mod settings;
mod signal;
mod slack;
mod telegram;
mod telegram_user;
#[cfg(unix)]
mod three_ways;
mod vectors;
mod web_chat;
mod whatsapp;
mod why;
