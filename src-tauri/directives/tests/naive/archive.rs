//! The archive of a corpus: gzip over entries, each its length in two bytes, the lower one first, then its
//! bytes.

use std::{fs::File, io::Read, path::Path};

use flate2::read::GzDecoder;

/// The entries of an archive.
///
/// # Errors
/// When the file cannot be read or is no archive.
pub(crate) fn read(path: &Path) -> std::io::Result<Vec<Vec<u8>>> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path)?).read_to_end(&mut bytes)?;
    let mut rest = bytes.as_slice();
    let mut entries = Vec::new();
    while let Some((len, tail)) = rest.split_first_chunk() {
        let entry = tail.split_at_checked(u16::from_le_bytes(*len).into());
        let (entry, tail) = entry.ok_or(std::io::ErrorKind::UnexpectedEof)?;
        entries.push(entry.to_vec());
        rest = tail;
    }
    Ok(entries)
}
