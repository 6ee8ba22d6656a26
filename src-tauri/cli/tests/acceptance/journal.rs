//! `foldback journal`: what was decided, from the file.

use crate::bot::{Home, arg};
use std::{
    fs,
    io::{BufRead, BufReader},
    process::Stdio,
};

/// A home in which something was said.
fn talked() -> Home {
    let home = Home::new();
    for channel in ["slack", "signal"] {
        let ran = home.send(channel, "hi", "<actions><react emoji=\"eyes\"/></actions>Hello.");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    home
}

#[test]
fn a_filter_picks_events() {
    let home = talked();
    let all = home.journal("");
    let some = home.journal("channel:slack kind:ended,intended");
    assert!(!some.is_empty() && some.len() < all.len());
    for event in &some {
        assert_eq!(event["channel"], "slack");
        assert!(all.contains(event));
    }
    let ran = home.run(&[
        "journal",
        "query",
        "--where",
        "kind:directive",
        "--format",
        "text",
    ]);
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("react"), "{}", ran.stdout);
}

#[test]
fn a_bad_filter_names_its_column_and_what_was_meant() {
    let home = talked();
    for command in ["query", "export", "stats"] {
        let ran = home.run(&["journal", command, "--where", "channel:slack reson:partial_tag"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(
            ran.stderr.contains("--where:1:15:") && ran.stderr.contains("did you mean `reason`?"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("\n                ^^^^^\n"), "{}", ran.stderr);
    }
    // Columns are characters, and the filter is looked at before the file.
    let ran = Home::new().run(&["journal", "query", "--where", "\"Grüße\" is:eror"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("--where:1:12:") && ran.stderr.contains("`error`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_missing_or_foreign_file_is_wrong_use_and_is_not_made() {
    let home = Home::new();
    let missing = home.path("missing.sqlite");
    let ran = home.run(&["journal", "query", "--db", arg(&missing)]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("there is no journal") && ran.stderr.contains("missing.sqlite"),
        "{}",
        ran.stderr
    );
    assert!(!missing.exists());
    let foreign = home.write("foreign.sqlite", &"not a database at all ".repeat(100));
    let ran = home.run(&["journal", "stats", "--db", arg(&foreign)]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("foreign.sqlite"), "{}", ran.stderr);
}

#[test]
fn stats_count_what_there_is() {
    let home = talked();
    let stats = home.run(&["journal", "stats"]).json();
    assert_eq!(stats["turns"], 2);
    assert_eq!(stats["terminals"]["replied"], 2);
    assert_eq!(stats["kinds"]["directive"], 2);
    assert_eq!(stats["events"].as_u64().unwrap() as usize, home.journal("").len());
    let slack = home.run(&["journal", "stats", "--where", "channel:slack"]).json();
    assert_eq!(slack["turns"], 1);
    assert!(slack["channels"]["signal"].is_null());
}

#[test]
fn a_closed_stdout_is_no_error() {
    let home = talked();
    for command in ["query", "export"] {
        let mut child = home
            .command(&["journal", command])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        BufReader::with_capacity(16, child.stdout.take().unwrap())
            .read_line(&mut first)
            .unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0));
        assert!(
            ended.stderr.is_empty(),
            "{}",
            String::from_utf8_lossy(&ended.stderr)
        );
    }
}

/// What lies in a home beside its data.
fn names(home: &Home) -> Vec<String> {
    let entry = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(home.path("")).unwrap().map(entry).collect();
    names.sort();
    names
}

#[test]
fn an_export_replaces_a_file_only_when_it_is_complete() {
    let home = talked();
    let recording = home.write("good.jsonl", "what was recorded before");
    let before = names(&home);
    let missing = home.path("missing.sqlite");
    for wrong in [
        ["--where", "reson:partial_tag"],
        ["--db", arg(&missing)],
        ["--config", "no-such.toml"],
    ] {
        let args = [&["journal", "export", "-o", arg(&recording)], &wrong[..]].concat();
        let ran = home.run(&args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{wrong:?}");
        assert_eq!(
            fs::read_to_string(&recording).unwrap(),
            "what was recorded before",
            "{wrong:?}"
        );
        assert_eq!(names(&home), before, "{wrong:?}");
    }
    let ran = home.run(&["journal", "export", "-o", arg(&recording)]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let plain = home.run(&["journal", "export"]);
    assert_eq!(fs::read_to_string(&recording).unwrap(), plain.stdout);
    assert_eq!(names(&home), before);
    let ran = home.run(&["journal", "export", "-o", "/dev/stdout"]);
    assert_eq!(ran.stdout, plain.stdout, "a pipe is written, not replaced");
    let nowhere = home.path("no/such.jsonl");
    let ran = home.run(&["journal", "export", "-o", arg(&nowhere)]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no/such.jsonl"), "{}", ran.stderr);
}

#[test]
fn an_export_replaces_neither_a_journal_nor_the_configuration() {
    let home = talked();
    let config = home.write("own.toml", "");
    let journal = home.path("data/journal.sqlite");
    for (file, why) in [
        (&journal, "this is a journal"),
        (&config, "this is the configuration"),
    ] {
        let before = fs::read(file).unwrap();
        let ran = home.run(&["journal", "export", "--config", arg(&config), "-o", arg(file)]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        assert_eq!(fs::read(file).unwrap(), before);
    }
}

#[test]
fn what_is_old_is_deleted_and_the_file_becomes_smaller() {
    let home = Home::new();
    for text in ["one", "two"] {
        assert_eq!(home.send("slack", text, &"words ".repeat(20_000)).code, 0);
    }
    let size = || home.path("data/journal.sqlite").metadata().unwrap().len();
    let before = size();
    let kept = home.run(&["journal", "prune"]);
    assert_eq!(
        (kept.code, kept.stdout.starts_with("0 events deleted")),
        (0, true),
        "{}",
        kept.stdout
    );
    assert_eq!(home.journal("kind:received").len(), 2);
    let pruned = home.run(&["journal", "prune", "--keep", "0s"]);
    assert_eq!(pruned.code, 0, "{}", pruned.stderr);
    assert!(home.journal("kind:received").is_empty(), "{}", pruned.stdout);
    assert!(size() < before, "{} bytes, {before} before", size());
    let again = home.send("slack", "three", "words");
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(
        home.journal("kind:received")[0]["turn"],
        3,
        "turns are not counted anew"
    );

    let home =
        Home::with("[store]\nkeep = \"0d\"\n[channels.slack]\nkind = \"loopback\"\nallow_from = [\"*\"]\n");
    assert_eq!(home.send("slack", "one", "words").code, 0);
    let forever = home.run(&["journal", "prune"]);
    assert_eq!(forever.code, 2);
    assert!(forever.stderr.contains("store.keep is 0"), "{}", forever.stderr);
}

#[test]
fn a_clock_by_which_everything_is_old_deletes_nothing_unless_somebody_says_so() {
    let home =
        Home::with("[store]\nkeep = \"1ms\"\n[channels.slack]\nkind = \"loopback\"\nallow_from = [\"*\"]\n");
    assert_eq!(home.send("slack", "one", "words").code, 0);
    let refused = home.run(&["journal", "prune"]);
    assert_eq!(refused.code, 2);
    let why = "everything is older than store.keep by this machine's clock";
    assert!(refused.stderr.contains(why), "{}", refused.stderr);
    assert_eq!(home.journal("kind:received").len(), 1);
    let pruned = home.run(&["journal", "prune", "--keep", "1ms"]);
    assert_eq!(pruned.code, 0, "{}", pruned.stderr);
    assert!(home.journal("kind:received").is_empty());
}

#[cfg(unix)]
#[test]
fn what_is_exported_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n");
    assert_eq!(home.send("slack", "hello", "hi").code, 0);
    let there = home.write("there.jsonl", "an earlier one");
    std::fs::set_permissions(&there, std::fs::Permissions::from_mode(0o644)).unwrap();
    for file in [there, home.path("new.jsonl")] {
        let ran = home.run(&["journal", "export", "--output", arg(&file)]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let mode = std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.display());
    }
}
