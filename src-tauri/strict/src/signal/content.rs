//! What a message consists of beside its text.

use super::account::Attached;
use super::methods::USER;
use super::rules::{ATTACHMENT, STYLE};
use super::server::{Refused, refuse};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// <https://www.rfc-editor.org/rfc/rfc2397>, with the file's name as signal-cli has it.
pub(super) fn attached(uri: &str) -> Result<Attached, Refused> {
    let wrong = |why: &str| {
        let said = format!("Failed to send message: {uri}: {why} (AttachmentInvalidException)");
        refuse(ATTACHMENT, -32_603, &said)
    };
    let Some(rest) = uri.strip_prefix("data:") else {
        return Err(wrong("no such file"));
    };
    let (head, data) = rest
        .split_once(',')
        .ok_or_else(|| wrong("not a valid data URI"))?;
    let head = head
        .strip_suffix(";base64")
        .ok_or_else(|| wrong("not in base64"))?;
    let (media_type, name) = head
        .split_once(";filename=")
        .ok_or_else(|| wrong("no file name"))?;
    if media_type.split('/').filter(|part| !part.is_empty()).count() != 2 {
        return Err(wrong("no media type"));
    }
    let name = unescaped(name).ok_or_else(|| wrong("the file name is not escaped"))?;
    let bytes = STANDARD.decode(data).map_err(|_| wrong("not base64"))?;
    Ok(Attached {
        name,
        media_type: media_type.to_owned(),
        bytes,
    })
}

/// Refuses what is no style of a text.
pub(super) fn styled(style: &str, text: &str) -> Result<(), Refused> {
    let mut fields = style.splitn(3, ':');
    let mut number = || fields.next().and_then(|field| field.parse::<usize>().ok());
    let (start, length) = (number(), number());
    let (Some(start), Some(length), Some(name)) = (start, length, fields.next()) else {
        let said = format!("Invalid textStyle syntax ({style}) expected 'start:length:STYLE'");
        return Err(refuse(STYLE, USER, &said));
    };
    if !["BOLD", "ITALIC", "SPOILER", "STRIKETHROUGH", "MONOSPACE"].contains(&name) {
        return Err(refuse(STYLE, USER, &format!("Invalid style: {name}")));
    }
    let units = text.encode_utf16().count();
    match start.checked_add(length) {
        Some(end) if end <= units && length > 0 => Ok(()),
        _ => Err(refuse(
            STYLE,
            USER,
            &format!("{style} is not in the text of {units} units"),
        )),
    }
}

/// A name whose special characters are all escaped.
fn unescaped(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            b'%' => {
                let (hex, after) = rest.split_at_checked(2)?;
                bytes.push(u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?);
                rest = after;
            }
            b'+' | b'=' | b';' | b' ' => return None,
            byte if byte.is_ascii_graphic() => bytes.push(*byte),
            _ => return None,
        }
    }
    String::from_utf8(bytes).ok().filter(|name| !name.is_empty())
}
