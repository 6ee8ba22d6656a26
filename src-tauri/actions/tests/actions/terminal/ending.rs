//! The ways in which a command ends, and that nothing of it goes on.

use super::Bench;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_signal_is_told_from_an_exit_status() {
    let bench = Bench::new();
    for (command, exit, note) in [
        ("echo a; exit 137", Some(137), None),
        ("echo a; kill -KILL $$", None, Some("ended by signal 9")),
        ("echo a; kill -TERM $$", None, Some("ended by signal 15")),
        ("echo a; kill -SEGV $$", None, Some("ended by signal 11")),
    ] {
        let item = bench.only(command).await;
        assert_eq!((item.exit, item.note.as_deref()), (exit, note), "{command}");
        assert_eq!(item.text, "a\n", "{command}");
    }
}

#[tokio::test]
async fn after_its_time_a_command_is_stopped_with_all_it_started_and_its_output_is_kept() {
    let bench = Bench::with(|settings| settings.timeout = Duration::from_secs(1));
    let item = bench
        .only("echo begun; setsid sleep 600 & (sleep 600 & sleep 600); sleep 600")
        .await;
    assert_eq!((item.text.as_str(), item.exit), ("begun\n", None));
    assert_eq!(item.note.as_deref(), Some("stopped after 1 second"));
    bench.until_gone().await;
    // The one after it is as good as the first.
    assert_eq!(bench.text("echo next").await, "next\n");
}

#[tokio::test]
async fn what_ignores_sigterm_is_killed() {
    let bench = Bench::with(|settings| settings.timeout = Duration::from_secs(1));
    // The shell may tell of its child on its error output.
    let items = bench
        .run("trap 'echo no' TERM; echo begun; while :; do sleep 0.1; done")
        .await;
    let item = &items[0];
    assert!(item.text.starts_with("begun\n"), "{item:?}");
    assert_eq!(item.note.as_deref(), Some("stopped after 1 second"));
    bench.until_gone().await;
}

#[tokio::test]
async fn a_payload_shortens_the_time_and_never_lengthens_it() {
    let bench = Bench::with(|settings| settings.timeout = Duration::from_secs(2));
    for (asked, told) in [(1, "stopped after 1 second"), (600, "stopped after 2 seconds")] {
        let result = bench
            .perform(json!({"command": "echo a; sleep 600", "timeout": asked}))
            .await;
        assert_eq!(result.items[0].note.as_deref(), Some(told));
    }
}

#[tokio::test]
async fn what_is_left_in_the_background_ends_with_the_command() {
    let bench = Bench::new();
    let late = "(setsid sh -c 'trap \"\" TERM; sleep 600; true' >/dev/null 2>&1 &); echo begun";
    assert_eq!(bench.text(late).await, "begun\n");
    bench.until_gone().await;
}

#[tokio::test]
async fn a_command_that_kills_its_guard_ends_with_it_and_no_other_does() {
    let bench = Bench::new();
    let other = async {
        let text = bench.text("touch begun; while [ ! -e go ]; do sleep 0.05; done; echo on");
        assert_eq!(text.await, "on\n");
    };
    let forsaken = async {
        while !bench.path().join("work/begun").exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let killer = Bench::new();
        for begin in ["", "setsid sleep 600 & ", "(sleep 600 &); "] {
            let command =
                format!("{begin}trap '' TERM HUP; echo begun; kill -KILL $PPID; while :; do sleep 0.1; done");
            let item = killer.only(&command).await;
            assert_eq!(
                (item.text.as_str(), item.note.as_deref()),
                ("begun\n", Some("ended by signal 9"))
            );
            killer.until_gone().await;
        }
        std::fs::write(bench.path().join("work/go"), "").unwrap();
    };
    tokio::join!(other, forsaken);
}

#[tokio::test]
async fn dropped_it_leaves_nothing_running() {
    let bench = Bench::new();
    let command = json!({"command": "setsid sleep 600 & touch begun; sleep 600"});
    let begun = bench.path().join("work/begun");
    tokio::select! {
        result = bench.perform(command) => panic!("{result:?}"),
        () = async {
            while !begun.exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        } => {}
    }
    bench.until_gone().await;
}

#[tokio::test]
async fn dropped_at_once_it_leaves_nothing_running() {
    let bench = Bench::new();
    for _ in 0..20 {
        tokio::select! {
            biased;
            result = bench.perform(json!({"command": "sleep 600"})) => panic!("{result:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    bench.until_gone().await;
}

#[tokio::test]
async fn two_commands_at_once_do_not_know_each_other() {
    let bench = Bench::new();
    let (first, second) = tokio::join!(bench.text("sleep 0.3; echo one"), bench.text("echo two"));
    assert_eq!((first.as_str(), second.as_str()), ("one\n", "two\n"));
}
