//! The rows, against what the platforms publish.

use super::*;
use crate::{
    Rate,
    rates::{MINUTE, SECOND},
};
use foldback_wire::OpKind;
use std::time::Duration;

#[test]
fn limits_are_those_of_the_table() {
    let row = |p| {
        let c = profile(p);
        (
            c.text_limit,
            c.unit,
            c.caption_limit,
            c.edit,
            c.delete,
            c.edit_interval_ms,
        )
    };
    let live = Some(1_500);
    assert_eq!(row(TELEGRAM), (4_096, LengthUnit::Utf16, 1_024, true, true, live));
    assert_eq!(row(TELEGRAM_USER), row(TELEGRAM));
    assert_eq!(
        row(DISCORD),
        (2_000, LengthUnit::Scalars, 2_000, true, true, live)
    );
    assert_eq!(row(SLACK), (4_000, LengthUnit::Scalars, 4_000, true, true, live));
    assert_eq!(
        row(WHATSAPP),
        (4_096, LengthUnit::Scalars, 1_024, false, false, None)
    );
    assert_eq!(row(SIGNAL), (2_000, LengthUnit::Bytes, 2_000, false, true, None));
    assert_eq!(
        row(WEB_CHAT),
        (4_096, LengthUnit::Scalars, 4_096, true, true, Some(0))
    );
    assert_eq!(
        row(REDDIT),
        (10_000, LengthUnit::Scalars, 10_000, true, false, None)
    );
    assert_eq!(row(X), (280, LengthUnit::Weighted, 280, false, false, None));
    let keyed: Vec<_> = ALL.iter().filter(|p| profile(**p).idempotency_key).collect();
    assert_eq!(keyed, [&TELEGRAM_USER, &DISCORD, &WEB_CHAT]);
}

/// Most calls in a half-open span.
fn most(rate: Rate, span: Duration) -> u128 {
    u128::from(rate.at_once) - 1 + span.as_millis().div_ceil(rate.interval.as_millis())
}

#[test]
fn no_span_holds_more_calls_than_are_published() {
    let row = rates;
    for (rate, span, published) in [
        (row(TELEGRAM).channel, SECOND, 30),
        (row(TELEGRAM).chat, SECOND, 1),
        (row(TELEGRAM).group, MINUTE, 20),
        (row(DISCORD).channel, SECOND, 50),
        (row(SLACK).chat, SECOND, 1),
        (row(SLACK).route(OpKind::SendText).1, MINUTE, 300),
        (row(SLACK).route(OpKind::EditText).1, MINUTE, 50),
        (row(SLACK).route(OpKind::SendFile).1, MINUTE, 100),
        (row(WHATSAPP).channel, SECOND, 80),
        (row(WHATSAPP).chat, Duration::from_secs(6), 45),
        (row(REDDIT).channel, MINUTE, 60),
        (row(X).route(OpKind::SendText).1, MINUTE * 15, 100),
        // A bucket, and what it gains in a minute.
        (row(SIGNAL).chat, MINUTE, 60 + 60),
        (row(SIGNAL).route(OpKind::SendFile).1, MINUTE, 50 + 50),
    ] {
        let most = most(rate.unwrap(), span);
        assert!(most <= published, "{most} of {published} in {span:?}");
        assert!(
            most * 10 >= published * 8,
            "{most} of {published} in {span:?} is too slow"
        );
    }
}

#[test]
fn an_operation_of_no_route_has_one_of_its_own() {
    for platform in ALL {
        let rates = rates(*platform);
        for one in OpKind::ALL {
            for other in OpKind::ALL {
                let together = rates
                    .routes
                    .iter()
                    .any(|route| route.kinds.contains(one) && route.kinds.contains(other));
                let same = rates.route(*one).0 == rates.route(*other).0;
                assert_eq!(same, one == other || together, "{platform} {one} {other}");
            }
        }
    }
}

#[test]
fn only_groups_of_telegram_are_counted_apart() {
    let count = |platform, chat: &str| rates(platform).in_chat(&chat.into()).count();
    assert_eq!(count(TELEGRAM, "42"), 1);
    assert_eq!(count(TELEGRAM, "-1001234567890"), 2);
    assert_eq!(count(DISCORD, "-1"), 0);
}

#[test]
fn an_id_of_one_platform_is_seldom_one_of_another() {
    for (id, platforms) in [
        ("42", &[TELEGRAM, TELEGRAM_USER, DISCORD, SIGNAL, X][..]),
        ("2147483647", &[TELEGRAM, TELEGRAM_USER, DISCORD, SIGNAL, X]),
        ("2147483648", &[TELEGRAM, DISCORD, SIGNAL, X]),
        ("1234567890123", &[DISCORD, SIGNAL, X]),
        ("12345678901234567890", &[DISCORD]),
        ("1700000000123:+491555", &[SIGNAL]),
        ("1700000000.000100", &[SLACK]),
        ("1700000000.0001", &[]),
        ("wamid.HBgL", &[WHATSAPP]),
        ("wamid.", &[]),
        ("1700000000123:", &[]),
        ("w0123456789abcdef", &[WEB_CHAT]),
        ("w0123456789abcde", &[]),
        ("w0123456789ABCDEF", &[]),
        ("t1_c0ffee", &[REDDIT]),
        ("t4_1", &[REDDIT]),
        ("t3_1", &[]),
        ("t1_", &[]),
        ("t1_C0FFEE", &[]),
        ("-1", &[]),
        ("", &[]),
    ] {
        let found = ALL.iter().copied();
        let mut found: Vec<_> = found
            .filter(|platform| is_message_id(*platform, &id.into()))
            .collect();
        let mut expected = platforms.to_vec();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{id}");
    }
}

#[test]
fn each_platform_has_its_form() {
    let fits = |platform, of, id| misfit(platform, of, id).is_none();
    assert!(fits(TELEGRAM, IdOwner::Person, "9223372036854775807"));
    assert!(!fits(TELEGRAM, IdOwner::Person, "9223372036854775808"));
    assert!(!fits(TELEGRAM, IdOwner::Person, "-42"));
    assert!(fits(TELEGRAM, IdOwner::Chat, "-1001234567890"));
    assert!(!fits(TELEGRAM, IdOwner::Person, "@alice"));
    assert!(fits(TELEGRAM_USER, IdOwner::Chat, "-1001234567890"));
    assert!(!fits(TELEGRAM_USER, IdOwner::Person, "+4915112345678"));
    assert!(fits(DISCORD, IdOwner::Person, "18446744073709551615"));
    assert!(!fits(DISCORD, IdOwner::Person, "18446744073709551616"));
    assert!(fits(SLACK, IdOwner::Chat, "C07GENERAL"));
    assert!(!fits(SLACK, IdOwner::Person, "u07alice"));
    assert!(fits(WHATSAPP, IdOwner::Person, "4915112345678"));
    assert!(!fits(WHATSAPP, IdOwner::Person, "+4915112345678"));
    assert!(fits(WHATSAPP, IdOwner::Person, "DE.1349120865530274"));
    assert!(!fits(WHATSAPP, IdOwner::Person, "de.1349120865530274"));
    assert!(!fits(WHATSAPP, IdOwner::Person, "DE."));
    assert!(fits(SIGNAL, IdOwner::Person, "+4915112345678"));
    assert!(fits(
        SIGNAL,
        IdOwner::Person,
        "a8f0c3d2-1b2c-4d5e-8f90-0123456789ab"
    ));
    assert!(!fits(
        SIGNAL,
        IdOwner::Person,
        "A8F0C3D2-1B2C-4D5E-8F90-0123456789AB"
    ));
    let visitor = "0123456789abcdef0123456789abcdef";
    assert!(fits(WEB_CHAT, IdOwner::Person, visitor) && fits(WEB_CHAT, IdOwner::Chat, visitor));
    assert!(!fits(WEB_CHAT, IdOwner::Person, "alice") && !fits(WEB_CHAT, IdOwner::Chat, "../../etc"));
    assert!(fits(REDDIT, IdOwner::Person, "Al-ice_1") && !fits(REDDIT, IdOwner::Person, "u/alice"));
    assert!(fits(REDDIT, IdOwner::Chat, "t3_1abcd2") && fits(REDDIT, IdOwner::Chat, "u/alice"));
    assert!(!fits(REDDIT, IdOwner::Chat, "t1_1abcd2") && !fits(REDDIT, IdOwner::Chat, "alice"));
    assert!(fits(X, IdOwner::Person, "2244994945") && !fits(X, IdOwner::Person, "@XDevelopers"));
}

#[test]
fn each_row_stands_at_its_platform_and_has_sources() {
    let platforms: Vec<_> = ROWS.iter().map(|row| row.platform).collect();
    assert_eq!(platforms, ALL);
    for row in ROWS {
        assert_eq!(from_code(row.platform.code()), Some(row.platform));
        assert_eq!((row.capabilities)().platform, row.platform);
    }
}

#[test]
fn a_platform_without_a_row_takes_text_alone() {
    let later = Platform::new("later");
    let can = profile(later);
    assert_eq!((from_code("later"), can.platform), (None, later));
    assert!(can.text_limit > 0 && !can.edit && can.react.is_none() && can.file_limit.is_none());
    assert!(is_message_id(later, &"x".into()) && misfit(later, IdOwner::Chat, "x").is_none());
}
