//! Programs of this machine.

use super::{sound, speak};
use foldback_agents::speech::{CommandVoice, Speaker, SpeechError, Voice};
use std::{fs, os::unix::fs::PermissionsExt, path::Path, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// A program of these lines, in a folder of its own.
fn program(dir: &Path, lines: &str) -> String {
    let path = dir.join("say");
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    path.to_string_lossy().into_owned()
}

fn voice(command: &[&str]) -> CommandVoice {
    let command: Vec<String> = command.iter().map(|part| (*part).to_owned()).collect();
    CommandVoice::new(&command, None).unwrap()
}

#[tokio::test]
async fn the_text_is_one_argument_or_the_input_and_never_a_command() {
    let dir = tempfile::tempdir().unwrap();
    let note = sound("Hey").await;
    fs::write(dir.path().join("sound"), &note.bytes).unwrap();
    let here = dir.path().display();
    let by_argument = program(
        dir.path(),
        &format!("printf '%s|' \"$#\" \"$@\" > {here}/said; cat {here}/sound"),
    );
    let text = "-x $(touch pwned); `id` 'q' \"d\"";
    // Markdown: what stands between backticks is code, and read without them.
    let said = "-x $(touch pwned); id 'q' \"d\"";
    let spoken = speak(voice(&[&by_argument, "--", "{text}"]), text)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(spoken.note, note);
    assert_eq!(
        fs::read_to_string(dir.path().join("said")).unwrap(),
        format!("2|--|{said}|")
    );

    let by_input = program(
        dir.path(),
        &format!("cat > {here}/said; printf '%s' \"$#\" >> {here}/said; cat {here}/sound"),
    );
    speak(voice(&[&by_input]), text).await.unwrap().unwrap();
    assert_eq!(
        fs::read_to_string(dir.path().join("said")).unwrap(),
        format!("{said}0")
    );
}

#[tokio::test]
async fn the_program_finds_no_key_of_the_bot() {
    let dir = tempfile::tempdir().unwrap();
    let env = program(dir.path(), "env >&2; exit 3");
    let error = voice(&[&env]).say("hi").await.unwrap_err().to_string();
    assert!(error.contains("PATH=") && !error.contains("CARGO"), "{error}");
}

#[tokio::test]
async fn what_goes_wrong_is_told_in_the_programs_own_words() {
    let dir = tempfile::tempdir().unwrap();
    let missing = voice(&["/nowhere/say"]).say("hi").await.unwrap_err().to_string();
    assert!(
        missing.starts_with("/nowhere/say: it cannot be started: "),
        "{missing}"
    );
    let fails = program(dir.path(), "echo 'no such voice' >&2; exit 7");
    let error = voice(&[&fails]).say("hi").await.unwrap_err().to_string();
    assert!(error.ends_with("exit status: 7: no such voice"), "{error}");
    let silent = program(dir.path(), "exit 0");
    let error = speak(voice(&[&silent]), "hi").await.unwrap_err().to_string();
    assert_eq!(error, "the sound is empty");
    let text = program(dir.path(), "echo '<html>'");
    let error = speak(voice(&[&text]), "hi").await.unwrap_err().to_string();
    assert!(error.ends_with("but text"), "{error}");
}

#[tokio::test]
async fn one_that_never_stops_writing_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let endless = program(dir.path(), "trap '' PIPE; while :; do cat /dev/zero; done");
    let error = voice(&[&endless]).say("hi").await.unwrap_err();
    assert!(matches!(error, SpeechError::TooLarge { .. }), "{error}");
}

/// Ended with everything it started: the pipe that all of them hold is closed.
#[tokio::test]
async fn a_hung_program_is_ended_with_all_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let alive = dir.path().join("alive");
    let fifo = std::process::Command::new("mkfifo").arg(&alive).status().unwrap();
    assert!(fifo.success());
    let hung = program(
        dir.path(),
        &format!("exec 3>{}; sleep 1000 & sleep 1000", alive.display()),
    );
    let clock = crate::openai::HandClock::new();
    let limit = Duration::from_secs(5);
    let speaker = Speaker::new(Arc::new(voice(&[&hung])), 100, limit, clock.clone());
    let cancel = CancellationToken::new();
    let reader = tokio::task::spawn_blocking(move || {
        let mut open = fs::File::open(alive).unwrap();
        move || std::io::Read::read(&mut open, &mut [0]).unwrap()
    });
    let late = async {
        // Opening a pipe waits for whoever writes: the program runs.
        let wait = reader.await.unwrap();
        clock.advance(limit);
        wait
    };
    let (spoken, wait) = tokio::join!(speaker.speak("hi", &cancel), late);
    assert_eq!(spoken, Err(SpeechError::TimedOut(limit)));
    // The end of the pipe comes when nobody holds it any more.
    assert_eq!(tokio::task::spawn_blocking(wait).await.unwrap(), 0);
}

/// What it left running holds the pipe, and nothing else of the program's.
#[tokio::test]
async fn a_program_that_is_done_leaves_nothing_running() {
    let dir = tempfile::tempdir().unwrap();
    let alive = dir.path().join("alive");
    let fifo = std::process::Command::new("mkfifo").arg(&alive).status().unwrap();
    assert!(fifo.success());
    let leaves = program(
        dir.path(),
        &format!(
            "exec 3>{}; sleep 1000 >/dev/null 2>&1 & echo sound; exit 0",
            alive.display()
        ),
    );
    let end = tokio::task::spawn_blocking(move || {
        let mut open = fs::File::open(alive).unwrap();
        std::io::Read::read(&mut open, &mut [0]).unwrap()
    });
    assert_eq!(voice(&[&leaves]).say("hi").await.unwrap(), b"sound\n");
    // The end of the pipe comes when nobody holds it any more.
    assert_eq!(end.await.unwrap(), 0);
}

#[test]
fn a_voice_needs_its_place() {
    let command = ["say".to_owned()];
    let error = CommandVoice::new(&command, Some("en")).unwrap_err().to_string();
    assert!(error.contains("{voice}"), "{error}");
    assert!(CommandVoice::new(&["say".to_owned(), "-v{voice}".to_owned()], Some("en")).is_ok());
    assert_eq!(CommandVoice::new(&[], Some("en")).unwrap().program(), "espeak-ng");
}
