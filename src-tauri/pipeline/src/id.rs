//! The form of ids. Platforms give ids of ASCII letters, digits and signs; whatever else arrives as one was
//! damaged on the way (a 64-bit number that passed through a float), or was made to look like another.

use foldback_channels::platform::{is_phone_number, is_visitor};
use foldback_wire::{DeliveryRequestId, Inbound, MessageId, rpc::ChainOrigin};

/// Longest id, in bytes. The longest that a platform gives, a group on Signal, has fewer than 70.
const LONGEST: usize = 128;

/// Lets everybody in where it stands for an id.
pub(crate) const ANYBODY: &str = "*";

/// The mistake in a text as the id of a sender or a chat, in words that print nothing hidden; `None` when it can be one.
pub(crate) fn flaw(id: &str) -> Option<String> {
    if let Some(flaw) = message_flaw(id) {
        return Some(flaw);
    }
    if id.contains('*') {
        return Some(format!("\"{id}\" is no id: * stands alone, for everybody"));
    }
    if is_odd_number(id) {
        return Some(format!(
            "\"{id}\" is a number as no platform writes its ids; a float, an exponent, leading zeros or a sign say \
             that it is not exact"
        ));
    }
    None
}

/// The mistake in a text as the id of a message or a thread, in the same words. Such an id may be a number with a fraction:
/// on Slack it is a time, as `1795983505.940000`.
pub(crate) fn message_flaw(id: &str) -> Option<String> {
    let shown = || {
        let start: String = id.chars().take(40).collect();
        start.escape_default().to_string()
    };
    if id.is_empty() {
        return Some("it is empty, and no id is".to_owned());
    }
    if id.len() > LONGEST {
        return Some(format!(
            "\"{}…\" has {} bytes, and no id has more than {LONGEST}",
            shown(),
            id.len()
        ));
    }
    if let Some(sign) = id.chars().find(|sign| !sign.is_ascii_graphic()) {
        let what = if sign.is_whitespace() {
            "white space"
        } else if sign.is_control() {
            "a control character"
        } else {
            "not of ASCII"
        };
        return Some(format!(
            "\"{}\" holds U+{:04X}, {what}; ids are ASCII letters, digits and signs",
            shown(),
            u32::from(sign)
        ));
    }
    None
}

/// The ids of a message's sender that a list may name, the first one first. Of the others, one that no platform gives
/// names nobody; the first is judged before any list is asked.
pub(crate) fn sender_ids(message: &Inbound) -> impl Iterator<Item = &str> {
    let first = message.sender_ids().take(1);
    let others = message.sender_ids().skip(1).filter(|id| flaw(id).is_none());
    first.chain(others)
}

/// A number that is not written as platforms write theirs: digits without leading zeros, perhaps with a minus
/// (groups of Telegram), or a phone number with its plus. The hexadecimal digits of a web chat's visitor are no number,
/// whichever they are.
fn is_odd_number(id: &str) -> bool {
    let digits = id.strip_prefix('-').unwrap_or(id);
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (!digits.starts_with('0') || id == "0");
    let number = id.replace('_', "").parse::<f64>().is_ok();
    (number || is_based_number(digits)) && !plain && !is_phone_number(id) && !is_visitor(id)
}

/// A number in another base, as programs write it: `0x1f`, `0o17`, `0b101`, also of a float. Digits that its base does not have
/// make a text of it: one of 256 UUIDs begins with `0b`.
fn is_based_number(text: &str) -> bool {
    let of_base = |base: [&str; 2], digits: fn(&char) -> bool| {
        let rest = base.iter().find_map(|base| text.strip_prefix(base));
        rest.is_some_and(|rest| {
            rest.starts_with(|c| digits(&c)) && rest.chars().all(|c| c == '_' || digits(&c))
        })
    };
    of_base(["0b", "0B"], |c| matches!(c, '0' | '1'))
        || of_base(["0o", "0O"], |c| matches!(c, '0'..='7'))
        || of_base(["0x", "0X"], |c| {
            c.is_ascii_hexdigit() || matches!(c, '.' | 'p' | 'P' | '+' | '-')
        })
}

/// What the id of a schedule's message begins with. No platform has a message of such an id.
pub(crate) const OF_SCHEDULE: &str = "schedule:";

/// The beginning of the id of a delivery's message. No platform has a message of such an id.
pub(crate) const OF_DELIVERY: &str = "delivery:";

/// The beginning of the id of the request that delivers what came of a turn's actions.
pub(crate) const OF_ACTIONS: &str = "actions-";

/// The beginning of the id of the request that delivers a reminder.
pub(crate) const OF_REMINDER: &str = "reminder-";

/// The beginning of a delivery's id that only the bot gives; none where others may give it. Whoever else delivered under such an id
/// would have the rights of its turn's sender, or take the place of the result that is to come.
pub(crate) fn reserved_beginning(id: &DeliveryRequestId) -> Option<&'static str> {
    [OF_ACTIONS, OF_REMINDER]
        .into_iter()
        .find(|beginning| id.as_str().starts_with(beginning))
}

/// The origin of a delivery, by its id.
pub fn delivery_origin(id: &DeliveryRequestId) -> ChainOrigin {
    match reserved_beginning(id) {
        Some(OF_ACTIONS) => ChainOrigin::Actions,
        Some(_) => ChainOrigin::Reminder,
        None => ChainOrigin::Outside,
    }
}

/// True for the id of a message that no platform has: a schedule or a delivery began its turn.
pub fn is_made_up(id: &MessageId) -> bool {
    [OF_SCHEDULE, OF_DELIVERY]
        .iter()
        .any(|prefix| id.as_str().starts_with(prefix))
}

/// True for the message of a delivery turn.
pub(crate) fn is_delivery(message: &Inbound) -> bool {
    message.message.as_str().starts_with(OF_DELIVERY)
}

/// The message in the chat that a turn answers: its own, or that of which a delivery is the result. None where no message
/// asked for the turn.
pub(crate) fn answered_message(message: &Inbound) -> Option<&MessageId> {
    if is_delivery(message) {
        return message.reply_to.as_ref();
    }
    Some(&message.message).filter(|id| !is_made_up(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_platforms_give_is_an_id() {
        let ids = [
            "42",
            "-1001234567890",
            "9007199254740993",
            "9223372036854775807",
            "18446744073709551615",
            "U07ALICE",
            "4915112345678",
            "+4915112345678",
            "a8f0c3d2-1b2c-4d5e-8f90-0123456789ab",
            "kX3tNqv0Jm2yEo5cPpGz9b1s8R7uH4wVYd6iQfLxT0A=",
            "alice",
            "c1:alice#t9",
            // Signal and a web chat give random ones, of which one in 256 begins like a number in base 2.
            "0b8bbd4e-79a1-4e3b-a568-6328b3033273",
            "0b07063217042f87666faaf6750ab317",
            "00000000000000000000000000000001",
            "123456789012345678901234567e1234",
        ];
        for id in ids {
            assert_eq!(flaw(id), None, "{id}");
        }
    }

    #[test]
    fn numbers_as_programs_write_them_are_no_ids() {
        for id in [
            "1e3", "1.5", "007", "-0", "+5", "1_000", "inf", "0x1f", "0X1F", "0x1.8p3", "0o17", "0b101",
            "0B1", "-0b1",
        ] {
            assert!(flaw(id).is_some(), "{id}");
        }
    }
}
