//! The ways in which a shell ends, and that nothing of it goes on.

use super::{Kept, processes, until_gone};
use foldback_actions::ActionTable;
use foldback_wire::{DeliveryOutcome, rpc::ShellState};
use std::{env, fs, path::Path, process::Command, time::Duration};
use tempfile::TempDir;

/// A program that outlives its parent, its group and its session, and does not mind SIGTERM.
const STUBBORN: &str = "(setsid sh -c 'trap \"\" TERM; sleep 600; true' &) ; sleep 600 &";

#[tokio::test]
async fn after_its_time_a_command_ends_with_its_shell_and_nothing_of_it_comes_late() {
    let kept = Kept::stopping_after(Duration::from_secs(1));
    kept.run("x=kept").await;
    let command =
        format!("{STUBBORN}\necho begun; (trap '' TERM; sleep 1.2; echo late) & sleep 600; echo never");
    let item = kept.only(&command).await;
    assert!(
        item.text.starts_with("begun\n") && !item.text.contains("never"),
        "{item:?}"
    );
    let told =
        "stopped after 1 second, and the shell with everything in it; the next command gets a new shell";
    assert_eq!((item.exit, item.note.as_deref()), (None, Some(told)));
    until_gone(kept.path()).await;
    let item = kept.only("echo \"${x:-unset}\"").await;
    assert_eq!(
        (item.text.as_str(), item.note.as_deref()),
        ("unset\n", Some("in a new shell"))
    );
    let states: Vec<_> = kept.shells.list().iter().map(|shell| shell.state).collect();
    assert_eq!(states, [ShellState::Ended, ShellState::Idle]);
}

#[tokio::test]
async fn a_shell_that_kills_its_guard_ends_with_it() {
    let kept = Kept::new();
    for begin in ["", "setsid sleep 600 & ", "(sleep 600 &); "] {
        let command =
            format!("{begin}trap '' TERM HUP; echo begun; kill -KILL $PPID; while :; do sleep 0.1; done");
        let item = kept.only(&command).await;
        assert!(
            item.text.starts_with("begun\n") && item.exit.is_none(),
            "{item:?}"
        );
        until_gone(kept.path()).await;
        assert_eq!(kept.text("echo next").await, "next\n");
        kept.run("exit").await;
        until_gone(kept.path()).await;
    }
}

#[tokio::test]
async fn a_command_that_ends_the_shell_is_told_so() {
    let kept = Kept::new();
    for (command, exit, text) in [
        ("echo bye; exit 3", Some(3), "bye\n"),
        ("exec sh -c 'echo other; exit 4'", Some(4), "other\n"),
        ("set -e; echo strict; false; echo never", Some(1), "strict\n"),
        ("trap 'echo trapped' EXIT; exit", Some(0), "trapped\n"),
        ("echo killed; kill -9 $$", None, "killed\n"),
    ] {
        let item = kept.only(command).await;
        assert_eq!(
            (item.text.as_str(), item.exit),
            (text, exit),
            "{command}: {item:?}"
        );
        let told = "the shell ended with it; the next command gets a new shell";
        assert!(
            item.note.as_deref().is_some_and(|note| note.starts_with(told)),
            "{command}: {item:?}"
        );
        assert_eq!(kept.text("echo next").await, "next\n", "after {command}");
    }
}

#[tokio::test]
async fn dropped_its_command_ends_with_the_shell() {
    let kept = Kept::new();
    let begun = kept.path().join("work/begun");
    tokio::select! {
        result = kept.perform("touch begun; setsid sleep 600 & sleep 600") => panic!("{result:?}"),
        () = async {
            while !begun.exists() {
                tokio::task::yield_now().await;
            }
        } => {}
    }
    kept.until(|line| line.state == ShellState::Ended).await;
    until_gone(kept.path()).await;
    let command = kept.line().commands.pop().unwrap();
    assert_eq!(command.note.as_deref(), Some("stopped before its end"));
    assert_eq!(kept.text("echo next").await, "next\n");
}

#[tokio::test]
async fn a_shell_in_which_nothing_runs_ends_with_what_it_left_in_the_background() {
    let kept = Kept::with(|_, limits| limits.idle = Duration::from_millis(200));
    kept.run(STUBBORN).await;
    kept.until(|line| line.state == ShellState::Ended).await;
    assert_eq!(
        kept.line().why_ended.as_deref(),
        Some("nothing ran in it for 0.2 seconds")
    );
    until_gone(kept.path()).await;
    assert_eq!(kept.text("echo next").await, "next\n");
}

/// One thread alone, on which whatever never waits would hold all others up.
#[tokio::test]
async fn what_writes_without_an_end_in_the_background_holds_nothing_up() {
    let kept = Kept::new();
    kept.run("yes &").await;
    let items = kept.run("touch next").await;
    assert_eq!(items.last().unwrap().exit, Some(0), "{items:?}");
    assert!(kept.path().join("work/next").exists());
    assert!(kept.shells.end(1));
    kept.until(|line| line.state == ShellState::Ended).await;
    until_gone(kept.path()).await;

    let idle = Kept::with(|_, limits| limits.idle = Duration::from_millis(200));
    idle.run("yes &").await;
    idle.until(|line| line.state == ShellState::Ended).await;
    assert_eq!(
        idle.line().why_ended.as_deref(),
        Some("nothing ran in it for 0.2 seconds")
    );
    until_gone(idle.path()).await;

    kept.run("yes &").await;
    let Kept {
        folder,
        table,
        shells,
    } = kept;
    assert!(!processes(folder.path()).is_empty());
    drop((table, shells));
    until_gone(folder.path()).await;
}

/// A program in the background of an idle shell hears of the end, and may put its things away.
#[tokio::test]
async fn an_idle_shell_ends_with_sigterm_first() {
    let kept = Kept::with(|_, limits| limits.idle = Duration::from_millis(500));
    kept.run(
        "(trap '' HUP; trap 'echo >away; exit' TERM; echo >ready; while :; do sleep 0.02; done) & \
              while ! [ -e ready ]; do sleep 0.02; done",
    )
    .await;
    kept.until(|line| line.state == ShellState::Ended).await;
    assert!(kept.path().join("work/away").exists());
    until_gone(kept.path()).await;
}

/// Told to end, a shell counts no more, also before its task has heard of it.
#[tokio::test]
async fn the_next_command_gets_a_new_shell_as_soon_as_the_old_one_is_told_to_end() {
    let kept = Kept::new();
    kept.run("x=1").await;
    assert!(kept.shells.end(1));
    assert!(!kept.shells.end(1), "told once");
    assert_eq!(kept.text("echo \"${x:-unset}\"").await, "unset\n");
}

#[tokio::test]
async fn all_shells_end_with_the_bot() {
    let kept = Kept::new();
    kept.run(STUBBORN).await;
    assert!(!processes(kept.path()).is_empty());
    let Kept {
        folder,
        table,
        shells,
    } = kept;
    drop((table, shells));
    until_gone(folder.path()).await;
}

#[tokio::test]
async fn what_a_shell_cannot_begin_with_is_told() {
    let nowhere = Kept::with(|settings, _| settings.folder = "/proc/nowhere".into());
    let result = nowhere.perform("true").await;
    assert_eq!(result.outcome, DeliveryOutcome::Error);
    assert!(
        result.items[0]
            .text
            .starts_with("the command could not be carried out: "),
        "{result:?}"
    );
    let result = Kept::new().perform("echo a\0b").await;
    assert_eq!(result.outcome, DeliveryOutcome::Error);
}

/// The variable with which the test runs itself as the bot that is killed.
const BOT: &str = "FOLDBACK_TEST_KILLED_BOT";

#[tokio::test]
async fn killed_the_bot_leaves_nothing_running() {
    if let Some(folder) = env::var_os(BOT) {
        return bot(Path::new(&folder)).await;
    }
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let name = "terminal::kept::ends::killed_the_bot_leaves_nothing_running";
    let mut bot = Command::new(env::current_exe().unwrap())
        .args(["--exact", name])
        .env(BOT, folder.path())
        .spawn()
        .unwrap();
    while !folder.path().join("work/begun").exists() {
        assert!(bot.try_wait().unwrap().is_none(), "it ended by itself");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    bot.kill().unwrap();
    bot.wait().unwrap();
    until_gone(folder.path()).await;
}

/// A bot in whose shell a command runs for ever.
async fn bot(folder: &Path) {
    let (table, shells): (ActionTable, _) = super::terminal(folder, |_, _| {});
    let kept = Kept {
        folder: TempDir::new().unwrap(),
        table,
        shells,
    };
    kept.run(STUBBORN).await;
    let ended = kept.perform("trap '' HUP TERM; touch begun; sleep 600").await;
    fs::write(folder.join("ended"), format!("{ended:?}")).unwrap();
}
