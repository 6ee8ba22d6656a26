//! One test for each sentence of the contract about what the directives take, and who may use them.

use serde_json::json;

use super::super::{Settings, Think, parse as parse_with};
use super::rules::{is_left, is_text, says};
use super::{codes, set};

#[test]
fn exec_takes_options_until_a_word_is_none() {
    says(
        "/exec node:n1 host=auto run",
        "run",
        json!({"exec": {"host": "auto", "node": "n1"}}),
    );
    says(
        "/exec host=gateway bogus=1 x",
        "bogus=1 x",
        json!({"exec": {"host": "gateway"}}),
    );
    says(
        "/exec ask=on-miss\nask=off",
        "ask=off",
        json!({"exec": {"ask": "on-miss"}}),
    );
}

#[test]
fn a_bad_value_of_an_option_refuses_the_directive() {
    for text in [
        "/exec host=moon",
        "/exec host=gateway security=some x",
        "/exec node= x",
        "/queue cap:0",
        "/queue collect cap:2.9",
        "/queue cap:3:4",
        "/queue drop:all",
        "/queue debounce:soon",
    ] {
        is_left(text, &["invalid-value"]);
    }
}

#[test]
fn queue_takes_modes_and_options() {
    says(
        "/queue collect debounce:2s cap:5 drop:old explain this",
        "explain this",
        json!({"queue": {"mode": "collect", "debounce_ms": 2000, "cap": 5, "drop": "old"}}),
    );
    says("/queue queue x", "x", json!({"queue": {"mode": "steer"}}));
    says(
        "/queue collect: go",
        ": go",
        json!({"queue": {"mode": "collect"}}),
    );
    says(
        "/queue collect\n\nreset the server",
        "reset the server",
        json!({"queue": {"mode": "collect"}}),
    );
}

#[test]
fn a_reset_of_the_queue_is_all_there_is() {
    says("/queue reset", "", json!({"queue": {"reset": true}}));
    says(
        "/queue collect reset now",
        "now",
        json!({"queue": {"reset": true}}),
    );
    says(
        "/queue reset collect",
        "collect",
        json!({"queue": {"reset": true}}),
    );
}

#[test]
fn durations_are_milliseconds_or_have_units() {
    for (text, ms) in [
        ("0", 0_u64),
        ("500", 500),
        ("500ms", 500),
        ("0.5s", 500),
        ("2S", 2_000),
        ("1m30s", 90_000),
        ("1h", 3_600_000),
        ("1d", 86_400_000),
    ] {
        says(
            &format!("/queue debounce={text}"),
            "",
            json!({"queue": {"debounce_ms": ms}}),
        );
    }
    for text in [
        "",
        "-1",
        "1x",
        "s",
        "1m30",
        "1..5s",
        "1.s",
        ".5s",
        "1e3",
        "inf",
        "99999999d",
    ] {
        is_left(&format!("/queue debounce={text}"), &["invalid-value"]);
    }
}

#[test]
fn a_model_may_have_a_provider_and_a_profile() {
    for (text, model, profile) in [
        ("anthropic/claude@work", "anthropic/claude", Some("work")),
        ("opus", "opus", None),
        ("anthropic/claude@cf/def", "anthropic/claude@cf/def", None),
        ("3", "3", None),
        ("a/b/c:free", "a/b/c:free", None),
    ] {
        let mut expected = json!({"model": model});
        if let Some(profile) = profile {
            expected["profile"] = json!(profile);
        }
        says(&format!("/model {text} go"), "go", json!({"model": expected}));
    }
    for text in ["opus@", "a//b", "opus$", "a/@b"] {
        is_left(&format!("/model {text}"), &["invalid-value"]);
    }
}

#[test]
fn a_model_is_for_the_turn_unless_for_the_session() {
    says(
        "/model opus --session go",
        "go",
        json!({"model": {"model": "opus", "session": true}}),
    );
    is_text("/model --session");
}

#[test]
fn an_alias_is_a_directive_with_its_value() {
    let settings = Settings {
        aliases: vec!["Opus".to_owned(), "status".to_owned()],
        ..Settings::authorized()
    };
    for text in ["/opus: go", "/OPUS go", "go /opus"] {
        let inbound = parse_with(text, &settings);
        assert_eq!(
            (inbound.cleaned.as_str(), set(&inbound)),
            ("go", json!({"model": {"model": "Opus"}})),
            "{text}"
        );
    }
    let kept = parse_with("/opus --session", &settings);
    assert_eq!(set(&kept), json!({"model": {"model": "Opus", "session": true}}));
    // The directives come first.
    assert_eq!(set(&parse_with("/status", &settings)), json!({"status": {}}));
    is_text("/opus go");
}

#[test]
fn where_the_models_are_known_no_other_word_is_one() {
    let settings = Settings {
        aliases: vec!["fast".to_owned()],
        models: Some(vec!["anthropic/claude".to_owned()]),
        ..Settings::authorized()
    };
    for text in [
        "/model Anthropic/Claude@work go",
        "/model claude go",
        "/model fast go",
        "/model 2 go",
    ] {
        let inbound = parse_with(text, &settings);
        assert_eq!(
            (inbound.cleaned.as_str(), codes(&inbound)),
            ("go", vec![]),
            "{text}"
        );
    }
    let prose = parse_with("the /model command", &settings);
    assert_eq!(prose.cleaned, "the /model command");
    assert_eq!(codes(&prose), ["invalid-value"]);
}

#[test]
fn a_level_the_model_does_not_take_is_refused_with_the_options() {
    let settings = Settings {
        think: Some(vec![Think::Off, Think::High]),
        ..Settings::authorized()
    };
    let refused = parse_with("/think xhigh", &settings);
    assert_eq!(refused.cleaned, "/think xhigh");
    assert!(
        refused.diagnostics[0].message.ends_with("off, high"),
        "{}",
        refused.diagnostics[0].message
    );
    for text in ["/think high", "/think none", "/think default"] {
        assert!(parse_with(text, &settings).directive_only, "{text}");
    }
}

#[test]
fn who_may_not_changes_nothing_and_is_recorded_once() {
    for text in ["/think high explain", "/elevated full", "/status /v on\n\nx"] {
        let inbound = parse_with(text, &Settings::default());
        assert_eq!(
            (inbound.cleaned.as_str(), set(&inbound), inbound.directive_only),
            (text, json!({}), false)
        );
        assert_eq!(codes(&inbound), ["not-allowed"], "{text}");
    }
    let prose = parse_with("see /tmp and /v", &Settings::default());
    assert!(prose.diagnostics.is_empty());
}

#[test]
fn nothing_is_guessed_from_the_first_word() {
    for text in ["on my way", "high five everyone", "low battery", "Max is my dog"] {
        is_text(text);
    }
}
