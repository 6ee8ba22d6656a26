//! The shift report: what came in, what failed, who changed what, how long it took.

use crate::host::Host;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_wire::{
    Draft, Kind, OpKind, Seq, Terminal, Timestamp, TurnId,
    rpc::{Book, ExportResult},
};
use serde_json::{Value, json};
use std::fs;

const BEGIN: Timestamp = Timestamp(1_800_000_000_000);

impl Host {
    /// The report of a range in minutes after the beginning.
    async fn report(&self, minutes: (i64, i64), format: &str) -> String {
        let at = |minute: i64| Timestamp(BEGIN.0 + minute * 60_000);
        let args =
            json!({"since": at(minutes.0), "until": at(minutes.1), "format": format, "path": "report"});
        let written: ExportResult = self.call("report", args).await;
        fs::read_to_string(&written.path).unwrap()
    }
}

/// The rows of a table, cells joined.
fn rows<'a>(report: &'a str, heading: &str) -> Vec<&'a str> {
    let from = report
        .find(&format!("### {heading}\n"))
        .unwrap_or_else(|| panic!("no {heading}:\n{report}"));
    let section = &report[from..];
    let section = section[3..]
        .find("\n### ")
        .map_or(section, |end| &section[..end + 3]);
    section
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(2)
        .collect()
}

async fn shift() -> Host {
    let host = Host::start().await;
    host.say("telegram", "Hi", "<react emoji=\"eyes\"/>Hello there")
        .await;
    host.say("slack", "Silent?", "<no-reply/>").await;
    let lost = CallFault::first(OpKind::SendText, CallFailure::Forbidden);
    host.backend
        .loopback(&"discord".into())
        .unwrap()
        .platform()
        .plan(lost);
    let turn = host.say("discord", "Again", "A lost answer").await;
    let book: Book = host
        .call("deliveries", json!({"channel": null, "limit": 50}))
        .await;
    assert_eq!(book.dead.len(), 1, "{book:#?}");
    let op = book.dead[0].entry.op;
    host.call::<Value>("resend", json!({"turn": turn, "op": op}))
        .await;
    host.call::<Value>("mute", json!({"muted": true})).await;
    host.call::<Value>("mute", json!({"muted": false})).await;
    host.call::<Value>("channel_switch", json!({"channel": "signal", "on": false}))
        .await;
    tokio::time::sleep(std::time::Duration::from_secs(30)).await;
    host
}

#[tokio::test(start_paused = true)]
async fn a_report_says_what_came_in_what_failed_and_who_changed_what() {
    let host = shift().await;
    let text = host.report((0, 60), "markdown").await;
    assert!(
        text.starts_with("# Shift report, 2027-01-15 08:00:00 UTC to 2027-01-15 09:00:00 UTC\n"),
        "{text}"
    );
    let came = rows(&text, "What came in and what was answered");
    assert!(
        came.iter()
            .any(|row| row.starts_with("| slack | 1 | 1 | 0 | 1 | 0 | 0 | 0 |")),
        "{came:#?}"
    );
    assert!(
        came.iter().any(|row| row.starts_with("| discord | 2 |")),
        "{came:#?}"
    );
    let failed = rows(&text, "Deliveries that failed");
    assert!(
        failed
            .iter()
            .any(|row| row.contains(r"send\_text") && row.contains("failed: ")),
        "{failed:#?}"
    );
    let changed = rows(&text, "What people changed");
    for part in [
        "muted by the console",
        "unmuted by the console",
        "signal",
        "again",
    ] {
        assert!(
            changed.iter().any(|row| row.contains(part)),
            "no {part} in {changed:#?}"
        );
    }
    let took = rows(&text, "Latency");
    for part in [
        "| Whole turn | 4 |",
        "| First text in the chat | 2 |",
        "| Agent run |",
    ] {
        assert!(
            took.iter().any(|row| row.starts_with(part)),
            "no {part} in {took:#?}"
        );
    }
    assert!(!rows(&text, "Holds").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_report_has_only_its_range_and_says_where_nothing_happened() {
    let host = shift().await;
    let text = host.report((30, 60), "markdown").await;
    for sentence in [
        "No message came in.",
        "No turn failed.",
        "No delivery failed.",
        "No message was stopped.",
        "Nothing was switched, armed, muted or sent again.",
        "Nothing was held.",
    ] {
        assert!(text.contains(sentence), "{text}");
    }
    let args = json!({"since": BEGIN, "until": BEGIN, "format": "html", "path": "r"});
    let (code, message, _) = host.failure("report", args).await;
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("cannot_export", "The time range ends before it begins.")
    );
}

#[tokio::test(start_paused = true)]
async fn both_forms_of_a_report_say_the_same() {
    let host = shift().await;
    let page = host.report((0, 60), "html").await;
    let from = page.find("id=\"data\">").unwrap() + 10;
    let data = &page[from..from + page[from..].find("</script>").unwrap()];
    let data: Value = serde_json::from_str(data).unwrap();
    let markdown = host.report((0, 60), "markdown").await;
    for section in data["sections"].as_array().unwrap() {
        let heading = section["heading"].as_str().unwrap();
        let told = section["rows"].as_array().unwrap();
        assert_eq!(rows(&markdown, heading).len(), told.len(), "{heading}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_report_holds_no_secret() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.config.redact.enabled = false;
    })
    .await;
    host.say("telegram", "Hi", "Hello").await;
    let events = host.backend.journal().read(Seq(1), usize::MAX).await.unwrap();
    let last = events.last().unwrap();
    let failed = Draft {
        at: last.at,
        turn: Some(TurnId(1)),
        session: None,
        channel: Some("telegram".into()),
        kind: Kind::TurnEnded {
            terminal: Terminal::Failed {
                detail: "the token sk-abcdefghijkl1234567890 is wrong".to_owned(),
            },
        },
    };
    host.backend.journal().append(vec![failed]).unwrap();
    host.backend.journal().flush().await.unwrap();
    for format in ["markdown", "html"] {
        let text = host.report((0, 60), format).await;
        assert!(text.contains("failed: the token"), "{text}");
        assert!(!text.contains("abcdefghijkl"), "{text}");
    }
}
