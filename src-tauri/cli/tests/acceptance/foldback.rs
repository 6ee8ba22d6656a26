//! Runs the real binary.

use serde_json::Value;
use std::{
    io::Write,
    process::{Command, Stdio},
};

/// What a run printed and how it ended.
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Ran {
    /// Stdout as JSON lines.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Stdout as one JSON object.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

/// Runs `foldback` with these arguments and this stdin.
pub(crate) fn foldback(args: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foldback"));
    command.args(args);
    run(command, stdin)
}

/// Runs a command to its end with this stdin.
pub(crate) fn run(mut command: Command, stdin: impl AsRef<[u8]>) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = stdin.as_ref().to_owned();
    // Written beside the reading: a command may answer before it has read everything. It may also end before
    // it has read anything, and then nobody takes the rest.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Ran {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}
