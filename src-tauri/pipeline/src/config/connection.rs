//! The keys of a channel's table by which it connects.

use super::{ChannelConfig, ChannelKind, Secret};
use foldback_channels::ConnectionKey;
use foldback_wire::ChannelId;

impl ChannelConfig {
    /// True where the platform of this channel is a simulated one.
    pub fn is_simulated(&self, name: &ChannelId) -> bool {
        self.kind(name) == Some(ChannelKind::Loopback)
    }

    /// The reference at a key; `None` where there is none, or where the key holds no credential.
    pub fn secret(&self, key: ConnectionKey) -> Option<&Secret> {
        match key {
            ConnectionKey::Token => self.token.as_ref(),
            ConnectionKey::AppToken => self.app_token.as_ref(),
            ConnectionKey::SigningSecret => self.signing_secret.as_ref(),
            ConnectionKey::VerifyToken => self.verify_token.as_ref(),
            ConnectionKey::ClientSecret => self.client_secret.as_ref(),
            ConnectionKey::Password => self.password.as_ref(),
            ConnectionKey::ClientId
            | ConnectionKey::Listen
            | ConnectionKey::ApiRoot
            | ConnectionKey::Account
            | ConnectionKey::Mentions
            | ConnectionKey::Origins
            | ConnectionKey::Limits
            | ConnectionKey::AcceptRisk => None,
        }
    }

    /// True where this key of the connection is set.
    pub fn is_set(&self, key: ConnectionKey) -> bool {
        match key {
            ConnectionKey::ClientId => self.client_id.is_some(),
            ConnectionKey::Listen => self.listen.is_some(),
            ConnectionKey::ApiRoot => self.api_root.is_some(),
            ConnectionKey::Account => self.account.is_some(),
            ConnectionKey::Mentions => !self.mentions.is_empty(),
            ConnectionKey::Origins => !self.origins.is_empty(),
            ConnectionKey::Limits => self.limits.is_some(),
            ConnectionKey::AcceptRisk => self.accept_risk,
            credential => self.secret(credential).is_some(),
        }
    }

    /// The references to its credentials, by key.
    pub fn secrets(&self) -> impl Iterator<Item = (&'static str, &Secret)> {
        let all = ConnectionKey::ALL.iter();
        all.filter_map(|key| Some((key.name(), self.secret(*key)?)))
    }

    /// A key that is set, and for which the channel's adapter has no use. A simulated platform may stand in for a real one
    /// whose keys are left where they are.
    pub(super) fn useless_key(&self, name: &ChannelId) -> Option<(ConnectionKey, &'static str)> {
        let Some(ChannelKind::Real(row)) = self.kind(name) else {
            return None;
        };
        let mut set = ConnectionKey::ALL.iter().copied().filter(|key| self.is_set(*key));
        set.find(|key| !row.knows(*key)).map(|key| (key, row.code))
    }

    /// The first key without which the channel cannot connect, and what stands there.
    pub(super) fn missing_key(&self, name: &ChannelId) -> Option<(ConnectionKey, &'static str)> {
        let Some(ChannelKind::Real(row)) = self.kind(name) else {
            return None;
        };
        let missing = row.used(|key| self.is_set(key)).err()?;
        Some((missing.key, missing.what))
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{check_connections, load, parse};
    use std::path::Path;

    fn parsed(text: &str) -> Result<(), String> {
        parse(text, Path::new("foldback.toml"))
            .map(drop)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_key_of_another_kind_is_an_error_at_its_line() {
        let text = "[channels.work]\nkind = \"telegram\"\n# token\ntoken = { env = \"T\" }\napp_token = { env = \"A\" }\n";
        assert_eq!(
            parsed(text).unwrap_err(),
            "foldback.toml:5:1: channels.work.app_token: a channel of the kind telegram has no use for it"
        );
        let signal = "[channels.signal]\nmentions = [\"users\"]\n";
        assert!(
            parsed(signal)
                .unwrap_err()
                .starts_with("foldback.toml:2:1: channels.signal.mentions: ")
        );
        let web_chat = "[channels.web_chat]\nlisten = \"127.0.0.1:1\"\napi_root = \"https://example.org\"\n";
        assert_eq!(
            parsed(web_chat).unwrap_err(),
            "foldback.toml:3:1: channels.web_chat.api_root: a channel of the kind web_chat has no use for it"
        );
        // The real one's keys stay where they are while a simulated one stands in for it.
        let text = text.replace("\"telegram\"", "\"loopback\"\nplatform = \"telegram\"");
        assert_eq!(parsed(&text), Ok(()));
    }

    #[test]
    fn a_missing_key_is_an_error_at_the_line_of_its_table_where_the_channel_is_to_connect() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("foldback.toml");
        let text = "# [channels.slack]\n[output]\n\n[channels.slack]\ntoken = { env = \"T\" }\nlisten = \"127.0.0.1:1\"\n";
        assert_eq!(parsed(text), Ok(()), "to read it nothing is missing");
        std::fs::write(&file, text).unwrap();
        let check = || check_connections(&load(&file).unwrap(), &file);
        let error = check().unwrap_err().to_string();
        let after = error.strip_prefix(&file.display().to_string()).unwrap();
        assert_eq!(
            after,
            ":4:1: channels.slack.signing_secret is missing; write a reference to the app's signing secret, with which \
             Slack signs its webhooks"
        );
        std::fs::write(&file, format!("{text}signing_secret = {{ env = \"S\" }}\n")).unwrap();
        check().unwrap();
    }

    #[test]
    fn a_risk_is_taken_by_a_setting_or_the_line_says_what_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("foldback.toml");
        let text = "[channels.telegram_user]\nclient_id = \"4242\"\nclient_secret = { env = \"S\" }\naccount = \"+4915112345678\"\n";
        let check = |text: &str| {
            std::fs::write(&file, text).unwrap();
            check_connections(&load(&file).unwrap(), &file).map_err(|error| error.to_string())
        };
        let refused = format!("{text}accept_risk = false\n");
        for (line, without) in [(1, text), (5, &refused)] {
            let error = check(without).unwrap_err();
            let said = format!(":{line}:1: channels.telegram_user.accept_risk is missing; write `true`");
            assert!(error.contains(&said), "{error}");
            assert!(error.contains("Telegram may end the account"), "{error}");
            assert!(error.contains("https://core.telegram.org/api/terms"), "{error}");
        }
        check(&format!("{text}accept_risk = true\n")).unwrap();
        let other = "[channels.telegram]\ntoken = { env = \"T\" }\naccept_risk = true\n";
        assert_eq!(
            parsed(other).unwrap_err(),
            "foldback.toml:3:1: channels.telegram.accept_risk: a channel of the kind telegram has no use for it"
        );
    }

    #[test]
    fn an_unknown_kind_or_platform_is_named_with_the_one_that_was_meant() {
        let error = parsed("[channels.a]\nkind = \"telegarm\"\n").unwrap_err();
        assert!(
            error.ends_with("unknown variant `telegarm`; did you mean `telegram`?"),
            "{error}"
        );
        assert!(
            error.starts_with("foldback.toml:2:8: channels.a.kind: "),
            "{error}"
        );
        let error = parsed("[channels.a]\nkind = \"loopback\"\nplatform = \"discrod\"\n").unwrap_err();
        assert!(
            error.ends_with("unknown variant `discrod`; did you mean `discord`?"),
            "{error}"
        );
    }
}
