//! Redaction on the command line: `parse --redact`, and journals on their way out.

use crate::{
    bot::{Home, arg},
    foldback::foldback,
};
use serde_json::{Value, json};

const TEXT: &str = "The key sk-abcdefghijklmnopqrstuvwx, ada@example.org.";

#[test]
fn parse_masks_when_asked_for_and_shows_the_range() {
    assert_eq!(foldback(&["parse"], TEXT).json()["clean_text"], TEXT);
    let parsed = foldback(&["parse", "--redact"], TEXT).json();
    assert_eq!(parsed["clean_text"], "The key [redacted], ada@example.org.");
    assert_eq!(
        parsed["ranges"],
        json!([
            {"span": [0, 8], "fate": "show", "reason": null},
            {"span": [8, 35], "fate": "show", "reason": "redacted", "as": "[redacted]"},
            {"span": [35, 53], "fate": "show", "reason": null},
        ])
    );
    let talk = "<actions><send-file path=\"a.txt\" caption=\"password: hunter2\"/></actions>";
    let parsed = foldback(&["parse", "--redact"], talk).json();
    assert_eq!(parsed["directives"][0]["caption"], "password: [redacted]");
}

#[test]
fn every_cut_masks_the_same() {
    let whole = foldback(&["parse", "--redact"], TEXT).stdout;
    for cut in ["bytes", "0", "1", "2", "3"] {
        assert_eq!(
            foldback(&["parse", "--redact", "--cut", cut], TEXT).stdout,
            whole,
            "--cut {cut}"
        );
    }
}

#[test]
fn a_stream_holds_what_may_begin_a_secret_and_nothing_else() {
    let chunks = "\"The key sk-abcdef\"\n\"ghijklmnopqrstuvwx\"\n\", bye.\"\n";
    let lines = foldback(&["parse", "--redact", "--stream"], chunks).lines();
    assert_eq!(
        lines[0],
        json!({"chunk": 0, "released": "The key", "held": " sk-abcdef", "reason": "redaction_window"})
    );
    let released: String = lines[..4]
        .iter()
        .map(|line| line["released"].as_str().unwrap())
        .collect();
    assert_eq!(released, "The key [redacted], bye.");
    assert_eq!(lines[4]["clean_text"], released);
}

#[test]
fn settings_of_redaction_are_taken_and_wrong_ones_refused() {
    let set = [
        "parse",
        "--redact",
        "--set",
        "redact.email=true",
        "--set",
        "redact.extra=key",
    ];
    assert_eq!(
        foldback(&set, TEXT).json()["clean_text"],
        "The [redacted] [redacted], [redacted]."
    );
    let allow = [
        "parse",
        "--redact",
        "--set",
        "redact.allow=sk-abcdefghijklmnopqrstuvwx",
    ];
    assert_eq!(foldback(&allow, TEXT).json()["clean_text"], TEXT);
    let off = ["parse", "--redact", "--set", "redact.enabled=false"];
    assert_eq!(foldback(&off, TEXT).json()["clean_text"], TEXT);
    for (pair, about) in [
        ("redact.extra=a(", "unclosed group"),
        ("redact.mail=true", "there are redact.enabled, redact.email"),
        ("redact.email=maybe", "expected true or false"),
    ] {
        let ran = foldback(&["parse", "--redact", "--set", pair], TEXT);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(about), "{pair}: {}", ran.stderr);
    }
}

/// A home in which an agent said this, and what was printed of it.
fn said(config: &str) -> (Home, String) {
    answered(TEXT, config)
}

/// A home in which an agent answered this, and what was printed of it.
fn answered(text: &str, config: &str) -> (Home, String) {
    let home = Home::new();
    let file = home.write("answer.txt", text);
    let config = home.write("own.toml", config);
    let mut args = vec!["send", "--channel", "slack", "--text", "my password: hunter2"];
    args.extend(["--agent-output", arg(&file), "--config", arg(&config)]);
    let ran = home.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    (home, ran.stdout)
}

/// The raw text in these events.
fn raw(events: &[Value]) -> String {
    let chunks = events.iter().filter(|event| event["kind"]["type"] == "chunk");
    chunks
        .map(|event| event["kind"]["text"].as_str().unwrap())
        .collect()
}

const OPEN: &str =
    "[channels.slack]\nkind = \"loopback\"\nplatform = \"slack\"\narmed = true\nallow_from = [\"*\"]\n";

#[test]
fn the_journal_holds_no_secret() {
    let (home, printed) = said(OPEN);
    assert!(printed.contains("The key [redacted], "), "{printed}");
    let journal = Value::from(home.journal("")).to_string();
    for secret in ["sk-abc", "hunter2"] {
        assert!(!journal.contains(secret) && !printed.contains(secret), "{secret}");
    }
    assert_eq!(
        raw(&home.journal("")),
        format!("The key #{}, ada@example.org.", "*".repeat(26))
    );
}

#[test]
fn an_export_masks_what_the_journal_still_holds() {
    let (home, _) = said(&format!("{OPEN}[redact]\nenabled = false\n"));
    assert!(
        Value::from(home.journal("")).to_string().contains("hunter2"),
        "redaction was off"
    );
    let exported = home.run(&["journal", "export"]).stdout;
    for secret in ["sk-abc", "hunter2"] {
        assert!(!exported.contains(secret), "{secret}");
    }
    assert!(exported.contains("my password: [redacted]"), "{exported}");
    let events = exported
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let seqs: Vec<u64> = events.filter_map(|event| event["seq"].as_u64()).collect();
    assert!(seqs.len() > 10 && seqs.is_sorted());
    let whole = home.run(&["journal", "export", "--unredacted"]).stdout;
    assert!(whole.contains("hunter2"));
    let events: Vec<Value> = whole
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(raw(&events), TEXT);
}

/// A credential of our own looks like nothing: it is known by its value, in an old journal too.
#[test]
fn credentials_of_the_configuration_are_masked_by_their_value() {
    let home = Home::new();
    home.write("key", "lower.case.words\n");
    let file = home.write("answer.txt", "They gave me lower.case.words today.");
    let before = home.write("before.toml", OPEN);
    let now = home.write(
        "now.toml",
        &format!("{OPEN}[agent.openai]\napi_key = {{ file = \"key\" }}\n"),
    );
    let say = |config: &std::path::Path| {
        let mut args = vec!["send", "--channel", "slack", "--text", "is it lower.case.words"];
        args.extend(["--agent-output", arg(&file), "--config", arg(config)]);
        home.run(&args).stdout
    };
    assert!(say(&before).contains("me lower.case.words today."));
    assert!(say(&now).contains("me [redacted] today."));
    let turn = |number: u64| {
        let of_turn = home
            .journal("")
            .into_iter()
            .filter(move |event| event["turn"] == number);
        Value::from(of_turn.collect::<Vec<_>>()).to_string()
    };
    assert!(turn(1).contains("lower.case.words"));
    assert!(!turn(2).contains("lower.case.words"), "{}", turn(2));
    let exported = home.run(&["journal", "export", "--config", arg(&now)]).stdout;
    assert!(
        exported.contains("[redacted]") && !exported.contains("lower.case.words"),
        "{exported}"
    );
}

/// A secret in every place of an answer that is no text: a header, the type of a JSON action, a message and a
/// chat that directives name.
const NAMED: &str = "[[reply_to:sk-proj-Abc123Abc123Abc123Abc123]]
{\"actions\":[{\"type\":\"sk-proj-Def456Def456Def456Def456\",\"payload\":{}}]}
<actions>
<react emoji=\"eyes\" message=\"sk-proj-Ghi789Ghi789Ghi789Ghi789\"/>
<send-message channel=\"slack\" chat=\"sk-proj-Jkl012Jkl012Jkl012Jkl012\">Hi</send-message>
</actions>
Done.";

const JSON: &str = "[output]\ndialects = [\"actions\", \"silence\", \"header\", \"guard\", \"json\"]\n";

/// Every event of these kinds is there, with a mask.
fn masked(events: &[Value], kinds: &[&str]) {
    for kind in kinds {
        let mut of_kind = events.iter().filter(|event| event["kind"]["type"] == *kind);
        assert!(
            of_kind.any(|event| event.to_string().contains("[redacted]")),
            "{kind}: {events:#?}"
        );
    }
}

#[test]
fn the_journal_holds_no_secret_that_is_a_name_or_an_id() {
    let (home, printed) = answered(NAMED, &format!("{OPEN}{JSON}"));
    assert!(printed.contains("Done."), "{printed}");
    let journal = home.journal("");
    masked(&journal, &["header_read", "action", "directive", "skipped"]);
    let journal = Value::from(journal).to_string();
    assert!(
        !journal.contains("sk-proj") && !printed.contains("sk-proj"),
        "{journal}"
    );
}

#[test]
fn an_export_masks_names_and_ids_that_the_journal_still_holds() {
    let (home, _) = answered(NAMED, &format!("{OPEN}{JSON}[redact]\nenabled = false\n"));
    let held = home.journal("");
    let replies = |events: &[Value]| {
        let reply = |event: &Value| event["kind"]["intent"]["reply_to"].as_str().map(str::to_owned);
        events.iter().filter_map(reply).collect::<Vec<_>>()
    };
    assert_eq!(
        replies(&held)[0],
        "sk-proj-Abc123Abc123Abc123Abc123",
        "redaction was off"
    );
    let exported = home.run(&["journal", "export"]).stdout;
    let events = exported
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let events: Vec<Value> = events.filter(|event| event["seq"].is_u64()).collect();
    assert_eq!(events.len(), held.len());
    masked(&events, &["header_read", "action", "directive", "intended"]);
    assert_eq!(replies(&events)[0], "[redacted]");
    assert!(!exported.contains("sk-proj"), "{exported}");
}
