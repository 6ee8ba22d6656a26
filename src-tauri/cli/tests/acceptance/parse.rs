//! `foldback parse` as the interface page describes it.

use crate::foldback::foldback;
use serde_json::{Value, json};
use std::{
    io::Write,
    process::{Command, Stdio},
};

const TALK: &str = "<actions>\n  <react emoji=\"thumbsup\" />\n</actions>\nGreat idea!";

#[test]
fn prints_one_object_with_every_field() {
    let ran = foldback(&["parse"], TALK);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.json(),
        json!({
            "clean_text": "Great idea!",
            "suppressed": null,
            "directives": [{"type": "react", "emoji": "thumbsup", "message": null, "span": [12, 38]}],
            "header": {},
            "actions": [],
            "diagnostics": [],
            "ranges": [
                {"span": [0, 49], "fate": "strip", "reason": "actions_block"},
                {"span": [49, 50], "fate": "drop", "reason": "trim"},
                {"span": [50, 61], "fate": "show", "reason": null},
            ],
        })
    );
}

/// It stays the same JSON: whoever reads it as that gets every character.
#[test]
fn json_hides_no_character_and_moves_no_terminal() {
    let raw = "one\u{9b}2J two\u{202e}eerht\u{7f} 👩\u{200d}💻";
    let ran = foldback(&["parse"], raw);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        !ran.stdout.contains(['\u{9b}', '\u{202e}', '\u{7f}']),
        "{:?}",
        ran.stdout
    );
    assert!(ran.stdout.contains("\\u202e") && ran.stdout.contains("👩\u{200d}💻"));
    assert_eq!(ran.json()["clean_text"], raw);
}

#[test]
fn text_for_a_person_hides_no_character_and_moves_no_terminal() {
    let raw = "<actions><send-file path=\"a\u{202e}fdp.exe\"/></actions>one\u{1b}[2J two\u{200b}.";
    let ran = foldback(&["parse", "--format", "text"], raw);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("one⟨U+001B⟩[2J two⟨U+200B⟩."),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("a⟨U+202E⟩fdp.exe"), "{}", ran.stdout);
    let ran = foldback(
        &["parse", "--inbound", "--format", "text"],
        "/think high\nhi\u{1b}[2J",
    );
    assert!(ran.stdout.starts_with("hi⟨U+001B⟩[2J"), "{}", ran.stdout);
}

#[test]
fn every_cut_prints_the_same() {
    let whole = foldback(&["parse"], TALK).stdout;
    for cut in ["none", "bytes", "0", "1", "18446744073709551615"] {
        assert_eq!(
            foldback(&["parse", "--cut", cut], TALK).stdout,
            whole,
            "--cut {cut}"
        );
    }
}

#[test]
fn a_file_is_read_as_it_is_and_must_be_utf8() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.txt");
    std::fs::write(&file, "hello\n").unwrap();
    let path = file.to_str().unwrap();
    assert_eq!(
        foldback(&["parse", path], "").json()["ranges"][1]["span"],
        json!([5, 6])
    );

    std::fs::write(&file, b"one\ntwo\nth\xffree").unwrap();
    let ran = foldback(&["parse", path], "");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains(&format!("{path}:3: not UTF-8")),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stdout, "");

    let gone = foldback(&["parse", "no/such/file"], "");
    assert_eq!(gone.code, 2);
    assert!(gone.stderr.contains("no/such/file"), "{}", gone.stderr);
}

#[test]
fn settings_are_taken_and_wrong_ones_refused() {
    let placed = foldback(&["parse", "--placement", "start"], "x <react emoji=\"a\"/>").json();
    assert_eq!(placed["directives"], json!([]));
    let set = foldback(&["parse", "--set", "output.bare=text"], "<react emoji=\"a\"/>").json();
    assert_eq!(set["clean_text"], "<react emoji=\"a\"/>");
    let dialects = foldback(&["parse", "--dialects", "header"], TALK).json();
    assert_eq!(dialects["clean_text"], TALK);
    let heartbeat = foldback(&["parse", "--heartbeat"], "HEARTBEAT_OK").json();
    assert_eq!(heartbeat["suppressed"], "heartbeat_ack");

    for wrong in [
        &["parse", "--placement", "end"][..],
        &["parse", "--dialects", "actions,xml"],
        &["parse", "--set", "output.bear=text"],
        &["parse", "--set", "nonsense"],
        &["parse", "--cut", "chunky"],
        &["parse", "--batch", "--stream"],
        &["parse", "--no-such-option"],
    ] {
        let ran = foldback(wrong, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{wrong:?}");
        assert!(!ran.stderr.is_empty(), "{wrong:?}");
    }
}

#[test]
fn what_repeats_the_user_is_not_executed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("user.txt");
    std::fs::write(&file, "please say <react emoji=\"fire\"/> back to me").unwrap();
    let ran = foldback(
        &["parse", "--inbound-text", file.to_str().unwrap()],
        "<react emoji=\"fire\"/> ok",
    )
    .json();
    assert_eq!(ran["directives"], json!([]));
    assert_eq!(ran["clean_text"], "ok");
    assert_eq!(ran["diagnostics"][0]["code"], "echoed-from-input");
}

#[test]
fn a_batch_answers_every_line_and_reports_the_bad_ones() {
    let ran = foldback(
        &["parse", "--batch"],
        "{\"id\": \"a\", \"input\": \"hello\"}\n\nnot json\n{\"id\": 7}\n{\"input\": \"x\"}\n{\"id\": 8, \"input\": 9}\n{\"id\": \"z\", \"input\": \"NO_REPLY\"}",
    );
    let lines = ran.lines();
    assert_eq!(ran.code, 2);
    assert_eq!(lines.len(), 6);
    assert_eq!(
        (&lines[0]["id"], &lines[0]["clean_text"]),
        (&json!("a"), &json!("hello"))
    );
    for (line, id) in [(1, Value::Null), (2, json!(7)), (3, Value::Null), (4, json!(8))] {
        assert_eq!(lines[line]["id"], id);
        assert!(lines[line]["error"].is_string(), "{}", lines[line]);
        assert!(lines[line].get("clean_text").is_none());
    }
    assert_eq!(
        (&lines[5]["id"], &lines[5]["suppressed"]),
        (&json!("z"), &json!("silent_token"))
    );
    assert!(ran.stderr.contains("<stdin>:3:"), "{}", ran.stderr);

    assert_eq!(
        foldback(&["parse", "--batch"], "{\"id\": 1, \"input\": \"\"}\n").code,
        0
    );
}

#[test]
fn a_stream_says_after_each_chunk_what_is_shown_and_held() {
    let chunks = [
        "<actions>\n  <react em",
        "oji=\"thumbsup\" />\n</actions>\nGreat",
        " idea!",
        " ",
    ];
    let stdin: String = chunks
        .iter()
        .map(|c| serde_json::to_string(c).unwrap() + "\n")
        .collect();
    let ran = foldback(&["parse", "--stream"], stdin);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = ran.lines();
    assert_eq!(lines.len(), 6);
    assert_eq!(
        lines[0],
        json!({"chunk": 0, "released": "", "held": chunks[0], "reason": "open_block"})
    );
    assert_eq!(
        lines[1],
        json!({"chunk": 1, "released": "Great", "held": "", "reason": null})
    );
    assert_eq!(lines[3]["reason"], "trailing_space");
    assert_eq!(lines[4], json!({"chunk": null, "released": ""}));
    let released: String = lines[..5]
        .iter()
        .map(|line| line["released"].as_str().unwrap())
        .collect();
    assert_eq!(lines[5]["clean_text"], released);
    assert_eq!(released, "Great idea!");

    let silent = foldback(&["parse", "--stream"], "\"NO_REPLY because\"\n").lines();
    assert_eq!(
        silent[0],
        json!({"chunk": 0, "released": "", "held": "", "reason": null})
    );

    let held = |stdin: &str| -> Vec<String> {
        let lines = foldback(&["parse", "--stream"], stdin).lines();
        let held = lines.iter().filter_map(|line| line["held"].as_str());
        held.map(str::to_owned).collect()
    };
    assert_eq!(
        held("\"NO_REPLY\"\n\">\"\n\" <\"\n"),
        ["NO_REPLY", "", "<"],
        "what is known to be silent is held no more"
    );
    let bad = foldback(&["parse", "--stream"], "\"fine\"\n{}\n");
    assert_eq!(bad.code, 2);
    assert!(bad.stderr.contains("<stdin>:2"), "{}", bad.stderr);
}

#[test]
fn a_closed_stdout_is_not_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_foldback"))
        .args(["parse", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // It may end before everything is written, and that is the point.
    let _ = stdin.write_all("{\"id\": 1, \"input\": \"x\"}\n".repeat(10_000).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
