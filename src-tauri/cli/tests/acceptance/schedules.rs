//! `foldback schedules`: listed with and without a bot that runs, begun, paused and let go on.

use crate::bot::{Home, is};
use serde_json::{Value, json};

const CONFIG: &str = "[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n\
    [agent.script]\nfile = \"script.yaml\"\n\
    [[schedule]]\nname = \"morning\"\ncron = \"0 9 * * *\"\nzone = \"Europe/Berlin\"\nchannel = \"slack\"\nchat = \"C1\"\n\
    prompt = \"What is new?\"\n\
    [[schedule]]\nname = \"beat\"\nevery = \"8760h\"\nchannel = \"slack\"\nchat = \"C1\"\nheartbeat = true\n";

fn home() -> Home {
    let home = Home::with(CONFIG);
    home.write("script.yaml", "- agent: [\"Nothing is new.\"]\n");
    home
}

fn listed(home: &Home, args: &[&str]) -> Vec<Value> {
    let ran = home.run(&[&["schedules"], args, &["--json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.json().as_array().unwrap().clone()
}

#[test]
fn without_a_bot_they_are_listed_and_cannot_be_ordered() {
    let home = home();
    let told = home.run(&["schedules"]).stdout;
    for part in [
        "morning  next ",
        "(cron 0 9 * * * Europe/Berlin)",
        "beat  next ",
        "never ran",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let lines = listed(&home, &[]);
    let names: Vec<_> = lines.iter().map(|line| &line["name"]).collect();
    assert_eq!(names, ["morning", "beat"]);
    assert!(
        lines[0]["next"].is_string() && lines[1]["heartbeat"] == true,
        "{lines:?}"
    );
    for order in ["run", "pause", "resume"] {
        let ran = home.run(&["schedules", order, "morning"]);
        assert_eq!(ran.code, 2, "{order}");
        assert!(ran.stderr.contains("No bot runs on"), "{order}: {}", ran.stderr);
    }
    let without = Home::with("[channels.slack]\nkind = \"loopback\"\n").run(&["schedules"]);
    assert!(
        without.stdout.starts_with("There are no schedules."),
        "{}",
        without.stdout
    );
}

#[cfg(unix)]
#[test]
fn a_schedule_of_the_bot_that_runs_is_paused_over_a_restart_let_go_on_and_begun() {
    let home = home();
    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    let paused = listed(&home, &["pause", "morning"]);
    assert_eq!(
        (&paused[0]["paused"], &paused[0]["next"]),
        (&json!(true), &Value::Null)
    );
    let told = bot.until(is("schedule_paused"));
    let kind = &bot.seen[told]["kind"];
    assert_eq!(
        (&kind["schedule"], &kind["by"]),
        (&json!("morning"), &json!("cli"))
    );
    assert_eq!(bot.term(), 0);
    assert!(home.run(&["schedules"]).stdout.contains("morning  paused"));

    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    assert_eq!(listed(&home, &[])[0]["paused"], true);
    let resumed = listed(&home, &["resume", "morning"]);
    assert!(
        resumed[0]["paused"] == false && resumed[0]["next"].is_string(),
        "{resumed:?}"
    );

    listed(&home, &["run", "morning"]);
    let due = bot.until(is("schedule_due"));
    let kind = bot.seen[due]["kind"].clone();
    assert_eq!(
        (&kind["schedule"], &kind["by"]),
        (&json!("morning"), &json!("cli"))
    );
    let ended = bot.until(is("turn_ended"));
    assert_eq!(bot.seen[ended]["kind"]["terminal"]["state"], "replied");
    let last = listed(&home, &[])[0]["last"].clone();
    assert_eq!(
        (&last["said"], &last["turn"]),
        (&json!("Nothing is new."), &bot.seen[due]["turn"])
    );
    let text = home.run(&["schedules"]).stdout;
    assert!(text.contains("replied"), "{text}");

    let ran = home.run(&["schedules", "run", "evening"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("evening") && ran.stderr.contains("`foldback schedules` lists them"),
        "{}",
        ran.stderr
    );
    assert_eq!(bot.term(), 0);
}
