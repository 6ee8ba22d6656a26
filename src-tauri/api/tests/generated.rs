//! What is generated is what is committed, and the generator says so when it is not.

use foldback_actions::ActionDecision;
use foldback_api::typescript;
use foldback_directives::Dialect;
use foldback_pipeline::config::parse;
use std::{fs, path::Path, process::Command};

#[test]
fn what_is_committed_is_what_is_generated() {
    let checked = Command::new(env!("CARGO_BIN_EXE_generate"))
        .args(["--mode", "check"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stderr);
    // A recording's lines are long; the beginning of each is enough to see what it is.
    let short: Vec<String> = said
        .lines()
        .take(40)
        .map(|line| line.chars().take(300).collect())
        .collect();
    assert!(checked.status.success(), "{}", short.join("\n"));
}

#[test]
fn drift_names_the_file_the_line_and_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    for file in typescript::files() {
        fs::write(folder.path().join(file.name), file.text).unwrap();
    }
    assert_eq!(typescript::drift(folder.path(), &typescript::files()), "");

    let path = folder.path().join("commands.ts");
    let edited = fs::read_to_string(&path)
        .unwrap()
        .replace("status: { args: Nothing;", "status: { args: string;");
    let line = 1 + edited.lines().position(|l| l.contains("args: string")).unwrap();
    fs::write(&path, edited).unwrap();
    assert_eq!(
        typescript::drift(folder.path(), &typescript::files()),
        format!(
            "commands.ts:{line}\n-   status: {{ args: string; result: Status }};\n+   status: {{ args: Nothing; result: Status }};\n"
        )
    );
}

#[test]
fn large_numbers_are_numbers_and_no_type_is_left_out() {
    let files = typescript::files();
    for file in &files {
        assert!(!file.text.contains("bigint"), "{}", file.name);
    }
    let wire = &files.iter().find(|f| f.name == "wire.ts").unwrap().text;
    for name in [
        "Event",
        "Kind",
        "Push",
        "Topic",
        "Failure",
        "TurnDetail",
        "Moment",
    ] {
        assert!(wire.contains(&format!("\nexport type {name} = ")), "{name}");
    }
}

#[test]
fn every_closed_set_of_the_contract_is_there_as_data() {
    let files = typescript::files();
    let text = |name| &files.iter().find(|f| f.name == name).unwrap().text;
    let sets: Vec<_> = text("wire.ts")
        .lines()
        .filter_map(|line| {
            line.strip_prefix("export type ")?
                .strip_suffix(';')?
                .split_once(" = ")
        })
        .filter(|(_, body)| {
            body.split(" | ")
                .all(|value| value.starts_with('"') && value.ends_with('"'))
        })
        .map(|(name, _)| name)
        .collect();
    assert!(sets.len() > 20, "{sets:?}");
    for name in sets {
        let entries = format!("satisfies readonly Entry<{name}>[];");
        assert!(text("closed.ts").contains(&entries), "{name}");
    }
}

#[test]
fn the_example_of_the_page_about_actions_has_commands_carried_out() {
    let page = include_str!("../../../docs/actions.md");
    let block = |kind: &str| {
        let begun = page.split(&format!("```{kind}\n")).nth(1).unwrap();
        begun.split("```").next().unwrap()
    };
    let config = parse(block("toml"), Path::new("foldback.toml")).unwrap();
    assert!(config.actions.bash.enabled);
    assert!(config.output.dialects.contains(&Dialect::Json));
    assert!(config.channels.values().all(|channel| channel.armed));
    // The sender who is let in is the owner at whose word a command runs.
    let let_in = config.channels.values().flat_map(|channel| &channel.allow_from);
    assert_eq!(
        let_in.collect::<Vec<_>>(),
        config.commands.owner_allow_from.iter().collect::<Vec<_>>()
    );
    let rules = config.actions.bash.rules().unwrap();
    assert!(matches!(rules.decide("df -h"), ActionDecision::Allowed(_)));
    assert!(block("yaml").contains("df -h"));
}
