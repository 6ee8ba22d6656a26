//! What agents do beside writing, as a backend tells it: tools, thoughts, permissions, voices, sessions, files, and
//! somebody who steps in.

use super::{BEGIN, Result, Tape, followed, latest, pushed, repeatable, rows, turns, written};
use foldback_api::{Backend, Setup};
use foldback_wire::{Actor, Attachment, ChatId, ChatType, Inbound, Sender, rpc::Topic};
use serde_json::{Value, json};
use std::{fs, path::Path, time::Duration};

const CONFIG: &str = include_str!("agents.toml");
const SCRIPT: &str = include_str!("agents.yaml");
/// Longer than any answer here takes, but for the two that go on.
const ANSWER: Duration = Duration::from_secs(8);

/// One message: channel, chat (a direct one is named by its person), person, name as shown, text.
struct Said(
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// Each of these turns ends by itself.
const FIRST: [Said; 7] = [
    Said(
        "telegram",
        "4411",
        "4411",
        "Alice",
        "Which is the cheapest night in the hut?",
    ),
    Said("telegram", "4411", "4411", "Alice", "Say it: when do we start?"),
    Said(
        "discord",
        "weekend",
        "80351110224678912",
        "Bob",
        "Can you read me the address?",
    ),
    Said(
        "discord",
        "weekend",
        "80351110224678912",
        "Bob",
        "Please delete my account.",
    ),
    Said(
        "whatsapp",
        "33612345678",
        "33612345678",
        "Carol",
        "Remember this: we start at eight.",
    ),
    Said(
        "whatsapp",
        "33612345678",
        "33612345678",
        "Carol",
        "So, go on where we were.",
    ),
    Said(
        "signal",
        "+33698765432",
        "+33698765432",
        "Dave",
        "Is anybody there?",
    ),
];
const LONG: &str = "Maximiliane Rosenkranz-Wetterstein";
const SLACK: &str = "weekend-in-the-hills-planning";
/// What asks, runs and waits when the recording ends.
const LAST: [Said; 5] = [
    Said(
        "slack",
        SLACK,
        "U07MAXIMILIANE",
        LONG,
        "Please tidy up the old releases on the server.",
    ),
    Said(
        "telegram",
        "4411",
        "4411",
        "Alice",
        "Then book the hut for Monday.",
    ),
    Said(
        "discord",
        "weekend",
        "80351110224678912",
        "Bob",
        "While we wait, count the sheep.",
    ),
    Said("discord", "weekend", "80351110224678912", "Bob", "Are you done?"),
    Said("discord", "weekend", "80351110224678912", "Bob", "Hello?"),
];

pub(super) async fn record(folder: &Path) -> Result<String> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("agents.yaml"), SCRIPT)?;
    let config = folder.join("agents.toml");
    fs::write(&config, CONFIG)?;
    let mut setup = Setup::from_file(
        &config,
        folder.to_owned(),
        folder.join("fixtures"),
        Actor::Console,
    )?;
    // The folder of a recording is another one each time.
    setup.file = Some("/etc/foldback/agents.toml".into());
    repeatable(&mut setup);
    let mut tape = Tape::new(Backend::open(setup).await?);
    let mut app = tape
        .backend
        .subscribe(&Topic::App)
        .map_err(|failure| failure.message)?;
    converse(&tape).await?;

    let pushes = followed("start", 0, latest(pushed(&mut app, Duration::from_secs(1)).await));
    let rows = rows(&tape.backend).await?;
    tape.state().await;
    for detail in turns(&mut tape, None).await {
        voices(&mut tape, &detail).await;
    }
    let decisions = rows.iter().filter(|row| row.kind.starts_with("permission_"));
    for row in decisions {
        tape.play("event", json!({ "seq": row.seq })).await;
    }
    tape.play("filter_check", json!({ "text": "" })).await;
    for (deed, session) in [
        ("session_detail", "discord:weekend:80351110224678912"),
        ("session_drop", "discord:weekend:80351110224678912"),
        ("session_reset", "whatsapp:33612345678"),
        ("session_cancel", "discord:weekend:80351110224678912"),
    ] {
        tape.play(deed, json!({ "session": session })).await;
    }
    let asked = tape.ask("permissions", json!({})).await?;
    for (number, option) in [(0, "yes"), (1, "reject")] {
        let of = &asked[number];
        let answer = json!({ "turn": of["turn"], "permission": of["request"]["id"], "option": option });
        tape.play("permission_decide", answer).await;
    }
    written(&rows, &tape.calls, &pushes)
}

/// What is said and decided before the recording begins.
async fn converse(tape: &Tape) -> Result<()> {
    // The channels connect.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let refused = json!({
        "place": { "of": "agent", "agent": "openai" }, "fault": { "run": { "fail": "overloaded", "first_byte_ms": 1200, "times": 2 } },
    });
    tape.ask("fault_plan", refused).await?;
    for said in &FIRST {
        say(tape, said, Vec::new()).await?;
    }
    let said = Said(
        "whatsapp",
        "33612345678",
        "33612345678",
        "Carol",
        "What do you see on these pictures?",
    );
    say(tape, &said, pictures(tape)?).await?;

    let said = Said(
        "slack",
        SLACK,
        "U07MAXIMILIANE",
        LONG,
        "Please throw away the old build.",
    );
    say(tape, &said, Vec::new()).await?;
    let asked = tape.ask("permissions", json!({})).await?;
    let answer = json!({ "turn": asked[0]["turn"], "permission": "p1", "option": "allow" });
    tape.ask("permission_decide", answer).await?;
    tokio::time::sleep(ANSWER).await;

    let said = Said(
        "signal",
        "+33698765432",
        "+33698765432",
        "Dave",
        "Tell me the whole history of the hut.",
    );
    say(tape, &said, Vec::new()).await?;
    tape.ask("session_cancel", json!({ "session": "signal:+33698765432" }))
        .await?;
    tokio::time::sleep(ANSWER).await;

    for said in &LAST {
        say(tape, said, Vec::new()).await?;
    }
    Ok(())
}

async fn say(tape: &Tape, said: &Said, files: Vec<Attachment>) -> Result<()> {
    let Said(channel, chat, person, name, text) = *said;
    let loopback = tape
        .backend
        .loopback(&channel.into())
        .ok_or("there is no such channel")?;
    let chat = ChatId::new(chat);
    loopback.inject(Inbound {
        channel: channel.into(),
        account: None,
        chat_type: if chat.as_str() == person {
            ChatType::Direct
        } else {
            ChatType::Group
        },
        message: loopback.mint(&chat),
        chat,
        thread: None,
        reply_to: None,
        sender: Sender {
            id: person.into(),
            name: person.to_owned(),
            display_name: name.to_owned(),
            is_bot: false,
        },
        text: text.to_owned(),
        mentioned: true,
        forwarded: false,
        files,
        at: BEGIN,
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    })?;
    tokio::time::sleep(ANSWER).await;
    Ok(())
}

/// One that arrives, one that is too large, and one that the platform does not have any more.
fn pictures(tape: &Tape) -> Result<Vec<Attachment>> {
    let loopback = tape
        .backend
        .loopback(&"whatsapp".into())
        .ok_or("there is no such channel")?;
    let kept = loopback
        .platform()
        .keep(b"\x89PNG\r\n\x1a\n a ridge in the morning".to_vec());
    let file = |name: &str, media_type: &str, size: u64, source: &str| Attachment {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        size: Some(size),
        source: Some(source.to_owned()),
    };
    Ok(vec![
        file("ridge.png", "image/png", 31, &kept),
        file(
            "the-whole-way-over-the-ridge-in-one-take-unedited.mp4",
            "video/mp4",
            48_000_000,
            "gone",
        ),
        file("hut.jpg", "image/jpeg", 81_200, "file-3"),
    ])
}

/// The sound of each voice note that a turn shows at its end.
async fn voices(tape: &mut Tape, detail: &Value) {
    let at = json!({ "turn": detail["summary"]["turn"], "seq": detail["head"], "byte": null });
    let Ok(moment) = tape.ask("turn_at", at).await else {
        return;
    };
    for bubble in moment["seen"]["bubbles"].as_array().into_iter().flatten() {
        let sound = &bubble["part"]["sound"];
        if sound.is_object() {
            tape.play("voice", sound.clone()).await;
        }
    }
}
