//! A credential that cannot be printed by accident.

use std::fmt;

/// A resolved secret, such as an API key. It has no `Display` and no `Serialize`, and its `Debug` shows
/// nothing, so that it cannot reach a log, the journal or the window without `expose` being written down.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a secret in.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The secret itself, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with every occurrence of the secret replaced: servers like to quote the key they refuse.
    pub fn hide_in(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        text.replace(&self.0, "…")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_prints() {
        let secret = Secret::new("sk-123");
        assert_eq!(
            format!("{secret:?} {:#?}", Some(&secret)).matches("123").count(),
            0
        );
        assert_eq!(secret.hide_in("bad key sk-123!"), "bad key …!");
        assert_eq!(Secret::new("").hide_in("all"), "all");
    }
}
