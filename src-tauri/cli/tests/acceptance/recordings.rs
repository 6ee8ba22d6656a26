//! Recordings: exported from a journal, played again by `foldback replay`.

use crate::bot::{Home, arg, is};
use serde_json::{Value, json};
use std::fs;

/// A recording of the demonstration's first turn. The next one may have begun when the bot is stopped.
fn recorded(home: &Home) -> Vec<Value> {
    play(home);
    exported(home, "turn:1")
}

fn play(home: &Home) {
    let mut bot = home.serve(&["--events"]);
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
}

fn exported(home: &Home, filter: &str) -> Vec<Value> {
    let ran = home.run(&["journal", "export", "--where", filter]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.lines()
}

fn text(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.join("\n")
}

fn replay(home: &Home, lines: &[Value]) -> Vec<Value> {
    let file = home.write("recorded.jsonl", &text(lines));
    let ran = home.run(&["replay", arg(&file), "--format", "json"]);
    let cases = ran.lines();
    let fine = cases.iter().all(|case| case["verdict"] == "pass");
    assert_eq!(ran.code, i32::from(!fine), "{}{}", ran.stdout, ran.stderr);
    cases
}

#[test]
fn the_first_line_says_what_it_is_and_the_rest_is_the_journal() {
    let home = Home::new();
    play(&home);
    let lines = exported(&home, "");
    assert_eq!(lines[0]["foldback"], "recording");
    assert_eq!(lines[0]["version"], 1);
    assert_eq!(lines[1..], home.journal("")[..]);
    let turn = exported(&home, "turn:1");
    assert!(turn.len() > 10 && turn[1..].iter().all(|event| event["turn"] == 1));
}

#[test]
fn what_was_recorded_goes_the_same_way_again() {
    let home = Home::new();
    let cases = replay(&home, &recorded(&home));
    assert!(!cases.is_empty());
    for case in &cases {
        assert_eq!(case["verdict"], "pass", "{case:#}");
        assert!(!case["deliveries"].as_array().unwrap().is_empty());
    }
}

#[test]
fn the_first_divergence_is_reported_as_changed() {
    let home = Home::new();
    let mut lines = recorded(&home);
    // As if an earlier version had shown what this one strips.
    let stripped = lines
        .iter_mut()
        .find(|line| is("decided")(line) && line["kind"]["range"]["fate"] == "strip")
        .unwrap();
    stripped["kind"]["range"]["fate"] = json!("show");
    let (turn, channel) = (stripped["turn"].clone(), stripped["channel"].clone());
    let cases = replay(&home, &lines);
    for case in &cases {
        let changed = case["channel"] == channel;
        assert_eq!(
            case["verdict"],
            if changed { "changed" } else { "pass" },
            "{case:#}"
        );
        if changed {
            let mismatches = case["mismatches"].as_array().unwrap();
            assert_eq!(mismatches.len(), 1, "{mismatches:#?}");
            assert_eq!(mismatches[0]["at"], format!("turn {turn}"));
            assert!(mismatches[0]["expected"].as_str().unwrap().contains("show"));
            assert!(mismatches[0]["actual"].as_str().unwrap().contains("strip"));
        }
    }
}

#[test]
fn a_copy_of_a_message_is_a_duplicate_again_when_the_first_one_is_there() {
    let home = Home::new();
    let lines = recorded(&home);
    // The first message of the demonstration comes in once more, and is stopped.
    let at = lines.iter().position(is("received")).unwrap();
    let (turn, channel) = (lines[at]["turn"].clone(), lines[at]["channel"].clone());
    let event = |seq: u64, kind: Value| {
        let at = lines.last().unwrap()["at"].clone();
        json!({"seq": 9_000 + seq, "at": at, "turn": 9_000, "session": null, "channel": channel, "kind": kind})
    };
    let stop = json!({"type": "stopping", "stage": "dedupe", "gate": "duplicate", "detail": "it came already",
        "inputs": {"first_turn": turn.to_string()}, "setting": null});
    let end = json!({"type": "turn_ended", "terminal": {"state": "duplicate"}});
    let copy = [event(1, lines[at]["kind"].clone()), event(2, stop), event(3, end)];
    let first = lines[1..].iter().filter(|event| event["turn"] == turn).cloned();
    let both: Vec<Value> = [lines[0].clone()]
        .into_iter()
        .chain(first)
        .chain(copy.clone())
        .collect();
    let cases = replay(&home, &both);
    assert_eq!(cases[0]["verdict"], "pass", "{:#}", cases[0]);

    let alone = [&lines[..1], &copy[..]].concat();
    let cases = replay(&home, &alone);
    assert_eq!(cases[0]["verdict"], "error");
    let why = cases[0]["mismatches"][0].to_string();
    assert!(
        why.contains("a copy of the one of turn 1") && why.contains("--where turn:1,9000"),
        "{why}"
    );
}

/// One turn with a header, a directive, a finding and a hold.
fn one_turn(home: &Home) -> Vec<Value> {
    let ran = home.send(
        "slack",
        "hi",
        "[[reply_to:1]] <actions><react emoji=\"eyes\"/><dance/></actions>Hello.",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = exported(home, "turn:1");
    let cases = replay(home, &lines);
    assert_eq!(cases[0]["verdict"], "pass", "{:#}", cases[0]);
    assert_eq!(cases[0].get("notes"), None, "all of it is played and compared");
    lines
}

#[test]
fn with_nothing_to_compare_it_is_an_error() {
    let home = Home::new();
    let lines = one_turn(&home);
    let began = lines.iter().position(is("received")).unwrap();
    for cut in [began + 1, began + 4, lines.len() - 1] {
        let cases = replay(&home, &lines[..cut]);
        assert_eq!(cases[0]["verdict"], "error", "{:#}", cases[0]);
        let why = cases[0]["mismatches"][0]["message"].as_str().unwrap();
        assert!(
            why.contains("the recording ends in the middle of it") && why.contains("nothing to compare"),
            "{why}"
        );
    }
}

#[test]
fn what_is_not_played_or_not_compared_is_said_beside_what_is() {
    let home = Home::new();
    let mut lines = one_turn(&home);
    let first = lines.iter().find(|line| is("received")(line)).unwrap().clone();
    let mut event = |turn: u64, kind: Value| {
        let seq = 9_000 + lines.len();
        let (at, channel) = (&first["at"], &first["channel"]);
        lines.push(
            json!({"seq": seq, "at": at, "turn": turn, "session": null, "channel": channel, "kind": kind}),
        );
    };
    let received = |id: &str| {
        let mut kind = first["kind"].clone();
        kind["message"]["message"] = json!(id);
        kind
    };
    event(8, received("copy"));
    event(
        8,
        json!({"type": "stopping", "stage": "dedupe", "gate": "duplicate", "detail": "it came already",
            "inputs": {"first_turn": "7"}, "setting": null}),
    );
    event(
        8,
        json!({"type": "turn_ended", "terminal": {"state": "duplicate"}}),
    );
    event(9, received("another"));
    let cases = replay(&home, &lines);
    assert_eq!(cases[0]["verdict"], "pass", "{:#}", cases[0]);
    let notes = cases[0]["notes"].as_array().unwrap();
    assert_eq!(notes.len(), 2);
    assert!(
        notes[0]
            .as_str()
            .unwrap()
            .starts_with("turn 8 is not played: its message is a copy of the one of turn 7"),
        "{notes:#?}"
    );
    assert_eq!(
        notes[1],
        "turn 9 is not compared: the recording ends in the middle of it"
    );
    let file = home.path("recorded.jsonl");
    let ran = home.run(&["replay", arg(&file)]);
    assert!(ran.stdout.contains("turn 9 is not compared"), "{}", ran.stdout);
}

#[test]
fn what_was_read_found_and_held_is_compared() {
    let home = Home::new();
    let lines = one_turn(&home);
    let change = |kind: &str, change: fn(&mut Value), expected: &str| {
        let mut lines = lines.clone();
        change(&mut lines.iter_mut().find(|line| is(kind)(line)).unwrap()["kind"]);
        let cases = replay(&home, &lines);
        assert_eq!(cases[0]["verdict"], "changed", "{kind}");
        let mismatch = &cases[0]["mismatches"][0];
        assert!(
            mismatch["expected"].as_str().unwrap().contains(expected),
            "{mismatch:#}"
        );
    };
    change(
        "directive",
        |kind| kind["directive"]["emoji"] = json!("fire"),
        "fire",
    );
    change(
        "header_read",
        |kind| kind["header"]["reply_to"] = json!("2"),
        "\"2\"",
    );
    change(
        "diagnosed",
        |kind| kind["diagnostic"]["code"] = json!("stray-close"),
        "stray-close",
    );
    change(
        "held",
        |kind| kind["hold"]["reason"] = json!("maybe_code"),
        "maybe_code",
    );
    for kind in ["directive", "header_read", "diagnosed", "held"] {
        let mut lines = lines.clone();
        lines.retain(|line| !is(kind)(line));
        assert_eq!(replay(&home, &lines)[0]["verdict"], "changed", "{kind} is gone");
    }
}

#[test]
fn a_recording_carries_its_configuration_without_secrets() {
    let config = "[agent]\nbackend = \"openai\"\n[agent.openai]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n\
        api_key = { file = \"key\" }\n[output]\nplacement = \"start\"\n\
        [channels.work]\nkind = \"loopback\"\nplatform = \"discord\"\narmed = true\nallow_from = [\"*\"]\n\
        token = { env = \"NO_SUCH\" }\n";
    let home = Home::with(config);
    home.write("key", "sk-secret");
    let ran = home.send(
        "work",
        "hi",
        "Hi. <actions><react emoji=\"eyes\"/></actions>There.",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = exported(&home, "");
    let head = lines[0].to_string();
    assert_eq!(lines[0]["config"]["output"]["placement"], "start");
    for word in ["sk-secret", "NO_SUCH", "127.0.0.1:9", "\"key\""] {
        assert!(!head.contains(word), "{word}: {head}");
    }
    let cases = replay(&home, &lines);
    assert_eq!(cases.len(), 1);
    assert_eq!(cases[0]["verdict"], "pass", "{:#}", cases[0]);
}

#[test]
fn files_of_people_take_their_place_again() {
    let home = Home::with(
        "[attachments]\nmax_files = 2\n[agent.script]\nfile = \"script.yaml\"\n[channels.slack]\nkind = \"loopback\"\narmed = true\n\
         allow_from = [\"*\"]\n",
    );
    home.write("script.yaml", "- agent:\n    - \"I see.\"\n");
    let png = home.write("dot.png", "not a picture, whatever its name says");
    let text = home.write("notes.txt", "very own words");
    let (png, text) = (png.to_str().unwrap(), text.to_str().unwrap());
    let files = ["--file", png, "--file", text, "--file", text];
    let ran = home.run(&[&["send", "--channel", "slack", "--text", "look"][..], &files].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = exported(&home, "turn:1");
    let fates: Vec<_> = lines
        .iter()
        .filter(|line| line["kind"]["type"] == "gathered")
        .map(|line| line["kind"]["fate"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(fates, ["given", "given", "too_many"]);
    let received = lines.iter().find(|line| line["kind"]["type"] == "received");
    let sent = &received.unwrap()["kind"]["message"]["files"];
    assert_eq!(sent[0]["name"], "dot.png");
    assert!(sent[0].get("source").is_none(), "nobody else fetches it: {sent}");
    assert!(
        !lines
            .iter()
            .any(|line| line.to_string().contains("very own words"))
    );
    let cases = replay(&home, &lines);
    assert_eq!(cases[0]["verdict"], "pass", "{:#}", cases[0]);
    let why = home.run(&["why", "1"]);
    assert!(why.stdout.contains("attachments.max_files"), "{}", why.stdout);
}

#[test]
fn an_agent_that_failed_fails_again_and_tools_run_again() {
    let home = Home::with(
        "[agent.script]\nfile = \"script.yaml\"\n[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n",
    );
    home.write(
        "script.yaml",
        "- agent:\n    - \"Let me see.\"\n    - {reasoning: \"hm\"}\n    - {tool: {id: t1, name: search, status: running}}\n    \
         - {text: \"<act\", after_ms: 30}\n    - \"ions><react emoji=\\\"eyes\\\"/></actions>Found\"\n    - {error: overloaded}\n",
    );
    let ran = home.run(&["send", "--channel", "slack", "--text", "hi"]);
    assert_eq!(ran.code, 1, "a failed turn: {}", ran.stderr);
    let cases = replay(&home, &exported(&home, "turn:1"));
    assert_eq!(cases[0]["verdict"], "pass", "{:#}", cases[0]);
    let ops: Vec<&str> = cases[0]["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["op"].as_str().unwrap())
        .collect();
    assert!(ops.contains(&"react"), "{ops:?}");
}

#[test]
fn what_is_no_recording_is_named_with_its_line() {
    let home = Home::new();
    play(&home);
    let mut lines = exported(&home, "");
    let refused = |lines: &[Value], words: &[&str]| {
        let file = home.write("wrong.jsonl", &text(lines));
        let ran = home.run(&["replay", arg(&file)]);
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        for word in words {
            assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
        }
    };
    refused(&[], &["wrong.jsonl", "empty"]);
    refused(&lines[..2], &["nothing came in"]);
    refused(
        &[json!({"foldback": "turns", "version": 1})],
        &["wrong.jsonl:1:", "no recording"],
    );
    refused(
        &[json!({"foldback": "recording", "version": 2})],
        &["wrong.jsonl:1:1", "newer Foldback"],
    );
    lines[3]["kind"]["type"] = json!("recieved");
    refused(&lines, &["wrong.jsonl:4:", "recieved"]);
}

#[test]
fn runs_can_be_kept_in_a_journal() {
    let home = Home::new();
    fs::create_dir(home.path("fixtures")).unwrap();
    home.write(
        "fixtures/hello.yaml",
        "name: Hello\nchannel: [slack, signal]\nsteps:\n  - user: {text: hi}\n  - agent: [\"Hello.\"]\nexpect:\n  - send: {text: Hello.}\n",
    );
    let db = home.path("runs.sqlite");
    let fixtures = home.path("fixtures");
    for runs in 1..=2 {
        let ran = home.run(&["replay", arg(&fixtures), "--db", arg(&db)]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let stats = home.run(&["journal", "stats", "--db", arg(&db)]).json();
        assert_eq!(stats["turns"], 2 * runs, "{stats:#}");
    }
    // Every run counts from 1; in the journal the turns are told apart.
    let ran = home.run(&["journal", "query", "--db", arg(&db), "--where", "kind:received"]);
    let turns: Vec<u64> = ran
        .lines()
        .iter()
        .map(|event| event["turn"].as_u64().unwrap())
        .collect();
    assert_eq!(turns, [1, 2, 3, 4]);
    let why = home.run(&["why", "3", "--db", arg(&db)]);
    assert!(why.stdout.starts_with("#3 Answered on slack"), "{}", why.stdout);
}
