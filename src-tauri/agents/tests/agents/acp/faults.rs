//! What goes wrong with a program and its protocol, and what becomes of the answer.

use super::{Bench, failed, until_asked};
use crate::support::{answer, request, resuming, said, start};
use foldback_agents::{Secret, Step};
use foldback_wire::{AgentFault, RunId, SessionStart, StopReason};

#[tokio::test]
async fn a_crash_in_the_middle_keeps_what_was_said_and_the_next_message_begins_anew() {
    for manner in ["opencode", "codex", "other"] {
        let bench = Bench::new(manner);
        let steps = bench.ask(1, "crash half an answ").await;
        assert_eq!(said(&steps), "half an answ", "{manner}");
        let expected = "the agent ended (exit status: 3); it said: out of memory";
        assert_eq!(failed(&steps), (AgentFault::Disconnected, expected), "{manner}");
        bench.nobody_left().await;

        // The pipeline knows the session of before; it broke in the middle, so it is not taken up.
        let request = resuming(2, "say again", "acp", "s1-1");
        let steps = answer(&bench.agent, request).await;
        let Step::Session { start, detail, .. } = &steps[0] else {
            panic!("{steps:?}")
        };
        assert_eq!(*start, SessionStart::Lost);
        assert_eq!(detail, &format!("the answer before broke off: {expected}"));
        assert_eq!(said(&steps), "again");
        bench.end().await;
    }
}

#[tokio::test]
async fn a_session_that_cannot_be_taken_up_in_one_piece_begins_anew_and_says_so() {
    for (session, why) in [
        ("dies", "session/load: the agent ended (exit status: 3)"),
        (
            "garbles",
            "session/load: the agent sent a message that cannot be read",
        ),
    ] {
        let bench = Bench::new("opencode");
        let steps = answer(&bench.agent, resuming(1, "say hello", "acp", session)).await;
        assert!(
            matches!(&steps[0], Step::Session { start: SessionStart::Lost, detail, .. } if detail.starts_with(why)),
            "{steps:?}"
        );
        assert_eq!(said(&steps), "hello", "{session}");
        bench.end().await;
    }
}

#[tokio::test]
async fn a_broken_answer_is_remembered_until_a_new_session_stands() {
    let bench = Bench::with("opencode", |config| config.limits.processes = 1);
    let steps = bench.ask(1, "crash half").await;
    assert_eq!(failed(&steps).0, AgentFault::Disconnected);
    bench.nobody_left().await;
    let other = |run, prompt| {
        let mut request = request(run, prompt);
        request.session = "other".into();
        start(&bench.agent, request)
    };
    // The next finds no place,
    let mut busy = other(2, "stall a");
    while said(&[busy.next().await]) != "a" {}
    let steps = answer(&bench.agent, resuming(3, "say never", "acp", "s1-1")).await;
    assert_eq!(failed(&steps).0, AgentFault::Overloaded);
    drop(busy.steps);
    bench.agent.forget(&"other".into());
    bench.nobody_left().await;
    // and the one after it is cancelled while its process starts.
    let running = start(&bench.agent, resuming(4, "say never", "acp", "s1-1"));
    while bench.processes() < 2 {
        tokio::task::yield_now().await;
    }
    running.cancel.cancel();
    assert_eq!(running.rest().await, [Step::Done(StopReason::Cancelled)]);
    bench.nobody_left().await;

    let steps = answer(&bench.agent, resuming(5, "say again", "acp", "s1-1")).await;
    assert!(
        matches!(
            &steps[0],
            Step::Session {
                start: SessionStart::Lost,
                ..
            }
        ),
        "{steps:?}"
    );
    bench.end().await;
}

#[tokio::test]
async fn one_that_is_killed_says_by_which_signal() {
    let bench = Bench::new("codex");
    let steps = bench.ask(1, "killed half").await;
    assert_eq!(said(&steps), "half");
    let expected = "the agent ended (signal: 9 (SIGKILL)); it said: starting up";
    assert_eq!(failed(&steps), (AgentFault::Disconnected, expected));
    bench.nobody_left().await;
    assert_eq!(said(&bench.ask(2, "say again").await), "again");
    bench.end().await;
}

#[tokio::test]
async fn half_a_character_is_shown_as_one_and_costs_nothing_else() {
    let bench = Bench::new("opencode");
    let steps = bench.ask(1, "half").await;
    assert_eq!(said(&steps), "caf\u{fffd}caf\u{fffd} whole");
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
    bench.end().await;
}

#[tokio::test]
async fn an_answer_without_a_word_ends_like_any_other() {
    let bench = Bench::new("other");
    let steps = bench.ask(1, "say ").await;
    assert_eq!(said(&steps), "");
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
    bench.end().await;
}

#[tokio::test]
async fn a_program_that_exits_at_once_says_why_and_hides_its_key() {
    let bench = Bench::with("exits", |config| {
        config.env.insert("KEY".to_owned(), "sk-very-secret".to_owned());
        config.secrets.push(Secret::new("sk-very-secret"));
    });
    let steps = bench.ask(1, "say a").await;
    let expected = "the agent ended (exit status: 7); it said: no licence for …";
    assert_eq!(failed(&steps), (AgentFault::Disconnected, expected));
    bench.end().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let bench = Bench::with("opencode", |config| config.program = "/nowhere/agent".into());
    let steps = bench.ask(1, "say a").await;
    let (fault, detail) = failed(&steps);
    assert_eq!(fault, AgentFault::Unreachable);
    assert!(
        detail.starts_with("/nowhere/agent cannot be started in "),
        "{detail}"
    );
    bench.end().await;
}

#[tokio::test]
async fn a_message_that_cannot_be_read_ends_the_run() {
    let bench = Bench::new("opencode");
    let steps = bench.ask(1, "broken").await;
    assert_eq!(said(&steps), "partial");
    assert_eq!(failed(&steps).0, AgentFault::Malformed);
    bench.nobody_left().await;
    assert_eq!(said(&bench.ask(2, "say better").await), "better");
    bench.end().await;

    let bench = Bench::new("garbage");
    assert_eq!(failed(&bench.ask(1, "say a").await).0, AgentFault::Malformed);
    bench.end().await;
}

#[tokio::test]
async fn a_result_without_a_reason_is_a_failure_and_an_unknown_reason_is_an_end() {
    for manner in ["opencode", "codex", "other"] {
        let bench = Bench::new(manner);
        let steps = bench.ask(1, "ends - Half an").await;
        assert_eq!(said(&steps), "Half an", "{manner}");
        let (fault, detail) = failed(&steps);
        assert_eq!(fault, AgentFault::Malformed, "{manner}");
        assert!(detail.contains("no stopReason"), "{detail}");
        for (reason, expected) in [
            ("end_turn", StopReason::End),
            ("weary", StopReason::End),
            ("max_tokens", StopReason::Length),
            ("refusal", StopReason::Refusal),
        ] {
            let steps = bench.ask(2, &format!("ends {reason}")).await;
            assert_eq!(steps.last(), Some(&Step::Done(expected)), "{manner} {reason}");
        }
        bench.end().await;
    }
}

#[tokio::test]
async fn four_megabytes_in_a_line_are_an_answer_and_a_longer_line_is_none() {
    let bench = Bench::new("opencode");
    let steps = bench.ask(1, "long 4000000").await;
    assert_eq!(said(&steps).len(), 4_000_000);
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
    let steps = bench.ask(2, "long 15000000").await;
    let (fault, detail) = failed(&steps);
    assert_eq!(fault, AgentFault::TooLarge);
    assert_eq!(detail, "the agent sent a line of more than 4194304 bytes");
    bench.nobody_left().await;
}

#[tokio::test]
async fn an_answer_that_does_not_end_is_ended() {
    let bench = Bench::new("opencode");
    let steps = bench.ask(1, "flood 60000000").await;
    let expected = "the answer is longer than 50000000 bytes";
    assert_eq!(failed(&steps), (AgentFault::TooLarge, expected));
    // Whole pieces of 64 KiB.
    assert_eq!(said(&steps).len(), 50_000_000 / 65_536 * 65_536);
    bench.nobody_left().await;
}

#[tokio::test]
async fn tools_and_permissions_have_the_limit_of_an_answer() {
    let bench = Bench::with("opencode", |config| config.limits.answer_bytes = 1_000_000);
    let steps = bench.ask(1, "restless 1000").await;
    let expected = "the answer is longer than 1000000 bytes";
    assert_eq!(failed(&steps), (AgentFault::TooLarge, expected));
    let told = steps.iter().filter(|step| matches!(step, Step::Tool(_)));
    // As often as its result and a few words go into it.
    assert!((50..=61).contains(&told.count()), "{}", steps.len());
    bench.nobody_left().await;
}

/// Also where nothing is told of them yet.
#[tokio::test]
async fn what_is_kept_of_calls_has_the_limit_of_an_answer() {
    let bench = Bench::with("opencode", |config| config.limits.answer_bytes = 1_000_000);
    let steps = bench.ask(1, "grows 1000").await;
    let expected = "the answer is longer than 1000000 bytes";
    assert_eq!(failed(&steps), (AgentFault::TooLarge, expected));
    let told = steps.iter().filter(|step| matches!(step, Step::Tool(_)));
    assert!(told.count() <= 61, "{}", steps.len());
    bench.nobody_left().await;
}

/// How many of them wait for a person is the pipeline's business, which says so of each.
#[tokio::test]
async fn every_permission_that_is_wanted_is_told_up_to_a_bound() {
    let bench = Bench::new("opencode");
    let mut running = bench.start(1, "greedy 300");
    let mut asked = Vec::new();
    while asked.len() < 300 {
        match running.next().await {
            Step::Permission(request) => asked.push(request),
            Step::Text { text, .. } => panic!("{text}, {} were told", asked.len()),
            _ => {}
        }
    }
    for refused in &asked[..120] {
        bench.agent.decide(RunId(1), &refused.id, None);
    }
    bench
        .agent
        .decide(RunId(1), &asked[200].id, asked[200].options.first());
    let steps = running.rest().await;
    assert_eq!(said(&steps), "asked 120 cancelled");
    bench.end().await;
    let bench = Bench::new("opencode");
    let steps = bench.ask(1, "greedy 3000").await;
    let expected = "the agent wants more than 1024 permissions at once";
    assert_eq!(failed(&steps), (AgentFault::TooLarge, expected));
    bench.end().await;
}

/// An option that cannot be read is not offered; the request is told all the same, whatever is wrong with it.
#[tokio::test]
async fn a_permission_in_a_form_that_nobody_knows_is_told_as_far_as_it_can_be_read() {
    let bench = Bench::new("opencode");
    let mut running = bench.start(1, "odd");
    let (_, asked) = until_asked(&mut running).await;
    assert_eq!(
        (asked.title.as_str(), asked.tool.as_ref()),
        ("build", Some(&"o1".into()))
    );
    let ids: Vec<&str> = asked.options.iter().map(|option| option.id.as_str()).collect();
    assert_eq!(ids, ["once"]);
    bench.agent.decide(RunId(1), &asked.id, asked.options.first());
    for _ in 0..2 {
        let (_, asked) = until_asked(&mut running).await;
        assert_eq!(
            (asked.title.as_str(), asked.options.len()),
            ("something that cannot be read", 0)
        );
        assert_eq!(asked.tool, None);
        bench.agent.decide(RunId(1), &asked.id, None);
    }
    assert_eq!(said(&running.rest().await), "cancelled");
    bench.end().await;
}

/// The number of calls that are followed is bounded; the kind of a later one is not to be lost with that.
#[tokio::test]
async fn a_permission_behind_more_calls_than_are_followed_says_its_kind_and_its_command() {
    let bench = Bench::new("opencode");
    let mut running = bench.start(1, "greedy after 5000");
    let (_, asked) = until_asked(&mut running).await;
    assert_eq!(
        (asked.title.as_str(), asked.does.as_str()),
        ("rm -rf build", "delete")
    );
    assert_eq!(asked.arguments.as_deref(), Some("{\"command\":\"rm -rf build\"}"));
    running.cancel.cancel();
    running.rest().await;
    bench.end().await;
}

#[tokio::test]
async fn a_character_that_is_cut_in_two_is_put_together() {
    let bench = Bench::new("opencode");
    let steps = bench.ask(1, "halves").await;
    let told = |step: &Step| match step {
        Step::Text { message, text } => Some(format!("{}:{text}", message.as_deref().unwrap_or("-"))),
        Step::Tool(call) => Some(call.id.to_string()),
        Step::Reasoning(text) => Some(format!("({text})")),
        _ => None,
    };
    let told: Vec<String> = steps.iter().filter_map(told).collect();
    // What gets no other half is told before what follows it.
    assert_eq!(
        told.join(" "),
        "m1:\u{1f600} m1:\u{1f600} m1:\u{fffd} m2:\u{fffd} m2:\u{fffd} h1 -:\u{fffd} (\u{1f600})"
    );
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
    bench.end().await;
}

#[tokio::test]
async fn many_requests_in_one_breath_are_all_answered() {
    let bench = Bench::new("opencode");
    assert_eq!(said(&bench.ask(1, "burst 2000").await), "2000 answered");
    bench.end().await;
}
