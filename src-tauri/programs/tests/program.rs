//! Programs behind a guard: whatever left their group and their session goes with them.

use foldback_programs::Program;
use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// The guard, which also runs a program as Foldback does.
const GUARD: &str = env!("CARGO_BIN_EXE_foldback-program-guard");

fn shell(script: &str) -> Program {
    Program::new("/bin/sh", vec!["-c".to_owned(), script.to_owned()]).with_guard(GUARD.into())
}

/// A process that leaves its group and its session, holds its program's output, and tells a pipe that it is there and, when
/// nobody ends it, that it still is.
struct Daemon {
    folder: TempDir,
}

impl Daemon {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = Command::new("mkfifo")
            .arg(folder.path().join("pipe"))
            .status()
            .unwrap();
        assert!(made.success());
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A script that starts it and goes on with the rest once it is on its own.
    fn script(&self, rest: &str) -> String {
        let own = self.path("own");
        let (own, pipe) = (own.display(), self.path("pipe"));
        let pipe = pipe.display();
        format!(
            "setsid sh -c 'exec 3>{pipe}; echo here >&3; touch {own}; sleep 20; echo still here >&3; echo late' & \
             while ! test -e {own}; do sleep 0.01; done; {rest}"
        )
    }

    /// Opens its pipe, which waits for it, and reads the first line.
    fn begun(pipe: &Path) -> BufReader<File> {
        let mut told = BufReader::new(File::open(pipe).unwrap());
        let mut line = String::new();
        told.read_line(&mut line).unwrap();
        assert_eq!(line, "here\n");
        told
    }

    /// The rest of its lines, up to its end.
    fn last_words(mut told: BufReader<File>) -> String {
        let mut words = String::new();
        told.read_to_string(&mut words).unwrap();
        words
    }
}

#[tokio::test]
async fn a_daemon_that_it_left_holding_its_output_ends_with_it() {
    let daemon = Daemon::new();
    let pipe = daemon.path("pipe");
    let told = tokio::task::spawn_blocking(move || Daemon::last_words(Daemon::begun(&pipe)));
    let script = daemon.script("echo said; echo why >&2; exit 3");
    let end = shell(&script).run(b"", 100).await.unwrap();
    assert_eq!(String::from_utf8(end.output).unwrap(), "said\n");
    assert_eq!(
        (end.status.code(), end.cut, end.complaint.as_str()),
        (Some(3), false, "why")
    );
    assert_eq!(told.await.unwrap(), "");
}

#[tokio::test]
async fn a_daemon_of_one_that_nobody_waits_for_any_more_ends_with_it() {
    let daemon = Daemon::new();
    let pipe = daemon.path("pipe");
    let begun = tokio::task::spawn_blocking(move || Daemon::begun(&pipe));
    let script = daemon.script("sleep 60");
    let told = tokio::select! {
        end = async { shell(&script).run(b"", 100).await } => panic!("it ended: {end:?}"),
        told = begun => told.unwrap(),
    };
    let words = tokio::task::spawn_blocking(move || Daemon::last_words(told));
    assert_eq!(words.await.unwrap(), "");
}

#[test]
fn a_daemon_ends_where_the_process_that_runs_its_program_is_killed() {
    let daemon = Daemon::new();
    let mut foldback = Command::new(GUARD)
        .args(["/bin/sh", "-c", &daemon.script("sleep 60")])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let told = Daemon::begun(&daemon.path("pipe"));
    foldback.kill().unwrap();
    foldback.wait().unwrap();
    assert_eq!(Daemon::last_words(told), "");
}

#[tokio::test]
async fn input_environment_status_and_bound_are_its_own() {
    let end = shell("read line; echo \"got $line\"; env | cut -d= -f1 | grep CARGO; exit 121")
        .run(b"hi\n", 100)
        .await
        .unwrap();
    assert_eq!(String::from_utf8(end.output).unwrap(), "got hi\n");
    assert_eq!((end.status.code(), end.cut), (Some(121), false));
    let end = shell("yes").run(b"", 10).await.unwrap();
    assert_eq!(
        (end.output.len(), end.cut, end.status.success()),
        (10, true, false)
    );
}

#[tokio::test]
async fn it_gets_the_bound_of_its_memory() {
    let bytes = 64 << 20;
    // The bound comes right after the start.
    let script = "n=0; while [ $(ulimit -v) = unlimited ] && [ $n -lt 1000 ]; do sleep 0.01; n=$((n + 1)); done; ulimit -v";
    let end = shell(script).with_memory(bytes).run(b"", 100).await.unwrap();
    let told = String::from_utf8(end.output).unwrap();
    assert_eq!(told.trim(), (bytes >> 10).to_string());
}

#[tokio::test]
async fn one_that_cannot_be_started_says_why() {
    let program = Program::new("/nowhere/program", Vec::new()).with_guard(GUARD.into());
    let error = program.run(b"", 10).await.unwrap_err();
    let why = std::io::Error::from_raw_os_error(2);
    assert_eq!(error.to_string(), format!("it cannot be started: {why}"));
}
