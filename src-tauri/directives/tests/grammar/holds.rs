//! What is held while a message streams, and why.

use foldback_directives::{Code, Collect, Hold, HoldReason, Scanner, Settings, Sink, Step, parse};

#[derive(Default)]
struct Screen {
    collect: Collect,
    hold: Option<Hold>,
    log: Vec<&'static str>,
}

impl Sink for Screen {
    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Hold(hold) => self.hold = hold.copied(),
            Step::Show { .. } => self.log.push("show"),
            Step::Directive(_) => self.log.push("directive"),
            Step::Header { .. } => self.log.push("header"),
            _ => {}
        }
        self.collect.step(step);
    }
}

/// What is shown, what is held, and why, after these bytes have arrived.
fn after(text: &str, settings: &Settings) -> (String, String, Option<HoldReason>) {
    let mut screen = Screen::default();
    let mut scanner = Scanner::new(settings, None);
    scanner.push(text, &mut screen);
    let held = screen.hold.map_or("", |hold| hold.span.of(text));
    (
        screen.collect.clean_text().to_owned(),
        held.to_owned(),
        screen.hold.map(|hold| hold.reason),
    )
}

#[test]
fn only_what_is_undecided_is_held() {
    use HoldReason as H;
    let cases: &[(&str, &str, &str, Option<HoldReason>)] = &[
        ("Hi", "Hi", "", None),
        ("Hi ", "Hi", " ", Some(H::TrailingSpace)),
        ("Hi <", "Hi", " <", Some(H::PartialTag)),
        ("Hi <act", "Hi", " <act", Some(H::PartialTag)),
        ("Hi <apple", "Hi <apple", "", None),
        ("if a < b", "if a < b", "", None),
        ("Hi <no-rep", "Hi", " <no-rep", Some(H::MaybeMarker)),
        ("NO_RE", "", "NO_RE", Some(H::MaybeMarker)),
        ("NOTE", "NOTE", "", None),
        ("Done. NO_", "Done.", " NO_", Some(H::MaybeMarker)),
        ("Done. **", "Done.", " **", Some(H::MaybeMarker)),
        ("<actions>x", "", "<actions>x", Some(H::OpenBlock)),
        ("Hi <actions>", "Hi", " <actions>", Some(H::OpenBlock)),
        ("<voice>Hello", "", "<voice>Hello", Some(H::OpenDirective)),
        ("[[reply_", "", "[[reply_", Some(H::HeaderOpen)),
        ("[[mood:x]]", "", "[[mood:x]]", Some(H::HeaderOpen)),
        ("Hi <|im", "Hi", " <|im", Some(H::PartialToken)),
        ("<think>a", "", "<think>a", Some(H::GuardOpen)),
        ("a `b c", "a `b c", "", None),
        ("a `b <react", "a `b", " <react", Some(H::MaybeCode)),
        ("a `b <div", "a `b <div", "", None),
        (
            "```sh <react emoji=a/>",
            "```sh",
            " <react emoji=a/>",
            Some(H::MaybeCode),
        ),
        ("```sh\n<react emoji=a/>", "```sh\n<react emoji=a/>", "", None),
        ("{\"a", "{\"a", "", None),
    ];
    for (text, shown, held, reason) in cases {
        let got = after(text, &Settings::default());
        assert_eq!(
            got,
            ((*shown).to_owned(), (*held).to_owned(), *reason),
            "{text:?}"
        );
    }
}

#[test]
fn json_is_held_until_its_first_key_is_known() {
    let mut settings = Settings::default();
    settings.set_pair("output.dialects=json").expect("a dialect");
    assert_eq!(after("Hi\n{ \"act", &settings).2, Some(HoldReason::JsonOpen));
    assert_eq!(after("Hi\n{ \"b\"", &settings).2, None);
}

/// Nothing of an action by itself is shown, wherever the message is cut, and no longer is anything else held.
#[test]
fn an_action_by_itself_is_held_and_text_is_released_where_it_is_told_apart() {
    let mut settings = Settings::default();
    settings.set_pair("output.dialects=json").expect("a dialect");
    let action = r#"{"type":"bash","payload":{"command":"df -h"},"meta":{}}"#;
    for raw in [action.to_owned(), format!("```json\n{action}\n```")] {
        for end in 1..=raw.len() {
            assert_eq!(after(&raw[..end], &settings).0, "", "{:?}", &raw[..end]);
        }
    }
    for (held, told) in [
        (r#"{"type":"object","p"#, "r"),
        (r#"{"type":"#, "1"),
        (r#"{"type":"a"#, "\n"),
        (r#"{"type":"a""#, "}"),
        (r#"{"type":"a","payload":"#, "\""),
        (r#"{"type":"a","payload":{"b":1},""#, "r"),
        (r#"{"type":"a","payload":{},"meta":[1],"metadata"#, "2"),
        (r#"{"type":"a","payload":{},""#, "payload"),
    ] {
        let before = after(held, &settings);
        assert_eq!(
            (before.0.as_str(), before.2),
            ("", Some(HoldReason::JsonOpen)),
            "{held}"
        );
        let told = format!("{held}{told}");
        let (shown, _, reason) = after(&told, &settings);
        assert_eq!(
            (shown.as_str(), reason.filter(|why| *why == HoldReason::JsonOpen)),
            (told.trim_end(), None)
        );
    }
}

/// Nothing of an action is shown, however it is written; what has no payload is released where that is known.
#[test]
fn an_object_that_names_an_action_is_held_until_its_payload_or_its_end() {
    let mut settings = Settings::default();
    settings.set_pair("output.dialects=json").expect("a dialect");
    settings.action_names = vec!["bash".to_owned()];
    for action in [
        r#"{"type":"bash","payload":"df -h"}"#,
        r#"{"type":"bash","id":["}",{}],"payload":{"command":"df -h"}}"#,
        r#"{"type":"bash","payload":{"command":"df -h"},"id":"1"}"#,
        r#"{"type":"bash","payload"}"#,
    ] {
        for raw in [action.to_owned(), format!("```json\n{action}\n```")] {
            for end in 1..=raw.len() {
                assert_eq!(after(&raw[..end], &settings).0, "", "{:?}", &raw[..end]);
            }
            let whole = parse(&raw, &settings, None);
            assert_eq!((whole.clean_text.as_str(), whole.actions.len()), ("", 0), "{raw}");
            assert_eq!(whole.diagnostics[0].code, Code::MalformedDirective, "{raw}");
        }
    }
    for (held, told) in [
        (r#"{"type":"bash","command":"df -h""#, "}"),
        (r#"{"type":"bash","command":{"payload":1}"#, "}"),
        (r#"{"type":"bash","pay""#, "}"),
        (r#"{"type":"bash","a":1,"#, "}"),
        (r#"{"type":"bash","a":1"#, "\u{e9}"),
        (r#"{"type":"bash","a"#, "\n"),
        (r#"{"type":"bash""#, "}"),
        (r#"{"type":"event","#, "\"n"),
    ] {
        let before = after(held, &settings);
        assert_eq!(
            (before.0.as_str(), before.2),
            ("", Some(HoldReason::JsonOpen)),
            "{held}"
        );
        let told = format!("{held}{told}");
        let (shown, _, reason) = after(&told, &settings);
        assert_eq!(
            (shown.as_str(), reason.filter(|why| *why == HoldReason::JsonOpen)),
            (told.trim_end(), None)
        );
    }
}

#[test]
fn a_hold_says_why_and_what_would_release_it() {
    let mut screen = Screen::default();
    let mut scanner = Scanner::new(&Settings::default(), None);
    scanner.push("Hi\n<actions>\n", &mut screen);
    let hold = screen.hold.expect("the block is open");
    assert_eq!(
        (hold.rule, hold.subject, hold.since, hold.until),
        ("G3.block", "actions", 3, Some(3 + 65_536))
    );
    assert!(
        hold.why().contains("G3.block") && hold.why().contains("byte 3"),
        "{}",
        hold.why()
    );
    assert!(hold.release().contains("</actions>"));
}

#[test]
fn directives_and_the_header_come_before_the_text_that_follows() {
    let mut screen = Screen::default();
    let mut scanner = Scanner::new(&Settings::default(), None);
    scanner.push(
        "[[reply_to:1]]\n<actions><react emoji=\"a\"/></actions>",
        &mut screen,
    );
    assert_eq!(
        screen.log,
        ["directive"],
        "a directive runs as soon as its block is complete"
    );
    scanner.push(" Hi <react emoji=\"b\"/> there", &mut screen);
    assert_eq!(
        screen.log,
        ["directive", "header", "show", "directive", "show", "show"]
    );
}

/// Whoever writes all fields out must not break when another crate of the build asks for the feature `mutants`.
#[test]
fn settings_have_the_same_fields_whatever_the_features() {
    let default = Settings::default();
    let written = Settings {
        dialects: default.dialects.clone(),
        placement: default.placement,
        bare: default.bare,
        allow_echo: default.allow_echo,
        trailing_silence: default.trailing_silence,
        heartbeat: default.heartbeat,
        all_clear: default.all_clear.clone(),
        guard: default.guard.clone(),
        reply_to: default.reply_to.clone(),
        action_names: default.action_names.clone(),
        rules: default.rules,
    };
    assert_eq!(written, default);
    let json = serde_json::to_value(&default).unwrap();
    assert_eq!(json.as_object().unwrap().len(), 9, "{json}");
}

#[test]
fn settings_are_set_by_key_and_refuse_what_they_do_not_know() {
    let mut settings = Settings::default();
    for pair in [
        "output.bare=strip",
        "placement=start",
        "output.guard=scratch, plan:reasoning",
        "output.reply_to.max=9",
    ] {
        settings.set_pair(pair).expect(pair);
    }
    assert_eq!((settings.guard.len(), settings.reply_to.max), (2, 9));
    for pair in [
        "output.bare",
        "output.bare=maybe",
        "output.nothing=1",
        "output.all_clear=(",
        "output.guard=a b",
    ] {
        assert!(settings.set_pair(pair).is_err(), "{pair}");
    }
}
