//! `foldback pairing`: letting people in, while the bot runs and while it does not.

use crate::bot::{Home, is};
use serde_json::{Value, json};

/// A channel that asks for approvals, on a platform in another process.
const PAIRING: &str = "[channels.slack]\nkind = \"loopback\"\narmed = true\ndm_policy = \"pairing\"\n";

/// Somebody unknown writes and is told a code; answers it.
fn asks(home: &Home) -> String {
    let ran = home.run(&["send", "--channel", "slack", "--text", "hi"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let told = ran.lines();
    let text = told[0]["text"].as_str().unwrap();
    let requested = home.journal("kind:pairing");
    let code = requested.last().unwrap()["kind"]["code"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(text.contains(&code), "{text}");
    code
}

fn list(home: &Home) -> Value {
    home.run(&["pairing", "list", "--format", "json"]).json()
}

#[test]
fn an_operator_lets_somebody_in_and_takes_it_back_while_no_bot_runs() {
    let home = Home::with(PAIRING);
    assert!(home.run(&["pairing", "list"]).stdout.contains("Nobody waits."));
    let code = asks(&home);
    let listed = home.run(&["pairing", "list"]);
    assert!(
        listed.stdout.contains(&format!("waits     {code}  slack ")),
        "{}",
        listed.stdout
    );
    let why = home.run(&["why", "1"]);
    assert!(
        why.stdout.lines().next().is_some_and(
            |line| line.contains(" got a pairing code and no answer: neither on the list nor approved")
        ) && why.stdout.contains("channels.slack.dm_policy"),
        "{}",
        why.stdout
    );

    let ran = home.run(&["pairing", "approve", &code.to_lowercase()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("approved  slack ") && ran.stdout.contains("by the command line"),
        "{}",
        ran.stdout
    );
    let approved = list(&home)["approved"][0].clone();
    assert_eq!(
        (&approved["by"], &approved["in_force"]),
        (&json!("cli"), &json!(true))
    );
    assert_eq!(home.send("slack", "hi again", "Welcome.").code, 0);

    let sender = approved["sender"].as_str().unwrap();
    let ran = home.run(&["pairing", "revoke", "slack", sender]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(list(&home)["approved"], json!([]));
    let steps: Vec<Value> = home
        .journal("kind:pairing")
        .iter()
        .map(|event| event["kind"]["step"].clone())
        .collect();
    assert_eq!(steps, ["requested", "approved", "revoked"]);
}

#[cfg(unix)]
#[test]
fn an_operator_reaches_the_bot_that_runs() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::with(PAIRING);
    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    bot.order(&json!({"command": "compose_send", "args": {"channel": "slack", "user_text": "hi", "agent_output": null}}));
    let asked = bot.until(is("pairing"));
    let code = bot.seen[asked]["kind"]["code"].as_str().unwrap().to_owned();
    let socket = std::fs::metadata(home.path("data/journal.sqlite.sock")).unwrap();
    assert_eq!(socket.permissions().mode() & 0o777, 0o600);
    assert_eq!(list(&home)["pending"][0]["code"], code.as_str());
    let ran = home.run(&["pairing", "refuse", "AAAAAAAA"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("Nobody waits with the code AAAAAAAA"),
        "{}",
        ran.stderr
    );
    assert_eq!(home.run(&["pairing", "approve", &code]).code, 0);
    let approved = bot.until(is("pairing"));
    assert_eq!(
        (
            &bot.seen[approved]["kind"]["step"],
            &bot.seen[approved]["kind"]["by"]
        ),
        (&json!("approved"), &json!("cli"))
    );
    assert_eq!(bot.term(), 0);
    assert!(!home.path("data/journal.sqlite.sock").exists());
}

#[test]
fn what_is_no_code_and_who_was_never_approved_is_refused_with_a_reason() {
    let home = Home::with(PAIRING);
    asks(&home);
    for code in [
        "",
        "AAAAAAA",
        " AAAAAAAA",
        "AAAA-AAAA",
        "AAAAAAA0",
        "********",
        "\u{410}AAAAAAA",
        "AAAAAAA\u{202e}",
        "AAAAAAAA\u{200b}",
        "1e7",
        "--",
    ] {
        let ran = home.run(&["pairing", "approve", "--", code]);
        assert_eq!(ran.code, 2, "{code:?}");
        assert!(
            ran.stderr.contains("is no code") && ran.stderr.is_ascii(),
            "{code:?}: {}",
            ran.stderr
        );
    }
    for sender in ["", "*", "9007199254740993.0", "\u{202e}you", "slack:you", "YOU "] {
        let ran = home.run(&["pairing", "revoke", "--", "slack", sender]);
        assert_eq!(ran.code, 2, "{sender:?}");
        assert!(
            ran.stderr.contains("was not approved on") && ran.stderr.is_ascii(),
            "{sender:?}: {}",
            ran.stderr
        );
    }
    assert_eq!(home.journal("kind:pairing").len(), 1, "nothing was changed");
}

/// An id that is none, in a configuration: the line and the field are named.
#[test]
fn a_hostile_id_in_the_configuration_is_named_with_its_line_and_field() {
    for (id, why) in [
        ("9007199254740993.0", "is a float"),
        ("1e3", "is a float"),
        ("\"9.007199254740992e15\"", "a float, an exponent"),
        ("\"007\"", "leading zeros"),
        ("\" 42\"", "white space"),
        ("\"42\\u0000\"", "control character"),
        ("\"\\u0430lice\"", "U+0430"),
        ("\"\\u202E24\"", "U+202E"),
        ("\"\\u0664\\u0662\"", "U+0664"),
        ("\"4*\"", "* stands alone"),
        ("\"telegarm:42\"", "neither a platform nor a channel"),
    ] {
        let home = Home::with(&format!(
            "[channels.slack]\nkind = \"loopback\"\nallow_from = [\n  \"U1\",\n  {id},\n]\n"
        ));
        let ran = home.run(&["serve"]);
        assert_eq!(ran.code, 2, "{id}");
        assert!(
            ran.stderr
                .contains("foldback.toml:5:3: channels.slack.allow_from:")
                && ran.stderr.contains(why),
            "{id}: {}",
            ran.stderr
        );
    }
}
