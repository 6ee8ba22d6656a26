//! Forms of credentials.

/// A credential's own form, which tells whose it is before anybody is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenForm {
    Telegram,
    Discord,
    SlackBot,
    SlackApp,
    Meta,
    Other,
}

impl TokenForm {
    pub(super) fn of(token: &str) -> Self {
        let is_word = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        let parts: Vec<_> = token.split('.').collect();
        match token.split_once(':') {
            // <https://core.telegram.org/bots/features#botfather>
            Some((id, rest))
                if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) && is_word(rest) =>
            {
                Self::Telegram
            }
            // <https://api.slack.com/concepts/token-types>
            _ if token.starts_with("xoxb-") => Self::SlackBot,
            _ if token.starts_with("xapp-") => Self::SlackApp,
            // <https://discord.com/developers/docs/reference#authentication>
            _ if parts.len() == 3 && parts.iter().all(|part| part.len() > 4 && is_word(part)) => {
                Self::Discord
            }
            _ if token.starts_with("EAA") => Self::Meta,
            _ => Self::Other,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Telegram => "a token of Telegram",
            Self::Discord => "a token of Discord",
            Self::SlackBot => "a bot token of Slack (xoxb-)",
            Self::SlackApp => "an app-level token of Slack (xapp-)",
            Self::Meta => "a token of Meta",
            Self::Other => "a token of an unknown form",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_by_its_form() {
        for (token, form) in [
            (
                "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
                TokenForm::Telegram,
            ),
            (
                "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
                TokenForm::Discord,
            ),
            (
                "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcBrzbqgy",
                TokenForm::SlackBot,
            ),
            ("xapp-1-A0123-456-abc", TokenForm::SlackApp),
            ("EAAGm0PX4ZCpsBA", TokenForm::Meta),
            ("test-token", TokenForm::Other),
            ("", TokenForm::Other),
        ] {
            assert_eq!(TokenForm::of(token), form, "{token}");
        }
    }
}
