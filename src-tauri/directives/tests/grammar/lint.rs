//! Lint: places, fixes and explanations.

use foldback_directives::{
    Bare, CHILDREN, Code, Diagnostic, Dialect, Lines, Needs, Place, Settings, action_key, action_part, lint,
    parse,
};

#[test]
fn did_you_mean_is_said_only_when_it_is_likely() {
    let [found] = &lint("<actions><weather/></actions>", &Settings::default())[..] else {
        panic!("one finding")
    };
    assert_eq!((found.code, &found.fix), (Code::UnknownDirective, &None));
}

#[test]
fn lines_and_columns_count_from_one_in_unicode_scalars() {
    let text = "Ünï\r\n👍x </actions>";
    let found = lint(text, &Settings::default());
    assert_eq!(
        Lines::new(text).start(found[0].span),
        Place { line: 2, column: 4 }
    );
    assert_eq!(
        Lines::new(text).place(text.len() + 9),
        Place { line: 2, column: 14 }
    );
    assert_eq!(Lines::new("").place(0), Place { line: 1, column: 1 });
    assert_eq!(Lines::new("a\n").place(2), Place { line: 2, column: 1 });
}

#[test]
fn columns_are_the_scalars_before_on_every_line() {
    let text = "aü👍\n".repeat(90) + &"xü👍é".repeat(300) + "\n\n" + &"ü".repeat(513);
    let lines = Lines::new(&text);
    let (mut line, mut column) = (1, 1);
    for (at, c) in text.char_indices() {
        assert_eq!(lines.place(at), Place { line, column }, "{at}");
        (line, column) = if c == '\n' {
            (line + 1, 1)
        } else {
            (line, column + 1)
        };
    }
    assert_eq!(lines.place(text.len()), Place { line, column });
}

#[test]
fn a_place_costs_the_same_on_a_long_line() {
    let per_finding = |n: usize| {
        let text = "x".to_owned() + &"</actions>".repeat(n);
        let lines = Lines::new(&text);
        let found = lint(&text, &Settings::default());
        assert_eq!(found.len(), n);
        for finding in &found {
            lines.start(finding.span);
        }
        lines.work() / n as u64
    };
    assert!(per_finding(20_000) <= 256, "{}", per_finding(20_000));
    assert!(
        per_finding(20_000) <= per_finding(1_000) + 1,
        "no more where there are more"
    );
}

#[test]
fn findings_come_by_start_then_code() {
    let text = "<actions><send-file path=a path=b kind=x cleanup=y/>x<poll/></actions></actions>";
    let found = parse(text, &Settings::default(), None).diagnostics;
    let keys: Vec<_> = found.iter().map(|d| (d.span.start, d.code.code())).collect();
    assert!(keys.is_sorted(), "{keys:?}");
    assert_eq!(keys.len(), 6);
}

/// The texts that the findings with this code are about.
fn about(text: &str, code: Code) -> Vec<&str> {
    let settings = Settings {
        heartbeat: true,
        ..Settings::default()
    };
    let found = lint(text, &settings).into_iter().filter(|d| d.code == code);
    found.map(|d| d.span.of(text)).collect()
}

#[test]
fn a_finding_about_an_attribute_holds_its_quotes() {
    let text =
        "<actions><send-file path=a kind=\"x\" kind='' kind=“ü” kind=\\\"y\\\" kind = z kind /></actions>";
    let expected = ["kind=''", "kind=“ü”", "kind=\\\"y\\\"", "kind = z", "kind"];
    assert_eq!(about(text, Code::DuplicateAttribute), expected);
}

#[test]
fn a_finding_about_a_token_holds_the_token() {
    let cases = [
        ("a **NO_REPLY**. HEARTBEAT_OK", "**NO_REPLY**."),
        ("a HEARTBEAT_OK NO_REPLY NO_REPLY", "NO_REPLY"),
        ("a [<react emoji=b/>NO_REPLY.", "NO_REPLY."),
        ("a .NO_<react emoji=b/>REPLY.", ".NO_"),
    ];
    for (text, token) in cases {
        assert_eq!(about(text, Code::MarkerNotAlone), [token], "{text}");
    }
}

#[test]
fn every_code_is_explained() {
    for code in Code::ALL {
        assert!(code.explain().len() > 40, "{code}");
        assert!(Code::from_code(code.code()) == Some(*code));
        // The table of children tells them; a list by hand would lack the next one.
        let words = code
            .explain()
            .split(|c: char| !c.is_ascii_alphabetic() && c != '-');
        let named: Vec<_> = words
            .filter(|word| CHILDREN.iter().any(|row| row.name == *word))
            .collect();
        assert_eq!(named, [""; 0], "{code}");
    }
}

/// What is said of bare directives holds for each setting.
#[test]
fn the_explanation_of_bare_directives_names_every_setting() {
    for bare in Bare::ALL {
        let settings = Settings {
            bare: *bare,
            ..Settings::default()
        };
        let read = parse("Hi <react emoji=a/>", &settings, None);
        let (executed, shown) = (!read.directives.is_empty(), read.clean_text.contains("<react"));
        let explained = Code::BareDirective.explain();
        let says = match bare {
            Bare::Execute => (true, false, "they are executed all the same"),
            Bare::Strip => (false, false, "`strip` only takes them out"),
            Bare::Text => (false, true, "`text` shows them"),
        };
        assert_eq!((executed, shown), (says.0, says.1), "{bare}");
        assert!(explained.contains(says.2), "{explained}");
    }
}

/// Those that only the channel or the policy can tell are proven where these are known, in the pipeline.
#[test]
fn every_example_is_found_with_its_code_and_no_other() {
    for code in Code::ALL {
        let example = code.example();
        let found: Vec<_> = example.findings().unwrap().iter().map(|d| d.code).collect();
        let expected: &[Code] = match example.needs {
            Needs::Policy | Needs::Files | Needs::Channel | Needs::Actions(_) => &[],
            Needs::Nothing | Needs::Setting(_) | Needs::Inbound(_) | Needs::UserMessage => &[*code],
        };
        assert_eq!(found, expected, "{}", example.text);
    }
}

#[test]
fn an_unknown_tag_and_its_closing_tag_are_one_finding() {
    for text in [
        "<actions><poll>a</poll></actions>",
        "<actions><poll/></poll></actions>",
    ] {
        let found = lint(text, &Settings::default());
        let unknown = |d: &&Diagnostic| d.code == Code::UnknownDirective;
        assert_eq!(found.iter().filter(unknown).count(), 1, "{text}");
    }
}

fn with_json() -> Settings {
    let mut settings = Settings::default();
    settings.dialects.push(Dialect::Json);
    settings
}

#[test]
fn actions_are_told_where_their_dialect_is_off_and_where_the_scanner_would_read_them() {
    let one = r#"{"type":"bash","payload":{}}"#;
    for (text, unread) in [
        (one.to_owned(), vec![one]),
        (format!("Look:\n```json\n{one}\n```\nDone."), vec![one]),
        (format!("{{\"actions\":[{one},{one}]}}"), vec![one, one]),
        (format!("In a line {one}"), vec![]),
        (r#"{"type":"object","properties":{}}"#.to_owned(), vec![]),
        (format!("{{\"system_message\":{{}}}}\n{one}"), vec![]),
    ] {
        assert_eq!(about(&text, Code::ActionsNotRead), unread, "{text}");
        let on = lint(&text, &with_json());
        assert!(on.iter().all(|d| d.code != Code::ActionsNotRead), "{text}");
    }
}

#[test]
fn a_part_of_an_action_has_its_place_or_that_of_what_is_around_it() {
    let text =
        "Sure.\n{\"actions\":[ {\"type\" : \"bash\", \"payload\":{\"a/b\":[1, {\"ü\":2}], \"a/b\":[7,8]}} ]}";
    let read = parse(text, &with_json(), None).actions;
    let part = |pointer: &str| action_part(text, &read[0], pointer).of(text);
    assert_eq!(part(""), read[0].span.of(text));
    assert_eq!(part("/type"), "\"bash\"");
    assert_eq!(part("/payload/a~1b"), "[7,8]", "the last one counts");
    assert_eq!(part("/payload/a~1b/1"), "8");
    assert_eq!(part("/payload/a~1b/9"), "[7,8]");
    assert_eq!(part("/payload/none/deeper"), part("/payload"));
    assert_eq!(part("/type/0"), "\"bash\"");
    let key = |pointer: &str| action_key(text, &read[0], pointer).map(|span| span.of(text));
    assert_eq!(key("/payload/a~1b"), Some("\"a/b\""));
    assert_eq!([key(""), key("/payload/a~1b/1"), key("/payload/none")], [None; 3]);
}
