//! Documents of strangers: read within bounds, or refused by name.

use super::{DocumentError, DocumentKind, DocumentLimits, DocumentReader, DocumentText};

const LIMITS: DocumentLimits = DocumentLimits {
    characters: 10,
    pages: 3,
};

fn reader(pdf: &[&str]) -> DocumentReader {
    let pdf = pdf.iter().map(|part| (*part).to_owned()).collect();
    DocumentReader::new(pdf, LIMITS)
}

async fn plain(bytes: &[u8]) -> Result<DocumentText, DocumentError> {
    reader(&[]).read(DocumentKind::Plain, bytes).await
}

#[test]
fn what_is_text_is_known_by_its_type_and_where_that_says_nothing_by_its_name() {
    use DocumentKind::{Markup, Pdf, Plain};
    for (name, media_type, kind) in [
        ("a", "text/plain", Some(Plain)),
        ("a.csv", "text/csv", Some(Plain)),
        ("a", "application/json", Some(Plain)),
        ("a", "application/ld+json", Some(Plain)),
        ("main.RS", "application/octet-stream", Some(Plain)),
        ("notes.md", "", Some(Plain)),
        ("page.htm", "", Some(Markup)),
        ("a", "text/html", Some(Markup)),
        ("a", "application/pdf", Some(Pdf)),
        ("a.pdf", "application/octet-stream", Some(Pdf)),
        ("a.exe", "application/octet-stream", None),
        ("txt", "application/octet-stream", None),
        ("a.txt", "image/png", None),
        (
            "a.docx",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            None,
        ),
    ] {
        assert_eq!(DocumentKind::of(name, media_type), kind, "{name} {media_type}");
    }
    assert_eq!(reader(&[]).takes("a", "application/pdf"), None, "nobody reads it");
    assert_eq!(reader(&["p"]).takes("a", "application/pdf"), Some(Pdf));
}

#[tokio::test]
async fn text_is_read_up_to_its_bounds_and_says_whether_it_was_cut() {
    let read = plain("\u{feff} Grüße \n".as_bytes()).await.unwrap();
    assert_eq!((read.text.as_str(), read.bytes, read.cut), ("Grüße", 7, false));
    let read = plain(b"0123456789").await.unwrap();
    assert!(!read.cut && read.bytes == 10, "{read:?}");
    let read = plain(b"0123456789a").await.unwrap();
    assert_eq!(
        (read.text.as_str(), read.bytes, read.cut),
        ("0123456789", 11, true)
    );
    // No half of a character, and no more than the bound is looked at.
    let long = "ü".repeat(1_000_000);
    let read = plain(long.as_bytes()).await.unwrap();
    assert_eq!(
        (read.text, read.bytes, read.cut),
        ("ü".repeat(10), 2_000_000, true)
    );
    let halved = "a".to_owned() + &"ü".repeat(30);
    assert!(!plain(halved.as_bytes()).await.unwrap().text.contains('\u{fffd}'));
    let read = plain(b"\xff\xfeG\0r\0\xfc\0").await.unwrap();
    assert_eq!(read.text, "Grü");
}

#[tokio::test]
async fn what_is_no_text_is_refused_by_name() {
    assert_eq!(plain(b"PK\x03\x04\0\0").await, Err(DocumentError::NoText));
    assert_eq!(plain(b" \n").await, Err(DocumentError::Empty));
    assert_eq!(plain(b"").await, Err(DocumentError::Empty));
}

#[tokio::test]
async fn of_a_page_the_words_are_read_and_one_without_a_bottom_ends_nothing() {
    let page = b"<html><style>b{}</style><p>Low <b>tide</b></html>";
    let read = reader(&[]).read(DocumentKind::Markup, page).await.unwrap();
    assert!(read.text.starts_with("Low"), "{read:?}");
    let deep = "<div>".repeat(100_000) + "bottom";
    let _ = reader(&[]).read(DocumentKind::Markup, deep.as_bytes()).await;
}

#[tokio::test]
async fn a_pdf_is_read_by_a_program_within_the_same_bounds() {
    let pdf = DocumentKind::Pdf;
    let pages = reader(&["sh", "-c", "cat >&2; printf 'p%s' {pages}"]);
    let read = pages.read(pdf, b"%PDF-1.7").await.unwrap();
    assert_eq!((read.text.as_str(), read.cut), ("p3", false));
    assert_eq!(pages.reader_of(pdf), "sh");
    let endless = reader(&["yes"]).read(pdf, b"%PDF-1.7").await.unwrap();
    assert_eq!((endless.text.as_str(), endless.cut), ("y\ny\ny\ny\ny", true));
    let failed = reader(&["sh", "-c", "echo secret >&2; exit 1"])
        .read(pdf, b"%PDF-")
        .await;
    let error = failed.unwrap_err();
    assert!(error.to_string().contains("secret"), "{error}");
    assert_eq!(error.kind(), "sh failed");
    let none = reader(&["/no/such/program"]).read(pdf, b"%PDF-").await;
    assert!(matches!(none, Err(DocumentError::Program { .. })), "{none:?}");
    assert_eq!(
        reader(&["true"]).read(pdf, b"%PDF-").await,
        Err(DocumentError::Empty)
    );
}

#[tokio::test]
async fn a_program_that_takes_all_memory_ends_itself() {
    // A line without an end is one piece of memory. It begins once the program has its input, and so its bound.
    let hungry = reader(&["sh", "-c", "read line; head -c 2G /dev/zero | tail -n 1 | wc -c"]);
    let read = hungry.read(DocumentKind::Pdf, b"%PDF-\n").await;
    assert!(
        !read
            .as_ref()
            .is_ok_and(|read| read.text.starts_with("2147483648")),
        "{read:?}"
    );
}

#[tokio::test]
async fn in_a_replay_the_text_stands_in_for_a_pdf() {
    let read = DocumentReader::plain(LIMITS)
        .read(DocumentKind::Pdf, b"%PDF-\nTides")
        .await;
    assert_eq!(read.unwrap().text, "Tides");
}
