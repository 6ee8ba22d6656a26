//! The checks that are the same for every agent that calls actions as tools: the action, its result and the words are of one turn.

use super::{
    ALLOWED, CONFIRMED, CORRECTED, GAVE_UP, HALF_FULL, NOT_DONE, NOTED, QUESTION, REMINDED,
    evidence::{
        asks_for_a_correction, came_due, in_order, is_read_as_reply, of, ran_once, read, refusals, serve,
        wait, wait_for_answer, wait_for_turn, was_confirmed, write,
    },
    soon,
};
use crate::bot::{Bot, Home, is};
use serde_json::{Value, json};

/// The next step of an agent in a run.
#[derive(Clone)]
pub(super) enum Act {
    /// It calls the action of this name with this payload.
    Call(&'static str, Value),
    /// It says this, and ends the run.
    Say(&'static str),
}

/// An agent that calls actions as tools.
pub(super) trait CallingAgent {
    /// One that does this, whatever it is asked: each list is a run.
    fn doing(runs: &[&[Act]]) -> Self;
    /// The home of its bot.
    fn home(&self) -> &Home;
    /// The results of its calls, in their order, as its model was given them.
    fn results(&self, seen: &[Value]) -> Vec<String>;
}

fn runs(command: &str) -> Act {
    Act::Call("bash", json!({"command": command}))
}

/// Two payloads that do not fit.
fn wrong() -> [Act; 2] {
    [json!({"comand": ALLOWED}), json!({"command": 7})].map(|payload| Act::Call("bash", payload))
}

/// Sees that the turn of the message is the only one.
fn is_one_turn(seen: &[Value]) {
    assert!(
        seen.iter()
            .all(|line| line["turn"].is_null() || line["turn"] == 1)
    );
}

/// A command is called, confirmed at the command line, runs, and is worded as a reply to the message.
pub(super) fn a_confirmed_command<A: CallingAgent>() -> (A, Bot) {
    let agent = A::doing(&[&[runs(CONFIRMED), Act::Say(HALF_FULL)]]);
    let mut bot = serve(agent.home());
    write(&mut bot, QUESTION);
    wait(&mut bot, is("permission_asked"));
    assert!(!bot.seen.iter().any(is("action_started")));
    let allowed = agent.home().run(&["permission", "allow", "1-1"]);
    assert_eq!(allowed.code, 0, "{}", allowed.stderr);
    wait_for_answer(&mut bot, 1);
    assert_eq!(bot.term(), 0);

    let seen = &bot.seen;
    was_confirmed(seen, 1, &json!("cli"));
    ran_once(seen, 1, CONFIRMED);
    in_order(
        seen,
        &[
            (1, "received"),
            (1, "run_started"),
            (1, "permission_asked"),
            (1, "permission_decided"),
            (1, "action_started"),
            (1, "action_ended"),
            (1, "chunk"),
            (1, "intended"),
            (1, "turn_ended"),
        ],
    );
    // Some agents tell of a call only while it is carried out, or behind it.
    in_order(seen, &[(1, "run_started"), (1, "tool"), (1, "run_ended")]);
    is_one_turn(seen);
    let results = agent.results(seen);
    assert_eq!(results.len(), 1, "{results:?}");
    let told: Value = serde_json::from_str(&results[0]).unwrap();
    assert_eq!(
        (&told["action"], &told["command"], &told["outcome"]),
        (&json!("bash"), &json!(CONFIRMED), &json!("output"))
    );
    assert!(
        told["items"][0]["text"].as_str().unwrap().contains("Filesystem"),
        "{told}"
    );
    is_read_as_reply(seen, 1, HALF_FULL, 1);
    (agent, bot)
}

/// A reminder is called; once it is due, it is told in the agent's words in a delivery turn.
pub(super) fn a_reminder_that_comes_due<A: CallingAgent>() {
    let sets = [Act::Call("event", soon()), Act::Say(NOTED)];
    let agent = A::doing(&[&sets, &[Act::Say(REMINDED)]]);
    let mut bot = serve(agent.home());
    write(&mut bot, QUESTION);
    wait_for_answer(&mut bot, 1);
    let due = wait_for_turn(&mut bot, "[event of event]");
    wait_for_answer(&mut bot, due);
    assert_eq!(bot.term(), 0);

    let seen = &bot.seen;
    is_read_as_reply(seen, 1, NOTED, 1);
    came_due(seen, 1, due);
    in_order(
        seen,
        &[
            (1, "run_started"),
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
            (due, "turn_ended"),
        ],
    );
    let results = agent.results(seen);
    assert_eq!(results.len(), 1, "{results:?}");
    assert!(results[0].contains("Call Bob"), "{results:?}");
    is_read_as_reply(seen, due, REMINDED, 1);
}

/// Two calls are wrong, and their results say so; the third is right.
pub(super) fn a_second_correction_that_is_right<A: CallingAgent>() {
    let [first, second] = wrong();
    let agent = A::doing(&[&[first, second, runs(ALLOWED), Act::Say(CORRECTED)]]);
    let mut bot = serve(agent.home());
    write(&mut bot, QUESTION);
    wait_for_answer(&mut bot, 1);
    assert_eq!(bot.term(), 0);

    let seen = &bot.seen;
    is_one_turn(seen);
    assert_eq!(refusals(seen, 1), ["payload_invalid"; 2]);
    ran_once(seen, 1, ALLOWED);
    in_order(
        seen,
        &[
            (1, "action_refused"),
            (1, "action_refused"),
            (1, "action_started"),
            (1, "action_ended"),
        ],
    );
    let results = agent.results(seen);
    assert_eq!(results.len(), 3, "{results:?}");
    asks_for_a_correction(&results[0], "payload_invalid", "2 more corrections are read");
    asks_for_a_correction(&results[1], "payload_invalid", "1 more correction is read");
    assert!(
        results[2].contains("still-up") && results[2].contains("\"outcome\":\"output\""),
        "{results:?}"
    );
    let texts = read(seen, 1);
    assert_eq!(
        texts.len(),
        1,
        "the person reads nothing of the mistakes: {texts:?}"
    );
    is_read_as_reply(seen, 1, CORRECTED, 1);
}

/// Three calls are wrong: the last result says that none is read any more, and the person reads that something was not done,
/// and the agent's words.
pub(super) fn two_corrections_that_are_wrong<A: CallingAgent>() {
    let [first, second] = wrong();
    let agent = A::doing(&[&[first.clone(), second, first, Act::Say(GAVE_UP)]]);
    let mut bot = serve(agent.home());
    write(&mut bot, QUESTION);
    wait_for_answer(&mut bot, 1);
    assert_eq!(bot.term(), 0);

    let seen = &bot.seen;
    is_one_turn(seen);
    assert_eq!(refusals(seen, 1), ["payload_invalid"; 3]);
    assert!(!seen.iter().any(is("action_started")));
    let results = agent.results(seen);
    assert_eq!(results.len(), 3, "{results:?}");
    asks_for_a_correction(&results[0], "payload_invalid", "2 more corrections are read");
    asks_for_a_correction(&results[1], "payload_invalid", "1 more correction is read");
    assert!(!results[2].contains("read"), "{results:?}");
    let mut texts: Vec<_> = read(seen, 1).into_iter().map(|(text, _)| text).collect();
    texts.sort();
    assert_eq!(texts, [GAVE_UP, NOT_DONE]);
    assert_eq!(of(seen, 1, "run_failed").len(), 0);
}
