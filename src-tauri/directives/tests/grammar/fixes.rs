//! Every fix is safe, alone and with the others: what users see stays, what it is about goes.

use foldback_directives::{Bare, Code, Diagnostic, Fix, Parsed, Settings, lint, parse};
use proptest::prelude::*;

use crate::{common::outcome, texts};

fn with(raw: &str, fix: &Fix) -> String {
    let mut mended = raw.to_owned();
    mended.replace_range(fix.span.start..fix.span.end, &fix.text);
    mended
}

/// All fixes at once, last to first. Of those that overlap the first counts, as in the window.
fn with_all(raw: &str, found: &[Diagnostic]) -> String {
    let mut fixes: Vec<&Fix> = found.iter().filter_map(|found| found.fix.as_ref()).collect();
    fixes.sort_by_key(|fix| (fix.span.start, fix.span.end));
    let mut kept: Vec<&Fix> = Vec::new();
    for fix in fixes {
        let free = |last: &&Fix| last.span.end <= fix.span.start && last.span != fix.span;
        if kept.last().is_none_or(free) {
            kept.push(fix);
        }
    }
    kept.iter().rev().fold(raw.to_owned(), |raw, fix| with(&raw, fix))
}

/// What is shown, without its white space: what a tag leaves behind is no longer joined when it goes.
fn ink(parsed: &Parsed) -> String {
    parsed.clean_text.split_whitespace().collect()
}

fn count(parsed: &Parsed, code: Code) -> usize {
    parsed
        .diagnostics
        .iter()
        .filter(|found| found.code == code)
        .count()
}

/// Whether the fix of this finding changes more than that the finding goes. Two do, because they say so:
/// - a misspelt name becomes a directive or a marker, which is then read as what it is and may lack something;
/// - with `bare = text` a directive that was shown is wrapped, and so no longer shown; what follows it may then
///   stand at the start.
fn means_more(code: Code, settings: &Settings) -> bool {
    code == Code::UnknownDirective || (code == Code::BareDirective && settings.bare == Bare::Text)
}

fn each_alone(raw: &str, settings: &Settings) -> Result<(), TestCaseError> {
    let before = parse(raw, settings, None);
    for found in &before.diagnostics {
        let Some(fix) = &found.fix else { continue };
        let mended = with(raw, fix);
        let after = parse(&mended, settings, None);
        let told = format!("{raw:?}\n{found:?}\n{mended:?}\n{:?}", after.diagnostics);
        if means_more(found.code, settings) {
            let place = fix.span.start..fix.span.start + fix.text.len();
            let left = |left: &&Diagnostic| left.code == found.code && place.contains(&left.span.start);
            prop_assert!(after.diagnostics.iter().find(left).is_none(), "{}", told);
            continue;
        }
        prop_assert!(count(&after, found.code) < count(&before, found.code), "{}", told);
        prop_assert_eq!(ink(&after), ink(&before), "{}", told);
        prop_assert_eq!(after.suppressed, before.suppressed, "{}", told);
        if fix.text.is_empty() {
            prop_assert_eq!(
                &outcome(&after)["directives"],
                &outcome(&before)["directives"],
                "{}",
                told
            );
        }
        prop_assert!(after.diagnostics.len() < before.diagnostics.len(), "{}", told);
    }
    Ok(())
}

fn all_together(raw: &str, settings: &Settings) -> Result<(), TestCaseError> {
    let mut raw = raw.to_owned();
    let mut before = parse(&raw, settings, None);
    while before.diagnostics.iter().any(|found| found.fix.is_some()) {
        let mended = with_all(&raw, &before.diagnostics);
        let after = parse(&mended, settings, None);
        let told = format!(
            "{raw:?}\n{:?}\n{mended:?}\n{:?}",
            before.diagnostics, after.diagnostics
        );
        let mut codes = before.diagnostics.iter().filter(|found| found.fix.is_some());
        if !codes.any(|found| means_more(found.code, settings)) {
            prop_assert_eq!(ink(&after), ink(&before), "{}", told);
            prop_assert!(after.diagnostics.len() < before.diagnostics.len(), "{}", told);
        }
        prop_assert!(mended != raw, "{}", told);
        (raw, before) = (mended, after);
    }
    Ok(())
}

proptest! {
    #[test]
    fn each_fix_alone_is_safe(raw in texts::text(), settings in texts::settings()) {
        each_alone(&raw, &settings)?;
    }

    #[test]
    fn each_fix_alone_is_safe_as_settings_are(raw in texts::text()) {
        each_alone(&raw, &Settings::default())?;
    }

    #[test]
    fn all_fixes_together_are_safe(raw in texts::text(), settings in texts::settings()) {
        all_together(&raw, &settings)?;
    }

    #[test]
    fn where_vectors_meet_fixes_are_safe(raw in texts::parts(), settings in texts::settings()) {
        each_alone(&raw, &settings)?;
        all_together(&raw, &settings)?;
    }
}

#[test]
fn a_token_takes_the_punctuation_before_a_block_with_it() {
    let text = "NO_REP```sh\n<<ACTIONS a=b><![CDATA[</actions>NO_REPLY";
    each_alone(text, &Settings::default()).unwrap_or_else(|error| panic!("{error}"));
}

/// The text with the fix of its only finding of this code.
fn fixed(text: &str, code: Code) -> String {
    let found: Vec<Diagnostic> = lint(text, &Settings::default())
        .into_iter()
        .filter(|d| d.code == code)
        .collect();
    let [Diagnostic { fix: Some(fix), .. }] = found.as_slice() else {
        panic!("one finding with a fix: {found:?}")
    };
    with(text, fix)
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
    mends(
        "<actions><react emoji=a emoji='b'/></actions>Hi",
        Code::DuplicateAttribute,
        "<actions><react emoji='b'/></actions>Hi",
    );
    mends(
        "<actions><send-file kind=\"film\" path=\"a\"/></actions>Hi",
        Code::InvalidValue,
        "<actions><send-file path=\"a\"/></actions>Hi",
    );
    mends(
        "<actions><send-file path=a cleanup=perhaps/></actions>Hi",
        Code::InvalidValue,
        "<actions><send-file path=a /></actions>Hi",
    );
    mends("<think>so</think>\nHi", Code::LeakGuard, "\nHi");
    mends("Hi<|im_end|>", Code::LeakGuard, "Hi");
    mends("Hi NO_REPLY", Code::MarkerNotAlone, "Hi ");
}

/// The text after pressing the fix of the first finding that has one, until none is left; and how many presses.
fn pressed(text: &str) -> (String, usize) {
    let (mut text, mut presses) = (text.to_owned(), 0);
    loop {
        let found = lint(&text, &Settings::default());
        let Some(fix) = found.into_iter().find_map(|found| found.fix) else {
            return (text, presses);
        };
        text = with(&text, &fix);
        presses += 1;
    }
}

#[test]
fn behind_an_unclosed_block_nothing_is_closed_before_it() {
    let report =
        "<actions>\n  <react emoji=\"eyes\" />\nHere is the report.\n<send-file path=\"report.pdf\" />";
    let twice = "<actions>\n<react emoji=x/>\nHello\n<actions>\n<react emoji=y/>\nWorld";
    for (text, second) in [(report, Code::BareDirective), (twice, Code::UnclosedBlock)] {
        let before = parse(text, &Settings::default(), None);
        let [first, later] = &before.diagnostics[..] else {
            panic!("two findings: {before:?}")
        };
        assert_eq!((first.code, later.code), (Code::UnclosedBlock, second));
        assert!(first.fix.is_some() && later.fix.is_none(), "{before:?}");

        let (mended, presses) = pressed(text);
        let after = parse(&mended, &Settings::default(), None);
        assert_eq!((presses, after.diagnostics.len()), (2, 0), "{mended}");
        assert_eq!(after.clean_text, before.clean_text);
        assert_eq!(after.directives.len(), before.directives.len());
    }
}

#[test]
fn a_fix_that_would_make_text_more_than_text_is_not_offered() {
    for (text, code) in [
        ("<voice>a </actions> b</voice>", Code::StrayClose),
        ("<act</actions>ions>", Code::StrayClose),
        ("``</actions>` x", Code::StrayClose),
        ("[[note </actions>:x]]", Code::StrayClose),
        (
            "<react emoji=a/><react emoji=b>x</react>y</react>",
            Code::StrayClose,
        ),
        ("x <actions><no-reply/>y</actions>", Code::MarkerNotAlone),
        ("x <actions><|end|>y</actions>", Code::LeakGuard),
        ("x <final>\n<final>y</final>", Code::LeakGuard),
        (
            "<actions><react Done.\n<think>x</think>react emoji=a/></actions>",
            Code::LeakGuard,
        ),
        ("<actions><po <|end|>ll/></actions>", Code::LeakGuard),
        (
            "<actions><send-file path=a kind=image kind=film/></actions>",
            Code::InvalidValue,
        ),
        ("x <actions> NO_REPLY", Code::MarkerNotAlone),
        ("x <react >NO_REPLY", Code::MarkerNotAlone),
        ("`NO_REPLY` `NO_REPLY", Code::MarkerNotAlone),
        ("```<react/>\r`NO_REPLY<react", Code::MarkerNotAlone),
        ("<react emoji=a></react>", Code::BareDirective),
        ("<react emoji=\"</actions>\"/>", Code::BareDirective),
        ("<actions><voice>Hi", Code::UnclosedBlock),
        ("<actions><voic>a<poll/></voic></actions>", Code::UnknownDirective),
    ] {
        let found = lint(text, &Settings::default());
        let found: Vec<_> = found.iter().filter(|found| found.code == code).collect();
        assert!(
            !found.is_empty() && found.iter().all(|found| found.fix.is_none()),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn a_child_is_not_closed_before_a_closing_tag_that_may_be_its_own() {
    for text in [
        "<actions><voice>say </actions> now</voice></actions>",
        "<actions><voice>a</actions>b</voice><actions><voice>c</voice></actions>",
    ] {
        let found = lint(text, &Settings::default());
        let unclosed: Vec<_> = found
            .iter()
            .filter(|found| found.code == Code::UnclosedDirective)
            .collect();
        assert!(
            matches!(unclosed.as_slice(), [Diagnostic { fix: None, .. }]),
            "{text}: {found:?}"
        );
    }
    // Of two the later is mended first.
    let (mended, presses) = pressed("<actions><voice>a</actions>b<actions><voice>c</actions>");
    assert_eq!(
        mended,
        "<actions><voice>a</voice></actions>b<actions><voice>c</voice></actions>"
    );
    assert_eq!(presses, 2);
}

#[test]
fn one_fix_takes_out_all_that_is_one_finding() {
    mends("Hi <no-reply/> and <no-reply/>", Code::MarkerNotAlone, "Hi  and ");
    mends("<no-reply></no-reply>Hi<no-reply>", Code::MarkerNotAlone, "Hi");
    mends(
        "a NO_REPLY <react emoji=b/> NO_REPLY",
        Code::MarkerNotAlone,
        "a  <react emoji=b/> ",
    );
    mends("a NO_REPLY NO_REPLY", Code::MarkerNotAlone, "a ");
    mends(
        "a .NO_<react emoji=b/>REPLY.",
        Code::MarkerNotAlone,
        "a <react emoji=b/>",
    );
    mends(
        "<actions><voic>a b</voic></actions>",
        Code::UnknownDirective,
        "<actions><voice>a b</voice></actions>",
    );
    // They stand too far apart to be remembered as one.
    let far = format!("Hi <no-reply/> {} <no-reply/>", "word ".repeat(1_000));
    assert_eq!(lint(&far, &Settings::default())[0].fix, None);
}

#[test]
fn a_misspelt_key_is_written_as_the_nearest_that_takes_the_value() {
    mends("[[replyto:42]]\nHi", Code::UnknownKey, "[[reply_to:42]]\nHi");
    mends(
        "[[ silnt : true ]]\nHi",
        Code::UnknownKey,
        "[[ silent : true ]]\nHi",
    );
    let key = |text: &str| {
        let found = lint(text, &Settings::default()).remove(0);
        (
            found.code,
            found.message.contains("did you mean"),
            found.fix.is_some(),
        )
    };
    assert_eq!(key("[[silnt:perhaps]]\nHi"), (Code::UnknownKey, true, false));
    assert_eq!(key("[[note:x]]\nHi"), (Code::UnknownKey, false, false));
}
