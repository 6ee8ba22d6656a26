//! Who runs, with what, and that nobody remains.

use super::{Bench, failed, option, until_asked};
use crate::support::{request, said, start};
use foldback_agents::Step;
use foldback_programs::PASSED_ON;
use foldback_wire::{AgentFault, PermissionKind, RunId, SessionStart};
use serde_json::Value;

/// What a shell does before it becomes the scripted agent.
fn through_a_shell(config: &mut foldback_agents::AcpConfig, before: &str) {
    let agent = config.program.display().to_string();
    let manner = config.args.remove(0);
    config.program = "/bin/sh".into();
    config.args = vec!["-c".to_owned(), format!("{before} exec {agent} {manner}")];
}

#[tokio::test]
async fn the_environment_is_ours_alone() {
    // This variable is set for every test by cargo: it stands for the keys that people start us with.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let bench = Bench::with("opencode", |config| {
        config.env.insert("MODEL_KEY".to_owned(), "k".to_owned());
    });
    let told: Value = serde_json::from_str(&said(&bench.ask(1, "env").await)).expect("JSON");
    let env = told["env"].as_object().expect("variables");
    assert_eq!(env["MODEL_KEY"], "k");
    let strange: Vec<_> = env
        .keys()
        .filter(|name| *name != "MODEL_KEY" && !PASSED_ON.contains(&name.as_str()))
        .collect();
    assert!(strange.is_empty(), "{strange:?}");
    assert_eq!(told["cwd"].as_str(), bench.folder.path().to_str());
    bench.end().await;
}

#[tokio::test]
async fn dropping_the_agent_ends_its_processes() {
    for manner in ["opencode", "codex", "other"] {
        let bench = Bench::new(manner);
        assert_eq!(said(&bench.ask(1, "say a").await), "a");
        assert!(bench.processes() >= 2, "the agent and its guard");
        bench.end().await;
    }
}

#[tokio::test]
async fn a_grandchild_that_is_deaf_to_sigterm_ends_too() {
    let deaf = "trap '' TERM; (sleep 3600 & sleep 3600 &); ";
    // As the agent is dropped, and as it dies in the middle of an answer.
    for prompt in ["say a", "crash a"] {
        let bench = Bench::with("codex", |config| through_a_shell(config, deaf));
        assert_eq!(said(&bench.ask(1, prompt).await), "a");
        bench.end().await;
    }
}

#[tokio::test]
async fn a_run_that_is_dropped_leaves_nobody() {
    let bench = Bench::new("codex");
    let (running, _) = bench.deaf().await;
    running.task.abort();
    bench.nobody_left().await;
    // And while it starts.
    let bench = Bench::new("mute");
    let running = bench.start(1, "say a");
    while bench.processes() < 2 {
        tokio::task::yield_now().await;
    }
    running.task.abort();
    bench.nobody_left().await;
}

#[test]
fn the_end_of_the_runtime_is_the_end_of_its_agents() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let bench = runtime.block_on(async {
        let bench = Bench::new("other");
        assert_eq!(said(&bench.ask(1, "say a").await), "a");
        bench
    });
    drop(runtime);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("another").block_on(bench.nobody_left());
}

#[tokio::test]
async fn an_agent_that_hangs_holds_up_no_other_conversation() {
    let bench = Bench::new("opencode");
    let (hanging, _) = bench.deaf().await;
    for run in 2..5 {
        let mut other = request(run, "say a");
        other.session = format!("s{run}").as_str().into();
        assert_eq!(said(&start(&bench.agent, other).rest().await), "a");
    }
    assert!(!hanging.task.is_finished());
    hanging.cancel.cancel();
    hanging.rest().await;
    bench.end().await;
}

#[tokio::test]
async fn the_oldest_that_rests_makes_room_and_one_that_answers_never_does() {
    let bench = Bench::with("opencode", |config| config.limits.processes = 2);
    let ask = |run: u64, session: &str, prompt: &str| {
        let mut request = request(run, prompt);
        request.session = session.into();
        start(&bench.agent, request)
    };
    let mut busy = ask(1, "busy", "stall a");
    while said(&[busy.next().await]) != "a" {}
    assert_eq!(said(&ask(2, "first", "say a").rest().await), "a");
    // The one of `first` is stopped for this.
    assert_eq!(said(&ask(3, "second", "say b").rest().await), "b");
    let mut busy_too = ask(4, "second", "stall c");
    while said(&[busy_too.next().await]) != "c" {}
    let steps = ask(5, "third", "say d").rest().await;
    let [
        Step::Failed {
            fault: AgentFault::Overloaded,
            detail,
        },
    ] = &steps[..]
    else {
        panic!("{steps:?}")
    };
    assert!(detail.contains("agent.acp.max_processes"), "{detail}");
    busy.cancel.cancel();
    assert_eq!(busy.rest().await.len(), 1);
    drop(busy_too.steps);
    bench.end().await;
}

#[tokio::test]
async fn forgetting_a_conversation_ends_its_process() {
    let bench = Bench::new("opencode");
    assert_eq!(said(&bench.ask(1, "say a").await), "a");
    bench.agent.forget(&"s1".into());
    bench.nobody_left().await;
}

#[tokio::test]
async fn a_conversation_that_is_forgotten_while_it_is_answered_begins_anew_with_the_next_message() {
    let bench = Bench::new("opencode");
    let mut running = bench.start(1, "tool");
    let (steps, asked) = until_asked(&mut running).await;
    let Step::Session { id: before, .. } = &steps[0] else {
        panic!("{steps:?}")
    };
    bench.agent.forget(&"s1".into());
    let once = option(&asked, PermissionKind::AllowOnce);
    bench.agent.decide(RunId(1), &asked.id, Some(once));
    assert_eq!(said(&running.rest().await), "chose once", "what runs goes on");
    bench.nobody_left().await;
    let steps = bench.ask(2, "say a").await;
    assert!(
        matches!(&steps[0], Step::Session { id, start: SessionStart::New, .. } if id != before),
        "{steps:?}"
    );
    // This one is remembered as ever.
    let steps = bench.ask(3, "say b").await;
    assert!(matches!(&steps[0], Step::Text { .. }), "{steps:?}");
    bench.end().await;
}

#[tokio::test]
async fn a_process_that_still_stops_is_waited_for() {
    let bench = Bench::with("codex", |config| config.limits.processes = 1);
    let (running, _) = bench.deaf().await;
    bench.clock.jump(std::time::Duration::from_mins(2));
    assert_eq!(failed(&running.rest().await).0, AgentFault::Timeout);
    assert!(bench.processes() > 0, "it has its time to end");
    assert_eq!(said(&bench.ask(2, "say next").await), "next");
    bench.end().await;
}

/// No signal to a group reaches it, and the end of its input it does not mind.
#[tokio::test]
async fn a_program_that_leaves_its_group_ends_too() {
    let alone = |config: &mut foldback_agents::AcpConfig| {
        let program = config.program.display().to_string();
        config.args.splice(..0, ["--wait".to_owned(), program]);
        config.program = "setsid".into();
    };
    // As it is dropped, and as it is stopped, which waits for its end.
    let bench = Bench::with("other", alone);
    assert_eq!(said(&bench.ask(1, "say a").await), "a");
    bench.end().await;
    let bench = Bench::with("other", |config| {
        alone(config);
        config.limits.processes = 1;
    });
    let (running, _) = bench.deaf().await;
    bench.clock.jump(std::time::Duration::from_mins(2));
    assert_eq!(failed(&running.rest().await).0, AgentFault::Timeout);
    assert_eq!(said(&bench.ask(2, "say next").await), "next");
    bench.end().await;
}

/// A command in a session of its own, with nothing of the agent's environment, whose parent has ended and which minds no
/// SIGTERM; its shell and the command itself.
const FORSAKEN: &str = "(setsid env -i sh -c 'trap \"\" TERM; echo > begun; sleep 3600; true' > /dev/null 2>&1 &); \
                        while [ ! -e begun ]; do :; done; echo begun";

#[tokio::test]
async fn a_command_in_a_session_of_its_own_ends_with_its_agent_however_that_ends() {
    for end in ["dropped", "forgotten", "crash", "killed", "too late"] {
        let bench = Bench::new("opencode");
        let asked = format!("shell {FORSAKEN}");
        assert_eq!(said(&bench.ask(1, &asked).await), "begun\n");
        // Agent, guard, shell and its command.
        bench.count(4).await;
        match end {
            "dropped" => {}
            "forgotten" => bench.agent.forget(&"s1".into()),
            "too late" => {
                let running = bench.start(2, "deaf");
                bench.until("deaf").await;
                bench.clock.jump(std::time::Duration::from_mins(2));
                assert_eq!(failed(&running.rest().await).0, AgentFault::Timeout);
            }
            dies => {
                let steps = bench.ask(2, &format!("{dies} a")).await;
                assert_eq!(failed(&steps).0, AgentFault::Disconnected, "{dies}");
            }
        }
        if end != "dropped" {
            bench.nobody_left().await;
        }
        bench.end().await;
    }
}

/// The agent of one conversation stops; that of another one goes on with its commands.
#[tokio::test]
async fn the_commands_of_other_conversations_go_on() {
    let bench = Bench::new("opencode");
    let asked = format!("shell {FORSAKEN}");
    for (run, session) in [(1, "s1"), (2, "s2")] {
        let mut request = request(run, &asked);
        request.session = session.into();
        assert_eq!(said(&start(&bench.agent, request).rest().await), "begun\n");
    }
    // Of each an agent, a guard, a shell and its command.
    bench.count(8).await;
    bench.agent.forget(&"s1".into());
    bench.count(4).await;
    let mut request = request(3, "shell ps -A -o args | grep -c '[s]leep 3600; true'");
    request.session = "s2".into();
    let steps = start(&bench.agent, request).rest().await;
    assert!(
        matches!(&steps[0], Step::Text { .. }),
        "the same process: {steps:?}"
    );
    bench.end().await;
}
