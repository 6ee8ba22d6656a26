//! Bytes as text.

use super::DocumentError;

/// The text of the first bytes, at most `most` of them, and whether there were more. UTF-8 unless a mark at the beginning
/// says UTF-16; what is neither is told by a sign in its place.
///
/// # Errors
/// Where the bytes are no text.
pub(super) fn decode(bytes: &[u8], most: usize) -> Result<(String, bool), DocumentError> {
    let cut = bytes.len() > most;
    let bytes = &bytes[..bytes.len().min(most)];
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest, cut),
        bytes => utf8(bytes, cut),
    };
    // No text has it, and nearly everything else does.
    if text.contains('\0') {
        return Err(DocumentError::NoText);
    }
    Ok((text, cut))
}

fn utf8(bytes: &[u8], cut: bool) -> String {
    // A character that the bound cuts in half is none that the document has.
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if cut && error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    };
    String::from_utf8_lossy(whole).into_owned()
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (units, _) = bytes.as_chunks();
    let units: Vec<u16> = units.iter().copied().map(unit).collect();
    String::from_utf16_lossy(&units)
}
