//! Which secrets this bot masks, and the settings that decide it.

use super::Backend;
use crate::output::OWN_CREDENTIAL;
use foldback_directives::redact::{CREDENTIAL, RedactSettings, SECRETS, WORDS};
use foldback_wire::rpc::{CatalogEntry, SecretEntry, SecretSource, Secrets};

impl Backend {
    pub(super) fn list_secrets(&self) -> Secrets {
        listed(&self.shared.config.redact)
    }
}

fn listed(redact: &RedactSettings) -> Secrets {
    let enabled = format!("redact.enabled = {}", redact.enabled);
    let known = SECRETS.iter().map(|row| {
        let own = match row.id {
            "email" => Some(redact.email),
            "phone" => Some(redact.phone),
            _ => None,
        };
        SecretEntry {
            id: row.id.to_owned(),
            about: row.about.to_owned(),
            source: if own.is_some() {
                SecretSource::Optional
            } else {
                SecretSource::Known
            },
            on: redact.enabled && own.unwrap_or(true),
            // What says no comes first: with redaction off a setting of its own changes nothing.
            setting: match own {
                Some(on) if redact.enabled => format!("redact.{} = {on}", row.id),
                _ => enabled.clone(),
            },
            example: row.example.0.to_owned(),
            shown: row.example.1.to_owned(),
        }
    });
    let credentials = SecretEntry {
        id: CREDENTIAL.to_owned(),
        about: OWN_CREDENTIAL.to_owned(),
        source: SecretSource::Known,
        on: redact.enabled,
        setting: enabled.clone(),
        example: String::new(),
        shown: String::new(),
    };
    let own = redact.extra.iter().enumerate().map(|(index, extra)| SecretEntry {
        id: format!("redact.extra {}", index + 1),
        about: extra.about.clone(),
        source: SecretSource::Own,
        on: redact.enabled,
        setting: enabled.clone(),
        example: extra.pattern.as_str().to_owned(),
        shown: String::new(),
    });
    Secrets {
        enabled: redact.enabled,
        inbound: CatalogEntry {
            code: format!("redact.inbound = \"{}\"", redact.inbound.code()),
            about: redact.inbound.about().to_owned(),
        },
        kinds: known.chain([credentials]).chain(own).collect(),
        words: WORDS.iter().map(|word| (*word).to_owned()).collect(),
        allow: redact.allow.clone(),
        setting: enabled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_directives::redact::{ExtraSecret, Patterns, SecretPattern};

    /// The list says of every kind what the matcher does.
    #[test]
    fn a_kind_is_on_exactly_when_its_example_is_masked() {
        for (enabled, email, phone) in [(true, false, false), (true, true, false), (true, false, true)] {
            let redact = RedactSettings {
                enabled,
                email,
                phone,
                ..RedactSettings::default()
            };
            let patterns = Patterns::new(&redact);
            for kind in listed(&redact)
                .kinds
                .into_iter()
                .filter(|kind| kind.id != CREDENTIAL)
            {
                let shown = patterns.redact(&kind.example);
                assert_eq!(shown == kind.shown, kind.on, "{kind:?}");
            }
        }
    }

    #[test]
    fn each_names_the_setting_that_decides() {
        let setting = |redact: &RedactSettings, id: &str| {
            let kind = listed(redact).kinds.into_iter().find(|kind| kind.id == id);
            kind.map(|kind| (kind.on, kind.setting)).unwrap()
        };
        let on = RedactSettings {
            email: true,
            extra: vec![ExtraSecret {
                about: "customer numbers".to_owned(),
                pattern: SecretPattern::try_from(r"\bACME-(\d{6})\b".to_owned()).unwrap(),
            }],
            ..RedactSettings::default()
        };
        assert_eq!(setting(&on, "sk"), (true, "redact.enabled = true".to_owned()));
        assert_eq!(setting(&on, "email"), (true, "redact.email = true".to_owned()));
        assert_eq!(setting(&on, "phone"), (false, "redact.phone = false".to_owned()));
        assert_eq!(
            setting(&on, "redact.extra 1"),
            (true, "redact.enabled = true".to_owned())
        );
        let off = RedactSettings { enabled: false, ..on };
        for id in ["sk", "email", "redact.extra 1"] {
            assert_eq!(setting(&off, id), (false, "redact.enabled = false".to_owned()));
        }
    }
}
