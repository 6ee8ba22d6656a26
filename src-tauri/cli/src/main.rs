//! `foldback`: the bot, its scanner and its replays without a window.
//!
//! Machine output goes to stdout, everything else to stderr. Exit codes: 0 fine, 1 the thing checked does not
//! hold, 2 wrong use or unreadable input.

mod completions;
mod deliver;
mod doctor;
mod end;
mod export;
mod format;
mod grammar;
mod import;
mod input;
mod journal;
mod lint;
mod log;
mod open;
mod pairing;
mod parse;
mod permission;
mod places;
mod plain;
mod queue;
mod recut;
mod reminders;
mod replay;
mod report;
mod running;
mod schedules;
mod schema;
mod secret;
mod send;
mod serve;
mod telegram_user;
mod why;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Why did my bot (not) say that?
#[derive(Debug, Parser)]
#[command(
    name = "foldback",
    version,
    about,
    propagate_version = true,
    max_term_width = 110
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Parse(parse::Args),
    Lint(lint::Args),
    Recut(recut::Args),
    Replay(replay::Args),
    Import(import::Args),
    Open(open::Args),
    Export(export::Args),
    Report(report::Args),
    Serve(serve::Args),
    Send(send::Args),
    Journal(journal::Args),
    Why(why::Args),
    Pairing(pairing::Args),
    Permission(permission::Args),
    Queue(queue::Args),
    Schedules(schedules::Args),
    #[command(visible_alias = "events")]
    Reminders(reminders::Args),
    Deliver(deliver::Args),
    Secret(secret::Args),
    TelegramUser(telegram_user::Args),
    Doctor(doctor::Args),
    Schema(schema::Args),
    Completions(completions::Args),
}

fn main() -> ExitCode {
    if let Some(code) = foldback_api::guard_if_asked() {
        std::process::exit(code);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => message.exit(),
    };
    let end = match cli.command {
        Command::Parse(args) => parse::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Recut(args) => recut::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Open(args) => open::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Send(args) => send::run(&args),
        Command::Journal(args) => journal::run(&args),
        Command::Why(args) => why::run(&args),
        Command::Pairing(args) => pairing::run(&args),
        Command::Permission(args) => permission::run(&args),
        Command::Queue(args) => queue::run(&args),
        Command::Schedules(args) => schedules::run(&args),
        Command::Reminders(args) => reminders::run(&args),
        Command::Deliver(args) => deliver::run(&args),
        Command::Secret(args) => secret::run(&args),
        Command::TelegramUser(args) => telegram_user::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
    };
    end::exit(end)
}
