//! Exports: each form, every scope, and no secret in any of them.

use crate::host::Host;
use foldback_api::TurnFold;
use foldback_replay::{Options, fixture, recording};
use foldback_wire::{
    Draft, Event, Kind, Seq, Span, TurnId,
    rpc::{ExportPreview, ExportResult, Moment, TurnDetail, TurnSummary, Verdict},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, path::Path, thread};

const FORMATS: [&str; 4] = ["recording", "fixture", "markdown", "html"];

impl Host {
    async fn preview(&self, scope: &Value, format: &str) -> ExportPreview {
        self.call("export_preview", json!({"scope": scope, "format": format}))
            .await
    }

    /// The text of an export.
    async fn exported(&self, scope: &Value, format: &str) -> String {
        let args = json!({"scope": scope, "format": format, "path": "out"});
        let written: ExportResult = self.call("export", args).await;
        let text = fs::read_to_string(&written.path).unwrap();
        assert_eq!(written.bytes, text.len() as u64);
        text
    }

    async fn summaries(&self) -> Vec<TurnSummary> {
        self.call("turns", json!({"before": null, "limit": 500})).await
    }
}

fn only(turn: u64) -> Value {
    json!({"of": "turns", "turns": [turn]})
}

/// The data of a page.
fn data(page: &str) -> Value {
    let from = page.find("id=\"data\">").unwrap() + 10;
    let to = page[from..].find("</script>").unwrap();
    serde_json::from_str(&page[from..from + to]).unwrap()
}

/// Plays a recording on another machine: nothing but the file is known there.
fn played(text: &str) -> Vec<Event> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recorded.jsonl");
    fs::write(&file, text).unwrap();
    let read = recording::read(&file).unwrap();
    let channel = (*read.channels().first().unwrap()).clone();
    let (case, events) =
        thread::spawn(move || recording::play(Path::new("t"), &read, &channel, &Options::default()))
            .join()
            .unwrap()
            .unwrap();
    assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
    events
}

/// What the agent wrote in a turn and what was made of it.
#[derive(Debug, PartialEq)]
struct Texts {
    /// Message, bytes and text of each chunk.
    chunks: Vec<(u32, Span, String)>,
    /// Raw and clean text of each assistant message.
    messages: Vec<(String, String)>,
}

fn texts(events: &[Event]) -> Vec<Texts> {
    let mut turns: BTreeMap<TurnId, Vec<Event>> = BTreeMap::new();
    for event in events {
        if let Some(turn) = event.turn {
            turns.entry(turn).or_default().push(event.clone());
        }
    }
    let of = |(turn, events): (TurnId, Vec<Event>)| {
        let chunk = |event: &Event| match &event.kind {
            Kind::Chunk {
                message, span, text, ..
            } => Some((*message, *span, text.clone())),
            _ => None,
        };
        let detail = TurnFold::of(turn, &events).detail().unwrap();
        let both = |message: foldback_wire::rpc::MessageDetail| (message.raw, message.clean);
        Texts {
            chunks: events.iter().filter_map(chunk).collect(),
            messages: detail.messages.into_iter().map(both).collect(),
        }
    };
    turns.into_iter().map(of).collect()
}

#[tokio::test(start_paused = true)]
async fn a_recording_plays_byte_for_byte_alike_on_another_machine() {
    let host = Host::after_demo().await;
    let turns = host.summaries().await;
    assert!(turns.len() > 5);
    for turn in turns.iter().filter(|turn| turn.terminal.is_some()) {
        let text = host.exported(&only(turn.turn.0), "recording").await;
        let then = host.backend.journal().turn(turn.turn).await.unwrap();
        assert_eq!(texts(&played(&text)), texts(&then), "turn {}", turn.turn);
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_is_exported_whole_and_a_filter_by_its_turns() {
    let host = Host::after_demo().await;
    let turns = host.summaries().await;
    let session = turns.iter().find_map(|turn| turn.session.clone()).unwrap();
    let of_session: Vec<_> = turns
        .iter()
        .rev()
        .filter(|t| t.session.as_ref() == Some(&session))
        .collect();
    let scope = json!({"of": "session", "session": session});
    let preview = host.preview(&scope, "recording").await;
    assert_eq!(
        preview.turns,
        of_session.iter().map(|turn| turn.turn).collect::<Vec<_>>()
    );
    let then: Vec<Event> = host.backend.journal().read(Seq(1), usize::MAX).await.unwrap();
    let then: Vec<_> = then
        .into_iter()
        .filter(|e| e.turn.is_some_and(|t| preview.turns.contains(&t)))
        .collect();
    assert_eq!(
        texts(&played(&host.exported(&scope, "recording").await)),
        texts(&then)
    );

    let held = host
        .preview(&json!({"of": "filter", "filter": "channel:slack"}), "markdown")
        .await;
    assert!(
        !held.turns.is_empty() && held.turns.len() < turns.len(),
        "{held:?}"
    );
    let some: Vec<_> = held.turns.iter().take(2).copied().collect();
    let chosen = host.preview(&json!({"of": "turns", "turns": some}), "html").await;
    assert_eq!(chosen.turns, some);
    assert!(
        chosen
            .path
            .ends_with(&format!("turns-{}-{}.html", some[0], some[1])),
        "{}",
        chosen.path
    );
}

#[tokio::test(start_paused = true)]
async fn markdown_tells_question_answer_hold_map_and_deliveries() {
    let host = Host::start().await;
    let turn = host
        .say(
            "telegram",
            "How `was` it?",
            "<actions><react emoji=\"thumbsup\"/></actions>\nGreat idea!",
        )
        .await;
    let text = host.exported(&only(turn), "markdown").await;
    for part in [
        &format!("# Turn {turn}"),
        "- **Outcome:** answered, after ",
        "```text\nHow `was` it?\n```",
        "```text\nGreat idea!\n```",
        "### Hold map",
        r"stripped (actions_block)",
        "### Holds",
        "### Directives",
        "### Deliveries",
        "### Decisions",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_shows_every_decision_as_the_window_does() {
    let host = Host::after_demo().await;
    for turn in host.summaries().await {
        let number = turn.turn.0;
        let page = host.exported(&only(number), "html").await;
        let data = data(&page);
        let told = &data["turns"][0];
        let detail: TurnDetail = host.call("turn", json!({"turn": number})).await;
        let steps = told["steps"].as_array().unwrap();
        assert_eq!(steps.len(), detail.decisions.len());
        for (step, decision) in steps.iter().zip(&detail.decisions) {
            let moment: Moment = host
                .call(
                    "turn_at",
                    json!({"turn": number, "seq": decision.seq, "byte": null}),
                )
                .await;
            let shown = moment.decision.unwrap();
            assert_eq!(step["text"], shown.decision.text.as_str());
            assert_eq!(step["effect"], shown.effect.as_str());
            let chat = &told["chats"][step["chat"].as_u64().unwrap() as usize];
            assert_eq!(chat["bubbles"], json!(moment.seen.bubbles));
            let maps = told["maps"][step["map"].as_u64().unwrap() as usize]
                .as_array()
                .unwrap();
            assert_eq!(maps.len(), moment.messages.len());
            for (map, message) in maps.iter().zip(&moment.messages) {
                assert_eq!(map["came"], message.raw_bytes);
                let spans: Vec<_> = message.ranges.iter().map(|range| json!(range.span)).collect();
                let drawn: Vec<_> = map["ranges"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|r| r["span"].clone())
                    .collect();
                assert_eq!(drawn, spans);
                assert_eq!(
                    map["held"]["span"],
                    message.hold.as_ref().map_or(Value::Null, |h| json!(h.span))
                );
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_fixture_of_several_turns_plays_them_again() {
    let host = Host::start().await;
    let first = host
        .say("telegram", "One?", "<react emoji=\"eyes\"/>The first.")
        .await;
    let second = host.say("telegram", "Two?", "The second.").await;
    let scope = json!({"of": "turns", "turns": [first, second]});
    let text = host.exported(&scope, "fixture").await;
    let fixture = fixture::parse(Path::new("t.yaml"), &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let platform = fixture.channel.platforms()[0];
    let played =
        thread::spawn(move || foldback_replay::run(Path::new("t"), &fixture, platform, &Options::default()));
    let case = played.join().unwrap().unwrap().case;
    assert_eq!(
        (case.verdict, case.turns.len()),
        (Verdict::Pass, 2),
        "{text}\n{:#?}",
        case.mismatches
    );
    let third = host.say("slack", "Three?", "The third.").await;
    let scope = json!({"of": "turns", "turns": [first, third]});
    let (code, message, _) = host
        .failure("export_preview", json!({"scope": scope, "format": "fixture"}))
        .await;
    assert_eq!(code, "cannot_export");
    assert!(
        message.contains("telegram") && message.contains("slack"),
        "{message}"
    );
}

const KEY: &str = "sk-abcdefghijkl1234567890";

/// Writes secrets into a turn of the journal, as one that was written without redaction holds them.
async fn leak_into(host: &Host, turn: u64) {
    let events = host.backend.journal().turn(TurnId(turn)).await.unwrap();
    let last = events.last().unwrap();
    let draft = |kind| Draft {
        at: last.at,
        turn: last.turn,
        session: last.session.clone(),
        channel: last.channel.clone(),
        kind,
    };
    let (head, tail) = KEY.split_at(9);
    let chunk = |from: usize, text: &str| Kind::Chunk {
        message: 1,
        span: Span::new(from, from + text.len()),
        text: text.to_owned(),
        came: None,
    };
    let drafts = vec![
        draft(Kind::Prepared {
            prompt: format!("Use {KEY} and </script>"),
        }),
        draft(Kind::Reasoning {
            text: format!("the key {KEY}"),
        }),
        draft(chunk(0, head)),
        draft(chunk(head.len(), tail)),
        draft(Kind::Warned {
            detail: format!("it said {KEY}"),
        }),
    ];
    host.backend.journal().append(drafts).unwrap();
    host.backend.journal().flush().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn no_export_holds_a_secret_and_the_preview_says_what_is_masked() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.config.redact.enabled = false;
    })
    .await;
    let turn = host
        .say(
            "telegram",
            &format!("My key is {KEY}"),
            &format!("I see {KEY} there"),
        )
        .await;
    leak_into(&host, turn).await;
    let preview = host.preview(&only(turn), "html").await;
    let told = serde_json::to_string(&preview).unwrap();
    assert!(!told.contains("abcdefghijkl"), "{told}");
    let places: Vec<_> = preview.masks.iter().map(|mask| mask.place.as_str()).collect();
    for place in [
        "the user's message",
        "the prompt",
        "the reasoning",
        "the agent's output",
    ] {
        assert!(places.contains(&place), "no {place} in {places:?}");
    }
    let output = preview
        .masks
        .iter()
        .find(|mask| mask.place == "the agent's output")
        .unwrap();
    assert_eq!(
        (output.secrets.as_str(), output.count, output.turns.clone()),
        ("sk", 2, vec![TurnId(turn)])
    );
    for format in FORMATS {
        let text = host.exported(&only(turn), format).await;
        assert!(
            !text.contains("abcdefghijkl") && !text.contains("1234567890"),
            "{format}: {text}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_journal_masked_is_counted_apart() {
    let host = Host::start().await;
    let turn = host.say("telegram", "Hi", &format!("I see {KEY} there")).await;
    let preview = host.preview(&only(turn), "markdown").await;
    assert_eq!(preview.masks, []);
    assert!(preview.masked_before > 0);
}

#[tokio::test(start_paused = true)]
async fn an_export_that_cannot_be_made_says_why_in_one_sentence() {
    let host = Host::start().await;
    host.say("telegram", "Hi", "Hello").await;
    let nothing = json!({"of": "filter", "filter": "text:\"no such words\""});
    for (scope, code) in [
        (only(99), "not_found"),
        (nothing, "not_found"),
        (json!({"of": "turns", "turns": []}), "not_found"),
        (json!({"of": "session", "session": "nobody"}), "not_found"),
        (json!({"of": "filter", "filter": "colour:red"}), "bad_filter"),
    ] {
        let failed = host
            .failure("export_preview", json!({"scope": scope, "format": "html"}))
            .await;
        assert_eq!(failed.0, code, "{failed:?}");
    }
    let config = host.folder.path().join("journal.sqlite");
    fs::write(&config, b"SQLite format 3\0rest").unwrap();
    let args = json!({"scope": only(1), "format": "html", "path": config});
    let (code, message, _) = host.failure("export", args).await;
    assert_eq!(code, "unwritable");
    assert!(message.contains("this is a journal"), "{message}");
    assert!(fs::read(&config).unwrap().ends_with(b"rest"));
}

#[tokio::test(start_paused = true)]
async fn only_the_owner_reads_an_export() {
    let host = Host::start().await;
    host.say("telegram", "Hi", "Hello").await;
    let args = json!({"scope": only(1), "format": "markdown", "path": "notes/one.md"});
    let written: ExportResult = host.call("export", args).await;
    assert_eq!(
        Path::new(&written.path),
        host.folder.path().join("exports/notes/one.md")
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            fs::metadata(&written.path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}
