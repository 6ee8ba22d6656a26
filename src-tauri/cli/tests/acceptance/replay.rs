//! `foldback replay` on fixtures: verdicts, taking what came as the expectation.

use crate::{
    bot::{Home, arg},
    foldback::Ran,
};
use std::fs;

const WRONG: &str = "name: Hello\nchannel: [telegram, signal]\nsteps:\n  - user: {text: hi}\n  - agent: \
    [\"<react emoji='eyes'/>Hello.\"]\n# Why it is so.\nexpect:\n  - send: {text: Bye.}\n    unless: [signal]\n";

fn replay(home: &Home, fixture: &str, args: &[&str]) -> (Ran, String) {
    let file = home.write("hello.yaml", fixture);
    let ran = home.run(&[&["replay", arg(&file)], args].concat());
    (ran, fs::read_to_string(file).unwrap())
}

#[test]
fn coverage_is_said_once_to_be_of_what_was_given() {
    let home = Home::new();
    let named = WRONG.replace("name: Hello", "name: Hello\nrules: [G3.bare, P.typing.end]");
    let (ran, _) = replay(&home, &named, &["--coverage"]);
    let said: Vec<&str> = ran.stderr.lines().collect();
    let first = said
        .iter()
        .position(|line| line.starts_with("coverage of "))
        .unwrap();
    assert!(said[first].contains("hello.yaml alone: 2 of "), "{}", said[first]);
    let rules: usize = said[first + 1..].iter().map(|line| line.split(' ').count()).sum();
    assert!(
        rules > 100,
        "every rule that is not shown is named: {}",
        ran.stderr
    );
    assert!(said.len() < 50, "{} lines:\n{}", said.len(), ran.stderr);
}

#[test]
fn an_update_says_so_and_holds_afterwards() {
    let home = Home::new();
    let (ran, text) = replay(&home, WRONG, &["--update"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        ran.stdout,
        "updated telegram  Hello\nupdated signal    Hello\n0 passed, 2 updated, 0 failed\n"
    );
    assert!(ran.stderr.contains("-  - send: {text: Bye.}"), "{}", ran.stderr);
    assert!(text.contains("# Why it is so.\nexpect:\n"), "{text}");
    let (ran, unchanged) = replay(&home, &text, &["--update"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.ends_with("2 passed, 0 failed\n"), "{}", ran.stdout);
    assert_eq!(unchanged, text);

    let (ran, _) = replay(&home, WRONG, &["--update", "--format", "json"]);
    for case in ran.lines() {
        assert_eq!(
            (&case["verdict"], &case["updated"]),
            (&"pass".into(), &true.into())
        );
    }
}

#[test]
fn an_update_needs_every_channel() {
    let home = Home::new();
    let (ran, text) = replay(&home, WRONG, &["--update", "--channel", "telegram"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr.contains("--update") && ran.stderr.contains("leave --channel out"),
        "{}",
        ran.stderr
    );
    assert_eq!(text, WRONG);
}

#[test]
fn what_an_update_does_not_rewrite_still_fails() {
    let home = Home::new();
    let rest = "suppressed: no_reply\nnever_visible: [ello]\n";
    let (ran, text) = replay(&home, &format!("{WRONG}{rest}"), &["--update"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.ends_with("0 passed, 2 failed\n"), "{}", ran.stdout);
    for place in ["suppressed: another reason", "never_visible[0]: it was visible"] {
        assert!(ran.stdout.contains(place), "{place}: {}", ran.stdout);
    }
    assert!(
        !ran.stdout.contains("Bye."),
        "what was rewritten holds: {}",
        ran.stdout
    );
    assert!(text.contains("Hello.") && text.ends_with(rest), "{text}");

    // Where `expect` holds there is nothing to rewrite.
    let (ran, unchanged) = replay(&home, &text, &["--update"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_eq!(unchanged, text);
}

#[test]
fn a_fixture_that_cannot_be_rewritten_stays_as_it_is() {
    let home = Home::new();
    let flow = "{name: x, channel: slack, steps: [{user: {text: hi}}, {agent: [Hello.]}], expect: []}\n";
    let (ran, text) = replay(&home, flow, &["--update"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(
        ran.stderr.contains("hello.yaml is left as it is"),
        "{}",
        ran.stderr
    );
    assert_eq!(text, flow);
}

#[test]
fn a_recording_is_no_expectation_to_update() {
    let home = Home::new();
    let ran = home.send("slack", "hi", "Hello.");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let recorded = home.run(&["journal", "export"]).stdout;
    let file = home.write(
        "a.jsonl",
        &recorded.replace(r#""state":"replied""#, r#""state":"duplicate""#),
    );
    let ran = home.run(&["replay", arg(&file), "--update"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.starts_with("changed slack"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_neither_read_nor_waited_for() {
    let home = Home::new();
    let pipe = |name: &str| {
        let path = home.path(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        path
    };
    fs::create_dir(home.path("below")).unwrap();
    let (recording, fixture) = (pipe("below/a.jsonl"), pipe("b.yaml"));
    let ran = home.run(&["replay", arg(&home.path("below")), arg(&fixture)]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    for path in [&recording, &fixture] {
        let said = format!("{}: this is no regular file", path.display());
        assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    }
    for args in [["journal", "query"].as_slice(), &["why", "1"]] {
        let ran = home.run(&[args, &["--db", arg(&fixture)]].concat());
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.stderr.contains("b.yaml is no file"), "{}", ran.stderr);
    }
}
