//! `foldback permission`: a request that waits is told, shown and answered from another terminal.

use crate::bot::Home;
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

const CONFIG: &str = "[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n\
    [agent.script]\nfile = \"script.yaml\"\n";
const SCRIPT: &str = r#"
- agent:
    - permission: {id: p1, title: "DB_PASSWORD=hunter2hunter2 make", does: execute, allowed: ["Made."], rejected: ["Not made."]}
"#;

/// A message whose agent asks, in a process that waits for the answer.
struct Asking {
    send: Child,
    /// The command lines it says, without `foldback`.
    commands: Vec<String>,
    said: String,
}

fn ask(home: &Home) -> Asking {
    ask_with(home, SCRIPT)
}

/// As [`ask`], of an agent with this script.
fn ask_with(home: &Home, script: &str) -> Asking {
    home.write("script.yaml", script);
    let mut send = home
        .command(&["send", "make it"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(send.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let said = lines.find(|line| line.contains("asks for permission")).unwrap();
    let commands = lines.by_ref().take(3).map(|line| {
        let command = line.strip_prefix("foldback: `foldback ").unwrap();
        command.rsplit_once('`').unwrap().0.to_owned()
    });
    let commands = commands.collect();
    // Whoever writes much must find a reader.
    std::thread::spawn(move || lines.for_each(drop));
    Asking { send, commands, said }
}

/// Runs a command line as a person copies it into another terminal, where nothing names the bot.
#[cfg(unix)]
fn type_in(line: &str) -> (bool, String) {
    let ran = Command::new("sh")
        .args(["-c", &format!("\"$0\" {line}"), env!("CARGO_BIN_EXE_foldback")])
        .env_remove("FOLDBACK_CONFIG")
        .env_remove("FOLDBACK_DATA_DIR")
        .output()
        .unwrap();
    let said = [ran.stdout, ran.stderr].concat();
    (ran.status.success(), String::from_utf8(said).unwrap())
}

#[cfg(unix)]
#[test]
fn send_says_that_a_request_waits_and_the_lines_that_answer_it_work() {
    let home = Home::with(CONFIG);
    let Asking { send, commands, said } = ask(&home);
    assert!(
        said.contains("permission 1-1") && said.ends_with("DB_PASSWORD=[redacted: 14 characters] make"),
        "{said}"
    );
    let listed = home.run(&["permission", "list"]).stdout;
    assert!(
        listed.contains("1-1  DB_PASSWORD=[redacted: 14 characters] make")
            && listed.contains("foldback permission show 1-1"),
        "{listed}"
    );
    let as_json = home.run(&["permission", "list", "--format", "json"]).json();
    assert_eq!(
        (&as_json[0]["number"], &as_json[0]["masked"]),
        (&json!("1-1"), &json!(true))
    );
    let [allow, reject, show] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    assert!(reject.ends_with(" reject 1-1"), "{reject}");
    let (shown, words) = type_in(show);
    assert!(
        shown && words.contains("DB_PASSWORD=hunter2hunter2 make"),
        "{words}"
    );
    let never_offered = home.run(&["permission", "allow", "--always", "1-1"]);
    assert_eq!(never_offered.code, 2);
    assert!(
        never_offered.stderr.contains("allow_always"),
        "{}",
        never_offered.stderr
    );
    let (allowed, words) = type_in(allow);
    assert!(allowed && words.contains("No request waits."), "{words}");

    let ended = send.wait_with_output().unwrap();
    assert!(ended.status.success());
    let out = String::from_utf8(ended.stdout).unwrap();
    assert!(out.contains("Made.") && !out.contains("hunter2"), "{out}");
    let decided = &home.journal("kind:permission_decided")[0]["kind"];
    assert_eq!(
        (&decided["by"], &decided["option"]["kind"]),
        (&json!("cli"), &json!("allow_once"))
    );
    let all: Vec<Value> = home.journal("");
    assert!(
        !format!("{all:?}").contains("hunter2"),
        "the journal keeps the mask"
    );
}

#[cfg(unix)]
#[test]
fn a_request_is_rejected_and_dismissed_once() {
    for (command, says) in [("reject", "Not made."), ("dismiss", "")] {
        let home = Home::with(CONFIG);
        let Asking { send, .. } = ask(&home);
        assert_eq!(home.run(&["permission", command, "1-1"]).code, 0);
        let again = home.run(&["permission", command, "1-1"]);
        assert_eq!(again.code, 2);
        let out = String::from_utf8(send.wait_with_output().unwrap().stdout).unwrap();
        assert!(out.contains(says), "{command}: {out}");
    }
}

#[cfg(unix)]
#[test]
fn words_of_an_agent_cannot_move_the_terminal_that_asks_why() {
    let home = Home::with(CONFIG);
    let script = r#"
- agent:
    - tool: {id: t1, name: "read\u001b[2J\u202e", status: running}
    - permission: {id: p1, title: "make\u001b[2J\u202e", does: execute, allowed: ["Made."], rejected: ["Not made."]}
"#;
    let Asking { send, said, .. } = ask_with(&home, script);
    assert!(said.ends_with("make⟨U+001B⟩[2J⟨U+202E⟩"), "{said:?}");
    assert_eq!(home.run(&["permission", "dismiss", "1-1"]).code, 0);
    assert!(send.wait_with_output().unwrap().status.success());
    let why = home.run(&["why", "1"]).stdout;
    assert!(!why.contains(['\u{1b}', '\u{202e}']), "{why:?}");
    assert!(
        why.matches("make⟨U+001B⟩[2J⟨U+202E⟩ was not allowed").count() == 2
            && why.contains("called read⟨U+001B⟩[2J⟨U+202E⟩ and"),
        "{why:?}"
    );
}

#[test]
fn where_no_bot_runs_that_is_said_and_no_list_is_printed() {
    let home = Home::with(CONFIG);
    for args in [["permission", "list"].as_slice(), &["permission", "show", "1-1"]] {
        let ran = home.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains("No bot runs on"), "{}", ran.stderr);
    }
}
