//! By JSON in its text: what comes of it goes to the agent in a delivery turn.

use super::{
    ALLOWED, CONFIRMED, CORRECTED, HALF_FULL, NOT_DONE, NOTED, QUESTION, REMINDED,
    evidence::{
        asks_for_a_correction, came_due, in_order, is_read_as_reply, of, ran_once, read, refusals, serve,
        wait, wait_for_answer, wait_for_turn, was_confirmed, write,
    },
    settings, soon,
};
use crate::bot::{Bot, Home, is};
use serde_json::{Value, json};

const RESULT: &str = "[result of bash]";

/// A home whose agent answers a turn that begins with such a text so.
fn home(answers: &[(&str, String)]) -> Home {
    let home = Home::with(&settings(
        "[agent.script]\nfile = \"script.yaml\"\n[agent.permissions]\nin_chat = true\n\
         [output]\ndialects = [\"actions\", \"json\"]",
    ));
    let rule = |(text, answer): &(&str, String)| json!({"when": {"contains": text}, "agent": [answer]});
    let rules: Vec<_> = answers.iter().map(rule).collect();
    home.write("script.yaml", &Value::from(rules).to_string());
    home
}

fn asks(action: &str, payload: &Value) -> String {
    json!({"actions": [{"type": action, "payload": payload}]}).to_string()
}

fn runs(command: &str) -> String {
    asks("bash", &json!({"command": command}))
}

/// Waits until the platform has acknowledged a message that begins so: an answer to it counts from then on.
fn wait_until_sent(bot: &mut Bot, beginning: &str) {
    let question = wait(bot, |line| {
        let text = line["kind"]["intent"]["body"]["text"].as_str();
        is("intended")(line) && text.is_some_and(|text| text.starts_with(beginning))
    });
    let sent = wait(bot, |line| {
        is("ended")(line) && line["kind"]["op"] == question["kind"]["op"]
    });
    assert_eq!(sent["kind"]["outcome"]["code"], "sent");
}

#[test]
fn a_command_that_is_confirmed_in_the_chat_runs_and_its_result_is_worded_as_a_reply() {
    let home = home(&[(QUESTION, runs(CONFIRMED)), (RESULT, HALF_FULL.to_owned())]);
    let mut bot = serve(&home);
    write(&mut bot, QUESTION);
    wait(&mut bot, is("permission_asked"));
    wait_until_sent(&mut bot, "🔐 The agent asks for your permission");
    assert!(!bot.seen.iter().any(is("action_started")));
    write(&mut bot, "/approve 1-1");
    let told = wait_for_turn(&mut bot, RESULT);
    wait_for_answer(&mut bot, told);
    assert_eq!(bot.term(), 0);

    let seen = &bot.seen;
    was_confirmed(seen, 1, &json!({"user": "console"}));
    ran_once(seen, 1, CONFIRMED);
    in_order(
        seen,
        &[
            (1, "received"),
            (1, "run_started"),
            (1, "action"),
            (1, "run_ended"),
            (1, "permission_asked"),
            (1, "permission_decided"),
            (1, "action_started"),
            (1, "action_ended"),
            (1, "delivery_accepted"),
            (told, "delivery_due"),
            (told, "prepared"),
            (told, "run_started"),
            (told, "chunk"),
            (told, "intended"),
            (told, "ended"),
            (told, "turn_ended"),
        ],
    );
    let request = of(seen, told, "delivery_due")[0];
    assert_eq!((&request["cause"], &request["depth"]), (&json!(1), &json!(1)));
    let output = request["items"][0]["text"].as_str().unwrap();
    assert!(output.contains("Filesystem"), "{request}");
    let prompt = of(seen, told, "prepared")[0]["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("## Action result") && prompt.contains("Filesystem"),
        "{prompt}"
    );
    is_read_as_reply(seen, told, HALF_FULL, 1);
}

#[test]
fn a_reminder_that_comes_due_is_told_in_the_words_of_the_agent() {
    let home = home(&[
        (QUESTION, asks("event", &soon())),
        ("[result of event]", NOTED.to_owned()),
        ("[event of event]", REMINDED.to_owned()),
    ]);
    let mut bot = serve(&home);
    write(&mut bot, QUESTION);
    let noted = wait_for_turn(&mut bot, "[result of event]");
    wait_for_answer(&mut bot, noted);
    let due = wait_for_turn(&mut bot, "[event of event]");
    wait_for_answer(&mut bot, due);
    assert_eq!(bot.term(), 0);

    let seen = &bot.seen;
    is_read_as_reply(seen, noted, NOTED, 1);
    came_due(seen, 1, due);
    in_order(
        seen,
        &[
            (1, "received"),
            (1, "action_started"),
            (1, "reminder_set"),
            (1, "action_ended"),
            (1, "turn_ended"),
        ],
    );
    in_order(
        seen,
        &[
            (1, "reminder_set"),
            (due, "delivery_due"),
            (due, "run_started"),
            (due, "chunk"),
            (due, "ended"),
            (due, "turn_ended"),
        ],
    );
    is_read_as_reply(seen, due, REMINDED, 1);
}

/// An unknown name, then a payload that does not fit, then this.
fn corrected_twice(last: String) -> (Home, [(&'static str, &'static str); 2]) {
    let home = home(&[
        (QUESTION, asks("bsh", &json!({"command": ALLOWED}))),
        ("[error of bsh]", asks("bash", &json!({"comand": ALLOWED}))),
        ("[error of bash]", last),
        (RESULT, CORRECTED.to_owned()),
    ]);
    (
        home,
        [
            ("[error of bsh]", "unknown_action"),
            ("[error of bash]", "payload_invalid"),
        ],
    )
}

#[test]
fn the_second_correction_is_carried_out_and_worded_as_a_reply() {
    let (home, corrections) = corrected_twice(runs(ALLOWED));
    let mut bot = serve(&home);
    write(&mut bot, QUESTION);
    let told = wait_for_turn(&mut bot, RESULT);
    wait_for_answer(&mut bot, told);
    assert_eq!(bot.term(), 0);

    let seen = &bot.seen;
    ran_once(seen, 3, ALLOWED);
    for (turn, (text, code)) in (2..).zip(corrections) {
        let request = of(seen, turn, "delivery_due")[0];
        assert_eq!(
            (&request["cause"], &request["outcome"]),
            (&json!(turn - 1), &json!("error")),
            "{text}"
        );
        assert_eq!(refusals(seen, turn - 1), [code]);
        assert_eq!(read(seen, turn), [], "the person reads nothing of it");
    }
    assert_eq!(of(seen, told, "delivery_due")[0]["depth"], 3);
    is_read_as_reply(seen, told, CORRECTED, 1);
}

#[test]
fn after_two_corrections_the_person_reads_that_it_was_not_done() {
    let (home, corrections) = corrected_twice(asks("bash", &json!(7)));
    let mut bot = serve(&home);
    write(&mut bot, QUESTION);
    let last = wait_for_turn(&mut bot, corrections[1].0);
    // The agent itself says nothing in it.
    wait(&mut bot, |line| line["turn"] == last && is("turn_ended")(line));
    assert_eq!(bot.term(), 0);

    let seen = &bot.seen;
    let refused: Vec<_> = (1..=3).flat_map(|turn| refusals(seen, turn)).collect();
    assert_eq!(
        refused,
        ["unknown_action", "payload_invalid", "payload_malformed"]
    );
    for (turn, left) in [
        (2, "2 more corrections are read"),
        (3, "1 more correction is read"),
    ] {
        let prompt = of(seen, turn, "prepared")[0]["prompt"].as_str().unwrap();
        assert!(prompt.contains("## Action error"), "{prompt}");
        asks_for_a_correction(prompt, refused[turn as usize - 2], left);
    }
    assert!(!seen.iter().any(is("action_started")));
    assert_eq!(seen.iter().filter(|line| is("delivery_due")(line)).count(), 2);
    let texts: Vec<_> = (1..=3).flat_map(|turn| read(seen, turn)).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert_eq!(texts[0].0, NOT_DONE);
}
