//! The first steps that the documents tell people to take, taken literally.

use crate::{acp::scripted_agent, bot::Home, foldback::run};
use std::{env, fs, os::unix::fs::symlink, path::Path, process::Command};

/// The first fenced block of a language that holds `word`, in a part of a document.
fn block<'a>(part: &'a str, language: &str, word: &str) -> &'a str {
    let opening = format!("```{language}\n");
    let blocks = part.split(&opening).skip(1);
    let mut blocks = blocks.filter_map(|rest| rest.split("```").next());
    blocks
        .find(|block| block.contains(word))
        .unwrap_or_else(|| panic!("a {language} block with {word}"))
}

/// A folder of programs: `foldback`, and the scripted agent under this name.
fn programs(home: &Home, agent: &str) -> String {
    let bin = home.path("bin");
    fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_foldback"), bin.join("foldback")).unwrap();
    let script = format!("#!/bin/sh\nexec {} opencode\n", scripted_agent().display());
    fs::write(bin.join(agent), script).unwrap();
    let done = Command::new("chmod").arg("+x").arg(bin.join(agent)).status();
    assert!(done.unwrap().success());
    format!("{}:{}", bin.display(), env::var("PATH").unwrap_or_default())
}

#[test]
fn the_quick_start_of_an_acp_agent_runs_the_agent_that_it_names() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md");
    let document = fs::read_to_string(document).unwrap();
    let part = document
        .split("### From zero to the first answer")
        .nth(1)
        .unwrap();
    let home = Home::new();
    let path = programs(&home, "opencode");
    let config = block(part, "toml", "# foldback.toml");
    // The act that the scripted agent needs, whatever it is asked.
    let config = config.replace(
        "[agent.acp]\n",
        "[agent.acp]\nenv = { ACT = \"say I am the agent.\" }\n",
    );
    home.write("foldback.toml", &config);
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-euc", block(part, "sh", "foldback send")])
        .current_dir(home.path(""))
        .env_remove("RUST_LOG")
        .env_remove("FOLDBACK_CONFIG")
        .env("XDG_CONFIG_HOME", home.path("config"))
        .env("XDG_STATE_HOME", home.path("state"))
        .env("FOLDBACK_DATA_DIR", home.path("data"))
        .env("PATH", path);
    let ran = run(shell, "");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("I am the agent."), "{}", ran.stdout);
    let file = home.path("").canonicalize().unwrap().join("foldback.toml");
    let said = format!(
        "foldback: configuration {}; agent acp (opencode)\n",
        file.display()
    );
    assert!(ran.stderr.contains(&said), "{}", ran.stderr);
}

#[test]
fn a_configuration_may_be_named_by_a_relative_path() {
    let home = Home::new();
    home.write(
        "foldback.toml",
        &format!(
            "[agent]\nbackend = \"acp\"\n[agent.acp]\ncommand = [\"{}\", \"codex\"]\nenv = {{ ACT = \"say here\" }}\n\
             [channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n",
            scripted_agent().display()
        ),
    );
    let send = ["send", "--channel", "slack", "--text", "hi"];
    for (args, env) in [
        ([&send[..], &["--config", "foldback.toml"]].concat(), ""),
        ([&send[..], &["--config", "./foldback.toml"]].concat(), ""),
        (send.to_vec(), "foldback.toml"),
    ] {
        let mut command = home.command(&args);
        command.current_dir(home.path("")).env("FOLDBACK_CONFIG", env);
        let ran = run(command, "");
        assert_eq!(ran.code, 0, "{args:?} {env}: {}", ran.stderr);
        assert_eq!(ran.lines().last().unwrap()["text"], "here", "{args:?} {env}");
    }
}

#[test]
fn the_demonstration_says_that_it_is_one_and_that_a_configuration_lies_beside_it() {
    let home = Home::new();
    let mut command = home.command(&["send", "--channel", "slack", "--text", "hi"]);
    command.current_dir(home.path(""));
    let ran = run(command, "");
    let said = "foldback: built-in configuration; agent script (the built-in demonstration)\n";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);

    let home = Home::new();
    let mut command = home.command(&["send", "--channel", "slack", "--text", "hi"]);
    command.current_dir(home.path(""));
    home.write("foldback.toml", "[agent]\nbackend = \"acp\"\n");
    let ran = run(command, "");
    let said = "foldback: built-in configuration; agent script (the built-in demonstration); the foldback.toml in \
                this folder is not used: name it with --config or in FOLDBACK_CONFIG\n";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}

#[test]
fn serve_says_which_configuration_it_runs() {
    let home = Home::with(
        "[agent]\nbackend = \"script\"\n[channels.slack]\nkind = \"loopback\"\nallow_from = [\"*\"]\n\
         [channels.telegram]\nkind = \"loopback\"\nbackend = \"openai\"\n\
         [agent.openai]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"my-model\"\n",
    );
    let mut bot = home.serve(&["--events"]);
    bot.until(crate::bot::is("started"));
    assert_eq!(bot.term(), 0);
    let said = format!(
        "configuration {}; agent script (the built-in demonstration), on telegram openai (my-model)",
        home.path("foldback.toml").display()
    );
    let log = home.log();
    let mut log = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    assert!(log.any(|line| line["message"] == said.as_str()), "{}", home.log());
}
