//! Secrets of webhooks: no platform is asked about them, but their form tells of most mistakes.

use super::{
    check::{Answer, Check},
    subject::Subject,
    token_form::TokenForm,
};
use foldback_pipeline::config::{ChannelConfig, Secret};
use foldback_wire::ChannelId;

/// Characters of Slack's signing secret and of Meta's app secret, all of them hexadecimal digits
/// (<https://docs.slack.dev/authentication/verifying-requests-from-slack>,
/// <https://developers.facebook.com/docs/development/create-an-app/app-dashboard/basic-settings>).
const DIGITS: usize = 32;

pub(super) fn checks(subject: &Subject, id: &ChannelId, channel: &ChannelConfig) -> Vec<Check> {
    if !channel
        .kind(id)
        .is_some_and(|kind| matches!(kind.code(), "slack" | "whatsapp"))
    {
        return Vec::new();
    }
    let secrets = [
        (
            "signing_secret",
            &channel.signing_secret,
            signing as fn(&str, &str) -> Answer,
        ),
        ("verify_token", &channel.verify_token, verifying),
    ];
    let named = secrets
        .into_iter()
        .filter_map(|(key, secret, judge)| Some((format!("channels.{id}.{key}"), secret.clone()?, judge)));
    named
        .map(|(about, secret, judge)| of_form(subject.clone(), about, secret, judge))
        .collect()
}

fn of_form(subject: Subject, about: String, secret: Secret, judge: fn(&str, &str) -> Answer) -> Check {
    Check::new(about.clone(), "the secret for its form", async move {
        match subject.secret(&about, &secret).await {
            Ok(value) => judge(&value, &about),
            Err(answer) => answer,
        }
    })
}

/// The key with which a platform signs its webhooks.
fn signing(value: &str, about: &str) -> Answer {
    let todo = format!("put the app's signing secret (Slack) or app secret (Meta) into {about}");
    let form = TokenForm::of(value);
    if form != TokenForm::Other {
        return Answer::wrong(format!("is {}, with which nothing is signed", form.name()), &todo);
    }
    if value.len() == DIGITS && value.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let why = "has the form of one; only a webhook of the platform shows whether it is the right one";
        return Answer::unasked(why, &format!("if every webhook is refused, mend {about}"));
    }
    let found = format!("is not {DIGITS} hexadecimal digits, as those of Slack and Meta are");
    Answer::note(found, &todo)
}

/// The word that a platform says once, when a webhook is registered. Its owner chooses it.
fn verifying(value: &str, about: &str) -> Answer {
    let form = TokenForm::of(value);
    if form != TokenForm::Other {
        let todo = format!("choose a word of your own for {about}, and give the same to the platform");
        return Answer::wrong(
            format!(
                "is {}, which would be shown to whoever sets the webhook up",
                form.name()
            ),
            &todo,
        );
    }
    let why = "only registering the webhook shows whether the platform has the same word";
    Answer::unasked(why, &format!("give the platform the word in {about}"))
}

#[cfg(test)]
mod tests {
    use super::{super::check::State, *};

    #[test]
    fn a_signing_secret_is_known_by_its_form_and_a_token_in_its_place_is_wrong() {
        for (value, state) in [
            ("8f742231b10e8888abcd99yyyzzz85a5", State::Note),
            ("8f742231b10e8888abcd99baaccc85a5", State::Unasked),
            ("8f742231b10e8888", State::Note),
            ("xoxb-1-2-3", State::Wrong),
            ("EAAGm0PX4ZCpsBA", State::Wrong),
        ] {
            assert_eq!(
                signing(value, "channels.slack.signing_secret").state,
                state,
                "{value}"
            );
        }
        assert_eq!(verifying("EAAGm0PX4ZCpsBA", "x").state, State::Wrong);
        assert_eq!(verifying("my own word", "x").state, State::Unasked);
    }
}
