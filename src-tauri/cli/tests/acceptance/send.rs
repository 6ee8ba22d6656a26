//! `foldback send`: one message through the whole pipeline.

use crate::bot::Home;

const ANSWER: &str = "<actions>\n  <react emoji=\"thumbsup\"/>\n</actions>\nGreat idea!";

#[test]
fn prints_the_deliveries_as_replay_does() {
    let home = Home::new();
    let ran = home.send("slack", "How was it?", ANSWER);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let deliveries = ran.lines();
    let react = deliveries.iter().position(|d| d["op"] == "react").unwrap();
    let text = deliveries.iter().position(|d| d["op"] == "send_text").unwrap();
    assert!(react < text, "{deliveries:#?}");
    assert_eq!(deliveries[react]["emoji"], "👍");
    assert_eq!(deliveries[react]["emoji_sent"], "thumbsup");
    assert_eq!(deliveries[react]["outcome"], "sent");
    let last = deliveries.iter().rfind(|d| d["text"].is_string()).unwrap();
    assert_eq!(last["text"], "Great idea!");
    let keys: Vec<&str> = deliveries[0]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let documented = [
        "op",
        "message",
        "text",
        "emoji",
        "emoji_sent",
        "reply_to",
        "path",
        "kind",
        "outcome",
        "at_ms",
    ];
    assert_eq!(keys, documented);
}

#[test]
fn the_text_is_an_argument_and_the_first_channel_that_is_on_takes_it() {
    let config = "[channels.discord]\nkind = \"loopback\"\nenabled = false\n\
                  [channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n\
                  [channels.telegram]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n";
    let home = Home::with(config);
    let ran = home.run(&["send", "hello"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let [received] = &home.journal("kind:received")[..] else {
        panic!("one message: {}", ran.stdout)
    };
    assert_eq!(received["channel"], "slack");
    assert_eq!(received["kind"]["message"]["text"], "hello", "{received}");

    let both = home.run(&["send", "hello", "--text", "hello"]);
    assert_eq!(both.code, 2, "{}", both.stderr);
    assert_eq!(home.run(&["send"]).code, 2, "a message without a text is none");
    let off = Home::with("[channels.slack]\nkind = \"loopback\"\nenabled = false\n");
    let ran = off.run(&["send", "hello"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no channel is switched on"), "{}", ran.stderr);
}

#[test]
fn is_a_dry_run_unless_the_channel_is_armed() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\nallow_from = [\"U1\"]\n");
    let ran = home.send("slack", "hi", ANSWER);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.lines().iter().all(|d| d["outcome"] == "dry_run"),
        "{}",
        ran.stdout
    );
    assert_eq!(home.journal("kind:attempted").len(), 0, "no platform was called");
}

#[test]
fn a_message_that_was_stopped_fails_and_says_at_which_gate() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\narmed = true\n");
    let ran = home.run(&["send", "--channel", "slack", "--text", "hi"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.stdout, "");
    assert!(
        ran.stderr
            .contains(" may not write here: channels.slack.allow_from is empty."),
        "{}",
        ran.stderr
    );
}

#[test]
fn wrong_use_names_the_option() {
    let home = Home::new();
    let ran = home.run(&["send", "--channel", "telegraph", "--text", "hi"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("--channel: there is no channel telegraph") && ran.stderr.contains("telegram"),
        "{}",
        ran.stderr
    );
    let ran = home.run(&[
        "send",
        "--channel",
        "slack",
        "--text",
        "hi",
        "--agent-output",
        "no/such",
    ]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no/such"), "{}", ran.stderr);
    let none = Home::with("[output]\nplacement = \"start\"\n");
    let ran = none.run(&["send", "--channel", "slack", "--text", "hi"]);
    assert_eq!(ran.code, 2);
    let said = "--channel: there is no channel slack; the configuration has none; add [channels.slack]\n";
    assert!(ran.stderr.ends_with(said), "{}", ran.stderr);
    let off = Home::with("[channels.slack]\nkind = \"loopback\"\nenabled = false\n");
    let ran = off.run(&["send", "--channel", "slack", "--text", "hi"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("channels.slack.enabled"), "{}", ran.stderr);
}

#[test]
fn the_log_tells_no_words_of_the_agent_above_debug() {
    let home = Home::new();
    let answers = [
        "<actions><react emoji=\"swordfish\"/><react emoji=\"eyes\" message=\"swordfish\"/></actions>Swordfish.",
        "<actions><send-file path=\"/swordfish/a.txt\" caption=\"swordfish\"/></actions>",
        "<actions><send-message channel=\"swordfish\" chat=\"swordfish\">swordfish</send-message></actions>",
        "[[reply_to:swordfish]] <swordfish a=\"swordfish\"/> <voice>swordfish</voice><react emoji=\"swordfish",
    ];
    for answer in answers {
        let ran = home.send("slack", "swordfish?", answer);
        // What the command itself says to the one who typed it is no log.
        let log: String = ran.stderr.lines().filter(|line| line.starts_with('{')).collect();
        assert!(log.contains("ended"), "there is a log: {log}");
        assert!(!log.to_lowercase().contains("swordfish"), "{answer}: {log}");
    }
}

#[test]
fn files_that_no_message_may_have_are_not_read_to_their_end() {
    let home = Home::with(
        "[channels.slack]\nkind = \"loopback\"\nallow_from = [\"*\"]\n[attachments]\nmax_total = \"1KB\"\n",
    );
    let (half, more) = (
        home.write("half", &"x".repeat(512)),
        home.write("more", &"x".repeat(489)),
    );
    let send = |files: &[&std::path::Path]| {
        let files = files.iter().flat_map(|file| ["--file", file.to_str().unwrap()]);
        home.run(&[&["send", "look"], files.collect::<Vec<_>>().as_slice()].concat())
    };
    let mut endless = vec![send(&[half.as_path(), more.as_path()])];
    if cfg!(unix) {
        endless.push(send(&[std::path::Path::new("/dev/zero")]));
    }
    for ran in endless {
        assert_eq!(ran.code, 2);
        assert!(
            ran.stderr.contains("larger than attachments.max_total = \"1kB\""),
            "{}",
            ran.stderr
        );
    }
}

/// Neither the agent nor the journal notices.
#[test]
fn until_prepare_prints_the_prompt_and_marks_what_is_stripped() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\nallow_from = [\"42\"]\n");
    let until = ["send", "--until", "prepare", "--channel", "slack"];
    let send = |more: &[&str]| home.run(&[&until, more].concat());
    let ran = send(&["/think high explain this"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("stripped  [-/think high-] explain this"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("setting   think = high (inline)"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.trim_end().ends_with("explain this"), "{}", ran.stdout);

    let group = ["--chat-type", "group", "--mentioned=false", "--json", "hi"];
    let ran = send(&group);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let json = ran.json();
    assert_eq!(json["terminal"]["gate"], "not_mentioned");
    assert_eq!(json["prompt"], serde_json::Value::Null);
    let ran = send(&["--sender", "7", "--reply-to", "99", "--json", "hi"]);
    assert_eq!(ran.json()["terminal"]["gate"], "sender_not_allowed");
    let listed = send(&["--sender", "7", "--allow-from", "7", "--json", "hi"]);
    assert_eq!(listed.code, 0, "{}", listed.stdout);
    let ran = send(&["--session", "nowhere", "hi"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("There is no conversation nowhere"),
        "{}",
        ran.stderr
    );
    let ran = home.run(&["journal", "query"]);
    assert!(
        ran.stderr.contains("there is no journal"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn the_context_of_a_message_counts_when_it_is_sent() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"42\"]\n");
    let ran = home.run(&[
        "send",
        "--sender",
        "7",
        "--chat",
        "c9",
        "--agent-output",
        "-",
        "hi",
    ]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let message = &home.journal("kind:received")[0]["kind"]["message"];
    assert_eq!(
        (&message["sender"]["id"], &message["chat"]),
        (&"7".into(), &"c9".into())
    );
}

/// A bot whose agent has a command run, and words its result in a turn of its own, after so many milliseconds.
fn acting(after_ms: u32) -> Home {
    let home = Home::with(
        "[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"U1\"]\n[commands]\nowner_allow_from = [\"U1\"]\n\
         [output]\ndialects = [\"json\"]\n[actions.bash]\nenabled = true\nallow = [\"echo .*\"]\nfolder = \"work\"\n\
         [agent.script]\nfile = \"script.yaml\"\n",
    );
    let script = format!(
        "- when: {{contains: 'result of'}}\n  agent: [{{text: 'Half full.', after_ms: {after_ms}}}]\n\
         - agent: ['{{\"actions\":[{{\"type\":\"bash\",\"payload\":{{\"command\":\"echo 53\"}}}}]}}']\n"
    );
    home.write("script.yaml", &script);
    home
}

#[test]
fn the_answer_of_the_delivery_turn_behind_an_action_is_printed_too() {
    let home = acting(0);
    let ran = home.run(&["send", "How full?", "--sender", "U1"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = ran.lines();
    let texts: Vec<_> = lines.iter().filter_map(|line| line["text"].as_str()).collect();
    assert_eq!(texts, ["Half full."], "{}", ran.stderr);
    assert_eq!(home.journal("kind:action_ended").len(), 1);
    let [due] = &home.journal("kind:delivery_due")[..] else {
        panic!("one delivery: {}", ran.stdout)
    };
    let ran = home.run(&["why", &due["turn"].to_string()]);
    let begun = "It began with the result of bash `echo 53`, which turn 1 asked for.";
    assert!(ran.stdout.contains(begun), "{}", ran.stdout);
}

#[test]
fn a_delivery_turn_is_waited_for_no_longer_than_is_said() {
    let ran = acting(2_000).run(&["send", "How full?", "--sender", "U1", "--wait", "0"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("Still running"), "{}", ran.stderr);
}
