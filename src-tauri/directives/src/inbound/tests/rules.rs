//! One test for each sentence of the contract about where directives stand and what goes with them.

use serde_json::json;

use super::super::{Form, Inbound, Kind, TABLE};
use super::{codes, parse, set};

/// Asserts what a message says, without findings.
#[track_caller]
pub(super) fn says(text: &str, cleaned: &str, directives: serde_json::Value) {
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
pub(super) fn is_text(text: &str) {
    says(text, text, json!({}));
}

/// Asserts that a message stays as it is, and why.
#[track_caller]
pub(super) fn is_left(text: &str, findings: &[&str]) -> Inbound {
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
    assert_eq!(codes(&inbound), ["duplicate-directive", "duplicate-directive"]);
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
