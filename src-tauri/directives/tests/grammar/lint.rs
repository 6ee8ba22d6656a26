//! Lint: places, fixes and explanations.

use foldback_directives::{Code, Diagnostic, Lines, Needs, Place, Settings, lint, parse};

/// The text with the fix of its only finding of this code.
fn fixed(text: &str, code: Code) -> String {
    let found: Vec<Diagnostic> = lint(text, &Settings::default())
        .into_iter()
        .filter(|d| d.code == code)
        .collect();
    let [Diagnostic { fix: Some(fix), .. }] = found.as_slice() else {
        panic!("one finding with a fix: {found:?}")
    };
    let mut text = text.to_owned();
    text.replace_range(fix.span.start..fix.span.end, &fix.text);
    text
}

/// A fix mends what it is about: afterwards the finding is gone.
fn mends(text: &str, code: Code, expected: &str) {
    let mended = fixed(text, code);
    assert_eq!(mended, expected);
    let left = lint(&mended, &Settings::default());
    assert!(left.iter().all(|d| d.code != code), "{mended:?} still has {code}");
}

#[test]
fn fixes_mend_what_they_are_about() {
    mends(
        "Hi <react emoji=\"a\"/>",
        Code::BareDirective,
        "Hi <actions><react emoji=\"a\"/></actions>",
    );
    mends("[[reply-to: 4]]\nHi", Code::UnknownKey, "[[reply_to: 4]]\nHi");
    mends(
        "<actions><raect emoji=\"a\"/></actions>",
        Code::UnknownDirective,
        "<actions><react emoji=\"a\"/></actions>",
    );
    mends(
        "<actions><react emoji=\"a\"/> Hi",
        Code::UnclosedBlock,
        "<actions><react emoji=\"a\"/></actions> Hi",
    );
    mends(
        "<actions><voice>x </actions>",
        Code::UnclosedDirective,
        "<actions><voice>x </voice></actions>",
    );
    mends("Hi </actions> there", Code::StrayClose, "Hi  there");
    mends("Hi <no-reply/>", Code::MarkerNotAlone, "Hi ");
    mends("Hi NO_REPLY", Code::MarkerNotAlone, "Hi ");
}

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
    }
}

/// Those that only the channel or the policy can tell are proven where these are known, in the pipeline.
#[test]
fn every_example_is_found_with_its_code_and_no_other() {
    for code in Code::ALL {
        let example = code.example();
        let found: Vec<_> = example.findings().unwrap().iter().map(|d| d.code).collect();
        let expected: &[Code] = match example.needs {
            Needs::Policy | Needs::Channel => &[],
            Needs::Nothing | Needs::Setting(_) | Needs::Inbound(_) => &[*code],
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
