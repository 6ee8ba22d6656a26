//! An agent's output as the bot would read it: one reading for the console and the command line.

use crate::{TurnFold, failure};
use foldback_directives::{
    Collect, Directive, Fate, Lines, Parsed, Range, RangeReason, Scanner, Settings, Span, parse,
    redact::{CREDENTIAL, KnownBy, Patterns, Reader, RedactSettings, SECRETS, Secret},
};
use foldback_pipeline::config::Config;
use foldback_store::Journal;
use foldback_wire::{
    Inbound, TurnId,
    redact::Redaction,
    rpc::{Failure, MaskedSecrets},
};
use std::sync::Arc;

/// An output with all that its reading depends on.
#[derive(Debug, Clone)]
pub struct Output {
    /// What the agent wrote.
    pub raw: String,
    /// What the user wrote; directives that repeat it are not executed.
    pub user_text: Option<String>,
    /// How it is read.
    pub settings: Settings,
    /// What is masked in it; `None` when nothing is.
    pub secrets: Option<Redaction>,
}

impl Output {
    /// The assistant messages of a turn with their numbers, as its channel reads them now, and what they answer.
    ///
    /// # Errors
    /// `not_found` when there is no such turn; `journal` when it cannot be read.
    pub async fn of_turn(
        journal: &dyn Journal,
        config: &Config,
        turn: TurnId,
    ) -> Result<(Vec<(u32, Self)>, Inbound), Failure> {
        let events = journal.turn(turn).await.map_err(failure::journal)?;
        let detail = TurnFold::of(turn, &events)
            .detail()
            .ok_or_else(|| failure::no_turn(turn))?;
        let inbound = detail.inbound;
        let settings = config.settings_of(&inbound.channel);
        let secrets = Some(in_journal(&config.redact));
        let output = |raw| Self {
            raw,
            user_text: Some(inbound.text.clone()),
            settings: settings.clone(),
            secrets: secrets.clone(),
        };
        let messages = detail.messages.into_iter();
        let outputs = messages.map(|m| (m.message, output(m.raw))).collect();
        Ok((outputs, inbound))
    }

    /// Begins a reading of it.
    pub fn reader(&self) -> Reader {
        let scanner = Scanner::new(&self.settings, self.user_text.as_deref());
        let secrets = self.secrets.as_ref().map(Redaction::patterns);
        Reader::new(scanner, secrets.as_ref())
    }

    /// What would be sent: secrets are masked in the text and in what directives say. Findings are for the
    /// person who wrote the output, and stay as they are.
    pub fn read(&self) -> Parsed {
        let mut collect = Collect::default();
        let mut reader = self.reader();
        reader.push(&self.raw, &mut collect);
        reader.finish(&mut collect);
        let mut parsed = collect.into_parsed();
        if let Some(secrets) = &self.secrets {
            mask(&mut parsed, secrets);
        }
        parsed
    }

    /// Every secret that is masked in it, and why; those of the text first. `own` are the operator's patterns.
    pub fn masked(&self, own: &RedactSettings) -> Vec<MaskedSecrets> {
        let Some(redaction) = &self.secrets else {
            return Vec::new();
        };
        let plain = parse(&self.raw, &self.settings, self.user_text.as_deref());
        let mut found = Found {
            raw: &self.raw,
            lines: Lines::new(&self.raw),
            own,
            masked: Vec::new(),
        };
        let (secrets, ids) = (redaction.patterns(), redaction.id_patterns());
        for secret in secrets.secrets(&plain.clean_text) {
            if let Some(span) = raw_span(&plain.ranges, secret.span) {
                found.tell(span, &secret, None);
            }
        }
        if let Some(id) = &plain.header.reply_to {
            let headers = plain
                .ranges
                .iter()
                .filter(|r| r.reason == Some(RangeReason::Header));
            let mut spans = headers.map(|r| r.span);
            if let Some(span) = spans.find(|span| span.of(&self.raw).contains(id.as_str())) {
                found.look(id, &ids, span, "reply_to");
            }
        }
        for mut directive in plain.directives {
            let (span, tag) = (directive.span(), directive.tag());
            if let Directive::React { message, .. } = &mut directive
                && let Some(id) = message.take()
            {
                found.look(&id, &ids, span, tag);
            }
            directive.each_text(|text| found.look(text, &secrets, span, tag));
        }
        for mut action in plain.actions {
            let (span, kind) = (action.span, redaction.text(&action.kind).into_owned());
            action.each_text(|text| found.look(text, &secrets, span, &kind));
        }
        found.masked
    }
}

/// The secrets of an output that were found so far.
struct Found<'a> {
    raw: &'a str,
    lines: Lines<'a>,
    own: &'a RedactSettings,
    masked: Vec<MaskedSecrets>,
}

impl Found<'_> {
    /// Tells the secrets of a text that stands in a part of the raw text.
    fn look(&mut self, text: &str, secrets: &Arc<Patterns>, part: Span, inside: &str) {
        for secret in secrets.secrets(text) {
            let span = within(self.raw, part, secret.span.of(text));
            self.tell(span, &secret, Some(inside.to_owned()));
        }
    }

    fn tell(&mut self, span: Span, secret: &Secret, inside: Option<String>) {
        let place = self.lines.start(span);
        let (secrets, about) = names(&secret.by, self.own);
        self.masked.push(MaskedSecrets {
            span,
            line: place.line as u32,
            column: place.column as u32,
            secrets,
            about,
            inside,
        });
    }
}

/// What is masked in a raw text of the journal. There secrets are written masked, and are known again by that,
/// also when redaction is off meanwhile.
pub(crate) fn in_journal(settings: &RedactSettings) -> Redaction {
    Redaction::new(settings).unwrap_or_else(Redaction::masked)
}

/// Masks secrets in what is carried out beside the text, as the bot does.
pub fn mask(parsed: &mut Parsed, secrets: &Redaction) {
    for directive in &mut parsed.directives {
        secrets.directive(directive);
    }
    secrets.header(&mut parsed.header);
    for action in &mut parsed.actions {
        action.each_text(|text| secrets.mask(text));
    }
}

/// The kind [`CREDENTIAL`], in words.
pub(crate) const OWN_CREDENTIAL: &str = "The bot's own credentials, by their value";

/// Names of patterns, and what they find, in words.
pub(crate) fn names(by: &[KnownBy], own: &RedactSettings) -> (Vec<String>, String) {
    let mut ids = Vec::new();
    let mut abouts = Vec::new();
    for known in by {
        match known {
            KnownBy::Known(id) => {
                ids.push((*id).to_owned());
                let row = SECRETS.iter().find(|row| row.id == *id);
                let about = row.map(|row| row.about);
                abouts.push(
                    about
                        .or((*id == CREDENTIAL).then_some(OWN_CREDENTIAL))
                        .unwrap_or_default(),
                );
            }
            KnownBy::Own(index) => {
                ids.push(format!("redact.extra {}", index + 1));
                let about = own.extra.get(*index).map_or("", |extra| extra.about.as_str());
                abouts.push(if about.is_empty() {
                    "A pattern of your own"
                } else {
                    about
                });
            }
        }
    }
    (ids, abouts.join("; "))
}

/// The raw bytes of a stretch of the clean text, from the first to the last.
fn raw_span(ranges: &[Range], clean: Span) -> Option<Span> {
    let mut at = 0;
    let mut found: Option<Span> = None;
    for range in ranges.iter().filter(|range| range.fate == Fate::Show) {
        let length = range.shown_as.as_ref().map_or(range.span.len(), String::len);
        let (from, to) = (clean.start.max(at), clean.end.min(at + length));
        if from < to {
            // Joined white space stands for its bytes as a whole.
            let part = match range.shown_as {
                Some(_) => range.span,
                None => Span::new(range.span.start + from - at, range.span.start + to - at),
            };
            found = Some(found.map_or(part, |first| Span::new(first.start, part.end)));
        }
        at += length;
    }
    found
}

/// Where a secret stands in a directive: its own bytes, or the whole directive where it is written otherwise
/// there (with character references).
fn within(raw: &str, directive: Span, secret: &str) -> Span {
    let written = directive.of(raw);
    written.find(secret).map_or(directive, |at| {
        let start = directive.start + at;
        Span::new(start, start + secret.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_directives::{
        Dialect,
        redact::{ExtraSecret, MASK, SecretPattern},
    };

    fn output(raw: &str, redact: &RedactSettings) -> Output {
        Output {
            raw: raw.to_owned(),
            user_text: None,
            settings: Settings::default(),
            secrets: Redaction::new(redact),
        }
    }

    /// The raw text of each secret, with what it is.
    fn told(raw: &str, redact: &RedactSettings) -> Vec<(String, String, Option<String>)> {
        let masked = output(raw, redact).masked(redact);
        let one = |m: MaskedSecrets| (m.span.of(raw).to_owned(), m.secrets.join(" "), m.inside);
        masked.into_iter().map(one).collect()
    }

    #[test]
    fn a_secret_of_the_text_is_told_by_its_raw_bytes() {
        let raw = "Ä. <react emoji=\"eyes\"/>  password: hunter2 now";
        let output = output(raw, &RedactSettings::default());
        assert_eq!(output.read().clean_text, "Ä. password: [redacted] now");
        let masked = &output.masked(&RedactSettings::default())[0];
        assert_eq!(masked.span.of(raw), "hunter2");
        assert_eq!((masked.line, masked.column), (1, 37));
        assert_eq!(masked.secrets, ["named"]);
        assert!(
            masked.about.starts_with("A value after a word of the list"),
            "{masked:?}"
        );
    }

    #[test]
    fn one_that_a_directive_divides_reaches_from_its_first_byte_to_its_last() {
        let raw = "sk-abcdefghijkl<react emoji=\"eyes\"/>mnopqrstuvwx1 end";
        assert_eq!(
            told(raw, &RedactSettings::default()),
            [(
                "sk-abcdefghijkl<react emoji=\"eyes\"/>mnopqrstuvwx1".to_owned(),
                "sk".to_owned(),
                None
            )]
        );
    }

    #[test]
    fn one_in_a_directive_is_told_with_the_directive() {
        let raw = "<actions><voice>the password: hunter2</voice></actions>Hi";
        let output = output(raw, &RedactSettings::default());
        let said = serde_json::to_value(&output.read().directives[0]).unwrap();
        assert_eq!(said["text"], "the password: [redacted]");
        assert_eq!(
            told(raw, &RedactSettings::default()),
            [("hunter2".to_owned(), "named".to_owned(), Some("voice".to_owned()))]
        );
        let referenced = "<actions><voice>password: hunter&#50;</voice></actions>";
        let whole = &told(referenced, &RedactSettings::default())[0].0;
        assert_eq!(
            whole, "<voice>password: hunter&#50;</voice>",
            "it is written otherwise there"
        );
    }

    #[test]
    fn one_that_a_header_or_a_json_action_names_is_told_too() {
        let key = "sk-abcdefghijkl1234567890";
        let redact = RedactSettings::default();
        let told = |raw: &str, settings: Settings| {
            let output = Output {
                settings,
                ..output(raw, &redact)
            };
            let read = serde_json::to_string(&output.read()).unwrap();
            let masked = output.masked(&redact).into_iter();
            let places = masked.map(|m| (m.span.start, m.span.of(raw).to_owned(), m.inside));
            (places.collect::<Vec<_>>(), read.contains(key))
        };
        let header = format!("[[reply_to:{key}]]\nHi");
        assert_eq!(
            told(&header, Settings::default()),
            (vec![(11, key.to_owned(), Some("reply_to".to_owned()))], false)
        );
        let json = Settings {
            dialects: vec![Dialect::Json],
            ..Settings::default()
        };
        let action = format!("{{\"actions\":[{{\"type\":\"{key}\",\"payload\":{{}}}}]}}\nHi");
        assert_eq!(
            told(&action, json),
            (vec![(21, key.to_owned(), Some(MASK.to_owned()))], false)
        );
    }

    #[test]
    fn a_phone_number_in_the_id_of_a_message_is_no_secret() {
        let redact = RedactSettings {
            phone: true,
            ..RedactSettings::default()
        };
        let raw = "<react emoji=\"eyes\" message=\"1700000000000:+33612345678\"/>+33612345678";
        let read = output(raw, &redact).read();
        assert_eq!(read.clean_text, MASK);
        let named = serde_json::to_value(&read.directives[0]).unwrap();
        assert_eq!(named["message"], "1700000000000:+33612345678");
        let told = told(raw, &redact);
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0].2, None);
    }

    #[test]
    fn the_operators_patterns_have_their_own_words() {
        let extra = |about: &str, pattern: &str| ExtraSecret {
            about: about.to_owned(),
            pattern: SecretPattern::try_from(pattern.to_owned()).unwrap(),
        };
        let redact = RedactSettings {
            extra: vec![extra("", "AAAA"), extra("customer numbers", r"ACME-\d{6}")],
            ..RedactSettings::default()
        };
        let masked = output("ACME-123456 AAAA", &redact).masked(&redact);
        assert_eq!(
            (masked[0].secrets[0].as_str(), masked[0].about.as_str()),
            ("redact.extra 2", "customer numbers")
        );
        assert_eq!(masked[1].about, "A pattern of your own");
    }

    #[test]
    fn nothing_is_masked_where_redaction_is_off_or_the_reply_is_suppressed() {
        let off = RedactSettings {
            enabled: false,
            ..RedactSettings::default()
        };
        assert_eq!(told("password: hunter2", &off), []);
        assert_eq!(
            output("password: hunter2", &off).read().clean_text,
            "password: hunter2"
        );
        assert_eq!(told("NO_REPLY", &RedactSettings::default()), []);
    }

    #[test]
    fn what_the_journal_masked_is_known_again_although_redaction_is_off() {
        let raw = Output {
            secrets: Some(in_journal(&RedactSettings {
                enabled: false,
                ..RedactSettings::default()
            })),
            ..output(
                "the key #*************, password: hunter2",
                &RedactSettings::default(),
            )
        };
        assert_eq!(
            raw.read().clean_text,
            format!("the key {MASK}, password: hunter2")
        );
    }
}
