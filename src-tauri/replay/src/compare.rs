//! Expected against actual.
//!
//! Messages are compared in order, and so are the effects of directives. Between the two, an effect may come
//! earlier than listed (a channel that sends text once shows the text last) but never later than the text
//! listed after it: directives run before the text that follows them is delivered.

use crate::{
    ends::{End, Thing},
    fixture::{Effect, Expectation, Nullable, VoiceEffect},
    lines::{actual_line, expected_line},
};
use foldback_wire::{ChannelId, Code, Platform, rpc::Mismatch};

/// Compares what was expected on a channel with what came of it.
pub(crate) fn compare(
    expected: &[Expectation],
    platform: Platform,
    ends: &[End],
    codes: &[Code],
) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    let counted: Vec<(usize, &Expectation)> = expected
        .iter()
        .enumerate()
        .filter(|(_, expectation)| expectation.counts_on(platform))
        .collect();
    for (index, expectation) in &counted {
        if let Effect::Diagnostics(expected) = &expectation.effect
            && expected != codes
        {
            let list = |codes: &[Code]| codes.iter().map(|c| c.code()).collect::<Vec<_>>().join(", ");
            mismatches.push(Mismatch {
                at: format!("expect[{index}].diagnostics"),
                expected: list(expected),
                actual: list(codes),
                message: "other findings".to_owned(),
            });
        }
    }
    let listed: Vec<(usize, &Expectation)> = counted
        .into_iter()
        .filter(|(_, expectation)| !matches!(expectation.effect, Effect::Diagnostics(_)))
        .collect();
    let mut pairs = pair(&listed, platform, ends, true, &mut mismatches);
    pairs.extend(pair(&listed, platform, ends, false, &mut mismatches));
    order(&listed, &pairs, &mut mismatches);
    mismatches
}

/// Pairs one kind, texts or effects, in order; reports what differs, is missing or too much.
fn pair<'a>(
    listed: &[(usize, &Expectation)],
    own: Platform,
    ends: &'a [End],
    texts: bool,
    mismatches: &mut Vec<Mismatch>,
) -> Vec<(usize, &'a End)> {
    let expected = listed
        .iter()
        .filter(|(_, expectation)| matches!(expectation.effect, Effect::Send(_)) == texts);
    let mut actual = ends.iter().filter(|end| end.thing.is_text() == texts);
    let mut pairs = Vec::new();
    for (index, expectation) in expected {
        let at = format!("expect[{index}]");
        let effect = &expectation.effect;
        match actual.next() {
            Some(end) => {
                pairs.push((*index, end));
                differences(&at, effect, &end.thing, mismatches);
                let expected = expectation.channel.unwrap_or(own);
                let actual = end.channel.as_ref().map_or(own.code(), ChannelId::as_str);
                if expected.code() != actual {
                    mismatches.push(Mismatch {
                        at: format!("{at}.channel"),
                        expected: expected.code().to_owned(),
                        actual: actual.to_owned(),
                        message: "another channel".to_owned(),
                    });
                }
            }
            None => mismatches.push(Mismatch {
                at,
                expected: expected_line(effect),
                actual: String::new(),
                message: "it never came".to_owned(),
            }),
        }
    }
    for end in actual {
        mismatches.push(Mismatch {
            at: "expect".to_owned(),
            expected: String::new(),
            actual: actual_line(&end.thing),
            message: "nobody expected it".to_owned(),
        });
    }
    pairs
}

/// An effect listed before a text must have come before that text was first shown.
fn order(listed: &[(usize, &Expectation)], pairs: &[(usize, &End)], mismatches: &mut Vec<Mismatch>) {
    let found = |index: usize| pairs.iter().find(|(at, _)| *at == index).map(|(_, end)| *end);
    for (place, (index, expectation)) in listed.iter().enumerate() {
        let Some(end) = found(*index) else { continue };
        let next_text = listed[place..]
            .iter()
            .filter_map(|(later, _)| found(*later))
            .find(|later| later.thing.is_text());
        if let Some(text) = next_text
            && !end.thing.is_text()
            && end.shown > text.shown
        {
            mismatches.push(Mismatch {
                at: format!("expect[{index}]"),
                expected: format!(
                    "{} before {}",
                    expected_line(&expectation.effect),
                    actual_line(&text.thing)
                ),
                actual: format!("{} after it", actual_line(&end.thing)),
                message: "it came too late".to_owned(),
            });
        }
    }
}

/// Collects fields that differ.
struct Fields<'a> {
    at: &'a str,
    name: &'a str,
    mismatches: &'a mut Vec<Mismatch>,
}

impl Fields<'_> {
    fn differs(&mut self, field: &str, expected: String, actual: String) {
        let at = format!("{}.{}.{field}", self.at, self.name);
        self.mismatches.push(Mismatch {
            at,
            expected,
            actual,
            message: format!("another {field}"),
        });
    }

    fn text(&mut self, field: &str, expected: Option<&String>, actual: &String) {
        if let Some(expected) = expected
            && expected != actual
        {
            self.differs(field, format!("{expected:?}"), format!("{actual:?}"));
        }
    }

    /// A field that is compared only when it is given.
    fn optional<T: PartialEq + ToString>(&mut self, field: &str, expected: Option<&T>, actual: Option<&T>) {
        if expected.is_some() && expected != actual {
            self.differs(field, optional(expected), optional(actual));
        }
    }

    /// The same, where it may be given as nothing.
    fn nullable<T: PartialEq + ToString>(
        &mut self,
        field: &str,
        expected: Option<&Nullable<T>>,
        actual: Option<&T>,
    ) {
        if let Some(Nullable(expected)) = expected
            && expected.as_ref() != actual
        {
            self.differs(field, optional(expected.as_ref()), optional(actual));
        }
    }
}

fn differences(at: &str, effect: &Effect, thing: &Thing, mismatches: &mut Vec<Mismatch>) {
    match (effect, thing) {
        (Effect::Send(expected), Thing::Send { text, reply_to, .. }) => {
            let mut fields = Fields {
                at,
                name: "send",
                mismatches,
            };
            fields.text("text", expected.text.as_ref(), text);
            fields.nullable("reply_to", expected.reply_to.as_ref(), reply_to.as_ref());
            if let Some(part) = &expected.contains
                && !text.contains(part.as_str())
            {
                fields.differs("contains", format!("{part:?}"), format!("{text:?}"));
            }
        }
        (
            Effect::React(expected),
            Thing::React {
                emoji,
                emoji_sent,
                message,
            },
        ) => {
            let mut fields = Fields {
                at,
                name: "react",
                mismatches,
            };
            fields.text("emoji", expected.emoji.as_ref(), emoji);
            fields.optional("emoji_sent", expected.emoji_sent.as_ref(), emoji_sent.as_ref());
            fields.optional("message", expected.message.as_ref(), message.as_ref());
        }
        (
            Effect::File(expected),
            Thing::File {
                path,
                kind,
                caption,
                reply_to,
            },
        ) => {
            let mut fields = Fields {
                at,
                name: "file",
                mismatches,
            };
            fields.text("path", expected.path.as_ref(), path);
            fields.optional("kind", expected.kind.as_ref(), kind.as_ref());
            fields.nullable("caption", expected.caption.as_ref(), caption.as_ref());
            fields.nullable("reply_to", expected.reply_to.as_ref(), reply_to.as_ref());
        }
        (Effect::Voice(VoiceEffect { text: expected, .. }), Thing::Voice { text }) => {
            Fields {
                at,
                name: "voice",
                mismatches,
            }
            .text("text", expected.as_ref(), text);
        }
        _ => mismatches.push(Mismatch {
            at: at.to_owned(),
            expected: expected_line(effect),
            actual: actual_line(thing),
            message: "something else came".to_owned(),
        }),
    }
}

fn optional(value: Option<&impl ToString>) -> String {
    value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_channels::platform;

    fn expect(yaml: &str) -> Vec<Expectation> {
        serde_saphyr::from_str(yaml).unwrap()
    }

    fn send(text: &str, shown: usize) -> End {
        End {
            thing: Thing::Send {
                message: None,
                text: text.to_owned(),
                reply_to: None,
            },
            channel: None,
            shown,
        }
    }

    fn react(shown: usize) -> End {
        let thing = Thing::React {
            emoji: "👍".to_owned(),
            emoji_sent: Some("thumbsup".to_owned()),
            message: Some("m1".into()),
        };
        End {
            thing,
            channel: None,
            shown,
        }
    }

    fn places(yaml: &str, ends: &[End]) -> Vec<String> {
        compare(&expect(yaml), platform::SLACK, ends, &[])
            .into_iter()
            .map(|m| m.at)
            .collect()
    }

    #[test]
    fn fields_left_out_are_not_compared_and_null_is() {
        let replied = End {
            thing: Thing::Send {
                message: None,
                text: "hi".to_owned(),
                reply_to: Some("m1".into()),
            },
            channel: None,
            shown: 0,
        };
        let ends = [replied];
        assert_eq!(places("[{send: {}}]", &ends), Vec::<String>::new());
        assert_eq!(places("[{send: {reply_to: m1}}]", &ends), Vec::<String>::new());
        assert_eq!(
            places("[{send: {reply_to: null}}]", &ends),
            ["expect[0].send.reply_to"]
        );
        assert_eq!(
            places("[{send: {text: ho, reply_to: m2}}]", &ends),
            ["expect[0].send.text", "expect[0].send.reply_to"]
        );
        assert_eq!(
            places("[{send: {contains: x}}]", &ends),
            ["expect[0].send.contains"]
        );
    }

    #[test]
    fn missing_surplus_and_other_things_are_named() {
        assert_eq!(
            places("[{send: {text: a}}, {send: {text: b}}]", &[send("a", 0)]),
            ["expect[1]"]
        );
        assert_eq!(places("[]", &[send("a", 0)]), ["expect"]);
        assert_eq!(places("[{file: {path: a}}]", &[react(0)]), ["expect[0]"]);
    }

    #[test]
    fn an_effect_may_come_earlier_than_listed_but_not_later() {
        let both = "[{react: {emoji: 👍}}, {send: {text: a}}]";
        assert_eq!(places(both, &[react(0), send("a", 1)]), Vec::<String>::new());
        assert_eq!(places(both, &[send("a", 0), react(1)]), ["expect[0]"]);
        let after = "[{send: {text: a}}, {react: {emoji: 👍}}]";
        assert_eq!(places(after, &[send("a", 0), react(1)]), Vec::<String>::new());
        assert_eq!(places(after, &[react(0), send("a", 1)]), Vec::<String>::new());
    }

    #[test]
    fn expectations_for_other_channels_do_not_count() {
        let yaml = "[{send: {text: a}, unless: [slack]}, {react: {}, only: [slack]}]";
        assert_eq!(places(yaml, &[react(0)]), Vec::<String>::new());
        let inside = "[{send: {text: a, unless: [slack]}}, {react: {only: [slack]}}]";
        assert_eq!(places(inside, &[react(0)]), Vec::<String>::new());
        assert!(serde_saphyr::from_str::<Vec<Expectation>>("[{send: {}, react: {}}]").is_err());
        assert!(serde_saphyr::from_str::<Vec<Expectation>>("[{sned: {}}]").is_err());
    }

    #[test]
    fn what_arrives_on_another_channel_is_expected_there() {
        let elsewhere = End {
            channel: Some("signal".into()),
            ..send("a", 0)
        };
        let ends = [elsewhere];
        assert_eq!(
            places("[{send: {text: a}, channel: signal}]", &ends),
            Vec::<String>::new()
        );
        assert_eq!(places("[{send: {text: a}}]", &ends), ["expect[0].channel"]);
        assert_eq!(
            places("[{send: {text: a}, channel: signal}]", &[send("a", 0)]),
            ["expect[0].channel"]
        );
    }

    #[test]
    fn findings_are_compared_in_order() {
        let expected = expect("[{diagnostics: [bare-directive]}]");
        assert!(compare(&expected, platform::SLACK, &[], &[Code::BareDirective]).is_empty());
        let wrong = compare(&expected, platform::SLACK, &[], &[]);
        assert_eq!(wrong[0].at, "expect[0].diagnostics");
    }
}
