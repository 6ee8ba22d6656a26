//! The end of a command and of its output, whatever it writes and leaves open: each of the ancestor's failures
//! (synth.md, section 13.1 and pitfalls 69 and 70), and more.

use super::Kept;
use std::time::Duration;

/// Each command, its output and its exit status. After each of them the next one is as good as the first.
const COMMANDS: [(&str, &str, i32); 29] = [
    // The ancestor's: no line end, a comment, here-documents, the background, its own mark.
    ("printf foo", "foo", 0),
    ("# only a comment", "", 0),
    ("echo a # and a comment", "a\n", 0),
    ("cat <<'END'\nline $HOME\nEND", "line $HOME\n", 0),
    ("cat <<END\nno end 2>&1", "no end 2>&1\n", 0),
    ("sleep 600 &", "", 0),
    ("sleep 600 & echo begun", "begun\n", 0),
    ("echo __END__; echo done", "__END__\ndone\n", 0),
    // What would leave a shell waiting for more.
    ("echo \"it's", "", 2),
    ("echo 'open", "", 2),
    ("echo `date", "", 2),
    ("echo $(", "", 2),
    ("if true; then", "", 2),
    ("f() {", "", 2),
    (")", "", 2),
    ("echo a \\", "a \\\n", 0),
    // What reads input, breaks out of loops, or changes where the shell itself writes.
    ("read -r x; echo \"r$?\"", "r1\n", 0),
    ("cat", "", 0),
    ("break; continue; echo on", "on\n", 0),
    ("exec 3>file; echo three >&3; cat file", "three\n", 0),
    ("exec </dev/null", "", 0),
    ("alias eval=false printf=false; shopt -s expand_aliases", "", 0),
    ("unalias -a; set -o posix", "", 0),
    ("echo 'open", "", 2),
    ("set +o posix; IFS=0123456789; echo \"$((5 + 5))\"", "10\n", 0),
    ("ulimit -S -n 40; ulimit -n", "40\n", 0),
    // What leaves the terminal in a state.
    ("stty olcuc </dev/tty; echo a", "A\n", 0),
    ("printf '\\033]0;no end'", "", 0),
    (
        "printf '\\033[31mred\\033[0m\\n10%%\\r100%%\\n'",
        "red\n100%\n",
        0,
    ),
];

#[tokio::test]
async fn no_command_breaks_the_one_after_it() {
    let kept = Kept::new();
    for (command, text, exit) in COMMANDS {
        let item = kept.only(command).await;
        // What the shell says about a text that it cannot read is its own.
        let own: String = item
            .text
            .split_inclusive('\n')
            .filter(|line| !line.contains("line ") || line.starts_with("line $HOME"))
            .collect();
        assert_eq!(
            (own.as_str(), item.exit),
            (text, Some(exit)),
            "{command}: {item:?}"
        );
        assert_eq!(kept.text("echo next").await, "next\n", "after {command}");
    }
    assert_eq!(kept.shells.list().len(), 1, "one shell carried all of it out");
}

#[tokio::test]
async fn nothing_that_a_command_can_read_ends_it() {
    let kept = Kept::new();
    // All that the shell knows, its variables, its functions, and the line that it runs.
    let all = kept
        .text("set; declare -p; tr '\\0' ' ' </proc/$$/cmdline; echo; echo '0 0' >&29; echo end")
        .await;
    assert!(all.ends_with("end\n"), "{all}");
    // Traced, the report is seen, when it no longer counts.
    let traced = kept.text("set -x; echo traced; set +x").await;
    assert!(traced.contains("traced\n"), "{traced}");
    assert_eq!(kept.text("echo next").await, "next\n");
}

#[tokio::test]
async fn binary_output_becomes_text_and_ends_where_it_ends() {
    let kept = Kept::new();
    // The bytes may begin a control string, which would go on to its own end: 0x18 cancels it, as on every terminal.
    let item = kept
        .only("printf 'a\\xff\\xfe\\0\\x1bb\\n'; head -c 300000 /dev/urandom; printf '\\x18\\nend\\n'")
        .await;
    assert!(item.text.starts_with("a\u{fffd}\u{fffd}"), "{item:?}");
    assert!(item.tail.ends_with("end\n"), "{item:?}");
    assert_eq!(kept.text("echo next").await, "next\n");
}

#[tokio::test]
async fn of_a_long_output_both_ends_are_kept_and_memory_is_bounded() {
    let kept = Kept::new();
    let item = kept.only("seq 1 500000; printf last").await;
    assert!(
        item.text.starts_with("1\n2\n3\n") && item.tail.ends_with("500000\nlast"),
        "{item:?}"
    );
    assert_eq!(
        item.bytes,
        (1..=500_000)
            .map(|n: u32| n.to_string().len() as u64 + 1)
            .sum::<u64>()
            + 4
    );
    assert!(item.omitted.is_some() && item.text.len() + item.tail.len() <= 8 * 1024);
    let endless = Kept::stopping_after(Duration::from_secs(1));
    let item = endless.only("printf '\\033]0;'; tr '\\0' x </dev/zero").await;
    assert_eq!(item.text, "", "a title without an end is none of the output");
    let screen = endless.shells.screen(1).unwrap();
    assert!(screen.lines.len() <= 440);
}

#[tokio::test]
async fn a_long_command_comes_whole() {
    let kept = Kept::new();
    let command = format!("printf %s '{}' | wc -c", "\u{1}".repeat(10_000));
    assert_eq!(kept.text(&command).await.trim(), "10000");
}

#[tokio::test]
async fn what_comes_between_two_commands_is_told_apart() {
    let kept = Kept::new();
    kept.run("mkfifo go; (read -r _ <go; echo late; touch written) &")
        .await;
    let before = kept.line().revision;
    std::fs::write(kept.path().join("work/go"), "\n").unwrap();
    kept.until(|line| line.revision > before).await;
    while !kept.path().join("work/written").exists() {
        tokio::task::yield_now().await;
    }
    let items = kept.run("echo mine").await;
    let read: Vec<_> = items
        .iter()
        .map(|item| (item.label.as_str(), item.text.as_str()))
        .collect();
    assert_eq!(
        read,
        [
            ("output since the command before", "late\n"),
            ("output", "mine\n")
        ]
    );
}
