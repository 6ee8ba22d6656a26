//! Whose shell it is, and that commands of one shell run one at a time.

use super::Kept;
use foldback_wire::rpc::ShellState;
use serde_json::json;

#[tokio::test]
async fn each_owner_has_a_shell_in_each_chat() {
    let kept = Kept::new();
    let run = |owner: &'static str, chat: &'static str, command: &'static str| {
        let kept = &kept;
        async move {
            let result = kept.perform_as(owner, chat, 1, json!({"command": command})).await;
            result.items[0].text.clone()
        }
    };
    run("alice", "one", "x=alice-one").await;
    run("alice", "two", "x=alice-two").await;
    run("bob", "one", "x=bob-one").await;
    assert_eq!(run("alice", "one", "echo $x").await, "alice-one\n");
    assert_eq!(run("alice", "two", "echo $x").await, "alice-two\n");
    assert_eq!(run("bob", "one", "echo $x").await, "bob-one\n");
    let shells = kept.shells.list();
    let whose: Vec<_> = shells
        .iter()
        .map(|shell| (shell.owner.as_str(), shell.session.as_str()))
        .collect();
    assert_eq!(whose, [("alice", "one"), ("alice", "two"), ("bob", "one")]);
}

#[tokio::test]
async fn commands_of_one_shell_run_one_at_a_time_and_in_order() {
    let kept = Kept::new();
    let work = "n=$((${n:-0} + 1)); echo \"in $n\" >>log; sleep 0.1; echo \"out $n\" >>log";
    let run = || kept.run(work);
    tokio::join!(run(), run(), run());
    let log = std::fs::read_to_string(kept.path().join("work/log")).unwrap();
    assert_eq!(log, "in 1\nout 1\nin 2\nout 2\nin 3\nout 3\n");
}

#[tokio::test]
async fn one_that_waits_and_is_no_longer_wanted_never_begins() {
    let kept = Kept::new();
    let first = kept.run("touch begun; while ! [ -e go ]; do sleep 0.02; done; echo first");
    let second = async {
        kept.until(|line| line.state == ShellState::Running).await;
        tokio::select! {
            biased;
            result = kept.perform("touch second") => panic!("{result:?}"),
            () = tokio::task::yield_now() => {}
        }
        while !kept.path().join("work/begun").exists() {
            tokio::task::yield_now().await;
        }
        std::fs::write(kept.path().join("work/go"), "").unwrap();
    };
    let (items, ()) = tokio::join!(first, second);
    assert_eq!(items[0].text, "first\n");
    assert_eq!(kept.text("ls second 2>/dev/null || echo none").await, "none\n");
    assert_eq!(kept.line().commands.len(), 2);
}

#[tokio::test]
async fn the_shell_that_waited_longest_makes_room() {
    let kept = Kept::with(|_, limits| limits.most = 2);
    for chat in ["one", "two", "three"] {
        kept.perform_as("7", chat, 1, json!({"command": "x=1"})).await;
    }
    let mut changes = kept.shells.changes();
    while kept.shells.list()[0].state != ShellState::Ended {
        changes.changed().await.unwrap();
    }
    let shells = kept.shells.list();
    assert_eq!(
        shells[0].why_ended.as_deref(),
        Some("another shell needed its place")
    );
    assert_eq!(
        shells
            .iter()
            .filter(|shell| shell.state == ShellState::Idle)
            .count(),
        2
    );
}
