//! The form of ids. Platforms give ids of ASCII letters, digits and signs; whatever else arrives as one was
//! damaged on the way (a 64-bit number that passed through a float), or was made to look like another.

use foldback_wire::{Inbound, Platform};

/// Longest id, in bytes. The longest that a platform gives, a group on Signal, has fewer than 70.
const LONGEST: usize = 128;

/// Lets everybody in where it stands for an id.
pub(crate) const ANYBODY: &str = "*";

/// The mistake in a text as an id, in words that print nothing hidden; `None` when it can be one.
pub(crate) fn flaw(id: &str) -> Option<String> {
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

/// The ids of a message's sender that a list may name, the first one first. Of the others, one that no platform gives
/// names nobody; the first is judged before any list is asked.
pub(crate) fn sender_ids(message: &Inbound) -> impl Iterator<Item = &str> {
    let first = message.sender_ids().take(1);
    let others = message.sender_ids().skip(1).filter(|id| flaw(id).is_none());
    first.chain(others)
}

/// A number that is not written as platforms write theirs: digits without leading zeros, perhaps with a minus
/// (groups of Telegram), or a phone number with its plus.
fn is_odd_number(id: &str) -> bool {
    let digits = id.strip_prefix('-').unwrap_or(id);
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (!digits.starts_with('0') || id == "0");
    let based = ["0x", "0X", "0o", "0b"]
        .iter()
        .find_map(|base| digits.strip_prefix(base))
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_hexdigit()));
    let number = id.replace('_', "").parse::<f64>().is_ok();
    (number || based) && !plain && !is_phone(id)
}

/// A phone number as Signal has it: <https://www.itu.int/rec/T-REC-E.164> allows at most 15 digits.
fn is_phone(id: &str) -> bool {
    id.strip_prefix('+').is_some_and(is_phone_digits)
}

fn is_phone_digits(digits: &str) -> bool {
    (7..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0')
}

/// Whose id it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdOwner {
    Person,
    Chat,
}

/// The reason for which a platform gives no such id, in words; `None` when it may. Each form is that of the platform's
/// documents.
pub(crate) fn misfit(platform: Platform, of: IdOwner, id: &str) -> Option<&'static str> {
    match (platform, of) {
        // https://core.telegram.org/bots/api#user, #chat: 64-bit integers; those of groups are negative.
        (Platform::Telegram, IdOwner::Person) if !id.parse::<i64>().is_ok_and(|n| n > 0) => {
            Some("people on Telegram have numbers of up to 64 bits as ids, never @names")
        }
        (Platform::Telegram, IdOwner::Chat) if !id.parse::<i64>().is_ok_and(|n| n != 0) => {
            Some("chats on Telegram have numbers of up to 64 bits as ids, those of groups with a minus")
        }
        // https://docs.discord.com/developers/reference#snowflakes: unsigned 64-bit integers.
        (Platform::Discord, _) if !id.parse::<u64>().is_ok_and(|n| n > 0) => {
            Some("ids on Discord are numbers of up to 64 bits, never names")
        }
        // https://docs.slack.dev/reference/objects/conversation-object
        (Platform::Slack, _)
            if id.len() < 2
                || !id.starts_with(|c: char| c.is_ascii_uppercase())
                || !id.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()) =>
        {
            Some("ids on Slack are capitals and digits, such as U07ALICE, never names")
        }
        // https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components: phone numbers, no plus; or
        // what stands for the number of somebody who hides it.
        (Platform::Whatsapp, IdOwner::Person) if !is_phone_digits(id) && !is_user_of_business(id) => Some(
            "people on WhatsApp have phone numbers as ids, digits with the country's code and without a plus, or ids such as DE.1349120865530274",
        ),
        // https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc
        (Platform::Signal, IdOwner::Person) if !is_phone(id) && !is_uuid(id) => {
            Some("people on Signal have phone numbers with a plus, or UUIDs, as ids")
        }
        _ => None,
    }
}

/// A user as one business on `WhatsApp` knows them: a country's two letters, a dot, letters and digits.
fn is_user_of_business(id: &str) -> bool {
    id.split_once('.').is_some_and(|(country, rest)| {
        country.len() == 2
            && country.bytes().all(|b| b.is_ascii_uppercase())
            && (1..=128).contains(&rest.len())
            && rest.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// A UUID as Signal writes it, in lower case.
fn is_uuid(id: &str) -> bool {
    id.len() == 36
        && id.bytes().enumerate().all(|(place, b)| match place {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_digit() || (b'a'..=b'f').contains(&b),
        })
}

/// What the id of a schedule's message begins with. No platform has a message of such an id.
pub(crate) const OF_SCHEDULE: &str = "schedule:";

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
        ];
        for id in ids {
            assert_eq!(flaw(id), None, "{id}");
        }
    }

    #[test]
    fn each_platform_has_its_form() {
        let fits = |platform, of, id| misfit(platform, of, id).is_none();
        assert!(fits(Platform::Telegram, IdOwner::Person, "9223372036854775807"));
        assert!(!fits(Platform::Telegram, IdOwner::Person, "9223372036854775808"));
        assert!(!fits(Platform::Telegram, IdOwner::Person, "-42"));
        assert!(fits(Platform::Telegram, IdOwner::Chat, "-1001234567890"));
        assert!(!fits(Platform::Telegram, IdOwner::Person, "@alice"));
        assert!(fits(Platform::Discord, IdOwner::Person, "18446744073709551615"));
        assert!(!fits(Platform::Discord, IdOwner::Person, "18446744073709551616"));
        assert!(fits(Platform::Slack, IdOwner::Chat, "C07GENERAL"));
        assert!(!fits(Platform::Slack, IdOwner::Person, "u07alice"));
        assert!(fits(Platform::Whatsapp, IdOwner::Person, "4915112345678"));
        assert!(!fits(Platform::Whatsapp, IdOwner::Person, "+4915112345678"));
        assert!(fits(Platform::Whatsapp, IdOwner::Person, "DE.1349120865530274"));
        assert!(!fits(Platform::Whatsapp, IdOwner::Person, "de.1349120865530274"));
        assert!(!fits(Platform::Whatsapp, IdOwner::Person, "DE."));
        assert!(fits(Platform::Signal, IdOwner::Person, "+4915112345678"));
        assert!(fits(
            Platform::Signal,
            IdOwner::Person,
            "a8f0c3d2-1b2c-4d5e-8f90-0123456789ab"
        ));
        assert!(!fits(
            Platform::Signal,
            IdOwner::Person,
            "A8F0C3D2-1B2C-4D5E-8F90-0123456789AB"
        ));
    }
}
