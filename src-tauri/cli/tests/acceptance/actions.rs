//! Actions that an agent may ask for: what `foldback doctor` says of them, and that wrong settings are told.

use crate::bot::Home;
use serde_json::Value;

const ON: &str = "[actions.bash]\nenabled = true\n";

fn finding(home: &Home, about: &str) -> Option<Value> {
    let lines = home.run(&["doctor", "--format", "json"]).lines();
    lines.into_iter().find(|line| line["about"] == about)
}

fn found(config: &str, about: &str) -> (String, String) {
    let finding = finding(&Home::with(config), about).unwrap_or_else(|| panic!("{about}"));
    let text = |key: &str| finding[key].as_str().unwrap().to_owned();
    (text("state"), text("found"))
}

#[test]
fn doctor_says_nothing_of_actions_that_are_off() {
    let home = Home::new();
    for about in [
        "actions.bash",
        "actions.bash.confine",
        "actions.bash.folder",
        "actions.terminal",
    ] {
        assert_eq!(finding(&home, about), None, "{about}");
    }
}

#[test]
fn doctor_says_at_whose_word_commands_run() {
    let about = "actions.bash";
    let (state, words) = found(ON, about);
    assert_eq!(state, "note");
    assert!(words.contains("no command is run"), "{words}");
    let owned = |owner: &str, more: &str| format!("[commands]\nowner_allow_from = [\"{owner}\"]\n{ON}{more}");
    let (state, words) = found(&owned("telegram:42", ""), about);
    assert_eq!(state, "note");
    assert!(words.contains("each after a confirmation"), "{words}");
    let (_, words) = found(&owned("telegram:42", "allow = [\"df.*\"]\n"), about);
    assert!(words.contains("run without a confirmation"), "{words}");
    assert_eq!(found(&owned("*", ""), about).0, "wrong");
}

#[test]
fn doctor_says_which_shell_commands_run_in_and_that_kept_ones_have_the_same_space() {
    for on in [ON, "[actions.terminal]\nenabled = true\n"] {
        let home = Home::with(on);
        let lines = home.run(&["doctor", "--format", "json"]).lines();
        let shells: Vec<_> = lines
            .iter()
            .filter(|line| line["about"] == "actions.terminal" && line["state"] == "fine")
            .map(|line| line["found"].as_str().unwrap())
            .collect();
        assert_eq!(shells, ["commands run in /bin/bash"], "{on}");
        let space = lines
            .iter()
            .find(|line| line["about"] == "actions.bash.confine")
            .unwrap();
        assert!(
            space["todo"]
                .as_str()
                .unwrap()
                .contains("bubblewrap, which is installed"),
            "{space}"
        );
    }
}

#[test]
fn doctor_says_what_commands_reach_and_where_they_work() {
    let (state, words) = found(ON, "actions.bash.confine");
    assert_eq!(state, "note");
    assert!(words.starts_with("commands run as your user"), "{words}");
    let (state, words) = found(&format!("{ON}confine = true\n"), "actions.bash.confine");
    assert_eq!(state, "fine", "{words}");
    assert!(words.starts_with("confined by /"), "{words}");
    let (state, words) = found(&format!("{ON}folder = \"here\"\n"), "actions.bash.folder");
    assert_eq!(state, "note");
    assert!(words.contains("where tokens are"), "{words}");
}

#[test]
fn doctor_says_where_nothing_reads_actions() {
    let (state, _) = found(ON, "output.dialects");
    assert_eq!(state, "note");
    let home = Home::with(&format!(
        "[output]\ndialects = [\"json\"]\n{ON}[channels.telegram]\nkind = \"loopback\"\n"
    ));
    assert_eq!(finding(&home, "output.dialects"), None);
}

#[test]
fn a_pattern_that_is_none_is_told_with_its_line() {
    let home = Home::with("[actions.bash]\nallow = [\"df\", \"(\"]\n");
    let words = finding(&home, "configuration").unwrap()["found"].to_string();
    assert!(words.contains("foldback.toml:2:"), "{words}");
    assert!(words.contains("this is no regular expression"), "{words}");
}
