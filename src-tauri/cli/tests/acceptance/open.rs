//! `foldback open`: what the window is told, and what is said where there is none.

use crate::{
    bot::{Home, arg},
    foldback::{Ran, run},
};
use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf, process::Command, thread, time::Duration};

/// A copy of foldback in a folder of its own, so that no window lies beside it but the one of the test.
fn installed(home: &Home) -> PathBuf {
    let folder = home.path("bin");
    fs::create_dir(&folder).unwrap();
    let program = folder.join("foldback");
    fs::copy(env!("CARGO_BIN_EXE_foldback"), &program).unwrap();
    program
}

fn open(home: &Home, program: &PathBuf, targets: &[&str]) -> Ran {
    let mut command = Command::new(program);
    command
        .arg("open")
        .args(targets)
        .current_dir(home.path("."))
        .env_remove("FOLDBACK_CONFIG")
        .env("XDG_CONFIG_HOME", home.path("config"))
        .env("FOLDBACK_DATA_DIR", home.path("data"));
    run(command, "")
}

#[test]
fn without_a_window_it_says_what_to_do() {
    let home = Home::new();
    let program = installed(&home);
    let file = home.write("turns.jsonl", "{}\n");
    let ran = open(&home, &program, &[arg(&file)]);
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.stderr,
        "foldback: no window runs, and foldback-desktop is not installed beside foldback; install the package with \
         the window, or read the file with `foldback import`\n"
    );
}

#[test]
fn a_window_is_started_with_paths_that_it_understands_anywhere() {
    let home = Home::new();
    let program = installed(&home);
    let told = home.path("told");
    let window = program.with_file_name("foldback-desktop");
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > {0}.part\nmv {0}.part {0}\n",
        told.display()
    );
    fs::write(&window, script).unwrap();
    fs::set_permissions(&window, fs::Permissions::from_mode(0o755)).unwrap();
    home.write("turns.jsonl", "{}\n");
    let ran = open(&home, &program, &["turns.jsonl", "foldback://turn/10@+631ms"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    while !told.exists() {
        thread::sleep(Duration::from_millis(10));
    }
    let told = fs::read_to_string(told).unwrap();
    let lines: Vec<_> = told.lines().collect();
    assert!(
        lines[0].starts_with('/') && lines[0].ends_with("turns.jsonl"),
        "{lines:?}"
    );
    assert_eq!(lines[1..], ["foldback://turn/10@+631ms"]);
}

#[test]
fn what_cannot_be_opened_gets_one_sentence() {
    let home = Home::new();
    let program = installed(&home);
    let ran = open(&home, &program, &["gone.jsonl"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.ends_with("gone.jsonl: there is no such file\n"),
        "{}",
        ran.stderr
    );
    let ran = open(&home, &program, &["foldback://turn/10@631"]);
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.stderr,
        "foldback: The moment in this link cannot be read: write it as +631ms or +1.2s after an @.\n"
    );
}

#[test]
fn a_bot_without_a_window_says_so() {
    let home = Home::new();
    let mut bot = home.serve(&["--events"]);
    bot.until(crate::bot::is("started"));
    let ran = home.run(&["open"]);
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.stderr,
        "foldback: The bot that runs was started with `foldback serve` and has no window. Read the file with \
         `foldback import`, or end the bot and open the window.\n"
    );
}
