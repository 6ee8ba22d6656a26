//! The state that stays from one command to the next, and the environment of a shell.

use super::Kept;
use serde_json::json;

#[tokio::test]
async fn folder_variables_functions_and_background_programs_stay() {
    let kept = Kept::new();
    assert_eq!(
        kept.text("mkdir -p sub; cd sub; x='a b'; f() { echo \"f $x\"; }; declare -A m=([k]=v)")
            .await,
        ""
    );
    assert_eq!(
        kept.text("basename \"$PWD\"; f; echo ${m[k]}").await,
        "sub\nf a b\nv\n"
    );
    assert_eq!(kept.text("sleep 600 &").await, "");
    assert_eq!(
        kept.text("jobs -r | grep -c sleep; kill %1; wait; echo over")
            .await,
        "1\nover\n"
    );
}

#[tokio::test]
async fn the_status_of_each_command_is_its_own_and_the_next_ones_question_mark() {
    let kept = Kept::new();
    for (command, exit, text) in [
        ("true", 0, ""),
        ("false", 1, ""),
        ("echo $?", 0, "1\n"),
        ("(exit 42)", 42, ""),
        ("echo $?; (exit 137)", 137, "42\n"),
        ("nosuchcommand 2>/dev/null", 127, ""),
        ("echo $?", 0, "127\n"),
    ] {
        let item = kept.only(command).await;
        assert_eq!((item.exit, item.text.as_str()), (Some(exit), text), "{command}");
    }
}

#[tokio::test]
async fn it_is_on_a_terminal_of_its_own_with_no_input_and_nothing_of_our_environment() {
    let kept = Kept::new();
    assert_eq!(
        kept.text("[ -t 1 ] && [ -t 2 ] && ! [ -t 0 ] && echo terminal")
            .await,
        "terminal\n"
    );
    assert_eq!(
        kept.text("stty size </dev/tty; ps -o tty= -p $$ | cut -d/ -f1")
            .await,
        "40 120\npts\n"
    );
    assert_eq!(kept.text("cat; read -r line || echo none").await, "none\n");
    let names = kept.text("env | cut -d= -f1 | sort").await;
    let own = [
        "OLDPWD",
        "PWD",
        "SHLVL",
        "TERM",
        "_",
        "PAGER",
        "GIT_PAGER",
        "MANPAGER",
        "SYSTEMD_PAGER",
    ];
    let known = |name: &str| foldback_programs::PASSED_ON.contains(&name) || own.contains(&name);
    assert!(names.lines().all(known), "{names}");
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !names.contains("CARGO"),
        "{names}"
    );
    // Its programs have neither the pipe of the script nor that of the reports.
    let pipes = "(for fd in /proc/$$/fd/?? /proc/$$/fd/255; do readlink \"$fd\"; done) | grep pipe >ours; \
                 wc -l <ours; ls -l /proc/self/fd | grep -cFf ours";
    assert_eq!(kept.text(pipes).await, "2\n0\n");
}

#[tokio::test]
async fn a_single_command_leaves_the_shell_alone() {
    let kept = Kept::new();
    kept.run("x=kept").await;
    let single = json!({"command": "echo \"${x:-unset}\"; exit 3", "persistent_session": false});
    let result = kept.perform_as("7", "chat", 1, single).await;
    assert_eq!(
        (result.items[0].label.as_str(), result.items[0].text.as_str()),
        ("stdout", "unset\n")
    );
    assert_eq!(result.items[0].exit, Some(3));
    assert_eq!(kept.text("echo $x").await, "kept\n");
    assert_eq!(kept.shells.list().len(), 1);
}

#[tokio::test]
async fn that_a_shell_is_new_is_told() {
    let kept = Kept::new();
    assert_eq!(kept.only("echo a").await.note.as_deref(), Some("in a new shell"));
    assert_eq!(kept.only("echo a").await.note, None);
    assert_eq!(kept.only("true").await.note.as_deref(), Some("no output"));
}
