//! `foldback doctor`: what is wrong, and what to do.

use crate::{
    answering::Answering,
    bot::{Home, arg},
    foldback::{Ran, run},
};
use foldback_strict::free_address;
use serde_json::Value;
use std::net::TcpListener;

fn finding(ran: &Ran, about: &str) -> Value {
    let lines = ran.lines();
    let found = lines.iter().find(|line| line["about"] == about);
    found.unwrap_or_else(|| panic!("{about}: {lines:#?}")).clone()
}

#[test]
fn the_embedded_default_is_fine() {
    let ran = Home::new().run(&["doctor"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(
        ran.stdout.contains("fine    the bot: can start"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_broken_configuration_is_a_finding_with_its_place() {
    let home = Home::with("[output]\nplacemnt = \"start\"\n");
    let ran = home.run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 1);
    let finding = finding(&ran, "configuration");
    assert_eq!(finding["state"], "wrong");
    assert!(
        finding["found"]
            .as_str()
            .unwrap()
            .contains("foldback.toml:2:1: output.placemnt")
    );
    assert!(
        finding["todo"]
            .as_str()
            .unwrap()
            .contains("foldback schema config")
    );
}

#[test]
fn secrets_are_looked_up_and_never_shown() {
    let server = Answering::new(|request| {
        if request.contains("authorization: Bearer sk-secret\r\n") {
            (200, r#"{"data": [{"id": "m"}]}"#)
        } else {
            (401, r#"{"error": {"message": "who are you?"}}"#)
        }
    });
    let config = |url: &str| {
        format!(
            "[agent]\nbackend = \"openai\"\n[agent.openai]\nbase_url = \"{url}/v1\"\nmodel = \"m\"\n\
             api_key = {{ env = \"DOCTOR_KEY\" }}\n\
             [channels.slack]\nkind = \"loopback\"\ntoken = {{ file = \"token\" }}\nallow_from = [\"*\"]\n"
        )
    };
    let home = Home::with(&config(server.url()));
    home.write("token", "xoxb-secret\n");
    let mut command = home.command(&["doctor", "--format", "json"]);
    command.env("DOCTOR_KEY", "sk-secret");
    let ran = run(command, "");
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(finding(&ran, "agent.openai.api_key")["state"], "fine");
    assert_eq!(finding(&ran, "agent.openai.base_url")["state"], "fine");
    assert!(
        !format!("{}{}", ran.stdout, ran.stderr).contains("secret"),
        "{}",
        ran.stdout
    );

    let free = free_address().unwrap();
    home.write("foldback.toml", &config(&format!("http://{free}")));
    let mut command = home.command(&["doctor", "--format", "json"]);
    command.env("DOCTOR_KEY", "sk-secret");
    let gone = run(command, "");
    assert_eq!(finding(&gone, "agent.openai.base_url")["state"], "wrong");

    std::fs::remove_file(home.path("token")).unwrap();
    let mut command = home.command(&["doctor", "--format", "json"]);
    command.env_remove("DOCTOR_KEY");
    let ran = run(command, "");
    assert_eq!(ran.code, 1);
    for about in ["agent.openai.api_key", "channels.slack.token", "the bot"] {
        let finding = finding(&ran, about);
        assert_eq!(finding["state"], "wrong", "{finding}");
        assert!(finding["todo"].is_string(), "{finding}");
    }
    let server = finding(&ran, "agent.openai.base_url");
    assert_eq!(server["state"], "unasked", "without the key nobody is asked");
}

#[test]
fn a_backend_that_only_steps_in_is_checked_too() {
    let home = Home::with("[agent]\nfallback = [\"openai\", \"letta/agent-1\"]\n");
    let ran = home.run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 1);
    for about in [
        "agent.openai.base_url",
        "agent.openai.model",
        "agent.letta.base_url",
        "the bot",
    ] {
        let finding = finding(&ran, about);
        assert_eq!(
            (&finding["state"], finding["todo"].is_string()),
            (&"wrong".into(), true),
            "{finding}"
        );
    }
    let shared = finding(&ran, "agent.letta");
    assert_eq!(shared["state"], "note", "{shared}");
    assert_eq!(shared["found"], "all chats share the memory of its agent");
    assert!(
        !ran.stdout.contains("agent.letta.model"),
        "the chain names its own: {}",
        ran.stdout
    );
}

#[test]
fn folders_must_be_writable_and_nobody_let_in_is_worth_a_note() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\n[files]\nsend_dir = \"taken/out\"\n");
    home.write("taken", "a file is in the way");
    let ran = home.run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(finding(&ran, "files.send_dir")["state"], "wrong");
    let slack = finding(&ran, "channels.slack");
    assert_eq!(slack["state"], "note");
    assert!(
        slack["todo"]
            .as_str()
            .unwrap()
            .contains("channels.slack.allow_from")
    );
}

#[test]
fn a_journal_that_cannot_be_written_is_found() {
    let home = Home::new();
    let taken = home.write("taken", "a file is in the way");
    let below = taken.join("journal.sqlite");
    // In the first nobody can make a file; the second is no folder; the third is one.
    for db in [std::path::Path::new("/proc/x"), &below, &home.path("")] {
        let ran = home.run(&["doctor", "--format", "json", "--db", arg(db)]);
        assert_eq!(ran.code, 1, "{}: {}", db.display(), ran.stdout);
        let finding = finding(&ran, "journal");
        assert_eq!(finding["state"], "wrong", "{finding}");
        let found = finding["found"].as_str().unwrap();
        assert!(
            found.contains(arg(db)) && found.contains("cannot be written"),
            "{finding}"
        );
        assert!(finding["todo"].as_str().unwrap().contains("--db"), "{finding}");
    }
    let fresh = home.run(&[
        "doctor",
        "--format",
        "json",
        "--db",
        arg(&home.path("new/journal.sqlite")),
    ]);
    assert_eq!(fresh.code, 0, "{}", fresh.stdout);
    assert_eq!(finding(&fresh, "journal")["state"], "fine");
}

#[test]
fn a_look_leaves_nothing_behind_and_a_named_folder_must_be_there() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\n");
    let ran = home.run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(finding(&ran, "files.send_dir")["state"], "fine");
    let left: Vec<_> = std::fs::read_dir(home.path(""))
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(left, ["foldback.toml"]);

    let home = Home::with("[files]\nsend_dir = \"outgoing\"\n");
    let ran = home.run(&["doctor", "--format", "json"]);
    let missing = finding(&ran, "files.send_dir");
    assert_eq!(missing["state"], "wrong", "{missing}");
    assert!(
        missing["found"].as_str().unwrap().contains("is not there"),
        "{missing}"
    );
    assert!(!home.path("outgoing").exists());
    let none = finding(&ran, "channels");
    assert_eq!(none["state"], "note", "{none}");
}

#[test]
fn a_folder_that_files_are_sent_from_has_nothing_of_the_bot_in_it() {
    let home = Home::with("[files]\nsend_dir = \".\"\n");
    let ran = home.run(&["doctor", "--format", "json"]);
    let started = home.run(&["serve"]);
    assert_eq!(started.code, 2);
    let why = "foldback.toml in it, the configuration, which an agent could send";
    assert!(started.stderr.contains(why), "{}", started.stderr);
    for about in ["files.send_dir", "the bot"] {
        let found = finding(&ran, about);
        assert_eq!(found["state"], "wrong", "{found}");
        assert!(found["found"].as_str().unwrap().contains(why), "{found}");
    }
}

/// A start refuses each of them, and so the sentence is the one that it would end with.
#[cfg(unix)]
#[test]
fn a_journal_with_another_name_or_a_lock_elsewhere_is_found() {
    use std::{fs, os::unix::fs::symlink};
    let home = Home::with(
        "[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n\
         [store]\nfile = \"journal.sqlite\"\n",
    );
    let (journal, other) = (home.path("journal.sqlite"), home.path("other.sqlite"));
    let refused = |why: &str| {
        let found = finding(&home.run(&["doctor", "--format", "json"]), "journal");
        let started = home.run(&["serve"]);
        assert_eq!((started.code, &found["state"]), (2, &"wrong".into()), "{found}");
        let found = found["found"].as_str().unwrap();
        assert!(found.contains(why) && started.stderr.contains(found), "{found}");
    };
    let lock = home.path("journal.sqlite.lock");
    symlink(home.path("elsewhere"), &lock).unwrap();
    refused("is a symbolic link");
    fs::remove_file(&lock).unwrap();
    assert_eq!(home.send("slack", "hello", "hi").code, 0);
    fs::hard_link(&journal, &other).unwrap();
    refused("has another name");
    fs::remove_file(&other).unwrap();
    let fine = finding(&home.run(&["doctor", "--format", "json"]), "journal");
    assert_eq!(fine["state"], "fine", "{fine}");
}

#[cfg(unix)]
#[test]
fn a_journal_that_is_full_empty_or_a_link_to_itself_is_found() {
    let home = Home::with("[channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n");
    assert_eq!(home.send("slack", "hello", "hi").code, 0);
    home.write(
        "foldback.toml",
        "[channels.slack]\nkind = \"loopback\"\n[store]\nmax_size = \"8KiB\"\n",
    );
    let full = finding(&home.run(&["doctor", "--format", "json"]), "journal");
    assert_eq!(full["state"], "wrong", "{full}");
    assert!(
        full["todo"].as_str().unwrap().contains("store.max_size"),
        "{full}"
    );

    let empty = home.write("empty.sqlite", "");
    let link = home.path("loop.sqlite");
    std::os::unix::fs::symlink(&link, &link).unwrap();
    for (db, state) in [(&empty, "note"), (&link, "wrong")] {
        let ran = home.run(&["doctor", "--format", "json", "--db", arg(db)]);
        assert_eq!(finding(&ran, "journal")["state"], state, "{}", ran.stdout);
    }
}

#[test]
fn a_channel_without_an_adapter_and_a_journal_that_is_none_are_found() {
    let home = Home::with("[channels.telegram]\nallow_from = [\"1\"]\n");
    let none = home.write(
        "other.sqlite",
        "this is no database, but it is long enough to look like a file of one",
    );
    let ran = home.run(&["doctor", "--format", "json", "--db", arg(&none)]);
    assert_eq!(ran.code, 1);
    assert_eq!(finding(&ran, "journal")["state"], "wrong");
    assert!(
        finding(&ran, "the bot")["found"]
            .as_str()
            .unwrap()
            .contains("channels.telegram")
    );
}

#[test]
fn speech_is_looked_at_without_a_word_being_spoken() {
    let service = Answering::new(|request| {
        assert!(
            request.starts_with("GET /v1/models"),
            "nothing else is asked: {request}"
        );
        if request.contains("authorization: Bearer sk-secret\r\n") {
            (200, r#"{"data": [{"id": "m"}]}"#)
        } else {
            (401, "{}")
        }
    });
    let config = |key: &str| {
        format!(
            "[speech]\nbackend = \"command\"\ncommand = [\"/nowhere/say\"]\n[transcription]\nbackend = \"openai\"\n\
             base_url = \"{}/v1\"\nmodel = \"m\"\napi_key = {{ file = \"{key}\" }}\n",
            service.url()
        )
    };
    let home = Home::with(&config("key"));
    home.write("key", "sk-secret\n");
    home.write("other", "sk-swapped\n");
    let ran = home.run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 1);
    let program = finding(&ran, "speech.command");
    assert_eq!(
        (&program["state"], &program["found"]),
        (&"wrong".into(), &"/nowhere/say is not there".into())
    );
    let answered = finding(&ran, "transcription.base_url");
    assert_eq!(answered["state"], "fine", "{answered}");
    assert_eq!(answered["asked"], format!("GET {}/v1/models", service.url()));
    assert_eq!(finding(&ran, "transcription.api_key")["state"], "fine");
    assert!(!ran.stdout.contains("sk-secret"));

    home.write("foldback.toml", &config("other"));
    let refused = finding(
        &home.run(&["doctor", "--format", "json"]),
        "transcription.base_url",
    );
    assert_eq!(
        (&refused["state"], &refused["found"], &refused["todo"]),
        (
            &"wrong".into(),
            &"refuses the key with 401".into(),
            &"mend transcription.api_key".into()
        )
    );

    let home = Home::with("[speech]\nbackend = \"openai\"\nvoice = \"alto\"\n");
    let ran = home.run(&["doctor", "--format", "json"]);
    let bot = finding(&ran, "the bot");
    assert_eq!(
        (&bot["state"], &bot["found"]),
        (&"wrong".into(), &"speech.base_url is not set".into())
    );
}

#[test]
fn a_server_that_never_answers_is_a_finding_and_not_the_end_of_the_others() {
    // It takes connections and says nothing, for as long as the test lives.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", silent.local_addr().unwrap());
    let home = Home::with(&format!(
        "[speech]\nbackend = \"openai\"\nbase_url = \"{url}\"\nmodel = \"m\"\nvoice = \"v\"\n\
         [transcription]\nbackend = \"openai\"\nbase_url = \"{url}\"\nmodel = \"m\"\n"
    ));
    let ran = home.run(&["doctor", "--format", "json", "--timeout", "15"]);
    assert_eq!(ran.code, 1);
    for about in ["speech.base_url", "transcription.base_url"] {
        let late = finding(&ran, about);
        assert_eq!(late["state"], "wrong", "{late}");
        assert!(late["found"].as_str().unwrap().contains("15 s"), "{late}");
        assert_eq!(late["asked"], format!("GET {url}/models"));
    }
    assert_eq!(finding(&ran, "the bot")["state"], "fine");
}

#[test]
fn what_cannot_be_asked_is_said_with_why_and_the_setting() {
    let service = Answering::new(|_| (404, "not here"));
    let home = Home::with(&format!(
        "[transcription]\nbackend = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"m\"\n",
        service.url()
    ));
    let ran = home.run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let unasked = finding(&ran, "transcription.base_url");
    assert_eq!(unasked["state"], "unasked", "{unasked}");
    assert!(
        unasked["found"].as_str().unwrap().contains("404")
            && unasked["todo"]
                .as_str()
                .unwrap()
                .contains("transcription.base_url"),
        "{unasked}"
    );
    for finding in ran.lines() {
        assert!(!finding["asked"].as_str().unwrap().is_empty(), "{finding}");
    }
}

#[cfg(unix)]
#[test]
fn what_other_users_may_read_is_told() {
    use std::{
        fs::{Permissions, create_dir, set_permissions},
        os::unix::fs::PermissionsExt as _,
    };
    let home = Home::with(
        "[channels.slack]\nkind = \"loopback\"\ntoken = { file = \"token\" }\nallow_from = [\"*\"]\n\
         [store]\nfile = \"other/journal.sqlite\"\n\
         [[hooks]]\nname = \"told\"\nwhere = \"outcome:failed\"\nurl = \"http://127.0.0.1:9\"\n\
         secret = { file = \"hook\" }\n",
    );
    home.write("token", "xoxb-secret\n");
    home.write("hook", "signed-with\n");
    create_dir(home.path("other")).unwrap();
    let sent = home.send("slack", "hello", "hi");
    assert_eq!(sent.code, 0, "{}", sent.stderr);
    let rights = |about: &str| {
        let ran = home.run(&["doctor", "--format", "json"]);
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        finding(&ran, about)
    };
    for about in [
        "data folder",
        "journal rights",
        "channels.slack.token",
        "hooks.told.secret",
    ] {
        assert_eq!(rights(about)["state"], "fine");
    }
    for folder in [home.path(""), home.path("other")] {
        set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(rights("data folder")["state"], "fine", "a start made it private");
    for (about, file, remedy) in [
        ("journal rights", "other/journal.sqlite", "chmod 600"),
        ("channels.slack.token", "token", "chmod 600"),
        ("hooks.told.secret", "hook", "chmod 600"),
    ] {
        set_permissions(home.path(file), Permissions::from_mode(0o644)).unwrap();
        let told = rights(about);
        assert_eq!(told["state"], "note", "{told}");
        assert!(told["found"].as_str().unwrap().contains("(0644)"), "{told}");
        assert!(told["todo"].as_str().unwrap().contains(remedy), "{told}");
    }
}

#[test]
fn a_list_that_lets_nobody_use_commands_is_a_finding() {
    let config = "[commands]\nowner_allow_from = [\"discord:9\"]\n[channels.telegram]\nkind = \"loopback\"\n\
                  allow_from = [\"*\"]\nenforce_owner = true\n";
    let ran = Home::with(config).run(&["doctor", "--format", "json"]);
    let lines = ran.lines();
    let found = lines.iter().find(|line| {
        line["about"] == "channels.telegram"
            && line["found"]
                .as_str()
                .is_some_and(|found| found.contains("commands"))
    });
    let found = found.unwrap_or_else(|| panic!("{lines:#?}"));
    assert_eq!(found["state"], "note");
    assert!(
        found["todo"]
            .as_str()
            .unwrap()
            .contains("commands.owner_allow_from"),
        "{found}"
    );
}
