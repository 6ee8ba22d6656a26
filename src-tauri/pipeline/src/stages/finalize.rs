//! Brings a message into its normal form.

use crate::{
    flow::{Flow, Stop},
    rules::{Rule, Rules},
};
use foldback_wire::{Gate, Inbound, Stage};

/// Media type of a file whose type the platform does not tell.
const UNKNOWN_MEDIA: &str = "application/octet-stream";

/// CRLF and CR become LF. What the journal says about places in a text counts from the text as it stands there, so that a
/// message is written down in this form already.
pub(crate) fn normalise_breaks(rules: Rules, message: &mut Inbound) {
    if rules.holds(Rule::FinalizeBreaks) && message.text.contains('\r') {
        message.text = message.text.replace("\r\n", "\n").replace('\r', "\n");
    }
}

/// Line breaks become LF, files get a media type; a message with neither text nor files nor a place
/// stops.
pub(crate) fn finalize(rules: Rules, mut message: Inbound) -> Flow<Inbound> {
    normalise_breaks(rules, &mut message);
    if rules.holds(Rule::FinalizeMedia) {
        for file in &mut message.files {
            if file.media_type.trim().is_empty() {
                UNKNOWN_MEDIA.clone_into(&mut file.media_type);
            }
        }
    }
    let has_text = !message.text.trim().is_empty();
    let is_empty =
        !has_text && message.files.is_empty() && message.location().is_none() && message.omitted.is_none();
    if rules.holds(Rule::FinalizeEmpty) && is_empty {
        return Stop::new(
            Stage::Finalize,
            Gate::EmptyMessage,
            "it has neither text nor files nor a place",
        )
        .given("bytes", message.text.len().to_string())
        .flow();
    }
    Flow::Continue(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;
    use foldback_wire::Attachment;

    #[test]
    fn line_breaks_become_lf() {
        let Flow::Continue(message) = finalize(Rules::all(), inbound("a\r\nb\rc\n")) else {
            panic!("stopped")
        };
        assert_eq!(message.text, "a\nb\nc\n");
    }

    #[test]
    fn a_file_without_a_type_gets_one() {
        let mut message = inbound("");
        message.files = vec![Attachment {
            name: "a".into(),
            media_type: " ".into(),
            size: None,
            source: None,
        }];
        let Flow::Continue(message) = finalize(Rules::all(), message) else {
            panic!("stopped")
        };
        assert_eq!(message.files[0].media_type, "application/octet-stream");
    }

    #[test]
    fn nothing_at_all_stops() {
        let Flow::Stop(stop) = finalize(Rules::all(), inbound(" \r\n")) else {
            panic!("went on")
        };
        assert_eq!((stop.stage, stop.gate), (Stage::Finalize, Gate::EmptyMessage));
    }
}
