//! What is held at an instant. The journal tells of a hold when it begins, grows or ends, and of decisions one by one:
//! between two of them bytes of the last hold may have been decided already, and are held no more.

use foldback_wire::{Hold, rpc::MessageDetail};

use super::messages::came;

/// The hold of a message, without the bytes that were decided since it was told or have not come, and when it began.
pub(super) fn hold_of(message: &MessageDetail) -> Option<(Hold, u64)> {
    let open = message.holds.last().filter(|hold| hold.until_seq.is_none())?;
    let decided = message.ranges.last().map_or(0, |range| range.span.end);
    let mut hold = open.hold.clone();
    hold.span.start = hold.span.start.max(decided);
    hold.span.end = hold.span.end.min(came(message));
    if hold.span.start >= hold.span.end {
        return None;
    }
    if hold.span != open.hold.span {
        recount(&mut hold);
    }
    Some((hold, open.from_ms))
}

/// Lets the words of a hold say how many bytes it has.
pub(super) fn recount(hold: &mut Hold) {
    if let Some((rule, _)) = hold.because.rsplit_once("; ") {
        let bytes = match hold.span.len() {
            1 => "1 byte".to_owned(),
            many => format!("{many} bytes"),
        };
        hold.because = format!("{rule}; {bytes} held.");
    }
}
