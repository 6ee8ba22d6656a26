//! The frame of a page that stands alone: style, script and data in one document, and no way to the network.
//!
//! What people and agents wrote stands in the data alone, as JSON in a block that no browser runs, without any `<`; the
//! script shows it as text. Style and script are allowed by the hash of what is in this program, and everything else is
//! forbidden: should a text become markup after all, it could neither run nor load anything.

use crate::failure;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use foldback_wire::rpc::Failure;
use ring::digest::{SHA256, digest};
use serde::Serialize;

/// The look of every page.
const STYLE: &str = include_str!("page.css");

/// A page with this title, the script that draws it, and the data that it draws.
pub(super) fn page(title: &str, script: &str, data: &impl Serialize) -> Result<String, Failure> {
    let data = serde_json::to_string(data).map_err(|error| failure::internal(&error))?;
    let (script_hash, style_hash) = (hash(script), hash(STYLE));
    let (title, data) = (escaped(title), harmless(&data));
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{script_hash}'; \
         style-src '{style_hash}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main id=\"page\"></main>\n\
         <noscript>This page needs JavaScript, which it brings with it.</noscript>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n"
    ))
}

/// How a policy names what it allows.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(digest(&SHA256, text.as_bytes())))
}

/// JSON that ends no block of a page, and that scripts read as JSON.
fn harmless(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            c => text.push(c),
        }
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_neither_ends_the_data_nor_becomes_markup() {
        let text = "</script><script>alert(1)</script><!--\u{2028}&";
        let page = page("<b>", "draw();", &text).unwrap();
        assert_eq!(page.matches("</script>").count(), 2, "{page}");
        assert!(!page.contains("alert(1)<") && !page.contains("<!--") && !page.contains('\u{2028}'));
        assert!(page.contains("<title>&lt;b&gt;</title>"));
        let from = page.find("id=\"data\">").unwrap() + 10;
        let data = &page[from..from + page[from..].find("</script>").unwrap()];
        assert_eq!(serde_json::from_str::<String>(data).unwrap(), text);
    }

    #[test]
    fn only_this_programs_own_script_and_style_are_allowed() {
        let page = page("t", "draw();", &1).unwrap();
        let policy = format!("script-src '{}'; style-src '{}';", hash("draw();"), hash(STYLE));
        assert!(
            page.contains("default-src 'none'") && page.contains(&policy),
            "{page}"
        );
        assert!(!page.contains("unsafe") && !page.contains("http://") && !page.contains("https://"));
    }
}
