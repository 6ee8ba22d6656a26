//! Attribute values as text: backslash quotes, then HTML references, once.

use std::borrow::Cow;

/// Named references that agents write. A name that is not here stays as it is.
const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("hellip", "…"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("sbquo", "‚"),
    ("bdquo", "„"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("bull", "•"),
    ("middot", "·"),
    ("deg", "°"),
    ("plusmn", "±"),
    ("times", "×"),
    ("divide", "÷"),
    ("frac12", "½"),
    ("frac14", "¼"),
    ("frac34", "¾"),
    ("micro", "µ"),
    ("para", "¶"),
    ("sect", "§"),
    ("euro", "€"),
    ("pound", "£"),
    ("yen", "¥"),
    ("cent", "¢"),
    ("larr", "←"),
    ("uarr", "↑"),
    ("rarr", "→"),
    ("darr", "↓"),
    ("harr", "↔"),
    ("le", "≤"),
    ("ge", "≥"),
    ("ne", "≠"),
    ("asymp", "≈"),
    ("infin", "∞"),
    ("hearts", "♥"),
    ("check", "✓"),
    ("szlig", "ß"),
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("eacute", "é"),
    ("Eacute", "É"),
    ("egrave", "è"),
    ("agrave", "à"),
    ("aacute", "á"),
    ("acirc", "â"),
    ("ecirc", "ê"),
    ("icirc", "î"),
    ("ocirc", "ô"),
    ("iacute", "í"),
    ("oacute", "ó"),
    ("uacute", "ú"),
    ("ccedil", "ç"),
    ("ntilde", "ñ"),
    ("aring", "å"),
    ("Aring", "Å"),
    ("aelig", "æ"),
    ("AElig", "Æ"),
    ("oslash", "ø"),
    ("Oslash", "Ø"),
    ("iexcl", "¡"),
    ("iquest", "¿"),
    ("not", "¬"),
    ("shy", "\u{ad}"),
    ("ensp", "\u{2002}"),
    ("emsp", "\u{2003}"),
    ("thinsp", "\u{2009}"),
    ("zwnj", "\u{200c}"),
    ("zwj", "\u{200d}"),
    ("Tab", "\t"),
    ("NewLine", "\n"),
    ("num", "#"),
    ("lbrack", "["),
    ("rbrack", "]"),
    ("lbrace", "{"),
    ("rbrace", "}"),
    ("grave", "`"),
    ("lowbar", "_"),
    ("ast", "*"),
    ("sol", "/"),
    ("bsol", "\\"),
    ("vert", "|"),
    ("colon", ":"),
    ("semi", ";"),
    ("comma", ","),
    ("period", "."),
    ("excl", "!"),
    ("quest", "?"),
    ("equals", "="),
    ("plus", "+"),
    ("percnt", "%"),
    ("dollar", "$"),
    ("commat", "@"),
    ("lpar", "("),
    ("rpar", ")"),
];

/// Longest reference that is looked at, `&` and `;` included.
const MAX_REFERENCE: usize = 32;

/// The text of a raw value.
pub(crate) fn decode(raw: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\\', b'&', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let quoted = raw.replace("\\\"", "\"").replace("\\'", "'");
    let mut text = String::with_capacity(quoted.len());
    let mut rest = quoted.as_str();
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((decoded, len)) = reference(rest) {
            text.push_str(&decoded);
            rest = &rest[len..];
        } else {
            text.push('&');
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The reference at the start of `text`, and its length.
fn reference(text: &str) -> Option<(Cow<'static, str>, usize)> {
    let end = text.bytes().take(MAX_REFERENCE).position(|b| b == b';')?;
    let name = &text[1..end];
    let decoded = match name.strip_prefix('#') {
        None => Cow::Borrowed(NAMED.iter().find(|(known, _)| *known == name)?.1),
        Some(number) => {
            let (digits, radix) = match number.strip_prefix(['x', 'X']) {
                Some(hex) => (hex, 16),
                None => (number, 10),
            };
            if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
                return None;
            }
            let code = u32::from_str_radix(digits, radix).ok().filter(|code| *code != 0);
            Cow::Owned(
                code.and_then(char::from_u32)
                    .unwrap_or(char::REPLACEMENT_CHARACTER)
                    .to_string(),
            )
        }
    };
    Some((decoded, end + 1))
}
