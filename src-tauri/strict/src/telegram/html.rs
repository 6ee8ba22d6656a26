//! <https://core.telegram.org/bots/api#html-style>

/// The text of a markup, or what is wrong with it, as the Bot API says it.
pub(super) fn read(html: &str) -> Result<String, String> {
    let (mut text, mut open, mut at) = (String::new(), Vec::<&str>::new(), 0);
    let bytes = html.as_bytes();
    while at < html.len() {
        match bytes[at] {
            b'<' => {
                let Some(len) = html[at..].find('>') else {
                    return Err(format!("Unclosed start tag at byte offset {at}"));
                };
                let tag = &html[at + 1..at + len];
                match tag.strip_prefix('/') {
                    Some(name) => match open.pop() {
                        Some(last) if last == name => {}
                        Some(last) => {
                            return Err(format!(
                                "Unmatched end tag at byte offset {at}, expected \"</{last}>\", found \"</{name}>\""
                            ));
                        }
                        None => return Err(format!("Unexpected end tag at byte offset {at}")),
                    },
                    None => open.push(start_tag(tag, open.last().copied(), at)?),
                }
                at += len + 1;
            }
            b'&' => {
                let (c, len) = entity(&html[at..]).unwrap_or(('&', 1));
                text.push(c);
                at += len;
            }
            _ => {
                let next = html[at..].find(['<', '&']).map_or(html.len(), |len| at + len);
                text.push_str(&html[at..next]);
                at = next;
            }
        }
    }
    match open.pop() {
        None => Ok(text),
        Some(tag) => Err(format!("Can't find end tag corresponding to start tag \"{tag}\"")),
    }
}

/// The name of a supported tag, its attributes being those it has.
fn start_tag<'a>(tag: &'a str, around: Option<&str>, at: usize) -> Result<&'a str, String> {
    let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
    let allowed: &[&str] = match name {
        "code" if around == Some("pre") => &["", "class=\"language-"],
        "b" | "strong" | "i" | "em" | "u" | "ins" | "s" | "strike" | "del" | "pre" | "code"
        | "tg-spoiler" => &[""],
        "blockquote" if around == Some("blockquote") => &[],
        "blockquote" => &["", "expandable"],
        "span" => &["class=\"tg-spoiler\""],
        "a" => &["href=\""],
        _ => return Err(format!("Unsupported start tag \"{name}\" at byte offset {at}")),
    };
    let fits = |known: &&str| {
        if known.ends_with('"') || known.ends_with('-') {
            attributes.starts_with(*known)
                && attributes.ends_with('"')
                && attributes.matches('"').count() == 2
        } else {
            attributes == *known
        }
    };
    if allowed.iter().any(fits) {
        Ok(name)
    } else {
        Err(format!(
            "Unsupported attributes of \"{name}\" at byte offset {at}"
        ))
    }
}

/// The character an entity stands for. All numerical entities are supported, and four named ones.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.find(';').filter(|end| *end <= 10)?;
    let c = match &text[1..end] {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        name => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((c, end + 1))
}
