//! `foldback lint`.

use crate::foldback::foldback;

#[test]
fn names_file_line_column_severity_and_code() {
    let ran = foldback(&["lint", "-"], "fine\nGrüße <actions>\n<react/>\n</actions>");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.starts_with("<stdin>:3:1: error missing-attribute "),
        "{}",
        ran.stdout
    );

    let columns = foldback(&["lint"], "Grüße <react emoji=\"👍\"/>");
    assert_eq!(columns.code, 0, "warnings alone are fine");
    assert!(
        columns.stdout.starts_with("<stdin>:1:7: warning bare-directive "),
        "{}",
        columns.stdout
    );

    let json = foldback(&["lint", "--format", "json"], "<react emoji=\"👍\"/>").json();
    assert_eq!(
        (json["line"].as_u64(), json["column"].as_u64()),
        (Some(1), Some(1))
    );
    assert_eq!(json["code"], "bare-directive");
}

#[test]
fn an_unreadable_file_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.txt");
    std::fs::write(&file, "<actions>").unwrap();
    let ran = foldback(&["lint", "no/such/file", file.to_str().unwrap()], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.contains("unclosed-block"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no/such/file"), "{}", ran.stderr);
}
