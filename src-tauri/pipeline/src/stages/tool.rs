//! Tool calls as the journal keeps them.

use foldback_wire::ToolCall;
use std::fmt::Write as _;

/// Most bytes of a call's arguments, and of its result, that are kept: what a person can read. Agents read whole
/// files with their tools.
const KEPT: usize = 65_536;

/// A call of which the journal keeps as much as a person can read, with the size of the whole.
pub(crate) fn bounded(mut call: ToolCall) -> ToolCall {
    cut(&mut call.arguments);
    cut(&mut call.result);
    call
}

/// The same for one text.
pub(crate) fn cut(text: &mut Option<String>) {
    if let Some(text) = text.as_mut().filter(|text| text.len() > KEPT) {
        let whole = text.len();
        text.truncate(text.floor_char_boundary(KEPT));
        let kept = text.len();
        // Writing to a String cannot fail.
        let _ = write!(text, "\n… {kept} of {whole} bytes");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::ToolStatus;

    #[test]
    fn what_is_long_is_cut_between_characters_and_its_size_told() {
        let call = |text: &str| ToolCall {
            id: "t".into(),
            name: "read".to_owned(),
            status: ToolStatus::Completed,
            arguments: Some(text.to_owned()),
            result: Some(text.to_owned()),
        };
        assert_eq!(bounded(call("short")), call("short"));
        let whole = "é".repeat(KEPT / 2 + 1);
        assert_eq!(
            bounded(call(&whole[..KEPT])),
            call(&whole[..KEPT]),
            "as much as is kept"
        );
        let cut = bounded(call(&format!("a{whole}"))).result.unwrap();
        assert!(
            cut.ends_with(&format!("é\n… {} of {} bytes", KEPT - 1, KEPT + 3)),
            "{}",
            &cut[KEPT - 20..]
        );
    }
}
