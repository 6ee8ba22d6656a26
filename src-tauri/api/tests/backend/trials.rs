//! An output cut into other chunks, and read under other settings.

use crate::host::{Host, pushed};
use foldback_channels::platform;
use foldback_replay::{Options, fixture, run};
use foldback_wire::rpc::{
    Aspect, BenchResult, CutFamily, DialectBenchResult, FixtureText, Push, RecutProgress, RecutStarted,
    Topic, TurnDetail, Verdict,
};
use serde_json::{Value, json};
use std::{path::Path, time::Duration};

const OUTPUT: &str = "[[reply_to_current]]\nSure <react emoji=\"fire\" /> thing";

fn text(agent_output: &str) -> Value {
    json!({"of": "text", "user_text": "How was my talk?", "agent_output": agent_output, "channel": null})
}

/// Cuts a specimen; what was started, and every report.
async fn recut(host: &Host, specimen: Value) -> (RecutStarted, Vec<RecutProgress>) {
    let mut app = host.subscribe(&Topic::App);
    let started = host.call("recut", json!({"specimen": specimen})).await;
    let reports = pushed(&mut app, Duration::from_mins(1))
        .await
        .into_iter()
        .filter_map(|push| match push {
            Push::Recut { progress } => Some(*progress),
            _ => None,
        });
    (started, reports.collect())
}

#[tokio::test(start_paused = true)]
async fn no_cut_of_a_text_changes_anything() {
    let host = Host::start().await;
    let (started, reports) = recut(&host, text(OUTPUT)).await;
    assert_eq!(started.raw, OUTPUT);
    assert_eq!(started.cuts, 4_096);
    let families: Vec<_> = started.families.iter().map(|count| count.family).collect();
    assert_eq!(
        families,
        [
            CutFamily::Single,
            CutFamily::Pairs,
            CutFamily::Sizes,
            CutFamily::Characters,
            CutFamily::Random
        ]
    );
    let last = reports.last().unwrap();
    assert_eq!((last.run, last.done), (started.run, 4_096));
    let result = last.result.as_ref().unwrap();
    assert_eq!((result.cancelled, &result.failure), (false, &None));
    assert!(
        reports[..reports.len() - 1]
            .iter()
            .all(|report| report.result.is_none())
    );
    let again = host.failure("recut_cancel", json!({"run": started.run})).await;
    assert_eq!(
        again.1,
        format!("Run {} is over, or was never begun.", started.run)
    );
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_masked_whatever_the_cut() {
    let host = Host::start().await;
    let secret = "Key: sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 and <react emoji=\"eyes\"/>done";
    let (_, reports) = recut(&host, text(secret)).await;
    let result = reports.last().unwrap().result.clone().unwrap();
    assert_eq!((result.cuts, result.failure), (4_096, None));
    // The same text as the journal has it.
    let turn = host.say("telegram", "Hi", secret).await;
    let (started, reports) = recut(&host, json!({"of": "message", "turn": turn, "message": 0})).await;
    assert!(!started.raw.contains("abcdefgh"), "{}", started.raw);
    assert_eq!(reports.last().unwrap().result.as_ref().unwrap().failure, None);
}

#[tokio::test(start_paused = true)]
async fn a_message_of_a_turn_is_cut_as_its_channel_reads_it() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        let signal = setup.config.channels.get_mut(&"signal".into()).unwrap();
        signal.dialects = Some(Vec::new());
    })
    .await;
    for (channel, directives) in [("telegram", 1), ("signal", 0)] {
        let turn = host.say(channel, "How was my talk?", OUTPUT).await;
        let specimen = json!({"of": "message", "turn": turn, "message": 0});
        let (started, reports) = recut(&host, specimen.clone()).await;
        assert_eq!(started.raw, OUTPUT);
        assert_eq!(reports.last().unwrap().result.as_ref().unwrap().failure, None);
        let bench: DialectBenchResult = host
            .call("dialect_bench", json!({"specimen": specimen, "columns": null}))
            .await;
        let first = bench.results[0].parsed.as_ref().unwrap();
        assert_eq!(first.directives.len(), directives, "{channel}");
    }
    let detail: TurnDetail = host.call("turn", json!({"turn": 1})).await;
    assert_eq!(detail.messages.len(), 1);
    let none = json!({"specimen": {"of": "message", "turn": 1, "message": 7}});
    assert_eq!(host.failure("recut", none).await.1, "Turn 1 has no message 8.");
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_stopped() {
    let host = Host::start().await;
    let mut app = host.subscribe(&Topic::App);
    let long = format!("{OUTPUT} ").repeat(3_000);
    let started: RecutStarted = host.call("recut", json!({"specimen": text(&long)})).await;
    let _: Value = host.call("recut_cancel", json!({"run": started.run})).await;
    let last = pushed(&mut app, Duration::from_mins(1))
        .await
        .into_iter()
        .filter_map(|push| match push {
            Push::Recut { progress } => progress.result,
            _ => None,
        });
    let results: Vec<_> = last.collect();
    assert_eq!(results.len(), 1, "it says once that it ended");
    assert!(results[0].cancelled && results[0].cuts < started.cuts);
}

#[tokio::test(start_paused = true)]
async fn a_cut_becomes_a_fixture_that_expects_what_comes_in_one_piece() {
    let host = Host::start().await;
    let cut = [28, 31, 40];
    let made: FixtureText = host
        .call("recut_fixture", json!({"specimen": text(OUTPUT), "cut": cut}))
        .await;
    let path = Path::new(&made.path);
    let fixture = fixture::parse(path, &made.text).unwrap();
    let mut from = 0;
    for end in cut.into_iter().chain([OUTPUT.len()]) {
        let line = format!("      - {}\n", json!(OUTPUT[from..end]));
        assert!(made.text.contains(&line), "{line}in\n{}", made.text);
        from = end;
    }
    assert_eq!(fixture.never_visible, ["[[r", "<re"]);
    assert!(
        made.text.contains("Sure thing") && made.text.contains("🔥"),
        "{}",
        made.text
    );
    let played = std::thread::spawn({
        let path = path.to_owned();
        move || {
            run(&path, &fixture, platform::DISCORD, &Options::default())
                .unwrap()
                .case
                .verdict
        }
    });
    assert_eq!(played.join().unwrap(), Verdict::Pass);
    for wrong in [json!([0]), json!([9, 3]), json!([OUTPUT.len()]), json!([500])] {
        let args = json!({"specimen": text(OUTPUT), "cut": wrong});
        assert_eq!(host.failure("recut_fixture", args).await.0, "bad_cut");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fixture_of_a_cut_brings_the_settings_it_was_read_with() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.config.output.bare = foldback_directives::Bare::Text;
    })
    .await;
    let made: FixtureText = host
        .call(
            "recut_fixture",
            json!({"specimen": text("a <react emoji=\"x\"/>"), "cut": [4]}),
        )
        .await;
    assert!(
        made.text.contains(r#"config: {"output":{"bare":"text"}}"#),
        "{}",
        made.text
    );
    assert!(made.text.contains("<react emoji="), "it is text there");
}

#[tokio::test(start_paused = true)]
async fn a_fixture_of_a_cut_masks_what_the_bot_masks() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.config.redact.email = true;
    })
    .await;
    let made: FixtureText = host
        .call(
            "recut_fixture",
            json!({"specimen": text("write to ada@example.org"), "cut": [12]}),
        )
        .await;
    assert!(
        made.text.contains(r#"config: {"redact":{"email":true}}"#),
        "{}",
        made.text
    );
    assert!(made.text.contains("write to [redacted]"), "{}", made.text);
}

#[tokio::test(start_paused = true)]
async fn the_bench_shows_what_differs_first() {
    let host = Host::start().await;
    let bench: DialectBenchResult = host
        .call(
            "dialect_bench",
            json!({"specimen": text(OUTPUT), "columns": null}),
        )
        .await;
    let names: Vec<_> = bench.results.iter().map(|r| r.column.name.as_str()).collect();
    assert_eq!(names[0], "default");
    for name in [
        "actions off",
        "silence off",
        "header off",
        "guard off",
        "json on",
        "placement start",
        "bare strip",
        "bare text",
        "heartbeat true",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let of = |name: &str| bench.results.iter().find(|r| r.column.name == name).unwrap();
    assert_eq!(
        of("header off").differs,
        [Aspect::CleanText, Aspect::Header, Aspect::Ranges]
    );
    assert_eq!(
        of("header off").parsed.as_ref().unwrap().clean_text,
        "[[reply_to_current]]\nSure thing"
    );
    assert!(of("bare text").differs.contains(&Aspect::Directives));
    assert_eq!(of("json on").differs, []);
    let counts: Vec<_> = bench.results[1..].iter().map(|r| r.differs.len()).collect();
    assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
    assert!(bench.keys.contains(&"output.placement".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_column_can_be_any_setting_and_a_mistake_is_said_in_it() {
    let host = Host::start().await;
    let column = |name: &str, set: &[&str]| json!({"name": name, "base": {"from": "default"}, "set": set});
    let columns = json!([
        column("default", &[]),
        column("mine", &["output.placement=start", "output.bare=strip"]),
        column("wrong", &["output.placment=start"]),
        column("wronger", &["placement=middle"]),
    ]);
    let bench: DialectBenchResult = host
        .call(
            "dialect_bench",
            json!({"specimen": text(OUTPUT), "columns": columns}),
        )
        .await;
    let errors: Vec<_> = bench
        .results
        .iter()
        .map(|r| r.error.as_deref().unwrap_or_default())
        .collect();
    assert!(
        errors[1].starts_with("output.placment: no such setting; there are dialects,"),
        "{errors:?}"
    );
    assert_eq!(
        errors[2],
        "placement: expected one of anywhere, start, not \"middle\""
    );
    assert_eq!(bench.results[3].column.name, "mine");
    assert!(bench.results[3].parsed.as_ref().unwrap().directives.is_empty());
}

#[tokio::test(start_paused = true)]
async fn channels_that_are_configured_differently_are_columns() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        for name in ["slack", "telegram"] {
            let own = setup.config.channels.get_mut(&name.into()).unwrap();
            own.placement = Some(foldback_directives::Placement::Start);
        }
    })
    .await;
    let bench: DialectBenchResult = host
        .call(
            "dialect_bench",
            json!({"specimen": text(OUTPUT), "columns": null}),
        )
        .await;
    let names: Vec<_> = bench.results.iter().map(|r| r.column.name.as_str()).collect();
    assert!(names.contains(&"slack, telegram"), "{names:?}");
    assert!(!names.contains(&"placement start"), "it is the same column");
    let slack = json!({"of": "text", "user_text": "", "agent_output": OUTPUT, "channel": "slack"});
    let bench: DialectBenchResult = host
        .call("dialect_bench", json!({"specimen": slack, "columns": null}))
        .await;
    assert_eq!(bench.results[0].column.name, "as configured");
    assert!(bench.results[0].parsed.as_ref().unwrap().directives.is_empty());
    assert!(
        bench
            .results
            .iter()
            .any(|r| r.column.name.starts_with("default") && !r.differs.is_empty())
    );
}

#[tokio::test(start_paused = true)]
async fn the_bench_masks_secrets_as_the_bot_does_and_redaction_is_a_setting_like_others() {
    let host = Host::start().await;
    let secret = "Mail ada@example.org the key ghp_abcdefghijklmnopqrstuvwxyz0123456789.";
    let bench: DialectBenchResult = host
        .call(
            "dialect_bench",
            json!({"specimen": text(secret), "columns": null}),
        )
        .await;
    let of = |name: &str| {
        let found = bench.results.iter().find(|r| r.column.name == name);
        let result = found.unwrap_or_else(|| panic!("no column {name}"));
        (result.parsed.as_ref().unwrap().clean_text.as_str(), result)
    };
    let (shown, first) = of("default");
    assert_eq!(shown, "Mail ada@example.org the key [redacted].");
    let kinds = |result: &BenchResult| -> Vec<String> {
        let ids = result.masked.iter().flat_map(|m| m.secrets.clone());
        ids.collect()
    };
    assert_eq!(kinds(first), ["github"]);
    let (shown, off) = of("redaction off");
    assert_eq!((shown, kinds(off)), (secret, Vec::new()));
    assert_eq!(off.differs, [Aspect::CleanText, Aspect::Ranges, Aspect::Masked]);
    let (shown, mail) = of("redact email true");
    assert_eq!(shown, "Mail [redacted] the key [redacted].");
    assert_eq!(kinds(mail), ["email", "github"]);
    assert_eq!(of("redact phone true").1.differs, []);
    assert!(bench.keys.contains(&"redact.enabled".to_owned()));
    // The same words in the journal are masked already, whatever is set now.
    let turn = host.say("telegram", "Hi", secret).await;
    let specimen = json!({"of": "message", "turn": turn, "message": 0});
    let column = json!({"name": "off", "base": {"from": "configured"}, "set": ["redact.enabled=false"]});
    let bench: DialectBenchResult = host
        .call(
            "dialect_bench",
            json!({"specimen": specimen, "columns": [column]}),
        )
        .await;
    let result = &bench.results[0];
    assert_eq!(
        result.parsed.as_ref().unwrap().clean_text,
        "Mail ada@example.org the key [redacted]."
    );
    assert_eq!(kinds(result), ["masked"]);
}

#[tokio::test(start_paused = true)]
async fn a_mistake_in_a_setting_of_redaction_is_said_in_its_column() {
    let host = Host::start().await;
    let column = |set: &str| json!({"name": set, "base": {"from": "configured"}, "set": [set]});
    let columns = json!([column("redact.mail=true"), column("redact.extra=a(")]);
    let bench: DialectBenchResult = host
        .call(
            "dialect_bench",
            json!({"specimen": text(OUTPUT), "columns": columns}),
        )
        .await;
    let errors: Vec<_> = bench
        .results
        .iter()
        .map(|r| r.error.as_deref().unwrap())
        .collect();
    assert!(
        errors[0].starts_with("redact.mail: no such setting; there are redact.enabled,"),
        "{errors:?}"
    );
    assert!(errors[1].contains("unclosed group"), "{errors:?}");
}
