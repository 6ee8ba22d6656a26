//! A shell as the window shows it, and an operator's end of it.

use super::{Kept, until_gone};
use foldback_wire::rpc::ShellState;
use serde_json::json;

#[tokio::test]
async fn the_window_sees_who_ran_what_and_the_screen_with_its_colours() {
    let kept = Kept::new();
    kept.perform_as(
        "7",
        "chat",
        41,
        json!({"command": "printf 'a \\033[32mgreen\\033[0m word\\n'"}),
    )
    .await;
    kept.perform_as("7", "chat", 42, json!({"command": "false"}))
        .await;
    let line = kept.line();
    assert_eq!(
        (line.number, line.owner.as_str(), line.session.as_str()),
        (1, "7", "chat")
    );
    assert_eq!(line.state, ShellState::Idle);
    let ran: Vec<_> = line
        .commands
        .iter()
        .map(|one| (one.turn.0, one.exit, one.ended.is_some()))
        .collect();
    assert_eq!(ran, [(41, Some(0), true), (42, Some(1), true)]);
    let screen = kept.shells.screen(1).unwrap();
    let text = |n: usize| {
        screen.lines[n]
            .iter()
            .map(|run| run.text.as_str())
            .collect::<String>()
    };
    assert_eq!(text(1), "a green word");
    assert_eq!(text(2), "$ false");
    assert_eq!(screen.lines[1][1].colour.as_deref(), Some("2"));
    assert!(kept.shells.screen(2).is_none());
}

#[tokio::test]
async fn a_command_is_seen_while_it_runs_and_an_operator_ends_it() {
    let kept = Kept::new();
    let operator = async {
        kept.until(|line| line.state == ShellState::Running).await;
        let mut changes = kept.shells.changes();
        while !format!("{:?}", kept.shells.screen(1)).contains("it runs") {
            changes.changed().await.unwrap();
        }
        assert!(kept.shells.end(1));
    };
    let (items, ()) = tokio::join!(kept.run("printf 'it %s\\n' runs; sleep 600"), operator);
    assert_eq!(items[0].text, "it runs\n");
    let note = items[0].note.clone().unwrap();
    assert!(
        note.starts_with("an operator ended the shell; the next command gets a new shell"),
        "{note}"
    );
    kept.until(|line| line.state == ShellState::Ended).await;
    until_gone(kept.path()).await;
    assert!(!kept.shells.end(1), "it has ended");
    assert!(!kept.shells.end(9), "there is none");
    assert_eq!(kept.text("echo next").await, "next\n");
}

#[tokio::test]
async fn of_many_commands_the_last_fifty_are_listed() {
    let kept = Kept::new();
    for n in 0..53 {
        kept.run(&format!("true {n}")).await;
    }
    let line = kept.line();
    assert_eq!((line.commands.len(), line.earlier), (50, 3));
    assert_eq!(line.commands[0].command, "true 3");
    kept.run(&format!("true {}", "ä".repeat(1_000))).await;
    let long = kept.line().commands.pop().unwrap().command;
    assert!(long.ends_with("ä…") && long.len() <= 1_024 + "…".len(), "{long}");
}
