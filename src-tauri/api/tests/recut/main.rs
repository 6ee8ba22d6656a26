//! The re-cut fuzzer finds nothing in the scanner, and what is wrong in readers that depend on the cut.

mod readers;

use foldback_api::recut::{Plan, Reading, recut};
use foldback_directives::{Scanner, Settings};
use foldback_wire::rpc::{Aspect, CutFamily, RecutFailure, RecutResult};
use readers::{Alone, Forgetful, Impatient};

const REACTION: &str = "Sure <react emoji=\"fire\" /> thing";

/// Texts of every dialect, with code, Unicode and noise.
const TEXTS: &[&str] = &[
    "",
    "Hi",
    "<react/>",
    REACTION,
    "[[reply_to:12]]\n<actions>\n  <react emoji=\"👍\" />\n</actions>\nGrüße, and `<react/>` in code",
    "NO_REPLY",
    "<no-reply/>\r\n\r\n",
    "<think>hm</think>Yes.\n\n```xml\n<actions></actions>\n```\n<voice>Hel",
    "<actions><send-message channel=\"slack\" chat=\"C1\">a</send-message>x</actions>  \n\n b <|end|>",
];

fn run<R: Reading>(raw: &str, begin: &impl Fn() -> R) -> RecutResult {
    recut(&Plan::of(raw), begin, |_| true)
}

fn failure<R: Reading>(raw: &str, begin: &impl Fn() -> R) -> RecutFailure {
    run(raw, begin).failure.expect("it depends on the cut")
}

/// The chunks of a cut.
fn chunks<'a>(raw: &'a str, cut: &[usize]) -> Vec<&'a str> {
    let ends = cut.iter().copied().chain([raw.len()]);
    let mut from = 0;
    ends.map(|end| &raw[std::mem::replace(&mut from, end)..end])
        .collect()
}

#[test]
fn the_scanner_does_not_depend_on_the_cut() {
    let mut json = Settings::default();
    json.set("output.dialects", "actions,silence,header,guard,json")
        .unwrap();
    for settings in [Settings::default(), json] {
        for raw in TEXTS {
            let result = run(raw, &|| Scanner::new(&settings, Some("<react/>")));
            assert_eq!(result.failure, None, "{raw:?}");
            assert_eq!(result.cuts, Plan::of(raw).total());
        }
    }
}

#[test]
fn a_reader_that_takes_each_chunk_for_a_message_is_found_with_one_place() {
    let found = failure(REACTION, &Alone::default);
    assert_eq!(found.cut.len(), 1, "{:?}", chunks(REACTION, &found.cut));
    assert_eq!(found.family, CutFamily::Single);
    assert_eq!(found.whole.clean_text, "Sure thing");
    assert_ne!(found.parsed.clean_text, "Sure thing");
    assert!(found.differs.contains(&Aspect::CleanText));
}

#[test]
fn a_byte_of_a_directive_that_is_shown_for_one_frame_is_a_leak() {
    let raw = "Sure<react emoji=\"fire\"/>thing";
    let found = failure(raw, &|| Impatient::new(&Settings::default()));
    assert_eq!(found.whole.clean_text, "Surething");
    assert_eq!(
        found.parsed.directives, found.whole.directives,
        "it is carried out all the same"
    );
    assert_eq!(found.differs[0], Aspect::Leak, "{:?}", found.differs);
    let [leak] = found.leaked[..] else {
        panic!("{:?}", found.leaked)
    };
    assert_eq!(
        (leak.start, leak.end),
        (4, found.cut[0]),
        "from the tag to the end of its chunk"
    );
    assert_eq!(found.cut.len(), 1);
    assert_eq!(found.released[0], raw[..leak.end], "the first chunk showed it");
}

#[test]
fn what_is_shown_and_no_beginning_of_the_text_is_found_without_a_directive() {
    // White space is held until it is known what follows; here it is shown at once, and again.
    let found = failure("a  b", &|| Impatient::new(&Settings::default()));
    assert_eq!(found.whole.clean_text, "a  b");
    assert!(found.differs.contains(&Aspect::Released), "{:?}", found.differs);
    assert!(!found.differs.contains(&Aspect::Leak));
}

#[test]
fn the_smallest_cut_has_no_place_that_could_be_left_out() {
    // It forgets what it read before the chunk before: two cuts inside the tag are needed, and enough.
    for raw in [
        REACTION,
        &format!("{}{REACTION}{}", "word ".repeat(40), " word".repeat(40)),
    ] {
        let found = failure(raw, &|| Forgetful::new(&Settings::default()));
        assert_eq!(found.cut.len(), 2, "{:?}", chunks(raw, &found.cut));
    }
}

#[test]
fn it_stops_when_it_is_told_to() {
    let settings = Settings::default();
    let mut told = Vec::new();
    let result = recut(&Plan::of(REACTION), &|| Scanner::new(&settings, None), |tried| {
        told.push(tried);
        tried < 10
    });
    assert_eq!((result.cuts, result.cancelled, result.failure), (10, true, None));
    assert_eq!(told, (0..=10).collect::<Vec<_>>());
}
