//! `foldback why`: the first gate that said no, in words.

use crate::bot::Home;

#[test]
fn names_the_gate_and_the_setting_for_a_message_without_an_answer() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\narmed = true\n");
    home.run(&["send", "--channel", "slack", "--text", "hi"]);
    let message = home.journal("kind:received")[0]["kind"]["message"]["message"].clone();
    for about in ["1", "#1", message.as_str().unwrap()] {
        let ran = home.run(&["why", about]);
        assert_eq!(ran.code, 0, "{about}: {}", ran.stderr);
        let answer = ran.stdout.lines().next().unwrap();
        assert!(
            answer.contains("got no answer: authorize said: channel_closed")
                && answer.contains("The setting is channels.slack.allow_from."),
            "{about}: {}",
            ran.stdout
        );
        assert_eq!(
            ran.stdout.lines().filter(|line| line.contains('✗')).count(),
            1,
            "{}",
            ran.stdout
        );
    }
    let json = home.run(&["why", "1", "--format", "json"]).json();
    assert_eq!(json["turn"], 1);
    assert!(
        json["steps"]
            .as_array()
            .unwrap()
            .iter()
            .any(|step| step["no"] == true)
    );
}

#[test]
fn what_is_not_there_is_said() {
    let home = Home::new();
    let ran = home.run(&["why", "1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("there is no journal"), "{}", ran.stderr);
    home.run(&[
        "send",
        "--channel",
        "slack",
        "--text",
        "hi",
        "--agent-output",
        "-",
    ]);
    let ran = home.run(&["why", "4711"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`4711`"), "{}", ran.stderr);
}
