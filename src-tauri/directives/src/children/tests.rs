//! The table itself: every row is whole, and a row is all that a new child takes.

use crate::{
    AttributeRow, CHILDREN, ChildRow, Code, Collect, Directive, FileKind, Makes, Parsed, Part, Scanner,
    Settings, Sink, Step,
};

/// The fifth child of docs/adding-a-directive.md.
const STICKER: ChildRow = ChildRow {
    name: "sticker",
    paired: false,
    makes: Makes::SendFile,
    about: "Sends a sticker.",
    example: r#"<sticker file="wave.webp" />"#,
    teach: "sends a sticker from the outgoing folder.",
    attributes: &[AttributeRow::new(
        "file",
        Part::Path,
        "The picture, below the folder for outgoing files.",
    )],
};

const FIVE: &[ChildRow] = &[CHILDREN[0], CHILDREN[1], CHILDREN[2], CHILDREN[3], STICKER];

/// Reads `text` with `children`, whole and byte by byte, which must be the same.
fn read(text: &str, inbound: Option<&str>, children: &'static [ChildRow]) -> Parsed {
    let of = |chunks: Vec<&str>| {
        let mut collect = Collect::default();
        let mut scanner = Scanner::with_children(&Settings::default(), inbound, children);
        for chunk in chunks {
            scanner.push(chunk, &mut collect);
        }
        scanner.finish(&mut collect);
        collect.into_parsed()
    };
    let whole = of(vec![text]);
    assert_eq!(of(text.split_inclusive(|_| true).collect()), whole, "{text}");
    whole
}

/// What is waited for.
struct Held(Option<&'static str>);

impl Sink for Held {
    fn step(&mut self, step: Step<'_>) {
        if let Step::Hold(hold) = step {
            self.0 = hold.map(|hold| hold.subject);
        }
    }
}

fn codes(parsed: &Parsed) -> Vec<Code> {
    parsed.diagnostics.iter().map(|found| found.code).collect()
}

fn sticker(parsed: &Parsed) -> &str {
    match &parsed.directives[..] {
        [
            Directive::SendFile {
                path,
                kind: FileKind::Image,
                ..
            },
        ] => path,
        other => panic!("one picture: {other:?}"),
    }
}

#[test]
fn a_row_is_all_that_a_fifth_child_takes() {
    let block = format!("<actions>\n  {}\n</actions>\nHello", STICKER.example);
    let before = read(&block, None, CHILDREN);
    assert_eq!(
        codes(&before),
        [Code::UnknownDirective],
        "four children do not know it"
    );

    let in_block = read(&block, None, FIVE);
    assert_eq!(
        (sticker(&in_block), &*in_block.clean_text),
        ("wave.webp", "Hello")
    );
    assert_eq!(codes(&in_block), []);

    let bare = read(&format!("{}\nHello", STICKER.example), None, FIVE);
    assert_eq!((sticker(&bare), &*bare.clean_text), ("wave.webp", "Hello"));
    assert_eq!(codes(&bare), [Code::BareDirective]);

    let code = format!("`{}` is how", STICKER.example);
    assert_eq!(read(&code, None, FIVE).clean_text, code);

    let mut scanner = Scanner::with_children(&Settings::default(), None, FIVE);
    let mut held = Held(None);
    scanner.push("Hello <stick", &mut held);
    assert_eq!(held.0, Some("sticker"));

    let echoed = read(&block, Some(STICKER.example), FIVE);
    assert_eq!(echoed.directives, []);
    assert_eq!(codes(&echoed), [Code::EchoedFromInput]);
}

#[test]
fn lint_knows_a_fifth_child_by_its_row() {
    let lacking = read("<actions><sticker/></actions>", None, FIVE);
    assert_eq!(codes(&lacking), [Code::MissingAttribute]);
    assert_eq!(lacking.diagnostics[0].message, "<sticker> needs file");
    assert_eq!(STICKER.needs().collect::<Vec<_>>(), ["file"]);

    let twice = read(
        "<actions><sticker file=a.webp file=b.webp/></actions>",
        None,
        FIVE,
    );
    assert_eq!(
        (sticker(&twice), codes(&twice)),
        ("b.webp", vec![Code::DuplicateAttribute])
    );

    let misspelt = read("<actions><stiker file=a.webp/></actions>", None, FIVE);
    let fix = misspelt.diagnostics[0].fix.as_ref().unwrap();
    assert_eq!(
        (misspelt.diagnostics[0].code, &*fix.text),
        (Code::UnknownDirective, "sticker")
    );
}

#[test]
fn every_row_has_what_its_directive_needs_and_an_example_that_makes_it() {
    for row in FIVE {
        let has = |part: Part| row.attributes.iter().any(|a| a.gives == part);
        for part in row.makes.needs() {
            assert!(
                has(*part) || (row.paired && *part == Part::Text),
                "{}: {part}",
                row.name
            );
        }
        let made = read(&format!("<actions>{}</actions>", row.example), None, FIVE);
        assert_eq!(codes(&made), [], "{}", row.example);
        assert_eq!(made.directives[0].tag(), row.makes.code());
        for text in [row.about, row.teach] {
            assert!(text.ends_with('.'), "{}: {text:?}", row.name);
        }
    }
}

/// Documents show the row as it is here.
#[test]
fn the_document_shows_this_row() {
    let flat = |text: &str| text.split_whitespace().collect::<String>();
    let source = include_str!("tests.rs");
    let row = &source[source.find("const STICKER").unwrap()..source.find("const FIVE").unwrap()];
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/adding-a-directive.md");
    let document = std::fs::read_to_string(path).unwrap();
    assert!(
        flat(&document).contains(&flat(row)),
        "docs/adding-a-directive.md differs"
    );
}
