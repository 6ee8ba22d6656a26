//! Files as data URIs. signal-cli also takes paths, but would look a path up again: by then it may mean another
//! file. <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#send>

use crate::folder::OpenFile;
use crate::{Refusal, check_size};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use foldback_wire::RefusalCode;
use std::fmt::Write as _;
use tokio::io::AsyncReadExt as _;

/// Largest file, in bytes: signal-cli reads strings of at most 20,000,000 characters
/// (<https://javadoc.io/doc/com.fasterxml.jackson.core/jackson-core/2.20.0/com/fasterxml/jackson/core/StreamReadConstraints.html>)
/// and closes the connection at a longer one. What is left after the longest name holds so much in base64.
pub(super) const MAX_FILE: u64 = 14_999_000;

/// A file as signal-cli takes it.
pub(super) async fn data_uri(open: OpenFile) -> Result<String, Refusal> {
    let OpenFile { name, size, file, .. } = open;
    let too_large = |size| check_size(&name, size, MAX_FILE, "what signal-cli reads in one piece");
    too_large(size)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // It may have grown since.
    let mut most = tokio::fs::File::from_std(file).take(MAX_FILE + 1);
    let read = most.read_to_end(&mut bytes).await;
    read.map_err(|e| Refusal::new(RefusalCode::Rejected, format!("{name} cannot be read: {e}")))?;
    too_large(bytes.len() as u64)?;
    let media_type = mime_guess::from_path(&name).first_or_octet_stream();
    let mut uri = format!(
        "data:{};filename={};base64,",
        media_type.essence_str(),
        escaped(&name)
    );
    STANDARD.encode_string(bytes, &mut uri);
    Ok(uri)
}

/// A name without the characters that part a data URI, as in the address of a page.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;

    #[tokio::test]
    async fn a_file_keeps_its_name_and_bytes() {
        let dir = tempfile::tempdir().unwrap();
        for (name, uri) in [
            (
                "a b;c,=+.txt",
                "data:text/plain;filename=a%20b%3Bc%2C%3D%2B.txt;base64,aGk=",
            ),
            (
                "größe.OGG",
                "data:audio/ogg;filename=gr%C3%B6%C3%9Fe.OGG;base64,aGk=",
            ),
            ("data", "data:application/octet-stream;filename=data;base64,aGk="),
        ] {
            std::fs::write(dir.path().join(name), "hi").unwrap();
            let open = Folder::new(dir.path(), 10).open(name).unwrap();
            assert_eq!(data_uri(open).await.unwrap(), uri);
        }
    }

    #[tokio::test]
    async fn the_largest_file_with_the_longest_name_fits() {
        let dir = tempfile::tempdir().unwrap();
        let name = format!("{}.docx", "é".repeat(125));
        let file = std::fs::File::create(dir.path().join(&name)).unwrap();
        file.set_len(MAX_FILE).unwrap();
        let open = || Folder::new(dir.path(), u64::MAX).open(&name).unwrap();
        assert!(data_uri(open()).await.unwrap().len() <= 20_000_000);
        file.set_len(MAX_FILE + 1).unwrap();
        let refusal = data_uri(open()).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::TooLong);
        assert!(refusal.detail.contains("14999000"), "{refusal}");
    }
}
