//! A program that speaks the Agent Client Protocol behind the whole bot.

use crate::{
    bot::{Home, is},
    foldback::run,
};
use serde_json::{Value, json};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
    thread,
    time::Duration,
};

/// The scripted agent, built beside this program.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let build = [
        "build",
        "-q",
        "-p",
        "foldback-agents",
        "--bin",
        "foldback-scripted-agent",
    ];
    let built = Command::new(cargo).args(build).status().unwrap();
    assert!(built.success());
    Path::new(env!("CARGO_BIN_EXE_foldback")).with_file_name("foldback-scripted-agent")
});

pub(crate) fn scripted_agent() -> &'static Path {
    &PROGRAM
}

/// A home whose bot asks the scripted agent, which does `act` whatever it is asked.
fn home(act: &str) -> Home {
    limited(act, "")
}

/// The same, with limits.
fn limited(act: &str, limits: &str) -> Home {
    Home::with(&format!(
        "[agent]\nbackend = \"acp\"\n[agent.acp]\n{limits}\ncommand = [\"{}\", \"codex\"]\n\
         env = {{ ACT = '''{act}''', KEY = {{ env = \"ACP_KEY\" }} }}\n\
         [channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n",
        PROGRAM.display()
    ))
}

/// The folder that the agent works in where none is named.
fn folder(home: &Home) -> PathBuf {
    home.path("state/foldback-agent/foldback")
}

/// Processes that work in the agent's folder, its guard included.
fn processes(home: &Home) -> usize {
    let folder = folder(home).canonicalize().unwrap();
    let all = fs::read_dir("/proc").unwrap().flatten();
    all.filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder))
        .count()
}

/// Waits until none of them is left.
fn nobody_left(home: &Home) {
    for _ in 0..500 {
        if processes(home) == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{} processes are left", processes(home));
}

fn finding(lines: &[Value], about: &str) -> Value {
    let found = lines.iter().find(|line| line["about"] == about);
    found.unwrap_or_else(|| panic!("{about}: {lines:#?}")).clone()
}

#[test]
fn an_agent_answers_with_directives_and_ends_with_the_bot() {
    let home = home("say <actions><react em|oji=\"thumbsup\" /></actions>\nGre|at idea!");
    let mut command = home.command(&["send", "--channel", "slack", "--text", "How was it?"]);
    command.env("ACP_KEY", "sk-very-secret");
    let ran = run(command, "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let deliveries = ran.lines();
    assert!(
        deliveries
            .iter()
            .any(|d| d["op"] == "react" && d["outcome"] == "sent"),
        "{deliveries:#?}"
    );
    let last = deliveries.iter().rfind(|d| d["text"].is_string()).unwrap();
    assert_eq!(last["text"], "Great idea!");
    nobody_left(&home);
    let prepared = home.journal("kind:prepared");
    let prompt = prepared[0]["kind"]["prompt"].as_str().unwrap();
    let outgoing = home.path("data/outbound").display().to_string();
    assert!(prompt.contains(&outgoing), "it is told the folder: {prompt}");
    let sessions = home.journal("kind:agent_session");
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0]["kind"]["backend"], "acp");
    assert_eq!(sessions[0]["kind"]["start"], "new");
    let exported = home.run(&["journal", "export"]);
    assert!(!exported.stdout.contains("sk-very-secret"));
}

#[test]
fn whatever_breaks_ends_the_turn_and_the_chat_gets_what_came_before() {
    let broke = "⚠️ The connection to the agent broke before it was done.";
    for (act, fault, chat) in [
        ("crash Half an answ", "disconnected", vec!["Half an answ", broke]),
        ("killed Half", "disconnected", vec!["Half", broke]),
        (
            "broken",
            "malformed",
            vec!["partial", "⚠️ The agent failed before it was done."],
        ),
        (
            "long 50000000",
            "too_large",
            vec!["⚠️ The answer was too long and was cut off."],
        ),
        (
            "deaf",
            "timeout",
            vec!["deaf", "⚠️ The agent did not answer in time."],
        ),
        ("half", "", vec!["caf\u{fffd}caf\u{fffd} whole"]),
    ] {
        let home = limited(
            act,
            if act == "deaf" {
                "silence_timeout = \"1s\""
            } else {
                ""
            },
        );
        let mut command = home.command(&["send", "--channel", "slack", "--text", "Hello?"]);
        command.env("ACP_KEY", "k");
        let ran = run(command, "");
        assert_eq!(ran.code, i32::from(!fault.is_empty()), "{act}: {}", ran.stderr);
        let lines = ran.lines();
        let mut texts: Vec<_> = lines.iter().filter_map(|line| line["text"].as_str()).collect();
        // An answer that was complete while it was still edited is the same one.
        texts.dedup();
        assert!(texts.ends_with(&chat), "{act}: {texts:#?}");
        for whole in &chat {
            assert_eq!(
                texts.iter().filter(|text| *text == whole).count(),
                1,
                "{act}: {texts:#?}"
            );
        }
        let failures = home.journal("kind:run_failed");
        let faults: Vec<_> = failures
            .iter()
            .map(|event| event["kind"]["fault"].as_str().unwrap())
            .collect();
        assert_eq!(
            faults,
            Some(fault)
                .into_iter()
                .filter(|fault| !fault.is_empty())
                .collect::<Vec<_>>()
        );
        assert_eq!(home.journal("kind:turn_ended").len(), 1, "{act}");
        nobody_left(&home);
    }
}

#[test]
fn the_code_of_the_api_behind_an_agent_reaches_the_chat_the_journal_and_why() {
    for (code, fault, chat, why) in [
        (
            "401 API key not valid",
            "unauthorized",
            "⚠️ The agent has no access to its model. Please tell the operator.",
            "agent.acp.env",
        ),
        (
            "404 models/gemini-x is not found",
            "no_model",
            "⚠️ The agent's model is not there. Please tell the operator.",
            "Setting: agent.acp.options",
        ),
        (
            "429 Resource exhausted",
            "rate_limited",
            "⚠️ The agent has to wait. Please try again later.",
            "429",
        ),
        (
            "500 An internal error",
            "internal",
            "⚠️ The agent failed before it was done.",
            "500",
        ),
    ] {
        let home = home(&format!("code {code}"));
        let mut command = home.command(&["send", "--channel", "slack", "--text", "Hello?"]);
        command.env("ACP_KEY", "k");
        let ran = run(command, "");
        assert_eq!(ran.code, 1, "{code}: {}", ran.stderr);
        let last = ran
            .lines()
            .into_iter()
            .rfind(|line| line["text"].is_string())
            .unwrap();
        assert_eq!(last["text"], chat, "{code}");
        assert_eq!(
            home.journal("kind:run_failed")[0]["kind"]["fault"],
            fault,
            "{code}"
        );
        let said = home.run(&["why", "1"]).stdout;
        assert!(said.starts_with("#1 ") && said.contains(why), "{code}: {said}");
    }
}

#[test]
fn behind_an_agent_whose_api_refuses_the_next_backend_steps_in() {
    let home = home("code 429 Resource exhausted");
    let config = fs::read_to_string(home.path("foldback.toml")).unwrap();
    fs::write(home.path("script.yaml"), "- agent: [\"I am the other one.\"]\n").unwrap();
    let chain = config.replace(
        "[agent.acp]",
        "fallback = [\"script\"]\n[agent.script]\nfile = \"script.yaml\"\n[agent.acp]",
    );
    fs::write(home.path("foldback.toml"), chain).unwrap();
    let mut command = home.command(&["send", "--channel", "slack", "--text", "Hello?"]);
    command.env("ACP_KEY", "k");
    let ran = run(command, "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let retried = home.journal("kind:retrying");
    assert_eq!(retried[0]["kind"]["next"]["backend"], "script");
    let said = home.run(&["why", "1"]).stdout;
    assert!(said.contains("by script, which stepped in"), "{said}");
}

/// While it answers, with an agent that does not care about the end of its input; while a person is to decide; while it
/// waits for the next message. Each time it has a child of its own, which only the system knows to end.
#[test]
fn a_bot_that_ends_in_whatever_way_leaves_no_agent_behind() {
    for (act, until) in [
        ("deaf", "chunk"),
        ("tool", "permission_asked"),
        ("say a", "turn_ended"),
        // A command in a session of its own, whose parent has ended, and which minds no SIGTERM.
        (
            "shell (setsid env -i sh -c 'trap \"\" TERM; sleep 3600; true' > /dev/null 2>&1 &) &",
            "turn_ended",
        ),
    ] {
        for signal in ["KILL", "TERM"] {
            let home = home(act);
            let mut bot = home.serve_with(&["--events", "--commands"], &[("ACP_KEY", "k")]);
            bot.until(is("started"));
            bot.order(&json!({"command": "compose_send", "args":
                {"channel": "slack", "user_text": "Hello?", "agent_output": null}}));
            bot.until(is(until));
            assert!(processes(&home) >= 3, "{act}: the agent, its child and the guard");
            bot.signal(signal);
            nobody_left(&home);
        }
    }
}

#[test]
fn doctor_says_what_an_agent_reaches_and_when_it_works_beside_tokens() {
    let home = home("say a");
    let doctor = |home: &Home| {
        let mut command = home.command(&["doctor", "--format", "json"]);
        command.env("ACP_KEY", "k");
        run(command, "").lines()
    };
    let lines = doctor(&home);
    let reach = finding(&lines, "agent.acp.confine");
    assert_eq!(reach["state"], "note");
    assert!(
        reach["found"].as_str().unwrap().contains("runs as your user"),
        "{reach}"
    );
    // The test's state folder lies below its configuration, which a real one does not.
    assert_eq!(finding(&lines, "agent.acp.directory")["state"], "note");
    let config = fs::read_to_string(home.path("foldback.toml")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let settings = format!(
        "[agent.acp]\nconfine = true\ndirectory = \"{}\"",
        elsewhere.path().display()
    );
    home.write("foldback.toml", &config.replace("[agent.acp]", &settings));
    let lines = doctor(&home);
    assert_eq!(finding(&lines, "agent.acp.directory")["state"], "fine");
    let reach = finding(&lines, "agent.acp.confine");
    assert!(
        reach["found"].as_str().unwrap().starts_with("confined by /"),
        "{reach}"
    );
}

#[test]
fn an_agent_that_is_confined_sees_nothing_of_the_bot() {
    let home = Home::new();
    let program = PROGRAM.display();
    let config = |confine: &str| {
        format!(
            "[agent]\nbackend = \"acp\"\n[agent.acp]\ncommand = [\"{program}\", \"opencode\"]\n{confine}\n\
             env = {{ ACT = \"shell ls -A $BOT $BOT/data 2>/dev/null | grep -c -e journal -e token; \
             cat $BOT/foldback.toml | wc -c\", BOT = \"{}\", KEY = {{ file = \"token\" }} }}\n\
             [channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n",
            home.path("").display()
        )
    };
    home.write("token", "sk-very-secret");
    for (confine, sees) in [("confine = false", true), ("confine = true", false)] {
        home.write("foldback.toml", &config(confine));
        let ran = home.run(&["send", "--channel", "slack", "--text", "Look around"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let text = ran.lines().last().unwrap()["text"].as_str().unwrap().to_owned();
        assert_eq!(text != "0\n0", sees, "{confine}: {text}");
        nobody_left(&home);
    }
}

#[test]
fn without_bubblewrap_a_confined_agent_is_no_bot() {
    let home = limited("say a", "confine = true");
    let mut command = home.command(&["send", "--channel", "slack", "--text", "hi"]);
    command.env("ACP_KEY", "k").env("PATH", home.path("none"));
    let ran = run(command, "");
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(
        ran.stderr
            .contains("agent.acp.confine: there is no program bwrap; install the package bubblewrap"),
        "{}",
        ran.stderr
    );
}

#[test]
fn doctor_looks_for_the_program() {
    let home = home("say a");
    let doctor = || {
        let mut command = home.command(&["doctor", "--format", "json"]);
        command.env("ACP_KEY", "sk-very-secret");
        run(command, "")
    };
    let ran = doctor();
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(finding(&ran.lines(), "agent.acp.command")["state"], "fine");
    assert_eq!(finding(&ran.lines(), "agent.acp.env.KEY")["state"], "fine");
    for about in ["agent.acp.env", "agent.acp.options"] {
        assert_eq!(finding(&ran.lines(), about)["state"], "unasked", "{about}");
    }
    assert!(!ran.stdout.contains("sk-very-secret"));

    let config = fs::read_to_string(home.path("foldback.toml")).unwrap();
    home.write(
        "foldback.toml",
        &config.replace("foldback-scripted-agent", "no-such-agent"),
    );
    let ran = doctor();
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let wrong = finding(&ran.lines(), "agent.acp.command");
    assert_eq!(wrong["state"], "wrong");
    assert!(
        wrong["found"].as_str().unwrap().contains("no-such-agent"),
        "{wrong}"
    );
}

/// In its own session, with nothing of its environment, and with a parent that has ended: whichever way it goes.
#[test]
fn an_agent_and_what_it_starts_is_no_operator() {
    for way in [
        "FOLDBACK",
        "setsid env -i FOLDBACK",
        "(setsid env -i sh -c 'sleep 0.1; FOLDBACK' &) &",
    ] {
        let home = Home::with(&format!(
            "[agent]\nbackend = \"acp\"\n[agent.acp]\ncommand = [\"{}\", \"codex\"]\n\
             env = {{ ACT = \"shell sh ./approve\" }}\n\
             [channels.slack]\nkind = \"loopback\"\narmed = true\ndm_policy = \"pairing\"\n\
             [channels.telegram]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n",
            PROGRAM.display()
        ));
        let mut bot = home.serve(&["--events", "--commands"]);
        bot.until(is("started"));
        let write = |channel: &str| {
            json!({"command": "compose_send", "args":
                {"channel": channel, "user_text": "Let me in", "agent_output": null}})
        };
        bot.order(&write("slack"));
        let asked = bot.until(is("pairing"));
        let code = bot.seen[asked]["kind"]["code"].as_str().unwrap().to_owned();
        let order = format!(
            "{} pairing --db {} approve {code} > {out} 2>&1; echo $? > {out}.code",
            env!("CARGO_BIN_EXE_foldback"),
            home.path("data/journal.sqlite").display(),
            out = home.path("said").display(),
        );
        let order = home.write("order", &order);
        let folder = folder(&home);
        fs::create_dir_all(&folder).unwrap();
        let way = way.replace("FOLDBACK", &format!("/bin/sh {}", order.display()));
        fs::write(folder.join("approve"), &way).unwrap();
        bot.order(&write("telegram"));
        while !fs::read_to_string(home.path("said.code")).is_ok_and(|code| code.ends_with('\n')) {
            thread::sleep(Duration::from_millis(5));
        }
        let said = fs::read_to_string(home.path("said")).unwrap();
        assert!(said.contains("started by the bot itself"), "{way}: {said}");
        assert_eq!(
            fs::read_to_string(home.path("said.code")).unwrap(),
            "2\n",
            "{way}"
        );
        assert_eq!(bot.term(), 0);
        assert_eq!(home.journal("kind:pairing").len(), 1, "{way}");
        // Somebody else is one.
        assert_eq!(home.run(&["pairing", "approve", &code]).code, 0);
    }
}
