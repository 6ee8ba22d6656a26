//! The cookies of one browser: <https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-5>.

use super::rules;
use crate::Broken;
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct Cookies(BTreeMap<String, String>);

impl Cookies {
    /// Takes what a server sets, if a browser would, over a connection that is private or not.
    pub(super) fn set(&mut self, line: &str, is_private: bool, broken: &mut Broken) {
        let mut parts = line.split(';').map(str::trim);
        let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else {
            return broken.note(rules::ONE_COOKIE);
        };
        let attributes: Vec<_> = parts.map(str::to_ascii_lowercase).collect();
        let has = |wanted: &str| attributes.iter().any(|attribute| attribute == wanted);
        let begins = |wanted: &str| attributes.iter().any(|attribute| attribute.starts_with(wanted));
        if name.is_empty() || value.is_empty() || attributes.iter().any(String::is_empty) {
            broken.note(rules::ONE_COOKIE);
        }
        if !has("httponly") {
            broken.note(rules::HTTP_ONLY);
        }
        if has("secure") && !is_private {
            return broken.note(rules::SECURE_IN_THE_OPEN);
        }
        if has("samesite=none") && !has("secure") {
            return broken.note(rules::NONE_IS_SECURE);
        }
        if name.starts_with("__Host-") && !(has("secure") && has("path=/") && !begins("domain")) {
            return broken.note(rules::HOST_PREFIX);
        }
        self.0.insert(name.to_owned(), value.to_owned());
    }

    /// The header of a request.
    pub(super) fn header(&self) -> Option<String> {
        let pairs: Vec<_> = self
            .0
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
