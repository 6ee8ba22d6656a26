//! What two readings of one message must agree on.

use foldback_directives::{Parsed, Settings};

use crate::page;

/// Everything but the words of the findings and their fixes.
fn comparable(mut parsed: Parsed) -> Parsed {
    for finding in &mut parsed.diagnostics {
        finding.message.clear();
        finding.fix = None;
    }
    parsed
}

/// The scanner's result for a text, compared with the naive reading of it.
pub(crate) fn agree(
    parsed: Parsed,
    raw: &str,
    settings: &Settings,
    inbound: Option<&str>,
) -> Result<(), String> {
    let scanner = comparable(parsed);
    let page = comparable(page::read(raw, settings, inbound));
    if scanner == page {
        return Ok(());
    }
    Err(format!(
        "{raw:?}\nunder {settings:?}\nafter {inbound:?}\nscanner {scanner:#?}\npage {page:#?}"
    ))
}
