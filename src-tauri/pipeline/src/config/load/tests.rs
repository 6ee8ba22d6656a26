use super::*;
use crate::config::{Backend, ByteSize, Secret};
use std::time::Duration;

fn error(text: &str) -> String {
    parse(text, Path::new("foldback.toml")).unwrap_err().to_string()
}

#[test]
fn the_documented_file_is_read() {
    let text = r#"
        [agent]
        backend = "openai"
        [agent.openai]
        base_url = "http://127.0.0.1:8080/v1"
        model = "m"
        api_key = { env = "OPENAI_API_KEY" }
        [agent.acp]
        command = ["opencode", "acp"]
        [channels.telegram]
        enabled = true
        armed = false
        token = { keyring = "telegram" }
        api_root = "https://api.telegram.org"
        allow_from = ["42"]
        [output]
        placement = "anywhere"
        disable = []
        [files]
        send_dir = "data/outbound"
        max_size = "50MB"
        allow_cleanup = false
    "#;
    let config = parse(text, Path::new("foldback.toml")).unwrap();
    assert_eq!(config.agent.backend, Backend::Openai);
    assert_eq!(
        config.agent.openai.api_key,
        Some(Secret::Env("OPENAI_API_KEY".into()))
    );
    assert_eq!(config.files.max_size, ByteSize(50_000_000));
}

#[test]
fn events_are_kept_for_ninety_days_and_strangers_words_not_at_all() {
    let store = parse("", Path::new("foldback.toml")).unwrap().store;
    assert_eq!(
        (store.keep.0, store.keep_unaddressed),
        (Duration::from_hours(90 * 24), false)
    );
}

/// Entries that a list of people may hold, wherever it stands: as it is written, and what is kept.
#[test]
fn ids_are_kept_exactly() {
    for (written, kept) in [
        ("\"9007199254740993\"", "9007199254740993"),
        ("9007199254740993", "9007199254740993"),
        ("9223372036854775807", "9223372036854775807"),
        ("-1001234567890", "-1001234567890"),
        ("18446744073709551615", "18446744073709551615"),
        ("1_000_001", "1000001"),
        ("\"telegram:42\"", "telegram:42"),
        ("\"*\"", "*"),
    ] {
        for key in ["allow_from", "group_allow_from", "groups"] {
            let text = format!(
                "[channels.play]\nkind = \"loopback\"\nplatform = \"telegram\"\n{key} = [{written}]\n"
            );
            let config = parse(&text, Path::new("foldback.toml")).unwrap();
            let channel = &config.channels[&ChannelId::new("play")];
            let found = match key {
                "allow_from" => &channel.allow_from,
                "groups" => channel.groups.as_ref().unwrap(),
                _ => channel.group_allow_from.as_ref().unwrap(),
            };
            assert_eq!(found, &[kept], "{key} = {written}");
        }
    }
}

#[test]
fn every_hostile_id_is_refused_with_its_line_its_field_and_a_reason() {
    let mut hostile: Vec<String> = crate::stages::authorize::tests::HOSTILE
        .iter()
        .map(|id| toml::Value::from(*id).to_string())
        .collect();
    hostile.extend(
        [
            "1e3",
            "42.0",
            "9.007199254740993e15",
            "inf",
            "nan",
            "true",
            "1979-05-27",
            "{ id = 42 }",
            "340282366920938463463374607431768211456",
            "\"telegarm:42\"",
            "\"telegram:\"",
            "\":42\"",
            "\"telegram:4 2\"",
            "\"*:42\"",
            "\"telegram:**\"",
        ]
        .map(str::to_owned),
    );
    for id in &hostile {
        for key in ["allow_from", "group_allow_from", "groups"] {
            let text = error(&format!(
                "[channels.play]\nkind = \"loopback\"\nplatform = \"telegram\"\n{key} = [\n  \"42\",\n  {id},\n]\n"
            ));
            assert!(
                text.starts_with(&format!("foldback.toml:6:3: channels.play.{key}: ")),
                "{id}: {text}"
            );
            assert!(
                text.lines().next().unwrap().is_ascii(),
                "nothing hidden is printed: {text}"
            );
        }
    }
    assert!(hostile.len() >= 40);
}

#[test]
fn a_real_platform_takes_its_own_ids_only() {
    for (channel, id, why) in [
        ("telegram", "@alice", "never @names"),
        ("telegram", "9223372036854775808", "up to 64 bits"),
        ("telegram", "-42", "numbers of up to 64 bits"),
        ("discord", "18446744073709551616", "up to 64 bits"),
        ("discord", "alice#1234", "never names"),
        ("slack", "alice", "such as U07ALICE"),
        ("whatsapp", "+4915112345678", "without a plus"),
        ("signal", "4915112345678", "with a plus"),
        ("telegram", "telegram:alice", "never @names"),
    ] {
        let text = error(&format!("[channels.{channel}]\nallow_from = [\"*\", \"{id}\"]\n"));
        assert!(
            text.starts_with(&format!(
                "foldback.toml:2:20: channels.{channel}.allow_from: \"{id}\" is no id there"
            )) && text.contains(why),
            "{text}"
        );
    }
    let other = "[channels.telegram]\nallow_from = [\"discord:alice\"]\n";
    assert!(
        parse(other, Path::new("x")).is_ok(),
        "it names nobody here, and is no mistake"
    );
}

#[test]
fn a_pattern_of_mentions_that_cannot_be_used_names_its_line_and_why() {
    let text = error("[channels.slack]\nallow_from = []\nmention_patterns = [\n  \"bot\",\n  \"a(\",\n]\n");
    assert!(
        text.starts_with("foldback.toml:5:3: channels.slack.mention_patterns: this is no regular expression: unclosed group"),
        "{text}"
    );
    let text = error("[channels.slack]\nmention_patterns = [\".*\"]\n");
    assert!(
        text.contains("foldback.toml:2:21: channels.slack.mention_patterns: this matches every text"),
        "{text}"
    );
    let text = error("[channels.slack]\ndm_policy = \"pairng\"\n");
    assert!(
        text.contains("foldback.toml:2:13: channels.slack.dm_policy:")
            && text.ends_with("did you mean `pairing`?"),
        "{text}"
    );
}

#[test]
fn an_unknown_field_names_its_line_and_what_was_meant() {
    let text = error("[output]\nplacement = \"start\"\nnarratoin = \"show\"\n");
    let wanted = "foldback.toml:3:1: output.narratoin: unknown field `narratoin`; did you mean `narration`?";
    assert_eq!(text, wanted);
    let text = error("[output]\nzzz = 1\n");
    assert!(
        text.contains("expected one of") && text.contains("`narration`"),
        "{text}"
    );
}

#[test]
fn a_wrong_value_names_its_field() {
    let text = error("[agent]\nbackend = \"opnai\"\n");
    assert!(
        text.starts_with("foldback.toml:2:11: agent.backend: unknown variant"),
        "{text}"
    );
    assert!(text.ends_with("did you mean `openai`?"), "{text}");
    let text = error("[files]\nmax_size = \"many\"\n");
    assert!(
        text.contains("foldback.toml:2:12: files.max_size:") && text.contains("50MB"),
        "{text}"
    );
    let text = error("[output]\nall_clear = \"(\"\n");
    assert!(text.starts_with("foldback.toml:2:1: output.all_clear:"), "{text}");
    assert!(error("[queue]\ncap = 0\n").contains("foldback.toml:2:1: queue.cap: must be at least 1"));
    for every in ["0ms", "999ms"] {
        let text = error(&format!("[typing]\n# every = \"6s\"\n  every = \"{every}\"\n"));
        assert!(
            text.starts_with("foldback.toml:3:3: typing.every: must be at least 1s"),
            "{text}"
        );
    }
    for most in ["0", "10001"] {
        let text = error(&format!("[agent]\nmax_runs = {most}\n"));
        let expected = "foldback.toml:2:1: agent.max_runs: must be from 1 to 10000";
        assert!(text.contains(expected), "{text}");
    }
    for most in ["0", "1025"] {
        let text = error(&format!("[agent.acp]\nmax_processes = {most}\n"));
        let expected = "foldback.toml:2:1: agent.acp.max_processes: must be from 1 to 1024";
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_pattern_that_cannot_be_used_names_its_line_and_why() {
    let text = error("[redact]\nemail = true\n\n[[redact.extra]]\npattern = \"a(\"\n");
    assert!(
        text.starts_with("foldback.toml:5:11: redact.extra.pattern:"),
        "{text}"
    );
    assert!(text.contains("unclosed group"), "{text}");
    let text = error("[[redact.extra]]\npattern = \"[a-z]+@corp\"\n");
    assert!(
        text.contains("foldback.toml:2:11: redact.extra.pattern:"),
        "{text}"
    );
    assert!(text.contains("write {1,64} instead of + or *"), "{text}");
    let text = error("[redact]\ninbound = \"agnt\"\n");
    assert!(text.ends_with("did you mean `agent`?"), "{text}");
}

#[test]
fn broken_toml_and_a_channel_without_a_platform_are_errors() {
    assert!(error("[output\n").starts_with("foldback.toml:1:"));
    assert!(error("\n[channels.work]\n").starts_with("foldback.toml:2:1: channels.work: nothing says"));
}

#[test]
fn a_missing_file_is_named() {
    let text = load(Path::new("/nowhere/foldback.toml")).unwrap_err().to_string();
    assert!(
        text.starts_with("/nowhere/foldback.toml: cannot be read"),
        "{text}"
    );
}

#[test]
fn what_is_written_can_be_read_again() {
    let text = toml::to_string(&crate::config::embedded()).unwrap();
    let mut read = parse(&text, Path::new("x")).unwrap();
    // The embedded one is written nowhere.
    read.written = crate::config::WrittenKeys::default();
    assert_eq!(read, crate::config::embedded());
}
