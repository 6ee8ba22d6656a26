//! `foldback recut`: no way to cut an output changes what the user sees. That a reading which depends on the cut
//! is found out, the command's own tests show.

use crate::{
    bot::{Home, arg},
    foldback::foldback,
};
use serde_json::{Value, json};

const OUTPUT: &str = "Sure <react emoji=\"fire\" /> thing";

#[test]
fn every_way_to_cut_a_short_text_and_thousands_of_a_longer_one_come_to_the_same() {
    let short = foldback(&["recut", "--format", "json"], "<react/>").json();
    assert_eq!(
        short,
        json!({
            "file": "<stdin>", "bytes": 8, "cuts": 128,
            "families": [{"family": "all", "cuts": 128, "of": 128}],
            "seeds": null, "failure": null,
        })
    );
    let ran = foldback(&["recut"], OUTPUT);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("<stdin>: 4096 cuts, same result\n"),
        "{}",
        ran.stdout
    );
    let json = foldback(&["recut", "--format", "json"], OUTPUT).json();
    let random = json["families"].as_array().unwrap().last().unwrap();
    assert_eq!(random["family"], "random");
    assert_eq!(json["seeds"], json!([0, random["cuts"]]));
}

#[test]
fn files_are_read_as_lint_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.txt");
    std::fs::write(&file, OUTPUT).unwrap();
    let ran = foldback(&["recut", "--format", "json", "no/such/file", arg(&file)], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no/such/file"), "{}", ran.stderr);
    assert_eq!(ran.lines()[0]["file"], arg(&file));
    assert_eq!(ran.lines()[0]["failure"], Value::Null);
    let wrong = foldback(&["recut", "--set", "output.bare=maybe"], OUTPUT);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("execute, strip, text"), "{}", wrong.stderr);
}

#[test]
fn settings_and_redaction_are_those_of_parse() {
    let secret = "[[reply_to:1]] sk-abcdefghijklmnopqrstuvwx `<react/>`";
    for args in [
        vec!["recut", "--redact", "--dialects", "actions,json"],
        vec!["recut", "--placement", "start", "--set", "output.bare=text"],
    ] {
        let ran = foldback(&args, secret);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn a_turns_messages_are_read_as_their_channel_reads_them() {
    let home = Home::new();
    home.send("slack", "my password: hunter2", OUTPUT);
    for turn in ["1", "#1"] {
        let ran = home.run(&["recut", "--turn", turn, "--format", "json"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let report = ran.json();
        assert_eq!((&report["turn"], &report["message"]), (&json!(1), &json!(1)));
        assert_eq!(
            (&report["bytes"], &report["failure"]),
            (&json!(OUTPUT.len()), &Value::Null)
        );
    }
    let text = home.run(&["recut", "--turn", "1", "--message", "1"]).stdout;
    assert!(
        text.starts_with("turn 1, message 1: 4096 cuts, same result\n"),
        "{text}"
    );
    for (args, said) in [
        (["--turn", "7"].as_slice(), "There is no turn 7."),
        (
            &["--turn", "1", "--message", "2"],
            "turn 1 has no message 2; it has 1",
        ),
        (&["--turn", "one"], "expected a turn's number"),
        (&["--turn", "1", "answer.txt"], "cannot be used with"),
        (&["--turn", "1", "--redact"], "cannot be used with"),
        (&["--message", "1"], "--turn"),
        (&["--db", "journal.sqlite"], "they go with --turn"),
    ] {
        let ran = home.run(&[&["recut"], args].concat());
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn a_turn_without_an_answer_says_where_to_ask() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\narmed = true\n");
    home.send("slack", "hi", "never asked for");
    let ran = home.run(&["recut", "--turn", "1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`foldback why 1` says why"), "{}", ran.stderr);
}
