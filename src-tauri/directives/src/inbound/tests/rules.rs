//! One test for each sentence of the contract.

use serde_json::json;

use super::super::{Form, Inbound, Kind, Settings, TABLE, Think, parse as parse_with};
use super::{codes, parse, set};

/// Asserts what a message says, without findings.
#[track_caller]
fn says(text: &str, cleaned: &str, directives: serde_json::Value) {
    let inbound = parse(text);
    assert_eq!(
        (inbound.cleaned.as_str(), set(&inbound)),
        (cleaned, directives),
        "{text:?}"
    );
    assert!(
        inbound.diagnostics.is_empty(),
        "{text:?}: {:?}",
        inbound.diagnostics
    );
}

/// Asserts that a message is text and nothing else.
#[track_caller]
fn is_text(text: &str) {
    says(text, text, json!({}));
}

/// Asserts that a message stays as it is, and why.
#[track_caller]
fn is_left(text: &str, findings: &[&str]) -> Inbound {
    let inbound = parse(text);
    assert_eq!(
        (inbound.cleaned.as_str(), set(&inbound)),
        (text, json!({})),
        "{text:?}"
    );
    assert_eq!(codes(&inbound), findings, "{text:?}");
    inbound
}

#[test]
fn every_name_and_every_word_means_what_the_table_says() {
    for row in TABLE {
        for name in std::iter::once(&row.name).chain(row.aliases) {
            for argument in row.arguments {
                let (Form::Bare(Kind::Words(words)) | Form::Keyed(Kind::Words(words))) = argument.form else {
                    continue;
                };
                for word in words {
                    for said in std::iter::once(&word.canonical).chain(word.aliases) {
                        let said = said.to_uppercase();
                        let text = match argument.form {
                            Form::Bare(_) => format!("/{name} {said}"),
                            _ => format!("/{name} {}={said}", argument.name),
                        };
                        let inbound = parse(&text);
                        assert!(inbound.directive_only, "{text}");
                        assert_eq!(
                            set(&inbound)[row.name][argument.name],
                            word.canonical,
                            "{text}: {:?}",
                            inbound.diagnostics
                        );
                    }
                }
            }
        }
        let example = parse(row.example);
        assert!(
            example.directive_only && example.diagnostics.is_empty(),
            "{}",
            row.example
        );
    }
}

#[test]
fn no_two_directives_and_no_two_values_share_a_word() {
    let names: Vec<_> = TABLE
        .iter()
        .flat_map(|row| std::iter::once(&row.name).chain(row.aliases))
        .collect();
    let distinct: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(names.len(), distinct.len());
    for argument in TABLE.iter().flat_map(|row| row.arguments) {
        let (Form::Bare(Kind::Words(words)) | Form::Keyed(Kind::Words(words))) = argument.form else {
            continue;
        };
        let said: Vec<_> = words
            .iter()
            .flat_map(|word| std::iter::once(&word.canonical).chain(word.aliases))
            .collect();
        let distinct: std::collections::BTreeSet<_> = said.iter().collect();
        assert_eq!(said.len(), distinct.len(), "{}", argument.name);
    }
}

#[test]
fn in_code_nothing_is_recognised() {
    is_text("try `/think high` here");
    is_text("`` /think high ` ``");
    is_text("~~~\n/think high\n~~~");
    is_text("> ```sh\n> /think high\n> ```");
    is_text("```\n/think high\nnever closed");
    is_text("/think `high`");
    is_text("/think`x` on");
    says("a ` b /think high", "a ` b", json!({"think": {"level": "high"}}));
    says(
        "```\n/v on\n```\n/think high",
        "```\n/v on\n```",
        json!({"think": {"level": "high"}}),
    );
}

#[test]
fn a_name_stands_after_white_space_and_before_white_space_a_colon_or_the_end() {
    for text in [
        "a/think high",
        "(/think high)",
        "/thinker high",
        "/t/path",
        "http://x/think high",
        "//think high",
        "/think, high",
        "/ think high",
    ] {
        is_text(text);
    }
    for text in ["x\n/think high", "x\u{a0}/think high", "x /Think high"] {
        says(text, "x", json!({"think": {"level": "high"}}));
    }
}

#[test]
fn a_value_follows_after_white_space_and_a_colon() {
    for text in [
        "/think:high",
        "/think : high",
        "/think: high",
        "/think :high",
        "/think\nhigh",
        "/think\t\thigh",
    ] {
        says(text, "", json!({"think": {"level": "high"}}));
    }
}

#[test]
fn punctuation_behind_a_value_stays() {
    says("/think high, ok", ", ok", json!({"think": {"level": "high"}}));
    says(
        "please /think high, ok",
        "please, ok",
        json!({"think": {"level": "high"}}),
    );
    says(
        "use /model opus. Now",
        "use. Now",
        json!({"model": {"model": "opus"}}),
    );
    is_left("/verbose 1.5 percent", &["invalid-value"]);
    is_left("/think high-five", &["invalid-value"]);
}

#[test]
fn an_unknown_word_is_left_and_reported() {
    let inbound = is_left("/think bogus /v maybe", &["invalid-value", "invalid-value"]);
    assert_eq!(inbound.diagnostics[0].span.of("/think bogus /v maybe"), "bogus");
    assert!(
        inbound.diagnostics[0].message.contains("off, minimal, low"),
        "{}",
        inbound.diagnostics[0].message
    );
    is_left("/exec do it", &["invalid-value"]);
    is_left("/queue bogus", &["invalid-value"]);
    let mixed = parse("/t see /v on you");
    assert_eq!(
        (mixed.cleaned.as_str(), codes(&mixed)),
        ("/t see you", vec!["invalid-value"])
    );
}

#[test]
fn one_adjacent_blank_goes_and_no_other_white_space() {
    let think = json!({"think": {"level": "high"}});
    says("a  /think high  b", "a   b", think.clone());
    says("  /think high  b", "   b", think.clone());
    says("a /think high\n\n\nb\n", "a\n\n\nb\n", think.clone());
    says("a\n/think high b", "a\nb", think.clone());
    says("a /think high", "a", think.clone());
    says(
        "/think high /verbose on b",
        "b",
        json!({"think": {"level": "high"}, "verbose": {"level": "on"}}),
    );
    says(
        "b /think high /verbose on",
        "b",
        json!({"think": {"level": "high"}, "verbose": {"level": "on"}}),
    );
    says("x\t/think high\n  y", "x\n  y", think);
}

#[test]
fn a_line_of_directives_goes_whole() {
    let think = json!({"think": {"level": "high"}});
    says("a\n/think high\nb", "a\nb", think.clone());
    says("a\n  /think high \t\nb", "a\nb", think.clone());
    says("a\r\n/think high\r\nb\r\n", "a\r\nb\r\n", think.clone());
    says("a\n\n/think high\n\nb", "a\n\n\nb", think.clone());
    says("a\n/think\nhigh\nb", "a\nb", think.clone());
    says("a\n/think high", "a", think.clone());
    says("a\r\n/think high", "a", think.clone());
    says("a\n/think high\n", "a\n", think);
    says(
        "a\n/think high /v on\nb",
        "a\nb",
        json!({"think": {"level": "high"}, "verbose": {"level": "on"}}),
    );
}

#[test]
fn blank_lines_that_a_line_leaves_at_an_edge_go_with_it() {
    let think = json!({"think": {"level": "high"}});
    says("/think high\n\n \n  b", "  b", think.clone());
    says("a\n\n\n/think high", "a", think.clone());
    says("a\n\n/think high\n", "a\n", think.clone());
    // Those that the user wrote at an edge stay.
    says("\n/think high\nb", "\nb", think.clone());
    says("a\n/think high\n\n", "a\n\n", think);
    says(
        "/think high\n\n/v on\n\nb",
        "b",
        json!({"think": {"level": "high"}, "verbose": {"level": "on"}}),
    );
    is_text("\n\n a \n\n");
}

#[test]
fn of_a_repeated_directive_the_last_wins() {
    let text = "/think low a /think high b /t max c";
    let inbound = parse(text);
    assert_eq!(
        (inbound.cleaned.as_str(), set(&inbound)),
        ("a b c", json!({"think": {"level": "max"}}))
    );
    assert_eq!(codes(&inbound), ["duplicate-attribute", "duplicate-attribute"]);
    assert_eq!(inbound.diagnostics[0].span.of(text), "/think low");
    // It replaces the whole of the one before.
    let exec = parse("/exec host=node x /exec ask=off y");
    assert_eq!(set(&exec), json!({"exec": {"ask": "off"}}));
    let key = parse("/exec host=node host=gateway");
    assert_eq!(set(&key), json!({"exec": {"host": "gateway"}}));
    assert_eq!(codes(&key), ["duplicate-attribute"]);
}

#[test]
fn without_a_value_it_is_text_in_prose_and_a_question_alone() {
    is_text("see /tmp and /v");
    is_text("what does /model? do");
    is_text("(a) /think (b)");
    is_text("/think /tmp");
    for (text, asked) in [
        ("/think", json!({"think": {}})),
        (" /v: \n", json!({"verbose": {}})),
        ("/exec", json!({"exec": {}})),
        ("/model", json!({"model": {}})),
        ("/queue", json!({"queue": {}})),
        (
            "/think high /verbose",
            json!({"think": {"level": "high"}, "verbose": {}}),
        ),
    ] {
        says(text, "", asked);
        assert!(parse(text).directive_only, "{text}");
    }
}

#[test]
fn status_is_whole_without_a_value() {
    says("hey /status please", "hey please", json!({"status": {}}));
    says("/status: hey", "hey", json!({"status": {}}));
    says("/status :) hey", ":) hey", json!({"status": {}}));
    assert!(parse("/status").directive_only);
}

#[test]
fn a_message_of_directives_only_says_so() {
    assert!(parse("/think high\n/verbose on").directive_only);
    assert!(!parse("/think high x").directive_only);
    assert!(!parse("").directive_only);
    assert!(!parse(" \n").directive_only);
    // One that is no value makes it text: nothing of it is for the session.
    assert!(!parse("/think high /verbose maybe").directive_only);
}

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
