//! `foldback open`: shows files and links in the window, in that of a bot that runs or in a new one.

use crate::{
    end::{End, Stop, Verdict},
    places::Place,
    running::{failed, runtime, wrong},
};
use foldback_api::{WindowOrder, absolute_target, order_window};
use foldback_wire::{LINK_SCHEME, rpc::TurnLink};
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The program with the window, beside this one.
const WINDOW: &str = if cfg!(windows) {
    "foldback-desktop.exe"
} else {
    "foldback-desktop"
};

/// Show recordings, fixtures, logs and exports in the window, or a moment of a turn by its link
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files, folders or links; without one the window comes to the front and asks
    #[arg(value_name = "FILE|LINK")]
    targets: Vec<String>,

    #[command(flatten)]
    place: Place,
}

/// Runs the command. A window that runs is told; else one is started, which goes on when this command has ended.
pub(crate) fn run(args: &Args) -> End {
    let targets = args
        .targets
        .iter()
        .map(|target| check_target(target))
        .collect::<Result<Vec<_>, _>>()?;
    let setup = args.place.setup()?;
    let order = WindowOrder::Open {
        targets: targets.clone(),
    };
    match runtime()?.block_on(order_window(&setup.journal_file(), order)) {
        Some(told) => told.map(|_| Verdict::Holds).map_err(failed),
        None if args.place.names_journal() => Err(Stop::Wrong(format!(
            "no window runs on {}; open it first, or leave --db out",
            setup.journal_file().display()
        ))),
        None => start(&targets, args.place.config().as_deref()).map(|()| Verdict::Holds),
    }
}

/// A target as the window takes it, once it is known to lead somewhere.
fn check_target(target: &str) -> Result<String, Stop> {
    let absolute = absolute_target(target)?;
    if target.starts_with(LINK_SCHEME) {
        TurnLink::parse(target).map_err(wrong)?;
    } else if !Path::new(&absolute).exists() {
        return Err(Stop::Wrong(format!("{absolute}: there is no such file")));
    }
    Ok(absolute)
}

/// Starts the window, apart from this process and its terminal.
fn start(targets: &[String], config: Option<&Path>) -> Result<(), Stop> {
    let program = window()?;
    let mut command = Command::new(&program);
    command
        .args(targets)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(config) = config {
        command.env("FOLDBACK_CONFIG", std::path::absolute(config)?);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let started = command.spawn();
    started
        .map(drop)
        .map_err(|error| Stop::Wrong(format!("{}: {error}", program.display())))
}

/// The window's program.
fn window() -> Result<PathBuf, Stop> {
    let beside = env::current_exe()?.with_file_name(WINDOW);
    if beside.is_file() {
        Ok(beside)
    } else {
        Err(Stop::Wrong(format!(
            "no window runs, and {WINDOW} is not installed beside foldback; install the package with the window, or \
             read the file with `foldback import`"
        )))
    }
}
